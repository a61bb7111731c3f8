//! The fields that an application and a snapshot of one have in common.

use async_graphql::Object;

use crate::api::{ApiError, Date, DateTime, SafeInt, Url};
use crate::services::applications::error::StoreError;
use crate::services::applications::model::{
    Application, ApplicationId, CompanyCategory, Field, JobSource, Status, Stored, Timestamp,
};

/// A field that fails alone if its stored value cannot be read.
pub type Nullable<T> = Option<Result<T, ApiError>>;

/// The attributes of one item, read for an answer.
#[derive(Clone, Copy, Debug)]
pub struct Attributes {
    /// The application that the item belongs to.
    pub application: ApplicationId,
    /// Which of its items.
    pub entity: &'static str,
}

impl Attributes {
    /// The error of an attribute that cannot be read.
    pub fn unreadable(self, attribute: &'static str) -> ApiError {
        StoreError::Unreadable {
            application: self.application,
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
    created_at: Timestamp,
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
        item.required("id", &application.stored_id)?;
        if application.history_sequence.read().is_err() {
            return Err(item.unreadable("historySequence"));
        }
        Ok(Self {
            company_name: item.required("companyName", &details.company_name)?,
            position_title: item.required("positionTitle", &details.position_title)?,
            status: item.required("status", &details.status)?,
            is_archived: item.required("isArchived", &application.is_archived)?,
            created_at: item.required("createdAt", &application.created_at)?,
            updated_at: item.required("updatedAt", &application.updated_at)?,
            application,
        })
    }

    /// The application.
    pub fn application(&self) -> &Application {
        &self.application
    }

    fn item(application: &Application) -> Attributes {
        Attributes {
            application: application.id,
            entity: "application",
        }
    }

    fn text(&self, attribute: &'static str, field: &Field<String>) -> Nullable<String> {
        Self::item(&self.application).nullable(attribute, field)
    }

    fn shown<T: Stored, S>(
        &self,
        attribute: &'static str,
        field: &Field<T>,
        show: impl FnOnce(T) -> S,
    ) -> Nullable<S> {
        let value = Self::item(&self.application).nullable(attribute, field)?;
        Some(value.map(show))
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
        let date = &self.application.details.date_applied;
        self.shown("dateApplied", date, |date| Date(date.to_string()))
    }

    /// The date by which an offer must be answered.
    async fn offer_due_date(&self) -> Nullable<Date> {
        let date = &self.application.details.offer_due_date;
        self.shown("offerDueDate", date, |date| Date(date.to_string()))
    }

    /// The company's website.
    async fn company_url(&self) -> Nullable<Url> {
        let link = &self.application.details.company_url;
        self.shown("companyUrl", link, |link| Url(link.as_str().to_owned()))
    }

    /// The job posting.
    async fn job_posting_url(&self) -> Nullable<Url> {
        let link = &self.application.details.job_posting_url;
        self.shown("jobPostingUrl", link, |link| Url(link.as_str().to_owned()))
    }

    /// The company's careers page.
    async fn company_career_url(&self) -> Nullable<Url> {
        let link = &self.application.details.company_career_url;
        self.shown("companyCareerUrl", link, |link| {
            Url(link.as_str().to_owned())
        })
    }

    /// The company's field of business.
    async fn company_category(&self) -> Nullable<CompanyCategory> {
        let category = &self.application.details.company_category;
        Self::item(&self.application).nullable("companyCategory", category)
    }

    /// How the person learned of the job.
    async fn job_source(&self) -> Nullable<JobSource> {
        let source = &self.application.details.job_source;
        Self::item(&self.application).nullable("jobSource", source)
    }

    /// How well the person's skills match: 1 to 5.
    async fn skills_match(&self) -> Nullable<i32> {
        let rating = &self.application.details.skills_match;
        self.shown("skillsMatch", rating, |rating| rating)
    }

    /// Whether a cover letter is required.
    async fn cover_letter_required(&self) -> Nullable<bool> {
        let required = &self.application.details.cover_letter_required;
        self.shown("coverLetterRequired", required, |required| required)
    }

    /// Other requirements: at most 5000 characters.
    async fn special_requirements(&self) -> Nullable<String> {
        let text = &self.application.details.special_requirements;
        self.text("specialRequirements", text)
    }

    /// The person's notes: at most 5000 characters.
    async fn notes(&self) -> Nullable<String> {
        self.text("notes", &self.application.details.notes)
    }

    /// The lowest salary, in whole units of the person's currency.
    async fn salary_min(&self) -> Nullable<SafeInt> {
        let salary = &self.application.details.salary_min;
        self.shown("salaryMin", salary, SafeInt)
    }

    /// The highest salary, in whole units of the person's currency.
    async fn salary_max(&self) -> Nullable<SafeInt> {
        let salary = &self.application.details.salary_max;
        self.shown("salaryMax", salary, SafeInt)
    }

    /// What the person does next: at most 200 characters.
    async fn next_action(&self) -> Nullable<String> {
        self.text("nextAction", &self.application.details.next_action)
    }

    /// The date of the next action.
    async fn next_action_date(&self) -> Nullable<Date> {
        let date = &self.application.details.next_action_date;
        self.shown("nextActionDate", date, |date| Date(date.to_string()))
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

    /// When the application was created.
    async fn created_at(&self) -> DateTime {
        DateTime(self.created_at.to_string())
    }

    /// When the application was last changed. It never decreases.
    async fn updated_at(&self) -> DateTime {
        DateTime(self.updated_at.to_string())
    }

    /// When the application got its status. Null if another program set the status.
    async fn status_since(&self) -> Option<DateTime> {
        let since = self.application.status_since()?;
        Some(DateTime(since.to_string()))
    }
}
