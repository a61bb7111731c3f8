//! Errors as clients see them: made here when the server refuses a request, and sifted here when they
//! come out of a service. Knows no HTTP.

use std::time::Duration;

use async_graphql::{Pos, Response, ServerError, Value};

use trestle_api::{Code, Fault};

/// What a client reads instead of a fault's cause.
const INTERNAL: &str = "Something went wrong on our side. Quote the request id when you report it.";

/// An error of the server's own, with its code.
pub fn coded(code: Code, message: impl Into<String>, at: Option<Pos>) -> ServerError {
    let mut error = ServerError::new(message, at);
    error
        .extensions
        .get_or_insert_default()
        .set("code", code.as_str());
    error
}

/// The longest message that quotes a document.
const QUOTING_CHARS: usize = 300;

/// As much of a message that quotes a document as clients get.
pub fn short(message: &str) -> String {
    match message.char_indices().nth(QUOTING_CHARS) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message.to_owned(),
    }
}

/// An error that goes away by itself after `wait`, answered as `extensions.retryAfter` in whole seconds.
pub fn passing(code: Code, message: impl Into<String>, wait: Duration) -> ServerError {
    let mut error = coded(code, message, None);
    error
        .extensions
        .get_or_insert_default()
        .set("retryAfter", whole_seconds(wait));
    error
}

/// A fault, told by nothing but the id under which the log has its cause.
pub fn internal(request_id: &str) -> ServerError {
    let mut error = internal_without_id();
    error
        .extensions
        .get_or_insert_default()
        .set("requestId", request_id);
    error
}

/// A fault whose request id stands in the answer's headers alone.
pub fn internal_without_id() -> ServerError {
    coded(Code::InternalServerError, INTERNAL, None)
}

/// Seconds for `Retry-After`, rounded up, at least one.
pub fn whole_seconds(wait: Duration) -> u64 {
    wait.as_millis()
        .div_ceil(1000)
        .try_into()
        .unwrap_or(u64::MAX)
        .max(1)
}

/// The code in an error's extensions.
pub fn code_of(error: &ServerError) -> Option<Code> {
    let Value::String(text) = error.extensions.as_ref()?.get("code")? else {
        return None;
    };
    Code::ALL.iter().copied().find(|code| code.as_str() == text)
}

/// Gives every error of a response a code, logs each fault's cause under the request id, and takes from
/// the client what only the log may have.
pub fn sift(response: &mut Response, request_id: &str) {
    for error in &mut response.errors {
        let code = match code_of(error) {
            Some(code) => code,
            None if is_refused_value(error) => Code::BadUserInput,
            None => Code::InternalServerError,
        };
        log(error, code, request_id);
        error.source = None;
        let extensions = error.extensions.get_or_insert_default();
        extensions.set("code", code.as_str());
        if code == Code::InternalServerError {
            extensions.set("requestId", request_id);
            error.message = INTERNAL.to_owned();
        }
    }
}

/// Whether async-graphql itself could not read a value of the client's: its message then names the type
/// or quotes the client. Resolvers' errors always bring a code.
fn is_refused_value(error: &ServerError) -> bool {
    const BEGINNINGS: [&str; 3] = [
        "Expected input type \"",
        "Failed to parse \"",
        "Invalid value for argument ",
    ];
    BEGINNINGS
        .iter()
        .any(|beginning| error.message.starts_with(beginning))
}

fn log(error: &ServerError, code: Code, request_id: &str) {
    let cause = match error.source::<Fault>() {
        Some(Fault(cause)) => chain(&**cause),
        None if code == Code::InternalServerError => error.message.clone(),
        None => return,
    };
    let path = error.path.iter().map(segment).collect::<Vec<_>>().join(".");
    if code == Code::InsufficientStorage {
        // The store reports the full disk itself, once for many requests.
        tracing::debug!(
            request_id,
            code = code.as_str(),
            path,
            cause,
            "a field failed"
        );
    } else if code == Code::InternalServerError {
        tracing::error!(
            request_id,
            code = code.as_str(),
            path,
            cause,
            "a field failed"
        );
    } else {
        tracing::warn!(
            request_id,
            code = code.as_str(),
            path,
            cause,
            "a field failed"
        );
    }
}

fn segment(segment: &async_graphql::PathSegment) -> String {
    match segment {
        async_graphql::PathSegment::Field(name) => name.clone(),
        async_graphql::PathSegment::Index(index) => index.to_string(),
    }
}

/// An error and what caused it, in one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        next = cause.source();
    }
    text
}
