//! Top-level errors: what a client sees in `errors`, and the cause that only the log sees.

use std::sync::Arc;
use std::time::Duration;

use trestle_table::Failing;

macro_rules! codes {
    ($($code:ident = $word:literal, $meaning:literal, $action:literal;)+) => {
        /// `extensions.code` of a top-level error. Apollo Server's names, and those that it lacks.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code {
            $(#[doc = $meaning] $code,)+
        }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Code::$code,)+];

            /// The code as it stands in `extensions.code`.
            pub const fn as_str(self) -> &'static str {
                match self { $(Code::$code => $word,)+ }
            }

            /// What the code means.
            pub const fn meaning(self) -> &'static str {
                match self { $(Code::$code => $meaning,)+ }
            }

            /// What a client does about it.
            pub const fn action(self) -> &'static str {
                match self { $(Code::$code => $action,)+ }
            }
        }
    };
}

codes! {
    GraphqlParseFailed = "GRAPHQL_PARSE_FAILED",
        "The document is not valid GraphQL.",
        "Correct the document at `locations`.";
    GraphqlValidationFailed = "GRAPHQL_VALIDATION_FAILED",
        "The document does not match the schema, or exceeds a limit on its size or cost.",
        "Correct the document, or request fewer fields and smaller pages.";
    BadUserInput = "BAD_USER_INPUT",
        "A variable or an argument has an invalid value.",
        "Correct the value that the message names.";
    OperationResolutionFailure = "OPERATION_RESOLUTION_FAILURE",
        "The request names no operation of the document, or one that may not be executed this way.",
        "Pass `operationName`, and send mutations with POST.";
    PersistedQueryNotFound = "PERSISTED_QUERY_NOT_FOUND",
        "The hash of an automatic persisted query is unknown.",
        "Send the request again with the document.";
    Unauthenticated = "UNAUTHENTICATED",
        "The request has no valid credentials.",
        "Send valid credentials.";
    Forbidden = "FORBIDDEN",
        "The credentials do not allow this operation.",
        "Use credentials with the role that the operation needs.";
    RateLimited = "RATE_LIMITED",
        "Too many requests, or too expensive ones.",
        "Wait for `extensions.retryAfter` seconds.";
    ServiceUnavailable = "SERVICE_UNAVAILABLE",
        "The database does not answer, or throttles. Repeating the request is safe.",
        "Repeat the request after `extensions.retryAfter` seconds.";
    Contended = "CONTENDED",
        "Too many concurrent changes of the same item. Nothing was changed.",
        "Repeat the request after `extensions.retryAfter` seconds.";
    OutcomeUnknown = "OUTCOME_UNKNOWN",
        "The database did not confirm a write, or failed after another one. The change may or may not have been applied, or a part of it.",
        "Read the current state before repeating the mutation. A mutation with an id made by the client can be repeated safely.";
    InsufficientStorage = "INSUFFICIENT_STORAGE",
        "The disk of the embedded store is full. Nothing was changed.",
        "Free disk space on the server, then repeat the mutation. Reading works.";
    Unreadable = "UNREADABLE",
        "A stored value cannot be represented in the schema, or makes an item too large to be changed; or an item that a change needs is missing. Another program may have written it.",
        "Set the field to a valid value. The log names the item and the attribute.";
    AnswerTooLarge = "ANSWER_TOO_LARGE",
        "The response would exceed the limit on its size.",
        "Request smaller pages or fewer fields.";
    InternalServerError = "INTERNAL_SERVER_ERROR",
        "A bug or a misconfiguration of the server.",
        "Report `extensions.requestId`. The log has the cause under this id.";
}

impl Code {
    /// Whether clients read from the code that nothing was changed, or repeat the request because of it.
    pub(crate) fn says_unchanged(self) -> bool {
        matches!(
            self,
            Code::ServiceUnavailable
                | Code::Contended
                | Code::InsufficientStorage
                | Code::InternalServerError
        )
    }
}

/// The cause of a fault, for the log alone. Found with [`async_graphql::ServerError::source`].
#[derive(Clone, Debug)]
pub struct Fault(pub Arc<dyn std::error::Error + Send + Sync>);

/// The error of a resolver. It has no `Display`: async-graphql sends the text of anything that has one to the
/// client, and a store's error names tables.
#[derive(Clone, Debug)]
pub struct ApiError {
    code: Code,
    message: String,
    retry_after: Option<Duration>,
    fault: Option<Fault>,
}

impl ApiError {
    pub(crate) const UNKNOWN: &str = "The database did not confirm all writes, so the change may or may not have been \
         applied, or a part of it. Read the current state before you repeat it.";

    /// An error that the caller can act on; `message` says how.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            retry_after: None,
            fault: None,
        }
    }

    /// An argument with an invalid value.
    pub fn bad_input(message: impl Into<String>) -> Self {
        Self::new(Code::BadUserInput, message)
    }

    /// The database does not answer, or throttles beyond the retries. Repeating is safe.
    pub fn unavailable(cause: impl std::error::Error + Send + Sync + 'static) -> Self {
        let message = "The database does not answer. Try again shortly.";
        Self::new(Code::ServiceUnavailable, message)
            .retry_after(Duration::from_secs(1))
            .because(cause)
    }

    /// A failed call to the store.
    pub fn failed(failing: Failing, cause: impl std::error::Error + Send + Sync + 'static) -> Self {
        match failing {
            Failing::Unavailable => Self::unavailable(cause),
            Failing::Unconfirmed => Self::outcome_unknown(cause),
            Failing::Unreadable => Self::unreadable(None, cause),
            Failing::Oversized => Self::oversized(cause),
            Failing::Full => Self::full(cause),
            Failing::Broken => Self::internal(cause),
        }
    }

    /// Too many concurrent changes of one item. Nothing was changed.
    pub fn contended() -> Self {
        let message =
            "Too many concurrent changes of the same item. Nothing was changed. Try again shortly.";
        Self::new(Code::Contended, message).retry_after(Duration::from_secs(1))
    }

    /// A write that the database did not confirm.
    pub fn outcome_unknown(cause: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::new(Code::OutcomeUnknown, Self::UNKNOWN).because(cause)
    }

    /// A stored value that the schema cannot represent. `attribute` names it, if one is known.
    pub fn unreadable(
        attribute: Option<&str>,
        cause: impl std::error::Error + Send + Sync + 'static,
    ) -> Self {
        let what = attribute.map_or_else(String::new, |name| format!(" of `{name}`"));
        let message = format!(
            "The stored value{what} cannot be read. It may have been written by another program."
        );
        Self::new(Code::Unreadable, message).because(cause)
    }

    /// A change that would make an item larger than the database can store. Our own limits stay far below it.
    pub fn oversized(cause: impl std::error::Error + Send + Sync + 'static) -> Self {
        let message = "With a value that another program stored, this would be larger than the database can hold \
                       (400 KB). Nothing was changed. Set the field with that value to a shorter one first.";
        Self::new(Code::Unreadable, message).because(cause)
    }

    /// The disk of the embedded store is full.
    pub fn full(cause: impl std::error::Error + Send + Sync + 'static) -> Self {
        let message = "The server's disk is full. Nothing was changed.";
        Self::new(Code::InsufficientStorage, message).because(cause)
    }

    /// A bug or a misconfiguration. The client does not see the cause.
    pub fn internal(cause: impl std::error::Error + Send + Sync + 'static) -> Self {
        let message = "Something went wrong on our side. Quote the request id when you report it.";
        Self::new(Code::InternalServerError, message).because(cause)
    }

    /// The same, with `extensions.retryAfter` in whole seconds.
    pub fn retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// The same, with the cause for the log. The client does not see it.
    pub fn because(mut self, cause: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.fault = Some(Fault(Arc::new(cause)));
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
