//! What can go wrong between us and DynamoDB, classified once.

use std::error::Error as StdError;

use aws_sdk_dynamodb::error::{BuildError, ProvideErrorMetadata, SdkError};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;

use super::transaction::Reason;

/// A call that failed. Its text is for the log: it names operations and may name tables.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// DynamoDB does not answer, answers with a fault of its own, or throttles beyond the retries. The
    /// same request may succeed later; whether a write took effect is not known.
    #[error("{operation}: unavailable")]
    Unavailable {
        /// The DynamoDB operation.
        operation: &'static str,
        /// What the SDK said.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// DynamoDB refused the request as such: no permission, no such table, a malformed expression.
    #[error("{operation}: refused ({code})")]
    Refused {
        /// The DynamoDB operation.
        operation: &'static str,
        /// DynamoDB's error code.
        code: String,
        /// What the SDK said.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// A batch was never done whole, however often its rest was sent again.
    #[error("{operation}: {left} keys were still unprocessed after all retries")]
    Unprocessed {
        /// The DynamoDB operation.
        operation: &'static str,
        /// How many keys were left.
        left: usize,
    },
    /// The table was created and does not become active.
    #[error("the table does not become active")]
    NotActive,
    /// An item does not have the attributes that its type needs.
    #[error(transparent)]
    Malformed(#[from] MalformedItem),
    /// A request could not be put together: a fault of ours.
    #[error("the request could not be built")]
    Built(#[source] Box<dyn StdError + Send + Sync>),
}

/// An item that another program wrote wrongly, or that is not what its key says.
#[derive(Clone, Debug, thiserror::Error)]
#[error("a stored {entity} is malformed: {reason}")]
pub struct MalformedItem {
    /// The entity that it should be.
    pub entity: &'static str,
    /// Which attribute is missing or mistyped.
    pub reason: String,
}

/// Why a transaction was not done.
#[derive(Debug, thiserror::Error)]
pub enum TransactionError {
    /// DynamoDB refused it whole: one reason per item of the transaction, `None` where the item was fine.
    #[error("the transaction was cancelled: {0:?}")]
    Canceled(Vec<Option<Reason>>),
    /// The call itself failed.
    #[error(transparent)]
    Table(#[from] TableError),
}

impl TableError {
    /// Classifies what the SDK answered to `operation`.
    pub(super) fn of<E>(operation: &'static str, error: SdkError<E, HttpResponse>) -> Self
    where
        E: ProvideErrorMetadata + StdError + Send + Sync + 'static,
    {
        let code = error.code().unwrap_or_default().to_owned();
        let refused = match &error {
            SdkError::ConstructionFailure(_) => true,
            // A success that cannot be read was cut off; a 5xx of a proxy has no code that we know.
            SdkError::ServiceError(context) => {
                context.raw().status().is_client_error() && !is_transient(&code)
            }
            _ => false,
        };
        let source = Box::new(error);
        if refused {
            TableError::Refused {
                operation,
                code,
                source,
            }
        } else {
            TableError::Unavailable { operation, source }
        }
    }

    pub(super) fn built(error: BuildError) -> Self {
        TableError::Built(Box::new(error))
    }
}

/// Codes after which the same request may succeed.
/// Source: "Error handling with DynamoDB", the DynamoDB Developer Guide.
fn is_transient(code: &str) -> bool {
    matches!(
        code,
        "InternalServerError"
            | "InternalFailure"
            | "ServiceUnavailable"
            | "ThrottlingException"
            | "Throttling"
            | "ProvisionedThroughputExceededException"
            | "RequestLimitExceeded"
            | "LimitExceededException"
            | "TransactionInProgressException"
            | "ReplicatedWriteConflictException"
    )
}
