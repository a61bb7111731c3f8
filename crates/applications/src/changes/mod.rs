//! Committed changes, announced to every subscription of this process, by the writes of this process or by a
//! reader of the table's stream.

mod stream;

use trestle_api::EventBus;

pub use stream::follow;

use super::keys::Scope;
use super::model::{Application, ApplicationId, Stage, State};

/// A kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// Created.
    Created,
    /// Changed.
    Updated,
    /// Deleted.
    Deleted,
}

/// A committed change, and whose application it is of.
#[derive(Clone, Debug)]
pub struct Announced {
    /// Whose application it is. Others must not see the change.
    pub scope: Scope,
    /// The change.
    pub change: Change,
}

/// One committed change.
#[derive(Clone, Debug)]
pub struct Change {
    /// The kind of change.
    pub kind: ChangeKind,
    /// The application.
    pub id: ApplicationId,
    /// Its version after the change; of a deleted one, its last. 0 if the application is not known.
    pub version: u32,
    /// The application after the change; `None` if it was deleted, or if what changed is beside it.
    pub application: Option<Application>,
    /// Its stages, if they are known without a read.
    pub stages: Option<Vec<Stage>>,
}

impl Change {
    /// An application with its stages.
    pub fn written(kind: ChangeKind, state: &State) -> Self {
        Self {
            stages: Some(state.stages().to_vec()),
            ..Self::seen(kind, state.application.clone())
        }
    }

    /// An application whose stages were not read.
    pub fn seen(kind: ChangeKind, application: Application) -> Self {
        Self {
            kind,
            id: application.id.clone(),
            version: application.version(),
            application: Some(application),
            stages: None,
        }
    }

    /// An application whose contacts or files changed, which is not read for that.
    pub fn beside(id: ApplicationId) -> Self {
        Self {
            kind: ChangeKind::Updated,
            id,
            version: 0,
            application: None,
            stages: None,
        }
    }

    /// A deleted application.
    pub fn deleted(application: &Application) -> Self {
        Self {
            kind: ChangeKind::Deleted,
            id: application.id.clone(),
            version: application.version(),
            application: None,
            stages: None,
        }
    }
}

/// Where changes are announced and watched. A change is 2 KB on a usual board and about 130 KB with all texts at
/// their limits.
pub type Changes = EventBus<Announced>;
