//! Which application a row is: by the id that it has, or by one made from what it says.

use uuid::Uuid;

use crate::model::{ApplicationId, canonical};

/// The field with the address of the job posting.
const POSTING: &str = "jobPostingUrl";

/// Which application a row is, and what it says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The application.
    pub id: ApplicationId,
    /// What the id was made from.
    pub from: IdFrom,
    /// The same for rows that say the same.
    pub content: Uuid,
}

impl Identity {
    /// Of a row that says its id, or not, and of its cells that fill fields. The same posting, or without one
    /// the same row, always has the same id.
    ///
    /// # Errors
    /// What it says is no id.
    pub fn of(told: Option<&str>, cells: &[(&str, &str)]) -> Result<Self, String> {
        let content = id_of_cells(cells);
        let posting = cells.iter().find(|(field, _)| *field == POSTING);
        let (id, from) = match (told.filter(|text| !text.is_empty()), posting) {
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
            (None, None) => (ApplicationId::new(content), IdFrom::Cells),
        };
        Ok(Self { id, from, content })
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
    /// All that fills fields.
    Cells,
}

impl IdFrom {
    /// In words.
    pub fn what(self) -> &'static str {
        match self {
            IdFrom::Id => "id",
            IdFrom::Link => "link",
            IdFrom::Cells => "cells",
        }
    }
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
