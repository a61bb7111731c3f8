//! Going back: restoring an application to an earlier history entry, and to a status that was left by mistake.

use crate::error::{ChangeError, StoreError};
use crate::model::{Application, ApplicationId, Restored, State, Timestamp};
use trestle_table::Direction;

use super::Applications;
use super::change::{ChangeOf, Mode};
use super::current::Source;
use super::history::{Content, HistoryRange};

/// How many of the newest history entries may have been made within an hour since the mistake.
const ENTRIES: usize = 25;

impl Applications {
    /// Restores an application to what it was after an earlier change. As [`Applications::update`], and the
    /// entry by GetItem APP#id / HIST#sequence. If another program has changed the application since the newest entry,
    /// one entry more records what is there, so that nothing is lost.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn restore(
        &self,
        id: &ApplicationId,
        expected: Option<u32>,
        sequence: u32,
    ) -> Result<Restored, ChangeError> {
        let earlier = match self.entry_item(id, sequence).await? {
            Some(entry) => entry,
            None => match self.read_current(id, Source::Items, 0).await? {
                Some(_) => return Err(ChangeError::NoEntry),
                None => return Err(ChangeError::NotFound),
            },
        };
        let snapshot = earlier.snapshot();
        let exact = earlier.exact_snapshot();
        let created = Application::of_json(id, snapshot.clone());
        let created = created.and_then(|created| created.created_at.get());
        let plan = |state: &State, at: Timestamp| {
            let now = state.application.created_at.get();
            // Otherwise the entry belongs to a deleted application with the same id.
            let is_its = created.zip(now).is_none_or(|(created, now)| created == now);
            let restored = state.restore(snapshot, &exact, at).filter(|_| is_its);
            let restored = restored.ok_or(ChangeError::NoEntry)?;
            Ok((restored.state, restored.kept))
        };
        let change = ChangeOf::new(self, id, expected, plan)
            .mode(Mode::RecordsFirst)
            .because(format!("Restored to entry {sequence}"));
        let (state, kept) = change.run().await?;
        Ok(Restored { state, kept })
    }

    /// `next`, whose status goes on if it was left by mistake and is set by hand again: as if it was restored. If the application has
    /// its present status for less than an hour, and had that of `next` before, Query APP#id / HIST#.
    ///
    /// # Errors
    /// [`StoreError`].
    pub(super) async fn resumed(
        &self,
        state: &State,
        mut next: State,
        now: Timestamp,
    ) -> Result<State, StoreError> {
        let application = &state.application;
        let is_restored = next.application.status_since != application.status_since;
        if is_restored || !state.may_undo_a_mistake(&next, now) {
            return Ok(next);
        }
        let range = HistoryRange {
            size: ENTRIES,
            direction: Direction::Forward,
            cursor: None,
            content: Content::Snapshots,
        };
        let page = self.history(&application.id, &range).await?;
        for line in page.lines {
            let then = Application::of_json(&application.id, line.entry.snapshot().clone());
            if then.is_some_and(|then| state.resume(&mut next.application, &then, now)) {
                break;
            }
        }
        Ok(next)
    }
}
