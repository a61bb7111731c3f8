//! Deleting startups.

use crate::access_requests::{self, Grant};
use crate::applications::{self, Application};
use crate::clearing::clear;
use crate::deletions::{Deleted, Deletion};
use crate::invitations::{self, Invitation};
use crate::journal::{Journal, Note};
use crate::member::acting;
use crate::notifications::NotificationType;
use crate::roles::{self, Role};
use crate::tiers::Quota;
use crate::uploads::finished::discard;
use crate::usage::Usage;
use crate::users::user_of_key;
use trestle_api::{MutationResult, Node as _, Session};
use trestle_api::{mutations, naming_inputs};
use trestle_domain::{Id, UserId, Violations};
use trestle_table::{ChangeError, PageAsk, Row, TableError, TransactionBuilder};

use super::{NO_STARTUP, Startup};

naming_inputs! {
    DeleteStartupInput
}

/// GetItems of the viewer and the startup, and one TransactWriteItems: the startup and the audit entry. Queries of its
/// applications and grants find those who are notified. Then as [`finish`].
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
        deletion_of(session, now).begin(unit);
        Ok(())
    };
    let deleted = session
        .tables
        .delete(id, expected, with)
        .await
        .map_err(missing)?;
    match concerned(session, *id).await {
        Ok((applicants, investors)) => {
            tell(session, &deleted.entity, &applicants, &investors).await;
        }
        Err(error) => {
            tracing::error!(%error, startup = %id, "Users were not told of a deleted startup");
        }
    }
    if let Err(error) = finish(session, *id, &deletion_of(session, &deleted.entity)).await {
        tracing::error!(%error, startup = %id, "what belonged to a deleted startup is not deleted: the next start deletes it");
    }
    Ok(deleted)
}

fn deletion_of(session: &Session, startup: &Startup) -> Deletion {
    let files = [&startup.logo_url, &startup.pitch_deck_url];
    Deletion {
        files: files.into_iter().flatten().cloned().collect(),
        ..Deletion::of(session, Deleted::Startup(startup.startup_id))
    }
}

/// Deletes what belonged to a deleted startup: files, then a Query of each of its roles, grants and invitations, and one
/// TransactWriteItems for each 90 of them; before the roles a Query of the applications for each, and an UpdateItem for each
/// note of the founder; last the note of the delete.
///
/// # Errors
/// The store does not answer.
pub async fn finish(
    session: &Session,
    startup: Id<Startup>,
    deletion: &Deletion,
) -> Result<(), ChangeError<Violations>> {
    for file in &deletion.files {
        discard(session, file).await;
    }
    // Notes are found by their role, so they go first.
    let roles = session.tables.all(&roles::of_startup(startup)).await?;
    for role in roles.into_iter().flatten() {
        applications::notes::forget(session, startup, role.role_id).await?;
    }
    clear::<Role>(session, &roles::of_startup(startup)).await?;
    clear::<Grant>(session, &access_requests::grants_of(startup)).await?;
    clear::<Invitation>(session, &invitations::of_startup(startup)).await?;
    deletion.end(session).await
}

/// Number of users of each kind that are notified of a deleted startup, at most.
const TOLD_AT_MOST: usize = 450;

/// The users with open applications and with access to a startup, or a request for it: two Queries, and a BatchGetItem of
/// applications for each 100.
async fn concerned(
    session: &Session,
    id: Id<Startup>,
) -> Result<(Vec<UserId>, Vec<UserId>), TableError> {
    let (tables, ask) = (&session.tables, PageAsk::first(TOLD_AT_MOST));
    let (entries, grants) = (applications::of_startup(id), access_requests::grants_of(id));
    let (entries, grants) = tokio::try_join!(
        tables.page(&entries, &ask, &()),
        tables.page(&grants, &ask, &()),
    )?;
    let entries = entries.rows.into_iter().filter_map(|row| row.entity.ok());
    let ids: Vec<_> = entries.map(|entry| entry.application_id).collect();
    let found = if ids.is_empty() {
        Vec::new()
    } else {
        tables.batch::<Application>(&ids).await?
    };
    let found = found.into_iter().flatten().filter_map(Result::ok);
    let open = found.filter(Application::is_open);
    let mut applicants: Vec<_> = open.map(|application| application.applicant_id).collect();
    applicants.sort_unstable();
    applicants.dedup();
    let grants = grants.rows.into_iter().filter_map(Row::keyed);
    let open = grants.filter(|(_, grant)| grant.is_open_at(session.now()));
    let investors = open.filter_map(|(key, _)| user_of_key(key.sk.as_str()));
    Ok((applicants, investors.collect()))
}

/// Notifies those whom a deleted startup concerns: one TransactWriteItems for each 45.
async fn tell(session: &Session, startup: &Startup, applicants: &[UserId], investors: &[UserId]) {
    let (id, name) = (startup.startup_id, &startup.name);
    let applied = format!("{name} was deleted, and your application with it has no role any more.");
    let access = format!("{name} was deleted, and your access or request has ended.");
    let journal = Journal::of(session);
    for (users, kind, body) in [
        (applicants, NotificationType::ApplicationUpdate, &applied),
        (investors, NotificationType::AccessRequest, &access),
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
