//! The tables of a service, read and written as entities.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use futures_util::future::try_join_all;

use super::{
    Consistency, Entity, Item, Key, MalformedItem, Meter, Projection, Retries, Table,
    TableDefinition, TableError, from_item,
};
use crate::clock::Clock;

/// How often a transaction that met other writes is tried again.
const RETRIES: usize = 24;

/// The tables of a service, the calls to them counted into one meter. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Tables {
    tables: Arc<[Table]>,
    meter: Meter,
    clock: Clock,
}

impl Tables {
    /// These tables.
    pub fn new(tables: impl IntoIterator<Item = Table>, clock: Clock) -> Self {
        Self {
            tables: tables.into_iter().collect(),
            meter: Meter::default(),
            clock,
        }
    }

    /// The same tables, their calls counted into `meter`.
    pub fn counting(&self, meter: Meter) -> Self {
        Self {
            meter,
            ..self.clone()
        }
    }

    /// What counts the calls.
    pub fn meter(&self) -> &Meter {
        &self.meter
    }

    /// The time.
    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// Where the time comes from.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The tries of a transaction that may meet other writes.
    pub fn retries(&self) -> Retries {
        Retries::new(RETRIES, &self.meter)
    }

    /// The table that an entity's items are in.
    pub fn of<E: Entity>(&self) -> Result<&Table, TableError> {
        self.by(E::TABLE)
    }

    /// The table with this definition.
    ///
    /// # Errors
    /// The service does not open it, which is a bug.
    pub fn by(&self, definition: &TableDefinition) -> Result<&Table, TableError> {
        self.called(definition.default_name)
    }

    fn called(&self, default_name: &str) -> Result<&Table, TableError> {
        for table in self.tables.iter() {
            if table.definition.default_name == default_name {
                return Ok(table);
            }
        }
        let message = format!("the service does not open {default_name}");
        Err(TableError::Built(message.into()))
    }

    /// An entity by its id, as it is just now. One GetItem, strongly consistent.
    pub async fn get<E: Entity>(&self, id: &E::Id) -> Result<Option<E>, TableError> {
        let item = self.item::<E>(id).await?;
        Ok(item.map(from_item).transpose()?)
    }

    pub(super) async fn item<E: Entity>(&self, id: &E::Id) -> Result<Option<Item>, TableError> {
        let get = self.of::<E>()?.get(E::key_of(id));
        get.consistency(Consistency::Strong).send(&self.meter).await
    }

    /// Entities by their ids, in that order; `None` where one is not there. BatchGetItem, one call for each 100,
    /// strongly consistent.
    pub async fn batch<E: Entity>(
        &self,
        ids: &[E::Id],
    ) -> Result<Vec<Option<Result<E, MalformedItem>>>, TableError> {
        let name = E::TABLE.default_name;
        let keys: Vec<_> = ids.iter().map(|id| (name, E::key_of(id))).collect();
        let found = self.items(keys.clone()).await?;
        let entities = keys
            .iter()
            .map(|key| found.get(key).cloned().map(from_item));
        Ok(entities.collect())
    }

    /// Items of any of the tables, by the table's default name and the key. Items that do not exist are left out. One
    /// BatchGetItem for every 100 keys of a table, sent together, strongly consistent.
    pub async fn items(
        &self,
        keys: impl IntoIterator<Item = (&'static str, Key)>,
    ) -> Result<HashMap<(&'static str, Key), Item>, TableError> {
        let mut of: HashMap<&'static str, Vec<Key>> = HashMap::new();
        for (name, key) in keys {
            of.entry(name).or_default().push(key);
        }
        let reads = of.into_iter().map(|(name, keys)| async move {
            let table = self.called(name)?;
            let strong = Consistency::Strong;
            let items = table.batch_get(keys, &Projection::All, strong, &self.meter);
            let keyed = items.await?.into_iter().filter_map(|item| {
                let key = table.definition.key_in(&item)?;
                Some(((name, key), item))
            });
            Ok::<_, TableError>(keyed.collect::<Vec<_>>())
        });
        Ok(try_join_all(reads).await?.into_iter().flatten().collect())
    }

    /// Whether every table answers: one GetItem each, of an item that need not be there.
    pub async fn answer(&self) -> bool {
        let reads = self.tables.iter().map(|table| {
            let key = table.definition.any_key();
            table.get(key).send(&self.meter)
        });
        try_join_all(reads).await.is_ok()
    }
}
