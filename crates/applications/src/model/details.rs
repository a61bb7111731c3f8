//! The fields of an application that a person edits, and the rules for setting them.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use trestle_domain::{Currency, Link};

use super::check::{Check, patch};
use super::links::pasted;
use super::values::{currency, date, integer, rating, text};
use super::{
    Change, CompanyCategory, Field, JobSource, MAX_INTEGER, Rule, SalaryPeriod, Status, Tags,
    Violations,
};

/// The most characters of a company's name and of a position's title.
const NAME: usize = 200;
/// The most characters of notes and of special requirements.
const NOTE: usize = 5000;
/// The most characters of the text of a posting. Every history entry has a copy of it, and an item at most 400 KB.
const POSTING: usize = 10_000;

/// Every field of an application that a person edits, as it is stored. Whatever a person sets is valid;
/// other programs may have stored anything.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Details {
    /// The company.
    pub company_name: Field<String>,
    /// The job.
    pub position_title: Field<String>,
    /// The status.
    pub status: Field<Status>,
    /// The date of the application.
    pub date_applied: Field<NaiveDate>,
    /// The date by which an offer must be answered.
    pub offer_due_date: Field<NaiveDate>,
    /// The company's website.
    pub company_url: Field<Link>,
    /// The job posting.
    pub job_posting_url: Field<Link>,
    /// The company's careers page.
    pub company_career_url: Field<Link>,
    /// The company's field of business.
    pub company_category: Field<CompanyCategory>,
    /// How the person learned of the job.
    pub job_source: Field<JobSource>,
    /// How well the person's skills match, from 1 to 5.
    pub skills_match: Field<i32>,
    /// Whether a cover letter is required.
    pub cover_letter_required: Field<bool>,
    /// Other requirements.
    pub special_requirements: Field<String>,
    /// The person's notes.
    pub notes: Field<String>,
    /// The lowest salary.
    pub salary_min: Field<i64>,
    /// The highest salary.
    pub salary_max: Field<i64>,
    /// What the person does next. Stored only if set.
    #[serde(skip_serializing_if = "Field::is_empty")]
    pub next_action: Field<String>,
    /// When the person does it. Stored only if set.
    #[serde(skip_serializing_if = "Field::is_empty")]
    pub next_action_date: Field<NaiveDate>,
    /// The currency of the salaries. Stored only if set.
    #[serde(skip_serializing_if = "Field::is_empty")]
    pub salary_currency: Field<Currency>,
    /// What the salaries are paid for. Stored only if set.
    #[serde(skip_serializing_if = "Field::is_empty")]
    pub salary_period: Field<SalaryPeriod>,
    /// Words of the person's own. Stored only if set.
    #[serde(skip_serializing_if = "Field::is_empty")]
    pub tags: Field<Tags>,
    /// Where the job is. Stored only if set.
    #[serde(skip_serializing_if = "Field::is_empty")]
    pub location: Field<String>,
    /// Whether the job can be done from anywhere. Stored only if set.
    #[serde(skip_serializing_if = "Field::is_empty")]
    pub is_remote: Field<bool>,
    /// The text of the job posting. Stored only if set.
    #[serde(skip_serializing_if = "Field::is_empty")]
    pub posting_text: Field<String>,
}

/// The fields of [`Details`] that are stored only if they are set, by their stored names.
pub const ONLY_IF_SET: [&str; 8] = [
    "nextAction",
    "nextActionDate",
    "salaryCurrency",
    "salaryPeriod",
    "tags",
    "location",
    "isRemote",
    "postingText",
];

patch! {
    /// A patch to [`Details`], not yet checked.
    #[expect(missing_docs, reason = "each field is described on `Details`")]
    DetailsChange of Details {
        company_name "companyName": String = |raw| text(&raw, NAME),
        position_title "positionTitle": String = |raw| text(&raw, NAME),
        status "status": Status = Ok,
    } optional {
        date_applied "dateApplied": String = |raw| date(&raw),
        offer_due_date "offerDueDate": String = |raw| date(&raw),
        company_url "companyUrl": String = |raw| pasted(&raw),
        job_posting_url "jobPostingUrl": String = |raw| pasted(&raw),
        company_career_url "companyCareerUrl": String = |raw| pasted(&raw),
        company_category "companyCategory": CompanyCategory = Ok,
        job_source "jobSource": JobSource = Ok,
        skills_match "skillsMatch": i64 = rating,
        cover_letter_required "coverLetterRequired": bool = Ok,
        special_requirements "specialRequirements": String = |raw| text(&raw, NOTE),
        notes "notes": String = |raw| text(&raw, NOTE),
        salary_min "salaryMin": i64 = |salary| integer(salary, 0, MAX_INTEGER),
        salary_max "salaryMax": i64 = |salary| integer(salary, 0, MAX_INTEGER),
        next_action "nextAction": String = |raw| text(&raw, NAME),
        next_action_date "nextActionDate": String = |raw| date(&raw),
        salary_currency "salaryCurrency": String = |raw| currency(&raw),
        salary_period "salaryPeriod": SalaryPeriod = Ok,
        tags "tags": Vec<String> = Tags::parse,
        location "location": String = |raw| text(&raw, NAME),
        is_remote "isRemote": bool = Ok,
        posting_text "postingText": String = |raw| text(&raw, POSTING),
    } beside {
        /// The currency of a salary that is set, if the application has none.
        default_currency: Option<Currency>,
    }
}

impl DetailsChange {
    /// The patch without the fields that break rules; `None` if one of them is required.
    pub fn without(&self, violations: &Violations) -> Option<Self> {
        let mut rest = self.clone();
        for violation in violations {
            match violation.field {
                "dateApplied" => rest.date_applied = Change::Unchanged,
                "offerDueDate" => rest.offer_due_date = Change::Unchanged,
                "companyUrl" => rest.company_url = Change::Unchanged,
                "jobPostingUrl" => rest.job_posting_url = Change::Unchanged,
                "companyCareerUrl" => rest.company_career_url = Change::Unchanged,
                "companyCategory" => rest.company_category = Change::Unchanged,
                "jobSource" => rest.job_source = Change::Unchanged,
                "skillsMatch" => rest.skills_match = Change::Unchanged,
                "coverLetterRequired" => rest.cover_letter_required = Change::Unchanged,
                "specialRequirements" => rest.special_requirements = Change::Unchanged,
                "notes" => rest.notes = Change::Unchanged,
                "salaryMin" => rest.salary_min = Change::Unchanged,
                "salaryMax" => rest.salary_max = Change::Unchanged,
                "nextAction" => rest.next_action = Change::Unchanged,
                "nextActionDate" => rest.next_action_date = Change::Unchanged,
                "salaryCurrency" => rest.salary_currency = Change::Unchanged,
                "salaryPeriod" => rest.salary_period = Change::Unchanged,
                "tags" => rest.tags = Change::Unchanged,
                "location" => rest.location = Change::Unchanged,
                "isRemote" => rest.is_remote = Change::Unchanged,
                "postingText" => rest.posting_text = Change::Unchanged,
                _ => return None,
            }
        }
        Some(rest)
    }
}

impl Details {
    /// New details. The status defaults to unsubmitted.
    ///
    /// # Errors
    /// Every rule that the input breaks.
    pub fn create(change: DetailsChange, today: NaiveDate) -> Result<Self, Violations> {
        let empty = Self {
            status: Field::of(&Status::Unsubmitted),
            ..Self::default()
        };
        let mut check = Check::creating();
        let details = empty.apply(change, today, &mut check);
        check.finish(details)
    }

    /// These details with a patch applied. Fields that the patch does not set stay as they are stored.
    ///
    /// # Errors
    /// Every rule that the patch breaks.
    pub fn update(&self, change: DetailsChange, today: NaiveDate) -> Result<Self, Violations> {
        let mut check = Check::default();
        let details = self.apply(change, today, &mut check);
        check.finish(details)
    }

    fn apply(&self, change: DetailsChange, today: NaiveDate, check: &mut Check) -> Self {
        let sets_salary_min = change.salary_min.is_set();
        let sets_salary_max = change.salary_max.is_set();
        let sets_status = change.status.is_set();
        let keeps_date = change.date_applied == Change::Unchanged;
        let default_currency = change.default_currency;
        let keeps_currency = change.salary_currency == Change::Unchanged;
        let mut next = self.clone();
        change.patch(&mut next, check);
        if keeps_currency && next.salary_currency.is_empty() && next.has_another_salary(self) {
            let currency = default_currency.as_ref().map(Field::of);
            next.salary_currency = currency.unwrap_or_default();
        }
        let range = next.salary_min.get().zip(next.salary_max.get());
        if range.is_some_and(|(min, max)| min > max) {
            if sets_salary_min {
                check.refuse("salaryMin", Rule::Invalid("at most `salaryMax`"));
            } else if sets_salary_max {
                check.refuse("salaryMax", Rule::Invalid("at least `salaryMin`"));
            }
        }
        if sets_status && keeps_date {
            match (self.status.get(), next.status.get()) {
                (_, Some(Status::Unsubmitted)) => next.date_applied = Field::default(),
                (Some(Status::Unsubmitted), Some(_)) if next.date_applied.is_empty() => {
                    next.date_applied = Field::of(&today);
                }
                _ => {}
            }
        }
        next
    }

    /// Whether it has a salary that differs from the one before.
    fn has_another_salary(&self, before: &Self) -> bool {
        let differs = |is: &Field<i64>, was: &Field<i64>| !is.is_empty() && is != was;
        differs(&self.salary_min, &before.salary_min)
            || differs(&self.salary_max, &before.salary_max)
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
    fn every_broken_rule_of_an_input_is_reported() {
        let change = DetailsChange {
            position_title: Change::Set(" ".into()),
            company_url: Change::Set("nowhere".into()),
            skills_match: Change::Set(6),
            salary_min: Change::Set(2),
            salary_max: Change::Set(1),
            date_applied: Change::Set("1/2/2026".into()),
            ..DetailsChange::default()
        };
        let violations = Details::create(change, today()).unwrap_err();
        let fields: Vec<_> = violations.iter().map(|v| v.field).collect();
        assert_eq!(
            fields,
            [
                "companyName",
                "positionTitle",
                "dateApplied",
                "companyUrl",
                "skillsMatch",
                "salaryMin"
            ]
        );
    }

    #[test]
    fn only_setting_the_status_or_the_date_changes_the_date_applied() {
        let fresh = Details::create(named(), today()).unwrap();
        assert_eq!(fresh.status.get(), Some(Status::Unsubmitted));
        assert!(fresh.date_applied.is_empty());
        let status = |status, date_applied| DetailsChange {
            status: Change::Set(status),
            date_applied,
            ..Default::default()
        };
        let update = |details: &Details, change| details.update(change, today()).unwrap();
        let sent = update(&fresh, status(Status::Applied, Change::Unchanged));
        assert_eq!(sent.date_applied.get(), Some(today()));
        let undated = update(&fresh, status(Status::Applied, Change::Clear));
        assert!(undated.date_applied.is_empty());
        let rejected = update(&undated, status(Status::Rejected, Change::Unchanged));
        assert!(rejected.date_applied.is_empty());
        let back = update(&sent, status(Status::Unsubmitted, Change::Unchanged));
        assert!(back.date_applied.is_empty());
        let planned = Change::Set("2026-12-01".to_owned());
        let planned = update(&sent, status(Status::Unsubmitted, planned));
        assert_eq!(planned.date_applied.text(), "2026-12-01");
        let notes = DetailsChange {
            notes: Change::Set("call".to_owned()),
            ..Default::default()
        };
        for details in [undated, planned] {
            assert_eq!(
                update(&details, notes.clone()).date_applied,
                details.date_applied
            );
        }
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
        assert!(patched.salary_max.is_empty());
        assert_eq!(patched.notes, details.notes);
        let patch = DetailsChange {
            company_name: Change::Clear,
            ..Default::default()
        };
        let violation = crate::model::Violation {
            field: "companyName",
            rule: Rule::Required,
        };
        assert_eq!(details.update(patch, today()), Err(vec![violation]));
    }
}
