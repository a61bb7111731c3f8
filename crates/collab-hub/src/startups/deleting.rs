//! Deleting startups.

use crate::access_requests::{self, Grant};
use crate::applications::{self, notes::Names};
use crate::clearing::clear;
use crate::deletions::{Deleted, Deletion, await_indexes};
use crate::invitations::{self, Invitation};
use crate::journal::{Journal, Note};
use crate::member::acting;
use crate::notifications::NotificationType;
use crate::roles::{self, Role};
use crate::tiers::Quota;
use crate::uploads::finished::discard;
use crate::usage::Usage;
use trestle_api::{MutationResult, Node as _, Session};
use trestle_api::{mutations, naming_inputs};
use trestle_domain::{Id, UserId, Violations};
use trestle_table::ChangeError;

use super::{NO_STARTUP, Startup};

naming_inputs! {
    DeleteStartupInput
}

/// GetItems of the viewer and the startup, and one TransactWriteItems: the startup and the audit entry. Then as [`finish`], which
/// finds those who are notified.
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

    let deleted = session.tables.delete(id, expected, |now: &Startup, unit| {
        if now.founder_id != *user {
            return Err(NO_STARTUP.at("id"));
        }
        Usage::give_back(unit, session, user, Quota::Startups);
        journal.record::<Startup>(unit, "STARTUP_DELETED", now.startup_id);
        deletion_of(session, now).begin(unit);
        Ok(())
    });
    let deleted = deleted.await.map_err(missing)?;
    let startup = &deleted.entity;
    match finish(session, *id, &deletion_of(session, startup)).await {
        Ok(concerned) => tell(session, startup, &concerned).await,
        Err(error) => {
            tracing::error!(%error, startup = %id, "what belonged to a deleted startup is not deleted: the next start deletes it");
        }
    }
    Ok(deleted)
}

fn deletion_of(session: &Session, startup: &Startup) -> Deletion {
    let files = [&startup.logo_url, &startup.pitch_deck_url];
    Deletion {
        files: files.into_iter().flatten().cloned().collect(),
        startup_name: Some(startup.name.clone()),
        ..Deletion::of(session, Deleted::Startup(startup.startup_id))
    }
}

/// The users with open applications and with access to a startup, or a request for it.
#[derive(Debug, Default)]
pub struct Concerned {
    applicants: Vec<UserId>,
    investors: Vec<UserId>,
}

/// Number of users of each kind that are notified of a deleted startup, at most.
const TOLD_AT_MOST: usize = 450;

impl Concerned {
    /// Each once, and no more than are notified.
    fn of(mut applicants: Vec<UserId>, mut investors: Vec<UserId>) -> Self {
        for users in [&mut applicants, &mut investors] {
            users.sort_unstable();
            users.dedup();
            users.truncate(TOLD_AT_MOST);
        }
        Self {
            applicants,
            investors,
        }
    }
}

/// Deletes what belonged to a deleted startup: files, then a Query of each of its roles, grants and invitations, and one
/// TransactWriteItems for each 90 of them; before the roles a Query of the applications for each, and one of the access requests,
/// and an UpdateItem for each that has a note of the founder or no name; last the note of the delete. Returns whom it concerns.
///
/// # Errors
/// The store does not answer.
pub async fn finish(
    session: &Session,
    startup: Id<Startup>,
    deletion: &Deletion,
) -> Result<Concerned, ChangeError<Violations>> {
    await_indexes(session).await?;
    for file in &deletion.files {
        discard(session, file).await;
    }
    let mut applicants = Vec::new();
    // Notes are found by their role, so they go first.
    let roles = session.tables.all(&roles::of_startup(startup)).await?;
    for role in roles.into_iter().flatten() {
        let names = Names {
            role_title: Some(role.title),
            startup_name: deletion.startup_name.clone(),
        };
        let open = applications::notes::forget(session, startup, role.role_id, &names).await?;
        applicants.extend(open.into_iter().map(|application| application.applicant_id));
    }
    let name = deletion.startup_name.as_ref();
    let investors = access_requests::ending::end(session, startup, name).await?;
    clear::<Role>(session, &roles::of_startup(startup)).await?;
    clear::<Grant>(session, &access_requests::grants_of(startup)).await?;
    clear::<Invitation>(session, &invitations::of_startup(startup)).await?;
    deletion.end(session).await?;
    Ok(Concerned::of(applicants, investors))
}

/// Notifies those whom a deleted startup concerns: one TransactWriteItems for each 45.
async fn tell(session: &Session, startup: &Startup, concerned: &Concerned) {
    let (id, name) = (startup.startup_id, &startup.name);
    let applied = format!("{name} was deleted, and your application with it has no role any more.");
    let access = format!("{name} was deleted, and your access or request has ended.");
    let journal = Journal::of(session);
    for (users, kind, body) in [
        (
            &concerned.applicants,
            NotificationType::ApplicationUpdate,
            &applied,
        ),
        (
            &concerned.investors,
            NotificationType::AccessRequest,
            &access,
        ),
    ] {
        let note = Note::new(&startup.founder_id, kind, "Startup deleted", body);
        let note = note.of_startup(id);
        journal.notify_apart::<Startup>(id, users, note).await;
    }
}

mutations! {
    /// Mutations that delete startups.
    DeletionMutation -> startup: Startup {
        /// Deletes a startup that the viewer founded, with its roles, files, grants, invitations and notes on applications. Applications and access
        /// requests stay with those who made them, without the startup; those that are open, and who has access, are told.
        delete_startup(DeleteStartupInput) -> DeleteStartupPayload = delete,
    }
}
