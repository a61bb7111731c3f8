//! Why a subscription that ran does not go on, and why one does not begin.

use std::time::Duration;

use async_graphql::ServerError;

use crate::authenticate::Unauthenticated;
use crate::errors::{coded, passing};
use trestle_api::Code;

/// When to come back after the server has stopped: another one may be there at once.
const COME_BACK: Duration = Duration::from_secs(1);

/// The server stops.
pub(super) fn stopping() -> ServerError {
    let message = "The server stops. Read anew what is shown, and subscribe again.";
    passing(Code::ServiceUnavailable, message, COME_BACK)
}

/// Others want a subscription, and this client has more than its share.
pub(super) fn withdrawn() -> ServerError {
    let message = "Others want to subscribe, and you have more subscriptions than your share.";
    passing(Code::ServiceUnavailable, message, COME_BACK)
}

/// The credentials are no longer valid, or stand for someone else now.
pub(super) fn unauthenticated() -> ServerError {
    coded(Code::Unauthenticated, Unauthenticated::MESSAGE, None)
}

/// The connection has as many operations as it may have.
pub(super) fn too_many(most: u32) -> ServerError {
    let message = format!(
        "This connection has {most} operations already: complete one, or open another connection."
    );
    coded(Code::RateLimited, message, None)
}
