//! Plain HTTP beside a service's GraphQL: files behind signed URLs, webhooks. Independent of the server's framework.

use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode, header};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full};

use crate::viewer::Viewer;

/// The body of a request or an answer. The server bounds the time it may take, the handler its size.
pub type HttpBody = UnsyncBoxBody<Bytes, Box<dyn std::error::Error + Send + Sync>>;

/// A response with a body of this type.
pub fn http_response(
    status: StatusCode,
    content_type: &'static str,
    body: impl Into<Bytes>,
) -> Response<HttpBody> {
    let body = Full::new(body.into()).map_err(|never| match never {});
    let mut response = Response::new(body.boxed_unsync());
    *response.status_mut() = status;
    let content_type = HeaderValue::from_static(content_type);
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, content_type);
    response
}

/// The address that a plain HTTP request came from, in its extensions. Missing if it is unknown.
#[derive(Clone, Copy, Debug)]
pub struct ClientAddress(pub IpAddr);

/// Finds out who sent a plain HTTP request, by the credentials of GraphQL requests.
pub trait Viewers: Send + Sync + 'static {
    /// The viewer that the credentials in `headers` stand for; `None` if they are missing or wrong.
    fn viewer<'a>(&'a self, headers: &'a HeaderMap) -> BoxFuture<'a, Option<Viewer>>;
}

/// Answers plain HTTP requests. No viewer is known: the handler authenticates the request itself, by a signed
/// URL or a signature in a header.
pub trait HttpHandler: Send + Sync + 'static {
    /// Answers one request. Never fails: errors are in the response.
    fn answer(&self, request: Request<HttpBody>) -> BoxFuture<'_, Response<HttpBody>>;

    /// How to find out who sent a request, for handlers that ask by the credentials of GraphQL requests. Called once,
    /// before the first request.
    fn set_authenticator(&self, _viewers: Arc<dyn Viewers>) {}
}

/// A handler at `/<service>/<path>`.
#[derive(Clone)]
pub struct HttpRoute {
    /// The path below the service's own, without a leading slash: `files`. It may end with a parameter: `report/{id}`.
    pub path: &'static str,
    /// The handler of every method.
    pub handler: Arc<dyn HttpHandler>,
}
