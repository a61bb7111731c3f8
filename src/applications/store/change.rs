//! Changing an application: one consistent read, one transaction, and what is done about races.
//!
//! The newest history entry is the whole state, so it alone is read, and the transaction's condition makes
//! sure that it still is. Where it is not, because another program wrote the application and no history,
//! the application is read and then its stages, never side by side: stages that are older than the
//! application would make a snapshot that never was.

use aws_sdk_dynamodb::types::AttributeValue;
use uuid::Uuid;

use crate::applications::changes::{Announced, ChangeKind};
use crate::applications::error::{ChangeError, StoreError};
use crate::applications::items::{ApplicationItem, HistoryItem, StageItem};
use crate::applications::keys;
use crate::applications::model::{
    ApplicationId, DetailsChange, HistoryEntry, NewStage, StageChange, StageId, State, Stay,
    Timestamp,
};
use crate::table::{Condition, TransactionError};

use super::Applications;
use super::canceled::{Attempts, Lost};
use super::counters::Counting;
use super::current::{Current, Source};

/// The version that a caller expects the application to have.
#[derive(Clone, Copy)]
struct Expected {
    version: Option<u32>,
    /// Whether a change of which all is done is none that the version refuses.
    or_done: bool,
}

impl From<Option<u32>> for Expected {
    fn from(version: Option<u32>) -> Self {
        Self {
            version,
            or_done: false,
        }
    }
}

/// A change that was made, or was not needed.
#[derive(Clone, Debug)]
pub struct Changed {
    /// The application now.
    pub state: State,
}

impl Applications {
    /// Patches an application's fields. Query APP#id / HIST# (the newest entry), TransactWriteItems.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn update(
        &self,
        id: ApplicationId,
        expected: Option<u32>,
        change: &DetailsChange,
    ) -> Result<Changed, ChangeError> {
        self.change(id, expected.into(), None, |state, now| {
            Ok(state.update(change.clone(), now)?)
        })
        .await
    }

    /// Puts an application away. As [`Applications::update`].
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn archive(
        &self,
        id: ApplicationId,
        expected: Option<u32>,
    ) -> Result<Changed, ChangeError> {
        self.change(id, expected.into(), None, |state, _| Ok(state.archive()))
            .await
    }

    /// Takes an application out again. As [`Applications::update`].
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn unarchive(
        &self,
        id: ApplicationId,
        expected: Option<u32>,
    ) -> Result<Changed, ChangeError> {
        self.change(id, expected.into(), None, |state, _| Ok(state.unarchive()))
            .await
    }

    /// Makes an application what it was after an earlier change. As [`Applications::update`], and the
    /// entry by GetItem APP#id / HIST#sequence.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn restore(
        &self,
        id: ApplicationId,
        expected: Option<u32>,
        sequence: u32,
    ) -> Result<Changed, ChangeError> {
        let entry = self.entry(id, sequence).await?;
        if entry.is_none() && self.read_current(id, Source::Items, 0).await?.is_none() {
            return Err(ChangeError::NotFound);
        }
        let entry = entry.ok_or(ChangeError::NoEntry)?;
        let created = entry.snapshot.application.created_at;
        let because = Some(format!("Restored to entry {sequence}"));
        self.change(id, expected.into(), because, |state, _| {
            // Else it was deleted since, and another made with its id.
            match state.application.created_at == created {
                true => Ok(state.restore(&entry.snapshot)),
                false => Err(ChangeError::NoEntry),
            }
        })
        .await
    }

    /// Adds a stage. As [`Applications::update`].
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn add_stage(
        &self,
        id: ApplicationId,
        expected: Option<u32>,
        stage: &NewStage,
    ) -> Result<Changed, ChangeError> {
        // Sent again, it is sent with the version that it was first sent with.
        let expected = Expected {
            or_done: true,
            ..expected.into()
        };
        self.change(id, expected, None, |state, now| {
            Ok(state.add_stage(stage.clone(), now)?)
        })
        .await
    }

    /// Patches a stage. As [`Applications::update`].
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn update_stage(
        &self,
        (id, stage): (ApplicationId, StageId),
        expected: Option<u32>,
        change: &StageChange,
    ) -> Result<Changed, ChangeError> {
        self.change(id, expected.into(), None, |state, now| {
            Ok(state.update_stage(stage, change.clone(), now)?)
        })
        .await
    }

    /// Removes a stage. As [`Applications::update`].
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn remove_stage(
        &self,
        (id, stage): (ApplicationId, StageId),
        expected: Option<u32>,
    ) -> Result<Changed, ChangeError> {
        self.change(id, expected.into(), None, |state, _| {
            Ok(state.remove_stage(stage)?)
        })
        .await
    }

    /// Puts the stages in another order. As [`Applications::update`].
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn reorder_stages(
        &self,
        id: ApplicationId,
        expected: Option<u32>,
        stages: &[StageId],
    ) -> Result<Changed, ChangeError> {
        self.change(id, expected.into(), None, |state, _| {
            Ok(state.reorder_stages(stages)?)
        })
        .await
    }

    /// Reads the application, plans, and writes the change with its history entry; again, with a pause,
    /// while others get there first. A caller that expects a version is never retried over a change.
    async fn change(
        &self,
        id: ApplicationId,
        expected: Expected,
        because: Option<String>,
        plan: impl Fn(&State, Timestamp) -> Result<State, ChangeError>,
    ) -> Result<Changed, ChangeError> {
        // The same for every try, so that each is known for ours.
        let entry_id = Uuid::new_v4();
        let mut tried = None;
        let mut source = Source::Snapshot;
        let mut attempts = Attempts::new(&self.meter);
        // The history is known to go this far, unless another program wrote none.
        let mut known = 0;
        loop {
            let current = self
                .read_current(id, source, known)
                .await?
                .ok_or(ChangeError::NotFound)?;
            let state = &current.state;
            if let Some(sequence) = tried.take()
                && current.may_have(sequence, entry_id)
                && let Some(made) = self.made(id, sequence, entry_id).await?
            {
                return Ok(self.updated(made));
            }
            let now = self.now();
            let version = current.stored_version;
            let overtaken = expected.version.is_some_and(|expected| expected != version);
            let planned = match plan(state, now) {
                planned if !overtaken => planned,
                Ok(next) if expected.or_done && next == *state => Ok(next),
                _ => Err(ChangeError::Conflict { current: version }),
            };
            let entry = planned.map(|next| state.commit(next, because.clone(), entry_id, now));
            let lost = match entry {
                Ok(Some(entry)) => match self.write(&current, &entry, &mut attempts).await? {
                    None => return Ok(self.updated(entry)),
                    Some(lost) => {
                        tried = matches!(lost, Lost::Race).then(|| entry.sequence());
                        lost
                    }
                },
                // Nothing to write, so no condition tells whether the snapshot still holds.
                Ok(None) => match self.outdated(&current).await? {
                    None => {
                        return Ok(Changed {
                            state: current.state,
                        });
                    }
                    Some(lost) => lost,
                },
                Err(refusal) => match self.outdated(&current).await? {
                    None => return Err(refusal),
                    Some(lost) => lost,
                },
            };
            match lost {
                Lost::Race => source = Source::Snapshot,
                Lost::Overtaken(version) => (source, known) = (Source::Snapshot, version),
                Lost::Disagreement => source = Source::Items,
            }
            if let Err(exhausted) = attempts.pause().await {
                let made = match tried {
                    Some(sequence) => self.made(id, sequence, entry_id).await?,
                    None => None,
                };
                return made.map(|entry| self.updated(entry)).ok_or(exhausted);
            }
        }
    }

    /// Tells of a change that was made.
    fn updated(&self, entry: HistoryEntry) -> Changed {
        self.announce(|| Announced::written(ChangeKind::Updated, &entry.snapshot));
        Changed {
            state: entry.snapshot,
        }
    }

    /// The entry that a cancelled try was to write, if it is there after all: what was cancelled when the SDK
    /// sent it again may have been done the first time, and its answer lost. GetItem APP#id / HIST#sequence.
    async fn made(
        &self,
        id: ApplicationId,
        sequence: u32,
        entry_id: Uuid,
    ) -> Result<Option<HistoryEntry>, StoreError> {
        let entry = self.entry(id, sequence).await?;
        Ok(entry.filter(|entry| entry.id == entry_id))
    }

    /// The transaction of one change: application, history entry, the stages that differ, counters.
    /// `None` where it was done.
    async fn write(
        &self,
        current: &Current,
        entry: &HistoryEntry,
        attempts: &mut Attempts,
    ) -> Result<Option<Lost>, ChangeError> {
        let (before, after) = (&current.state, &entry.snapshot);
        let id = after.application.id;
        let item = ApplicationItem::from(&after.application);
        let known = (current.source == Source::Snapshot)
            .then(|| ApplicationItem::from(&before.application));
        let update = self
            .table
            .update_of(known.as_ref(), &item, unchanged(current))?;
        let mut transaction = self
            .table
            .transaction()
            .update(update)?
            .put_new(&HistoryItem::from(entry))?;
        for stage in after
            .stages()
            .iter()
            .filter(|stage| before.stage(stage.id) != Some(stage))
        {
            transaction = transaction.put(&StageItem::new(id, stage))?;
        }
        for stage in before
            .stages()
            .iter()
            .filter(|stage| after.stage(stage.id).is_none())
        {
            let anyway = Condition::All(Vec::new());
            transaction = transaction.delete(&keys::stage(id, stage.id), &anyway)?;
        }
        let mut counting = Counting::default();
        counting.remove(&before.application);
        counting.add(&after.application);
        counting.stays(Stay::ended(&before.application, &after.application));
        match counting.write(transaction)?.commit(&self.meter).await {
            Ok(()) => Ok(None),
            Err(TransactionError::Canceled(reasons)) => {
                self.lost(current, entry, reasons, attempts).await
            }
            Err(TransactionError::Table(error)) => Err(error.into()),
        }
    }
}

/// That the stored application is still the one that was read.
fn unchanged(current: &Current) -> Condition {
    let application = &current.state.application;
    let text = |text: &str| AttributeValue::S(text.to_owned());
    let status = application.details.status.word();
    let mut conditions = vec![
        Condition::Equals("updatedAt", text(&application.updated_at.to_string())),
        // The counters go by these two, and not every program moves `updatedAt`.
        Condition::Equals("status", text(status)),
        Condition::Equals("isArchived", AttributeValue::Bool(application.is_archived)),
    ];
    // So do they by this one; what another program wrote may have it in another form.
    if let (Source::Snapshot, Some(day)) = (current.source, application.details.date_applied) {
        conditions.push(Condition::Equals("dateApplied", text(&day.to_string())));
    }
    // Another program may have written an application without the attribute.
    if current.stored_version > 0 {
        let version = AttributeValue::N(current.stored_version.to_string());
        conditions.push(Condition::Equals("historySequence", version));
    }
    Condition::All(conditions)
}
