//! Files of a service, at a path of their own. The service says whether a request may have one.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use http_body_util::BodyExt as _;

use crate::api::Files;

/// Hands a request for a file to its service.
pub async fn files(State(files): State<Arc<dyn Files>>, request: Request) -> Response {
    let request = request.map(|body| body.map_err(Into::into).boxed_unsync());
    files.answer(request).await.map(Body::new)
}
