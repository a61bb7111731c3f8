//! What it means that a transaction was cancelled: someone else was faster, the table is not what was read,
//! or the very same transaction was done before and its answer lost on the way.

use std::sync::Arc;

use uuid::Uuid;

use crate::applications::error::{ChangeError, StoreError};
use crate::applications::items::ApplicationItem;
use crate::applications::model::{Application, HistoryEntry};
use crate::table::{Item, Reason, TableError, TransactionError, from_item};

use super::Applications;
use super::change::Current;
use super::detail::read_application;

/// Why a change was not made, where another try may do better.
pub(super) enum Lost {
    /// Someone else changed the application, or was at work on it.
    Race,
    /// The application is not what its newest history entry says.
    Disagreement,
}

impl Applications {
    /// What a cancelled change means; `None` where it was made after all. The first reason is the
    /// application's, the second the entry's.
    pub(super) async fn lost(
        &self,
        current: &Current,
        entry: &HistoryEntry,
        reasons: Vec<Option<Reason>>,
    ) -> Result<Option<Lost>, ChangeError> {
        match reasons.as_slice() {
            // The SDK sent it again. Whatever others did since, it was done.
            [_, Some(taken), ..] if is_entry(taken, entry.id) => Ok(None),
            [Some(Reason::ConditionFailed { item: None }), ..] => Err(ChangeError::NotFound),
            [Some(Reason::ConditionFailed { item: Some(item) }), told, ..] => {
                let stored = read_application(item.clone())?;
                // Not every store tells more than the first reason.
                if told.is_none() && stored.version >= entry.sequence() {
                    let there = self.entry(stored.id, entry.sequence()).await?;
                    if there.is_some_and(|there| there.id == entry.id) {
                        return Ok(None);
                    }
                }
                Ok(Some(overtaken(current, &stored)))
            }
            // The entry's key is taken though the application has not moved on: it lags its history.
            [_, Some(Reason::ConditionFailed { .. }), ..] => Ok(Some(Lost::Disagreement)),
            _ => retryable(reasons).map(|()| Some(Lost::Race)),
        }
    }
}

/// The application is not what the change started from: someone was faster, or it never agreed.
fn overtaken(current: &Current, stored: &Application) -> Lost {
    if stored.version > current.state.application.version {
        Lost::Race
    } else {
        Lost::Disagreement
    }
}

/// Whether the key of a history entry is taken by the entry with this id.
pub(super) fn is_entry(reason: &Reason, id: Uuid) -> bool {
    let Reason::ConditionFailed { item: Some(item) } = reason else {
        return false;
    };
    let stored = item.get("id").and_then(|stored| stored.as_s().ok());
    stored.and_then(|stored| Uuid::try_parse(stored).ok()) == Some(id)
}

/// Whether the same transaction may succeed later.
///
/// # Errors
/// The reasons, where one of them will not pass.
pub(super) fn retryable(reasons: Vec<Option<Reason>>) -> Result<(), ChangeError> {
    let passing = |reason: &Reason| matches!(reason, Reason::Conflict | Reason::Throttled);
    if reasons.iter().flatten().all(passing) {
        return Ok(());
    }
    let refused = TransactionError::Canceled(reasons);
    Err(ChangeError::Store(StoreError::Transaction(Arc::new(
        refused,
    ))))
}

/// The application that a failed condition found.
///
/// # Errors
/// It is malformed.
pub(super) fn found(item: Item) -> Result<Application, TableError> {
    Ok(from_item::<ApplicationItem>(item)?.try_into()?)
}
