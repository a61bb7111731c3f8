//! The rules of the job-application tracker: what an application is, how it may change, and how a change
//! is described. Independent of DynamoDB and the clock: moments are arguments.

mod activity;
mod change;
mod check;
mod commit;
mod computed;
mod contact;
mod details;
mod exact;
mod field;
mod file;
mod history;
mod insight;
mod kinds;
mod leftovers;
mod links;
mod listed;
mod past;
mod restore;
mod schedule;
mod stage;
mod state;
mod tags;
mod values;
mod words;

pub use activity::{Activity, Event};
pub use change::{FieldChange, changes};
pub use contact::{Contact, ContactText};
pub(crate) use details::application_fields;
pub use details::{Details, DetailsChange, DetailsField, IfEmpty};
pub use exact::{Exact, ExactSnapshot};
pub use field::{Field, Stored};
pub use file::{ApplicationFileKind, AttachedFile, FileName, FileType, MAX_FILE, UploadName};
pub use history::{HistoryEntry, IMPORTED, IMPORTED_AGAIN, depth};
pub use insight::{Stay, StayLength, Week, is_mistake, median_days};
pub use kinds::{
    Amount, Choice, CurrencyCode, Day, Form, Kind, Name, Note, Pasted, PostingText, Rating, TagList,
};
pub use leftovers::Leftovers;
pub(crate) use leftovers::NAMED;
pub use links::{canonical, pasted};
pub use listed::Listed;
pub use past::PastStatuses;
pub use restore::{Restored, says_the_same};
pub use schedule::Schedule;
pub use stage::{MAX_STAGES, NewStage, Stage, StageChange};
pub(super) use state::start_of;
pub use state::{
    Application, ApplicationChange, NO_STAGE, NOT_ITS_STAGE, NOT_ITS_STAGES, StagePatch, State,
};
pub use tags::Tags;
pub use trestle_domain::{Change, Rule, Violation, Violations};
pub use values::{
    ApplicationId, MAX_INTEGER, MAX_VERSION, Moment, StageId, Timestamp, date, rating,
};
pub use words::{CompanyCategory, JobSource, SalaryPeriod, Status};
