//! What differs between two states: field by field for programs, in a sentence for people.

use std::fmt::Display;

use chrono::NaiveDate;

use super::{Details, Salary, Stage, StageId, State};

/// One field that differs between two states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldChange {
    /// The field as the API names it: `status`, or `name` of a stage.
    pub field: &'static str,
    /// The stage that the field belongs to, where it is a stage's.
    pub stage: Option<StageId>,
    /// The value before, as people write it; `None` where it was empty.
    pub before: Option<String>,
    /// The value after, as people write it; `None` where it is empty.
    pub after: Option<String>,
}

type Field = (&'static str, Option<String>);

fn text(value: Option<impl Display>) -> Option<String> {
    value.map(|value| value.to_string())
}

/// Every field that the API shows of a state's application, in the order of the schema's description.
fn fields(state: &State) -> Vec<Field> {
    let Details {
        company_name,
        position_title,
        status,
        date_applied,
        offer_due_date,
        company_url,
        job_posting_url,
        company_career_url,
        company_category,
        job_source,
        skills_match,
        cover_letter_required,
        special_requirements,
        notes,
        salary_min,
        salary_max,
    } = &state.application.details;
    vec![
        ("companyName", text(Some(company_name.as_str()))),
        ("positionTitle", text(Some(position_title.as_str()))),
        ("status", text(Some(status.word()))),
        ("dateApplied", text(*date_applied)),
        ("offerDueDate", text(*offer_due_date)),
        (
            "companyUrl",
            text(company_url.as_ref().map(|link| link.as_str())),
        ),
        (
            "jobPostingUrl",
            text(job_posting_url.as_ref().map(|link| link.as_str())),
        ),
        (
            "companyCareerUrl",
            text(company_career_url.as_ref().map(|link| link.as_str())),
        ),
        (
            "companyCategory",
            text(company_category.map(|category| category.word())),
        ),
        ("jobSource", text(job_source.map(|source| source.word()))),
        ("skillsMatch", text(skills_match.map(|rating| rating.get()))),
        ("coverLetterRequired", text(*cover_letter_required)),
        (
            "specialRequirements",
            text(special_requirements.as_ref().map(|note| note.as_str())),
        ),
        ("notes", text(notes.as_ref().map(|note| note.as_str()))),
        ("salaryMin", text(salary_min.map(Salary::get))),
        ("salaryMax", text(salary_max.map(Salary::get))),
        ("isArchived", text(Some(state.application.is_archived))),
    ]
}

fn stage_fields(stage: &Stage) -> Vec<Field> {
    let Stage {
        id: _,
        name,
        order,
        is_completed,
        completed_date,
        notes,
        performance_rating,
    } = stage;
    vec![
        ("name", text(Some(name.as_str()))),
        ("order", text(Some(order))),
        ("isCompleted", text(Some(is_completed))),
        ("completedDate", text(*completed_date)),
        ("notes", text(notes.as_ref().map(|note| note.as_str()))),
        (
            "performanceRating",
            text(performance_rating.map(|rating| rating.get())),
        ),
    ]
}

fn differing<'a>(
    before: &'a [Field],
    after: &'a [Field],
    stage: Option<StageId>,
) -> impl Iterator<Item = FieldChange> + 'a {
    let names = if before.is_empty() { after } else { before };
    names.iter().enumerate().filter_map(move |(i, (field, _))| {
        let value = |fields: &[Field]| fields.get(i).and_then(|(_, value)| value.clone());
        let (before, after) = (value(before), value(after));
        (before != after).then_some(FieldChange {
            field,
            stage,
            before,
            after,
        })
    })
}

/// Every stage of either state, with what it was and what it is.
fn paired<'a>(
    before: Option<&'a State>,
    after: &'a State,
) -> impl Iterator<Item = (StageId, Option<&'a Stage>, Option<&'a Stage>)> {
    let earlier = before.map(State::stages).unwrap_or_default();
    let was = move |id| earlier.iter().find(|stage| stage.id == id);
    let removed = earlier
        .iter()
        .filter(move |stage| after.stage(stage.id).is_none());
    let there = after
        .stages()
        .iter()
        .map(move |stage| (stage.id, was(stage.id), Some(stage)));
    there.chain(removed.map(|stage| (stage.id, Some(stage), None)))
}

/// What differs between two states; without a `before`, everything that is not empty.
pub fn changes(before: Option<&State>, after: &State) -> Vec<FieldChange> {
    let earlier = before.map(fields).unwrap_or_default();
    let mut changes: Vec<_> = differing(&earlier, &fields(after), None).collect();
    for (id, was, is) in paired(before, after) {
        let was = was.map(stage_fields).unwrap_or_default();
        let is = is.map(stage_fields).unwrap_or_default();
        changes.extend(differing(&was, &is, Some(id)));
    }
    changes
}

/// What changed, as a person would note it: the parts joined by `; `.
pub fn describe(before: &State, after: &State) -> String {
    let mut parts: Vec<String> = differing(&fields(before), &fields(after), None)
        .filter_map(|change| describe_field(&change))
        .collect();
    parts.extend(describe_salary(
        &before.application.details,
        &after.application.details,
    ));
    let mut reordered = false;
    for (_, was, is) in paired(Some(before), after) {
        match (was, is) {
            (None, Some(stage)) => parts.push(format!("{} added", named(stage))),
            (Some(stage), None) => parts.push(format!("{} removed", named(stage))),
            (Some(was), Some(is)) => {
                reordered |= was.order != is.order;
                parts.extend(describe_stage(was, is));
            }
            (None, None) => {}
        }
    }
    if reordered {
        parts.push("Interview stages reordered".to_owned());
    }
    parts.join("; ")
}

fn named(stage: &Stage) -> String {
    format!("Interview stage \"{}\"", stage.name.as_str())
}

fn describe_field(change: &FieldChange) -> Option<String> {
    let label = match change.field {
        "companyName" => "Company",
        "positionTitle" => "Position",
        "status" => "Status",
        "dateApplied" => "Date applied",
        "offerDueDate" => "Offer due date",
        "companyUrl" => "Company URL",
        "jobPostingUrl" => "Job posting URL",
        "companyCareerUrl" => "Company career URL",
        "companyCategory" => "Company category",
        "jobSource" => "Job source",
        "skillsMatch" => "Skills match",
        "coverLetterRequired" => "Cover letter requirement",
        "specialRequirements" => "Special requirements",
        "notes" => "Notes",
        "isArchived" => {
            let archived = change.after.as_deref() == Some("true");
            return Some(if archived { "Archived" } else { "Unarchived" }.to_owned());
        }
        // Told together, as a range.
        _ => return None,
    };
    let long = matches!(change.field, "notes" | "specialRequirements");
    Some(match (&change.before, &change.after) {
        (_, None) => format!("{label} cleared"),
        (None, Some(_)) if long => format!("{label} added"),
        (Some(_), Some(_)) if long => format!("{label} changed"),
        (None, Some(after)) => format!("{label} set to {after}"),
        (Some(before), Some(after)) => format!("{label} changed from {before} to {after}"),
    })
}

fn describe_salary(before: &Details, after: &Details) -> Option<String> {
    let range = (after.salary_min, after.salary_max);
    if (before.salary_min, before.salary_max) == range {
        return None;
    }
    Some(match range {
        (Some(min), Some(max)) => format!("Salary range set to {}-{}", min.get(), max.get()),
        (Some(min), None) => format!("Salary set to {} or more", min.get()),
        (None, Some(max)) => format!("Salary set to at most {}", max.get()),
        (None, None) => "Salary range cleared".to_owned(),
    })
}

fn describe_stage(was: &Stage, is: &Stage) -> Vec<String> {
    let stage = named(is);
    let mut parts = Vec::new();
    if was.name != is.name {
        parts.push(format!(
            "{} renamed to \"{}\"",
            named(was),
            is.name.as_str()
        ));
    }
    match (was.is_completed, is.is_completed) {
        (false, true) => parts.push(format!("{stage} completed")),
        (true, false) => parts.push(format!("{stage} reopened")),
        _ if was.completed_date != is.completed_date => {
            parts.push(dated(&stage, is.completed_date));
        }
        _ => {}
    }
    match (&was.notes, &is.notes) {
        (before, after) if before == after => {}
        (None, _) => parts.push(format!("Notes added to {}", lower_first(&stage))),
        (_, None) => parts.push(format!("Notes of {} cleared", lower_first(&stage))),
        _ => parts.push(format!("Notes of {} changed", lower_first(&stage))),
    }
    if was.performance_rating != is.performance_rating {
        parts.push(match is.performance_rating {
            Some(rating) => format!("{stage} rated {}", rating.get()),
            None => format!("Rating of {} cleared", lower_first(&stage)),
        });
    }
    parts
}

fn dated(stage: &str, date: Option<NaiveDate>) -> String {
    match date {
        Some(date) => format!("{stage} dated {date}"),
        None => format!("Date of {} cleared", lower_first(stage)),
    }
}

fn lower_first(stage: &str) -> String {
    stage.replacen("Interview", "interview", 1)
}
