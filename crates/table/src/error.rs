//! What can go wrong between us and DynamoDB, classified once.

use std::error::Error as StdError;

use aws_sdk_dynamodb::error::{BuildError, ProvideErrorMetadata, SdkError};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;

/// A call that failed. Its text is for the log: it names operations and may name tables.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// DynamoDB does not answer, or throttles beyond the retries. Nothing was changed, and the same request may succeed
    /// later.
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
    /// The item as it would be is larger than DynamoDB stores (400 KB). Nothing was changed.
    #[error("an item would have more than 400 KB")]
    Oversized,
    /// The embedded store's disk is full. Nothing was changed.
    #[error("the disk is full")]
    DiskFull,
    /// DynamoDB throttles beyond the retries.
    #[error("throttled beyond the retries")]
    Throttled,
    /// DynamoDB did not confirm a write, so it may or may not have been applied: by any of its tries, whatever the last
    /// one was answered.
    #[error("{operation}: not confirmed")]
    Unconfirmed {
        /// The DynamoDB operation.
        operation: &'static str,
        /// The SDK's error.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// A change may have been applied, but the item has changed so often since that it no longer remembers.
    #[error("it is unknown whether a change was applied")]
    Unknown,
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

/// How a caller deals with a failed call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failing {
    /// Nothing was changed, and the same request may succeed later.
    Unavailable,
    /// A write may or may not have been applied: read before repeating it.
    Unconfirmed,
    /// A stored item cannot be read.
    Unreadable,
    /// An item would be larger than can be stored. Nothing was changed.
    Oversized,
    /// The store has no room. Nothing was changed.
    Full,
    /// A bug or a misconfiguration: repeating does not help.
    Broken,
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

impl TableError {
    /// Classifies what the SDK answered to an operation that reads, or to a write of which nothing arrived.
    pub(super) fn of<E>(operation: &'static str, error: SdkError<E, HttpResponse>) -> Self
    where
        E: ProvideErrorMetadata + StdError + Send + Sync + 'static,
    {
        let code = error.code().unwrap_or_default().to_owned();
        if code == "ValidationException" && is_about_size(error.message()) {
            return TableError::Oversized;
        }
        if code == "ValidationException" && is_about_type(error.message()) {
            return TableError::mistyped(error.message().unwrap_or_default());
        }
        if code == DISK_FULL {
            return TableError::DiskFull;
        }
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

    /// How a caller deals with it.
    pub fn failing(&self) -> Failing {
        match self {
            TableError::Unavailable { .. }
            | TableError::Unprocessed { .. }
            | TableError::Throttled => Failing::Unavailable,
            TableError::Unconfirmed { .. } | TableError::Unknown => Failing::Unconfirmed,
            TableError::Malformed(_) => Failing::Unreadable,
            TableError::Oversized => Failing::Oversized,
            TableError::DiskFull => Failing::Full,
            TableError::Refused { .. } | TableError::NotActive | TableError::Built(_) => {
                Failing::Broken
            }
        }
    }

    /// An attribute that is counted is not a number.
    pub(super) fn mistyped(reason: impl Into<String>) -> Self {
        TableError::Malformed(MalformedItem {
            entity: "number",
            reason: reason.into(),
        })
    }

    pub(super) fn built(error: BuildError) -> Self {
        TableError::Built(Box::new(error))
    }
}

/// The error code of the embedded store on a full disk. It has changed nothing then.
pub const DISK_FULL: &str = "DiskFullException";

/// Whether DynamoDB refuses an item because of its size: it has no code of its own for that.
/// Source: the examples of "`CancellationReasons`" in the reference of `TransactWriteItems`.
pub(super) fn is_about_size(message: Option<&str>) -> bool {
    // DynamoDB begins the sentence with it, other stores do not.
    message.is_some_and(|message| message.contains("Item size") || message.contains("item size"))
}

/// Whether DynamoDB refuses to add to an attribute because it is not a number: no code of its own for that, either.
/// Source: as of [`is_about_size`].
pub(super) fn is_about_type(message: Option<&str>) -> bool {
    const TEXTS: [&str; 2] = [
        "incorrect data type",
        "Type mismatch for attribute to update",
    ];
    message.is_some_and(|message| TEXTS.iter().any(|text| message.contains(text)))
}

/// Whether there was no connection to send the request on: no address, nobody who listens, no TLS.
pub(super) fn was_never_connected(error: &(dyn StdError + 'static)) -> bool {
    let mut causes = std::iter::successors(Some(error), |error| (*error).source());
    causes.any(|cause| {
        let of_http = cause.downcast_ref::<hyper_util::client::legacy::Error>();
        let of_system = cause.downcast_ref::<std::io::Error>();
        of_http.is_some_and(hyper_util::client::legacy::Error::is_connect)
            || of_system.is_some_and(|cause| cause.kind() == std::io::ErrorKind::ConnectionRefused)
    })
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
