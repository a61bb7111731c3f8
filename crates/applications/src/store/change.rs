//! Changing an application: one consistent read, one transaction, and retries after lost races.
//!
//! The newest history entry is the whole state, so it alone is read, and the transaction's condition checks that
//! it is current. If it is not, because another program wrote the application without history, the application
//! is read and then its stages, never in parallel: stages older than the application would make a snapshot of a
//! state that never existed.

use uuid::Uuid;

use crate::changes::{Change, ChangeKind};
use crate::error::{ChangeError, Present, StoreError};
use crate::items::HistoryItem;
use crate::model::{
    ApplicationId, DetailsChange, HistoryEntry, NewStage, Stage, StageChange, StageId, State, Stay,
    Timestamp,
};
use trestle_table::{Condition, Transaction};

use super::Applications;
use super::canceled::{Attempts, concerns_stages};
use super::counters::Counting;
use super::current::{Current, Lost, Source, conditions, stage_conditions};
use super::queue::Write;

/// The version that a caller expects the application to have.
#[derive(Clone, Copy, Default)]
pub(super) struct Expected {
    version: Option<u32>,
    /// Accept a stale version if the change is already applied.
    or_done: bool,
    /// Before nothing is changed, compare with the stages' items: another program may have changed one of them.
    by_items: bool,
    /// Before the change, write an entry of what is there, if the newest entry says otherwise.
    records: bool,
}

/// The description of an entry that records what is there.
const RECORDED: &str = "Changes of another program recorded";

impl Expected {
    /// For a change that would lose what another program has changed since the newest history entry.
    pub(super) fn recording(version: Option<u32>) -> Self {
        Self {
            records: true,
            ..version.into()
        }
    }
}

impl From<Option<u32>> for Expected {
    fn from(version: Option<u32>) -> Self {
        Self {
            version,
            ..Self::default()
        }
    }
}

/// The history entry that a change writes, perhaps in an attempt that was made before.
pub(super) struct Attempted {
    entry_id: Uuid,
    sequence: Option<u32>,
}

impl Default for Attempted {
    fn default() -> Self {
        Self {
            entry_id: Uuid::new_v4(),
            sequence: None,
        }
    }
}

impl Attempted {
    /// An attempt to write `entry` was made before.
    pub(super) fn at(entry: &HistoryEntry) -> Self {
        Self {
            entry_id: entry.id,
            sequence: Some(entry.sequence()),
        }
    }
}

impl Applications {
    /// Patches an application's fields. Query APP#id / HIST# (the newest entry), TransactWriteItems.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn update(
        &self,
        id: &ApplicationId,
        expected: Option<u32>,
        change: &DetailsChange,
    ) -> Result<State, ChangeError> {
        let change = self.with_defaults(change);
        self.change(id, expected.into(), None, |state, now| {
            Ok(state.update(change.clone(), now)?)
        })
        .await
    }

    /// Archives or unarchives an application. As [`Applications::update`].
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn set_archived(
        &self,
        id: &ApplicationId,
        expected: Option<u32>,
        is_archived: bool,
    ) -> Result<State, ChangeError> {
        self.change(id, expected.into(), None, |state, _| {
            Ok(state.archived(is_archived))
        })
        .await
    }

    /// Adds a stage. As [`Applications::update`].
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn add_stage(
        &self,
        id: &ApplicationId,
        expected: Option<u32>,
        stage: &NewStage,
    ) -> Result<State, ChangeError> {
        // A repeated request has the version of the first one.
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
        (id, stage): &(ApplicationId, StageId),
        expected: Option<u32>,
        change: &StageChange,
    ) -> Result<State, ChangeError> {
        let expected = Expected {
            by_items: true,
            ..expected.into()
        };
        self.change(id, expected, None, |state, now| {
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
        (id, stage): &(ApplicationId, StageId),
        expected: Option<u32>,
    ) -> Result<State, ChangeError> {
        self.change(id, expected.into(), None, |state, _| {
            Ok(state.remove_stage(stage)?)
        })
        .await
    }

    /// Reorders the stages. As [`Applications::update`].
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn reorder_stages(
        &self,
        id: &ApplicationId,
        expected: Option<u32>,
        stages: &[StageId],
    ) -> Result<State, ChangeError> {
        self.change(id, expected.into(), None, |state, _| {
            Ok(state.reorder_stages(stages)?)
        })
        .await
    }

    pub(super) async fn change(
        &self,
        id: &ApplicationId,
        expected: Expected,
        because: Option<String>,
        plan: impl Fn(&State, Timestamp) -> Result<State, ChangeError>,
    ) -> Result<State, ChangeError> {
        // Boxed, so that the futures of all mutations stay small.
        Box::pin(self.change_after(Attempted::default(), id, expected, because, plan)).await
    }

    /// Reads the application, plans, and writes the change with its history entry; repeats that after a pause if
    /// another change was first. A caller that expects a version is never retried over another change.
    pub(super) async fn change_after(
        &self,
        attempted: Attempted,
        id: &ApplicationId,
        expected: Expected,
        because: Option<String>,
        plan: impl Fn(&State, Timestamp) -> Result<State, ChangeError>,
    ) -> Result<State, ChangeError> {
        // The same for every attempt, so that each can be recognized.
        let Attempted {
            mut entry_id,
            sequence: mut tried,
        } = attempted;
        let mut expected = expected;
        let mut source = Source::Snapshot;
        let mut attempts = Attempts::new(&self.meter);
        // The history has entries up to this one, unless another program wrote none.
        let mut known = 0;
        loop {
            let current = Box::pin(self.read_current(id, source, known))
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
            let is_stale = expected
                .version
                .is_some_and(|expected| !current.has_version(expected));
            let is_recording = expected.records && !is_stale && !current.is_recorded;
            let is_full = state.application.is_at_the_last_version();
            let planned = match plan(state, now) {
                Ok(next) if is_full && (is_recording || !is_stale && next != *state) => {
                    return Err(ChangeError::LastVersion);
                }
                Ok(_) if is_recording => {
                    let entry = state.recorded(RECORDED, entry_id, now);
                    let entry = self.signed(entry);
                    match self.write(&current, &entry, &mut attempts).await? {
                        None => {
                            // Once is enough: the newest entry says what is there.
                            expected.records = false;
                            let version = entry.sequence();
                            expected.version = expected.version.map(|_| version);
                            (source, known, entry_id) = (Source::Snapshot, version, Uuid::new_v4());
                            self.updated(entry);
                        }
                        Some(Lost::Overtaken(version)) => {
                            (source, known) = (Source::Snapshot, version);
                        }
                        Some(Lost::Race | Lost::Disagreement) => source = Source::Items,
                    }
                    attempts.pause().await?;
                    continue;
                }
                planned if !is_stale => planned,
                Ok(next) if expected.or_done && next == *state => Ok(next),
                _ => Err(ChangeError::Conflict(Box::new(Present::Whole(
                    state.clone(),
                )))),
            };
            let entry = planned.map(|next| state.commit(next, because.clone(), entry_id, now));
            let entry = entry.map(|entry| entry.map(|entry| self.signed(entry)));
            let lost = match entry {
                Ok(Some(entry)) => match self.write(&current, &entry, &mut attempts).await? {
                    None => return Ok(self.updated(entry)),
                    Some(lost) => {
                        tried = matches!(lost, Lost::Race).then(|| entry.sequence());
                        lost
                    }
                },
                // A snapshot may lack stages that another program added.
                Err(refusal) if current.source == Source::Snapshot && concerns_stages(&refusal) => {
                    Lost::Disagreement
                }
                Ok(None) if expected.by_items && current.source == Source::Snapshot => {
                    Lost::Disagreement
                }
                // Nothing is written, so no condition checks that the snapshot is current.
                unwritten => match self.outdated(&current).await? {
                    None => {
                        return unwritten.map(|_| current.state);
                    }
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

    /// Announces a change, and answers the application after it.
    pub(super) fn updated(&self, entry: HistoryEntry) -> State {
        self.announce(|| Change::written(ChangeKind::Updated, &entry.snapshot));
        entry.snapshot
    }

    /// The entry of a cancelled attempt, if it exists: when the SDK repeats a request whose answer was lost, the
    /// repetition is cancelled although the first one was committed. GetItem APP#id / HIST#sequence.
    async fn made(
        &self,
        id: &ApplicationId,
        sequence: u32,
        entry_id: Uuid,
    ) -> Result<Option<HistoryEntry>, StoreError> {
        let entry = self.entry(id, sequence).await?;
        Ok(entry.filter(|entry| entry.id == entry_id))
    }

    /// The transaction of one change: application, history entry, the stages that differ, counters.
    /// `None` if it was committed.
    async fn write(
        &self,
        current: &Current,
        entry: &HistoryEntry,
        attempts: &mut Attempts,
    ) -> Result<Option<Lost>, ChangeError> {
        let mut counting = Counting::default();
        let transaction = self.table.transaction();
        let transaction = self.add_change(transaction, current, entry, &mut counting)?;
        let keeps_stages = current.state.stages() == entry.snapshot.stages();
        let committed = if keeps_stages && !counting.is_empty() {
            let write = Write {
                current: Some(current.clone()),
                entry: entry.clone(),
            };
            self.commit_queued(write).await?.1
        } else {
            self.commit_counted(transaction, counting).await?.reasons()
        };
        match committed {
            Ok(()) => Ok(None),
            Err(reasons) => self.lost(current, entry, reasons, attempts).await,
        }
    }

    /// Adds the writes of one change to a transaction, the application first, then the entry.
    pub(super) fn add_change<'t>(
        &self,
        transaction: Transaction<'t>,
        current: &Current,
        entry: &HistoryEntry,
        counting: &mut Counting,
    ) -> Result<Transaction<'t>, ChangeError> {
        let (before, after) = (&current.state, &entry.snapshot);
        let (was, is) = (&before.application, &after.application);
        let condition = conditions(was, &current.stored_sequence);
        let update = self
            .table
            .update_of(
                Some(&self.placed(was)),
                &self.placed(is),
                Condition::All(condition),
            )?
            .with_index_keys(&self.placed(is));
        let item = HistoryItem::try_from(entry).map_err(StoreError::from)?;
        let mut transaction = transaction.update(update).put_new(&self.placed(&item))?;
        for stage in after.stages() {
            let placed = self.placed(stage);
            transaction = match before.stage(&stage.key) {
                Some(was) if was == stage => transaction,
                Some(before_stage) => {
                    let was = self.placed(before_stage);
                    let condition = stage_conditions(before_stage);
                    let update = self.table.update_of(Some(&was), &placed, condition)?;
                    transaction.update(update)
                }
                None => transaction.put_new(&placed)?,
            };
        }
        let is_gone = |stage: &&Stage| after.stage(&stage.key).is_none();
        for stage in before.stages().iter().filter(is_gone) {
            // Unless its last state is in the history, or it is not there.
            let unchanged = Condition::Any(vec![Condition::Missing, stage_conditions(stage)]);
            let key = self.scope.stage(&stage.application, &stage.key);
            transaction = transaction.delete(&key, &unchanged);
        }
        counting.remove(was);
        counting.add(is);
        counting.stays(Stay::ended(was, is));
        Ok(transaction)
    }
}
