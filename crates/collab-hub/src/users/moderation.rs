//! Moderation of users, by admins.

use async_graphql::{ID, InputObject};

use crate::events::{Event, announce};
use crate::journal::{Journal, Note};
use crate::member::acting_admin;
use crate::notifications::NotificationType;
use crate::refusals::cannot_follow;
use trestle_api::{Input, MutationResult, Node as _, Session, Version};
use trestle_api::{mutations, naming_inputs};
use trestle_domain::{Check, Rule, Text, Violations};
use trestle_table::{Entity as _, TransactionBuilder};

use super::address::release;
use super::{User, UserRole, UserStatus};

#[derive(InputObject, Clone)]
pub struct SetUserStatusInput {
    /// The user's id.
    id: ID,
    /// Change the user only if they still have this version.
    expected_version: Option<Version>,
    /// The new status.
    status: UserStatus,
    /// The reason, which the user reads, at most 1000 characters.
    reason: Option<Input<Text<1, 1000>>>,
}

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
async fn set_status(session: &Session, input: SetUserStatusInput) -> MutationResult<User> {
    let mut check = Check::default();
    let reason = check.if_given("reason", input.reason.clone());
    let is_set = input.status != UserStatus::Deleted;
    check.that(
        is_set,
        "status",
        Rule::Invalid("ACTIVE, BANNED or PENDING_VERIFICATION"),
    );
    check.finish(|| Some(()))?;
    let said = reason.as_ref().map_or("", Text::as_str);
    let details = [("to", input.status.word()), ("reason", said)];
    let (expected, action) = (input.expected_version, "USER_STATUS_CHANGED");
    moderate_with(session, &input.id, expected, action, &details, |now, _| {
        if now.deleting_since.is_some() {
            return Err(Rule::Conflict(
                "names a user who is deleting the account: there is nothing to decide any more",
            )
            .at("id"));
        }
        if now.status != input.status && !now.status.may_become(input.status) {
            let next = UserStatus::ALL.iter();
            let next = next.filter(|next| now.status.may_become(**next));
            return Err(cannot_follow(
                now.status.word(),
                next.map(|next| next.word()),
                "it is final, but the user can register again",
            ));
        }
        // Neither an admin's activation nor a ban says anything about the address.
        let is_verified = now.has_verified_email();
        let is_said_by_status = is_verified == (input.status != UserStatus::PendingVerification);
        Ok(User {
            status: input.status,
            email_verified: (!is_said_by_status).then_some(is_verified),
            status_reason: if now.status == input.status && reason.is_none() {
                now.status_reason.clone()
            } else {
                reason.clone()
            },
            ..now.clone()
        })
    })
    .await
}

#[derive(InputObject, Clone)]
pub struct ApproveInvestorInput {
    /// The user's id.
    id: ID,
    /// Change the user only if they still have this version.
    expected_version: Option<Version>,
    /// Whether the investor is approved.
    approved: bool,
}

/// As [`set_status`], and one TransactWriteItems that notifies the investor.
async fn approve(session: &Session, input: ApproveInvestorInput) -> MutationResult<User> {
    let (expected, action) = (input.expected_version, "INVESTOR_APPROVED");
    let changed = moderate(session, &input.id, expected, action, |now| {
        if now.role != UserRole::Investor {
            return Err(Rule::Conflict(
                "names a user with another role than INVESTOR: call `setUserRole` first",
            )
            .at("id"));
        }
        Ok(User {
            investor_approved: Some(input.approved),
            ..now.clone()
        })
    })
    .await?;
    if changed.is_written {
        let user = &changed.entity.user_id;
        let body = if input.approved {
            "An admin has approved you as an investor."
        } else {
            "Your approval as an investor was taken back."
        };
        let note = Note::new(user, NotificationType::System, "Investor approval", body);
        let users = std::slice::from_ref(user);
        let journal = Journal::of(session);
        journal.notify_apart::<User>(user, users, note).await;
    }
    Ok(changed)
}

naming_inputs! {
    ReleaseEmailInput
}

/// As [`set_status`], and the guard of the address.
async fn release_email(session: &Session, input: ReleaseEmailInput) -> MutationResult<User> {
    let (expected, action) = (input.expected_version, "USER_EMAIL_RELEASED");
    moderate_with(session, &input.id, expected, action, &[], |now, unit| {
        if !now.has_verified_email() {
            return Ok(now.clone());
        }
        release(unit, now);
        let is_active = now.status == UserStatus::Active;
        Ok(User {
            status: if is_active {
                UserStatus::PendingVerification
            } else {
                now.status
            },
            email_verified: (!is_active).then_some(false),
            ..now.clone()
        })
    })
    .await
}

/// As [`set_status`].
async fn set_role(session: &Session, input: SetUserRoleInput) -> MutationResult<User> {
    let (expected, action) = (input.expected_version, "USER_ROLE_CHANGED");
    moderate(session, &input.id, expected, action, |now| {
        Ok(User {
            role: input.role,
            ..now.clone()
        })
    })
    .await
}

async fn moderate(
    session: &Session,
    id: &ID,
    expected: Option<Version>,
    action: &'static str,
    change: impl Fn(&User) -> Result<User, Violations>,
) -> MutationResult<User> {
    moderate_with(session, id, expected, action, &[], |now, _| change(now)).await
}

async fn moderate_with(
    session: &Session,
    id: &ID,
    expected: Option<Version>,
    action: &'static str,
    details: &[(&'static str, &str)],
    change: impl Fn(&User, &mut TransactionBuilder<Violations>) -> Result<User, Violations>,
) -> MutationResult<User> {
    let admin = acting_admin(session).await?;
    let id = User::named(id, session).map_err(|rule| rule.at("id"))?;
    if id == admin.id {
        return Err(Rule::Conflict("names yourself: another admin has to do it")
            .at("id")
            .into());
    }
    let journal = Journal::of(session);
    let expected = expected.map(u32::from);
    let changed = session.tables.change(&id, expected, |now: &User, unit| {
        let next = change(now, unit)?;
        if next != *now {
            journal.record_with::<User>(unit, action, &now.identity(), details);
        }
        Ok(next)
    });
    let changed = changed.await?;
    if changed.is_written && changed.entity.status != UserStatus::Active {
        // The user's subscriptions end.
        announce(session, || Event::Ended(id));
    }
    Ok(changed)
}

mutations! {
    /// Mutations of other users.
    ModerationMutation -> user: User {
        /// Changes the status of a user. For admins. The startups of a banned user and their roles are hidden from
        /// everyone but admins until the user is active again.
        set_user_status(SetUserStatusInput) -> SetUserStatusPayload = set_status,
        /// Changes the role of a user. For admins.
        set_user_role(SetUserRoleInput) -> SetUserRolePayload = set_role,
        /// Approves an investor, or takes the approval back. For admins. With `--collab-hub-approve-investors`, only
        /// approved investors see startups with the visibility INVESTORS_ONLY.
        approve_investor(ApproveInvestorInput) -> ApproveInvestorPayload = approve,
        /// Takes a verified email address from a user, who has to verify one again. For admins.
        release_email(ReleaseEmailInput) -> ReleaseEmailPayload = release_email,
    }
}
