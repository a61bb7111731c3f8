//! What it means that a transaction was cancelled: someone else was faster, the table is not what was read,
//! or the very same transaction was done before and its answer lost on the way.

use std::sync::Arc;

use uuid::Uuid;

use crate::applications::error::{ChangeError, StoreError};
use crate::applications::model::{Application, HistoryEntry};
use crate::table::{Exhausted, Meter, Reason, Retries, TransactionError};

use super::Applications;
use super::current::Current;
use super::detail::read_application;

/// Why a change was not made, where another try may do better.
pub(super) enum Lost {
    /// Someone else was at work on the application.
    Race,
    /// Someone else took the application to this version.
    Overtaken(u32),
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
        attempts: &mut Attempts,
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
            _ => attempts.met(reasons).map(|()| Some(Lost::Race)),
        }
    }
}

/// The application is not what the change started from: someone was faster, or it never agreed.
pub(super) fn overtaken(current: &Current, stored: &Application) -> Lost {
    if stored.version > current.state.application.version {
        Lost::Overtaken(stored.version)
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

/// The tries of one write, and what the last of them met.
pub(super) struct Attempts {
    retries: Retries,
    throttled: bool,
}

/// How often a write that met others is tried again.
const RETRIES: usize = 24;

impl Attempts {
    /// None made yet.
    pub(super) fn new(meter: &Meter) -> Self {
        Self {
            retries: Retries::new(RETRIES, meter),
            throttled: false,
        }
    }

    /// Notes why the last one was cancelled.
    ///
    /// # Errors
    /// The reasons, where one of them will not pass.
    pub(super) fn met(&mut self, reasons: Vec<Option<Reason>>) -> Result<(), ChangeError> {
        let passing = |reason: &Reason| matches!(reason, Reason::Conflict | Reason::Throttled);
        if reasons.iter().flatten().all(passing) {
            self.throttled = reasons.contains(&Some(Reason::Throttled));
            return Ok(());
        }
        let refused = TransactionError::Canceled(reasons);
        Err(StoreError::Transaction(Arc::new(refused)).into())
    }

    /// Waits until the next one.
    ///
    /// # Errors
    /// None is left: others were always faster, or DynamoDB throttles.
    pub(super) async fn pause(&mut self) -> Result<(), ChangeError> {
        let exhausted = match self.throttled {
            true => ChangeError::Store(StoreError::Throttled),
            false => ChangeError::Contended,
        };
        self.throttled = false;
        self.retries.pause().await.map_err(|Exhausted| exhausted)
    }
}
