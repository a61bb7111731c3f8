//! Changing an application: one consistent read, one transaction, and retries after lost races.
//!
//! The newest history entry is the whole state, so it is read with the stages' items beside it, and the transaction's
//! condition checks that it is current. If it is not, because another program wrote the application or a stage without
//! history, the application is read and then its stages, never in parallel: stages older than the application would make a
//! snapshot of a state that never existed.

use uuid::Uuid;

use crate::changes::{Change, ChangeKind};
use crate::error::{ChangeError, Present, StoreError};
use crate::items::HistoryItem;
use crate::model::{
    ApplicationChange, ApplicationId, HistoryEntry, NewStage, StageChange, StageId, State,
    Timestamp, Violations,
};
use trestle_table::{Condition, Transaction};

use super::Applications;
use super::canceled::Attempts;
use super::counters::Counting;
use super::current::{Current, Lost, Source, conditions, stage_conditions};
use super::queue::{Write, Written};

/// What a change does beside its plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Plain,
    /// A stale version is accepted if the change is already applied: a repeated request has the version of the first one.
    Repeatable,
    /// If the newest entry does not say what is there, an entry of that is written first: the change would lose what another
    /// program has changed since.
    RecordsFirst,
}

/// The description of an entry that records what is there.
const RECORDED: &str = "Changes of another program recorded";

/// A change of an application, over all of its attempts. `P` is its plan.
pub(super) struct ChangeOf<'c, P> {
    store: &'c Applications,
    id: &'c ApplicationId,
    expected: Option<u32>,
    mode: Mode,
    /// The description of its entry, if it is not computed.
    because: Option<String>,
    /// The same for every attempt, so that each can be recognized.
    entry_id: Uuid,
    plan: P,
}

/// What an attempt starts from.
struct Start<T> {
    source: Source,
    /// The history has entries up to this one, unless another program wrote none.
    known: u32,
    /// An attempt was cancelled, and may have been committed when it was first sent.
    tried: Option<Tried<T>>,
}

/// The entry that an attempt may have written, and the value of its plan.
struct Tried<T> {
    sequence: u32,
    value: T,
}

/// How an attempt ended, unless by an error.
enum Outcome<T> {
    /// It is written, or there is nothing to write.
    Done(Box<State>, T),
    /// What another program had changed is recorded as this version.
    Recorded(u32),
    /// Another attempt may succeed.
    Lost(Lost, Option<Tried<T>>),
}

impl<T> Start<T> {
    /// The next start after an attempt was lost.
    fn after(lost: Lost, known: u32, tried: Option<Tried<T>>) -> Self {
        let (source, known) = match lost {
            Lost::Race => (Source::Snapshot, known),
            Lost::Overtaken(version) => (Source::Snapshot, version),
            Lost::Disagreement => (Source::Items, known),
        };
        Self {
            source,
            known,
            tried,
        }
    }
}

impl<'c, P> ChangeOf<'c, P> {
    /// A change by `plan`.
    pub(super) fn new(
        store: &'c Applications,
        id: &'c ApplicationId,
        expected: Option<u32>,
        plan: P,
    ) -> Self {
        Self {
            store,
            id,
            expected,
            mode: Mode::Plain,
            because: None,
            entry_id: Uuid::new_v4(),
            plan,
        }
    }

    /// The same, in another mode.
    pub(super) fn mode(self, mode: Mode) -> Self {
        Self { mode, ..self }
    }

    /// The same, with this description of its entry.
    pub(super) fn because(self, description: String) -> Self {
        Self {
            because: Some(description),
            ..self
        }
    }

    /// Reads the application, plans, and writes the change with its history entry; repeats that after a pause if
    /// another change was first. A caller that expects a version is never retried over another change.
    pub(super) async fn run<T>(self) -> Result<(State, T), ChangeError>
    where
        P: Fn(&State, Timestamp) -> Result<(State, T), ChangeError>,
    {
        // Boxed, so that the futures of all mutations stay small.
        Box::pin(self.attempts(None)).await
    }

    /// As [`ChangeOf::run`], after an attempt that wrote `entry` was cancelled.
    pub(super) async fn run_after<T>(
        mut self,
        entry: &HistoryEntry,
        value: T,
    ) -> Result<(State, T), ChangeError>
    where
        P: Fn(&State, Timestamp) -> Result<(State, T), ChangeError>,
    {
        self.entry_id = entry.id;
        let sequence = entry.sequence();
        Box::pin(self.attempts(Some(Tried { sequence, value }))).await
    }

    async fn attempts<T>(mut self, tried: Option<Tried<T>>) -> Result<(State, T), ChangeError>
    where
        P: Fn(&State, Timestamp) -> Result<(State, T), ChangeError>,
    {
        let mut attempts = Attempts::new(&self.store.meter);
        let mut start = Start::after(Lost::Race, 0, tried);
        loop {
            let known = start.known;
            start = match self.attempt(start, &mut attempts).await? {
                Outcome::Done(state, value) => return Ok((*state, value)),
                Outcome::Recorded(version) => {
                    // Once is enough: the newest entry says what is there.
                    self.mode = Mode::Plain;
                    self.expected = self.expected.map(|_| version);
                    self.entry_id = Uuid::new_v4();
                    Start::after(Lost::Overtaken(version), known, None)
                }
                Outcome::Lost(lost, tried) => Start::after(lost, known, tried),
            };
            if let Err(exhausted) = attempts.pause().await {
                let tried = start.tried.ok_or(exhausted.clone())?;
                let made = self.made(tried.sequence).await?.ok_or(exhausted)?;
                return Ok((self.store.updated(made), tried.value));
            }
        }
    }

    /// One attempt: the application as it is, the plan for it, and one transaction.
    async fn attempt<T>(
        &self,
        start: Start<T>,
        attempts: &mut Attempts,
    ) -> Result<Outcome<T>, ChangeError>
    where
        P: Fn(&State, Timestamp) -> Result<(State, T), ChangeError>,
    {
        let store = self.store;
        let current = Box::pin(store.read_current(self.id, start.source, start.known)).await?;
        let current = current.ok_or(ChangeError::NotFound)?;
        let state = &current.state;
        // An attempt whose answer was lost may have been written.
        if let Some(tried) = start.tried
            && current.may_have(tried.sequence, self.entry_id)
            && let Some(made) = self.made(tried.sequence).await?
        {
            return Ok(Outcome::Done(Box::new(store.updated(made)), tried.value));
        }
        let now = store.now();
        let is_stale = !current.has_version(self.expected);
        let is_to_record = self.mode == Mode::RecordsFirst && !is_stale && !current.is_recorded;
        let is_full = state.application.is_at_the_last_version();
        let planned = match (self.plan)(state, now) {
            Ok((next, _)) if is_full && (is_to_record || !is_stale && next != *state) => {
                return Err(ChangeError::LastVersion);
            }
            Ok(_) if is_to_record => return self.record(&current, attempts).await,
            planned if !is_stale => planned,
            Ok((next, value)) if self.mode == Mode::Repeatable && next == *state => {
                Ok((next, value))
            }
            _ => Err(ChangeError::Conflict(Box::new(Present::Whole(
                state.clone(),
            )))),
        };
        let (next, value) = match planned {
            Ok(planned) => planned,
            // No condition checks that the snapshot is current.
            Err(refusal) => {
                return match store.outdated(&current).await? {
                    None => Err(refusal),
                    Some(lost) => Ok(Outcome::Lost(lost, None)),
                };
            }
        };
        let next = Box::pin(store.resumed(state, next, now)).await?;
        let Some(entry) = state.commit(next, self.because.clone(), self.entry_id, now) else {
            return Ok(match store.outdated(&current).await? {
                None => Outcome::Done(Box::new(current.state), value),
                Some(lost) => Outcome::Lost(lost, None),
            });
        };
        let entry = store.signed(entry);
        let sequence = entry.sequence();
        Ok(match store.write(&current, &entry, attempts).await? {
            None => Outcome::Done(Box::new(store.updated(entry)), value),
            Some(Lost::Race) => Outcome::Lost(Lost::Race, Some(Tried { sequence, value })),
            Some(lost) => Outcome::Lost(lost, None),
        })
    }

    /// Writes an entry of what is there.
    async fn record<T>(
        &self,
        current: &Current,
        attempts: &mut Attempts,
    ) -> Result<Outcome<T>, ChangeError> {
        let store = self.store;
        let entry = current.state.recorded(RECORDED, self.entry_id, store.now());
        let entry = store.signed(entry);
        Ok(match store.write(current, &entry, attempts).await? {
            None => Outcome::Recorded(store.updated(entry).application.version()),
            Some(Lost::Race) => Outcome::Lost(Lost::Disagreement, None),
            Some(lost) => Outcome::Lost(lost, None),
        })
    }

    /// The entry of a cancelled attempt, if it exists: when the SDK repeats a request whose answer was lost, the
    /// repetition is cancelled although the first one was committed. GetItem APP#id / HIST#sequence.
    async fn made(&self, sequence: u32) -> Result<Option<HistoryEntry>, StoreError> {
        let entry = self.store.entry(self.id, sequence).await?;
        Ok(entry.filter(|entry| entry.id == self.entry_id))
    }
}

impl Applications {
    /// Changes an application's fields and stages. Query APP#id / HIST# (the newest entry), TransactWriteItems.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn update(
        &self,
        id: &ApplicationId,
        expected: Option<u32>,
        change: &ApplicationChange,
    ) -> Result<State, ChangeError> {
        let change = ApplicationChange {
            details: self.with_defaults(&change.details),
            ..change.clone()
        };
        // As a stage that is added on its own.
        let mode = if change.added.is_empty() {
            Mode::Plain
        } else {
            Mode::Repeatable
        };
        self.change_state(id, expected, mode, |state, now| {
            state.change(change.clone(), now)
        })
        .await
    }

    async fn change_state(
        &self,
        id: &ApplicationId,
        expected: Option<u32>,
        mode: Mode,
        plan: impl Fn(&State, Timestamp) -> Result<State, Violations>,
    ) -> Result<State, ChangeError> {
        let change = ChangeOf::new(self, id, expected, |state: &State, now| {
            Ok((plan(state, now)?, ()))
        });
        Ok(change.mode(mode).run().await?.0)
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
        self.change_state(id, expected, Mode::Plain, |state, _| {
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
        self.change_state(id, expected, Mode::Repeatable, |state, now| {
            state.add_stage(stage.clone(), now)
        })
        .await
    }

    /// Patches a stage. As [`Applications::update`].
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn update_stage(
        &self,
        id: &ApplicationId,
        stage: &StageId,
        expected: Option<u32>,
        change: &StageChange,
    ) -> Result<State, ChangeError> {
        self.change_state(id, expected, Mode::Plain, |state, now| {
            state.update_stage(stage, change.clone(), now)
        })
        .await
    }

    /// Removes a stage. As [`Applications::update`].
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn remove_stage(
        &self,
        id: &ApplicationId,
        stage: &StageId,
        expected: Option<u32>,
    ) -> Result<State, ChangeError> {
        self.change_state(id, expected, Mode::Plain, |state, _| {
            state.remove_stage(stage)
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
        self.change_state(id, expected, Mode::Plain, |state, _| {
            state.reorder_stages(stages)
        })
        .await
    }

    /// Announces a change, and answers the application after it.
    pub(super) fn updated(&self, entry: HistoryEntry) -> State {
        self.announce(|| Change::written(ChangeKind::Updated, &entry.snapshot));
        entry.snapshot
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
        counting.change(&current.state.application, &entry.snapshot.application);
        let keeps_stages = current.state.stages() == entry.snapshot.stages();
        let written = if keeps_stages && !counting.is_empty() {
            let write = Write {
                current: Some(current.clone()),
                entry: entry.clone(),
            };
            self.commit_queued(write).await?.1
        } else {
            let transaction = self.add_change(self.table.transaction(), current, entry)?;
            self.commit_counted(transaction, counting).await?.written()
        };
        match written {
            Written::Committed => Ok(None),
            Written::Refused(refusal) => self.lost(current, entry, refusal, attempts).await,
        }
    }

    /// Adds the writes of one change to a transaction, the application first, then the entry.
    pub(super) fn add_change<'t>(
        &self,
        transaction: Transaction<'t>,
        current: &Current,
        entry: &HistoryEntry,
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
        for stage in before.stages() {
            if after.stage(&stage.key).is_some() {
                continue;
            }
            // Unless its last state is in the history, or it is not there.
            let unchanged = Condition::Any(vec![Condition::Missing, stage_conditions(stage)]);
            let key = self.scope.stage(&stage.application, &stage.key);
            transaction = transaction.delete(&key, &unchanged);
        }
        Ok(transaction)
    }
}
