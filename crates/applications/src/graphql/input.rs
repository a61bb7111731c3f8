//! The inputs of the mutations. Omitted fields stay, null clears.

use crate::model::{
    ApplicationId, Change, CompanyCategory, Details, DetailsChange, JobSource, Rule, SalaryPeriod,
    Status, Violations,
};
use async_graphql::{ID, InputObject, MaybeUndefined};
use trestle_api::{Date, SafeInt, Url, Uuid, Version};

/// A new application.
#[derive(InputObject)]
pub struct CreateApplicationInput {
    /// The id, a UUID. With an id of the client's own, the same input can be repeated without creating the
    /// application twice.
    pub id: Option<Uuid>,
    /// The company: 1 to 200 characters.
    company_name: String,
    /// The job: 1 to 200 characters.
    position_title: String,
    /// The status. Defaults to UNSUBMITTED.
    status: Option<Status>,
    /// The date of the application. Defaults to today (UTC) if the status is not UNSUBMITTED. Null: unknown.
    date_applied: MaybeUndefined<Date>,
    /// The date by which an offer must be answered.
    offer_due_date: Option<Date>,
    /// The company's website. `https://` is added if it has no scheme.
    company_url: Option<Url>,
    /// The job posting. `https://` is added if it has no scheme.
    job_posting_url: Option<Url>,
    /// The company's careers page. `https://` is added if it has no scheme.
    company_career_url: Option<Url>,
    /// The company's field of business.
    company_category: Option<CompanyCategory>,
    /// How the person learned of the job.
    job_source: Option<JobSource>,
    /// How well the person's skills match: 1 to 5.
    skills_match: Option<i32>,
    /// Whether a cover letter is required.
    cover_letter_required: Option<bool>,
    /// Other requirements: at most 5000 characters.
    special_requirements: Option<String>,
    /// The person's notes: at most 5000 characters.
    notes: Option<String>,
    /// The lowest salary, in whole units of `salaryCurrency`: not negative.
    salary_min: Option<SafeInt>,
    /// The highest salary, in whole units of `salaryCurrency`: at least `salaryMin`.
    salary_max: Option<SafeInt>,
    /// The currency of the salaries: a code of ISO 4217 such as EUR. If a salary is set and the application has no
    /// currency, it defaults to the server's setting `--default-currency`, if that is set.
    salary_currency: Option<String>,
    /// The time that the salaries are paid for.
    salary_period: Option<SalaryPeriod>,
    /// The person's tags: at most 20, each of 1 to 50 characters without commas, semicolons and line breaks.
    tags: Option<Vec<String>>,
    /// Where the job is: at most 200 characters.
    location: Option<String>,
    /// Whether the job can be done remotely.
    is_remote: Option<bool>,
    /// The text of the job posting: at most 10,000 characters. Each history entry stores a copy.
    posting_text: Option<String>,
    /// What the person does next: at most 200 characters.
    next_action: Option<String>,
    /// The date of the next action.
    next_action_date: Option<Date>,
}

/// Changes to an application. Omitted fields stay as they are, null clears a field.
#[derive(InputObject)]
pub struct UpdateApplicationInput {
    /// The application's id.
    pub id: ID,
    /// Change it only if this is still its version.
    pub expected_version: Option<Version>,
    /// The company: 1 to 200 characters. It cannot be null.
    company_name: MaybeUndefined<String>,
    /// The job: 1 to 200 characters. It cannot be null.
    position_title: MaybeUndefined<String>,
    /// The status. It cannot be null.
    status: MaybeUndefined<Status>,
    /// The date of the application. If omitted, setting a status other than UNSUBMITTED on an UNSUBMITTED
    /// application without a date sets today (UTC), and setting UNSUBMITTED clears the date.
    date_applied: MaybeUndefined<Date>,
    /// The date by which an offer must be answered.
    offer_due_date: MaybeUndefined<Date>,
    /// The company's website. `https://` is added if it has no scheme.
    company_url: MaybeUndefined<Url>,
    /// The job posting. `https://` is added if it has no scheme.
    job_posting_url: MaybeUndefined<Url>,
    /// The company's careers page. `https://` is added if it has no scheme.
    company_career_url: MaybeUndefined<Url>,
    /// The company's field of business.
    company_category: MaybeUndefined<CompanyCategory>,
    /// How the person learned of the job.
    job_source: MaybeUndefined<JobSource>,
    /// How well the person's skills match: 1 to 5.
    skills_match: MaybeUndefined<i32>,
    /// Whether a cover letter is required.
    cover_letter_required: MaybeUndefined<bool>,
    /// Other requirements: at most 5000 characters.
    special_requirements: MaybeUndefined<String>,
    /// The person's notes: at most 5000 characters.
    notes: MaybeUndefined<String>,
    /// The lowest salary, in whole units of `salaryCurrency`: not negative.
    salary_min: MaybeUndefined<SafeInt>,
    /// The highest salary, in whole units of `salaryCurrency`: at least `salaryMin`.
    salary_max: MaybeUndefined<SafeInt>,
    /// The currency of the salaries: a code of ISO 4217 such as EUR. If a salary is set and the application has no
    /// currency, it defaults to the server's setting `--default-currency`, if that is set.
    salary_currency: MaybeUndefined<String>,
    /// The time that the salaries are paid for.
    salary_period: MaybeUndefined<SalaryPeriod>,
    /// The person's tags: at most 20, each of 1 to 50 characters without commas, semicolons and line breaks.
    tags: MaybeUndefined<Vec<String>>,
    /// Where the job is: at most 200 characters.
    location: MaybeUndefined<String>,
    /// Whether the job can be done remotely.
    is_remote: MaybeUndefined<bool>,
    /// The text of the job posting: at most 10,000 characters. Each history entry stores a copy.
    posting_text: MaybeUndefined<String>,
    /// What the person does next: at most 200 characters.
    next_action: MaybeUndefined<String>,
    /// The date of the next action.
    next_action_date: MaybeUndefined<Date>,
}

macro_rules! id_and_version {
    ($($(#[$doc:meta])* $type:ident)+) => {$(
        $(#[$doc])*
        #[derive(InputObject)]
        pub struct $type {
            /// The application's id.
            pub id: ID,
            /// Change it only if this is still its version.
            pub expected_version: Option<Version>,
        }
    )+};
}

id_and_version!(
    /// An application to archive.
    ArchiveApplicationInput
    /// An application to unarchive.
    UnarchiveApplicationInput
    /// An application to delete, with its stages and its history.
    DeleteApplicationInput
);
macro_rules! batches {
    ($($(#[$doc:meta])* $type:ident { $(#[$field_doc:meta])* $field:ident: $item:ty })+) => {$(
        $(#[$doc])*
        #[derive(InputObject)]
        pub struct $type {
            $(#[$field_doc])*
            pub $field: Vec<$item>,
        }
    )+};
}

batches!(
    /// Applications to create.
    CreateApplicationsInput {
        /// The applications, at most 100.
        applications: CreateApplicationInput
    }
    /// Applications to change.
    UpdateApplicationsInput {
        /// The changes, at most 100.
        applications: UpdateApplicationInput
    }
    /// Applications to archive.
    ArchiveApplicationsInput {
        /// The ids of the applications, at most 100.
        ids: ID
    }
    /// Applications to unarchive.
    UnarchiveApplicationsInput {
        /// The ids of the applications, at most 100.
        ids: ID
    }
    /// Applications to delete, with their stages and their history.
    DeleteApplicationsInput {
        /// The ids of the applications, at most 100.
        ids: ID
    }
);

/// An application to restore to an earlier history entry.
#[derive(InputObject)]
pub struct RestoreApplicationInput {
    /// The application's id.
    pub id: ID,
    /// Change it only if this is still its version.
    pub expected_version: Option<Version>,
    /// The sequence of the history entry. Its snapshot supplies the fields, the stages and whether the application
    /// is archived.
    pub sequence: i32,
}

pub(super) fn change<R, T>(input: MaybeUndefined<R>, map: impl FnOnce(R) -> T) -> Change<T> {
    match input {
        MaybeUndefined::Undefined => Change::Unchanged,
        MaybeUndefined::Null => Change::Clear,
        MaybeUndefined::Value(value) => Change::Set(map(value)),
    }
}

pub(super) fn given<R, T>(input: Option<R>, map: impl FnOnce(R) -> T) -> Change<T> {
    Change::set(input.map(map))
}

macro_rules! details_change {
    ($input:ident, $by:ident) => {
        DetailsChange {
            status: $by($input.status, |status| status),
            offer_due_date: $by($input.offer_due_date, |date| date.0),
            company_url: $by($input.company_url, |url| url.0),
            job_posting_url: $by($input.job_posting_url, |url| url.0),
            company_career_url: $by($input.company_career_url, |url| url.0),
            company_category: $by($input.company_category, |category| category),
            job_source: $by($input.job_source, |source| source),
            skills_match: $by($input.skills_match, i64::from),
            cover_letter_required: $by($input.cover_letter_required, |required| required),
            special_requirements: $by($input.special_requirements, |text| text),
            notes: $by($input.notes, |text| text),
            salary_min: $by($input.salary_min, |salary| salary.0),
            salary_max: $by($input.salary_max, |salary| salary.0),
            salary_currency: $by($input.salary_currency, |code| code),
            salary_period: $by($input.salary_period, |period| period),
            tags: $by($input.tags, |tags| tags),
            location: $by($input.location, |text| text),
            is_remote: $by($input.is_remote, |remote| remote),
            posting_text: $by($input.posting_text, |text| text),
            next_action: $by($input.next_action, |text| text),
            next_action_date: $by($input.next_action_date, |date| date.0),
            ..DetailsChange::default()
        }
    };
}

impl From<CreateApplicationInput> for DetailsChange {
    fn from(input: CreateApplicationInput) -> Self {
        DetailsChange {
            company_name: Change::Set(input.company_name),
            position_title: Change::Set(input.position_title),
            date_applied: change(input.date_applied, |date| date.0),
            ..details_change!(input, given)
        }
    }
}

impl From<UpdateApplicationInput> for DetailsChange {
    fn from(input: UpdateApplicationInput) -> Self {
        DetailsChange {
            company_name: change(input.company_name, |text| text),
            position_title: change(input.position_title, |text| text),
            date_applied: change(input.date_applied, |date| date.0),
            ..details_change!(input, change)
        }
    }
}

impl CreateApplicationInput {
    /// The given id, and what is set.
    ///
    /// # Errors
    /// The id is not a UUID: then every rule that the input breaks.
    pub fn read(self) -> Result<(Option<ApplicationId>, DetailsChange), Violations> {
        let id = uuid("id", self.id.as_ref());
        let change = DetailsChange::from(self);
        id.map(|id| (id.map(ApplicationId::new), change.clone()))
            .map_err(|mut broken| {
                let others = Details::create(change, chrono::NaiveDate::default());
                broken.extend(others.err().unwrap_or_default());
                broken
            })
    }
}

pub(super) fn uuid(
    field: &'static str,
    given: Option<&Uuid>,
) -> Result<Option<uuid::Uuid>, Violations> {
    let parsed = given.map(|text| uuid::Uuid::try_parse(&text.0));
    parsed
        .transpose()
        .map_err(|_| Rule::Invalid("a UUID").at(field))
}
