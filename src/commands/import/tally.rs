//! What has become of an import's rows: told row by row, and counted.

use std::collections::HashMap;
use std::process::ExitCode;

use indicatif::ProgressBar;

use crate::applications::{ApplicationId, Import, Imported, describe_rule};
use crate::table::Meter;

use super::identity::Identity;

/// A row that was handed on, and what has to be known of it when its outcome is.
pub struct Handed {
    /// The row's place in what was read with it.
    pub at: usize,
    /// Where it stands in the file.
    pub place: String,
    /// Which application it is, where that could be read.
    pub identity: Option<Identity>,
    /// Whether it was sent on no known day.
    pub dated_today: bool,
}

/// What has become of the rows so far.
pub struct Tally {
    created: u64,
    already_there: u64,
    refused: u64,
    dated_today: u64,
    /// Where each application was met first, and what it was there.
    met: HashMap<ApplicationId, (String, Identity)>,
    progress: ProgressBar,
}

impl Tally {
    /// Of nothing yet. What is told goes around the bar.
    pub fn new(progress: ProgressBar) -> Self {
        Self {
            created: 0,
            already_there: 0,
            refused: 0,
            dated_today: 0,
            met: HashMap::new(),
            progress,
        }
    }

    /// Counts a row, and tells of it where it was refused.
    pub fn count(&mut self, handed: Handed, outcome: Imported) {
        let outcome = self.beside_those_before(&handed, outcome);
        match outcome {
            Imported::Created => {
                self.created += 1;
                self.dated_today += u64::from(handed.dated_today);
            }
            Imported::AlreadyThere => self.already_there += 1,
            Imported::BeingDeleted => {
                let reason = "An application of this id was deleted, but not all of it. Delete it once \
                              more, then import the file again.";
                self.refuse(&handed.place, reason);
            }
            Imported::Malformed(reason) => self.refuse(&handed.place, &reason),
            Imported::Invalid(violations) => {
                let rules: Vec<_> = violations.iter().map(describe_rule).collect();
                self.refuse(&handed.place, &rules.join(" "));
            }
        }
    }

    /// What became of a row that may be of an application which the same file had before.
    fn beside_those_before(&mut self, handed: &Handed, outcome: Imported) -> Imported {
        let (Imported::Created | Imported::AlreadyThere, Some(identity)) =
            (&outcome, &handed.identity)
        else {
            return outcome;
        };
        match self.met.get(&identity.id) {
            None => {
                let here = (handed.place.clone(), *identity);
                self.met.insert(identity.id, here);
                outcome
            }
            Some((_, first)) if first.content == identity.content => Imported::AlreadyThere,
            Some((place, _)) => {
                let what = identity.from.what();
                Imported::Malformed(format!("has the {what} of {place}, and differs: left out"))
            }
        }
    }

    fn refuse(&mut self, place: &str, reason: &str) {
        self.refused += 1;
        self.progress.suspend(|| eprintln!("{place}: {reason}"));
    }

    /// Prints it, and what it cost.
    pub fn tell(&self, import: Import, meter: &Meter) -> ExitCode {
        let Tally {
            created,
            already_there,
            refused,
            dated_today,
            ..
        } = self;
        let made = match import {
            Import::Write => "created",
            Import::Try => "would be created",
        };
        println!("{created} {made}, {already_there} already there, {refused} refused");
        if *dated_today > 0 {
            println!("{dated_today} dated today: no date given");
        }
        let spent = meter.spent();
        println!(
            "{} calls to DynamoDB: {} read units, {} write units",
            spent.calls, spent.read_units, spent.write_units
        );
        match refused {
            0 => ExitCode::SUCCESS,
            _ => ExitCode::from(2),
        }
    }
}
