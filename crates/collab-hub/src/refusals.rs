//! Refusals that say what is, and what to do.

use trestle_api::ApiError;
use trestle_domain::{Rule, Violations};
use trestle_table::{ChangeError, TableError};

use super::users::{User, UserStatus};

/// The refusal of a status, with those that can follow the present one; if none can, whether that is final, and what can be done.
pub fn cannot_follow(
    now: &'static str,
    next: impl Iterator<Item = &'static str>,
    instead: &'static str,
) -> Violations {
    let next = next.collect();
    Rule::CannotFollow { now, next, instead }.at("status")
}

/// Why a viewer may not act, and the next step.
pub fn of_inactive(viewer: Option<&User>) -> &'static str {
    match viewer.map(User::shown_status) {
        None => "The viewer is not registered: call `registerUser` first",
        Some(UserStatus::PendingVerification) => {
            "The viewer's status is PENDING_VERIFICATION: call `verifyEmail` with credentials that contain the verified \
             address, or ask an admin"
        }
        Some(UserStatus::Banned) => {
            "The viewer's status is BANNED: `viewer { user { statusReason } }` says why, and an admin can lift it"
        }
        Some(UserStatus::Deleted) => {
            "The viewer's status is DELETED: repeat `deleteAccount` until it is complete"
        }
        Some(UserStatus::Active) => "The viewer's status has just changed: repeat the request",
    }
}

/// The error of a change that could not read what decides about it.
pub fn unavailable(error: ApiError) -> ChangeError<Violations> {
    let message = format!("visibility could not be checked: {:?}", error.code());
    ChangeError::Table(TableError::Unavailable {
        operation: "BatchGetItem",
        source: message.into(),
    })
}
