//! `trestle export`.

mod activities;
mod format;
mod target;
mod writer;

use std::collections::HashSet;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use chrono::NaiveDate;
use clap::Args;

use trestle_api::viewer::Owner;
use trestle_applications::{Applications, StoreError, items_of_no_scope};
use trestle_server::told_to_stop;
use trestle_table::clock::Clock;
use trestle_table::{Meter, Table};

use super::store::{is_of_the_store, table_of};
use super::whose::{Whose, WhoseArgs};
use crate::commands::store::StoreArgs;
use trestle_service::Failure;

use self::activities::Days;
use self::format::Format;
use self::target::Target;
use self::writer::Writer;

/// What to write, and where to.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = "\
NDJSON is complete: one application per line, with its stages and its full history. `trestle import` reads it \
back. JSON is the same as one array. CSV contains only the fields of the applications, for spreadsheets.

`--format activities` is the record that employment offices ask for, as CSV sorted by date: a line for each application \
sent, each interview with its date, and each answer. --from and --to bound it. A line whose date is not known has an \
empty one and comes last, whatever the bounds are.

The export is not a snapshot of one moment: an application that changes meanwhile is written as it is when it is \
read. The file is written under a temporary name and renamed when complete. If the export fails, an existing \
file is kept.

The exit code is 2 if something is left out: applications that cannot be read, and items to which no index of the \
table leads, as far as DynamoDB's count of items shows them.

With --all-owners, each application has its `owner`, and `trestle import --all-owners` reads it back. CSV has no \
owners: export it with --owner.")]
pub struct ExportArgs {
    /// File to write. Defaults to the standard output, as does -
    #[arg(long, short)]
    output: Option<PathBuf>,

    /// Format. Defaults to the file's extension (.csv, .json, .ndjson, .jsonl), or else to NDJSON
    #[arg(long, value_enum)]
    format: Option<Format>,

    /// First day of `--format activities`
    #[arg(long, value_name = "DATE", value_parser = day)]
    from: Option<NaiveDate>,

    /// Last day of `--format activities`
    #[arg(long, value_name = "DATE", value_parser = day)]
    to: Option<NaiveDate>,

    #[command(flatten)]
    whose: WhoseArgs,

    #[command(flatten)]
    store: StoreArgs,
}

fn day(text: &str) -> Result<NaiveDate, &'static str> {
    text.parse().map_err(|_| "give a date such as 2026-11-20")
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
    /// The items that were reached.
    reached: u64,
}

/// Writes everything.
pub async fn run(args: ExportArgs) -> Result<ExitCode, Failure> {
    let output = args.output.as_deref();
    let by_ending = output.and_then(Format::by_ending);
    let format = args.format.or(by_ending).unwrap_or(Format::Ndjson);
    let whose = Whose::from(&args.whose);
    let is_of_one = matches!(format, Format::Csv | Format::Activities);
    if whose == Whose::AllOwners && is_of_one {
        let message =
            "CSV does not say whose an application is. Give --owner NAME, or another --format.";
        return Err(Failure::new(message));
    }
    let days = Days {
        from: args.from,
        to: args.to,
    };
    if days != Days::default() && format != Format::Activities {
        return Err(Failure::new(
            "--from and --to bound activities. Give --format activities, too.",
        ));
    }
    if days.are_none() {
        return Err(Failure::new(
            "--to is before --from. Give --from DATE --to DATE.",
        ));
    }
    let store = args.store.clone().open_there().await?;
    let table = table_of(&store);
    store.require(&table).await?;
    if output.is_some_and(|output| is_of_the_store(&store, output)) {
        return Err(Failure::new(
            "The output is a file of the store itself: name another one with --output.",
        ));
    }
    let meter = Meter::default();
    whose.confirm(&table).await?;
    let scopes = whose.scopes(&table, &meter).await?.into_iter();
    let part = |scope| {
        let clock = Clock::system();
        Applications::new(table.clone(), scope, meter.clone(), clock)
    };
    let parts: Vec<_> = scopes.map(part).collect();
    let written = match Target::open(output) {
        Ok(target) => {
            // While a pipe takes nothing only the system ends this, as it does unless signals are watched.
            let stop = target.leaves_a_file().then(told_to_stop).transpose()?;
            tokio::select! {
                written = write(&parts, &whose, Writer::new(target, format, days)) => written,
                () = told(stop) => return Err(Failure::new("The export was stopped before its end.")),
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
            return Err(Failure::new(format!("{name} cannot be written: {error}")));
        }
    };
    let unreached = match whose {
        // The other owners' items are not counted.
        Whose::Owner(_) => 0,
        Whose::Single | Whose::AllOwners => unreached(&table, &parts, &counts, &meter).await?,
    };
    if unreached > 0 {
        eprintln!(
            "left out: about {unreached} items of the table, to which no index leads. Another program may have written \
             applications without index keys. DynamoDB counts items about every six hours: if applications were deleted \
             since, export again later"
        );
    }
    let spent = meter.spent();
    eprintln!(
        "{} exported, {} left out; {} calls to DynamoDB: {} read units",
        counts.written, counts.unreadable, spent.calls, spent.read_units
    );
    Ok(match (counts.unreadable, unreached) {
        (0, 0) => ExitCode::SUCCESS,
        _ => ExitCode::from(2),
    })
}

/// The number of items of the table that are neither in the export nor counters.
async fn unreached(
    table: &Table,
    parts: &[Applications],
    counts: &Counts,
    meter: &Meter,
) -> Result<u64, StoreError> {
    let Some(all) = table.item_count().await? else {
        return Ok(0);
    };
    let mut known = counts.reached;
    for part in parts {
        known += part.items_of_counters().await?;
    }
    if all > known {
        known += items_of_no_scope(table, meter).await?;
    }
    Ok(all.saturating_sub(known))
}

async fn told(stop: Option<impl Future<Output = ()>>) {
    match stop {
        Some(stop) => stop.await,
        None => std::future::pending().await,
    }
}

async fn write(
    parts: &[Applications],
    whose: &Whose,
    writer: io::Result<Writer<Target>>,
) -> Result<Counts, Broken> {
    let mut writer = writer?;
    let mut counts = Counts::default();
    for part in parts {
        let owner = match whose {
            Whose::AllOwners => part.scope().owner(),
            // One list is read back by whomever it is given to.
            Whose::Single | Whose::Owner(_) => None,
        };
        write_part(part, owner, &mut writer, &mut counts).await?;
    }
    writer.finish()?.complete()?;
    Ok(counts)
}

/// Whether a record has an item that stands for a damaged one of the embedded store.
fn has_unreadable(record: &impl serde::Serialize) -> io::Result<bool> {
    // Quotes within a text are escaped, so that no text of a user reads like this.
    let mark = format!("\"{}\":", trestle_dynamodb::UNREADABLE);
    Ok(serde_json::to_string(record)?.contains(&mark))
}

/// Writes the applications of one scope, with their owner if one is given.
async fn write_part(
    part: &Applications,
    owner: Option<&Owner>,
    writer: &mut Writer<Target>,
    counts: &mut Counts,
) -> Result<(), Broken> {
    let mut written = HashSet::new();
    let mut from = None;
    loop {
        let page = part.export(PAGE, from.as_ref()).await?;
        let last = page.last().map(|(place, _)| place);
        // Another program may have put an item where the list does not get past it.
        let Some(last) = last.filter(|last| from.as_ref() != Some(*last)) else {
            break;
        };
        from = Some(last.clone());
        for (_, record) in page {
            match record {
                Ok(Some(record)) if written.insert(record.id().clone()) => {
                    counts.reached += record.items_read();
                    let id = record.id().clone();
                    let record = record.owned_by(owner);
                    // Not an application without its fields.
                    if has_unreadable(&record)? {
                        written.remove(&id);
                        counts.unreadable += 1;
                        eprintln!("left out: {id}: an item of it is damaged and cannot be read");
                    } else {
                        writer.write(&record)?;
                    }
                }
                Ok(_) => {}
                Err(error) => {
                    counts.unreadable += 1;
                    eprintln!("left out: {error}");
                }
            }
        }
    }
    counts.written += written.len();
    Ok(())
}
