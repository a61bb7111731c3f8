//! `trestle import`: rows of someone's list, or whole records of an export, into the table.

mod columns;
mod fields;
mod source;
mod values;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use clap::builder::FalseyValueParser;
use indicatif::{ProgressBar, ProgressStyle};

use crate::applications::{Applications, Import, Imported, Timestamp, describe_rule};
use crate::clock::Clock;
use crate::table::Meter;
use crate::viewer::Viewer;

use super::Failure;
use super::store::StoreArgs;

use self::columns::{Columns, Mapping};
use self::source::{Format, Row, Source};

/// What to read, and how.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = "\
Columns are guessed from common headers (\"Company\", \"Job Title\", \"Link\", \"Date Applied\" ...), and status \
words from what people write (\"sent\", \"phone screen\", \"offer received\" ...). Say what the guess misses:

  trestle import jobs.csv --map companyName=employer --map notes=

Every row gets an id made from its job posting URL or, without one, from the row itself. So the same file \
can be imported again, or after an interruption: rows that are there already are left as they are.

A file that `trestle export` wrote as NDJSON is taken back whole, with stages and history.

Ends with 0 if every row is in the table, with 2 if some were refused.")]
pub struct ImportArgs {
    /// The file; - reads from the standard input
    file: PathBuf,

    /// What the file is; by its ending unless given
    #[arg(long, value_enum)]
    format: Option<Format>,

    /// Which column fills a field: FIELD=COLUMN, or FIELD= for none. Can be given many times
    #[arg(long = "map", value_name = "FIELD=COLUMN")]
    mappings: Vec<Mapping>,

    /// How dates are written, such as %m/%d/%Y; 2026-11-20 is always understood
    #[arg(long, value_name = "FORMAT")]
    date_format: Option<String>,

    /// Say what would happen, and write nothing
    #[arg(long, value_parser = FalseyValueParser::new())]
    dry_run: bool,

    #[command(flatten)]
    store: StoreArgs,
}

/// How many rows are handed on together: ten transactions of 47 rows.
const CHUNK: usize = 470;

/// Reads the file and writes what is good in it.
pub async fn run(args: ImportArgs) -> Result<ExitCode, Failure> {
    let mut source = Source::open(&args.file, args.format)?;
    let columns = match source.header() {
        Some(header) => Columns::of(header, &args.mappings)?,
        None => Columns::by_name(&args.mappings),
    };
    let store = match args.dry_run {
        true => args.store.clone().open_to_try().await?,
        false => args.store.clone().open().await?,
    };
    let table = store.applications();
    store.ensure(&table).await?;
    let meter = Meter::default();
    let clock = Clock::system();
    let mut run = Run {
        applications: Applications::new(table, Viewer::local(), meter.clone(), clock),
        columns,
        import: if args.dry_run {
            Import::Try
        } else {
            Import::Write
        },
        date_format: args.date_format,
        last: None,
        tally: Tally::default(),
        progress: progress(source.size()),
    };
    loop {
        let chunk: Vec<_> = source
            .by_ref()
            .take(CHUNK)
            .collect::<Result<_, Failure>>()?;
        if chunk.is_empty() {
            break;
        }
        let (records, rows) = chunk.into_iter().partition(Row::is_record);
        run.rows(rows).await?;
        run.records(records).await?;
        run.progress.set_position(source.position());
    }
    run.progress.finish_and_clear();
    Ok(run.tally.tell(run.import, &meter))
}

/// An import under way.
struct Run {
    applications: Applications,
    columns: Columns,
    import: Import,
    date_format: Option<String>,
    /// When the last row was made.
    last: Option<Timestamp>,
    tally: Tally,
    progress: ProgressBar,
}

impl Run {
    async fn rows(&mut self, rows: Vec<Row>) -> Result<(), Failure> {
        let (mut places, mut good) = (Vec::new(), Vec::new());
        for Row { place, cells, .. } in rows {
            let format = self.date_format.as_deref();
            match cells.and_then(|cells| self.columns.read(&cells, format)) {
                Ok(row) => {
                    places.push(place);
                    good.push(row);
                }
                Err(reason) => self.tally.refuse(&self.progress, &place, &reason),
            }
        }
        let outcomes = self
            .applications
            .import_rows(good, self.import, &mut self.last)
            .await?;
        self.count(&places, outcomes);
        Ok(())
    }

    async fn records(&mut self, rows: Vec<Row>) -> Result<(), Failure> {
        let (mut places, mut good) = (Vec::new(), Vec::new());
        for row in rows {
            match row.record() {
                Ok(record) => {
                    places.push(row.place);
                    good.push(record);
                }
                Err(reason) => self.tally.refuse(&self.progress, &row.place, &reason),
            }
        }
        let outcomes = self.applications.import_records(good, self.import).await?;
        self.count(&places, outcomes);
        Ok(())
    }

    fn count(&mut self, places: &[String], outcomes: Vec<Imported>) {
        for (place, outcome) in places.iter().zip(outcomes) {
            self.tally.count(&self.progress, place, outcome);
        }
    }
}

/// What has become of the rows so far.
#[derive(Default)]
struct Tally {
    created: u64,
    already_there: u64,
    refused: u64,
}

impl Tally {
    /// Prints it, and what it cost.
    fn tell(&self, import: Import, meter: &Meter) -> ExitCode {
        let Tally {
            created,
            already_there,
            refused,
        } = self;
        let made = match import {
            Import::Write => "created",
            Import::Try => "would be created",
        };
        println!("{created} {made}, {already_there} already there, {refused} refused");
        let spent = meter.spent();
        println!(
            "{} calls to DynamoDB: {} read units, {} write units",
            spent.calls, spent.read_units, spent.write_units
        );
        if *refused == 0 {
            ExitCode::SUCCESS
        } else {
            ExitCode::from(2)
        }
    }

    fn count(&mut self, progress: &ProgressBar, place: &str, outcome: Imported) {
        match outcome {
            Imported::Created => self.created += 1,
            Imported::AlreadyThere => self.already_there += 1,
            Imported::BeingDeleted => {
                let reason = "An application of this id was deleted, but not all of it. Delete it once \
                              more, then import the file again.";
                self.refuse(progress, place, reason);
            }
            Imported::Malformed(reason) => self.refuse(progress, place, &reason),
            Imported::Invalid(violations) => {
                let rules: Vec<_> = violations.iter().map(describe_rule).collect();
                self.refuse(progress, place, &rules.join(" "));
            }
        }
    }

    fn refuse(&mut self, progress: &ProgressBar, place: &str, reason: &str) {
        self.refused += 1;
        progress.suspend(|| eprintln!("{place}: {reason}"));
    }
}

/// A bar over the file's bytes; it shows on a terminal alone.
fn progress(size: Option<u64>) -> ProgressBar {
    let Some(size) = size else {
        return ProgressBar::no_length();
    };
    let style = ProgressStyle::with_template("{bar:40} {percent}%  {bytes}/{total_bytes}  {eta}");
    let bar = ProgressBar::new(size);
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
