//! How an export is written in each format.

use std::io::{self, BufWriter, Write};

use serde_json::Value;

use trestle_applications::{Details, Record};
use trestle_spreadsheet::shielded;

use super::activities::{Activities, Days};
use super::format::Format;
use super::target::output_error;

/// The columns of CSV: the fields' names, which `trestle import` understands. Spreadsheets refer to them by their places, so
/// those of fields that are added come last.
fn columns() -> Vec<&'static str> {
    let mut columns = vec!["id"];
    for field in Details::FIELDS {
        columns.push(field.name);
        // The first releases had the fields up to here.
        if field.name == "nextActionDate" {
            columns.extend(["isArchived", "createdAt", "updatedAt"]);
        }
    }
    columns
}

/// Applications on their way to an output.
pub enum Writer<W: Write> {
    Ndjson(BufWriter<W>),
    /// And how many there are so far.
    Json(BufWriter<W>, usize),
    Csv(Box<csv::Writer<W>>),
    /// Written when all are known.
    Activities(Box<csv::Writer<W>>, Activities),
}

impl<W: Write> Writer<W> {
    /// Begins to write; of activities those of `days`.
    ///
    /// # Errors
    /// The output does not take it.
    pub fn new(output: W, format: Format, days: Days) -> io::Result<Self> {
        Ok(match format {
            Format::Ndjson => Writer::Ndjson(BufWriter::new(output)),
            Format::Json => Writer::Json(BufWriter::new(output), 0),
            Format::Csv => {
                let mut writer = csv::Writer::from_writer(output);
                writer.write_record(columns()).map_err(output_error)?;
                Writer::Csv(Box::new(writer))
            }
            Format::Activities => {
                let writer = csv::Writer::from_writer(output);
                Writer::Activities(Box::new(writer), Activities::of(days))
            }
        })
    }

    /// Writes one application.
    ///
    /// # Errors
    /// The output does not take it.
    pub fn write(&mut self, record: &Record) -> io::Result<()> {
        match self {
            Writer::Ndjson(output) => {
                serde_json::to_writer(&mut *output, record)?;
                output.write_all(b"\n")
            }
            Writer::Json(output, written) => {
                output.write_all(if *written == 0 { b"[\n" } else { b",\n" })?;
                *written += 1;
                Ok(serde_json::to_writer(output, record)?)
            }
            Writer::Csv(writer) => {
                let record = serde_json::to_value(record)?;
                let cells = columns().into_iter().map(|column| cell(&record[column]));
                writer.write_record(cells).map_err(output_error)
            }
            Writer::Activities(_, activities) => {
                activities.add(record);
                Ok(())
            }
        }
    }

    /// Writes what is left, and answers the output.
    ///
    /// # Errors
    /// The output does not take it.
    pub fn finish(self) -> io::Result<W> {
        match self {
            Writer::Ndjson(output) => Ok(output.into_inner()?),
            Writer::Json(mut output, written) => {
                output.write_all(if written == 0 { b"[]\n" } else { b"\n]\n" })?;
                Ok(output.into_inner()?)
            }
            Writer::Csv(writer) => output_of(*writer),
            Writer::Activities(mut writer, activities) => {
                activities.write(&mut writer)?;
                output_of(*writer)
            }
        }
    }
}

fn output_of<W: Write>(writer: csv::Writer<W>) -> io::Result<W> {
    let written = writer.into_inner();
    written.map_err(|error| io::Error::from(error.error().kind()))
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => shielded(text).into_owned(),
        Value::Array(texts) if texts.iter().all(Value::is_string) => {
            let texts: Vec<_> = texts.iter().filter_map(Value::as_str).collect();
            shielded(&texts.join(", ")).into_owned()
        }
        other => other.to_string(),
    }
}
