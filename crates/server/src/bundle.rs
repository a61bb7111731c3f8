//! The files that a bundler left, from within the binary: compressed as the client takes them, cached as
//! their names allow, under a policy. Knows no page, and no path that one is served at.

use std::borrow::Cow;
use std::io::Read as _;

use axum::Extension;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use flate2::read::GzDecoder;
use rust_embed::{EmbeddedFile, RustEmbed};
use serde::Serialize;

use super::unsent::SharedBytes;

/// How long a browser may use a file without asking again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Caching {
    /// For good: the file's name holds a hash of its contents.
    Forever,
    /// Not at all: the name stays when the contents change.
    AskAgain,
}

/// A file of the bundle's folder `assets`, or that there is none. The bundler puts a hash of the contents
/// into the names of all of them.
pub(super) fn asset<B: RustEmbed>(path: &str, headers: &HeaderMap) -> Response {
    // In debug builds the names are looked up in the file system.
    let mut names = path.split(['/', '\\']);
    if names.any(|name| name.is_empty() || name.starts_with('.')) {
        return StatusCode::NOT_FOUND.into_response();
    }
    file::<B>(&format!("assets/{path}"), Caching::Forever, headers)
}

/// A file of the bundle, compressed as the client takes it, or that there is none.
pub(super) fn file<B: RustEmbed>(path: &str, caching: Caching, headers: &HeaderMap) -> Response {
    let accepted = headers
        .get(header::ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok());
    let accepted = accepted.unwrap_or_default();
    for (encoding, suffix) in [("br", ".br"), ("gzip", ".gz")] {
        if accepts(accepted, encoding)
            && let Some(file) = B::get(&format!("{path}{suffix}"))
        {
            let mut response = answer(path, caching, file);
            response
                .headers_mut()
                .insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
            return response;
        }
    }
    if let Some(file) = B::get(path) {
        return answer(path, caching, file);
    }
    match B::get(&format!("{path}.gz")) {
        Some(file) => expanded(path, caching, &file.data),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// A file of which the binary has only the compressed forms, for a client that takes neither.
fn expanded(path: &str, caching: Caching, compressed: &[u8]) -> Response {
    let mut data = Vec::new();
    // The bundler wrote it: its size is known, and small.
    match GzDecoder::new(compressed).read_to_end(&mut data) {
        Ok(_) => (headers(path, caching), data).into_response(),
        Err(error) => {
            tracing::error!(%error, path, "a file of the bundle cannot be expanded");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

/// A page under the policy, which no other page may frame.
pub(super) fn page(html: impl Into<Body>, policy: HeaderValue) -> Response {
    let fixed = HeaderValue::from_static;
    let headers = [
        (header::CONTENT_TYPE, fixed("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::CACHE_CONTROL, fixed(Caching::AskAgain.header())),
        (header::REFERRER_POLICY, fixed("no-referrer")),
        (header::X_FRAME_OPTIONS, fixed("DENY")),
    ];
    (headers, html.into()).into_response()
}

/// JSON for a data block of a page: browsers do not run it, and nothing in it can end the element.
pub(super) fn data_block(told: &impl Serialize) -> String {
    serde_json::to_string(told)
        .unwrap_or_default()
        .replace('<', "\\u003c")
}

impl Caching {
    fn header(self) -> &'static str {
        match self {
            Self::Forever => "public, max-age=31536000, immutable",
            Self::AskAgain => "no-cache",
        }
    }
}

fn headers(path: &str, caching: Caching) -> [(HeaderName, &'static str); 3] {
    [
        (header::CONTENT_TYPE, content_type(path)),
        (header::CACHE_CONTROL, caching.header()),
        (header::VARY, "accept-encoding"),
    ]
}

fn answer(path: &str, caching: Caching, file: EmbeddedFile) -> Response {
    let headers = headers(path, caching);
    match file.data {
        Cow::Borrowed(data) => (headers, Extension(SharedBytes), data).into_response(),
        // In debug builds files are read when they are asked for.
        Cow::Owned(data) => (headers, data).into_response(),
    }
}

fn accepts(accepted: &str, encoding: &str) -> bool {
    accepted.split(',').any(|item| {
        let (name, q) = item.trim().split_once(';').unwrap_or((item.trim(), ""));
        name.trim().eq_ignore_ascii_case(encoding) && !matches!(q.trim(), "q=0" | "q=0.0")
    })
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "ttf" => "font/ttf",
        "woff" => "font/woff",
        "woff2" => "font/woff2",
        "wasm" => "application/wasm",
        _ => "application/octet-stream",
    }
}
