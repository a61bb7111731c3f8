//! The access patterns of the table and the object store: one method each, with its key and its cost. Knows
//! nothing of GraphQL.

mod change;
mod complete;
mod contents;
mod create;
mod delete;
mod difference;
mod leases;
mod list;
mod listed;
mod live;
mod picture;
mod process;
mod queue;
mod read;
mod seal;
mod stream;

use std::sync::Arc;
use std::time::Duration;

pub use difference::Differences;
pub use list::{Figures, ListFilter};
pub use queue::Queue;

use contents::Contents;
use leases::Leases;

use super::arguments::{Pipeline, Settings};
use super::error::StoreError;
use super::model::{Job, Run, RunChange, Timestamp, UserId};
use super::objects;
use trestle_api::viewer::{Access, Viewer};
use trestle_api::{EventBus, Session};
use trestle_domain::Ulids;
use trestle_files::{Download, Files, SignedUrl};
use trestle_table::{Meter, Tables};

/// The role of those who report on runs: the pipeline's workers.
pub const WORKER_ROLE: &str = "graph-runs-worker";
/// How long a signed URL is valid.
const URL_LIFETIME: Duration = Duration::from_secs(15 * 60);

/// Where runs are kept, and how the service is set up: the same for every request.
#[derive(Clone)]
pub struct Place {
    files: Files,
    settings: Arc<Settings>,
    ids: Arc<Ulids>,
    queue: Option<Arc<Queue>>,
    contents: Arc<Contents>,
    leases: Arc<Leases>,
    live: EventBus<RunChange>,
}

impl Place {
    /// Runs with these files. Begins to delete those that expire and, if this server is the pipeline, to process.
    pub fn new(files: Files, settings: Settings, tables: &Tables) -> Self {
        let is_pipeline = settings.pipeline == Pipeline::InProcess;
        let queue = is_pipeline.then(|| Arc::new(Queue::new(settings.lease)));
        let (own, others) = (settings.lease, settings.external_lease());
        let leases = Leases::new(tables.clock().clone(), own, others);
        let place = Self {
            files,
            settings: Arc::new(settings),
            ids: Arc::default(),
            queue,
            contents: Arc::default(),
            leases: Arc::new(leases),
            live: EventBus::default(),
        };
        let viewer = Viewer::new("pipeline", Access::Write);
        let session = Session::new(
            tables.counting(Meter::default()),
            viewer.with_roles([WORKER_ROLE.to_owned()]),
        );
        let runs = Runs::new(place.clone(), session);
        tokio::spawn(Arc::new(runs.clone()).expire_always());
        if let Some(queue) = place.queue.clone() {
            tokio::spawn(runs.process_always(queue));
        }
        place
    }

    /// The runs that this server processes, if it is the pipeline.
    pub fn queue(&self) -> Option<Arc<Queue>> {
        self.queue.clone()
    }
}

/// The runs as one viewer sees them, its calls counted into one meter. Made for each request.
#[derive(Clone)]
pub struct Runs {
    place: Place,
    session: Session,
}

impl Runs {
    /// The runs that the session's viewer sees.
    pub fn new(place: Place, session: Session) -> Self {
        Self { place, session }
    }

    /// Now, in the seconds that the table has.
    pub fn now(&self) -> Timestamp {
        Timestamp::new(self.session.tables.now())
    }

    fn files(&self) -> &Files {
        &self.place.files
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.place.settings
    }

    /// Whether the viewer is a worker, who sees every run.
    pub fn is_worker(&self) -> bool {
        self.session.viewer.has_role(WORKER_ROLE)
    }

    /// A URL to get a file under a name. No call to the table.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn download_url(&self, key: &str, name: String) -> Result<SignedUrl, StoreError> {
        let download = Download {
            name: Some(name),
            content_type: None,
            reader: None,
        };
        let signed = self.files().download_url(key, &download, URL_LIFETIME);
        Ok(signed.await?)
    }

    /// The name under which a run's file is downloaded.
    pub fn file_name(run: &Run) -> &'static str {
        objects::file_name(run.upload.format)
    }

    /// Whether a worker that asks gets a job. No call.
    pub fn is_free(&self, job: &Job) -> bool {
        self.leases().is_free(job)
    }

    fn leases(&self) -> &Leases {
        &self.place.leases
    }

    fn user(&self) -> UserId {
        self.session.user()
    }
}
