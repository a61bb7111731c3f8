//! Which application a row is: by the id that it has, or by one made from what it says.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use crate::model::{ApplicationId, canonical};

/// The field with the address of the job posting.
const POSTING: &str = "jobPostingUrl";
/// The fields that say which job it is without one.
const JOB: [&str; 2] = ["companyName", "positionTitle"];

/// Which application a row is, and what it says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The application.
    pub id: ApplicationId,
    /// What the id was made from.
    pub from: IdFrom,
    /// The same for rows that say the same.
    pub content: Uuid,
    /// The same for rows with the same company and position, if the id is made from cells.
    job: Option<Uuid>,
}

/// Jobs that several rows of a list have, which say different things of them: their company and position do not tell which row is
/// which.
#[derive(Clone, Debug, Default)]
pub struct SharedJobs(HashSet<Uuid>);

impl SharedJobs {
    /// Of the cells of each row that has neither an id nor a posting.
    pub(super) fn of<'c>(rows: impl Iterator<Item = Vec<(&'c str, &'c str)>>) -> Self {
        let mut contents = HashMap::new();
        let mut shared = HashSet::new();
        for cells in rows {
            let Some(job) = id_of_job(&cells) else {
                continue;
            };
            let content = id_of_cells(&cells);
            if *contents.entry(job).or_insert(content) != content {
                shared.insert(job);
            }
        }
        Self(shared)
    }
}

impl Identity {
    /// Of a row that says its id, or not, and of its cells that fill fields. The same posting always has the same id. Without one,
    /// the same company and position have, unless other rows of the list share them; then the same row has.
    ///
    /// # Errors
    /// What it says is no id.
    pub fn of(
        told: Option<&str>,
        cells: &[(&str, &str)],
        shared: &SharedJobs,
    ) -> Result<Self, String> {
        let content = id_of_cells(cells);
        let posting = cells.iter().find(|(field, _)| *field == POSTING);
        let told = told.filter(|text| !text.is_empty());
        let job = id_of_job(cells).filter(|_| told.is_none() && posting.is_none());
        let (id, from) = match (told, posting) {
            (Some(text), _) => {
                let id = Uuid::try_parse(text).ok();
                // As it is written: another program may have stored it so.
                let id = id.and_then(|_| ApplicationId::stored(text));
                let id = id.ok_or_else(|| format!("`id`: \"{text}\" is not a UUID."))?;
                (id, IdFrom::Id)
            }
            (None, Some((_, url))) => {
                let id = Uuid::new_v5(&Uuid::NAMESPACE_URL, url.as_bytes());
                (ApplicationId::new(id), IdFrom::Link)
            }
            (None, None) => match job.filter(|job| !shared.0.contains(job)) {
                Some(job) => (ApplicationId::new(job), IdFrom::Job),
                None => (ApplicationId::new(content), IdFrom::Cells),
            },
        };
        Ok(Self {
            id,
            from,
            content,
            job,
        })
    }

    /// The id that earlier releases gave to the row, if that is another one.
    pub fn earlier_id(&self) -> Option<ApplicationId> {
        (self.from == IdFrom::Job).then(|| ApplicationId::new(self.content))
    }

    /// The id that the row had when no other one of the list shared its job. Another row may have it now, unless its application
    /// says the same.
    pub fn unshared_id(&self) -> Option<ApplicationId> {
        let job = self.job.filter(|_| self.from == IdFrom::Cells)?;
        Some(ApplicationId::new(job))
    }

    /// The same row as an application of its own, if another row of the file has the same link.
    pub fn beside_others(self) -> Self {
        Self {
            id: ApplicationId::new(self.content),
            from: IdFrom::Cells,
            ..self
        }
    }

    /// Of a whole application, which is written as `json`.
    pub fn of_record(id: ApplicationId, json: &[u8]) -> Self {
        Self {
            id,
            from: IdFrom::Id,
            content: Uuid::new_v5(&Uuid::NAMESPACE_OID, json),
            job: None,
        }
    }
}

/// The job posting of a row, however it is spelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posting {
    /// The same for all spellings of its address.
    pub address: String,
    /// The same for rows that say the same beside it.
    pub rest: Uuid,
}

impl Posting {
    /// Of cells that fill fields; `None` if none has an address.
    pub fn of(cells: &[(&str, &str)]) -> Option<Self> {
        let (postings, rest): (Vec<_>, Vec<_>) =
            cells.iter().partition(|(field, _)| *field == POSTING);
        let (_, address) = postings.first()?;
        Some(Self {
            address: canonical(address),
            rest: id_of_cells(&rest),
        })
    }
}

/// What a row's id was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdFrom {
    /// The row says it.
    Id,
    /// The link to the job posting.
    Link,
    /// The company and the position.
    Job,
    /// All that fills fields.
    Cells,
}

impl IdFrom {
    /// In words.
    pub fn what(self) -> &'static str {
        match self {
            IdFrom::Id => "id",
            IdFrom::Link => "link",
            IdFrom::Job => "company and position",
            IdFrom::Cells => "cells",
        }
    }
}

/// Of the company and the position; `None` if one is missing.
fn id_of_job(cells: &[(&str, &str)]) -> Option<Uuid> {
    let mut job = cells.to_vec();
    job.retain(|(field, _)| JOB.contains(field));
    (job.len() == JOB.len()).then(|| id_of_cells(&job))
}

/// Of the cells that fill fields, by the fields' names, whatever their columns are called and in whatever
/// order they stand.
fn id_of_cells(cells: &[(&str, &str)]) -> Uuid {
    let row: Vec<_> = cells
        .iter()
        .map(|(field, text)| format!("{field}={text}"))
        .collect();
    Uuid::new_v5(&Uuid::NAMESPACE_OID, row.join("\n").as_bytes())
}
