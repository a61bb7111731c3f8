//! Plain HTTP handlers of services, at paths of their own.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::response::Response;
use http_body_util::BodyExt as _;

use super::graphql::ANSWERED_BY;
use super::http::accept::Media;
use super::identify::address;
use super::request_rules::check_plain;
use super::state::App;
use trestle_api::{ClientAddress, HttpHandler};

/// What these handlers answer with.
const FILE: HeaderValue = HeaderValue::from_static("file");

/// A handler, and the server that it belongs to.
#[derive(Clone)]
pub(super) struct Mounted {
    pub(super) handler: Arc<dyn HttpHandler>,
    pub(super) app: Arc<App>,
}

/// Passes a request to its handler, with the client's address.
pub(super) async fn mounted(State(mounted): State<Mounted>, request: Request) -> Response {
    let (mut parts, body) = request.into_parts();
    if let Err(refusal) = check_plain(&parts, &mounted.app) {
        return refusal.answer(Media::Json);
    }
    if let Some(address) = address(&parts, mounted.app.args.trusted_proxies) {
        parts.extensions.insert(ClientAddress(address));
    }
    let request = Request::from_parts(parts, body.map_err(Into::into).boxed_unsync());
    let mut response = mounted.handler.answer(request).await.map(Body::new);
    response.headers_mut().insert(ANSWERED_BY, FILE);
    response
}
