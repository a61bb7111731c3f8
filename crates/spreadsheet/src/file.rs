//! A CSV file in memory. Source: RFC 4180.

use std::io;

use super::formulas::shielded;

/// A file whose cells no spreadsheet takes for formulas.
#[derive(Debug)]
pub struct CsvFile {
    writer: csv::Writer<Vec<u8>>,
    /// The first row that could not be written.
    failed: Option<csv::Error>,
}

impl Default for CsvFile {
    fn default() -> Self {
        let mut writer = csv::WriterBuilder::new();
        writer.terminator(csv::Terminator::CRLF);
        Self {
            // By the byte order mark, spreadsheets read umlauts.
            writer: writer.from_writer("\u{feff}".into()),
            failed: None,
        }
    }
}

impl CsvFile {
    /// Adds a row. All rows have as many cells as the first one.
    pub fn row<T: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = T>) {
        let cells = cells.into_iter();
        let cells = cells.map(|cell| shielded(cell.as_ref()).into_owned());
        let written = self.writer.write_record(cells);
        self.failed = self.failed.take().or(written.err());
    }

    /// The text of the file.
    ///
    /// # Errors
    /// A row has another number of cells than the first one.
    pub fn finish(self) -> io::Result<String> {
        if let Some(error) = self.failed {
            return Err(io::Error::other(error));
        }
        let bytes = self.writer.into_inner();
        let bytes = bytes.map_err(|error| io::Error::other(error.into_error()))?;
        String::from_utf8(bytes).map_err(io::Error::other)
    }
}
