//! Finishes deletes that were interrupted.

use crate::accounts::deleting as accounts;
use crate::deletions::{Deleted, Deletion, unfinished};
use crate::roles::graphql as roles;
use crate::startups::deleting as startups;
use trestle_api::viewer::{Access, Viewer};
use trestle_api::{Failed, FinishedDeletes, Session, UnfinishedError};
use trestle_table::Tables;

/// Finishes every delete that was interrupted; how many. `equip` gives a session what those of requests have. One Query, and for
/// each delete what it costs.
///
/// # Errors
/// The store or the object store does not answer: the others are finished.
pub async fn finish_all(
    tables: &Tables,
    equip: impl Fn(&Session) + Send + Sync,
) -> Result<usize, UnfinishedError> {
    let mut finished = FinishedDeletes::default();
    for deletion in tables.all(&unfinished()).await?.into_iter().flatten() {
        // The audit log names who has begun it.
        let viewer = Viewer::new(deletion.user_id.as_str(), Access::Write);
        let session = Session::new(tables.clone(), viewer);
        equip(&session);
        let done = finish(&session, &deletion).await;
        finished.add(done.map(|()| 1).map_err(cause));
    }
    finished.count()
}

fn cause(failed: Failed) -> UnfinishedError {
    match failed {
        Failed::Write(error) => error.into(),
        Failed::Field(error) => format!("{error:?}").into(),
    }
}

/// Finishes a delete. `session` is of the user who has begun it.
///
/// # Errors
/// The store does not answer.
async fn finish(session: &Session, deletion: &Deletion) -> Result<(), Failed> {
    match &deletion.deleted {
        Deleted::Startup(startup) => {
            startups::finish(session, *startup, deletion).await?;
            Ok(())
        }
        Deleted::Role(startup, role) => {
            roles::finish(session, *startup, *role, deletion).await?;
            Ok(())
        }
        Deleted::Account(user) => accounts::finish(session, user).await,
    }
}
