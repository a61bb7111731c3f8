//! Restoring an application to an earlier history entry.

use crate::error::ChangeError;
use crate::model::{Application, ApplicationId, Restored, State, Timestamp};

use super::Applications;
use super::change::{ChangeOf, Mode};
use super::current::Source;

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
        let created = Application::of_json(id, snapshot.clone());
        let created = created.and_then(|created| created.created_at.get());
        let plan = |state: &State, at: Timestamp| {
            let now = state.application.created_at.get();
            // Otherwise the entry belongs to a deleted application with the same id.
            let is_its = created.zip(now).is_none_or(|(created, now)| created == now);
            let restored = state.restore(snapshot, at).filter(|_| is_its);
            let restored = restored.ok_or(ChangeError::NoEntry)?;
            Ok((restored.state, restored.kept))
        };
        let change = ChangeOf::new(self, id, expected, plan)
            .mode(Mode::RecordsFirst)
            .because(format!("Restored to entry {sequence}"));
        let (state, kept) = change.run().await?;
        Ok(Restored { state, kept })
    }
}
