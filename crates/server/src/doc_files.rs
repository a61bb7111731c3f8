//! The files of `docs/`, within the binary.

macro_rules! docs {
    ($($name:literal),* $(,)?) => {
        &[$((concat!($name, ".md"), include_str!(concat!("../../../docs/", $name, ".md")))),*]
    };
}

/// The files with their names.
pub(super) static FILES: &[(&str, &str)] = docs![
    "README",
    "adding-a-field",
    "adding-a-service",
    "adding-an-entity",
    "applications",
    "behind-a-proxy",
    "collab-hub",
    "comparison",
    "configuration",
    "costs-and-speed",
    "errors",
    "federation",
    "front-end",
    "graph-rules",
    "graph-runs",
    "import-and-export",
    "job-board",
    "life-of-a-request",
    "operating",
    "runbook",
    "shareables",
    "someone-leaves",
    "team",
    "upgrading",
];

/// The path of the file about something, if there is one.
pub(super) fn path(about: &str) -> Option<String> {
    let name = format!("{about}.md");
    let known = FILES.iter().any(|(file, _)| *file == name);
    known.then(|| format!("/docs/{name}"))
}
