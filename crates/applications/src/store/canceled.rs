//! Why a transaction was cancelled: another change was first, the table is not what was read, or the same
//! transaction was committed before and its answer was lost.

use std::sync::Arc;

use uuid::Uuid;

use crate::error::{ChangeError, StoreError};
use crate::model::HistoryEntry;
use trestle_table::{Exhausted, Meter, Reason, Retries, TableError, TransactionError};

use super::Applications;
use super::current::{Current, Lost, overtaken};
use super::queue::Refusal;

impl Applications {
    /// What a cancelled change means; `None` if it was made.
    pub(super) async fn lost(
        &self,
        current: &Current,
        entry: &HistoryEntry,
        refusal: Refusal,
        attempts: &mut Attempts,
    ) -> Result<Option<Lost>, ChangeError> {
        // The SDK repeated it. Whatever changed since, it was committed.
        if refusal
            .entry
            .as_ref()
            .is_some_and(|taken| is_entry(taken, entry.id))
        {
            return Ok(None);
        }
        if let Some(Reason::ConditionFailed { item }) = refusal.application {
            let stored = self.read_application(item.ok_or(ChangeError::NotFound)?)?;
            // Some stores report only the first reason.
            if refusal.entry.is_none() && stored.version() >= entry.sequence() {
                let there = self.entry(&stored.id, entry.sequence()).await?;
                if there.is_some_and(|there| there.id == entry.id) {
                    return Ok(None);
                }
            }
            return Ok(Some(overtaken(current, &stored)));
        }
        // The entry exists though the application has not changed: it is behind its history. Or a stage is not what the
        // snapshot says.
        if refusal.entry.iter().chain(&refusal.others).any(is_failed) {
            return Ok(Some(Lost::Disagreement));
        }
        attempts.met(refusal.into_reasons())?;
        Ok(Some(Lost::Race))
    }
}

/// Whether a condition does not hold.
pub(super) fn is_failed(reason: &Reason) -> bool {
    matches!(reason, Reason::ConditionFailed { .. })
}

/// Whether the key of a history entry is taken by the entry with this id.
pub(super) fn is_entry(reason: &Reason, id: Uuid) -> bool {
    let Reason::ConditionFailed { item: Some(item) } = reason else {
        return false;
    };
    let stored = item.get("id").and_then(|stored| stored.as_s().ok());
    stored.and_then(|stored| Uuid::try_parse(stored).ok()) == Some(id)
}

/// The attempts of one write.
pub(super) struct Attempts {
    retries: Retries,
    throttled: bool,
}

/// The attempts after the first one.
const RETRIES: usize = 24;

impl Attempts {
    /// No attempt yet.
    pub(super) fn new(meter: &Meter) -> Self {
        Self {
            retries: Retries::new(RETRIES, meter),
            throttled: false,
        }
    }

    /// Notes why the last attempt was cancelled.
    ///
    /// # Errors
    /// The reasons, if one of them is permanent.
    pub(super) fn met(&mut self, reasons: Vec<Option<Reason>>) -> Result<(), ChangeError> {
        if reasons.iter().flatten().all(Reason::may_pass) {
            self.throttled = reasons.contains(&Some(Reason::Throttled));
            return Ok(());
        }
        if reasons.contains(&Some(Reason::Oversized)) {
            return Err(TableError::Oversized.into());
        }
        let refused = TransactionError::Canceled(reasons);
        Err(StoreError::Transaction(Arc::new(refused)).into())
    }

    /// Waits before the next attempt.
    ///
    /// # Errors
    /// None is left.
    pub(super) async fn pause(&mut self) -> Result<(), ChangeError> {
        let exhausted = if self.throttled {
            ChangeError::Store(StoreError::Throttled)
        } else {
            ChangeError::Contended
        };
        self.throttled = false;
        self.retries.pause().await.map_err(|Exhausted| exhausted)
    }
}
