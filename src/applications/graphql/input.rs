//! The inputs of the mutations, and what they mean to the model: left out is kept, null is cleared.

use crate::api::{Date, Url, Uuid};
use crate::applications::model::{
    self, ApplicationId, Change, DetailsChange, NewStage, Rule, StageChange, StageId, Violation,
    Violations,
};
use async_graphql::{ID, InputObject, MaybeUndefined};

use super::enums::{ApplicationStatus, CompanyCategory, JobSource};

/// A new application.
#[derive(InputObject)]
pub struct CreateApplicationInput {
    /// The id to give it, so that the same input can be sent again without making it twice; made by the
    /// server unless given.
    pub id: Option<Uuid>,
    /// Who the job is with: 1 to 200 characters.
    company_name: String,
    /// What the job is called: 1 to 200 characters.
    position_title: String,
    /// Where the application stands: UNSUBMITTED unless given.
    status: Option<ApplicationStatus>,
    /// When it was sent: today (UTC) unless given; none while it is UNSUBMITTED.
    date_applied: Option<Date>,
    /// Until when an offer must be answered.
    offer_due_date: Option<Date>,
    /// The company's site.
    company_url: Option<Url>,
    /// The job's posting.
    job_posting_url: Option<Url>,
    /// The company's page of jobs.
    company_career_url: Option<Url>,
    /// What the company does.
    company_category: Option<CompanyCategory>,
    /// How the person came to know of the job.
    job_source: Option<JobSource>,
    /// How well the person's skills fit: 1 to 5.
    skills_match: Option<i32>,
    /// Whether a cover letter is asked for.
    cover_letter_required: Option<bool>,
    /// What else is asked for: at most 5000 characters.
    special_requirements: Option<String>,
    /// The person's notes: at most 5000 characters.
    notes: Option<String>,
    /// The least that is paid, in whole units of the person's currency.
    salary_min: Option<i32>,
    /// The most that is paid, in whole units of the person's currency; not less than `salaryMin`.
    salary_max: Option<i32>,
}

/// Changes to an application: what is left out stays, what is null becomes empty.
#[derive(InputObject)]
pub struct UpdateApplicationInput {
    /// The application's id.
    pub id: ID,
    /// Change it only if this is still its version.
    pub expected_version: Option<i32>,
    /// Who the job is with: 1 to 200 characters. It cannot become empty.
    company_name: MaybeUndefined<String>,
    /// What the job is called: 1 to 200 characters. It cannot become empty.
    position_title: MaybeUndefined<String>,
    /// Where the application stands. It cannot become empty.
    status: MaybeUndefined<ApplicationStatus>,
    /// When it was sent; today (UTC) where it would become empty, none while it is UNSUBMITTED.
    date_applied: MaybeUndefined<Date>,
    /// Until when an offer must be answered.
    offer_due_date: MaybeUndefined<Date>,
    /// The company's site.
    company_url: MaybeUndefined<Url>,
    /// The job's posting.
    job_posting_url: MaybeUndefined<Url>,
    /// The company's page of jobs.
    company_career_url: MaybeUndefined<Url>,
    /// What the company does.
    company_category: MaybeUndefined<CompanyCategory>,
    /// How the person came to know of the job.
    job_source: MaybeUndefined<JobSource>,
    /// How well the person's skills fit: 1 to 5.
    skills_match: MaybeUndefined<i32>,
    /// Whether a cover letter is asked for.
    cover_letter_required: MaybeUndefined<bool>,
    /// What else is asked for: at most 5000 characters.
    special_requirements: MaybeUndefined<String>,
    /// The person's notes: at most 5000 characters.
    notes: MaybeUndefined<String>,
    /// The least that is paid, in whole units of the person's currency.
    salary_min: MaybeUndefined<i32>,
    /// The most that is paid, in whole units of the person's currency; not less than `salaryMin`.
    salary_max: MaybeUndefined<i32>,
}

/// A stage to add to an application.
#[derive(InputObject)]
pub struct AddInterviewStageInput {
    /// The application's id.
    pub application_id: ID,
    /// Change it only if this is still its version.
    pub expected_version: Option<i32>,
    /// The stage's own UUID, so that the same input can be sent again without adding it twice; made by the
    /// server unless given.
    stage_id: Option<Uuid>,
    /// What it is called: 1 to 100 characters.
    name: String,
    /// Its place among the stages, the smallest first: behind all others unless given.
    order: Option<i32>,
    /// Whether it is done: not, unless given.
    is_completed: Option<bool>,
    /// When it was done; today (UTC) for one that is done and has no date.
    completed_date: Option<Date>,
    /// The person's notes: at most 2000 characters.
    notes: Option<String>,
    /// How it went: 1 to 5.
    performance_rating: Option<i32>,
}

/// Changes to a stage: what is left out stays, what is null becomes empty.
#[derive(InputObject)]
pub struct UpdateInterviewStageInput {
    /// The stage's id.
    pub id: ID,
    /// Change it only if this is still the version of its application.
    pub expected_version: Option<i32>,
    /// What it is called: 1 to 100 characters. It cannot become empty.
    name: MaybeUndefined<String>,
    /// Its place among the stages, the smallest first. It cannot become empty.
    order: MaybeUndefined<i32>,
    /// Whether it is done. It cannot become empty.
    is_completed: MaybeUndefined<bool>,
    /// When it was done; today (UTC) for one that is done and has no date.
    completed_date: MaybeUndefined<Date>,
    /// The person's notes: at most 2000 characters.
    notes: MaybeUndefined<String>,
    /// How it went: 1 to 5.
    performance_rating: MaybeUndefined<i32>,
}

/// A stage that is done.
#[derive(InputObject)]
pub struct CompleteInterviewStageInput {
    /// The stage's id.
    pub id: ID,
    /// Change it only if this is still the version of its application.
    pub expected_version: Option<i32>,
    /// When it was done: today (UTC) unless it has a date.
    completed_date: Option<Date>,
    /// How it went: 1 to 5.
    performance_rating: Option<i32>,
}

macro_rules! id_and_version {
    ($(#[$doc:meta])* $type:ident { $(#[$id_doc:meta])* id }) => {
        $(#[$doc])*
        #[derive(InputObject)]
        pub struct $type {
            $(#[$id_doc])*
            pub id: ID,
            /// Change it only if this is still its version.
            pub expected_version: Option<i32>,
        }
    };
}

id_and_version!(
    /// An application to put away.
    ArchiveApplicationInput {
        /// The application's id.
        id
    }
);
id_and_version!(
    /// An application to take out again.
    UnarchiveApplicationInput {
        /// The application's id.
        id
    }
);
id_and_version!(
    /// An application to delete, with its stages and its history.
    DeleteApplicationInput {
        /// The application's id.
        id
    }
);
id_and_version!(
    /// A stage to remove. The version is that of its application.
    RemoveInterviewStageInput {
        /// The stage's id.
        id
    }
);

/// The stages of an application in another order.
#[derive(InputObject)]
pub struct ReorderInterviewStagesInput {
    /// The application's id.
    pub application_id: ID,
    /// Change it only if this is still its version.
    pub expected_version: Option<i32>,
    /// The ids of all its stages, each once, in the order that they shall have.
    pub stage_ids: Vec<ID>,
}

/// An earlier moment to take an application back to.
#[derive(InputObject)]
pub struct RestoreApplicationInput {
    /// The application's id.
    pub id: ID,
    /// Change it only if this is still its version.
    pub expected_version: Option<i32>,
    /// The history entry whose snapshot it shall be like again: its fields, archiving and stages.
    pub sequence: i32,
}

fn change<R, T>(input: MaybeUndefined<R>, map: impl FnOnce(R) -> T) -> Change<T> {
    match input {
        MaybeUndefined::Undefined => Change::Keep,
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
            status: $by($input.status, model::Status::from),
            date_applied: $by($input.date_applied, |date| date.0),
            offer_due_date: $by($input.offer_due_date, |date| date.0),
            company_url: $by($input.company_url, |url| url.0),
            job_posting_url: $by($input.job_posting_url, |url| url.0),
            company_career_url: $by($input.company_career_url, |url| url.0),
            company_category: $by($input.company_category, model::CompanyCategory::from),
            job_source: $by($input.job_source, model::JobSource::from),
            skills_match: $by($input.skills_match, i64::from),
            cover_letter_required: $by($input.cover_letter_required, |required| required),
            special_requirements: $by($input.special_requirements, |text| text),
            notes: $by($input.notes, |text| text),
            salary_min: $by($input.salary_min, i64::from),
            salary_max: $by($input.salary_max, i64::from),
            ..DetailsChange::default()
        }
    };
}

impl From<CreateApplicationInput> for DetailsChange {
    fn from(input: CreateApplicationInput) -> Self {
        DetailsChange {
            company_name: Change::Set(input.company_name),
            position_title: Change::Set(input.position_title),
            ..details_change!(input, given)
        }
    }
}

impl From<UpdateApplicationInput> for DetailsChange {
    fn from(input: UpdateApplicationInput) -> Self {
        DetailsChange {
            company_name: change(input.company_name, |text| text),
            position_title: change(input.position_title, |text| text),
            ..details_change!(input, change)
        }
    }
}

impl CreateApplicationInput {
    /// The id to give the application, where one is given.
    ///
    /// # Errors
    /// That it is no UUID.
    pub fn id(&self) -> Result<Option<ApplicationId>, Violations> {
        Ok(uuid("id", self.id.as_ref())?.map(ApplicationId))
    }
}

fn uuid(field: &'static str, given: Option<&Uuid>) -> Result<Option<uuid::Uuid>, Violations> {
    let parsed = given.map(|text| uuid::Uuid::try_parse(&text.0));
    parsed.transpose().map_err(|_| {
        let rule = Rule::Invalid("a UUID");
        vec![Violation { field, rule }]
    })
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
        };
        Ok(NewStage {
            id: StageId(id.unwrap_or_else(uuid::Uuid::new_v4)),
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
