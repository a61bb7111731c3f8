//! The page at `/`: what this server serves, for people who open its address.

use std::fmt::Write as _;

use axum::response::Response;

use super::bundle;
use super::config::Playground;
use super::state::{App, Endpoint};

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
        let _ = write!(services, "<li><b>{name}</b>: {shown}");
        if app.shows_schemas() {
            let _ = write!(services, ", <a href=\"/{name}/schema.graphql\">schema</a>");
        }
        for front_end in app.front_ends.iter().filter(|each| each.service == name) {
            let (path, title) = (front_end.path, front_end.name);
            let _ = write!(services, ", <a href=\"{path}\">{title}</a>");
        }
        services.push_str("</li>");
    }
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><meta name=\"color-scheme\" content=\"light dark\"><title>Trestle</title><style>{STYLE}</style>\
         <h1>Trestle</h1><p>This server answers GraphQL.</p><ul>{services}</ul>\
         <p>Programs send <code>POST</code> requests with JSON. Health is at <a href=\"/livez\"><code>/livez</code></a> and \
         <a href=\"/readyz\"><code>/readyz</code></a>, metrics are at <a href=\"/metrics\"><code>/metrics</code></a>. <code>trestle serve --help</code> lists all settings; the folder \
         <code>docs</code> of the source describes them.</p></html>"
    )
}

pub(super) fn response(page: &str) -> Response {
    bundle::page(page.to_owned(), POLICY)
}
