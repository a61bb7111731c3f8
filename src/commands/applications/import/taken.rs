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
            if !self.used.iter().any(|(f, c)| *f == field && c == column) {
                self.used.push((field, column.to_owned()));
            }
        }
        self.used
            .sort_by_key(|(field, _)| field_names().position(|known| known == *field));
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
        let left = self.seen.iter();
        let left: Vec<_> = left
            .filter(|column| !self.used.iter().any(|(_, used)| used == *column))
            .cloned()
            .collect();
        let (used, left) = (or_none(&used), or_none(&left));
        write!(f, "columns: {used}; not used: {left}")
    }
}

fn or_none(names: &[String]) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}
