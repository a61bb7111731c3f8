//! The page at `/`: what this server serves, for people who open its address.

use std::fmt::Write as _;

use axum::http::HeaderValue;
use axum::response::Response;
use bytes::Bytes;

use super::bundle;
use super::config::Playground;
use super::doc_files;
use super::front_ends;
use super::state::{App, Endpoint};
use super::unsent::SharedBytes;

/// Nothing comes from elsewhere, and nothing runs.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'";
const STYLE: &str = "body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem; \
     color-scheme: light dark } code { font-size: 0.95em }";

/// A service, and the paths that are about it.
struct Entry<'a> {
    name: &'a str,
    path: String,
    schema: Option<String>,
    docs: Option<String>,
    /// The paths of its pages, and their names.
    pages: Vec<(&'a str, &'a str)>,
}

fn entries<'a>(app: &'a App, endpoints: &'a [Endpoint]) -> impl Iterator<Item = Entry<'a>> {
    endpoints.iter().enumerate().map(|(number, endpoint)| {
        let name = endpoint.service.name();
        let pages = app.front_ends.iter().filter(|each| each.service == name);
        Entry {
            name,
            path: match number {
                0 => "/graphql".to_owned(),
                _ => format!("/{name}/graphql"),
            },
            schema: app
                .shows_schemas()
                .then(|| format!("/{name}/schema.graphql")),
            docs: doc_files::path(name),
            pages: pages.map(|page| (page.path, page.name)).collect(),
        }
    })
}

/// The page with the services of this server.
pub(super) fn page(app: &App, endpoints: &[Endpoint]) -> String {
    let mut services = String::new();
    for Entry {
        name,
        path,
        schema,
        docs,
        pages,
    } in entries(app, endpoints)
    {
        let shown = match app.args.playground {
            Playground::On => {
                format!("<a href=\"{path}\"><code>{path}</code></a>, with a playground")
            }
            Playground::Off => format!("<code>{path}</code>"),
        };
        // Writing to a String does not fail.
        let _ = write!(services, "<li><b>{name}</b>: {shown}");
        if let Some(schema) = schema {
            let _ = write!(services, ", <a href=\"{schema}\">schema</a>");
        }
        if let Some(docs) = docs {
            let _ = write!(services, ", <a href=\"{docs}\">docs</a>");
        }
        for (path, title) in pages {
            let _ = write!(services, ", <a href=\"{path}\">{title}</a>");
        }
        services.push_str("</li>");
    }
    let missing = missing_pages(app, endpoints).unwrap_or_default();
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><meta name=\"color-scheme\" content=\"light dark\"><title>Trestle</title><style>{STYLE}</style>\
         <h1>Trestle</h1><p>This server answers GraphQL.</p><ul>{services}</ul>{missing}\
         <p>Programs send <code>POST</code> requests with JSON. Health is at <a href=\"/livez\"><code>/livez</code></a> and \
         <a href=\"/readyz\"><code>/readyz</code></a>, metrics are at <a href=\"/metrics\"><code>/metrics</code></a>. Read how to <a href=\"/docs/front-end.md\">build a front end</a>, to <a href=\"/docs/operating.md\">operate the server</a> and to \
         <a href=\"/docs/configuration.md\">configure</a> it.</p></html>"
    )
}

/// What is missing where a page would be, and what to do. `None` if the pages are there, or not wanted.
fn missing_pages(app: &App, endpoints: &[Endpoint]) -> Option<String> {
    let reason = crate::has_pages().err()?;
    let mut names = endpoints.iter().map(|endpoint| endpoint.service.name());
    if app.args.no_pages || !names.any(front_ends::has_one) {
        return None;
    }
    Some(format!(
        "<h2>The pages are missing</h2><p>This binary has no pages, and no playground that works offline: {reason}. Install \
         Node.js 20.19 or newer and run <code>cargo run --release -- serve</code> again: it builds what is missing.</p>"
    ))
}

/// The same for those who read no HTML, such as people with `curl`.
pub(super) fn text(app: &App, endpoints: &[Endpoint]) -> String {
    let mut text =
        "This server answers GraphQL. Send POST requests with JSON to these paths:\n".to_owned();
    for entry in entries(app, endpoints) {
        let _ = write!(text, "\n{}: {}\n", entry.name, entry.path);
        if let Some(schema) = entry.schema {
            let _ = writeln!(text, "  schema: {schema}");
        }
        if let Some(docs) = entry.docs {
            let _ = writeln!(text, "  docs: {docs}");
        }
        for (path, title) in entry.pages {
            let _ = writeln!(text, "  {title}: {path}");
        }
    }
    text.push_str(
        "\nHealth is at /livez and /readyz, metrics are at /metrics. More docs: /docs/front-end.md, \
         /docs/operating.md, /docs/configuration.md\n",
    );
    text
}

pub(super) fn response(page: Bytes) -> Response {
    let mut response = bundle::page(page, HeaderValue::from_static(POLICY));
    response.extensions_mut().insert(SharedBytes);
    response
}
