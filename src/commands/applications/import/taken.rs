//! The report on columns: which field each of them fills, and which are not used.

use std::fmt;

use trestle_applications::importer::{Columns, field_names};

/// The columns of a file and the fields that they fill, in the rows that were read.
#[derive(Default)]
pub struct Taken {
    /// Each field with the column that fills it: the id, then the fields in their order.
    used: Vec<(&'static str, String)>,
    seen: Vec<String>,
}

impl Taken {
    /// Adds the columns of a row.
    pub fn look<'a>(
        &mut self,
        columns: &'a Columns,
        cells: impl Iterator<Item = (&'a str, &'a str)> + Clone,
    ) {
        for (column, _) in cells.clone() {
            if !column.is_empty() && !self.seen.iter().any(|seen| seen == column) {
                self.seen.push(column.to_owned());
            }
        }
        for (field, column) in columns.used(cells) {
            let known = |(f, c): &(&str, String)| *f == field && c == column;
            if !self.used.iter().any(known) {
                self.used.push((field, column.to_owned()));
            }
        }
        let place = |field: &str| field_names().position(|known| known == field);
        self.used.sort_by_key(|(field, _)| place(field));
    }

    /// Whether no column was seen.
    pub fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }
}

impl fmt::Display for Taken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let used: Vec<_> = self
            .used
            .iter()
            .map(|(field, column)| format!("{field} from {column}"))
            .collect();
        let is_used = |column: &&String| self.used.iter().any(|(_, used)| used == *column);
        let left: Vec<_> = self
            .seen
            .iter()
            .filter(|column| !is_used(column))
            .map(String::as_str)
            .collect();
        let or_none = |names: String| {
            if names.is_empty() {
                "none".to_owned()
            } else {
                names
            }
        };
        let (used, left) = (or_none(used.join(", ")), or_none(left.join(", ")));
        write!(f, "columns: {used}; not used: {left}")
    }
}
