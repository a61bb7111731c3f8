//! The rules of the job-application tracker: what an application is, how it may change, and how a change
//! is described. Independent of DynamoDB, GraphQL and the clock: moments are arguments.

mod change;
mod check;
mod commit;
mod details;
mod field;
mod history;
mod insight;
mod past;
mod schedule;
mod stage;
mod state;
mod values;
mod words;

pub use change::{FieldChange, changes};
pub use check::Change;
pub use details::{Details, DetailsChange};
pub use field::{Field, Stored};
pub use history::HistoryEntry;
pub use insight::{Stay, StayLength, Week, median_days};
pub use past::PastStatuses;
pub use schedule::Schedule;
pub use stage::{MAX_STAGES, NewStage, Stage, StageChange};
pub use state::{Application, State};
pub use values::{ApplicationId, Link, MAX_INTEGER, Moment, StageId, Timestamp, date, rating};
pub use words::{CompanyCategory, JobSource, Status};

/// A rule that an input breaks, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The input's field: `companyName`.
    pub field: &'static str,
    /// The rule.
    pub rule: Rule,
}

/// A rule that an input can break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A value is needed.
    Required,
    /// At most so many characters.
    TooLong(usize),
    /// An integer in this range, both ends included.
    OutOfRange(i64, i64),
    /// The value must have a form, or go with another field: the sentence says how.
    Invalid(&'static str),
    /// There is no such thing in the application.
    NotFound(&'static str),
    /// The application holds as many as it can.
    LimitReached(&'static str),
    /// The same id was given to something with other content.
    IdTaken,
}

/// Every rule that one input breaks; never empty.
pub type Violations = Vec<Violation>;
