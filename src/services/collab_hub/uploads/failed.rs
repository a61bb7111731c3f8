//! Why an upload was refused or failed.

use crate::api::{ApiError, UserError, user_errors};
use crate::domain::Violations;
use crate::services::collab_hub::member::Denied;
use crate::table::{ChangeError, TableError};

/// Why a file was not uploaded or attached.
pub enum Failed {
    Change(ChangeError<Violations>),
    Api(ApiError),
}

impl Failed {
    /// The user errors of a change.
    ///
    /// # Errors
    /// It was not a change that failed.
    pub fn user_errors(self) -> Result<Vec<UserError>, ApiError> {
        match self {
            Failed::Change(error) => user_errors(error),
            Failed::Api(error) => Err(error),
        }
    }
}

impl From<ChangeError<Violations>> for Failed {
    fn from(error: ChangeError<Violations>) -> Self {
        Failed::Change(error)
    }
}

impl From<Violations> for Failed {
    fn from(violations: Violations) -> Self {
        Failed::Change(violations.into())
    }
}

impl From<Denied> for Failed {
    fn from(denied: Denied) -> Self {
        Failed::Change(denied.into())
    }
}

impl From<TableError> for Failed {
    fn from(error: TableError) -> Self {
        Failed::Change(error.into())
    }
}
