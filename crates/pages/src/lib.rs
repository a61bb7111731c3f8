//! The front ends of Trestle, bundled when it is built: see README.md.

use rust_embed::RustEmbed;

/// The board of applications.
#[derive(RustEmbed)]
#[folder = "$OUT_DIR/embedded/board/"]
#[allow_missing = true]
pub struct Board;

/// The page of shareables.
#[derive(RustEmbed)]
#[folder = "$OUT_DIR/embedded/shareables/"]
#[allow_missing = true]
pub struct Shareables;

/// The page of graph-runs.
#[derive(RustEmbed)]
#[folder = "$OUT_DIR/embedded/graph-runs/"]
#[allow_missing = true]
pub struct GraphRuns;

/// GraphiQL: `index.html` and the files that it names, below `assets`, most of them as `.br` and `.gz` alone.
#[derive(RustEmbed)]
#[folder = "$OUT_DIR/embedded/playground/"]
#[allow_missing = true]
pub struct Playground;

/// Why this build has no pages, as a sentence that says what to do. `None` if it has them.
pub const MISSING: Option<&str> = option_env!("TRESTLE_PAGES_MISSING");

/// The folder of the machine that built this, with one folder for each page as it was bundled. For tests.
pub const FOLDER: &str = concat!(env!("OUT_DIR"), "/pages");
