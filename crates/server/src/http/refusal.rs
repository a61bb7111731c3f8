//! Requests that end without `data`, and how HTTP says so.

use std::time::Duration;

use async_graphql::ServerError;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::accept::Media;
use super::json_size::OBJECT_BYTES;
use crate::authenticate::Unauthenticated;
use crate::errors::{code_of, coded, internal, passing, whole_seconds};
use trestle_api::Code;

/// A request that is not executed, or was not executed to its end.
#[derive(Clone, Debug)]
pub struct Refusal {
    status: Status,
    errors: Vec<ServerError>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

/// How the status follows from the answer's media type.
#[derive(Clone, Copy, Debug)]
enum Status {
    /// HTTP itself was used wrongly, or the server cannot serve: whatever the media type.
    Always(StatusCode),
    /// A well-formed request with an error in its GraphQL: in `application/json` that is a 200.
    Request(StatusCode),
}

#[derive(Serialize)]
struct Body<'a> {
    errors: &'a [ServerError],
}

impl Refusal {
    /// A well-formed request whose GraphQL is refused.
    pub fn request(errors: Vec<ServerError>) -> Self {
        let status = match errors.first().and_then(code_of) {
            Some(Code::Forbidden) => StatusCode::FORBIDDEN,
            _ => StatusCode::BAD_REQUEST,
        };
        Self {
            status: Status::Request(status),
            errors,
            headers: Vec::new(),
        }
    }

    fn always(status: StatusCode, error: ServerError) -> Self {
        Self {
            status: Status::Always(status),
            errors: vec![error],
            headers: Vec::new(),
        }
    }

    fn bad(status: StatusCode, message: impl Into<String>) -> Self {
        Self::always(status, coded(Code::BadUserInput, message, None))
    }

    fn with(mut self, name: HeaderName, value: impl Into<HeaderValue>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The same, after which the connection closes.
    pub fn closing(self) -> Self {
        self.with(header::CONNECTION, HeaderValue::from_static("close"))
    }

    /// Parameters that cannot be read.
    pub fn unreadable(message: impl Into<String>) -> Self {
        Self::bad(StatusCode::BAD_REQUEST, message)
    }

    /// A method other than GET and POST.
    pub fn method() -> Self {
        Self::bad(
            StatusCode::METHOD_NOT_ALLOWED,
            "Send requests with POST, or queries with GET.",
        )
        .with(header::ALLOW, HeaderValue::from_static("GET, POST"))
    }

    /// A mutation over GET.
    pub fn mutation_over_get() -> Self {
        let message = "Send mutations with POST.";
        let error = coded(Code::OperationResolutionFailure, message, None);
        Self::always(StatusCode::METHOD_NOT_ALLOWED, error)
            .with(header::ALLOW, HeaderValue::from_static("POST"))
    }

    /// A page of another origin that opens a connection, which no preflight keeps it from.
    pub fn origin() -> Self {
        let message = "Pages of this origin may not connect. The server's --cors-origins names those that may.";
        Self::always(StatusCode::FORBIDDEN, coded(Code::Forbidden, message, None))
    }

    /// A request that a page of another origin makes a browser send.
    pub fn another_page() -> Self {
        let message = "Pages of other origins may not send requests. The server's --cors-origins names those that may.";
        Self::always(StatusCode::FORBIDDEN, coded(Code::Forbidden, message, None))
    }

    /// A connection that would not speak our protocol.
    pub fn protocol() -> Self {
        Self::bad(
            StatusCode::BAD_REQUEST,
            "Connect with the WebSocket protocol graphql-transport-ws.",
        )
    }

    /// A client that takes no media type of ours.
    pub fn not_acceptable() -> Self {
        Self::bad(
            StatusCode::NOT_ACCEPTABLE,
            "Accept application/graphql-response+json or application/json.",
        )
    }

    /// A client that accepts neither an encoding of the server nor an answer without one.
    pub fn coding() -> Self {
        Self::bad(
            StatusCode::NOT_ACCEPTABLE,
            if cfg!(feature = "zstd") {
                "Accept the encoding identity, gzip, br or zstd."
            } else {
                "Accept the encoding identity, gzip or br."
            },
        )
        .with(header::VARY, HeaderValue::from_static("accept-encoding"))
    }

    /// A WebSocket connection by a version that is not RFC 6455's.
    pub fn websocket_version() -> Self {
        Self::bad(
            StatusCode::UPGRADE_REQUIRED,
            "Connect with version 13 of the WebSocket protocol.",
        )
        .with(header::UPGRADE, HeaderValue::from_static("websocket"))
        .with(
            header::SEC_WEBSOCKET_VERSION,
            HeaderValue::from_static("13"),
        )
    }

    /// A WebSocket connection whose key is not one.
    pub fn websocket_key() -> Self {
        Self::bad(
            StatusCode::BAD_REQUEST,
            "Sec-WebSocket-Key must be 16 bytes in Base64.",
        )
    }

    /// A body that is not JSON in UTF-8 by its own account. Refusing it also keeps pages of other
    /// origins from sending mutations that need no preflight.
    pub fn media_type() -> Self {
        Self::bad(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "Send the body as application/json, in UTF-8 and not encoded.",
        )
    }

    /// A body beyond the limit.
    pub fn too_large(most: usize) -> Self {
        let message = format!("The body has more than {most} bytes.");
        Self::bad(StatusCode::PAYLOAD_TOO_LARGE, message).closing()
    }

    /// Parameters of more values than the server reads.
    pub fn too_many_values(most: usize) -> Self {
        let message = format!(
            "The JSON of the request has more than {most} values and names. Send fewer at a time: \
             --max-body-bytes has room for one in every 10 bytes."
        );
        Self::bad(StatusCode::PAYLOAD_TOO_LARGE, message)
    }

    /// A subscription whose variables take too much memory for as long as it may last.
    pub fn lasting_variables(most: usize) -> Self {
        let message = format!(
            "The variables of a subscription may take {most} bytes of memory, in which a list or an object takes up to \
             {OBJECT_BYTES}: ask for fewer things at a time."
        );
        Self::request(vec![coded(Code::BadUserInput, message, None)])
    }

    /// A body that did not arrive.
    pub fn body_time_out() -> Self {
        Self::bad(
            StatusCode::REQUEST_TIMEOUT,
            "The body did not arrive in time.",
        )
        .closing()
    }

    /// No valid credentials. It never says what is wrong with them.
    pub fn unauthenticated() -> Self {
        let message = Unauthenticated::MESSAGE;
        Self::always(
            StatusCode::UNAUTHORIZED,
            coded(Code::Unauthenticated, message, None),
        )
        .with(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))
    }

    /// A subject that asked for too much in the last minute.
    pub fn rate_limited(wait: Duration) -> Self {
        let message = "Too much was asked for in the last minute.";
        Self::always(
            StatusCode::TOO_MANY_REQUESTS,
            passing(Code::RateLimited, message, wait),
        )
        .with(header::RETRY_AFTER, whole_seconds(wait))
    }

    /// More requests than the server takes on.
    pub fn overloaded(wait: Duration) -> Self {
        let message = "Too many requests just now.";
        let error = passing(Code::ServiceUnavailable, message, wait);
        Self::always(StatusCode::SERVICE_UNAVAILABLE, error)
            .with(header::RETRY_AFTER, whole_seconds(wait))
    }

    /// A request that did not end in its time and was cancelled.
    pub fn timed_out(limit: Duration) -> Self {
        let message = format!(
            "The operation did not end within {} s and was cancelled.",
            whole_seconds(limit)
        );
        let wait = Duration::from_secs(1);
        let error = passing(Code::ServiceUnavailable, message, wait);
        Self::always(StatusCode::GATEWAY_TIMEOUT, error)
            .with(header::RETRY_AFTER, whole_seconds(wait))
    }

    /// A mutation that did not end in its time and was cancelled: parts of it may be applied.
    pub fn outcome_unknown(limit: Duration) -> Self {
        let message = format!(
            "The mutation did not end within {} s and was cancelled. Its outcome is not known: read before you \
             repeat it.",
            whole_seconds(limit)
        );
        Self::always(
            StatusCode::GATEWAY_TIMEOUT,
            coded(Code::OutcomeUnknown, message, None),
        )
    }

    /// An answer beyond the limit.
    pub fn answer_too_large(most: usize) -> Self {
        let message = format!(
            "The answer has more than {most} bytes. Ask for smaller pages or fewer fields. The changes of a \
             mutation are applied."
        );
        Self::request(vec![coded(Code::AnswerTooLarge, message, None)])
    }

    /// A request whose Host is none that the server answers for.
    pub fn host() -> Self {
        let message = "This server does not answer for the host that the request names. --allowed-hosts lists the \
                       names for which it does.";
        Self::always(StatusCode::FORBIDDEN, coded(Code::Forbidden, message, None))
    }

    /// A request that a proxy passes on to a server for the programs of its own machine.
    pub fn forwarded() -> Self {
        let message = "This request came through a proxy, and the server has no authentication: everybody whom the proxy \
                       lets through could read and write. Set --api-keys or the settings of tokens, or --insecure if \
                       everybody may.";
        Self::always(StatusCode::FORBIDDEN, coded(Code::Forbidden, message, None))
    }

    /// A transfer encoding that is not implemented.
    pub fn transfer_encoding() -> Self {
        Self::bad(
            StatusCode::NOT_IMPLEMENTED,
            "The only transfer encoding is chunked.",
        )
        .closing()
    }

    /// A panic.
    pub fn fault(request_id: &str) -> Self {
        Self::always(StatusCode::INTERNAL_SERVER_ERROR, internal(request_id))
    }

    /// The HTTP status that says it best.
    pub fn status(&self) -> u16 {
        let (Status::Always(status) | Status::Request(status)) = self.status;
        status.as_u16()
    }

    /// The errors alone, for a way back that knows no status.
    pub fn into_errors(self) -> Vec<ServerError> {
        self.errors
    }

    /// The errors of a request that HTTP finds nothing wrong with.
    ///
    /// # Errors
    /// The refusal itself, where HTTP has a status for it.
    pub fn of_request(self) -> Result<Vec<ServerError>, Self> {
        match self.status {
            Status::Request(_) => Ok(self.errors),
            Status::Always(_) => Err(self),
        }
    }

    /// The first error's code.
    pub fn code(&self) -> Option<Code> {
        self.errors.first().and_then(code_of)
    }

    /// The answer in a media type.
    pub fn answer(self, media: Media) -> Response {
        let status = match (self.status, media) {
            (Status::Always(status), _) | (Status::Request(status), Media::GraphqlResponse) => {
                status
            }
            (Status::Request(_), Media::Json) => StatusCode::OK,
        };
        let body = Body {
            errors: &self.errors,
        };
        let mut response = json(status, media, &body);
        for (name, value) in self.headers {
            response.headers_mut().insert(name, value);
        }
        response
    }
}

/// A JSON answer in a media type of GraphQL's.
fn json(status: StatusCode, media: Media, body: &impl Serialize) -> Response {
    match serde_json::to_vec(body) {
        Ok(bytes) => (
            status,
            [(header::CONTENT_TYPE, media.content_type())],
            bytes,
        )
            .into_response(),
        Err(error) => {
            tracing::error!(%error, "an answer could not be written as JSON");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}
