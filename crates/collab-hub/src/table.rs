//! The table of collab-hub and its indexes.

use chrono::TimeDelta;

use trestle_domain::Moment;
use trestle_table::{IndexDefinition, TableDefinition};

/// The table.
pub static TABLE: TableDefinition = TableDefinition::new("collabhub-main", "PK", "SK")
    .typed("entityType")
    .expiring("ttl")
    .indexed(&[&GSI1, &GSI2, &GSI3, &GSI4]);

/// Reverse look-ups and the things of a user.
pub static GSI1: IndexDefinition = IndexDefinition::new("GSI1", "GSI1PK", "GSI1SK");
/// By status.
pub static GSI2: IndexDefinition = IndexDefinition::new("GSI2", "GSI2PK", "GSI2SK");
/// One type of entity over a time range.
pub static GSI3: IndexDefinition = IndexDefinition::new("GSI3", "entityType", "createdAt");
/// A user by email address.
pub static GSI4: IndexDefinition = IndexDefinition::unsorted("GSI4", "email");

/// The `ttl` of an item that is kept for so many days, in seconds after 1970.
pub fn after_days(from: Moment, days: i64) -> Option<i64> {
    let kept = TimeDelta::try_days(days)?;
    Some(from.millis() / 1000 + kept.num_seconds())
}
