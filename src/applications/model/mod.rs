//! The rules of the job-application tracker: what an application is, how it may change, and how a change
//! is told. Knows nothing of storage, GraphQL or the clock: moments come as arguments.

mod change;
mod details;
mod history;
mod insight;
mod stage;
mod state;
mod values;
mod words;

pub use change::{FieldChange, changes};
pub use details::{Change, Details, DetailsChange};
pub use history::HistoryEntry;
pub use insight::{Stay, StayLength, Week, median_days};
pub use stage::{MAX_STAGES, NewStage, Stage, StageChange};
pub use state::{Application, State};
pub use values::{
    ApplicationId, Link, Name, Note, Rating, Salary, StageId, StageName, StageNote, Text, Timestamp,
};
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
