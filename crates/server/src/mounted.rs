//! Plain HTTP handlers of services, at paths of their own.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use http_body_util::BodyExt as _;

use trestle_api::HttpHandler;

/// Passes a request to its handler.
pub async fn mounted(State(handler): State<Arc<dyn HttpHandler>>, request: Request) -> Response {
    let request = request.map(|body| body.map_err(Into::into).boxed_unsync());
    handler.answer(request).await.map(Body::new)
}
