//! The front ends of `examples`, where the build bundled them: their files, and the documents that they
//! send. The README of each says what it asks of whoever serves it.

use std::borrow::Cow;
use std::sync::Arc;

use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{Redirect, Response};
use axum::routing::get;
use rust_embed::RustEmbed;
use trestle_pages::{Board, GraphRuns, Shareables};

use super::bundle::{self, Caching};
use super::page_sign_in::PageSignIn;

/// Everything comes from this origin, live changes, the service worker and the manifest too; components write styles into
/// the page, and the style sheet draws an image as data.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
     font-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; manifest-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// The same for a page whose files are at signed addresses, also of an object store.
const POLICY_WITH_FILES: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
     font-src 'self'; img-src 'self' data:; connect-src 'self' https:; worker-src 'self'; manifest-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What the policies let a page connect to. The issuer of tokens stands behind it where people sign in there.
const CONNECT: &str = "connect-src 'self'";

/// What a page holds where it is told how people sign in, if it asks who they are: see `examples/board/README.md`.
const PLACEHOLDER: &str = r#"<script type="application/json" id="sign-in">null</script>"#;

/// A front end, and the service that it shows.
pub struct FrontEnd {
    /// The path under which it is.
    pub path: &'static str,
    /// Its name in a sentence.
    pub name: &'static str,
    /// The name of the service that it asks.
    pub service: &'static str,
    /// Whether it asks `/graphql`, which is the first service's.
    pub(super) asks_first: bool,
    documents: fn() -> Option<Cow<'static, [u8]>>,
    routes: fn(&'static FrontEnd, Option<&PageSignIn>) -> Router,
    policy: &'static str,
}

/// All of them.
pub(super) static ALL: [FrontEnd; 3] = [
    FrontEnd {
        path: "/board/",
        name: "the board",
        service: "applications",
        asks_first: true,
        documents: documents_in::<Board>,
        routes: routes_of::<Board>,
        policy: POLICY_WITH_FILES,
    },
    FrontEnd {
        path: "/shareables/",
        name: "the page of shareables",
        service: "shareables",
        asks_first: false,
        documents: documents_in::<Shareables>,
        routes: routes_of::<Shareables>,
        policy: POLICY,
    },
    FrontEnd {
        path: "/graph-runs/",
        name: "the page of graph-runs",
        service: "graph-runs",
        asks_first: false,
        documents: documents_in::<GraphRuns>,
        routes: routes_of::<GraphRuns>,
        policy: POLICY_WITH_FILES,
    },
];

/// Whether there is one for a service.
pub(super) fn has_one(service: &str) -> bool {
    ALL.iter().any(|each| each.service == service)
}

impl FrontEnd {
    /// Every document that it sends, as JSON by their hashes. Empty where it was not bundled.
    pub(super) fn documents(&self) -> Option<Cow<'static, [u8]>> {
        (self.documents)()
    }

    /// Its paths. Its files are public: what they show comes from the API, which asks who one is.
    pub(super) fn routes(&'static self, sign_in: Option<&PageSignIn>) -> Router {
        (self.routes)(self, sign_in)
    }
}

fn documents_in<B: RustEmbed>() -> Option<Cow<'static, [u8]>> {
    B::get("index.html")?;
    B::get("persisted-documents.json").map(|file| file.data)
}

fn routes_of<B: RustEmbed + 'static>(
    front_end: &'static FrontEnd,
    sign_in: Option<&PageSignIn>,
) -> Router {
    let FrontEnd { path, policy, .. } = front_end;
    let sign_in: Arc<Option<PageSignIn>> = Arc::new(sign_in.cloned());
    let to_page = async || Redirect::temporary(path);
    let page = move || {
        let sign_in = Arc::clone(&sign_in);
        async move { page::<B>(policy, sign_in.as_ref().as_ref()) }
    };
    let file = |name| {
        get(async move |headers: HeaderMap| bundle::file::<B>(name, Caching::AskAgain, &headers))
    };
    Router::new()
        .route(path.trim_end_matches('/'), get(to_page))
        .route(path, get(page))
        .route(&format!("{path}icon.svg"), file("icon.svg"))
        .route(&format!("{path}manifest.json"), file("manifest.json"))
        .route(&format!("{path}worker.js"), file("worker.js"))
        .route(&format!("{path}assets/{{*path}}"), get(asset::<B>))
}

fn page<B: RustEmbed>(policy: &'static str, sign_in: Option<&PageSignIn>) -> Response {
    // The server does not start without it.
    let index = B::get("index.html").map(|file| file.data);
    let index = index.unwrap_or_default();
    let index = String::from_utf8_lossy(&index);
    match sign_in {
        Some(sign_in) if index.contains(PLACEHOLDER) => {
            let told = PLACEHOLDER.replace("null", &bundle::data_block(sign_in));
            let connects = format!("{CONNECT} {}", sign_in.origin);
            let policy = HeaderValue::try_from(policy.replacen(CONNECT, &connects, 1));
            // An origin has no character that a header cannot.
            let policy = policy.unwrap_or(HeaderValue::from_static("default-src 'none'"));
            bundle::page(index.replacen(PLACEHOLDER, &told, 1), policy)
        }
        _ => bundle::page(index.into_owned(), HeaderValue::from_static(policy)),
    }
}

async fn asset<B: RustEmbed>(Path(path): Path<String>, headers: HeaderMap) -> Response {
    bundle::asset::<B>(&path, &headers)
}
