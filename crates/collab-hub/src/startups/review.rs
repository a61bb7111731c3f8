//! The status of startups: founders submit them, admins review them.

use async_graphql::{ID, InputObject};

use crate::journal::{Journal, Note};
use crate::member::acting;
use crate::notifications::NotificationType;
use crate::refusals::cannot_follow;
use crate::users::{UserRole, notified_admins};
use trestle_api::mutations;
use trestle_api::{Input, MutationResult, Node as _, Session, Version};
use trestle_domain::{Check, Text};

use super::{Mover, NO_STARTUP, Startup, StartupStatus};

#[derive(InputObject, Clone)]
pub struct SetStartupStatusInput {
    /// The startup's id.
    id: ID,
    /// Change the startup only if it still has this version.
    expected_version: Option<Version>,
    /// The new status.
    status: StartupStatus,
    /// The reason, which the founder reads, at most 1000 characters. For admins.
    reason: Option<Input<Text<1, 1000>>>,
}

/// GetItems of the viewer and the startup, and one TransactWriteItems: the startup, the audit entry, and the founder's
/// notification if an admin makes the change. If the founder submits the startup, a Query of the admins and one
/// TransactWriteItems notify them.
async fn set_status(session: &Session, input: SetStartupStatusInput) -> MutationResult<Startup> {
    let member = acting(session).await?;
    let id = Startup::named(&input.id, session).map_err(|rule| rule.at("id"))?;
    let mut check = Check::default();
    let reason = check.may("reason", input.reason.clone());
    check.finish(|| Some(()))?;
    let journal = Journal::of(session);
    let expected = input.expected_version.map(u32::from);
    let may = |now: &Startup| now.founder_id == member.id || member.role == UserRole::Admin;
    let changed = journal.change(&id, expected, may, |now: &Startup, unit| {
        let mover = match (now.founder_id == member.id, member.role) {
            (true, _) => Mover::Founder,
            (false, UserRole::Admin) => Mover::Admin,
            (false, UserRole::Founder | UserRole::Talent | UserRole::Investor) => {
                return Err(NO_STARTUP.at("id"));
            }
        };
        let is_admin = mover == Mover::Admin;
        if now.status == input.status {
            // An admin who activates an active startup has seen its changes.
            let has_seen = is_admin && now.status == StartupStatus::Active;
            let mut next = now.clone();
            if has_seen && now.changed_since_review == Some(true) {
                next.changed_since_review = None;
                journal.record::<Startup>(unit, "STARTUP_CHANGES_SEEN", now.startup_id);
            }
            return Ok((next, None));
        }
        if !now.status.may_become(input.status, mover) {
            let next = StartupStatus::ALL.iter();
            let next = next.filter(|next| now.status.may_become(**next, mover));
            return Err(cannot_follow(
                now.status.word(),
                next.map(|next| next.word()),
                "only an admin can activate it again, and `statusReason` says why",
            ));
        }
        let details = [
            ("from", now.status.word()),
            ("to", input.status.word()),
            ("reason", reason.as_ref().map_or("", Text::as_str)),
        ];
        let action = "STARTUP_STATUS_CHANGED";
        journal.record_with::<Startup>(unit, action, now.startup_id, &details);
        let mut notified = None;
        if mover == Mover::Admin {
            let status = input.status.word();
            let body = match &reason {
                Some(reason) => format!("The status of {} is now {status}: {reason}", now.name),
                None => format!("The status of {} is now {status}.", now.name),
            };
            let kind = NotificationType::System;
            let note = Note::new(&now.founder_id, kind, "Startup reviewed", &body);
            let note = note.of_startup(now.startup_id);
            notified = journal.notify::<Startup>(unit, now.startup_id, note);
        }
        let next = Startup {
            status: input.status,
            status_reason: reason.clone().filter(|_| is_admin),
            // Who activates it without naming the version may not have seen what was changed meanwhile.
            changed_since_review: now.changed_since_review.filter(|_| {
                is_admin && input.status == StartupStatus::Active && expected.is_none()
            }),
            ..now.clone()
        };
        Ok((next, notified))
    });
    let changed = changed.await;
    let changed = changed.map_err(|error| error.if_missing(NO_STARTUP.at("id")))?;
    if changed.is_written && changed.entity.status == StartupStatus::PendingReview {
        tell_admins(session, &changed.entity, "Startup submitted for review").await;
    }
    Ok(changed)
}

/// Notifies the admins of a startup: a Query, and one TransactWriteItems. A failure is logged: `startupsByStatus` lists
/// what waits.
pub async fn tell_admins(session: &Session, startup: &Startup, title: &str) {
    let admins = match notified_admins(session).await {
        Ok(admins) => admins,
        Err(error) => {
            tracing::error!(%error, startup = %startup.startup_id, "Admins were not notified");
            return;
        }
    };
    let body = format!("{}: {}", startup.name, startup.tagline);
    let note = Note::new(&startup.founder_id, NotificationType::System, title, &body);
    let note = note.of_startup(startup.startup_id);
    let journal = Journal::of(session);
    journal
        .notify_apart::<Startup>(startup.startup_id, &admins, note)
        .await;
}

mutations! {
    /// Mutations of a startup's status.
    ReviewMutation -> startup: Startup {
        /// Changes the status of a startup. Its founder submits it for review or takes it back to DRAFT; admins
        /// activate and suspend startups.
        set_startup_status(SetStartupStatusInput) -> SetStartupStatusPayload = set_status,
    }
}
