//! What a person can edit of an application, and the rules that its fields keep together.

use chrono::NaiveDate;

use super::values::date;
use super::{
    CompanyCategory, JobSource, Link, Name, Note, Rating, Rule, Salary, Status, Violation,
    Violations,
};

/// What a patch says of one field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Change<T> {
    /// Leave it as it is.
    #[default]
    Keep,
    /// Make it empty.
    Clear,
    /// Give it this value.
    Set(T),
}

impl<T> Change<T> {
    /// A value to set, or nothing to change.
    pub fn set(value: Option<T>) -> Self {
        value.map_or(Change::Keep, Change::Set)
    }

    /// Whether a value is set.
    pub fn is_set(&self) -> bool {
        matches!(self, Change::Set(_))
    }
}

/// Every field of an application that a person edits. In any value of this type the rules hold: an
/// unsubmitted application has no `date_applied` and any other has one; `salary_min <= salary_max`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Details {
    /// Who the job is with.
    pub company_name: Name,
    /// What the job is called.
    pub position_title: Name,
    /// Where the application stands.
    pub status: Status,
    /// When it was sent.
    pub date_applied: Option<NaiveDate>,
    /// Until when an offer must be answered.
    pub offer_due_date: Option<NaiveDate>,
    /// The company's site.
    pub company_url: Option<Link>,
    /// The job's posting.
    pub job_posting_url: Option<Link>,
    /// The company's page of jobs.
    pub company_career_url: Option<Link>,
    /// What the company does.
    pub company_category: Option<CompanyCategory>,
    /// How the person came to know of the job.
    pub job_source: Option<JobSource>,
    /// How well the person's skills fit.
    pub skills_match: Option<Rating>,
    /// Whether a cover letter is asked for.
    pub cover_letter_required: Option<bool>,
    /// What else is asked for.
    pub special_requirements: Option<Note>,
    /// The person's notes.
    pub notes: Option<Note>,
    /// The least that is paid.
    pub salary_min: Option<Salary>,
    /// The most that is paid.
    pub salary_max: Option<Salary>,
}

/// A patch to [`Details`], not yet checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "each field is described on `Details`")]
pub struct DetailsChange {
    pub company_name: Change<String>,
    pub position_title: Change<String>,
    pub status: Change<Status>,
    pub date_applied: Change<String>,
    pub offer_due_date: Change<String>,
    pub company_url: Change<String>,
    pub job_posting_url: Change<String>,
    pub company_career_url: Change<String>,
    pub company_category: Change<CompanyCategory>,
    pub job_source: Change<JobSource>,
    pub skills_match: Change<i64>,
    pub cover_letter_required: Change<bool>,
    pub special_requirements: Change<String>,
    pub notes: Change<String>,
    pub salary_min: Change<i64>,
    pub salary_max: Change<i64>,
}

impl Details {
    /// New details: `status` is unsubmitted unless given.
    ///
    /// # Errors
    /// Every rule that the input breaks.
    pub fn create(change: DetailsChange, today: NaiveDate) -> Result<Self, Violations> {
        Self::apply(None, change, today)
    }

    /// These details with a patch applied.
    ///
    /// # Errors
    /// Every rule that the patch breaks.
    pub fn update(&self, change: DetailsChange, today: NaiveDate) -> Result<Self, Violations> {
        Self::apply(Some(self), change, today)
    }

    fn apply(
        now: Option<&Self>,
        change: DetailsChange,
        today: NaiveDate,
    ) -> Result<Self, Violations> {
        let mut check = Check::default();
        let date_was_set = change.date_applied.is_set();
        let name = |text: String| Name::parse(&text);
        let day = |text: String| date(&text);
        let link = |text: String| Link::parse(&text);
        let note = |text: String| Note::parse(&text);
        macro_rules! optional {
            ($field:ident, $name:literal, $parse:expr) => {
                check.optional(
                    $name,
                    now.and_then(|d| d.$field.clone()),
                    change.$field,
                    $parse,
                )
            };
        }
        let company_name = check.required(
            "companyName",
            now.map(|d| d.company_name.clone()),
            change.company_name,
            name,
        );
        let position_title = check.required(
            "positionTitle",
            now.map(|d| d.position_title.clone()),
            change.position_title,
            name,
        );
        let status = now.map_or(Status::Unsubmitted, |d| d.status);
        let status = check.required("status", Some(status), change.status, Ok);
        let date_applied = optional!(date_applied, "dateApplied", day);
        let offer_due_date = optional!(offer_due_date, "offerDueDate", day);
        let company_url = optional!(company_url, "companyUrl", link);
        let job_posting_url = optional!(job_posting_url, "jobPostingUrl", link);
        let company_career_url = optional!(company_career_url, "companyCareerUrl", link);
        let company_category = optional!(company_category, "companyCategory", Ok);
        let job_source = optional!(job_source, "jobSource", Ok);
        let skills_match = optional!(skills_match, "skillsMatch", Rating::parse);
        let cover_letter_required = optional!(cover_letter_required, "coverLetterRequired", Ok);
        let special_requirements = optional!(special_requirements, "specialRequirements", note);
        let notes = optional!(notes, "notes", note);
        let salary_min = optional!(salary_min, "salaryMin", Salary::parse);
        let salary_max = optional!(salary_max, "salaryMax", Salary::parse);
        if let (Some(min), Some(max)) = (salary_min, salary_max) {
            check.that(
                min <= max,
                "salaryMin",
                Rule::Invalid("not more than salaryMax"),
            );
        }
        let date_applied = match status {
            Some(Status::Unsubmitted) => {
                const RULE: &str = "empty while the status is unsubmitted; set a status with it";
                check.that(!date_was_set, "dateApplied", Rule::Invalid(RULE));
                None
            }
            _ => date_applied.or(Some(today)),
        };
        match (company_name, position_title, status) {
            (Some(company_name), Some(position_title), Some(status))
                if check.violations.is_empty() =>
            {
                Ok(Self {
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
                })
            }
            _ => Err(check.violations),
        }
    }
}

/// Collects every rule that an input breaks.
#[derive(Debug, Default)]
pub(super) struct Check {
    pub(super) violations: Violations,
}

impl Check {
    /// A field that has to have a value.
    pub(super) fn required<R, T>(
        &mut self,
        field: &'static str,
        now: Option<T>,
        change: Change<R>,
        parse: impl FnOnce(R) -> Result<T, Rule>,
    ) -> Option<T> {
        let parsed = match change {
            Change::Keep => now.ok_or(Rule::Required),
            Change::Clear => Err(Rule::Required),
            Change::Set(raw) => parse(raw),
        };
        parsed
            .map_err(|rule| self.violations.push(Violation { field, rule }))
            .ok()
    }

    /// A field that may be empty. Blank text makes it so.
    pub(super) fn optional<R, T>(
        &mut self,
        field: &'static str,
        now: Option<T>,
        change: Change<R>,
        parse: impl FnOnce(R) -> Result<T, Rule>,
    ) -> Option<T> {
        let parsed = match change {
            Change::Keep => return now,
            Change::Clear => return None,
            Change::Set(raw) => parse(raw),
        };
        match parsed {
            Ok(value) => Some(value),
            Err(Rule::Required) => None,
            Err(rule) => {
                self.violations.push(Violation { field, rule });
                None
            }
        }
    }

    /// A rule over several fields.
    pub(super) fn that(&mut self, holds: bool, field: &'static str, rule: Rule) {
        if !holds {
            self.violations.push(Violation { field, rule });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn today() -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 11, 20).unwrap()
    }

    fn named() -> DetailsChange {
        DetailsChange {
            company_name: Change::Set("Visa".into()),
            position_title: Change::Set("Engineer".into()),
            ..DetailsChange::default()
        }
    }

    #[test]
    fn every_broken_rule_of_one_input_is_told_at_once() {
        let change = DetailsChange {
            position_title: Change::Set(" ".into()),
            company_url: Change::Set("nowhere".into()),
            skills_match: Change::Set(6),
            salary_min: Change::Set(2),
            salary_max: Change::Set(1),
            date_applied: Change::Set("2026-11-20".into()),
            ..DetailsChange::default()
        };
        let violations = Details::create(change, today()).unwrap_err();
        let fields: Vec<_> = violations.iter().map(|v| v.field).collect();
        assert_eq!(
            fields,
            [
                "companyName",
                "positionTitle",
                "companyUrl",
                "skillsMatch",
                "salaryMin",
                "dateApplied"
            ]
        );
    }

    #[test]
    fn the_date_applied_follows_the_status() {
        let fresh = Details::create(named(), today()).unwrap();
        assert_eq!(
            (fresh.status, fresh.date_applied),
            (Status::Unsubmitted, None)
        );
        let status = |status| DetailsChange {
            status: Change::Set(status),
            ..Default::default()
        };
        let sent = fresh.update(status(Status::Applied), today()).unwrap();
        assert_eq!(sent.date_applied, Some(today()));
        let tomorrow = today().succ_opt().unwrap();
        let later = sent.update(status(Status::Interviewing), tomorrow).unwrap();
        assert_eq!(later.date_applied, Some(today()));
        assert_eq!(
            later
                .update(status(Status::Unsubmitted), tomorrow)
                .unwrap()
                .date_applied,
            None
        );
    }

    #[test]
    fn a_patch_keeps_clears_and_sets() {
        let first = DetailsChange {
            notes: Change::Set("call back".into()),
            salary_max: Change::Set(10),
            ..named()
        };
        let details = Details::create(first, today()).unwrap();
        let patch = DetailsChange {
            salary_max: Change::Clear,
            ..Default::default()
        };
        let patched = details.update(patch, today()).unwrap();
        assert_eq!(patched.salary_max, None);
        assert_eq!(patched.notes, details.notes);
        let patch = DetailsChange {
            company_name: Change::Clear,
            ..Default::default()
        };
        let violation = Violation {
            field: "companyName",
            rule: Rule::Required,
        };
        assert_eq!(details.update(patch, today()), Err(vec![violation]));
    }
}
