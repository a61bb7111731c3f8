//! Deleting an account with all that belongs to it.
//!
//! First the user is out of sight, in one transaction. Then what belongs to the user is deleted, a bounded part in each call
//! of the mutation, and last the profile. What a call has not come to, or a crash has left, the next call goes on with, or the
//! next start of the server.

use async_graphql::{ID, InputObject, SimpleObject};

use crate::access_requests::{AccessRequest, Grant, of_requester};
use crate::applications::{Application, ApplicationStatus, of_applicant};
use crate::blocks::{self, Block};
use crate::clearing::clear;
use crate::conversations::membership::leave_as;
use crate::conversations::{Conversation, Participant, adopt, of_user, requests_of};
use crate::deletions::{Deleted, Deletion, await_indexes};
use crate::events::{Event, announce};
use crate::journal::Journal;
use crate::member::Profile;
use crate::notifications::{self, Notification};
use crate::retrying::commit;
use crate::roles::Role;
use crate::saved_roles::{self, SavedRole};
use crate::startups::deleting::delete_as as delete_startup;
use crate::startups::of_founder;
use crate::subscriptions::Subscription;
use crate::table::TABLE;
use crate::uploads::finished::discard;
use crate::users::{EmailGuard, User, UserStatus, UserSubscriptionStatus, release};
use trestle_api::{Failed, Node as _, Session, UserError};
use trestle_api::{mutations, own_payloads};
use trestle_domain::{Rule, UserId, Violations};
use trestle_table::{
    ChangeError, Condition, Entity, Key, Listing, PageAsk, Row, TableError, TransactionBuilder,
};

use super::exporting::delete_exports;
use super::left::{clear_messages, purge_left};

#[derive(InputObject, Clone)]
pub struct DeleteAccountInput {
    /// The id of the viewer's user, so that no account is deleted by mistake.
    id: ID,
}

/// The result of `deleteAccount`.
#[derive(SimpleObject, Default)]
pub struct DeleteAccountPayload {
    /// Whether everything is deleted. If not, repeat the mutation. `null` if there are errors.
    is_complete: Option<bool>,
    /// Validation errors. If not empty, nothing was changed.
    user_errors: Vec<UserError>,
}

/// Number of startups, applications, messages and conversations that one call deletes, at most.
const AT_ONCE: usize = 200;

/// Number of times that so much is deleted when the server finishes a delete, at most.
const MOST_CALLS: usize = 1000;

const NOT_OWN: Rule = Rule::NotFound("is not the id of your user");
const SUBSCRIBED: Rule = Rule::Conflict("names a user with a paid subscription: cancel it first");
const BANNED: Rule = Rule::Forbidden("An admin has banned this user: ask an admin to lift that");

async fn delete(
    session: &Session,
    input: DeleteAccountInput,
) -> Result<DeleteAccountPayload, Failed> {
    let user = User::named(&input.id, session).map_err(|_| NOT_OWN.at("id"))?;
    if user != session.user() {
        return Err(NOT_OWN.at("id").into());
    }
    hide(session, &user).await?;
    let mut left = AT_ONCE;
    let is_complete = purge_twice(session, &user, &mut left).await?;
    if is_complete {
        delete_rest(session, &user).await?;
    }
    session.forget::<Profile>();
    Ok(DeleteAccountPayload {
        is_complete: Some(is_complete),
        user_errors: Vec::new(),
    })
}

/// Deletes what belongs to a user whose account is being deleted, then the profile.
///
/// # Errors
/// The store or the object store does not answer, or what belongs to the user becomes no less.
pub async fn finish(session: &Session, user: &UserId) -> Result<(), Failed> {
    for _ in 0..MOST_CALLS {
        let mut left = AT_ONCE;
        if purge_twice(session, user, &mut left).await? {
            return delete_rest(session, user).await;
        }
    }
    Err(ChangeError::Contended.into())
}

async fn delete_rest(session: &Session, user: &UserId) -> Result<(), Failed> {
    delete_exports(session, user).await?;
    delete_profile(session, user).await?;
    Ok(())
}

/// The user is banned until the rest is deleted, and reads as DELETED: nobody sees the profile or the startups, and the
/// user's subscriptions end. Two GetItems and one TransactWriteItems.
async fn hide(session: &Session, user: &UserId) -> Result<(), ChangeError<Violations>> {
    let journal = Journal::of(session);
    let subscription = session.tables.get::<Subscription>(user).await?;
    let is_ending = subscription.is_some_and(|subscription| subscription.is_ending());
    let changed = session.tables.change(user, None, |now: &User, unit| {
        if now.deleting_since.is_some() {
            return Ok(now.clone());
        }
        if now.status == UserStatus::Banned {
            return Err(BANNED.at("input"));
        }
        match now.subscription_status {
            UserSubscriptionStatus::Active | UserSubscriptionStatus::PastDue if !is_ending => {
                return Err(SUBSCRIBED.at("id"));
            }
            UserSubscriptionStatus::Active
            | UserSubscriptionStatus::PastDue
            | UserSubscriptionStatus::None
            | UserSubscriptionStatus::Cancelled => {}
        }
        let is_verified = now.has_verified_email();
        journal.record::<User>(unit, "USER_DELETION_STARTED", user);
        Deletion::of(session, Deleted::Account(user.clone())).begin(unit);
        Ok(User {
            status: UserStatus::Banned,
            email_verified: Some(is_verified),
            is_discoverable: None,
            deleting_since: Some(session.now()),
            ..now.clone()
        })
    });
    let hidden = changed.await;
    // The subscriptions of the user end.
    announce(session, || Event::Ended(user.clone()));
    match hidden {
        // Deleted before: a repeated call deletes what is left, if anything is.
        Ok(_) | Err(ChangeError::NotFound) => Ok(()),
        Err(error) => Err(error),
    }
}

/// The entities of the first page of a list, with their keys.
async fn some<E: Entity + Send + Sync>(
    session: &Session,
    list: &Listing<E>,
    at_most: usize,
) -> Result<Vec<(Key, E)>, TableError> {
    let page = session
        .tables
        .page(list, &PageAsk::first(at_most), &())
        .await?;
    Ok(page.rows.into_iter().filter_map(Row::keyed).collect())
}

/// As [`purge`], and once more when the indexes have everything that was written before the delete began.
async fn purge_twice(
    session: &Session,
    user: &UserId,
    left: &mut usize,
) -> Result<bool, ChangeError<Violations>> {
    if !purge(session, user, left).await? {
        return Ok(false);
    }
    if session.tables.by(&TABLE)?.index_lag().is_zero() {
        return Ok(true);
    }
    await_indexes(session).await?;
    purge(session, user, left).await
}

/// Deletes what belongs to the user, up to a bound. Whether all of it is deleted.
async fn purge(
    session: &Session,
    user: &UserId,
    left: &mut usize,
) -> Result<bool, ChangeError<Violations>> {
    for (_, startup) in some(session, &of_founder(user), *left).await? {
        match delete_startup(session, user, &startup.startup_id, None).await {
            // The index is behind.
            Ok(_) | Err(ChangeError::Refused(_)) => *left = left.saturating_sub(1),
            Err(error) => return Err(error),
        }
    }
    for (_, application) in some(session, &of_applicant(user), *left).await? {
        delete_application(session, &application).await?;
        *left = left.saturating_sub(1);
    }
    for (_, request) in some(session, &of_requester(user), *left).await? {
        delete_request(session, &request).await?;
        *left = left.saturating_sub(1);
    }
    for entry in some(session, &of_user(user), *left).await? {
        leave(session, user, &entry, left).await?;
    }
    for entry in some(session, &requests_of(user), *left).await? {
        leave(session, user, &entry, left).await?;
    }
    if *left == 0 || !purge_left(session, user, left).await? {
        return Ok(false);
    }
    clear::<Notification>(session, &notifications::of_user(user)).await?;
    clear::<Block>(session, &blocks::of_user(user)).await?;
    clear::<SavedRole>(session, &saved_roles::of_user(user)).await?;
    Ok(true)
}

/// A BatchGetItem, and one TransactWriteItems: the application, its entry and the role's count.
async fn delete_application(
    session: &Session,
    application: &Application,
) -> Result<(), ChangeError<Violations>> {
    let place = (application.startup_id, application.role_id);
    let role = session.tables.get::<Role>(&place).await?;
    let deleted = session.tables.delete(
        &application.application_id,
        None,
        |now: &Application, unit| {
            if now.status != ApplicationStatus::Withdrawn {
                unit.delete::<crate::applications::Entry>(&now.entry().identity(), now.is_latest());
                if role.is_some() {
                    unit.add::<Role>(&place, "applicantCount", -1, Condition::Exists);
                }
            }
            Ok(())
        },
    );
    match deleted.await {
        Ok(_) | Err(ChangeError::NotFound) => {}
        Err(error) => return Err(error),
    }
    if let Some(resume) = &application.resume_url {
        discard(session, resume).await;
    }
    Ok(())
}

/// A GetItem, and one TransactWriteItems: the request, and its grant unless a newer request has it.
async fn delete_request(
    session: &Session,
    request: &AccessRequest,
) -> Result<(), ChangeError<Violations>> {
    let place = request.grant().identity();
    let grant = session.tables.get::<Grant>(&place).await?;
    let is_own = grant.is_some_and(|grant| grant.access_id == request.access_id);
    let with = |_: &AccessRequest, unit: &mut TransactionBuilder<Violations>| {
        if is_own {
            unit.delete::<Grant>(&place, Condition::ALWAYS);
        }
        Ok(())
    };
    match session.tables.delete(&request.access_id, None, with).await {
        Ok(_) | Err(ChangeError::NotFound) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Ends what the user sends to a conversation, so that no message comes after those that are deleted. One UpdateItem.
async fn silence(
    session: &Session,
    (key, entry): &(Key, Participant),
) -> Result<(), ChangeError<Violations>> {
    let leaving = Participant {
        is_leaving: Some(true),
        ..entry.clone()
    };
    if entry.is_leaving == Some(true) {
        return Ok(());
    }
    let silenced = commit(session, |unit| {
        unit.update_at(key, entry, &leaving, Condition::Exists)
            .or(NOT_OWN.at("id"));
    });
    match silenced.await {
        // The entry is gone.
        Ok(()) | Err(ChangeError::Refused(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Deletes the user's messages of a conversation, and leaves it: an UpdateItem, a Query, and a GetItem and a
/// TransactWriteItems for each message.
async fn leave(
    session: &Session,
    user: &UserId,
    entry: &(Key, Participant),
    left: &mut usize,
) -> Result<(), ChangeError<Violations>> {
    if *left == 0 {
        return Ok(());
    }
    let conversation = entry.1.conversation_id;
    if entry.0 == Conversation::key_of(&conversation) {
        // Another program has written it: there is no item of the user to be silenced.
        adopt(session, &conversation).await?;
    } else {
        silence(session, entry).await?;
    }
    if !clear_messages(session, user, conversation, left).await? {
        return Ok(());
    }
    *left = left.saturating_sub(1);
    match leave_as(session, user, conversation).await {
        Ok(_) | Err(ChangeError::Refused(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// GetItems of the profile and the guard, and one TransactWriteItems: the profile, the subscription, the guard of the
/// address, the note of the delete and the audit entry.
async fn delete_profile(session: &Session, user: &UserId) -> Result<(), ChangeError<Violations>> {
    let journal = Journal::of(session);
    let profile = session.tables.get::<User>(user).await?;
    let guard = match &profile {
        Some(profile) => session.tables.get::<EmailGuard>(&profile.email).await?,
        None => None,
    };
    // Somebody else may have verified the address, of a user whom another program has written.
    let is_own = guard.is_none_or(|guard| guard.user_id == *user);
    let with = |now: &User, unit: &mut TransactionBuilder<Violations>| {
        if is_own {
            release(unit, now);
        }
        unit.delete::<Subscription>(user, Condition::ALWAYS);
        journal.record::<User>(unit, "USER_DELETED", user);
        let deleted = Deleted::Account(user.clone());
        unit.delete::<Deletion>(&deleted, Condition::ALWAYS);
        Ok(())
    };
    match session.tables.delete::<User, _>(user, None, with).await {
        Ok(deleted) => {
            if let Some(avatar) = &deleted.entity.avatar_url {
                discard(session, avatar).await;
            }
            Ok(())
        }
        Err(ChangeError::NotFound) => Ok(()),
        Err(error) => Err(error),
    }
}

own_payloads! {
    DeleteAccountPayload
}

mutations! {
    /// Mutations that delete an account.
    AccountMutation {
        /// Deletes the viewer's account: the profile, startups with their roles, applications, access requests, notifications
        /// and files, and what the viewer's messages say, also in conversations that the viewer has left. The viewer is out of
        /// sight at once, and has the status DELETED. Repeat the mutation until `isComplete`. The audit log and reports stay.
        delete_account(DeleteAccountInput) -> DeleteAccountPayload = delete,
    }
}
