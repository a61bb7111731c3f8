//! The fields that an application and a snapshot of one have in common.

use async_graphql::SimpleObject;

use crate::api::{Date, DateTime, Url};
use crate::applications::graphql::enums::{ApplicationStatus, CompanyCategory, JobSource};
use crate::applications::model::{self, Link};

/// What people edit of an application, with its state and its moments.
#[derive(SimpleObject)]
pub struct ApplicationFields {
    /// Who the job is with: 1 to 200 characters.
    company_name: String,
    /// What the job is called: 1 to 200 characters.
    position_title: String,
    /// Where the application stands.
    status: ApplicationStatus,
    /// When it was sent; empty exactly while its status is UNSUBMITTED.
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
    /// The most that is paid, in whole units of the person's currency.
    salary_max: Option<i32>,
    /// Whether it was put away.
    is_archived: bool,
    /// Counts its changes: give it as `expectedVersion` to change only what you have seen. It is the
    /// sequence of the newest history entry.
    version: u32,
    /// When it was made.
    created_at: DateTime,
    /// When it last changed. It never goes back.
    updated_at: DateTime,
    /// When it came to its present status; null where that is not known, as of a status that another program
    /// gave it.
    status_since: Option<DateTime>,
}

impl From<&model::Application> for ApplicationFields {
    fn from(application: &model::Application) -> Self {
        let details = &application.details;
        let url = |link: &Option<Link>| link.as_ref().map(|link| Url(link.as_str().to_owned()));
        let note = |note: &Option<model::Note>| note.as_ref().map(|note| note.as_str().to_owned());
        Self {
            company_name: details.company_name.as_str().to_owned(),
            position_title: details.position_title.as_str().to_owned(),
            status: details.status.into(),
            date_applied: details.date_applied.map(|date| Date(date.to_string())),
            offer_due_date: details.offer_due_date.map(|date| Date(date.to_string())),
            company_url: url(&details.company_url),
            job_posting_url: url(&details.job_posting_url),
            company_career_url: url(&details.company_career_url),
            company_category: details.company_category.map(Into::into),
            job_source: details.job_source.map(Into::into),
            skills_match: details.skills_match.map(model::Rating::get),
            cover_letter_required: details.cover_letter_required,
            special_requirements: note(&details.special_requirements),
            notes: note(&details.notes),
            salary_min: details.salary_min.map(model::Salary::get),
            salary_max: details.salary_max.map(model::Salary::get),
            is_archived: application.is_archived,
            version: application.version,
            created_at: DateTime(application.created_at.to_string()),
            updated_at: DateTime(application.updated_at.to_string()),
            status_since: application.status_since.map(|at| DateTime(at.to_string())),
        }
    }
}
