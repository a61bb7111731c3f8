//! `trestle job-board load FILE`: posts the jobs of a file.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgAction, Command, value_parser};
use futures_util::future::join_all;

use crate::domain::Moment;
use crate::rows::cells;
use crate::rows::columns::Mapping;
use crate::rows::source::{Format, Source};
use crate::services::job_board::values::Country;
use crate::services::registered::{Failure, Opening};
use crate::table::ChangeError;

use super::changes;
use super::posting::{FIELDS, ID, Reader};

/// Rows that are posted at the same time.
const AT_ONCE: usize = 16;

/// The command.
pub fn command() -> Command {
    Command::new("job-board")
        .about("Load job postings from a CSV, JSON or NDJSON file")
        .after_long_help(
            "Columns are guessed from common headers. Say what the guess misses:\n\n  \
             trestle job-board load jobs.json --map title=position --map isOpen=active\n\n\
             A location is a city with its state and country (\"Toronto, ON, Canada\"), or \"Remote in Canada\". Several \
             are a JSON list, or separated by semicolons. A time in postedOn may be a number of seconds after 1970.\n\n\
             The columns that are used and ignored are printed to the standard error. \
             Every row gets an id made from its column id, its url, or the row itself, so that the same file can be loaded \
             again: jobs that are there stay as they are. Suggestions are made by a server, or by `trestle suggest`.\n\n\
             Ends with 0 if every row is in the table, with 2 if some were refused.",
        )
        .arg(Arg::new("action").value_name("load").required(true).value_parser(["load"])
            .help("What to do"))
        .arg(Arg::new("file").value_name("FILE").required(true).value_parser(value_parser!(PathBuf))
            .help("The file; - reads from the standard input"))
        .arg(Arg::new("format").long("format").value_parser(value_parser!(Format))
            .help("Format of the file; by its ending unless given"))
        .arg(Arg::new("map").long("map").value_name("FIELD=COLUMN").action(ArgAction::Append)
            .value_parser(|text: &str| Mapping::parse(&FIELDS, ID, text))
            .help("Which column fills a field: FIELD=COLUMN, or FIELD= for none. Can be given many times"))
        .arg(Arg::new("date-format").long("date-format").value_name("FORMAT")
            .value_parser(cells::date_format)
            .help("How dates are written, such as %m/%d/%Y; 2026-11-20 is always understood"))
        .arg(Arg::new("employer").long("employer").value_name("SUBJECT").default_value("local")
            .help("The employer of the jobs: the subject of their tokens, or `local` for a server without credentials"))
        .arg(Arg::new("country").long("country").value_name("CODE").default_value("US")
            .value_parser(|text: &str| Country::parse(text).map_err(|rule| rule.to_string()))
            .help("Country of locations that name none"))
        .arg(Arg::new("dry-run").long("dry-run").action(ArgAction::SetTrue)
            .help("Report what would happen, and write nothing"))
}

/// Posts the jobs of the file.
pub async fn run(opening: &Opening<'_>) -> Result<ExitCode, Failure> {
    let given = opening.arguments;
    let missing = || Failure::new("Name a file.");
    let path = given.get_one::<PathBuf>("file").ok_or_else(missing)?;
    let mut source = Source::open(path, given.get_one::<Format>("format").copied())?;
    let reader = Reader::of(given, Moment::new(opening.tables.now()))?;
    let is_dry = given.get_flag("dry-run");
    let (mut created, mut there, mut refused) = (0, 0, 0);
    loop {
        let rows = source
            .by_ref()
            .take(AT_ONCE)
            .collect::<Result<Vec<_>, _>>()?;
        if rows.is_empty() {
            break;
        }
        if created + there + refused == 0 {
            let header = source
                .header()
                .unwrap_or_default()
                .iter()
                .map(String::as_str);
            let cells = rows
                .iter()
                .filter_map(|row| row.cells.as_ref().ok())
                .flatten();
            let names = header.chain(cells.map(|(name, _)| name.as_str()));
            eprintln!("{}", reader.columns_of(names)?);
        }
        let posts = rows.iter().map(|row| async {
            let job = reader.job(row)?;
            if is_dry {
                return Ok(true);
            }
            match changes::post(&opening.tables, job).await {
                Ok(posted) => Ok(posted.is_written),
                Err(ChangeError::Taken) => Err("differs from the job that has its id".to_owned()),
                Err(error) => Err(Failure::from(error).to_string()),
            }
        });
        for (row, posted) in rows.iter().zip(join_all(posts).await) {
            match posted {
                Ok(true) => created += 1,
                Ok(false) => there += 1,
                Err(reason) => {
                    refused += 1;
                    eprintln!("{}: {reason}", row.place);
                }
            }
        }
    }
    let made = if is_dry {
        "would be created"
    } else {
        "created"
    };
    println!("{created} {made}, {there} already there, {refused} refused");
    let spent = opening.tables.meter().spent();
    println!(
        "{} calls to DynamoDB: {} read units, {} write units",
        spent.calls, spent.read_units, spent.write_units
    );
    Ok(ExitCode::from(if refused == 0 { 0 } else { 2 }))
}
