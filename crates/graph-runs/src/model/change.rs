//! What happens to runs, for those who watch.

use async_graphql::{Enum, SimpleObject};

use super::Run;

/// How a run changed.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunChangeKind {
    /// The run was created.
    Created,
    /// The run has changed: its status, or its attempt.
    Changed,
    /// The run was deleted.
    Deleted,
}

/// A change of a run.
#[derive(SimpleObject, Clone, Debug)]
pub struct RunChange {
    /// How the run changed.
    pub kind: RunChangeKind,
    /// The run after the change. A deleted run is returned as it was.
    pub run: Run,
}
