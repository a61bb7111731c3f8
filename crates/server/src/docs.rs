//! The documentation of services and operation, from within the binary, for people who open the server's address.

use axum::body::Bytes;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::get;
use axum::{Extension, Router};

use super::doc_files::FILES;
use super::http::accept;
use super::unsent::SharedBytes;
use super::{index, rendered_docs};

/// The file with the index of the others.
const INDEX: &str = "README.md";

/// The paths of the files.
pub(super) fn routes() -> Router {
    Router::new()
        .route("/docs", get(async || Redirect::permanent("/docs/")))
        .route(
            "/docs/",
            get(async |headers: HeaderMap| answer(INDEX, &headers)),
        )
        .route("/docs/{name}", get(file))
}

async fn file(Path(name): Path<String>, headers: HeaderMap) -> Response {
    answer(&name, &headers)
}

/// One of the files: a page for browsers, and its text for programs.
fn answer(name: &str, headers: &HeaderMap) -> Response {
    let Some((_, text)) = FILES.iter().find(|(file, _)| *file == name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let page = rendered_docs::of(name).filter(|_| accept::prefers_html(headers));
    let mut response = match page {
        Some(page) => index::response(Bytes::from_static(page.as_bytes())),
        None => {
            let headers = [
                (header::CONTENT_TYPE, "text/plain; charset=utf-8"),
                (header::CACHE_CONTROL, "no-cache"),
            ];
            (headers, Extension(SharedBytes), *text).into_response()
        }
    };
    let accept = HeaderValue::from_static("accept");
    response.headers_mut().insert(header::VARY, accept);
    response
}
