//! The payloads of the mutations: the run after it, or errors that the user can correct.

use async_graphql::SimpleObject;

use crate::error::{ChangeError, user_errors};
use crate::model::Run;
use trestle_api::{ApiError, UserError};
use trestle_files::SignedUrl as Signed;

use super::types::SignedUrl;

macro_rules! payloads {
    ($($(#[$doc:meta])* $type:ident { $(#[$run_doc:meta])* })+) => {
        $(
            $(#[$doc])*
            #[derive(SimpleObject, Default)]
            pub struct $type {
                $(#[$run_doc])*
                run: Option<Run>,
                /// Validation errors. If not empty, nothing was changed.
                user_errors: Vec<UserError>,
            }

            impl $type {
                pub(super) fn of(changed: Result<Run, ChangeError>) -> Result<Self, ApiError> {
                    Ok(match changed {
                        Ok(run) => Self { run: Some(run), ..Self::default() },
                        Err(error) => Self { user_errors: user_errors(error)?, ..Self::default() },
                    })
                }
            }
        )+
    };
}

payloads!(
    /// The result of `startRun`.
    StartRunPayload {
        /// The run after the mutation. Null if the mutation was refused.
    }
    /// The result of `retryRun`.
    RetryRunPayload {
        /// The run after the mutation. Null if the mutation was refused.
    }
    /// The result of `failRun`.
    FailRunPayload {
        /// The run after the mutation. Null if the mutation was refused.
    }
    /// The result of `completeRun`.
    CompleteRunPayload {
        /// The run after the mutation. Null if the mutation was refused.
    }
    /// The result of `deleteRun`.
    DeleteRunPayload {
        /// The run as it was. Null if the mutation was refused.
    }
);

/// The result of `createRun`.
#[derive(SimpleObject, Default)]
pub struct CreateRunPayload {
    /// The run. Null if the mutation was refused.
    run: Option<Run>,
    /// Where to `PUT` the file. Null if the mutation was refused.
    upload: Option<SignedUrl>,
    /// Validation errors. If not empty, nothing was changed.
    user_errors: Vec<UserError>,
}

impl CreateRunPayload {
    pub(super) fn of(created: Result<(Run, Signed), ChangeError>) -> Result<Self, ApiError> {
        Ok(match created {
            Ok((run, upload)) => Self {
                run: Some(run),
                upload: Some(upload.into()),
                user_errors: Vec::new(),
            },
            Err(error) => Self {
                user_errors: user_errors(error)?,
                ..Self::default()
            },
        })
    }
}
