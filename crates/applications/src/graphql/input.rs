//! The inputs of the mutations. Omitted fields stay, null clears.

use crate::model::{
    ApplicationId, Change, CompanyCategory, Details, DetailsChange, JobSource, NewStage, Rule,
    StageChange, StageId, Status, Violations,
};
use async_graphql::{ID, InputObject, MaybeUndefined};
use trestle_api::{Date, OffsetDateTime, SafeInt, Url, Uuid, Version};

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
    /// The company's website.
    company_url: Option<Url>,
    /// The job posting.
    job_posting_url: Option<Url>,
    /// The company's careers page.
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
    /// The lowest salary, in whole units of the person's currency: not negative.
    salary_min: Option<SafeInt>,
    /// The highest salary, in whole units of the person's currency: at least `salaryMin`.
    salary_max: Option<SafeInt>,
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
    /// The company's website.
    company_url: MaybeUndefined<Url>,
    /// The job posting.
    job_posting_url: MaybeUndefined<Url>,
    /// The company's careers page.
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
    /// The lowest salary, in whole units of the person's currency: not negative.
    salary_min: MaybeUndefined<SafeInt>,
    /// The highest salary, in whole units of the person's currency: at least `salaryMin`.
    salary_max: MaybeUndefined<SafeInt>,
    /// What the person does next: at most 200 characters.
    next_action: MaybeUndefined<String>,
    /// The date of the next action.
    next_action_date: MaybeUndefined<Date>,
}

/// A stage to add to an application.
#[derive(InputObject)]
pub struct AddInterviewStageInput {
    /// The application's id.
    pub application_id: ID,
    /// Change it only if this is still its version.
    pub expected_version: Option<Version>,
    /// The stage's UUID. With a UUID of the client's own, the same input can be repeated without adding the stage
    /// twice.
    stage_id: Option<Uuid>,
    /// The name: 1 to 100 characters.
    name: String,
    /// The position among the stages, lowest first. Defaults to the last position.
    order: Option<i32>,
    /// Whether the stage is completed. Defaults to false.
    is_completed: Option<bool>,
    /// When the stage was completed. Defaults to today (UTC) if it is completed.
    completed_date: Option<Date>,
    /// The person's notes: at most 2000 characters.
    notes: Option<String>,
    /// How it went: 1 to 5.
    performance_rating: Option<i32>,
    /// When the stage takes place.
    scheduled_at: Option<OffsetDateTime>,
    /// How many minutes it takes: 1 to 10080. Calendars show an hour without it.
    duration_minutes: Option<i32>,
}

/// Changes to a stage. Omitted fields stay as they are, null clears a field.
#[derive(InputObject)]
pub struct UpdateInterviewStageInput {
    /// The stage's id; or its UUID, together with `applicationId`.
    pub id: ID,
    /// The application's id, if `id` is a UUID.
    pub application_id: Option<ID>,
    /// Change it only if this is still the version of its application.
    pub expected_version: Option<Version>,
    /// The name: 1 to 100 characters. It cannot be null.
    name: MaybeUndefined<String>,
    /// The position among the stages, lowest first. It cannot be null.
    order: MaybeUndefined<i32>,
    /// Whether the stage is completed. It cannot be null.
    is_completed: MaybeUndefined<bool>,
    /// When the stage was completed. Defaults to today (UTC) if it is completed.
    completed_date: MaybeUndefined<Date>,
    /// The person's notes: at most 2000 characters.
    notes: MaybeUndefined<String>,
    /// How it went: 1 to 5.
    performance_rating: MaybeUndefined<i32>,
    /// When the stage takes place.
    scheduled_at: MaybeUndefined<OffsetDateTime>,
    /// How many minutes it takes: 1 to 10080. Calendars show an hour without it.
    duration_minutes: MaybeUndefined<i32>,
}

/// A stage to complete.
#[derive(InputObject)]
pub struct CompleteInterviewStageInput {
    /// The stage's id; or its UUID, together with `applicationId`.
    pub id: ID,
    /// The application's id, if `id` is a UUID.
    pub application_id: Option<ID>,
    /// Change it only if this is still the version of its application.
    pub expected_version: Option<Version>,
    /// When the stage was completed. Defaults to its present date or, without one, today (UTC).
    completed_date: Option<Date>,
    /// How it went: 1 to 5.
    performance_rating: Option<i32>,
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
/// A stage to remove.
#[derive(InputObject)]
pub struct RemoveInterviewStageInput {
    /// The stage's id; or its UUID, together with `applicationId`.
    pub id: ID,
    /// The application's id, if `id` is a UUID.
    pub application_id: Option<ID>,
    /// Remove it only if this is still the version of its application.
    pub expected_version: Option<Version>,
}

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

/// A new order of an application's stages.
#[derive(InputObject)]
pub struct ReorderInterviewStagesInput {
    /// The application's id.
    pub application_id: ID,
    /// Change it only if this is still its version.
    pub expected_version: Option<Version>,
    /// The ids or UUIDs of all stages of the application, each once, in their new order.
    pub stage_ids: Vec<ID>,
}

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

fn change<R, T>(input: MaybeUndefined<R>, map: impl FnOnce(R) -> T) -> Change<T> {
    match input {
        MaybeUndefined::Undefined => Change::Predicate,
        MaybeUndefined::Null => Change::Clear,
        MaybeUndefined::Value(value) => Change::Set(map(value)),
    }
}

fn given<R, T>(input: Option<R>, map: impl FnOnce(R) -> T) -> Change<T> {
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

fn uuid(field: &'static str, given: Option<&Uuid>) -> Result<Option<uuid::Uuid>, Violations> {
    let parsed = given.map(|text| uuid::Uuid::try_parse(&text.0));
    parsed
        .transpose()
        .map_err(|_| Rule::Invalid("a UUID").at(field))
}

impl TryFrom<AddInterviewStageInput> for NewStage {
    type Error = Violations;

    fn try_from(input: AddInterviewStageInput) -> Result<Self, Violations> {
        let id = uuid("stageId", input.stage_id.as_ref())?;
        let fields = StageChange {
            name: Change::Set(input.name),
            order: given(input.order, i64::from),
            is_completed: Change::set(input.is_completed),
            completed_date: given(input.completed_date, |date| date.0),
            notes: Change::set(input.notes),
            performance_rating: given(input.performance_rating, i64::from),
            scheduled_at: given(input.scheduled_at, |moment| moment.0),
            duration_minutes: given(input.duration_minutes, i64::from),
        };
        Ok(NewStage {
            id: StageId::new(id.unwrap_or_else(uuid::Uuid::new_v4)),
            fields,
        })
    }
}

impl From<UpdateInterviewStageInput> for StageChange {
    fn from(input: UpdateInterviewStageInput) -> Self {
        StageChange {
            name: change(input.name, |text| text),
            order: change(input.order, i64::from),
            is_completed: change(input.is_completed, |completed| completed),
            completed_date: change(input.completed_date, |date| date.0),
            notes: change(input.notes, |text| text),
            performance_rating: change(input.performance_rating, i64::from),
            scheduled_at: change(input.scheduled_at, |moment| moment.0),
            duration_minutes: change(input.duration_minutes, i64::from),
        }
    }
}

impl From<CompleteInterviewStageInput> for StageChange {
    fn from(input: CompleteInterviewStageInput) -> Self {
        StageChange {
            is_completed: Change::Set(true),
            completed_date: given(input.completed_date, |date| date.0),
            performance_rating: given(input.performance_rating, i64::from),
            ..StageChange::default()
        }
    }
}
