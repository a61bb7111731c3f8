//! Items by their keys, read together: resolvers of one request that ask at the same time share a BatchGetItem.

use std::collections::HashMap;
use std::fmt;

use dataloader::BatchFn;
use dataloader::non_cached::Loader;

use super::ApiError;
use trestle_table::{Item, Key, Tables};

/// Where an item is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Place {
    /// The table's default name.
    table: &'static str,
    key: Key,
}

type Found = Result<Option<Item>, ApiError>;

/// Loads items for one request. Nothing is kept between loads, so a mutation never reads what it has just changed.
#[derive(Clone)]
pub(super) struct Items(Loader<Place, Found, Fetch>);

#[derive(Clone)]
struct Fetch(Tables);

impl Items {
    /// A loader on these tables.
    pub(super) fn new(tables: Tables) -> Self {
        Self(Loader::new(Fetch(tables)))
    }

    /// The item with this key. One BatchGetItem for every 100 keys that are asked for at the same time.
    pub(super) async fn load(&self, table: &'static str, key: Key) -> Found {
        self.0.load(Place { table, key }).await
    }
}

impl fmt::Debug for Items {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Items")
    }
}

impl BatchFn<Place, Found> for Fetch {
    async fn load(&mut self, places: &[Place]) -> HashMap<Place, Found> {
        let keys = places.iter().map(|place| (place.table, place.key.clone()));
        let found = self.0.items(keys).await.map_err(ApiError::from);
        let places = places.iter().map(|place| {
            let found = found.as_ref().map_err(Clone::clone);
            let item = found.map(|items| items.get(&(place.table, place.key.clone())).cloned());
            (place.clone(), item)
        });
        places.collect()
    }
}
