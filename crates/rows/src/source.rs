//! Files of rows: CSV, JSON and NDJSON, read one row at a time. Knows no column.

use std::collections::{HashSet, VecDeque};
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use clap::ValueEnum;
use serde_json::Value;

use trestle_service::Failure;
use trestle_spreadsheet::unshielded;

use super::shape;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A header line, then one row per line. Fields are separated by commas, semicolons or tabs. Quoted
    /// fields may contain separators and line breaks.
    Csv,
    /// One array of objects.
    Json,
    /// One object per line.
    Ndjson,
}

/// One row: columns and their texts, in the file's order.
pub type Cells = Vec<(String, String)>;

/// One row of a file.
pub struct Row {
    /// Where it stands, for a person to find: `line 17`.
    pub place: String,
    /// Its cells, or why it cannot be read.
    pub cells: Result<Cells, String>,
    json: Option<Value>,
}

impl Row {
    /// The row as JSON, if the file is JSON or NDJSON.
    pub fn json(&self) -> Option<&Value> {
        self.json.as_ref()
    }
}

/// An open file.
pub struct Source {
    rows: Rows,
    read: Arc<AtomicU64>,
    size: Option<u64>,
}

enum Rows {
    Csv {
        header: Vec<String>,
        reader: Box<csv::Reader<Box<dyn Read + Send>>>,
        lines: LineCounter,
    },
    Lines {
        reader: Box<dyn BufRead + Send>,
        line: u64,
    },
    Array {
        items: VecDeque<Value>,
        number: u64,
    },
}

/// Counts the lines of a CSV file. The reader's own count is that of the end of the record before, which is not where a record
/// begins behind CRLF and empty lines.
struct LineCounter {
    file: Arc<[u8]>,
    at: usize,
    line: u64,
}

impl LineCounter {
    fn new(file: Arc<[u8]>) -> Self {
        Self {
            file,
            at: 0,
            line: 1,
        }
    }

    /// Where a record stands, for a person to find. Records are asked for in the order of the file.
    fn place(&mut self, position: Option<&csv::Position>) -> String {
        let from = position.map_or(0, csv::Position::byte);
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        while let Some(byte) = self.file.get(self.at).copied() {
            let is_end = matches!(byte, b'\r' | b'\n');
            if self.at >= from && !is_end {
                break;
            }
            self.at += 1;
            // CRLF is one end of a line.
            let is_first_half = byte == b'\r' && self.file.get(self.at) == Some(&b'\n');
            self.line += u64::from(is_end && !is_first_half);
        }
        format!("line {}", self.line)
    }
}

/// Counts what is read of the file, for the progress bar.
struct Counted<R>(R, Arc<AtomicU64>);

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.0.read(buffer)?;
        self.1.fetch_add(read as u64, Relaxed);
        Ok(read)
    }
}

impl Source {
    /// Opens a file, `-` for the standard input.
    ///
    /// # Errors
    /// The file cannot be opened, its format is not told, or it does not begin like one.
    pub fn open(path: &Path, format: Option<Format>) -> Result<Self, Failure> {
        let format = format.or_else(|| by_ending(path)).ok_or_else(|| {
            let name = path.display();
            Failure::new(format!(
                "What is {name}? Its ending does not tell: say --format csv, --format json or --format \
                 ndjson."
            ))
        })?;
        let read = Arc::new(AtomicU64::new(0));
        let (input, size): (Box<dyn Read + Send>, _) = if path == Path::new("-") {
            (Box::new(std::io::stdin()), None)
        } else {
            let named = |error| Failure::new(format!("{} cannot be read: {error}", path.display()));
            let file = File::open(path).map_err(named)?;
            let size = file.metadata().map_err(named)?.len();
            (Box::new(file), Some(size))
        };
        let mut input: Box<dyn Read + Send> = Box::new(Counted(input, Arc::clone(&read)));
        let rows = match format {
            // Whole, so that nothing is written of a file that turns out to be broken further down.
            Format::Csv => {
                let file = whole(&mut input)?;
                read.store(0, Relaxed);
                csv_rows(file, &read)?
            }
            Format::Json => Rows::Array {
                items: json_items(input)?,
                number: 0,
            },
            Format::Ndjson => Rows::Lines {
                reader: Box::new(BufReader::new(input)),
                line: 0,
            },
        };
        Ok(Self { rows, read, size })
    }

    /// The columns, where the file names them ahead of its rows. An empty file names none.
    pub fn header(&self) -> Option<&[String]> {
        match &self.rows {
            Rows::Csv { header, .. } => Some(header.as_slice()).filter(|header| !header.is_empty()),
            Rows::Lines { .. } | Rows::Array { .. } => None,
        }
    }

    /// Whether the file is read as a whole, so that all of its rows fit into memory.
    pub fn is_whole(&self) -> bool {
        !matches!(self.rows, Rows::Lines { .. })
    }

    /// The file's size in bytes, where it has one.
    pub fn size(&self) -> Option<u64> {
        self.size
    }

    /// How many bytes of it were read.
    pub fn position(&self) -> u64 {
        self.read.load(Relaxed)
    }
}

fn by_ending(path: &Path) -> Option<Format> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "csv" => Some(Format::Csv),
        "json" => Some(Format::Json),
        "ndjson" | "jsonl" => Some(Format::Ndjson),
        _ => None,
    }
}

fn csv_rows(mut file: Vec<u8>, read: &Arc<AtomicU64>) -> Result<Rows, Failure> {
    if file.starts_with(b"\xff\xfe") || file.starts_with(b"\xfe\xff") {
        return Err(Failure::new(format!("The file is UTF-16. {SAVE_AS}.")));
    }
    if file.starts_with(MARK) {
        file.drain(..MARK.len());
    }
    let delimiter = shape::delimiter(&file);
    if let Some(shape::Opened { line, column }) = shape::unclosed_quote(&file, delimiter) {
        return Err(Failure::new(format!(
            "line {line}: a quote is never closed; it opens in column {column}. A quote inside of one is \
             written twice. Nothing was imported."
        )));
    }
    let file: Arc<[u8]> = file.into();
    let lines = LineCounter::new(Arc::clone(&file));
    let input: Box<dyn Read + Send> = Box::new(Counted(Cursor::new(file), Arc::clone(read)));
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .trim(csv::Trim::All)
        .delimiter(delimiter)
        .from_reader(input);
    let header: Vec<_> = reader.headers()?.iter().map(without_mark).collect();
    if let Some(twice) = twice(&header) {
        return Err(Failure::new(format!(
            "Two columns have the name {twice:?}, perhaps with other capital letters: rename one of them. Nothing was \
             imported."
        )));
    }
    let hint = match header.first().and_then(|first| first.chars().next()) {
        Some('{') => "an object a line: give --format ndjson",
        Some('[') => "an array: give --format json",
        _ => {
            let reader = Box::new(reader);
            return Ok(Rows::Csv {
                header,
                reader,
                lines,
            });
        }
    };
    Err(Failure::new(format!(
        "The file has no columns, but {hint}."
    )))
}

/// The most bytes of a CSV or JSON file, which are read as a whole, and of a line of NDJSON.
const MOST: u64 = 64 << 20;

/// All of a file that is not too large.
fn whole(input: &mut impl Read) -> Result<Vec<u8>, Failure> {
    let mut file = Vec::new();
    input.take(MOST + 1).read_to_end(&mut file)?;
    if file.len() as u64 > MOST {
        Err(Failure::new(format!(
            "The file has more than {} MiB. Split it, or give one object a line, as NDJSON. Nothing was imported.",
            MOST >> 20
        )))
    } else {
        Ok(file)
    }
}

fn json_items(mut input: impl Read) -> Result<VecDeque<Value>, Failure> {
    let file = whole(&mut input)?;
    let text = file.strip_prefix(MARK).unwrap_or(&file).trim_ascii();
    if text.is_empty() {
        return Ok(VecDeque::new());
    }
    serde_json::from_slice(text).map_err(|error| {
        let hint = match text.first() {
            Some(b'{') => " If it has an object a line, give --format ndjson.",
            _ => "",
        };
        Failure::new(format!("not a JSON array of objects: {error}.{hint}"))
    })
}

/// The byte order mark that spreadsheets write ahead of everything.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// What to do with a file in another encoding.
const SAVE_AS: &str = "Save it as UTF-8, which a spreadsheet calls CSV UTF-8";

/// A name that two columns have. Columns without a name are as many as the file likes.
fn twice(header: &[String]) -> Option<&str> {
    let mut seen = HashSet::new();
    let mut names = header.iter().filter(|name| !name.is_empty());
    // Columns are found by their names in lower case.
    names
        .find(|name| !seen.insert(name.to_lowercase()))
        .map(String::as_str)
}

fn without_mark(header: &str) -> String {
    header.trim_start_matches('\u{feff}').to_owned()
}

impl Iterator for Source {
    type Item = Result<Row, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.rows {
            Rows::Csv {
                header,
                reader,
                lines,
            } => {
                let mut record = csv::StringRecord::new();
                match reader.read_record(&mut record) {
                    Ok(false) => None,
                    Ok(true) => {
                        let place = lines.place(record.position());
                        let cells = header
                            .iter()
                            .cloned()
                            .zip(record.iter().map(|cell| unshielded(cell).to_owned()))
                            .collect();
                        let cells = if record.len() > header.len() {
                            Err("more fields than the header has columns".to_owned())
                        } else {
                            Ok(cells)
                        };
                        Some(Ok(Row {
                            place,
                            cells,
                            json: None,
                        }))
                    }
                    Err(error) if error.is_io_error() => Some(Err(error.into())),
                    Err(error) => {
                        let place = lines.place(error.position());
                        let reason = match error.kind() {
                            csv::ErrorKind::Utf8 { .. } => {
                                format!("not UTF-8. {SAVE_AS}, and import it again.")
                            }
                            _ => error.to_string(),
                        };
                        Some(Ok(Row {
                            place,
                            cells: Err(reason),
                            json: None,
                        }))
                    }
                }
            }
            Rows::Lines { reader, line } => loop {
                let mut bytes = Vec::new();
                match reader.by_ref().take(MOST).read_until(b'\n', &mut bytes) {
                    Ok(0) => return None,
                    Ok(read) if read as u64 == MOST => {
                        let (line, most) = (*line + 1, MOST >> 20);
                        let why = format!(
                            "line {line} has more than {most} MiB. The lines before were imported."
                        );
                        return Some(Err(Failure::new(why)));
                    }
                    Ok(_) => {}
                    Err(error) => return Some(Err(error.into())),
                }
                *line += 1;
                let text = bytes.strip_prefix(MARK).filter(|_| *line == 1);
                let text = text.unwrap_or(&bytes).trim_ascii();
                if !text.is_empty() {
                    let place = format!("line {line}");
                    return Some(Ok(match serde_json::from_slice(text) {
                        Ok(json) => json_row(place, json),
                        Err(error) => Row {
                            place,
                            cells: Err(format!("not JSON: {error}")),
                            json: None,
                        },
                    }));
                }
            },
            Rows::Array { items, number } => {
                *number += 1;
                let json = items.pop_front()?;
                Some(Ok(json_row(format!("item {number}"), json)))
            }
        }
    }
}

fn json_row(place: String, json: Value) -> Row {
    let cells = match &json {
        Value::Object(fields) => Ok(fields
            .iter()
            .map(|(name, value)| (name.clone(), text(value)))
            .collect()),
        Value::Array(_) => {
            Err("not an object. For a file that is one array, give --format json".to_owned())
        }
        _ => Err("not an object".to_owned()),
    };
    Row {
        place,
        cells,
        json: Some(json),
    }
}

/// A cell's text: as it is written, a list's parts with commas.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.trim().to_owned(),
        Value::Array(items) => items.iter().map(text).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cells of the first column with the line in which their rows begin.
    fn lines_of(file: &str) -> Vec<(String, String)> {
        let read = Arc::default();
        let source = Source {
            rows: csv_rows(file.as_bytes().to_vec(), &read).unwrap(),
            read,
            size: None,
        };
        let mut lines = Vec::new();
        for row in source.map(Result::unwrap) {
            let first = row.cells.unwrap_or_default().into_iter().next();
            lines.push((first.unwrap_or_default().1, row.place));
        }
        lines
    }

    #[test]
    fn a_row_has_the_number_of_the_line_in_which_it_begins() {
        for end in ["\n", "\r\n", "\r"] {
            for mark in ["", "\u{feff}"] {
                // Before the first row, and between the rows.
                for empty in 0..3 {
                    for breaks in 0..3 {
                        for last in ["", end] {
                            let gap = end.repeat(empty + 1);
                            let notes = format!("\"x{}y\"", end.repeat(breaks));
                            let file = format!(
                                "{mark}{}a,b{gap}1,{notes}{gap}2,{notes}{gap}3,z{last}",
                                end.repeat(empty)
                            );
                            let first = 1 + empty + empty + 1;
                            let each = breaks + empty + 1;
                            let expected: Vec<_> = (0..3)
                                .map(|row| {
                                    let line = first + row * each;
                                    ((row + 1).to_string(), format!("line {line}"))
                                })
                                .collect();
                            assert_eq!(lines_of(&file), expected, "{file:?}");
                        }
                    }
                }
            }
        }
    }
}
