//! The fields of an application that a person edits, and the rules for setting them.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use trestle_domain::{Check, Currency};

use super::check::{optional, patch, required};
use super::kinds::{
    Amount, Choice, CurrencyCode, Day, Form, Kind, Name, Note, Pasted, PostingText, Rating, TagList,
};
use super::{Change, CompanyCategory, Field, JobSource, Rule, SalaryPeriod, Status, Violations};

/// The table of the fields of an application that a person edits, in the order of its history and of exports. Each row has the
/// field, its name, its kind, the label that descriptions of changes use ("" if they describe it otherwise), its description in
/// the API, and that of its input. Whatever is made of each field is made by a macro `$then` that takes the table.
macro_rules! application_fields {
    ($then:ident) => {
        $then! {
            // Never empty. Their types and inputs are in `graphql`.
            required {
                company_name "companyName": Name, "Company";
                position_title "positionTitle": Name, "Position";
                status "status": Choice<Status>, "Status";
            }
            // Depends on the status. Its inputs are in `graphql`.
            dated {
                date_applied "dateApplied": Day, "Date applied" {
                    doc: "The date of the application. Null if it is unknown or the application is not submitted."
                }
            }
            // Stored as NULL if they are empty.
            nulls {
                offer_due_date "offerDueDate": Day, "Offer due date" {
                    doc: "The date by which an offer must be answered.",
                    input: "The date by which an offer must be answered."
                }
                company_url "companyUrl": Pasted, "Company URL" {
                    doc: "The company's website.",
                    input: "The company's website. `https://` is added if it has no scheme."
                }
                job_posting_url "jobPostingUrl": Pasted, "Job posting URL" {
                    doc: "The job posting.",
                    input: "The job posting. `https://` is added if it has no scheme."
                }
                company_career_url "companyCareerUrl": Pasted, "Company career URL" {
                    doc: "The company's careers page.",
                    input: "The company's careers page. `https://` is added if it has no scheme."
                }
                company_category "companyCategory": Choice<CompanyCategory>, "Company category" {
                    doc: "The company's field of business.",
                    input: "The company's field of business."
                }
                job_source "jobSource": Choice<JobSource>, "Job source" {
                    doc: "How the person learned of the job.",
                    input: "How the person learned of the job."
                }
                skills_match "skillsMatch": Rating, "Skills match" {
                    doc: "How well the person's skills match: 1 to 5.",
                    input: "How well the person's skills match: 1 to 5."
                }
                cover_letter_required "coverLetterRequired": Choice<bool>, "Cover letter requirement" {
                    doc: "Whether a cover letter is required.",
                    input: "Whether a cover letter is required."
                }
                special_requirements "specialRequirements": Note, "Special requirements" {
                    doc: "Other requirements: at most 5000 characters.",
                    input: "Other requirements: at most 5000 characters."
                }
                notes "notes": Note, "Notes" {
                    doc: "The person's notes: at most 5000 characters.",
                    input: "The person's notes: at most 5000 characters."
                }
                salary_min "salaryMin": Amount, "" {
                    doc: "The lowest salary, in whole units of `salaryCurrency`.",
                    input: "The lowest salary, in whole units of `salaryCurrency`: not negative."
                }
                salary_max "salaryMax": Amount, "" {
                    doc: "The highest salary, in whole units of `salaryCurrency`.",
                    input: "The highest salary, in whole units of `salaryCurrency`: at least `salaryMin`."
                }
            }
            // Not stored if they are empty: so are all that are added.
            only_if_set {
                next_action "nextAction": Name, "Next action" {
                    doc: "What the person does next: at most 200 characters.",
                    input: "What the person does next: at most 200 characters."
                }
                next_action_date "nextActionDate": Day, "Next action date" {
                    doc: "The date of the next action.",
                    input: "The date of the next action."
                }
                salary_currency "salaryCurrency": CurrencyCode, "Salary currency" {
                    doc: "The currency of the salaries: a code of ISO 4217 such as EUR. Null if it is unknown.",
                    input: "The currency of the salaries: a code of ISO 4217 such as EUR. If a salary is set and the application has no\n\
                            currency, it defaults to the server's setting `--default-currency`, if that is set."
                }
                salary_period "salaryPeriod": Choice<SalaryPeriod>, "Salary period" {
                    doc: "The time that the salaries are paid for. Null if it is unknown.",
                    input: "The time that the salaries are paid for."
                }
                tags "tags": TagList, "Tags" {
                    doc: "The person's tags, at most 20 of at most 50 characters. Null if there are none.",
                    input: "The person's tags: at most 20, each of 1 to 50 characters without commas, semicolons and line breaks."
                }
                location "location": Name, "Location" {
                    doc: "Where the job is: at most 200 characters.",
                    input: "Where the job is: at most 200 characters."
                }
                is_remote "isRemote": Choice<bool>, "" {
                    doc: "Whether the job can be done remotely. Null if it is unknown.",
                    input: "Whether the job can be done remotely."
                }
                posting_text "postingText": PostingText, "Posting text" {
                    doc: "The text of the job posting: at most 10,000 characters.",
                    input: "The text of the job posting: at most 10,000 characters. Each history entry stores a copy."
                }
                closing_date "closingDate": Day, "Closing date" {
                    doc: "The last day on which the posting takes applications.",
                    input: "The last day on which the posting takes applications."
                }
            }
        }
    };
}

pub(crate) use application_fields;

/// A row of the table of fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DetailsField {
    /// Its name in the API and in the table.
    pub name: &'static str,
    /// What descriptions of changes call it; "" if they describe it otherwise.
    pub label: &'static str,
    /// What it looks like.
    pub form: Form,
    /// How it is stored if it is empty.
    pub if_empty: IfEmpty,
}

/// How a field is stored that is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfEmpty {
    /// It never is.
    Never,
    /// As NULL.
    Null,
    /// Not at all.
    Missing,
}

/// Declares everything that is the same for each field.
macro_rules! declare {
    (
        required { $($required:ident $required_name:literal: $required_kind:ty, $required_label:literal;)+ }
        dated { $($dated:ident $dated_name:literal: $dated_kind:ty, $dated_label:literal { doc: $dated_doc:tt })+ }
        nulls { $($null:ident $null_name:literal: $null_kind:ty, $null_label:literal { doc: $null_doc:tt, input: $null_input:tt })+ }
        only_if_set { $($set:ident $set_name:literal: $set_kind:ty, $set_label:literal { doc: $set_doc:tt, input: $set_input:tt })+ }
    ) => {
        /// Every field of an application that a person edits, as it is stored. Whatever a person sets is valid;
        /// other programs may have stored anything.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase", default)]
        #[expect(missing_docs, reason = "the table describes each field")]
        pub struct Details {
            $(pub $required: Field<<$required_kind as Kind>::Stored>,)+
            $(pub $dated: Field<<$dated_kind as Kind>::Stored>,)+
            $(pub $null: Field<<$null_kind as Kind>::Stored>,)+
            $(#[serde(skip_serializing_if = "Field::is_empty")]
            pub $set: Field<<$set_kind as Kind>::Stored>,)+
        }

        impl Details {
            /// The table of its fields.
            pub const FIELDS: &'static [DetailsField] = &[
                $(DetailsField::new::<$required_kind>($required_name, $required_label, IfEmpty::Never),)+
                $(DetailsField::new::<$dated_kind>($dated_name, $dated_label, IfEmpty::Null),)+
                $(DetailsField::new::<$null_kind>($null_name, $null_label, IfEmpty::Null),)+
                $(DetailsField::new::<$set_kind>($set_name, $set_label, IfEmpty::Missing),)+
            ];
        }

        patch! {
            /// A patch to [`Details`], not yet checked.
            #[expect(missing_docs, reason = "the table describes each field")]
            DetailsChange of Details {
                $($required $required_name: <$required_kind as Kind>::Raw = <$required_kind as Kind>::parse,)+
            } optional {
                $($dated $dated_name: <$dated_kind as Kind>::Raw = <$dated_kind as Kind>::parse,)+
                $($null $null_name: <$null_kind as Kind>::Raw = <$null_kind as Kind>::parse,)+
                $($set $set_name: <$set_kind as Kind>::Raw = <$set_kind as Kind>::parse,)+
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
                        // Unknown, which is not today.
                        $($dated_name => rest.$dated = Change::Clear,)+
                        $($null_name => rest.$null = Change::Unchanged,)+
                        $($set_name => rest.$set = Change::Unchanged,)+
                        _ => return None,
                    }
                }
                Some(rest)
            }

            /// The patch of the fields that are `wanted`.
            pub fn only(&self, wanted: impl Fn(&str) -> bool) -> Self {
                let mut rest = self.clone();
                $(if !wanted($required_name) { rest.$required = Change::Unchanged; })+
                $(if !wanted($dated_name) { rest.$dated = Change::Unchanged; })+
                $(if !wanted($null_name) { rest.$null = Change::Unchanged; })+
                $(if !wanted($set_name) { rest.$set = Change::Unchanged; })+
                rest
            }

            /// Sets a field that is given as text, a day or a link; no other one.
            pub fn set_text(&mut self, name: &str, text: &str) {
                match name {
                    $($required_name => set::<$required_kind>(&mut self.$required, text),)+
                    $($dated_name => set::<$dated_kind>(&mut self.$dated, text),)+
                    $($null_name => set::<$null_kind>(&mut self.$null, text),)+
                    $($set_name => set::<$set_kind>(&mut self.$set, text),)+
                    _ => {}
                }
            }
        }
    };
}

fn set<K: Kind>(change: &mut Change<K::Raw>, text: &str) {
    if let Some(raw) = K::of_text(text) {
        *change = Change::Set(raw);
    }
}

impl DetailsField {
    const fn new<K: Kind>(name: &'static str, label: &'static str, if_empty: IfEmpty) -> Self {
        Self {
            name,
            label,
            form: K::FORM,
            if_empty,
        }
    }
}

application_fields!(declare);

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
        empty.update(change.creating(&empty), today)
    }

    /// These details with a patch applied. Fields that the patch does not set stay as they are stored.
    ///
    /// # Errors
    /// Every rule that the patch breaks.
    pub fn update(&self, change: DetailsChange, today: NaiveDate) -> Result<Self, Violations> {
        let mut check = Check::default();
        let details = self.apply(change, today, &mut check);
        check.finish(|| Some(details))
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
        let is_range = range.is_none_or(|(min, max)| min <= max);
        if sets_salary_min {
            check.that(is_range, "salaryMin", Rule::Invalid("at most `salaryMax`"));
        } else if sets_salary_max {
            check.that(is_range, "salaryMax", Rule::Invalid("at least `salaryMin`"));
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
        let (min, max) = (&self.salary_min, &self.salary_max);
        (!min.is_empty() && *min != before.salary_min)
            || (!max.is_empty() && *max != before.salary_max)
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
