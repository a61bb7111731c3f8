//! Top-level errors: what a client sees in `errors`, and the cause that only the log sees.

use std::sync::Arc;
use std::time::Duration;

/// `extensions.code` of a top-level error. The names are Apollo Server's, with those it lacks beside them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// The document is not GraphQL.
    GraphqlParseFailed,
    /// The document does not fit the schema, or is larger or dearer than allowed.
    GraphqlValidationFailed,
    /// A variable or an argument has a value that it cannot have.
    BadUserInput,
    /// The request names no operation, one that is not there, or one that may not run this way.
    OperationResolutionFailure,
    /// The hash of an automatic persisted query is not known: send the document with it.
    PersistedQueryNotFound,
    /// No valid credentials.
    Unauthenticated,
    /// Valid credentials that do not allow this.
    Forbidden,
    /// Too many requests, or too dear ones. `extensions.retryAfter` says when to come back.
    RateLimited,
    /// The database does not answer or throttles. `extensions.retryAfter` says when to come back.
    ServiceUnavailable,
    /// A fault on our side. The log has its cause under `extensions.requestId`.
    InternalServerError,
}

impl Code {
    /// The code as it stands in `extensions.code`.
    pub fn as_str(self) -> &'static str {
        match self {
            Code::GraphqlParseFailed => "GRAPHQL_PARSE_FAILED",
            Code::GraphqlValidationFailed => "GRAPHQL_VALIDATION_FAILED",
            Code::BadUserInput => "BAD_USER_INPUT",
            Code::OperationResolutionFailure => "OPERATION_RESOLUTION_FAILURE",
            Code::PersistedQueryNotFound => "PERSISTED_QUERY_NOT_FOUND",
            Code::Unauthenticated => "UNAUTHENTICATED",
            Code::Forbidden => "FORBIDDEN",
            Code::RateLimited => "RATE_LIMITED",
            Code::ServiceUnavailable => "SERVICE_UNAVAILABLE",
            Code::InternalServerError => "INTERNAL_SERVER_ERROR",
        }
    }
}

/// The cause of a fault, for the log alone. Found with [`async_graphql::ServerError::source`].
#[derive(Clone, Debug)]
pub struct Fault(pub Arc<dyn std::error::Error + Send + Sync>);

/// What a resolver may fail with. It has no `Display` on purpose: async-graphql turns anything that has
/// one into text for the client, and a store's error names tables.
#[derive(Clone, Debug)]
pub struct ApiError {
    code: Code,
    message: String,
    retry_after: Option<Duration>,
    fault: Option<Fault>,
}

impl ApiError {
    /// An error of the caller's making; `message` says what to do.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            retry_after: None,
            fault: None,
        }
    }

    /// A value that an argument cannot have.
    pub fn bad_input(message: impl Into<String>) -> Self {
        Self::new(Code::BadUserInput, message)
    }

    /// The database does not answer in time, or throttles beyond the retries.
    pub fn unavailable(cause: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self {
            code: Code::ServiceUnavailable,
            message: "The database does not answer just now. Try again shortly.".to_owned(),
            retry_after: Some(Duration::from_secs(1)),
            fault: Some(Fault(Arc::new(cause))),
        }
    }

    /// A fault on our side: the client learns that, and nothing more.
    pub fn internal(cause: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self {
            code: Code::InternalServerError,
            message: "Something went wrong on our side. Quote the request id when you report it."
                .to_owned(),
            retry_after: None,
            fault: Some(Fault(Arc::new(cause))),
        }
    }

    /// When to come back, as `extensions.retryAfter` in whole seconds.
    pub fn retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// The error's code.
    pub fn code(&self) -> Code {
        self.code
    }
}

impl From<ApiError> for async_graphql::Error {
    fn from(error: ApiError) -> Self {
        let mut extensions = async_graphql::ErrorExtensionValues::default();
        extensions.set("code", error.code.as_str());
        if let Some(wait) = error.retry_after {
            extensions.set("retryAfter", wait.as_secs().max(1));
        }
        Self {
            message: error.message,
            source: error.fault.map(|fault| Arc::new(fault) as _),
            extensions: Some(extensions),
        }
    }
}
