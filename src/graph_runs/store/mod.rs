//! The access patterns of the table and the object store: one method each, with its key and its cost. Knows
//! nothing of GraphQL.

mod change;
mod complete;
mod create;
mod difference;
mod list;
mod read;
mod stream;
mod work;

use std::sync::Arc;

use chrono::TimeDelta;
use tokio::sync::Semaphore;

pub use create::NewUpload;
pub use difference::CompareError;
pub use list::{Figures, ListFilter, ListOrder};
pub use read::NodeKey;

use crate::clock::Clock;
use crate::table::{Meter, Table};
use crate::viewer::Viewer;

use super::artifacts::Artifacts;
use super::model::{Timestamp, UserId};

/// The role of those who report on runs: the pipeline's workers.
pub const WORKER_ROLE: &str = "graph-runs-worker";
/// How many runs this server processes at the same time.
const JOBS: usize = 2;

/// Who builds the graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pipeline {
    /// This server, as soon as a run starts.
    InProcess,
    /// Workers elsewhere, who report by the callbacks.
    External,
}

/// How the service is set up.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Who builds the graphs.
    pub pipeline: Pipeline,
    /// After how long a run that is being processed is stuck.
    pub stuck_after: TimeDelta,
    /// The most bytes of an uploaded file.
    pub max_upload: u64,
    /// The most bytes of a graph, and of a report.
    pub max_graph: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            pipeline: Pipeline::InProcess,
            stuck_after: TimeDelta::minutes(15),
            max_upload: 8 * 1024 * 1024,
            max_graph: 256 * 1024 * 1024,
        }
    }
}

/// Where runs are kept, and how the service is set up: the same for every request.
#[derive(Clone)]
pub struct Place {
    /// The table.
    pub table: Table,
    /// The files.
    pub artifacts: Artifacts,
    /// The settings.
    pub settings: Settings,
    /// The time.
    pub clock: Clock,
    jobs: Arc<Semaphore>,
}

impl Place {
    /// Runs in `table`, their files in `artifacts`.
    pub fn new(table: Table, artifacts: Artifacts, settings: Settings, clock: Clock) -> Self {
        Self {
            table,
            artifacts,
            settings,
            clock,
            jobs: Arc::new(Semaphore::new(JOBS)),
        }
    }
}

/// The runs as one viewer sees them, its calls counted into one meter. Made for each request.
#[derive(Clone)]
pub struct Runs {
    place: Place,
    viewer: Viewer,
    meter: Meter,
}

impl Runs {
    /// The runs that `viewer` sees.
    pub fn new(place: Place, viewer: Viewer, meter: Meter) -> Self {
        Self {
            place,
            viewer,
            meter,
        }
    }

    /// Now, in the seconds that the table has.
    pub fn now(&self) -> Timestamp {
        Timestamp::new(self.place.clock.now())
    }

    /// The files.
    pub fn artifacts(&self) -> &Artifacts {
        &self.place.artifacts
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.place.settings
    }

    /// Whether the viewer is a worker, who sees every run.
    pub fn is_worker(&self) -> bool {
        self.viewer.has_role(WORKER_ROLE)
    }

    fn user(&self) -> UserId {
        UserId::new(self.viewer.subject())
    }
}
