//! The single-table layer over `aws_sdk_dynamodb`: typed keys, entities, queries, batches, transactions,
//! cursors, capacity. The one place that writes a key's separator, builds an expression or follows a
//! LastEvaluatedKey. Knows no service and no GraphQL.

// The futures of resolvers, loaders and the SDK's calls nest deeper than the default allows.
#![recursion_limit = "256"]

mod addition;
mod batch;
mod canceled;
mod capacity;
mod changed;
pub mod clock;
pub mod cursor;
mod definition;
mod entity;
mod error;
mod expression;
mod foreign;
mod item;
mod key;
mod lease;
mod listing;
mod manage;
mod options;
mod paging;
mod place;
mod query;
mod read;
mod retry;
mod size;
mod spelling;
mod step;
mod storable;
mod stream;
mod tables;
mod transaction;
mod tries;
mod unit;
mod update;
mod versioned;
mod write;

pub use addition::Addition;
pub use canceled::{Canceled, Step, UnitError};
pub use capacity::{CallKind, Meter, ReadBudget, Spent};
pub use changed::{ChangeError, Changed};
pub use cursor::Direction;
pub use definition::{IndexDefinition, KeyAttribute, TableDefinition};
pub use entity::{Entity, IndexKey, ToItem, from_item, item_of};
pub use error::{DISK_FULL, Failing, MalformedItem, TableError};
pub use expression::{Condition, Projection};
pub use foreign::{ForeignItem, KeyedAttributes};
pub use item::Item;
pub use key::{Key, Pk, Sk, SkPrefix, segments, split_first};
pub use lease::LeaseWatch;
pub use listing::Listing;
pub use manage::TableCheck;
pub use options::TableOptions;
pub use paging::{PageAsk, Row, Rows, VisibilityFilter};
pub use place::RowPlace;
pub use query::{Order, Page, Query, SortRange};
pub use read::{Consistency, Get};
pub use retry::{Exhausted, Retries};
pub use size::bytes_of;
pub use step::{MAX_BYTES, MAX_ITEMS};
pub use storable::{MAX_DEPTH, check_storable};
pub use stream::{ItemChange, StreamReader};
pub use tables::Tables;
pub use transaction::{Reason, Transaction, TransactionError};
pub use trestle_domain::Segment;
pub use unit::TransactionBuilder;
pub use update::Update;
pub use versioned::Versioned;
pub use write::WriteError;

use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::Client;

/// One table: whom to ask, what it is, and what this deployment calls it.
#[derive(Clone, Debug)]
pub struct Table {
    client: Client,
    definition: &'static TableDefinition,
    name: Arc<str>,
    index_lag: Duration,
}

impl Table {
    /// The table that `definition` describes, named `name`.
    pub fn new(client: Client, definition: &'static TableDefinition, name: &str) -> Self {
        Self {
            client,
            definition,
            name: name.into(),
            index_lag: Duration::ZERO,
        }
    }

    /// The same table, whose indexes may be behind its items for so long.
    pub fn with_index_lag(self, index_lag: Duration) -> Self {
        Self { index_lag, ..self }
    }

    /// How long an index may be behind the items. What decides by an index looks again after it.
    pub fn index_lag(&self) -> Duration {
        self.index_lag
    }

    /// What the table is.
    pub fn definition(&self) -> &'static TableDefinition {
        self.definition
    }

    /// What this deployment calls it.
    pub fn name(&self) -> &str {
        &self.name
    }
}

// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
