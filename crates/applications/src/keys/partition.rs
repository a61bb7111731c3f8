//! The partitions of the indexes.

use crate::model::{Application, Status};
use trestle_table::IndexDefinition;

use super::table::{GSI1, GSI2};

/// One partition of an index over applications, sorted by their last update.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Partition {
    /// GSI2: `ACTIVE`, everything that is not archived.
    Active,
    /// GSI1: `STATUS#<status>#ARCHIVED#0`.
    Status(Status),
    /// GSI1: `STATUS#<status>#ARCHIVED#1`.
    Archived(Status),
}

impl Partition {
    /// The partitions of GSI1.
    pub fn by_status() -> impl Iterator<Item = Self> {
        let statuses = Status::ALL.iter();
        statuses.flat_map(|status| [Partition::Status(*status), Partition::Archived(*status)])
    }

    /// The partitions of both indexes.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::by_status().chain([Partition::Active])
    }

    /// The partition of GSI1 that an application is in; `None` if its status cannot be read.
    pub fn of(application: &Application) -> Option<Self> {
        let status = application.details.status.get()?;
        Some(if !application.is_archived() {
            Partition::Status(status)
        } else {
            Partition::Archived(status)
        })
    }

    /// The index that has the partition.
    pub fn index(self) -> &'static IndexDefinition {
        match self {
            Partition::Active => &GSI2,
            Partition::Status(_) | Partition::Archived(_) => &GSI1,
        }
    }
}
