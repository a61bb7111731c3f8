//! `trestle job-board load FILE`: posts the jobs of a file.

use std::collections::HashSet;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgAction, Command, value_parser};
use futures_util::future::join_all;

use crate::values::Country;
use trestle_domain::{Moment, UserId};
use trestle_rows::cells;
use trestle_rows::columns::Mapping;
use trestle_rows::source::{Format, Row, Source};
use trestle_service::{Failure, ServiceContext};
use trestle_table::{ChangeError, Tables};

use super::changes;
use super::posting::{FIELDS, ID, Posting, Reader};

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
             are a JSON list, or separated by semicolons. Rows need postedOn, the day or the moment when the job was \
             posted; a time may be a number of seconds after 1970. Rows without it are refused.\n\n\
             The columns that are used and ignored are printed to the standard error. \
             Every row gets an id made from its column id, its url, or the row itself, so that the same file can be loaded \
             again: jobs that are there stay as they are. The id is also the employer's: a file that was loaded with \
             --employer-column and is loaded without, or for another employer, posts its jobs a second time. Suggestions are made by a server, or by `trestle suggest`.\n\n\
             Of a row with more than 20 places, the first 20 are used. Places that are left out are reported with their row.\n\n\
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
        .arg(Arg::new("employer-column").long("employer-column").value_name("COLUMN")
            .help("The column that names the employer of each row: the subject of their tokens. Employers without a profile get one, \
                   with the company of the row"))
        .arg(Arg::new("country").long("country").value_name("CODE").default_value("US")
            .value_parser(|text: &str| Country::assigned(text).map_err(|rule| rule.to_string()))
            .help("Country of locations that name none and are no well-known city"))
        .arg(Arg::new("dry-run").long("dry-run").action(ArgAction::SetTrue)
            .help("Report what would happen, and write nothing"))
}

/// Posts the jobs of the file.
pub async fn run(context: &ServiceContext<'_>) -> Result<ExitCode, Failure> {
    let given = context.arguments;
    let path = given
        .get_one::<PathBuf>("file")
        .ok_or_else(|| Failure::new("Name a file."))?;
    let mut source = Source::open(path, given.get_one::<Format>("format").copied())?;
    let reader = Reader::of(given, Moment::new(context.tables.now()))?;
    let mut loading = Loading {
        tables: &context.tables,
        is_dry: given.get_flag("dry-run"),
        names_employers: given.contains_id("employer-column"),
        employers: HashSet::new(),
        counts: Counts::default(),
    };
    let mut is_first = true;
    loop {
        let rows = source.by_ref().take(AT_ONCE);
        let rows = rows.collect::<Result<Vec<_>, _>>()?;
        if rows.is_empty() {
            break;
        }
        if std::mem::take(&mut is_first) {
            let header = source.header().unwrap_or_default().iter();
            let header = header.map(String::as_str);
            let cells = rows.iter().filter_map(|row| row.cells.as_ref().ok());
            let names = header.chain(cells.flatten().map(|(name, _)| name.as_str()));
            eprintln!("{}", reader.columns_of(names)?);
        }
        let read = rows.iter().map(|row| reader.job(row)).collect();
        loading.post(&rows, read).await?;
    }
    loading.report();
    let code = if loading.counts.refused == 0 { 0 } else { 2 };
    Ok(ExitCode::from(code))
}

/// Numbers of rows by their results.
#[derive(Default)]
struct Counts {
    created: usize,
    unchanged: usize,
    refused: usize,
    shortened: usize,
}

/// One load of a file.
struct Loading<'t> {
    tables: &'t Tables,
    is_dry: bool,
    names_employers: bool,
    /// Employers whose profiles were created by this load, or existed before.
    employers: HashSet<UserId>,
    counts: Counts,
}

impl Loading<'_> {
    /// Posts the jobs of some rows.
    async fn post(
        &mut self,
        rows: &[Row],
        read: Vec<Result<Posting, String>>,
    ) -> Result<(), Failure> {
        if self.names_employers && !self.is_dry {
            for Posting { job, .. } in read.iter().flatten() {
                if self.employers.insert(job.employer_id.clone()) {
                    changes::introduce(self.tables, job).await?;
                }
            }
        }
        for (row, posting) in rows.iter().zip(&read) {
            let left_out = posting.iter().flat_map(|posting| &posting.left_out);
            let left_out: Vec<_> = left_out.collect();
            self.counts.shortened += usize::from(!left_out.is_empty());
            for left_out in left_out {
                eprintln!("{}: {left_out}", row.place);
            }
        }
        let (tables, is_dry) = (self.tables, self.is_dry);
        let posts = read.into_iter().map(|posting| async {
            let job = posting?.job;
            if is_dry {
                return Ok(true);
            }
            match changes::post(tables, job).await {
                Ok(posted) => Ok(posted.is_written),
                Err(ChangeError::Taken) => Err("differs from the job that has its id".to_owned()),
                Err(error) => Err(Failure::from(error).to_string()),
            }
        });
        for (row, posted) in rows.iter().zip(join_all(posts).await) {
            match posted {
                Ok(true) => self.counts.created += 1,
                Ok(false) => self.counts.unchanged += 1,
                Err(reason) => {
                    self.counts.refused += 1;
                    eprintln!("{}: {reason}", row.place);
                }
            }
        }
        Ok(())
    }

    fn report(&self) {
        let Counts {
            created,
            unchanged,
            refused,
            shortened,
        } = self.counts;
        let made = if self.is_dry {
            "would be created"
        } else {
            "created"
        };
        println!("{created} {made}, {unchanged} already there, {refused} refused");
        if shortened > 0 {
            println!("{shortened} of which something was left out, named above");
        }
        let spent = self.tables.meter().spent();
        println!(
            "{} calls to DynamoDB: {} read units, {} write units",
            spent.calls, spent.read_units, spent.write_units
        );
    }
}
