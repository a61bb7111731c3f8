//! The fields that an application and a snapshot of one have in common.

use async_graphql::Object;
use chrono::NaiveDate;

use crate::error::StoreError;
use crate::model::{
    Application, ApplicationId, CompanyCategory, Details, Field, JobSource, SalaryPeriod, Status,
    Stored, Timestamp,
};
use trestle_api::{ApiError, Date, SafeInt};
use trestle_domain::{Currency, Link};

/// A field that fails alone if its stored value cannot be read.
pub type Nullable<T> = Option<Result<T, ApiError>>;

/// The attributes of one item, read for an answer.
#[derive(Clone, Copy, Debug)]
pub struct Attributes<'a> {
    /// The application that the item belongs to.
    pub application: &'a ApplicationId,
    /// Which of its items.
    pub entity: &'static str,
}

impl Attributes<'_> {
    /// The error of an attribute that cannot be read.
    pub fn unreadable(self, attribute: &'static str) -> ApiError {
        StoreError::Unreadable {
            application: self.application.clone(),
            entity: self.entity,
            attribute,
        }
        .into()
    }

    /// The value of an attribute that may be empty.
    pub fn nullable<T: Stored>(self, attribute: &'static str, field: &Field<T>) -> Nullable<T> {
        let read = field.read().map_err(|_| self.unreadable(attribute));
        read.transpose()
    }

    /// The value of an attribute that must have one.
    ///
    /// # Errors
    /// UNREADABLE.
    pub fn required<T: Stored>(
        self,
        attribute: &'static str,
        field: &Field<T>,
    ) -> Result<T, ApiError> {
        field.get().ok_or_else(|| self.unreadable(attribute))
    }
}

/// The fields of an application, of which those that it always has can be read.
pub struct ApplicationFields {
    application: Application,
    company_name: String,
    position_title: String,
    status: Status,
    is_archived: bool,
    updated_at: Timestamp,
}

impl ApplicationFields {
    /// The fields of an application.
    ///
    /// # Errors
    /// UNREADABLE if an attribute that it always has cannot be read.
    pub fn new(application: Application) -> Result<Self, ApiError> {
        let item = Self::item(&application);
        let details = &application.details;
        Ok(Self {
            company_name: item.required("companyName", &details.company_name)?,
            position_title: item.required("positionTitle", &details.position_title)?,
            status: item.required("status", &details.status)?,
            is_archived: application.is_archived(),
            updated_at: application.last_update(),
            application,
        })
    }

    /// The fields of a snapshot, which has no keys that say whether it is archived.
    ///
    /// # Errors
    /// As [`ApplicationFields::new`].
    pub fn of_snapshot(application: Application) -> Result<Self, ApiError> {
        Self::item(&application).required("isArchived", &application.is_archived)?;
        Self::new(application)
    }

    /// The application.
    pub fn application(&self) -> &Application {
        &self.application
    }

    fn item(application: &Application) -> Attributes<'_> {
        Attributes {
            application: &application.id,
            entity: "application",
        }
    }

    /// The value of one of the details that may be empty.
    fn detail<T: Stored>(
        &self,
        attribute: &'static str,
        field: fn(&Details) -> &Field<T>,
    ) -> Nullable<T> {
        Self::item(&self.application).nullable(attribute, field(&self.application.details))
    }

    fn date(
        &self,
        attribute: &'static str,
        field: fn(&Details) -> &Field<NaiveDate>,
    ) -> Nullable<Date> {
        let date = self.detail(attribute, field)?;
        Some(date.map(|date| Date(date.to_string())))
    }

    fn salary(
        &self,
        attribute: &'static str,
        field: fn(&Details) -> &Field<i64>,
    ) -> Nullable<SafeInt> {
        Some(self.detail(attribute, field)?.map(SafeInt))
    }
}

/// The fields that an application and a snapshot of one have in common.
#[Object]
impl ApplicationFields {
    /// The company: 1 to 200 characters.
    async fn company_name(&self) -> &str {
        &self.company_name
    }

    /// The job: 1 to 200 characters.
    async fn position_title(&self) -> &str {
        &self.position_title
    }

    /// The status of the application.
    async fn status(&self) -> Status {
        self.status
    }

    /// The date of the application. Null if it is unknown or the application is not submitted.
    async fn date_applied(&self) -> Nullable<Date> {
        self.date("dateApplied", |details| &details.date_applied)
    }

    /// The date by which an offer must be answered.
    async fn offer_due_date(&self) -> Nullable<Date> {
        self.date("offerDueDate", |details| &details.offer_due_date)
    }

    /// The company's website.
    async fn company_url(&self) -> Nullable<Link> {
        self.detail("companyUrl", |details| &details.company_url)
    }

    /// The job posting.
    async fn job_posting_url(&self) -> Nullable<Link> {
        self.detail("jobPostingUrl", |details| &details.job_posting_url)
    }

    /// The company's careers page.
    async fn company_career_url(&self) -> Nullable<Link> {
        self.detail("companyCareerUrl", |details| &details.company_career_url)
    }

    /// The company's field of business.
    async fn company_category(&self) -> Nullable<CompanyCategory> {
        self.detail("companyCategory", |details| &details.company_category)
    }

    /// How the person learned of the job.
    async fn job_source(&self) -> Nullable<JobSource> {
        self.detail("jobSource", |details| &details.job_source)
    }

    /// How well the person's skills match: 1 to 5.
    async fn skills_match(&self) -> Nullable<i32> {
        self.detail("skillsMatch", |details| &details.skills_match)
    }

    /// Whether a cover letter is required.
    async fn cover_letter_required(&self) -> Nullable<bool> {
        self.detail("coverLetterRequired", |details| {
            &details.cover_letter_required
        })
    }

    /// Other requirements: at most 5000 characters.
    async fn special_requirements(&self) -> Nullable<String> {
        self.detail("specialRequirements", |details| {
            &details.special_requirements
        })
    }

    /// The person's notes: at most 5000 characters.
    async fn notes(&self) -> Nullable<String> {
        self.detail("notes", |details| &details.notes)
    }

    /// The lowest salary, in whole units of `salaryCurrency`.
    async fn salary_min(&self) -> Nullable<SafeInt> {
        self.salary("salaryMin", |details| &details.salary_min)
    }

    /// The highest salary, in whole units of `salaryCurrency`.
    async fn salary_max(&self) -> Nullable<SafeInt> {
        self.salary("salaryMax", |details| &details.salary_max)
    }

    /// The currency of the salaries: a code of ISO 4217 such as EUR. Null if it is unknown.
    async fn salary_currency(&self) -> Nullable<Currency> {
        self.detail("salaryCurrency", |details| &details.salary_currency)
    }

    /// The time that the salaries are paid for. Null if it is unknown.
    async fn salary_period(&self) -> Nullable<SalaryPeriod> {
        self.detail("salaryPeriod", |details| &details.salary_period)
    }

    /// The person's tags, at most 20 of at most 50 characters. Null if there are none.
    async fn tags(&self) -> Nullable<Vec<String>> {
        let tags = self.detail("tags", |details| &details.tags)?;
        Some(tags.map(|tags| tags.iter().map(str::to_owned).collect()))
    }

    /// Where the job is: at most 200 characters.
    async fn location(&self) -> Nullable<String> {
        self.detail("location", |details| &details.location)
    }

    /// Whether the job can be done remotely. Null if it is unknown.
    async fn is_remote(&self) -> Nullable<bool> {
        self.detail("isRemote", |details| &details.is_remote)
    }

    /// The text of the job posting: at most 10,000 characters.
    async fn posting_text(&self) -> Nullable<String> {
        self.detail("postingText", |details| &details.posting_text)
    }

    /// What the person does next: at most 200 characters.
    async fn next_action(&self) -> Nullable<String> {
        self.detail("nextAction", |details| &details.next_action)
    }

    /// The date of the next action.
    async fn next_action_date(&self) -> Nullable<Date> {
        self.date("nextActionDate", |details| &details.next_action_date)
    }

    /// Whether the application is archived.
    async fn is_archived(&self) -> bool {
        self.is_archived
    }

    /// The number of changes: the sequence of the newest history entry. Pass it as `expectedVersion` to change
    /// only what you have seen.
    async fn version(&self) -> u32 {
        self.application.version()
    }

    /// When the application was created. If the stored time cannot be read, it is computed (`computedFields`).
    async fn created_at(&self) -> Option<Timestamp> {
        Some(self.application.creation())
    }

    /// The names of the fields whose stored values cannot be read, so that they are computed: `createdAt`, `updatedAt`. Each is
    /// computed from the stored value read in other forms, the application's place in the lists, or the other one. If
    /// nothing is known, it is the beginning of 1970. Empty unless another program stored such values.
    async fn computed_fields(&self) -> Vec<&'static str> {
        self.application.computed()
    }

    /// When the application was last changed. It never decreases. If the stored time cannot be read, it is computed
    /// (`computedFields`).
    async fn updated_at(&self) -> Timestamp {
        self.updated_at
    }

    /// When the application got its status. Null if another program set the status.
    async fn status_since(&self) -> Option<Timestamp> {
        self.application.status_since()
    }
}
