//! History: what an application was after each change.

use uuid::Uuid;

use super::{State, Timestamp};

/// One entry: made with a change, never changed itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryEntry {
    /// Its id.
    pub id: Uuid,
    /// What changed, for a person to read.
    pub description: String,
    /// The application as it was after the change, with its stages. Its version is the entry's sequence.
    pub snapshot: State,
}

impl HistoryEntry {
    /// The entry's place in the history: 1, 2, 3 without gaps.
    pub fn sequence(&self) -> u32 {
        self.snapshot.application.version
    }

    /// When the change was made.
    pub fn moment(&self) -> Timestamp {
        self.snapshot.application.updated_at
    }
}
