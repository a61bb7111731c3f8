//! The page without the bundle: the same pinned versions from a CDN, each file held to its hash.

use std::fmt::Write as _;

use axum::response::Response;
use serde_json::json;

use super::{html_response, policy_hash};

/// A file on the CDN and what it has to be.
struct Pinned {
    /// What scripts import it as; for a style sheet its package.
    name: &'static str,
    /// The address, with the version in it.
    url: &'static str,
    /// The hash as `integrity` takes it: `sha384-...`.
    integrity: &'static str,
}

/// The modules of the page, in an import map.
const MODULES: &[Pinned] = &[];
/// The style sheets of the page.
const STYLES: &[Pinned] = &[];
/// Where they come from.
const ORIGIN: &str = "https://esm.sh";

/// Starts GraphiQL with what the page was told.
const START: &str = include_str!("start.js");

pub(super) fn page(told: &str) -> Response {
    if MODULES.is_empty() {
        return plain(told);
    }
    let imports: serde_json::Map<_, _> = MODULES
        .iter()
        .map(|module| (module.name.to_owned(), json!(module.url)))
        .collect();
    let integrity: serde_json::Map<_, _> = MODULES
        .iter()
        .map(|module| (module.url.to_owned(), json!(module.integrity)))
        .collect();
    let map = json!({ "imports": imports, "integrity": integrity }).to_string();
    let mut styles = String::new();
    for Pinned {
        name,
        url,
        integrity,
    } in STYLES
    {
        // Writing to a string does not fail.
        let _ = write!(
            styles,
            "<link rel=\"stylesheet\" data-package=\"{name}\" href=\"{url}\" integrity=\"{integrity}\" \
             crossorigin=\"anonymous\">"
        );
    }
    let html = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Trestle</title>{styles}\
         {told}<script type=\"importmap\">{map}</script></head><body><div id=\"graphiql\"></div>\
         <script type=\"module\">{START}</script></body></html>"
    );
    let policy = format!(
        "default-src 'none'; script-src {} {} {ORIGIN}; style-src {ORIGIN} 'unsafe-inline'; \
         worker-src 'self' blob:; connect-src 'self' {ORIGIN}; img-src 'self' data:; \
         font-src {ORIGIN} data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        policy_hash(&map),
        policy_hash(START),
    );
    html_response(html, &policy)
}

/// The page where there is nothing to load.
fn plain(told: &str) -> Response {
    let html = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Trestle</title>{told}\
         </head><body><h1>GraphQL</h1><p>This address answers GraphQL over HTTP. The playground is not \
         part of this build; any GraphQL client can be pointed here.</p></body></html>"
    );
    let policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    html_response(html, policy)
}
