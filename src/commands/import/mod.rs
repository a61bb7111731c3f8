//! `trestle import`: rows of someone's list, or whole records of an export, into the table.

mod columns;
mod fields;
mod identity;
mod shape;
mod source;
mod taken;
mod tally;
mod values;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use crate::applications::{Applications, Import, Imported, Timestamp};
use crate::clock::Clock;
use crate::table::Meter;
use crate::viewer::Viewer;

use super::Failure;
use super::store::StoreArgs;

use self::columns::{Columns, Mapping};
use self::identity::Identity;
use self::source::{Format, Row, Source};
use self::taken::Taken;
use self::tally::{Handed, Tally};

/// What to read, and how.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = "\
Columns are guessed from common headers (\"Company\", \"Job Title\", \"Link\", \"Date Applied\" ...), and status \
words from what people write (\"sent\", \"phone screen\", \"offer received\" ...). Say what the guess misses:

  trestle import jobs.csv --map companyName=employer --map notes=

Which columns were taken for what, and which were not used, is said on the standard error: look at it with \
--dry-run first.

Every row gets an id made from its job posting URL or, without one, from the row itself. So the same file \
can be imported again, or after an interruption: rows that are there already are left as they are. A UUID in a \
column named id is taken as the id instead, as in a CSV file of `trestle export`; --map id= leaves it alone. Of \
two rows of one file with the same id and different cells the second is refused.

A status beyond unsubmitted needs the day on which the application was sent: a row that does not give it is \
dated today, and the report counts such rows.

A file that `trestle export` wrote as NDJSON or JSON is taken back whole, with stages and history.

Ends with 0 if every row is in the table, with 2 if some were refused.")]
pub struct ImportArgs {
    /// The file; - reads from the standard input
    file: PathBuf,

    /// What the file is; by its ending (.csv, .json, .ndjson, .jsonl) unless given
    #[arg(long, value_enum)]
    format: Option<Format>,

    /// Which column fills a field: FIELD=COLUMN, or FIELD= for none. Can be given many times
    #[arg(long = "map", value_name = "FIELD=COLUMN")]
    mappings: Vec<Mapping>,

    /// How dates are written, such as %m/%d/%Y; 2026-11-20 is always understood
    #[arg(long, value_name = "FORMAT", value_parser = values::date_format)]
    date_format: Option<String>,

    /// Say what would happen, and write nothing
    #[arg(long)]
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
    let progress = progress(source.size());
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
        tally: Tally::new(progress.clone()),
    };
    let mut is_first = true;
    loop {
        let chunk: Vec<_> = source
            .by_ref()
            .take(CHUNK)
            .collect::<Result<_, Failure>>()?;
        if is_first {
            run.tell_columns(source.header().unwrap_or_default(), &chunk);
        }
        if chunk.is_empty() {
            break;
        }
        is_first = false;
        run.take(chunk).await?;
        progress.set_position(source.position());
    }
    progress.finish_and_clear();
    if is_first {
        eprintln!("The file has no rows.");
    }
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
}

impl Run {
    /// Says which columns are taken for what, of the header and of the rows that come first.
    fn tell_columns(&self, header: &[String], first: &[Row]) {
        let mut taken = Taken::default();
        let named = header.iter().map(|column| (column.as_str(), ""));
        taken.look(&self.columns, named);
        for row in first.iter().filter(|row| !row.is_record()) {
            if let Ok(cells) = &row.cells {
                let cells = cells.iter().map(|(column, text)| (&**column, &**text));
                taken.look(&self.columns, cells);
            }
        }
        if !taken.is_empty() {
            eprintln!("{taken}");
        }
    }

    /// Takes rows and records in, and tells of them in the order in which they stand.
    async fn take(&mut self, chunk: Vec<Row>) -> Result<(), Failure> {
        let (mut rows, mut of_rows) = (Vec::new(), Vec::new());
        let (mut records, mut of_records) = (Vec::new(), Vec::new());
        let mut ends = Vec::with_capacity(chunk.len());
        for (at, row) in chunk.into_iter().enumerate() {
            let handed = |identity| Handed {
                at,
                place: row.place.clone(),
                identity,
                dated_today: false,
            };
            if row.is_record() {
                match row.record() {
                    Ok(record) => {
                        of_records.push(handed(Some(Identity::of_record(&record)?)));
                        records.push(record);
                    }
                    Err(reason) => ends.push((handed(None), Imported::Malformed(reason))),
                }
                continue;
            }
            let format = self.date_format.as_deref();
            let cells = row.cells.as_ref().map_err(Clone::clone);
            match cells.and_then(|cells| self.columns.read(cells, format)) {
                Ok(read) => {
                    of_rows.push(Handed {
                        dated_today: read.dated_today,
                        ..handed(Some(read.identity))
                    });
                    rows.push(read.row);
                }
                Err(reason) => ends.push((handed(None), Imported::Malformed(reason))),
            }
        }
        let made = self
            .applications
            .import_rows(rows, self.import, &mut self.last)
            .await?;
        ends.extend(of_rows.into_iter().zip(made));
        let made = self
            .applications
            .import_records(records, self.import)
            .await?;
        ends.extend(of_records.into_iter().zip(made));
        ends.sort_by_key(|(handed, _)| handed.at);
        for (handed, outcome) in ends {
            self.tally.count(handed, outcome);
        }
        Ok(())
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
