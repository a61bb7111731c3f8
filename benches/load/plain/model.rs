//! What is stored and shown: one struct for both.

use async_graphql::{Enum, ID, InputObject, MaybeUndefined, SimpleObject};
use serde::{Deserialize, Serialize};

#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[graphql(name = "ApplicationStatus")]
pub enum Status {
    Unsubmitted,
    Applied,
    Rejected,
    Interviewing,
    #[serde(rename = "given offer")]
    GivenOffer,
    #[serde(rename = "accepted offer")]
    AcceptedOffer,
    #[serde(rename = "declined offer")]
    DeclinedOffer,
    #[serde(rename = "no offer")]
    NoOffer,
}

#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CompanyCategory {
    Education,
    Health,
    Climate,
    Ai,
    Energy,
    Finance,
    EnterpriseSoftware,
    ConsumerTech,
    ECommerce,
    Cybersecurity,
    Gaming,
    MediaEntertainment,
    Consulting,
    Government,
    Nonprofit,
    Retail,
    Restaurant,
    Hospitality,
    Other,
}

/// An application, and with its stages the snapshot of one.
#[derive(Clone, Debug, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct Application {
    pub id: ID,
    #[serde(rename = "historySequence")]
    pub version: i32,
    pub company_name: String,
    pub position_title: String,
    pub status: Status,
    pub date_applied: Option<String>,
    pub offer_due_date: Option<String>,
    pub company_url: Option<String>,
    pub job_posting_url: Option<String>,
    pub company_career_url: Option<String>,
    pub company_category: Option<CompanyCategory>,
    pub job_source: Option<String>,
    pub skills_match: Option<i32>,
    pub cover_letter_required: Option<bool>,
    pub special_requirements: Option<String>,
    pub notes: Option<String>,
    pub salary_min: Option<i64>,
    pub salary_max: Option<i64>,
    pub is_archived: bool,
    pub created_at: String,
    pub updated_at: String,
    pub status_since: Option<String>,
    #[graphql(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_since_status: Option<Status>,
    #[graphql(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interview_stages: Option<Vec<InterviewStage>>,
    /// Read with the application's partition.
    #[graphql(skip)]
    #[serde(skip)]
    pub history: Option<Vec<HistoryEntry>>,
}

#[derive(Clone, Debug, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
pub struct InterviewStage {
    pub id: ID,
    pub application_id: ID,
    pub name: String,
    pub order: i32,
    pub is_completed: bool,
    pub completed_date: Option<String>,
    pub notes: Option<String>,
    pub performance_rating: Option<i32>,
}

#[derive(Clone, Debug, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
pub struct HistoryEntry {
    pub id: ID,
    pub sequence: i32,
    pub description: String,
    pub created_at: String,
}

/// A history entry with the application as it was then.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Recorded {
    pub id: ID,
    pub application_id: ID,
    pub sequence: i32,
    pub description: String,
    pub created_at: String,
    pub snapshot: Application,
}

#[derive(InputObject)]
pub struct UpdateApplicationInput {
    pub id: ID,
    pub expected_version: Option<i32>,
    pub company_name: Option<String>,
    pub position_title: Option<String>,
    pub date_applied: MaybeUndefined<String>,
    pub job_posting_url: MaybeUndefined<String>,
    pub company_category: MaybeUndefined<CompanyCategory>,
    pub notes: MaybeUndefined<String>,
    pub salary_min: MaybeUndefined<i64>,
    pub salary_max: MaybeUndefined<i64>,
}

#[derive(InputObject)]
pub struct CreateApplicationInput {
    pub id: Option<ID>,
    pub company_name: String,
    pub position_title: String,
    pub status: Status,
    pub date_applied: Option<String>,
    pub job_posting_url: Option<String>,
    pub company_category: Option<CompanyCategory>,
    pub notes: Option<String>,
    pub salary_min: Option<i64>,
    pub salary_max: Option<i64>,
}

/// The result of a mutation.
#[derive(SimpleObject)]
pub struct ApplicationPayload {
    pub application: Option<Application>,
    pub user_errors: Vec<UserError>,
}

#[derive(SimpleObject)]
pub struct UserError {
    pub code: String,
    pub message: String,
}
