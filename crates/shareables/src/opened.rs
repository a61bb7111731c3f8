//! What opening a shareable answers, in whichever way it was opened.

use std::time::Duration;

use super::invitation::NewInvitation;
use super::passcode::MadePasscodes;
use super::request_context::{Issued, RequestContext, Voter};
use super::shareable::Shareable;
use super::token::{Claims, Grant, ShareableRole};
use trestle_api::{ApiError, Code, CountedUse, Failed};

/// A shareable, and a token that opens it.
pub struct Opened {
    pub shareable: Shareable,
    pub claims: Claims,
    pub token: String,
    /// The token by which a device that stays signed in opens it again.
    pub refresh: Option<RefreshToken>,
    /// Passcodes that the server made for it just now.
    pub made: MadePasscodes,
    /// Invitations that were made with it.
    pub invitations: Vec<NewInvitation>,
}

/// A refresh token.
#[derive(Clone)]
pub struct RefreshToken {
    pub token: String,
    /// Until when it is good, in seconds after 1970.
    pub expires_at: i64,
}

/// Who the bearer of a token is.
pub fn voter_of(claims: Claims) -> Voter {
    Voter {
        id: claims.voter_id,
        name: claims.voter_name,
    }
}

/// That an address has had as many as it may.
pub fn too_many<T>(what: &str, wait: Duration) -> Result<T, Failed> {
    let message = format!("Too many {what}. Try again later.");
    Err(ApiError::new(Code::RateLimited, message)
        .retry_after(wait)
        .into())
}

/// Counts an attempt of the request's address, as a wrong one: before it is checked, so that those at once are counted,
/// too. What was right is given back, and what is dropped before it was checked.
///
/// # Errors
/// RATE_LIMITED if there were too many.
pub fn take_place(context: RequestContext<'_>) -> Result<CountedUse, Failed> {
    let (network, now) = (context.presented.network(), context.session.now());
    match context.shared.opens.take(network, now) {
        Ok(taken) => taken.keep(),
        Err(wait) => return too_many("passcodes came from your address", wait),
    }
    let taken = context.shared.guesses.take(network, now);
    taken.or_else(|wait| too_many("wrong passcodes came from your address", wait))
}

impl RequestContext<'_> {
    /// A shareable with a token that opens it, from now on.
    pub fn opened(
        &self,
        shareable: Shareable,
        role: ShareableRole,
        grant: Option<Grant>,
        voter: Voter,
    ) -> Result<Opened, Failed> {
        let claims = self.claims_on(&shareable, role, grant, voter);
        self.issued(shareable, claims)
    }

    /// A shareable with a token that says this.
    pub fn issued(&self, shareable: Shareable, claims: Claims) -> Result<Opened, Failed> {
        let token = self.shared.secret.sign(&claims);
        self.session.forget::<Issued>();
        self.session.give(Issued(claims.clone()));
        Ok(Opened {
            token: token.map_err(ApiError::internal)?,
            shareable,
            claims,
            refresh: None,
            made: MadePasscodes::default(),
            invitations: Vec::new(),
        })
    }
}
