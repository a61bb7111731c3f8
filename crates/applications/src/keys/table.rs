//! The table and its indexes.

use trestle_table::{IndexDefinition, TableDefinition};

/// The table.
pub static TABLE: TableDefinition =
    TableDefinition::new("lambda_api_applications", "PK", "SK").indexed(&[&GSI1, &GSI2]);

/// GSI1: one status, archived or not, by its last update.
pub static GSI1: IndexDefinition = IndexDefinition::new("GSI1", "GSI1PK", "GSI1SK");

/// GSI2, sparse: everything that is not archived, by its last update.
pub static GSI2: IndexDefinition = IndexDefinition::new("GSI2", "GSI2PK", "GSI2SK");
