//! GraphiQL for browsers: from the bundle embedded in the binary if it was built, else from the same
//! kind of page with pinned versions from a CDN. Knows the address it asks and the examples it opens with.

use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use serde::Serialize;
use trestle_pages::Playground;

use super::bundle;

/// Where the bundle's files are served.
pub const ASSETS: &str = "/playground/assets/{*path}";

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
    let told = bundle::data_block(&Told { endpoint, examples });
    match Playground::get("index.html") {
        Some(index) => {
            let page = String::from_utf8_lossy(&index.data);
            html_response(page.replacen(PLACEHOLDER, &told, 1), BUNDLED_POLICY)
        }
        None => html_response(CDN_PAGE.replacen(PLACEHOLDER, &told, 1), CDN_POLICY),
    }
}

/// One of the bundle's files.
pub async fn asset(Path(path): Path<String>, headers: HeaderMap) -> Response {
    bundle::asset::<Playground>(&path, &headers)
}

/// Everything comes from this origin; the editor writes styles into the page and draws images as data.
const BUNDLED_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
     font-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'none'";

fn html_response(html: String, policy: &'static str) -> Response {
    let mut response = bundle::page(html, HeaderValue::from_static(policy));
    // At the same path programs get an answer.
    let accept = HeaderValue::from_static("accept");
    response.headers_mut().insert(header::VARY, accept);
    response
}
