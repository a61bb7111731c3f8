//! Finding a run by its id without an index.

use serde::{Deserialize, Serialize};

use super::{Run, RunId, Timestamp, UserId};

/// Where a run is: written in the transaction that creates it, so that whoever knows the id finds the run at once. Indexes are
/// behind the table. Runs of other programs have none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pointer {
    /// The run.
    pub run_id: RunId,
    /// Its owner.
    pub user_id: UserId,
    /// When the run was created.
    pub created_at: Timestamp,
}

impl Pointer {
    /// The pointer to a run.
    pub fn to(run: &Run) -> Self {
        Self {
            run_id: run.id.clone(),
            user_id: run.user.clone(),
            created_at: run.created_at,
        }
    }
}
