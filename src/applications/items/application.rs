//! The application's item, with its keys in both indexes.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::applications::keys::{self, Partition};
use crate::applications::model::{
    Application, ApplicationId, CompanyCategory, Details, JobSource, Link, Rating, Rule, Salary,
    Status, Text, Timestamp,
};
use crate::table::{Entity, IndexKey, Key, MalformedItem};

use super::{Attributes, text};

/// An application.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApplicationItem {
    id: Uuid,
    company_name: String,
    position_title: String,
    status: String,
    date_applied: Option<NaiveDate>,
    offer_due_date: Option<NaiveDate>,
    company_url: Option<String>,
    job_posting_url: Option<String>,
    company_career_url: Option<String>,
    company_category: Option<String>,
    job_source: Option<String>,
    skills_match: Option<i64>,
    cover_letter_required: Option<bool>,
    special_requirements: Option<String>,
    notes: Option<String>,
    salary_min: Option<i64>,
    salary_max: Option<i64>,
    is_archived: bool,
    #[serde(default)]
    history_sequence: u32,
    created_at: String,
    updated_at: String,
    status_since: Option<String>,
}

impl ApplicationItem {
    /// The application's id.
    pub fn id(&self) -> Uuid {
        self.id
    }
}

impl Entity for ApplicationItem {
    const NAME: &'static str = "application";
    type Id = ApplicationId;

    fn key_of(id: &ApplicationId) -> Key {
        keys::application(*id)
    }

    fn key(&self) -> Key {
        Self::key_of(&ApplicationId(self.id))
    }

    fn index_keys(&self) -> Vec<IndexKey> {
        let (Some(status), Ok(at)) = (
            Status::from_word(&self.status),
            Timestamp::parse(&self.updated_at),
        ) else {
            return Vec::new();
        };
        let place = keys::updated(at, ApplicationId(self.id));
        let by_status = match self.is_archived {
            false => Partition::Status(status),
            true => Partition::Archived(status),
        };
        let active = (!self.is_archived).then_some(Partition::Active);
        let key = |partition: Partition| Key::new(partition.key(), place.clone());
        vec![
            IndexKey {
                index: keys::gsi1(),
                key: Some(key(by_status)),
            },
            IndexKey {
                index: keys::gsi2(),
                key: active.map(key),
            },
        ]
    }
}

impl TryFrom<ApplicationItem> for Application {
    type Error = MalformedItem;

    fn try_from(item: ApplicationItem) -> Result<Self, MalformedItem> {
        let a = Attributes(ApplicationItem::NAME);
        let details = Details {
            company_name: a.read("companyName", text(item.company_name))?,
            position_title: a.read("positionTitle", text(item.position_title))?,
            status: a.read("status", word(Status::from_word(&item.status)))?,
            date_applied: item.date_applied,
            offer_due_date: item.offer_due_date,
            company_url: a.read_opt("companyUrl", item.company_url, link)?,
            job_posting_url: a.read_opt("jobPostingUrl", item.job_posting_url, link)?,
            company_career_url: a.read_opt("companyCareerUrl", item.company_career_url, link)?,
            company_category: a.read_opt("companyCategory", item.company_category, |w| {
                word(CompanyCategory::from_word(&w))
            })?,
            job_source: a.read_opt("jobSource", item.job_source, |w| {
                word(JobSource::from_word(&w))
            })?,
            skills_match: a.read_opt("skillsMatch", item.skills_match, Rating::parse)?,
            cover_letter_required: item.cover_letter_required,
            special_requirements: a.read_opt(
                "specialRequirements",
                item.special_requirements,
                text,
            )?,
            notes: a.read_opt("notes", item.notes, text)?,
            salary_min: a.read_opt("salaryMin", item.salary_min, Salary::parse)?,
            salary_max: a.read_opt("salaryMax", item.salary_max, Salary::parse)?,
        };
        Ok(Application {
            id: ApplicationId(item.id),
            details,
            is_archived: item.is_archived,
            version: item.history_sequence,
            created_at: a.read("createdAt", Timestamp::parse(&item.created_at))?,
            updated_at: a.read("updatedAt", Timestamp::parse(&item.updated_at))?,
            // Only we write it, so what cannot be read is as good as not there.
            status_since: item.status_since.and_then(|at| Timestamp::parse(&at).ok()),
        })
    }
}

impl From<&Application> for ApplicationItem {
    fn from(application: &Application) -> Self {
        let details = &application.details;
        let text = |note: &Option<Text<5000>>| note.as_ref().map(|note| note.as_str().to_owned());
        let link = |link: &Option<Link>| link.as_ref().map(|link| link.as_str().to_owned());
        Self {
            id: application.id.0,
            company_name: details.company_name.as_str().to_owned(),
            position_title: details.position_title.as_str().to_owned(),
            status: details.status.word().to_owned(),
            date_applied: details.date_applied,
            offer_due_date: details.offer_due_date,
            company_url: link(&details.company_url),
            job_posting_url: link(&details.job_posting_url),
            company_career_url: link(&details.company_career_url),
            company_category: details.company_category.map(|c| c.word().to_owned()),
            job_source: details.job_source.map(|s| s.word().to_owned()),
            skills_match: details.skills_match.map(|r| r.get().into()),
            cover_letter_required: details.cover_letter_required,
            special_requirements: text(&details.special_requirements),
            notes: text(&details.notes),
            salary_min: details.salary_min.map(|s| s.get().into()),
            salary_max: details.salary_max.map(|s| s.get().into()),
            is_archived: application.is_archived,
            history_sequence: application.version,
            created_at: application.created_at.to_string(),
            updated_at: application.updated_at.to_string(),
            status_since: application.status_since.map(|at| at.to_string()),
        }
    }
}

fn link(raw: String) -> Result<Link, Rule> {
    Link::parse(&raw)
}

fn word<T>(known: Option<T>) -> Result<T, Rule> {
    known.ok_or(Rule::Invalid("one of the stored words"))
}
