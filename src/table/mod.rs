//! The single-table layer over `aws_sdk_dynamodb`: typed keys, entities, queries, batches, transactions,
//! cursors, capacity. The one place that writes a key's separator, builds an expression or follows a
//! LastEvaluatedKey. Knows no service and no GraphQL.

mod batch;
mod capacity;
pub mod cursor;
mod definition;
mod entity;
mod error;
mod expression;
mod key;
mod query;
mod read;
mod retry;
mod stream;
mod transaction;
mod write;

pub use capacity::{CallKind, Meter, Spent};
pub use cursor::Direction;
pub use definition::{IndexDefinition, TableDefinition, Verdict};
pub use entity::{Entity, IndexKey, Item, from_item};
pub use error::{MalformedItem, TableError, TransactionError};
pub use expression::{Condition, Projection};
pub use key::{Key, Pk, Segment, Sk, SkPrefix, segments};
pub use query::{Order, Page, Query};
pub use read::{Consistency, Get};
pub use retry::{Exhausted, Retries};
pub use stream::{ItemChange, StreamReader};
pub use transaction::{MAX_BYTES, MAX_ITEMS, Reason, Transaction, Update};
pub use write::WriteError;

use std::sync::Arc;

use aws_sdk_dynamodb::Client;

/// One table: whom to ask, what it is, and what this deployment calls it.
#[derive(Clone, Debug)]
pub struct Table {
    client: Client,
    definition: &'static TableDefinition,
    name: Arc<str>,
}

impl Table {
    /// The table that `definition` describes, named `name`.
    pub fn new(client: Client, definition: &'static TableDefinition, name: &str) -> Self {
        Self {
            client,
            definition,
            name: name.into(),
        }
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
