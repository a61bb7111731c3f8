//! The rules of the job-application tracker: what an application is, how it may change, and how a change
//! is described. Independent of DynamoDB and the clock: moments are arguments.

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

pub use crate::domain::{Change, Rule, Violation, Violations};
pub use change::{FieldChange, changes};
pub use details::{Details, DetailsChange};
pub use field::{Field, Stored};
pub use history::HistoryEntry;
pub use insight::{Stay, StayLength, Week, median_days};
pub use past::PastStatuses;
pub use schedule::Schedule;
pub use stage::{MAX_STAGES, NewStage, Stage, StageChange};
pub use state::{Application, NO_STAGE, State};
pub use values::{ApplicationId, MAX_INTEGER, Moment, StageId, Timestamp, date, rating};
pub use words::{CompanyCategory, JobSource, Status};
