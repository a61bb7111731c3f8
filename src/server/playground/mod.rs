//! GraphiQL for browsers: from the bundle embedded in the binary if it was built, else from the same
//! kind of page with pinned versions from a CDN. Knows the address it asks and the examples it opens with.

use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use rust_embed::{EmbeddedFile, RustEmbed};
use serde::Serialize;

/// What the bundler left, if it ran before the build: `index.html` and the files it names, below
/// [`ASSETS`], each perhaps with `.br` and `.gz` beside it.
#[derive(RustEmbed)]
#[folder = "playground/dist/"]
#[allow_missing = true]
struct Bundle;

/// Where the bundle's files are served.
pub const ASSETS: &str = "/playground/{*path}";

/// What both pages hold where the server writes what they are told: see `playground/README.md`.
const PLACEHOLDER: &str = r#"{"endpoint":"/graphql","examples":[]}"#;

/// The page without the bundle: it carries the policy for its files in itself.
const CDN_PAGE: &str = include_str!("../../../playground/cdn.html");
/// What that page cannot say itself.
const CDN_POLICY: &str = "frame-ancestors 'none'";

/// What the page is told.
#[derive(Serialize)]
struct Told<'a> {
    endpoint: &'a str,
    examples: &'a [&'a str],
}

/// The page that asks `endpoint`, opened with `examples`.
pub fn page(endpoint: &str, examples: &[&str]) -> Response {
    let told = told(&Told { endpoint, examples });
    match Bundle::get("index.html") {
        Some(index) => {
            let page = String::from_utf8_lossy(&index.data);
            html_response(page.replacen(PLACEHOLDER, &told, 1), BUNDLED_POLICY)
        }
        None => html_response(CDN_PAGE.replacen(PLACEHOLDER, &told, 1), CDN_POLICY),
    }
}

/// One of the bundle's files, compressed as the client takes it.
pub async fn asset(Path(path): Path<String>, headers: HeaderMap) -> Response {
    let accepted = headers
        .get(header::ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok());
    let accepted = accepted.unwrap_or_default();
    for (encoding, suffix) in [("br", ".br"), ("gzip", ".gz")] {
        if accepts(accepted, encoding)
            && let Some(file) = Bundle::get(&format!("{path}{suffix}"))
        {
            let mut response = file_response(&path, file);
            let value = header::HeaderValue::from_static(encoding);
            response
                .headers_mut()
                .insert(header::CONTENT_ENCODING, value);
            return response;
        }
    }
    match Bundle::get(&path) {
        Some(file) => file_response(&path, file),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

fn file_response(path: &str, file: EmbeddedFile) -> Response {
    // The bundler puts a hash of the contents into the names of all files but the page.
    let caching = if path.starts_with("assets/") {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    let headers = [
        (header::CONTENT_TYPE, content_type(path)),
        (header::CACHE_CONTROL, caching),
        (header::VARY, "accept-encoding"),
    ];
    (headers, file.data.into_owned()).into_response()
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

/// Everything comes from this origin; the editor writes styles into the page and draws images as data.
const BUNDLED_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
     font-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'none'";

fn html_response(html: String, policy: &str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::CACHE_CONTROL, "no-cache"),
        (header::VARY, "accept"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ];
    (headers, html).into_response()
}

/// JSON for a data block: browsers do not run it, and nothing in it can end the element.
fn told(told: &Told<'_>) -> String {
    serde_json::to_string(told)
        .unwrap_or_default()
        .replace('<', "\\u003c")
}
