//! The stored shapes: attribute names, types and enum strings exactly as every program that reads the
//! table expects them. Converts from and to the model; knows nothing of requests.

use std::collections::HashMap;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::table::{Entity, IndexKey, Key, MalformedItem};

use super::keys::{self, Partition};
use super::model::{
    Application, ApplicationId, CompanyCategory, Details, HistoryEntry, JobSource, Link, Rating,
    Rule, Salary, Stage, StageId, State, Status, Text, Timestamp,
};

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
}

/// An interview stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StageItem {
    id: Uuid,
    application_id: Uuid,
    name: String,
    order: u32,
    is_completed: bool,
    completed_date: Option<NaiveDate>,
    notes: Option<String>,
    performance_rating: Option<i64>,
}

/// The whole application at one moment, as an attribute of a history entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SnapshotItem {
    #[serde(flatten)]
    application: ApplicationItem,
    interview_stages: Vec<StageItem>,
}

/// A history entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HistoryItem {
    id: Uuid,
    application_id: Uuid,
    sequence: u32,
    description: String,
    snapshot: SnapshotItem,
    created_at: String,
}

/// What a projection left of a history entry.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HistoryLineItem {
    id: Uuid,
    sequence: u32,
    description: String,
    created_at: String,
    snapshot: Option<SnapshotItem>,
}

/// A history entry, with its snapshot where that was asked for.
#[derive(Clone, Debug)]
pub struct HistoryLine {
    /// The entry's id.
    pub id: Uuid,
    /// Its place in the history.
    pub sequence: u32,
    /// What changed, for a person to read.
    pub description: String,
    /// When.
    pub created_at: Timestamp,
    /// The application after the change.
    pub snapshot: Option<State>,
}

/// What a projection left of a snapshot: the stages, and which version they belong to.
#[derive(Clone, Debug, Deserialize)]
pub struct SnapshotStagesItem {
    snapshot: SnapshotStages,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SnapshotStages {
    id: Uuid,
    history_sequence: Option<u32>,
    updated_at: String,
    interview_stages: Vec<StageItem>,
}

/// The counters: `count`, and one for each partition of GSI1 under its key.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct MetaItem {
    /// How many applications are not archived.
    #[serde(default)]
    pub count: i64,
    #[serde(flatten)]
    others: HashMap<String, serde_json::Value>,
}

impl MetaItem {
    /// How many applications a partition of GSI1 holds.
    pub fn of(&self, partition: Partition) -> i64 {
        self.others
            .get(partition.key().as_str())
            .and_then(serde_json::Value::as_i64)
            .unwrap_or(0)
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

impl Entity for StageItem {
    const NAME: &'static str = "interview stage";
    type Id = (ApplicationId, StageId);

    fn key_of(id: &Self::Id) -> Key {
        keys::stage(id.0, id.1)
    }

    fn key(&self) -> Key {
        Self::key_of(&(ApplicationId(self.application_id), StageId(self.id)))
    }
}

impl Entity for HistoryItem {
    const NAME: &'static str = "history entry";
    type Id = (ApplicationId, u32);

    fn key_of(id: &Self::Id) -> Key {
        keys::history_entry(id.0, id.1)
    }

    fn key(&self) -> Key {
        Self::key_of(&(ApplicationId(self.application_id), self.sequence))
    }
}

/// Names the attribute that breaks a rule.
struct Attributes(&'static str);

impl Attributes {
    fn read<T>(&self, attribute: &str, parsed: Result<T, Rule>) -> Result<T, MalformedItem> {
        parsed.map_err(|rule| self.malformed(attribute, &rule))
    }

    fn read_opt<R, T>(
        &self,
        attribute: &str,
        raw: Option<R>,
        parse: impl FnOnce(R) -> Result<T, Rule>,
    ) -> Result<Option<T>, MalformedItem> {
        self.read(attribute, raw.map(parse).transpose())
    }

    fn malformed(&self, attribute: &str, rule: &Rule) -> MalformedItem {
        MalformedItem {
            entity: self.0,
            reason: format!("attribute {attribute}: {rule:?}"),
        }
    }
}

fn text<const MAX: usize>(raw: String) -> Result<Text<MAX>, Rule> {
    Text::parse(&raw)
}

fn link(raw: String) -> Result<Link, Rule> {
    Link::parse(&raw)
}

fn word<T>(known: Option<T>) -> Result<T, Rule> {
    known.ok_or(Rule::Invalid("one of the stored words"))
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
        }
    }
}

impl TryFrom<StageItem> for Stage {
    type Error = MalformedItem;

    fn try_from(item: StageItem) -> Result<Self, MalformedItem> {
        let a = Attributes(StageItem::NAME);
        Ok(Stage {
            id: StageId(item.id),
            name: a.read("name", text(item.name))?,
            order: item.order,
            is_completed: item.is_completed,
            completed_date: item.completed_date,
            notes: a.read_opt("notes", item.notes, text)?,
            performance_rating: a.read_opt(
                "performanceRating",
                item.performance_rating,
                Rating::parse,
            )?,
        })
    }
}

impl ApplicationItem {
    /// The application's id.
    pub fn id(&self) -> Uuid {
        self.id
    }
}

impl HistoryItem {
    /// The entry's id.
    pub fn id(&self) -> Uuid {
        self.id
    }
}

impl StageItem {
    /// A stage of an application.
    pub fn new(application: ApplicationId, stage: &Stage) -> Self {
        Self {
            id: stage.id.0,
            application_id: application.0,
            name: stage.name.as_str().to_owned(),
            order: stage.order,
            is_completed: stage.is_completed,
            completed_date: stage.completed_date,
            notes: stage.notes.as_ref().map(|note| note.as_str().to_owned()),
            performance_rating: stage.performance_rating.map(|r| r.get().into()),
        }
    }
}

fn stages(items: Vec<StageItem>) -> Result<Vec<Stage>, MalformedItem> {
    items.into_iter().map(Stage::try_from).collect()
}

impl TryFrom<SnapshotItem> for State {
    type Error = MalformedItem;

    fn try_from(item: SnapshotItem) -> Result<Self, MalformedItem> {
        Ok(State::new(
            item.application.try_into()?,
            stages(item.interview_stages)?,
        ))
    }
}

impl From<&State> for SnapshotItem {
    fn from(state: &State) -> Self {
        let stage = |stage| StageItem::new(state.application.id, stage);
        Self {
            application: (&state.application).into(),
            interview_stages: state.stages().iter().map(stage).collect(),
        }
    }
}

impl From<&HistoryEntry> for HistoryItem {
    fn from(entry: &HistoryEntry) -> Self {
        Self {
            id: entry.id,
            application_id: entry.snapshot.application.id.0,
            sequence: entry.sequence(),
            description: entry.description.clone(),
            snapshot: (&entry.snapshot).into(),
            created_at: entry.moment().to_string(),
        }
    }
}

/// A snapshot that says it belongs to `sequence`; one that leaves its version out is taken to.
fn at_sequence(mut snapshot: State, sequence: u32) -> State {
    if snapshot.application.version == 0 {
        snapshot.application.version = sequence;
    }
    snapshot
}

impl TryFrom<HistoryItem> for HistoryEntry {
    type Error = MalformedItem;

    fn try_from(item: HistoryItem) -> Result<Self, MalformedItem> {
        Ok(HistoryEntry {
            id: item.id,
            description: item.description,
            snapshot: at_sequence(item.snapshot.try_into()?, item.sequence),
        })
    }
}

impl TryFrom<HistoryLineItem> for HistoryLine {
    type Error = MalformedItem;

    fn try_from(item: HistoryLineItem) -> Result<Self, MalformedItem> {
        let a = Attributes(HistoryItem::NAME);
        let snapshot = item.snapshot.map(State::try_from).transpose()?;
        Ok(HistoryLine {
            id: item.id,
            sequence: item.sequence,
            description: item.description,
            created_at: a.read("createdAt", Timestamp::parse(&item.created_at))?,
            snapshot: snapshot.map(|state| at_sequence(state, item.sequence)),
        })
    }
}

impl SnapshotStagesItem {
    /// The stages, if they are those of exactly this version of the application.
    pub fn of(self, application: &Application) -> Option<Vec<Stage>> {
        let snapshot = self.snapshot;
        let agrees = snapshot.id == application.id.0
            && snapshot
                .history_sequence
                .is_none_or(|sequence| sequence == application.version)
            && snapshot.updated_at == application.updated_at.to_string();
        let stages = agrees
            .then(|| stages(snapshot.interview_stages).ok())
            .flatten()?;
        Some(State::new(application.clone(), stages).stages().to_vec())
    }
}
