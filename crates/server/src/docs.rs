//! The documentation of services and operation, from within the binary, for people who open the server's address.

use axum::Extension;
use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};

use super::unsent::SharedBytes;

/// Where the files are served.
pub(super) const PATH: &str = "/docs/{name}";

macro_rules! docs {
    ($($name:literal),* $(,)?) => {
        &[$((concat!($name, ".md"), include_str!(concat!("../../../docs/", $name, ".md")))),*]
    };
}

/// The files with their names: those of the services, and those that they refer to.
static FILES: &[(&str, &str)] = docs![
    "applications",
    "behind-a-proxy",
    "collab-hub",
    "configuration",
    "costs-and-speed",
    "errors",
    "federation",
    "front-end",
    "graph-rules",
    "graph-runs",
    "import-and-export",
    "job-board",
    "operating",
    "shareables",
    "upgrading",
];

/// The path of the file about something, if there is one.
pub(super) fn path(about: &str) -> Option<String> {
    let name = format!("{about}.md");
    let known = FILES.iter().any(|(file, _)| *file == name);
    known.then(|| format!("/docs/{name}"))
}

/// One of the files, as text: browsers do not show Markdown.
pub(super) async fn file(Path(name): Path<String>) -> Response {
    match FILES.iter().find(|(file, _)| *file == name) {
        Some((_, text)) => {
            let headers = [
                (header::CONTENT_TYPE, "text/plain; charset=utf-8"),
                (header::CACHE_CONTROL, "no-cache"),
            ];
            (headers, Extension(SharedBytes), *text).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
