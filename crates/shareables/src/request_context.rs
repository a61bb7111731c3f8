//! What the resolvers of one request work with: the tables, what the service shares, and what the request's token
//! opens.

use std::sync::Arc;

use async_graphql::Context;
use chrono::{DateTime, Utc};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::live::{Event, EventKind};
use super::part::{Part, parts};
use super::passcode::Hasher;
use super::pool::Refill;
use super::shareable::Shareable;
use super::short_id::ShortId;
use super::token::{Claims, Grant, LIFETIME, Secret, ShareableKind, ShareableRole, Ticket};
use trestle_api::{
    AddressLimit, ApiError, Code, EventBus, Failed, FromRequest, PresentedCredentials, Session,
    request_data, session,
};
use trestle_domain::{Rule, Violations};
use trestle_table::{ChangeError, Changed, MalformedItem, Tables};

/// What all requests share.
pub struct ServiceState {
    pub hasher: Hasher,
    pub secret: Secret,
    /// Wrong passcodes by address.
    pub guesses: AddressLimit,
    /// Wrong personal links by address.
    pub links: AddressLimit,
    /// Passcodes that were checked by address.
    pub opens: AddressLimit,
    pub creates: AddressLimit,
    pub refill: Refill,
    pub live: EventBus<Event>,
}

impl ServiceState {
    /// Whether claims open a shareable at `now`.
    pub fn opens(&self, claims: &Claims, shareable: &Shareable, now: DateTime<Utc>) -> bool {
        let seal = self.seal(shareable, claims.role, claims.grant);
        seal == claims.seal && shareable.is_open_to(claims.role, now)
    }

    /// The seal of a token. It changes with what the token depends on: the passcode of its role, and for a grant what
    /// the admin has taken back so far. So a grant that is taken back ends the tokens of all grants; those of the others
    /// are issued again without a passcode.
    fn seal(&self, shareable: &Shareable, role: ShareableRole, grant: Option<Grant>) -> String {
        let hash = shareable.hash_of(role);
        let taken_back = shareable.revocations.to_be_bytes();
        match grant {
            None => self.secret.seal(hash),
            Some(Grant::Device(_)) => {
                let both = [b"device", hash.as_bytes(), &taken_back].concat();
                self.secret.seal_of(&both)
            }
            Some(Grant::Invitation(_)) => {
                let short_id = shareable.short_id.to_string();
                let both = [b"invitation", short_id.as_bytes(), &taken_back].concat();
                self.secret.seal_of(&both)
            }
        }
    }
}

/// What one request works with.
#[derive(Clone, Copy)]
pub struct RequestContext<'c> {
    pub session: &'c Session,
    pub shared: &'c ServiceState,
    pub presented: &'c PresentedCredentials,
}

/// Why a change of a shareable is refused.
#[derive(Debug)]
pub enum Refused {
    /// The token no longer opens it: its passcode has changed.
    Unopened,
    /// What was read before the change is no longer so: it is read again.
    Stale,
    /// The input breaks rules.
    Rules(Violations),
}

impl From<Violations> for Refused {
    fn from(violations: Violations) -> Self {
        Refused::Rules(violations)
    }
}

/// That a request has no token that opens anything.
pub fn unopened() -> ApiError {
    let message = "Open the shareable with `openShareable`, and send its token as `Authorization: Bearer ...` or in \
                   `connectionParams`.";
    ApiError::new(Code::Unauthenticated, message)
}

/// That a token opens too little.
pub fn needs_admin() -> ApiError {
    ApiError::new(Code::Forbidden, "This needs the admin passcode.")
}

/// That a thing is not one of the shareable that the token opens; whether it exists stays unsaid.
pub const NOT_THERE: Rule = Rule::NotFound("names nothing in the shareable that the token opens");
/// That an expired shareable can no longer be changed.
pub const EXPIRED: Rule = Rule::Conflict(
    "belongs to a shareable that has expired: its admin can extend it by `extendShareable`",
);

/// The result of a mutation.
pub type Made<T> = Result<Changed<T>, Failed>;

/// Why a mutation failed whose change did.
pub fn failed(error: ChangeError<Refused>) -> Failed {
    Failed::Write(match error {
        ChangeError::Refused(Refused::Unopened) => return unopened().into(),
        ChangeError::Refused(Refused::Rules(rules)) => rules.into(),
        ChangeError::Refused(Refused::Stale) => ChangeError::Contended,
        ChangeError::NotFound => NOT_THERE.at("shortId").into(),
        ChangeError::Conflict { current } => ChangeError::Conflict { current },
        ChangeError::LastVersion => ChangeError::LastVersion,
        ChangeError::Taken => ChangeError::Taken,
        ChangeError::Contended => ChangeError::Contended,
        ChangeError::Table(error) => ChangeError::Table(error),
    })
}

/// The refusal of an input that breaks a rule.
pub fn refused<T>(rule: Rule, field: &'static str) -> Result<T, Failed> {
    Err(rule.at(field).into())
}

impl<'c> FromRequest<'c> for RequestContext<'c> {
    fn from_request(ctx: &Context<'c>) -> Result<Self, ApiError> {
        RequestContext::of(ctx)
    }
}

impl<'c> RequestContext<'c> {
    /// The request's context.
    ///
    /// # Errors
    /// INTERNAL_SERVER_ERROR if the server did not pass on what was presented, which is a bug.
    pub fn of(ctx: &Context<'c>) -> Result<Self, ApiError> {
        Ok(Self {
            session: session(ctx)?,
            shared: request_data::<Arc<ServiceState>>(ctx)?,
            presented: request_data(ctx)?,
        })
    }

    pub fn tables(&self) -> &'c Tables {
        &self.session.tables
    }

    pub fn now(&self) -> DateTime<Utc> {
        self.session.tables.now()
    }

    /// What the request's token says.
    ///
    /// # Errors
    /// UNAUTHENTICATED without a valid token.
    pub fn claims(&self) -> Result<Claims, ApiError> {
        let bearer = self.presented.bearer.as_ref();
        let claims = bearer.and_then(|bearer| self.shared.secret.read(bearer.as_str(), self.now()));
        claims.ok_or_else(unopened)
    }

    /// What the token says by which fields of a shareable are resolved: the one that this request has issued for it, else
    /// the request's, else that by which a stream was opened. Whether a ticket was good when the stream began is checked
    /// by [`RequestContext::watching_claims`].
    ///
    /// # Errors
    /// UNAUTHENTICATED without a valid token.
    pub fn seen_claims(&self, short_id: &ShortId) -> Result<Claims, ApiError> {
        let issued = self.session.given::<Issued>();
        if let Some(issued) = issued.filter(|issued| issued.0.short_id == *short_id) {
            return Ok(issued.0.clone());
        }
        match self.ticket() {
            Some(ticket) => Ok(ticket.claims),
            None => self.claims(),
        }
    }

    /// What the request's token or ticket says, for streams.
    ///
    /// # Errors
    /// UNAUTHENTICATED without a valid one.
    pub fn watching_claims(&self) -> Result<Claims, ApiError> {
        let now = self.now().timestamp();
        match self.ticket() {
            Some(ticket) if now < ticket.expires && now < ticket.claims.expires => {
                Ok(ticket.claims)
            }
            Some(_) => Err(unopened()),
            None => self.claims(),
        }
    }

    /// The request's ticket. It says nothing beside a token.
    fn ticket(&self) -> Option<Ticket> {
        let ticket = self.presented.ticket.as_ref()?;
        if self.presented.bearer.is_some() {
            return None;
        }
        self.shared.secret.read_ticket(ticket.as_str())
    }

    /// As [`RequestContext::claims`], for what needs the admin passcode.
    ///
    /// # Errors
    /// FORBIDDEN with the token of a view passcode.
    pub fn admin_claims(&self) -> Result<Claims, ApiError> {
        let claims = self.claims()?;
        match claims.role {
            ShareableRole::Admin => Ok(claims),
            ShareableRole::View => Err(needs_admin()),
        }
    }

    /// As [`RequestContext::admin_claims`], of the shareable with this short id, and of a kind if one is needed.
    ///
    /// # Errors
    /// As [`RequestContext::admin_claims`]; the token is of something else.
    pub fn admin_claims_on(
        &self,
        short_id: &ShortId,
        kind: Option<ShareableKind>,
    ) -> Result<Claims, Failed> {
        let claims = self.admin_claims()?;
        let is_kind = kind.is_none_or(|kind| claims.kind == kind);
        if is_kind && claims.short_id == *short_id {
            Ok(claims)
        } else {
            refused(NOT_THERE, "shortId")
        }
    }

    /// Whether claims still open a shareable: its passcode is the same, and it has not expired.
    pub fn opens(&self, claims: &Claims, shareable: &Shareable) -> bool {
        self.shared.opens(claims, shareable, self.now())
    }

    /// The shareable that claims open; `None` if it is gone. One GetItem.
    ///
    /// # Errors
    /// UNAUTHENTICATED if its passcode has changed.
    pub async fn shareable(&self, claims: &Claims) -> Result<Option<Shareable>, ApiError> {
        let found = self.tables().get::<Shareable>(&claims.short_id).await?;
        match found {
            Some(shareable) if !self.opens(claims, &shareable) => Err(unopened()),
            found => Ok(found),
        }
    }

    /// As [`RequestContext::shareable`], for changes of what it consists of: `None` too if it has expired.
    pub async fn current(&self, claims: &Claims) -> Result<Option<Shareable>, ApiError> {
        let found = self.shareable(claims).await?;
        Ok(found.filter(|shareable| !shareable.is_expired(self.now())))
    }

    /// Refuses a change of a shareable that claims do not open, or that has expired.
    pub fn admit(&self, claims: &Claims, shareable: &Shareable) -> Result<(), Refused> {
        if !self.opens(claims, shareable) {
            return Err(Refused::Unopened);
        }
        if shareable.is_expired(self.now()) {
            Err(Refused::Rules(EXPIRED.at("shortId")))
        } else {
            Ok(())
        }
    }

    /// The items or options of a shareable that can be read; what cannot be is logged.
    pub async fn parts<P: Part>(&self, short_id: &ShortId) -> Result<Vec<P>, ApiError> {
        let found = parts::<P>(self.tables(), short_id).await?;
        let readable = found.into_iter().filter_map(|part| match part {
            Ok(part) => Some(part),
            Err(error) => {
                let error: &MalformedItem = &error;
                tracing::error!(%error, "a part of a shareable cannot be read");
                None
            }
        });
        Ok(readable.collect())
    }

    /// As [`RequestContext::parts`], if the shareable that claims open consists of such.
    pub async fn parts_if<P: Part>(&self, claims: &Claims) -> Result<Vec<P>, ApiError> {
        if claims.kind == P::OF {
            self.parts(&claims.short_id).await
        } else {
            Ok(Vec::new())
        }
    }

    /// Claims on a shareable from now on: for an hour, and for the view passcode until it expires.
    pub fn claims_on(
        &self,
        shareable: &Shareable,
        role: ShareableRole,
        grant: Option<Grant>,
        voter: Voter,
    ) -> Claims {
        let hour = self.now().timestamp() + LIFETIME;
        Claims {
            short_id: shareable.short_id.clone(),
            kind: shareable.kind(),
            role,
            expires: match role {
                ShareableRole::View => hour.min(shareable.expires_at.seconds()),
                ShareableRole::Admin => hour.min(shareable.ttl()),
            },
            seal: self.shared.seal(shareable, role, grant),
            grant,
            opening: Some(Uuid::new_v4()),
            voter_id: voter.id,
            voter_name: voter.name,
        }
    }

    /// Announces a change to those who watch.
    pub fn announce(&self, short_id: &ShortId, what: EventKind) {
        self.shared.live.announce(|| Event {
            short_id: short_id.clone(),
            at: self.session.now(),
            what,
            current: tokio::sync::OnceCell::new(),
            options: tokio::sync::OnceCell::new(),
        });
    }
}

/// What the request has issued a token for just now: the payload's fields are resolved by it. A mutation's fields are
/// resolved before the next one begins.
pub struct Issued(pub Claims);

/// Who ticks and votes.
#[derive(Clone, Debug)]
pub struct Voter {
    pub id: Uuid,
    pub name: Option<super::token::VoterName>,
}

impl Claims {
    /// Whether they open the shareable with this short id, of this kind.
    pub fn are_on(&self, short_id: &ShortId, kind: ShareableKind) -> bool {
        self.short_id == *short_id && self.kind == kind
    }

    /// The voter's id in votes.
    pub fn public_voter_id(&self) -> Uuid {
        Self::public_id(&self.short_id, self.voter_id)
    }

    /// A voter's id in votes. It is made of the id that only the voter knows, and does not tell it: whoever reads votes
    /// cannot vote in another's place.
    pub fn public_id(short_id: &ShortId, voter: Uuid) -> Uuid {
        let digest = Sha256::new_with_prefix(b"voter")
            .chain_update(short_id.to_string())
            .chain_update(voter.as_bytes())
            .finalize();
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest[..16]);
        uuid::Builder::from_custom_bytes(bytes).into_uuid()
    }
}
