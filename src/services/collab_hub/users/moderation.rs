//! Moderation of users, by admins.

use async_graphql::{ID, InputObject};

use crate::api::{Node as _, Session, Version, Written};
use crate::domain::{Rule, Violations};
use crate::mutations;
use crate::services::collab_hub::journal::Journal;
use crate::services::collab_hub::member::acting_admin;
use crate::table::{Entity as _, Unit};

use super::{User, UserRole, UserStatus};

/// Input of `setUserStatus`.
#[derive(InputObject, Clone)]
pub struct SetUserStatusInput {
    /// The user's id.
    id: ID,
    /// Change the user only if they still have this version.
    expected_version: Option<Version>,
    /// The new status.
    status: UserStatus,
}

/// Input of `setUserRole`.
#[derive(InputObject, Clone)]
pub struct SetUserRoleInput {
    /// The user's id.
    id: ID,
    /// Change the user only if they still have this version.
    expected_version: Option<Version>,
    /// The new role.
    role: UserRole,
}

/// GetItems of the viewer and the user, and one TransactWriteItems: the user and the audit entry.
async fn set_status(session: &Session, input: SetUserStatusInput) -> Written<User> {
    let asked = (&input.id, input.expected_version.map(u32::from));
    moderate(session, asked, "USER_STATUS_CHANGED", |now| {
        if now.status != input.status && !now.status.may_become(input.status) {
            return Err(Rule::Conflict("cannot follow the current status").at("status"));
        }
        Ok(User {
            status: input.status,
            ..now.clone()
        })
    })
    .await
}

/// As [`set_status`].
async fn set_role(session: &Session, input: SetUserRoleInput) -> Written<User> {
    let asked = (&input.id, input.expected_version.map(u32::from));
    moderate(session, asked, "USER_ROLE_CHANGED", |now| {
        Ok(User {
            role: input.role,
            ..now.clone()
        })
    })
    .await
}

async fn moderate(
    session: &Session,
    (id, expected): (&ID, Option<u32>),
    action: &'static str,
    change: impl Fn(&User) -> Result<User, Violations>,
) -> Written<User> {
    let admin = acting_admin(session).await?;
    let id = User::named(id, session).map_err(|rule| rule.at("id"))?;
    if id == admin.id {
        return Err(Rule::Conflict("names yourself").at("id").into());
    }
    let journal = Journal::of(session);
    let plan = |now: &User, unit: &mut Unit<Violations>| {
        let next = change(now)?;
        if next != *now {
            journal.record::<User>(unit, action, &now.identity());
        }
        Ok(next)
    };
    journal
        .commit(session.tables.change(&id, expected, plan))
        .await
}

mutations! {
    /// Mutations of other users.
    ModerationMutation -> user: User {
        /// Changes the status of a user. For admins.
        set_user_status(SetUserStatusInput) -> SetUserStatusPayload = set_status,
        /// Changes the role of a user. For admins.
        set_user_role(SetUserRoleInput) -> SetUserRolePayload = set_role,
    }
}
