//! What was done in a search, as lines of CSV.

use std::io::{self, Write};

use chrono::NaiveDate;

use trestle_applications::{Activity, Event, Record};
use trestle_spreadsheet::shielded;

use super::target::output_error;

const COLUMNS: [&str; 8] = [
    "date",
    "companyName",
    "positionTitle",
    "event",
    "stage",
    "isCompleted",
    "location",
    "jobPostingUrl",
];

/// Days from one to another, both included. Without a bound there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Days {
    pub from: Option<NaiveDate>,
    pub to: Option<NaiveDate>,
}

impl Days {
    /// Whether no day is between the bounds.
    pub fn are_none(self) -> bool {
        self.from.zip(self.to).is_some_and(|(from, to)| to < from)
    }

    fn have(self, day: NaiveDate) -> bool {
        self.from.is_none_or(|from| from <= day) && self.to.is_none_or(|to| day <= to)
    }
}

/// The lines to write, which are sorted when all are there.
pub struct Activities {
    days: Days,
    lines: Vec<Line>,
}

struct Line {
    day: Option<NaiveDate>,
    cells: [String; COLUMNS.len()],
}

impl Activities {
    /// None yet.
    pub fn of(days: Days) -> Self {
        Self {
            days,
            lines: Vec::new(),
        }
    }

    /// Adds what was done about an application.
    pub fn add(&mut self, record: &Record) {
        for activity in record.activities() {
            // What is not known may be within the bounds.
            if activity.day.is_none_or(|day| self.days.have(day)) {
                let cells = cells(record, &activity);
                let day = activity.day;
                self.lines.push(Line { day, cells });
            }
        }
    }

    /// Writes them by day. Those without one come last.
    ///
    /// # Errors
    /// The output does not take them.
    pub fn write<W: Write>(mut self, output: &mut csv::Writer<W>) -> io::Result<()> {
        output.write_record(COLUMNS).map_err(output_error)?;
        self.lines
            .sort_by_key(|line| (line.day.is_none(), line.day));
        for line in &self.lines {
            output.write_record(&line.cells).map_err(output_error)?;
        }
        Ok(())
    }
}

/// What is not known is an empty cell.
fn cells(record: &Record, activity: &Activity) -> [String; COLUMNS.len()] {
    let details = record.details();
    let (event, stage, is_completed) = match &activity.event {
        Event::Status(status) => (status.word(), None, None),
        Event::Stage { name, is_completed } => ("interview stage", name.clone(), *is_completed),
    };
    let day = activity.day.map(|day| day.to_string());
    let link = details.job_posting_url.get();
    [
        day.unwrap_or_default(),
        details.company_name.get().unwrap_or_default(),
        details.position_title.get().unwrap_or_default(),
        event.to_owned(),
        stage.unwrap_or_default(),
        is_completed.map(|is| is.to_string()).unwrap_or_default(),
        details.location.get().unwrap_or_default(),
        link.map(|link| link.to_string()).unwrap_or_default(),
    ]
    .map(|text| shielded(&text).into_owned())
}
