//! Reading runs by what names them.

use crate::error::{ChangeError, StoreError};
use crate::keys;
use crate::model::{Pointer, Run, RunId};
use trestle_table::{Entity, Listing};

use super::Runs;

impl Runs {
    /// A run by its id: the viewer's, or anyone's for a worker. GSI1 `RUN#id` (and `USER#viewer`), one Query;
    /// eventually consistent, as indexes are.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn run(&self, id: &RunId) -> Result<Option<Run>, StoreError> {
        let mut one = Listing::on("run", &keys::GSI1, keys::by_id(id));
        if !self.is_worker() {
            one = one.exactly(keys::owner(&self.user()));
        }
        Ok(self.session.tables.first(&one).await?)
    }

    /// A run that is to be changed, by its id: the viewer's, or anyone's for a worker. As [`Runs::run`]; a run that GSI1 does
    /// not have yet is found by its pointer: `RUN#id` / `POINTER`, then `USER#user` / `RUN#createdAt#run`, two GetItem,
    /// strongly consistent.
    ///
    /// # Errors
    /// [`ChangeError::NotFound`], [`ChangeError::Store`].
    pub(super) async fn run_to_change(&self, id: &RunId) -> Result<Run, ChangeError> {
        if let Some(run) = self.run(id).await? {
            return Ok(run);
        }
        let pointer = self.session.tables.get::<Pointer>(id).await?;
        let pointer = pointer.ok_or(ChangeError::NotFound)?;
        if !self.is_worker() && pointer.user_id != self.user() {
            return Err(ChangeError::NotFound);
        }
        let run = (pointer.user_id, pointer.created_at, pointer.run_id);
        let run = self.session.tables.get(&run).await?;
        run.ok_or(ChangeError::NotFound)
    }

    /// A run as it is just now. `USER#user` / `RUN#createdAt#run`, one GetItem, strongly consistent.
    ///
    /// # Errors
    /// [`StoreError`].
    pub(super) async fn fresh(&self, run: &Run) -> Result<Option<Run>, StoreError> {
        Ok(self.session.tables.get(&run.identity()).await?)
    }

    /// The viewer's latest run. `USER#viewer` / `RUN#`, backwards, one Query of one item.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn latest(&self) -> Result<Option<Run>, StoreError> {
        let runs = Listing::of("runs", keys::partition(&self.user()));
        let latest = runs.begins_with(keys::runs()).newest_first();
        Ok(self.session.tables.first(&latest).await?)
    }
}
