//! What the admin sees of those who guess.

use async_graphql::SimpleObject;
use futures_util::future::try_join_all;

use super::budget::OWN_OF_ALL;
use super::guesses::{Group, Guesses};
use super::request_context::RequestContext;
use super::shareable::Shareable;
use super::token::ShareableRole;
use trestle_api::ApiError;
use trestle_domain::Moment;

/// Wrong passcodes of the last 24 hours, of those who have not opened the shareable by its present passcodes.
#[derive(SimpleObject)]
pub struct WrongPasscodes {
    /// Number of wrong passcodes that were compared with the view passcode. One that was given without a `role` counts for
    /// both.
    view_count: u32,
    /// Number of wrong passcodes that were compared with the admin passcode.
    admin_count: u32,
    /// When the last one was given. `null` if there was none.
    last_at: Option<Moment>,
    /// Roles whose passcode opens nothing to somebody new at the moment, because too many wrong ones were given. A passcode
    /// that the server made always opens: `makePasscodes` of `changePasscodes` makes a new one.
    paused_roles: Vec<ShareableRole>,
}

/// The wrong passcodes that were given for a shareable, for those with the admin passcode. Three GetItem, sent together.
pub async fn given(
    context: RequestContext<'_>,
    shareable: &Shareable,
) -> Result<Option<WrongPasscodes>, ApiError> {
    let short_id = &shareable.short_id;
    if context.seen_claims(short_id)?.role != ShareableRole::Admin {
        return Ok(None);
    }
    let groups = [Group::Former, Group::Newcomers].map(|group| group.of(short_id));
    let ids = [(short_id.clone(), None)].into_iter().chain(groups);
    let ids: Vec<_> = ids.collect();
    let tables = context.tables();
    let found = try_join_all(ids.iter().map(|id| tables.get::<Guesses>(id))).await?;
    let now = context.session.now();
    let mut wrong = WrongPasscodes {
        view_count: 0,
        admin_count: 0,
        last_at: None,
        paused_roles: Vec::new(),
    };
    for role in [ShareableRole::View, ShareableRole::Admin] {
        let budgets = found.iter().flatten().map(|guesses| guesses.budget(role));
        let given: Vec<Moment> = budgets.flat_map(|budget| budget.of_a_day(now)).collect();
        let count = u32::try_from(given.len()).unwrap_or(u32::MAX);
        match role {
            ShareableRole::View => wrong.view_count = count,
            ShareableRole::Admin => wrong.admin_count = count,
        }
        wrong.last_at = wrong.last_at.max(given.into_iter().max());
        let [strangers, _, newcomers] = found.as_slice() else {
            continue;
        };
        let pause = strangers.as_ref().and_then(|all| all.pause(role, now));
        let is_open = newcomers
            .as_ref()
            .is_none_or(|all| all.budget(role).has_room(now, OWN_OF_ALL));
        if pause.is_some() && !is_open && !shareable.is_made(shareable.hash_of(role)) {
            wrong.paused_roles.push(role);
        }
    }
    Ok(Some(wrong))
}
