//! Reading runs by what names them.

use std::collections::HashMap;

use crate::graph_runs::error::StoreError;
use crate::graph_runs::items::RunItem;
use crate::graph_runs::keys;
use crate::graph_runs::model::{Run, RunId, Timestamp, UserId};
use crate::table::{Consistency, Item, Key, Order, Pk, Projection, Sk, from_item};

use super::Runs;

/// What names a run of the viewer by its primary key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NodeKey {
    /// When it was made.
    pub created_at: Timestamp,
    /// Its id.
    pub id: RunId,
}

pub(super) fn read_run(item: Item) -> Result<Run, StoreError> {
    Ok(from_item::<RunItem>(item)?.try_into()?)
}

impl Runs {
    /// A run by its id: the viewer's, or anyone's for a worker. GSI1 `RUN#id` (and `USER#viewer`), one Query;
    /// eventually consistent, as indexes are.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn run(&self, id: &RunId) -> Result<Option<Run>, StoreError> {
        let mut query = self
            .place
            .table
            .query_index(keys::gsi1(), keys::by_id(id))
            .limit(1);
        if !self.is_worker() {
            let owner = keys::owner(&self.user());
            query = query.between(owner.clone(), owner);
        }
        let page = query.page(&self.meter).await?;
        page.items.into_iter().next().map(read_run).transpose()
    }

    /// A run as it is just now. `USER#user` / `RUN#createdAt#run`, one GetItem, strongly consistent.
    ///
    /// # Errors
    /// [`StoreError`].
    pub(super) async fn fresh(&self, run: &Run) -> Result<Option<Run>, StoreError> {
        let key = keys::run(&run.user, run.created_at, &run.id);
        let get = self.place.table.get(key).consistency(Consistency::Strong);
        get.send(&self.meter).await?.map(read_run).transpose()
    }

    /// The viewer's latest run. `USER#viewer` / `RUN#`, backwards, one Query of one item.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn latest(&self) -> Result<Option<Run>, StoreError> {
        let page = self
            .place
            .table
            .query(keys::partition(&self.user()))
            .begins_with(keys::runs())
            .order(Order::Descending)
            .limit(1)
            .page(&self.meter)
            .await?;
        page.items.into_iter().next().map(read_run).transpose()
    }

    /// Runs of the viewer by their keys, in that order; `None` where one is not there. BatchGetItem, one call
    /// for each 100, strongly consistent.
    ///
    /// # Errors
    /// [`StoreError`]; a malformed item is an error in its own place.
    pub async fn nodes(
        &self,
        asked: &[Option<NodeKey>],
    ) -> Result<Vec<Option<Result<Run, StoreError>>>, StoreError> {
        let user = self.user();
        let key_of = |node: &NodeKey| keys::run(&user, node.created_at, &node.id);
        let found = self
            .place
            .table
            .batch_get(
                asked.iter().flatten().map(key_of),
                &Projection::All,
                Consistency::Strong,
                &self.meter,
            )
            .await?;
        let found: HashMap<Key, Item> = found
            .into_iter()
            .filter_map(|item| Some((stored_key(&item)?, item)))
            .collect();
        let run = |node: &Option<NodeKey>| {
            let item = found.get(&key_of(node.as_ref()?))?;
            Some(read_run(item.clone()))
        };
        Ok(asked.iter().map(run).collect())
    }

    /// Whether the table answers. One GetItem of an item that need not be there.
    pub async fn answers(&self) -> bool {
        let key = Key::new(keys::partition(&UserId::new("")), Sk::word("RUN"));
        self.place.table.get(key).send(&self.meter).await.is_ok()
    }
}

/// The primary key of an item that was read with it.
pub(super) fn stored_key(item: &Item) -> Option<Key> {
    let part = |name: &str| Some(item.get(name)?.as_s().ok()?.clone());
    let (pk, sk) = (keys::TABLE.partition_key, keys::TABLE.sort_key);
    Some(Key::new(Pk::stored(part(pk)?), Sk::stored(part(sk)?)))
}
