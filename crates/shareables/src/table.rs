//! The tables: one for everything that is shared, one for the short ids that are still free.

use trestle_table::TableDefinition;

/// Shareables, what they consist of, and what guards them.
pub static TABLE: TableDefinition = TableDefinition::new("shareables", "pk", "sk")
    .typed("entity")
    .expiring("ttl");

/// Free short ids in buckets, which are numbered.
pub static POOL: TableDefinition = TableDefinition::new("short-id-pool", "pk", "sk").numbered();
