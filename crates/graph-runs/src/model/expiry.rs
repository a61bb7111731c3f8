//! When what is left of a run is to be deleted.

use chrono::TimeDelta;
use serde::{Deserialize, Serialize};

use super::{Run, RunId, Timestamp, UserId};

/// A note to look at a run: whether it has expired, and whether files are left of one that is deleted. It outlives the
/// run, so that files which are written late are found, too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Expiry {
    /// The run.
    pub run_id: RunId,
    /// Its owner.
    pub user_id: UserId,
    /// When the run was created.
    pub created_at: Timestamp,
    /// When to look.
    pub due: Timestamp,
}

/// The moment that much later.
pub fn later(at: Timestamp, by: TimeDelta) -> Option<Timestamp> {
    Timestamp::from_seconds(at.seconds().checked_add(by.num_seconds())?)
}

impl Expiry {
    /// A note to look at a run then.
    pub fn of(run: &Run, due: Timestamp) -> Self {
        Self {
            run_id: run.id.clone(),
            user_id: run.user.clone(),
            created_at: run.created_at,
            due,
        }
    }

    /// The same note for another time.
    pub fn at(&self, due: Timestamp) -> Self {
        Self {
            due,
            ..self.clone()
        }
    }
}

impl Run {
    /// Whether it is to be deleted. A worker that has it cannot complete it any more, because expired runs are not read.
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|at| at <= now)
    }
}
