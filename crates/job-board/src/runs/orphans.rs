//! Deletes what belongs to users without a profile: they never had one, the run that deletes it was interrupted, or another
//! program or an earlier release deleted the profile alone.

use crate::access::Party;
use crate::interests::{self, answered};
use crate::jobs;
use crate::matches;
use crate::searches;
use crate::seekers;
use crate::service_state::ServiceState;
use crate::suggestions;
use trestle_api::Session;
use trestle_domain::{Rule, UserId, Violations};
use trestle_table::{ChangeError, Entity, Listing, PageAsk, TableError, Tables, UnitError};

use super::{Run, Target};

/// The viewer has no profile.
pub const NO_PROFILE: Rule = Rule::NotFound("names no profile: there is none");

/// Starts a run that deletes what is left of a user without a profile. One GetItem, at most five Queries of one item and one
/// TransactWriteItems.
///
/// # Errors
/// Always, because there is no profile to return: without violations if a run was started, NOT_FOUND if nothing is left or a
/// run deletes it already.
pub async fn delete_left<E>(
    session: &Session,
    service: &ServiceState,
    party: Party,
    user: &UserId,
) -> Result<E, ChangeError<Violations>> {
    let refused = || Err(NO_PROFILE.at("input").into());
    let target = Target::Deletion(party, user.clone());
    let tables = &session.tables;
    if tables.get::<Run>(&target).await?.is_some() {
        // It may have been interrupted: a free process continues it.
        service.run(target);
        return refused();
    }
    if !has_left(tables, party, user).await? {
        return refused();
    }
    let mut unit = tables.unit::<()>();
    unit.put_new(&Run::new(target.clone(), tables.now()));
    match unit.commit().await {
        Ok(()) => service.run(target),
        Err(UnitError::Canceled(canceled)) => {
            if let Some(error) = canceled.lasting() {
                return Err(error.into());
            }
        }
        Err(UnitError::Table(error)) => return Err(error.into()),
    }
    Err(ChangeError::Refused(Violations::new()))
}

async fn has_left(tables: &Tables, party: Party, user: &UserId) -> Result<bool, TableError> {
    let matches = matches::of_party(party, user, None, None);
    Ok(match party {
        Party::Seeker => {
            has_any(tables, &interests::of_seeker(user, None)).await?
                || has_any(tables, &matches).await?
                || has_any(tables, &suggestions::of_seeker(user, i64::MIN)).await?
                || has_any(tables, &seekers::whereabouts_of(user)).await?
                || has_any(tables, &searches::of_seeker(user)).await?
        }
        Party::Employer => {
            has_any(tables, &jobs::of_employer(user)).await?
                || has_any(tables, &matches).await?
                || has_any(tables, &interests::waiting(user)).await?
                || has_any(tables, &answered::of_employer(user)).await?
        }
    })
}

/// Whether a list has an item, readable or not.
async fn has_any<E: Entity + Send + Sync>(
    tables: &Tables,
    list: &Listing<E>,
) -> Result<bool, TableError> {
    let page = tables.page(list, &PageAsk::first(1), &()).await?;
    Ok(!page.rows.is_empty())
}
