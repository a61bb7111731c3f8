//! Why an upload was refused or failed.

use crate::api::{ApiError, UserError, user_errors};
use crate::domain::Violations;
use crate::table::ChangeError;

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

impl<E: Into<ChangeError<Violations>>> From<E> for Failed {
    fn from(error: E) -> Self {
        Failed::Change(error.into())
    }
}
