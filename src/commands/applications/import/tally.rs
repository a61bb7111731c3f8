//! The results of an import: reported by row, and counted.

use std::collections::HashMap;
use std::process::ExitCode;

use indicatif::ProgressBar;
use uuid::Uuid;

use trestle_api::viewer::Owner;
use trestle_applications::{ApplicationId, Import, Imported};
use trestle_table::Meter;

use trestle_applications::importer::{CellProblem, Identity, LeftOut, Posting, is_day};

/// A row that is being imported.
pub struct Handed {
    /// Its position among the rows that are imported with it.
    pub at: usize,
    /// Its place in the file, such as `line 3`.
    pub place: String,
    /// Whose part of the table it is for; `None` if the table has only one.
    pub owner: Option<Owner>,
    /// The application that it is; `None` if the row cannot be read.
    pub identity: Option<Identity>,
    /// Its job posting, if it is a row with one.
    pub posting: Option<Posting>,
    /// The applications for the same job.
    pub others: Vec<ApplicationId>,
    /// Whether it gets the current date as the date of application.
    pub dated_today: bool,
    /// The cells that are left out.
    pub left_out: Vec<LeftOut>,
}

/// What a person reads of a cell that is left out.
fn sentence(cell: &LeftOut) -> String {
    if is_day(cell.field) && cell.problem != CellProblem::BreaksRule {
        let is_unclear = cell.problem == CellProblem::TwoReadings;
        let why = if is_unclear {
            " It means two days."
        } else {
            ""
        };
        return format!(
            "{cell}{why} --date-format says how dates are written, such as --date-format %m/%d/%Y."
        );
    }
    cell.to_string()
}

/// The results so far.
pub struct Tally {
    created: u64,
    updated: u64,
    already_there: u64,
    refused: u64,
    dated_today: u64,
    same_posting: u64,
    same_job: u64,
    bad_cells: u64,
    /// The first row of each application.
    met: HashMap<(Option<Owner>, ApplicationId), (String, Identity)>,
    /// The first row with each job posting, and what it says beside it.
    postings: HashMap<(Option<Owner>, String), (String, Uuid)>,
    progress: ProgressBar,
}

impl Tally {
    /// No results yet. Reports are printed above the progress bar.
    pub fn new(progress: ProgressBar) -> Self {
        Self {
            created: 0,
            updated: 0,
            already_there: 0,
            refused: 0,
            dated_today: 0,
            same_posting: 0,
            same_job: 0,
            bad_cells: 0,
            met: HashMap::new(),
            postings: HashMap::new(),
            progress,
        }
    }

    /// Reports what in a record breaks a rule of this program. It is imported as it is.
    pub fn note(&self, place: &str, oddity: &str) {
        self.progress
            .suspend(|| eprintln!("{place}: imported as it is, although {oddity}"));
    }

    /// Counts a row, and reports what was rejected.
    pub fn count(&mut self, handed: Handed, outcome: Imported) {
        let outcome = self.beside_those_before(&handed, outcome);
        let outcome = self.beside_the_same_posting(&handed, outcome);
        match outcome {
            Imported::Created => {
                self.created += 1;
                self.report_cells(&handed);
                self.report_others(&handed);
                self.dated_today += u64::from(handed.dated_today);
            }
            Imported::Updated => {
                self.updated += 1;
                self.report_cells(&handed);
            }
            Imported::AlreadyThere => self.already_there += 1,
            Imported::SamePosting => {
                self.same_posting += 1;
                let place = &handed.place;
                self.progress.suspend(|| {
                    eprintln!(
                        "{place}: left out: the table has an application to the same job posting"
                    );
                });
            }
            Imported::BeingDeleted => {
                let reason = "Deleting or importing an application of this id was interrupted, or is in progress. \
                              Delete it, then import the file again.";
                self.refuse(&handed.place, reason);
            }
            Imported::Leftovers(leftovers) => {
                let id = handed.identity.map(|identity| identity.id.to_string());
                let reason = format!(
                    "The table has items without an application under the id {}, which another program may have stored: \
                     {leftovers}. Nothing is changed. `trestle table delete-leftovers` deletes such items.",
                    id.unwrap_or_default()
                );
                self.refuse(&handed.place, &reason);
            }
            Imported::TakenOver => {
                let reason = "Another import or a delete of this application was faster. Import the file again.";
                self.refuse(&handed.place, reason);
            }
            Imported::Malformed(reason) => self.refuse(&handed.place, &reason),
            Imported::Invalid(violations) => {
                let rules: Vec<_> = violations.iter().map(ToString::to_string).collect();
                self.refuse(&handed.place, &rules.join(" "));
            }
        }
    }

    fn report_cells(&mut self, handed: &Handed) {
        for cell in &handed.left_out {
            self.bad_cells += 1;
            let (place, problem) = (&handed.place, sentence(cell));
            self.progress
                .suspend(|| eprintln!("{place}: imported without a cell: {problem}"));
        }
    }

    /// Reports which applications are for the job of one that is created nevertheless.
    fn report_others(&mut self, handed: &Handed) {
        if handed.others.is_empty() {
            return;
        }
        self.same_job += 1;
        let others: Vec<_> = handed.others.iter().map(ToString::to_string).collect();
        let (place, others) = (&handed.place, others.join(", "));
        self.progress
            .suspend(|| eprintln!("{place}: looks like an application that is there: {others}"));
    }

    /// The outcome of a row, if its application may be in an earlier row of the file.
    fn beside_those_before(&mut self, handed: &Handed, outcome: Imported) -> Imported {
        let (Imported::Created | Imported::AlreadyThere | Imported::SamePosting, Some(identity)) =
            (&outcome, &handed.identity)
        else {
            return outcome;
        };
        let application = (handed.owner.clone(), identity.id.clone());
        match self.met.get(&application) {
            // Another application has the posting.
            None if outcome == Imported::SamePosting => outcome,
            None => {
                let here = (handed.place.clone(), identity.clone());
                self.met.insert(application, here);
                outcome
            }
            Some((_, first)) if first.content == identity.content => Imported::AlreadyThere,
            Some((place, _)) => {
                let what = identity.from.what();
                Imported::Malformed(format!("has the {what} of {place}, and differs: left out"))
            }
        }
    }

    /// The outcome of a row, if an earlier row of the file may have its job posting.
    fn beside_the_same_posting(&mut self, handed: &Handed, outcome: Imported) -> Imported {
        let Some(posting) = &handed.posting else {
            return outcome;
        };
        let key = (handed.owner.clone(), posting.address.clone());
        match self.postings.get(&key) {
            None => {
                let here = (handed.place.clone(), posting.rest);
                self.postings.insert(key, here);
                outcome
            }
            Some(_) if outcome != Imported::SamePosting => outcome,
            Some((_, rest)) if *rest == posting.rest => Imported::AlreadyThere,
            Some((place, _)) => Imported::Malformed(format!(
                "has the job posting of {place}, and differs: left out. --allow-duplicates imports both"
            )),
        }
    }

    fn refuse(&mut self, place: &str, reason: &str) {
        self.refused += 1;
        self.progress.suspend(|| eprintln!("{place}: {reason}"));
    }

    /// Prints the results and their cost.
    pub fn report(&self, import: Import, meter: &Meter) -> ExitCode {
        let Tally {
            created,
            updated,
            already_there,
            refused,
            dated_today,
            same_posting,
            same_job,
            bad_cells,
            ..
        } = self;
        let made = match import {
            Import::Write | Import::Update | Import::Overwrite => "created",
            Import::Try => "would be created",
        };
        println!("{created} {made}, {already_there} already there, {refused} refused");
        if import == Import::Update {
            println!("{updated} updated");
        }
        if *same_posting > 0 {
            println!(
                "{same_posting} left out: the table has an application to the same job posting"
            );
        }
        if *same_job > 0 {
            println!("{same_job} {made} that look like applications that are there");
        }
        if *bad_cells > 0 {
            println!("{bad_cells} cells left out: not understood");
        }
        if *dated_today > 0 {
            println!("{dated_today} dated today: no date given");
        }
        let spent = meter.spent();
        println!(
            "{} calls to DynamoDB: {} read units, {} write units",
            spent.calls, spent.read_units, spent.write_units
        );
        if *refused > 0 || *bad_cells > 0 {
            ExitCode::from(2)
        } else {
            ExitCode::SUCCESS
        }
    }
}
