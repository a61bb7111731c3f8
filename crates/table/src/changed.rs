//! The results of writes.

use super::{MalformedItem, TableError};

/// An entity that was made or changed.
#[derive(Clone, Debug)]
pub struct Changed<E> {
    /// The entity now.
    pub entity: E,
    /// Whether this call wrote it; else it was so before.
    pub is_written: bool,
}

impl<E> Changed<E> {
    /// An entity that this call wrote.
    pub fn now(entity: E) -> Self {
        Self {
            entity,
            is_written: true,
        }
    }

    /// An entity that was so before.
    pub fn before(entity: E) -> Self {
        Self {
            entity,
            is_written: false,
        }
    }

    /// What is made of the entity.
    pub fn map<T>(self, make: impl FnOnce(E) -> T) -> Changed<T> {
        Changed {
            entity: make(self.entity),
            is_written: self.is_written,
        }
    }
}

/// Why an entity was not made or changed. Unless the store failed, nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError<R> {
    /// The rules, or what else is stored, do not allow it.
    #[error("refused")]
    Refused(R),
    /// It is not there.
    #[error("not there")]
    NotFound,
    /// It is not at the version that the caller expects.
    #[error("at version {current}")]
    Conflict {
        /// The version that it is at.
        current: u32,
    },
    /// It has been changed as often as versions are counted.
    #[error("at the last version")]
    LastVersion,
    /// Something else has its id.
    #[error("the id is taken")]
    Taken,
    /// Others were faster each time.
    #[error("too many others change it")]
    Contended,
    /// The store failed.
    #[error(transparent)]
    Table(#[from] TableError),
}

impl<R> ChangeError<R> {
    /// Replaces `NotFound` with this refusal.
    pub fn if_missing(self, refusal: R) -> Self {
        match self {
            ChangeError::NotFound => ChangeError::Refused(refusal),
            error => error,
        }
    }
}

impl<R> From<MalformedItem> for ChangeError<R> {
    fn from(error: MalformedItem) -> Self {
        ChangeError::Table(error.into())
    }
}

impl From<trestle_domain::Violations> for ChangeError<trestle_domain::Violations> {
    fn from(violations: trestle_domain::Violations) -> Self {
        ChangeError::Refused(violations)
    }
}
