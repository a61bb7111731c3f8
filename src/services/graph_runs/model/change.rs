//! What happens to runs, for those who watch.

use super::Run;

/// A change that was committed, with the run after it; a deleted run as it was.
#[derive(Clone, Debug)]
pub enum RunChange {
    /// It was created.
    Created(Run),
    /// It has changed.
    Changed(Run),
    /// It was deleted.
    Deleted(Run),
}

impl RunChange {
    /// The run.
    pub fn run(&self) -> &Run {
        match self {
            RunChange::Created(run) | RunChange::Changed(run) | RunChange::Deleted(run) => run,
        }
    }
}
