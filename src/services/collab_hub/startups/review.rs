//! The status of startups: founders submit them, admins review them.

use async_graphql::{ID, InputObject};

use crate::api::{Node as _, Session, Version, Written};
use crate::domain::{Rule, Violations};
use crate::mutations;
use crate::services::collab_hub::journal::{Journal, Note};
use crate::services::collab_hub::member::acting;
use crate::services::collab_hub::notifications::NotificationType;
use crate::services::collab_hub::users::UserRole;
use crate::table::Unit;

use super::graphql::NO_STARTUP;
use super::{Mover, Startup, StartupStatus};

/// Input of `setStartupStatus`.
#[derive(InputObject, Clone)]
pub struct SetStartupStatusInput {
    /// The startup's id.
    id: ID,
    /// Change the startup only if it still has this version.
    expected_version: Option<Version>,
    /// The new status.
    status: StartupStatus,
}

/// GetItems of the viewer and the startup, and one TransactWriteItems: the startup, the audit entry, and the founder's
/// notification if an admin makes the change.
async fn set_status(session: &Session, input: SetStartupStatusInput) -> Written<Startup> {
    let member = acting(session).await?;
    let id = Startup::named(&input.id, session).map_err(|rule| rule.at("id"))?;
    let journal = Journal::of(session);
    let plan = |now: &Startup, unit: &mut Unit<Violations>| {
        let mover = match (now.founder_id == member.id, member.role) {
            (true, _) => Mover::Founder,
            (false, UserRole::Admin) => Mover::Admin,
            (false, UserRole::Founder | UserRole::Talent | UserRole::Investor) => {
                return Err(NO_STARTUP.at("id"));
            }
        };
        if now.status == input.status {
            return Ok(now.clone());
        }
        if !now.status.may_become(input.status, mover) {
            return Err(Rule::Conflict("cannot follow the current status").at("status"));
        }
        journal.record::<Startup>(unit, "STARTUP_STATUS_CHANGED", now.startup_id);
        if mover == Mover::Admin {
            let body = format!("The status of {} is now {}.", now.name, input.status.word());
            let note = Note {
                to: &now.founder_id,
                kind: NotificationType::System,
                title: "Startup reviewed",
                body: &body,
            };
            journal.notify::<Startup>(unit, now.startup_id, note);
        }
        Ok(Startup {
            status: input.status,
            ..now.clone()
        })
    };
    let expected = input.expected_version.map(u32::from);
    let may = |now: &Startup| now.founder_id == member.id || member.role == UserRole::Admin;
    let changed = journal.change((&id, expected), may, plan).await;
    changed.map_err(|error| error.if_missing(NO_STARTUP.at("id")))
}

mutations! {
    /// Mutations of a startup's status.
    ReviewMutation -> startup: Startup {
        /// Changes the status of a startup. Its founder submits it for review or takes it back to DRAFT; admins
        /// activate and suspend startups.
        set_startup_status(SetStartupStatusInput) -> SetStartupStatusPayload = set_status,
    }
}
