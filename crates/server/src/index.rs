//! The page at `/`: what this server serves, for people who open its address.

use std::fmt::Write as _;

use axum::response::Response;

use super::config::Playground;
use super::state::{App, Endpoint};
use super::{board, bundle};

/// Nothing comes from elsewhere, and nothing runs.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'";
const STYLE: &str = "body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem; \
     color-scheme: light dark } code { font-size: 0.95em }";

/// The page with the services of this server.
pub(super) fn page(app: &App, endpoints: &[Endpoint]) -> String {
    let mut services = String::new();
    for (number, endpoint) in endpoints.iter().enumerate() {
        let name = endpoint.service.name();
        let path = match number {
            0 => "/graphql".to_owned(),
            _ => format!("/{name}/graphql"),
        };
        let shown = match app.args.playground {
            Playground::On => {
                format!("<a href=\"{path}\"><code>{path}</code></a>, with a playground")
            }
            Playground::Off => format!("<code>{path}</code>"),
        };
        // Writing to a String does not fail.
        let _ = write!(services, "<li><b>{name}</b>: {shown}</li>");
    }
    if app.args.board {
        let path = board::PATH;
        let _ = write!(services, "<li><a href=\"{path}\">The board</a></li>");
    }
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Trestle</title><style>{STYLE}</style>\
         <h1>Trestle</h1><p>This server answers GraphQL.</p><ul>{services}</ul>\
         <p>Programs send <code>POST</code> requests with JSON. Health is at <code>/livez</code> and <code>/readyz</code>, \
         metrics are at <code>/metrics</code>. <code>trestle serve --help</code> lists all settings; the folder \
         <code>docs</code> of the source describes them.</p></html>"
    )
}

pub(super) fn response(page: &str) -> Response {
    bundle::page(page.to_owned(), POLICY)
}
