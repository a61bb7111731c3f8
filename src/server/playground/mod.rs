//! GraphiQL for browsers: from the bundle embedded in the binary if it was built, else from the same
//! pinned versions on a CDN. Knows the address it asks and the examples it opens with.

mod cdn;

use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use rust_embed::{EmbeddedFile, RustEmbed};
use serde::Serialize;
use sha2::{Digest, Sha256};

/// What the bundler left, if it ran before the build: `index.html` and the files it names, below
/// [`ASSETS`], each perhaps with `.br` and `.gz` beside it.
#[derive(RustEmbed)]
#[folder = "playground/dist/"]
#[allow_missing = true]
struct Bundle;

/// Where the bundle's files are served.
pub const ASSETS: &str = "/playground/{*path}";

/// What the page is told, as JSON in `<script id="trestle" type="application/json">`.
#[derive(Serialize)]
struct Told<'a> {
    endpoint: &'a str,
    examples: &'a [&'a str],
}

/// The page that asks `endpoint`, opened with `examples`.
pub fn page(endpoint: &str, examples: &[&str]) -> Response {
    let told = told(&Told { endpoint, examples });
    match Bundle::get("index.html") {
        Some(index) => bundled(&String::from_utf8_lossy(&index.data), &told),
        None => cdn::page(&told),
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

/// Workers come from the origin, or as blobs that the editor makes of such; the editor writes styles
/// into the page, and fonts and icons as data.
const BUNDLED_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
     worker-src 'self' blob:; connect-src 'self'; img-src 'self' data:; font-src 'self' data:; \
     manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

fn bundled(index: &str, told: &str) -> Response {
    let html = match index.split_once("</head>") {
        Some((head, rest)) => format!("{head}{told}</head>{rest}"),
        None => format!("{told}{index}"),
    };
    html_response(html, BUNDLED_POLICY)
}

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

/// A data block: browsers do not run it, and nothing in it can end it.
fn told(told: &Told<'_>) -> String {
    let json = serde_json::to_string(told)
        .unwrap_or_default()
        .replace('<', "\\u003c");
    format!("<script id=\"trestle\" type=\"application/json\">{json}</script>")
}

/// An inline script's source in a content security policy.
fn policy_hash(script: &str) -> String {
    let digest =
        base64::engine::general_purpose::STANDARD.encode(Sha256::digest(script.as_bytes()));
    format!("'sha256-{digest}'")
}
