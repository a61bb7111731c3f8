//! The pool of free short ids, in a table of its own: `0` to `999` / `available#01`.

mod claim;
mod refill;

pub use claim::{Belongings, NewParts, NotCreated, create};
pub use refill::{Refill, fill, keep_filled};

use serde::{Deserialize, Serialize};

use super::short_id::ShortId;
use super::table::POOL;
use trestle_table::{
    Entity, Item, Key, MalformedItem, Pk, Sk, TableDefinition, TableError, Tables,
};
use trestle_table::{Query, SkPrefix, from_item};

/// How many buckets the pool has.
const BUCKETS: u32 = 1000;
/// The word that sort keys of free short ids begin with.
const AVAILABLE: &str = "available";

/// A free short id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Free {
    #[serde(rename = "pk")]
    bucket: u32,
    /// `available#01`.
    #[serde(rename = "sk")]
    place: String,
    id: ShortId,
}

impl Entity for Free {
    const TABLE: &'static TableDefinition = &POOL;
    const KIND: &'static str = "free short id";
    type Id = (u32, String);

    fn key_of((bucket, place): &Self::Id) -> Key {
        Key::new(Pk::value(*bucket), Sk::stored(place.as_str()))
    }

    fn identity(&self) -> Self::Id {
        (self.bucket, self.place.clone())
    }
}

/// The sort key of a bucket's entry with this number, counted from 1.
fn place(number: u32) -> String {
    Sk::of(AVAILABLE, format!("{number:02}"))
        .as_str()
        .to_owned()
}

/// The free short ids of a bucket. One Query.
fn bucket(tables: &Tables, bucket: u32) -> Result<Query<'_>, TableError> {
    let query = tables.of::<Free>()?.query(Pk::value(bucket));
    Ok(query.begins_with(SkPrefix::of(AVAILABLE)))
}

fn free(item: Item) -> Result<Free, MalformedItem> {
    from_item(item)
}
