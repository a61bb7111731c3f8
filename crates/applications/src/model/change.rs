//! What differs between two states: field by field for programs, in a sentence for people.

use serde_json::Value;

use super::{Details, Form, Stage, StageId, State, field};

/// One field that differs between two states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldChange {
    /// The field as the API names it: `status`, or `name` of a stage.
    pub field: String,
    /// The stage, if the field belongs to one.
    pub stage: Option<StageId>,
    /// The value before, as people write it; `None` if the field was empty.
    pub before: Option<String>,
    /// The value after, as people write it; `None` if the field is empty.
    pub after: Option<String>,
}

type Fields = Vec<(String, Option<String>)>;

/// Every field that people edit, in the order of their declaration, and whether it is archived.
fn fields(state: &State) -> Fields {
    let mut fields = stored(&state.application.details, &[]);
    let is_archived = field::text(state.application.is_archived.stored());
    fields.push(("isArchived".to_owned(), is_archived));
    fields
}

fn stage_fields(stage: &Stage) -> Fields {
    stored(stage, &["id", "applicationId"])
}

fn value(fields: &Fields, name: &str) -> Option<String> {
    let (_, value) = fields.iter().find(|(field, _)| field == name)?;
    value.clone()
}

/// The stored fields of a value, without those in `but`.
fn stored(of: &impl serde::Serialize, but: &[&str]) -> Fields {
    let Ok(Value::Object(fields)) = serde_json::to_value(of) else {
        return Vec::new();
    };
    let fields = fields
        .into_iter()
        .filter(|(name, _)| !but.contains(&name.as_str()));
    fields
        .map(|(name, value)| (name, field::text(&value)))
        .collect()
}

fn differing(before: &Fields, after: &Fields, stage: Option<&StageId>) -> Vec<FieldChange> {
    // A field that is stored only if it is set may be missing from either side.
    let only_before = before
        .iter()
        .filter(|(name, _)| !after.iter().any(|(other, _)| other == name));
    let names = after.iter().chain(only_before).map(|(name, _)| name);
    let changes = names.map(|name| FieldChange {
        field: name.clone(),
        stage: stage.cloned(),
        before: value(before, name),
        after: value(after, name),
    });
    changes
        .filter(|change| change.before != change.after)
        .collect()
}

/// Every stage of either state, with what it was and what it is.
fn paired<'a>(
    before: Option<&'a State>,
    after: &'a State,
) -> impl Iterator<Item = (&'a StageId, Option<&'a Stage>, Option<&'a Stage>)> {
    let earlier = before.map(State::stages).unwrap_or_default();
    let removed = earlier
        .iter()
        .filter(move |stage| after.stage(&stage.key).is_none());
    let there = after.stages().iter().map(move |stage| {
        let was = earlier.iter().find(|was| was.key == stage.key);
        (&stage.key, was, Some(stage))
    });
    there.chain(removed.map(|stage| (&stage.key, Some(stage), None)))
}

/// The fields that differ between two states; without a `before`, everything that is not empty.
pub fn changes(before: Option<&State>, after: &State) -> Vec<FieldChange> {
    let earlier = before.map(fields).unwrap_or_default();
    let mut changes = differing(&earlier, &fields(after), None);
    for (id, was, is) in paired(before, after) {
        let was = was.map(stage_fields).unwrap_or_default();
        let is = is.map(stage_fields).unwrap_or_default();
        changes.extend(differing(&was, &is, Some(id)));
    }
    changes
}

/// What changed, as a person would note it: the parts joined by `; `.
pub fn describe(before: &State, after: &State) -> String {
    let changes = differing(&fields(before), &fields(after), None);
    let mut parts: Vec<_> = changes.iter().filter_map(describe_field).collect();
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
    format!("Interview stage \"{}\"", stage.name.text())
}

fn describe_field(change: &FieldChange) -> Option<String> {
    match change.field.as_str() {
        "isRemote" => {
            let remote = match change.after.as_deref() {
                Some("true") => "Set to remote",
                Some("false") => "Set to not remote",
                _ => "Remote cleared",
            };
            return Some(remote.to_owned());
        }
        "isArchived" => {
            let archived = change.after.as_deref() == Some("true");
            return Some(if archived { "Archived" } else { "Unarchived" }.to_owned());
        }
        _ => {}
    }
    // Both salaries are described as a range.
    let mut fields = Details::FIELDS.iter();
    let field = fields.find(|field| field.name == change.field && !field.label.is_empty())?;
    let label = field.label;
    let before = change.before.as_deref().map(shorten);
    let after = change.after.as_deref().map(shorten);
    let long = field.form == Form::LongText;
    Some(match (before, after) {
        (_, None) => format!("{label} cleared"),
        (None, Some(_)) if long => format!("{label} added"),
        (Some(_), Some(_)) if long => format!("{label} changed"),
        (None, Some(after)) => format!("{label} set to {after}"),
        (Some(before), Some(after)) => format!("{label} changed from {before} to {after}"),
    })
}

/// The beginning of a value. Other programs store values of any length.
fn shorten(value: &str) -> String {
    match value.char_indices().nth(300) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value.to_owned(),
    }
}

fn describe_salary(before: &Details, after: &Details) -> Option<String> {
    let (min, max) = (&after.salary_min, &after.salary_max);
    if (&before.salary_min, &before.salary_max) == (min, max) {
        return None;
    }
    Some(match (min.is_empty(), max.is_empty()) {
        (false, false) => format!("Salary range set to {}-{}", min.text(), max.text()),
        (false, true) => format!("Salary set to {} or more", min.text()),
        (true, false) => format!("Salary set to at most {}", max.text()),
        (true, true) => "Salary range cleared".to_owned(),
    })
}

fn describe_stage(was: &Stage, is: &Stage) -> Vec<String> {
    let stage = named(is);
    let lower = stage.replacen("Interview", "interview", 1);
    let mut parts = Vec::new();
    if was.name != is.name {
        parts.push(format!("{} renamed to \"{}\"", named(was), is.name.text()));
    }
    match (was.is_completed.get(), is.is_completed.get()) {
        (Some(false) | None, Some(true)) => parts.push(format!("{stage} completed")),
        (Some(true) | None, Some(false)) => parts.push(format!("{stage} reopened")),
        _ if was.completed_date == is.completed_date => {}
        _ if is.completed_date.is_empty() => parts.push(format!("Date of {lower} cleared")),
        _ => parts.push(format!("{stage} dated {}", is.completed_date.text())),
    }
    match (was.notes.is_empty(), is.notes.is_empty()) {
        _ if was.notes == is.notes => {}
        (true, _) => parts.push(format!("Notes added to {lower}")),
        (_, true) => parts.push(format!("Notes of {lower} cleared")),
        _ => parts.push(format!("Notes of {lower} changed")),
    }
    if was.performance_rating != is.performance_rating {
        parts.push(if !is.performance_rating.is_empty() {
            format!("{stage} rated {}", is.performance_rating.text())
        } else {
            format!("Rating of {lower} cleared")
        });
    }
    if was.scheduled_at != is.scheduled_at {
        parts.push(if !is.scheduled_at.is_empty() {
            format!("{stage} scheduled for {}", is.scheduled_at.text())
        } else {
            format!("Schedule of {lower} cleared")
        });
    }
    if was.duration_minutes != is.duration_minutes {
        parts.push(if !is.duration_minutes.is_empty() {
            format!("{stage} takes {} minutes", is.duration_minutes.text())
        } else {
            format!("Duration of {lower} cleared")
        });
    }
    parts
}
