//! The id under which a request is found in the logs: the client's own, or one made here.

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use uuid::Uuid;

/// The header that brings an id and takes it back.
pub const HEADER: HeaderName = HeaderName::from_static("x-request-id");
/// The longest id that is taken over, in bytes.
const LONGEST: usize = 128;

/// The id of the request that carries it among its extensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(pub String);

/// Gives a request its id and its answer the same one.
pub async fn identify(mut request: Request, next: Next) -> Response {
    let id = request.headers().get(HEADER).and_then(taken_over);
    let id = id.unwrap_or_else(|| Uuid::new_v4().to_string());
    request.extensions_mut().insert(RequestId(id.clone()));
    let mut response = next.run(request).await;
    if let Ok(value) = HeaderValue::try_from(id) {
        response.headers_mut().insert(HEADER, value);
    }
    response
}

/// A client's id, if it is short and cannot break a line of a log.
fn taken_over(value: &HeaderValue) -> Option<String> {
    let id = value.to_str().ok()?;
    let is_fit =
        (1..=LONGEST).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic());
    is_fit.then(|| id.to_owned())
}
