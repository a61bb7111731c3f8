//! The formats of an export.

use std::path::Path;

use clap::ValueEnum;

/// What an export is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One complete application per line.
    Ndjson,
    /// One array of complete applications.
    Json,
    /// Only the fields.
    Csv,
    /// What was done in the search, by day, as CSV: applications that were sent, interviews, answers.
    Activities,
}

impl Format {
    /// The format that a file name's ending stands for.
    pub fn by_ending(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "csv" => Some(Format::Csv),
            "json" => Some(Format::Json),
            "ndjson" | "jsonl" => Some(Format::Ndjson),
            _ => None,
        }
    }
}
