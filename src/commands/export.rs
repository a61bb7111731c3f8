//! `trestle export`.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use serde_json::Value;

use crate::applications::{Applications, Record};
use crate::clock::Clock;
use crate::table::Meter;
use crate::viewer::Viewer;

use super::Failure;
use super::store::StoreArgs;

/// What to write, and where to.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = "\
NDJSON is complete: an application a line, with its stages and its whole history, and `trestle import` takes \
it back. CSV has the applications' fields alone, for spreadsheets.

What changes during the export is written as it is when its turn comes.")]
pub struct ExportArgs {
    /// The file to write; the standard output unless given
    #[arg(long, short)]
    output: Option<PathBuf>,

    /// What to write
    #[arg(long, value_enum, default_value_t = Format::Ndjson)]
    format: Format,

    #[command(flatten)]
    store: StoreArgs,
}

/// What an export is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A whole application a line.
    Ndjson,
    /// Fields alone.
    Csv,
}

/// How many applications are read side by side.
const PAGE: usize = 50;

/// The columns of CSV: the fields' names, which `trestle import` understands.
const COLUMNS: [&str; 20] = [
    "id",
    "companyName",
    "positionTitle",
    "status",
    "dateApplied",
    "offerDueDate",
    "companyUrl",
    "jobPostingUrl",
    "companyCareerUrl",
    "companyCategory",
    "jobSource",
    "skillsMatch",
    "coverLetterRequired",
    "specialRequirements",
    "notes",
    "salaryMin",
    "salaryMax",
    "isArchived",
    "createdAt",
    "updatedAt",
];

/// Writes everything.
pub async fn run(args: ExportArgs) -> Result<ExitCode, Failure> {
    let store = args.store.clone().open().await?;
    let table = store.applications();
    store.ensure(&table).await?;
    let meter = Meter::default();
    let applications = Applications::new(table, Viewer::local(), meter.clone(), Clock::system());
    let mut output: Box<dyn Write> =
        match &args.output {
            Some(path) => Box::new(File::create(path).map_err(|error| {
                Failure(format!("{} cannot be written: {error}", path.display()))
            })?),
            None => Box::new(std::io::stdout()),
        };
    let mut writer = Writer::new(BufWriter::new(&mut output), args.format)?;
    let mut written = HashSet::new();
    let mut unreadable = 0;
    let mut from = None;
    loop {
        let page = applications.export(PAGE, from.as_ref()).await?;
        let Some((last, _)) = page.last() else { break };
        from = Some(last.clone());
        for (_, record) in page {
            match record {
                Ok(Some(record)) if written.insert(record.id()) => writer.write(&record)?,
                Ok(_) => {}
                Err(error) => {
                    unreadable += 1;
                    eprintln!("left out: {error}");
                }
            }
        }
    }
    writer.finish()?;
    let spent = meter.spent();
    eprintln!(
        "{} exported, {unreadable} left out; {} calls to DynamoDB: {} read units",
        written.len(),
        spent.calls,
        spent.read_units
    );
    Ok(if unreadable == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(2)
    })
}

enum Writer<W: Write> {
    Ndjson(W),
    Csv(Box<csv::Writer<W>>),
}

impl<W: Write> Writer<W> {
    fn new(output: W, format: Format) -> Result<Self, Failure> {
        Ok(match format {
            Format::Ndjson => Writer::Ndjson(output),
            Format::Csv => {
                let mut writer = csv::Writer::from_writer(output);
                writer.write_record(COLUMNS)?;
                Writer::Csv(Box::new(writer))
            }
        })
    }

    fn write(&mut self, record: &Record) -> Result<(), Failure> {
        match self {
            Writer::Ndjson(output) => {
                serde_json::to_writer(&mut *output, record)?;
                output.write_all(b"\n")?;
            }
            Writer::Csv(writer) => {
                let record = serde_json::to_value(record)?;
                writer.write_record(COLUMNS.map(|column| cell(&record[column])))?;
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<(), Failure> {
        match self {
            Writer::Ndjson(mut output) => output.flush()?,
            Writer::Csv(mut writer) => writer.flush()?,
        }
        Ok(())
    }
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
