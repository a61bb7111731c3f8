//! Deleting startups.

use crate::access_requests::{self, Grant};
use crate::clearing::clear;
use crate::invitations::{self, Invitation};
use crate::journal::Journal;
use crate::member::acting;
use crate::roles::{self, Role};
use crate::tiers::Quota;
use crate::uploads::finished::discard;
use crate::usage::Usage;
use trestle_api::{MutationResult, Node as _, Session};
use trestle_api::{mutations, naming_inputs};
use trestle_domain::{Id, UserId, Violations};
use trestle_table::{ChangeError, TransactionBuilder};

use super::{NO_STARTUP, Startup};

naming_inputs! {
    DeleteStartupInput
}

/// GetItems of the viewer and the startup, and one TransactWriteItems: the startup and the audit entry. Then a Query of each
/// of its roles, grants and invitations, and one TransactWriteItems for each 90 of them.
async fn delete(session: &Session, input: DeleteStartupInput) -> MutationResult<Startup> {
    let user = acting(session).await?.id;
    let id = Startup::named(&input.id, session).map_err(|rule| rule.at("id"))?;
    delete_as(session, &user, &id, input.expected_version.map(u32::from)).await
}

/// Deletes a startup of a user. What belongs to it is out of sight with it; it is deleted after it.
pub async fn delete_as(
    session: &Session,
    user: &UserId,
    id: &Id<Startup>,
    expected: Option<u32>,
) -> MutationResult<Startup> {
    let journal = Journal::of(session);
    let is_own = |now: &Startup| now.founder_id == *user;
    let missing = |error: ChangeError<Violations>| error.if_missing(NO_STARTUP.at("id"));
    journal.guard(id, expected, is_own).await.map_err(missing)?;
    let with = |now: &Startup, unit: &mut TransactionBuilder<Violations>| {
        if now.founder_id != *user {
            return Err(NO_STARTUP.at("id"));
        }
        Usage::give_back(unit, session, user, Quota::Startups);
        journal.record::<Startup>(unit, "STARTUP_DELETED", now.startup_id);
        Ok(())
    };
    let deleted = session
        .tables
        .delete(id, expected, with)
        .await
        .map_err(missing)?;
    let parts = async {
        clear::<Role>(session, &roles::of_startup(*id)).await?;
        clear::<Grant>(session, &access_requests::grants_of(*id)).await?;
        clear::<Invitation>(session, &invitations::of_startup(*id)).await
    };
    if let Err(error) = parts.await {
        tracing::error!(%error, startup = %id, "What belonged to a deleted startup was not deleted");
    }
    let files = [&deleted.entity.logo_url, &deleted.entity.pitch_deck_url];
    for file in files.into_iter().flatten() {
        discard(session, file).await;
    }
    Ok(deleted)
}

mutations! {
    /// Mutations that delete startups.
    DeletionMutation -> startup: Startup {
        /// Deletes a startup that the viewer founded, with its roles, files, grants and invitations. Applications and access
        /// requests stay with those who made them, without the startup.
        delete_startup(DeleteStartupInput) -> DeleteStartupPayload = delete,
    }
}
