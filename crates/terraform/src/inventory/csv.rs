//! An inventory as CSV.

use std::io;

use trestle_spreadsheet::CsvFile;

use super::reach::EntryPoints;
use super::verdict::Verdict;
use super::{Entry, Inventory};

const COLUMNS: [&str; 11] = [
    "root",
    "address",
    "type",
    "provider",
    "file",
    "line",
    "exposed",
    "exposedBy",
    "datastore",
    "reachedFrom",
    "mayBeReachedFrom",
];

impl Inventory<'_> {
    /// The inventory as CSV. What cannot be read has a row of its own, of which nothing is known.
    ///
    /// # Errors
    /// The file cannot be made.
    pub fn csv(&self) -> io::Result<String> {
        let mut file = CsvFile::default();
        file.row(COLUMNS);
        for entry in &self.entries {
            file.row(row(entry));
        }
        for (unread, reason) in self.unread {
            file.row(unread_row(unread, reason));
        }
        file.finish()
    }
}

fn row(entry: &Entry<'_>) -> [String; COLUMNS.len()] {
    let node = entry.node;
    let line = node.line.map(|line| line.to_string());
    [
        entry.root.to_owned(),
        entry.address.to_owned(),
        node.type_name.clone(),
        node.provider_name.clone(),
        node.file.clone().unwrap_or_default(),
        line.unwrap_or_default(),
        entry.exposed.word().to_owned(),
        entry.reasons.join(" "),
        entry.datastore.word().to_owned(),
        points(&entry.reached_from),
        points(&entry.may_be_reached_from),
    ]
}

fn unread_row(file: &str, reason: &str) -> [String; COLUMNS.len()] {
    let unknown = Verdict::Unknown.word();
    let cells = ["", "", "", "", file, "", unknown, reason, unknown, "", ""];
    cells.map(str::to_owned)
}

fn points(points: &EntryPoints<'_>) -> String {
    let mut text = points.named.join("; ");
    let more = points.count - points.named.len();
    if more > 0 {
        text.push_str(&format!("; and {more} more"));
    }
    text
}
