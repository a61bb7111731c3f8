//! `trestle export`.

mod target;
mod writer;

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use crate::applications::{Applications, StoreError};
use crate::clock::Clock;
use crate::server::told_to_stop;
use crate::table::Meter;
use crate::viewer::Viewer;

use super::Failure;
use super::store::StoreArgs;

use self::target::Target;
use self::writer::Writer;

/// What to write, and where to.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = "\
NDJSON is complete: an application a line, with its stages and its whole history, and `trestle import` takes \
it back. JSON is the same as an array. CSV has the applications' fields alone, for spreadsheets.

What changes during the export is written as it is when its turn comes. A file is written beside its name and \
put in its place when it is whole: until then, and where the export fails, an older one stays as it was.")]
pub struct ExportArgs {
    /// The file to write; the standard output unless given, or where it is -
    #[arg(long, short)]
    output: Option<PathBuf>,

    /// What to write; by the file's ending (.csv, .json, .ndjson, .jsonl) unless given, or else NDJSON
    #[arg(long, value_enum)]
    format: Option<Format>,

    #[command(flatten)]
    store: StoreArgs,
}

/// What an export is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A whole application a line.
    Ndjson,
    /// An array of whole applications.
    Json,
    /// Fields alone.
    Csv,
}

impl Format {
    fn by_ending(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "csv" => Some(Format::Csv),
            "json" => Some(Format::Json),
            "ndjson" | "jsonl" => Some(Format::Ndjson),
            _ => None,
        }
    }
}

/// How many applications are read side by side.
const PAGE: usize = 50;

/// Why an export ended early.
enum Broken {
    Store(StoreError),
    Output(io::Error),
}

impl From<StoreError> for Broken {
    fn from(error: StoreError) -> Self {
        Broken::Store(error)
    }
}

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Self {
        Broken::Output(error)
    }
}

/// How many applications an export had.
#[derive(Default)]
struct Counts {
    written: usize,
    unreadable: usize,
}

/// Writes everything.
pub async fn run(args: ExportArgs) -> Result<ExitCode, Failure> {
    let output = args.output.as_deref();
    let format = args.format.or_else(|| Format::by_ending(output?));
    let store = args.store.clone().open_there().await?;
    let table = store.applications();
    store.require(&table).await?;
    let meter = Meter::default();
    let applications = Applications::new(table, Viewer::local(), meter.clone(), Clock::system());
    let written = match Target::open(output) {
        Ok(target) => {
            // While a pipe takes nothing only the system ends this, as it does unless signals are watched.
            let stop = target.leaves_a_file().then(told_to_stop).transpose()?;
            tokio::select! {
                written = write(&applications, target, format.unwrap_or(Format::Ndjson)) => written,
                () = told(stop) => return Err(Failure("The export was stopped before its end.".into())),
            }
        }
        Err(error) => Err(error.into()),
    };
    let counts = match written {
        Ok(counts) => counts,
        Err(Broken::Store(error)) => return Err(error.into()),
        // Whoever read it has read enough, such as `head`.
        Err(Broken::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            return Ok(ExitCode::SUCCESS);
        }
        Err(Broken::Output(error)) => {
            let name = output.map_or("The standard output".into(), |path| path.to_string_lossy());
            return Err(Failure(format!("{name} cannot be written: {error}")));
        }
    };
    let spent = meter.spent();
    eprintln!(
        "{} exported, {} left out; {} calls to DynamoDB: {} read units",
        counts.written, counts.unreadable, spent.calls, spent.read_units
    );
    Ok(match counts.unreadable {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::from(2),
    })
}

async fn told(stop: Option<impl Future<Output = ()>>) {
    match stop {
        Some(stop) => stop.await,
        None => std::future::pending().await,
    }
}

async fn write(
    applications: &Applications,
    target: Target,
    format: Format,
) -> Result<Counts, Broken> {
    let mut writer = Writer::new(target, format)?;
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
    writer.finish()?.complete()?;
    Ok(Counts {
        written: written.len(),
        unreadable,
    })
}
