//! The example front end, where it was bundled before the binary was built: its files, and the documents
//! that it sends. `examples/board/README.md` says what it asks of whoever serves it.

use std::borrow::Cow;

use axum::Router;
use axum::extract::Path;
use axum::http::HeaderMap;
use axum::response::{Redirect, Response};
use axum::routing::get;
use rust_embed::RustEmbed;

use super::bundle::{self, Caching};

/// Where the board is.
pub const PATH: &str = "/board/";

/// What the bundler left, if it ran before the build.
#[derive(RustEmbed)]
#[folder = "../../examples/board/dist/"]
#[allow_missing = true]
struct Bundle;

/// Everything comes from this origin, live changes too; components write styles into the page, and the
/// style sheet draws an image as data.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
     font-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'";

/// Every document that the board sends, as JSON by their hashes. Empty where it was not bundled.
pub fn documents() -> Option<Cow<'static, [u8]>> {
    Bundle::get("index.html")?;
    Bundle::get("persisted-documents.json").map(|file| file.data)
}

/// The board's paths. Its files are public: what they show comes from the API, which asks who one is.
pub(super) fn routes() -> Router {
    Router::new()
        .route("/", get(to_page))
        .route(PATH.trim_end_matches('/'), get(to_page))
        .route(PATH, get(page))
        .route(&format!("{PATH}icon.svg"), get(icon))
        .route(&format!("{PATH}assets/{{*path}}"), get(asset))
}

async fn to_page() -> Redirect {
    Redirect::temporary(PATH)
}

async fn page() -> Response {
    // The server does not start without it.
    let index = Bundle::get("index.html").map(|file| file.data);
    let index = index.unwrap_or_default();
    bundle::page(String::from_utf8_lossy(&index).into_owned(), POLICY)
}

async fn icon(headers: HeaderMap) -> Response {
    bundle::file::<Bundle>("icon.svg", Caching::AskAgain, &headers)
}

async fn asset(Path(path): Path<String>, headers: HeaderMap) -> Response {
    bundle::asset::<Bundle>(&path, &headers)
}
