//! `trestle import`: rows of a list, or complete applications of an export.

mod destination;
mod taken;
mod tally;

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use uuid::Uuid;

use trestle_applications::importer::{
    Columns, Forms, IdFrom, Identity, ReadRow, field_names, is_undated, mapping,
};
use trestle_applications::{
    ApplicationId, Applications, Import, Imported, ListRow, NewRow, Record, RowOutcome, Timestamp,
    TrackedJobs,
};
use trestle_rows::cells::date_format;
use trestle_rows::columns::Mapping;
use trestle_rows::source::{Cells, Format, Row, Source};
use trestle_table::Meter;

use super::store::{open_to_try, table_of};
use super::whose::{Whose, WhoseArgs};
use crate::commands::store::StoreArgs;
use trestle_service::Failure;

use self::destination::{ByScope, Destination, NOBODYS};
use self::taken::Taken;
use self::tally::{Handed, Tally};

/// What to read, and how.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = "\
Columns are recognized by common headers (\"Company\", \"Job Title\", \"Link\", \"Date Applied\" ...), and statuses \
by common words (\"sent\", \"phone screen\", \"offer received\" ...). Map the other columns yourself:

  trestle import jobs.csv --map companyName=employer --map notes=

The import prints which column it uses for which field, and which columns it ignores, to the standard error. \
Check them with --dry-run first.

The id of a row is derived from its job posting URL or, without one, from its company and position, or from the whole \
row if several rows share these and differ. The same file can therefore be imported again, for example after an interruption: existing applications are not changed. A UUID \
in a column named id is used as the id, as in a CSV file of `trestle export`; --map id= ignores the column. If two \
rows of a file have the same id and different cells, the second is rejected.

A row whose job posting URL the table already has is not imported, and the report names and counts such rows; \
a row that has the URL of an earlier row of the file and differs from it is rejected. --allow-duplicates imports both. A row \
with the company and the position of an application that is there is imported, and the report names that application. A cell that cannot be understood is reported, and its row is imported without it.

Dates of numbers such as 11/3/2026 are read in the one order in which every date of their column is one: a 13 settles it. \
Otherwise they are left out, and --date-format says how they are written.

A row with a status except unsubmitted and without a date of the application gets the current date, and the report \
counts such rows. In a CSV file of `trestle export`, an empty date is an unknown one.

With --update, applications that are there are changed as the rows say, except fields that somebody has changed or \
cleared since.

NDJSON and JSON files of `trestle export` are imported completely, with stages and history. A line is rejected if a value \
of it cannot be read, unless the export found it so (`unreadable`), or if it has a field that applications do not have. --owner NAME imports into \
the part of one owner, whoever owned the applications before. --all-owners imports each application into the part of the \
owner that the line names, as `trestle export --all-owners` writes it.

The exit code is 0 if the table has every row or its job posting, and 2 if rows were rejected or cells were left out.")]
pub struct ImportArgs {
    /// File to import, or - for the standard input
    #[arg(required_unless_present = "template")]
    file: Option<PathBuf>,

    /// Print a CSV file with a column for each field, to fill in and import
    #[arg(long, conflicts_with = "file")]
    template: bool,

    /// Import rows whose job posting the table already has
    #[arg(long)]
    allow_duplicates: bool,

    /// Format. Defaults to the file's extension (.csv, .json, .ndjson, .jsonl)
    #[arg(long, value_enum)]
    format: Option<Format>,

    /// Column of a field: FIELD=COLUMN, or FIELD= for none. Can be repeated
    #[arg(long = "map", value_name = "FIELD=COLUMN", value_parser = mapping)]
    mappings: Vec<Mapping>,

    /// Format of dates, such as %m/%d/%Y, if the column does not show it. 2026-11-20 is always accepted
    #[arg(long, value_name = "FORMAT", value_parser = date_format)]
    date_format: Option<String>,

    /// Import complete applications also if values of them cannot be read, as another program stored them
    #[arg(long)]
    keep_unreadable: bool,

    /// Change applications that are there as the rows say, except fields that somebody has changed since the last import
    #[arg(long, conflicts_with = "dry_run")]
    update: bool,

    /// Report what would be imported, without writing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    whose: WhoseArgs,

    #[command(flatten)]
    store: StoreArgs,
}

/// How many rows are imported together: ten transactions of 47 rows.
const CHUNK: usize = 470;

/// Imports the valid rows of the file.
pub async fn run(args: ImportArgs) -> Result<ExitCode, Failure> {
    let Some(file) = &args.file else {
        println!("{}", field_names().collect::<Vec<_>>().join(","));
        return Ok(ExitCode::SUCCESS);
    };
    let mut source = Source::open(file, args.format)?;
    let columns = match source.header() {
        Some(header) => Columns::of(header, &args.mappings)?,
        None => Columns::by_name(&args.mappings),
    };
    let store = if args.dry_run {
        open_to_try(args.store.clone()).await?
    } else {
        args.store.clone().open().await?
    };
    let table = table_of(&store);
    store.ensure(&table).await?;
    let whose = Whose::from(&args.whose);
    if args.dry_run {
        whose.confirm(&table).await?
    } else {
        whose.claim(&table).await?
    }
    let meter = Meter::default();
    let progress = progress(source.size());
    let destination = Destination::new(table, whose, meter.clone());
    let tracked = match destination.rows() {
        Some(applications) if !args.allow_duplicates => Some(applications.tracked_jobs().await?),
        _ => None,
    };
    let mut run = Run {
        destination,
        tracked,
        columns,
        import: match (args.dry_run, args.update) {
            (true, _) => Import::Try,
            (false, true) => Import::Update,
            (false, false) => Import::Write,
        },
        forms: Forms {
            date_format: args.date_format,
            ..Forms::default()
        },
        keep_unreadable: args.keep_unreadable,
        links: HashMap::new(),
        last: None,
        tally: Tally::new(progress.clone()),
    };
    // The dates of a list say together how they are written. Only NDJSON may be too large to be read before the first row is
    // imported; each line of a list in it is read beside those around it.
    let all = if source.is_whole() { usize::MAX } else { CHUNK };
    let mut is_first = true;
    loop {
        let mut rows: Vec<_> = source.by_ref().take(all).collect::<Result<_, Failure>>()?;
        if is_first {
            let looked_at = &rows[..rows.len().min(CHUNK)];
            run.report_columns(source.header().unwrap_or_default(), looked_at);
        }
        if rows.is_empty() {
            break;
        }
        is_first = false;
        run.learn(&rows);
        while !rows.is_empty() {
            let rest = rows.split_off(rows.len().min(CHUNK));
            run.take(rows).await?;
            rows = rest;
        }
        progress.set_position(source.position());
    }
    progress.finish_and_clear();
    if is_first {
        eprintln!("The file has no rows.");
    }
    Ok(run.tally.report(run.import, &meter))
}

/// An import under way.
struct Run {
    destination: Destination,
    /// The jobs that the table has, unless duplicates are allowed.
    tracked: Option<TrackedJobs>,
    columns: Columns,
    import: Import,
    /// How cells are written.
    forms: Forms,
    keep_unreadable: bool,
    /// What the first row with each link says.
    links: HashMap<ApplicationId, Uuid>,
    /// The time of the last created application.
    last: Option<Timestamp>,
    tally: Tally,
}

impl Run {
    /// Reports which column fills which field, from the header and the first rows.
    fn report_columns(&self, header: &[String], first: &[Row]) {
        let mut taken = Taken::default();
        let named = header.iter().map(|column| (column.as_str(), ""));
        taken.look(&self.columns, named);
        for row in first.iter().filter(|row| !is_record(row)) {
            if let Ok(cells) = &row.cells {
                let cells = cells.iter().map(|(column, text)| (&**column, &**text));
                taken.look(&self.columns, cells);
            }
        }
        if !taken.is_empty() {
            eprintln!("{taken}");
        }
    }

    /// Learns from the rows of a list what comes first in its dates, and which jobs several of them have.
    fn learn(&mut self, rows: &[Row]) {
        let cells = rows.iter().filter(|row| !is_record(row));
        let cells: Vec<&Cells> = cells.filter_map(|row| row.cells.as_ref().ok()).collect();
        self.forms.date_orders = self.columns.date_orders(cells.iter().copied());
        self.forms.shared_jobs = self.columns.shared_jobs(cells.iter().copied());
    }

    /// If duplicates are allowed, several jobs of a file may have one link, such as a careers page: the first one has
    /// the id of the link, the others have ids of their cells.
    fn tell_apart(&mut self, read: &mut ReadRow) {
        if self.tracked.is_some() || read.identity.from != IdFrom::Link {
            return;
        }
        let content = read.identity.content;
        let first = *self
            .links
            .entry(read.identity.id.clone())
            .or_insert(content);
        if first != content {
            read.identity = read.identity.clone().beside_others();
        }
    }

    /// The complete application of a row.
    ///
    /// # Errors
    /// The reason if the row is not one.
    fn record(&self, row: &Row) -> Result<Record, String> {
        let record = Record::of_line(row.json().unwrap_or(&serde_json::Value::Null))?;
        if !self.keep_unreadable {
            record.check_readable()?;
        }
        Ok(record)
    }

    /// Imports rows and records, and reports them in the order of the file.
    async fn take(&mut self, chunk: Vec<Row>) -> Result<(), Failure> {
        let (mut rows, mut of_rows, mut list) = (Vec::new(), Vec::new(), Vec::new());
        let mut records = ByScope::default();
        let mut ends = Vec::with_capacity(chunk.len());
        for (at, row) in chunk.into_iter().enumerate() {
            let handed = |identity| Handed {
                at,
                place: row.place.clone(),
                owner: None,
                identity,
                posting: None,
                others: Vec::new(),
                dated_today: false,
                left_out: Vec::new(),
            };
            if is_record(&row) {
                let found = self.record(&row).and_then(|record| {
                    let applications = self.destination.of_record(&record)?;
                    Ok((record.owned_by(None), applications))
                });
                match found {
                    Ok((record, applications)) => {
                        for oddity in record.oddities() {
                            self.tally.note(&row.place, &oddity);
                        }
                        let json = serde_json::to_vec(&record)?;
                        let identity = Identity::of_record(record.id().clone(), &json);
                        let handed = Handed {
                            owner: applications.scope().owner().cloned(),
                            ..handed(Some(identity))
                        };
                        records.add(applications, (handed, record));
                    }
                    Err(reason) => ends.push((handed(None), Imported::Malformed(reason))),
                }
                continue;
            }
            let cells = row.cells.as_ref().map_err(Clone::clone);
            let today = chrono::Utc::now().date_naive();
            match cells.and_then(|cells| self.columns.read(cells, &self.forms, today)) {
                Ok(mut read) => {
                    self.tell_apart(&mut read);
                    let fields = read.as_new();
                    rows.push(NewRow {
                        id: read.identity.id.clone(),
                        is_archived: read.is_archived,
                        fields: fields.clone(),
                    });
                    list.push(ListRow {
                        id: read.identity.id.clone(),
                        other_ids: read.identity.earlier_id().into_iter().collect(),
                        id_if_equal: read.identity.unshared_id(),
                        fields: read.fields,
                        has_date: read.has_date,
                    });
                    of_rows.push(Handed {
                        posting: read.posting,
                        dated_today: is_undated(&fields),
                        left_out: read.left_out,
                        ..handed(Some(read.identity))
                    });
                }
                Err(reason) => ends.push((handed(None), Imported::Malformed(reason))),
            }
        }
        match self.destination.rows() {
            Some(applications) => {
                let known = self.tracked.as_ref();
                applications.settle_ids(&mut list, known).await?;
                for (row, settled) in rows.iter_mut().zip(&list) {
                    row.id = settled.id.clone();
                }
                let made = applications.import_rows(
                    rows,
                    self.import,
                    self.tracked.as_mut(),
                    &mut self.last,
                );
                let mut made = made.await?;
                for (handed, settled) in of_rows.iter_mut().zip(&list) {
                    if let Some(tracked) = &self.tracked {
                        handed.others = tracked.others(&settled.id).to_vec();
                    }
                }
                if self.import == Import::Update {
                    update(&applications, list, &mut made).await?;
                }
                ends.extend(of_rows.into_iter().zip(made));
            }
            None => {
                for handed in of_rows {
                    ends.push((handed, Imported::Malformed(NOBODYS.to_owned())));
                }
            }
        }
        for (applications, records) in records.parts() {
            let (handed, records): (Vec<_>, Vec<_>) = records.into_iter().unzip();
            let made = applications.import_records(records, self.import).await?;
            ends.extend(handed.into_iter().zip(made));
        }
        ends.sort_by_key(|(handed, _)| handed.at);
        for (handed, outcome) in ends {
            self.tally.count(handed, outcome);
        }
        Ok(())
    }
}

/// Changes the applications that are there of these rows.
async fn update(
    applications: &Applications,
    list: Vec<ListRow>,
    outcomes: &mut [Imported],
) -> Result<(), Failure> {
    let is_there =
        |outcome: &Imported| matches!(outcome, Imported::AlreadyThere | Imported::SamePosting);
    let there = list.into_iter().zip(outcomes.iter_mut());
    let (rows, mut there): (Vec<_>, Vec<_>) = there
        .filter(|(_, outcome)| is_there(outcome))
        .map(|(row, outcome)| (Ok(row), outcome))
        .unzip();
    let updated = applications.import_list(rows, Import::Update, None).await;
    for (outcome, updated) in there.iter_mut().zip(updated) {
        match updated {
            Ok(RowOutcome::Updated { .. }) => **outcome = Imported::Updated,
            Ok(RowOutcome::New { .. } | RowOutcome::Changed(..) | RowOutcome::Unchanged(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Whether a row is a complete application with its history, as in an export, or what is left of one: a row of a list has no
/// stages.
fn is_record(row: &Row) -> bool {
    let Some(json) = row.json() else {
        return false;
    };
    let stages = json["interviewStages"].as_array();
    json["history"].is_array()
        || json.get("historySequence").is_some()
        || stages.is_some_and(|stages| !stages.is_empty())
}

/// A progress bar over the bytes of the file, shown only on a terminal.
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
