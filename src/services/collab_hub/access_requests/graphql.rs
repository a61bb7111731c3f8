//! Access requests in the API.

use async_graphql::{ComplexObject, Context, ID, InputObject, Object};

use crate::api::{
    Answer, ApiError, Connection, Given, Node, Session, Stamp, Version, Written, found,
};
use crate::domain::{Check, Id, Moment, Rule, Text, Violations};
use crate::mutations;
use crate::services::collab_hub::journal::{Journal, Note};
use crate::services::collab_hub::member::{Member, acting, acting_as, member};
use crate::services::collab_hub::notifications::NotificationType;
use crate::services::collab_hub::pages::own_page;
use crate::services::collab_hub::startups::{Startup, StartupStatus, Visibility};
use crate::services::collab_hub::users::{User, UserRole};
use crate::table::{Condition, Entity as _, Unit};

use super::{AccessLevel, AccessRequest, AccessStatus, Grant, of_requester};

impl Node for AccessRequest {
    const TAG: u8 = b'G';

    async fn shown(self, session: &Session) -> Result<Option<Self>, ApiError> {
        let member = member(session).await?;
        let is_party = member.is_some_and(|m| m.id == self.requester_id || m.id == self.founder_id);
        Ok(is_party.then_some(self))
    }
}

#[ComplexObject]
impl AccessRequest {
    /// Opaque id, for `node`.
    pub async fn id(&self) -> ID {
        self.node_id()
    }

    /// The investor. Null if the viewer may not see the user.
    async fn requester(&self, ctx: &Context<'_>) -> Answer<User> {
        found(ctx, &self.requester_id).await
    }

    /// The startup. Null if the viewer may not see it.
    async fn startup(&self, ctx: &Context<'_>) -> Answer<Startup> {
        found(ctx, &self.startup_id).await
    }
}

/// Queries for access requests.
#[derive(Default)]
pub struct AccessRequestQuery;

#[Object]
impl AccessRequestQuery {
    /// Access requests of the viewer, newest first.
    async fn my_access_requests(&self, ctx: &Context<'_>) -> Answer<Connection<AccessRequest>> {
        own_page(ctx, |member| of_requester(&member.id)).await
    }
}

/// Input of `requestAccess`.
#[derive(InputObject, Clone)]
pub struct RequestAccessInput {
    /// The startup's id.
    startup_id: ID,
    /// A ULID for the request, so that the same input can be sent again. Defaults to a new one.
    access_id: Option<Given<Id<AccessRequest>>>,
    /// The requested level.
    access_level: AccessLevel,
    /// Message to the founder, at most 2000 characters.
    message: Option<Given<Text<1, 2000>>>,
}

/// Input of `decideAccess`.
#[derive(InputObject, Clone)]
pub struct DecideAccessInput {
    /// The access request's id.
    id: ID,
    /// Change the request only if it still has this version.
    expected_version: Option<Version>,
    /// The new status: APPROVED, REJECTED or REVOKED.
    status: AccessStatus,
    /// The granted level, with APPROVED. Defaults to the requested one, or the present one of an approved request.
    access_level: Option<AccessLevel>,
    /// When the access ends, with APPROVED. Defaults to never, or the present end of an approved request.
    expires_at: Option<Given<Moment>>,
}

const NO_STARTUP: Rule = Rule::NotFound("does not name a startup that you can request access to");
const NO_REQUEST: Rule = Rule::NotFound("does not name an access request for a startup of yours");

/// GetItems of the viewer's profile and the startup, a GetItem of an earlier grant, and one TransactWriteItems: the
/// request, its grant, the founder's notification and the audit entry.
async fn request(session: &Session, input: RequestAccessInput) -> Written<AccessRequest> {
    let otherwise = "Only users with the role INVESTOR request access";
    let member = acting_as(session, &[UserRole::Investor], otherwise).await?;
    let mut check = Check::default();
    let new = || Ok(Id::new(session.tables.now()));
    let id = check.need("accessId", input.access_id.map_or_else(new, Into::into));
    let startup = check.need("startupId", Startup::named(&input.startup_id, session));
    let message = check.may("message", input.message);
    let (id, startup) = check.finish(|| id.zip(startup))?;
    let startup = session.tables.get::<Startup>(&startup).await?;
    let startup = startup.ok_or_else(|| NO_STARTUP.at("startupId"))?;
    let earlier = (startup.startup_id, member.id.clone());
    let earlier = session.tables.get::<Grant>(&earlier).await?;
    let now = session.now();
    let made = AccessRequest {
        access_id: id,
        requester_id: member.id.clone(),
        startup_id: startup.startup_id,
        founder_id: startup.founder_id.clone(),
        message,
        status: AccessStatus::Pending,
        access_level: input.access_level,
        granted_at: None,
        expires_at: None,
        stamp: Stamp::new(now),
    };
    let journal = Journal::of(session);
    let entity = made.clone();
    let with = |unit: &mut Unit<Violations>| {
        let seen =
            Condition::is("status", &StartupStatus::Active).and(requestable(earlier.as_ref()));
        unit.check::<Startup>(&made.startup_id, seen)
            .or(NO_STARTUP.at("startupId"));
        hold(unit, &made, earlier.as_ref(), now);
        journal.record::<AccessRequest>(unit, "ACCESS_REQUESTED", made.access_id);
        let body = format!("{} requests access to {}.", member.name, startup.name);
        let note = Note {
            to: &made.founder_id,
            kind: NotificationType::AccessRequest,
            title: "New access request",
            body: &body,
        };
        journal.notify::<AccessRequest>(unit, made.access_id, note);
    };
    journal.create(entity, "accessId", with).await
}

/// The visibilities of startups that an investor may request access to: those that investors see, and private ones if
/// the investor has or had access.
fn requestable(earlier: Option<&Grant>) -> Condition {
    let seen: &[Visibility] = match earlier {
        Some(_) => Visibility::ALL,
        None => &[Visibility::Public, Visibility::InvestorsOnly],
    };
    Condition::is_one_of("visibility", seen)
}

/// Takes the place of the investor's open request, in which an expired one may still be.
fn hold(
    unit: &mut Unit<Violations>,
    request: &AccessRequest,
    earlier: Option<&Grant>,
    now: Moment,
) {
    let again = Rule::Conflict("names a startup that you have an open access request for");
    let added = match earlier.filter(|grant| grant.has_expired(now)) {
        Some(expired) => {
            let same = Condition::is("accessId", &expired.access_id);
            unit.update(expired, &request.grant(), same)
        }
        None => unit.put_new(&request.grant()),
    };
    added.or(again.at("startupId"));
}

/// GetItems of the viewer's profile and the request, and one TransactWriteItems: the request, its grant, the investor's
/// notification and the audit entry.
async fn decide(session: &Session, input: DecideAccessInput) -> Written<AccessRequest> {
    let member = acting(session).await?;
    let mut check = Check::default();
    let id = check.need("id", AccessRequest::named(&input.id, session));
    let expires_at = check.if_given("expiresAt", input.expires_at.clone());
    let is_decision = input.status != AccessStatus::Pending;
    check.that(
        is_decision,
        "status",
        Rule::Invalid("APPROVED, REJECTED or REVOKED"),
    );
    let is_future = expires_at.is_none_or(|end| end > session.now());
    check.that(is_future, "expiresAt", Rule::Invalid("in the future"));
    let id = check.finish(|| id)?;
    let journal = Journal::of(session);
    let plan = |now: &AccessRequest, unit: &mut Unit<Violations>| {
        let next = decided(now, &member, &input, expires_at, session.now())?;
        if next == *now {
            return Ok(next);
        }
        let held = Condition::is("accessId", &now.access_id);
        let mut grant = next.grant();
        grant.stamp.advance(session.tables.now());
        match next.status.is_open() {
            true => unit.update(&now.grant(), &grant, held).step(),
            false => unit.delete::<Grant>(&grant.identity(), held).step(),
        };
        journal.record::<AccessRequest>(unit, "ACCESS_DECIDED", now.access_id);
        let body = format!(
            "The status of your access request is now {}.",
            next.status.word()
        );
        let note = Note {
            to: &now.requester_id,
            kind: NotificationType::AccessRequest,
            title: "Access request updated",
            body: &body,
        };
        journal.notify::<AccessRequest>(unit, now.access_id, note);
        Ok(next)
    };
    let expected = input.expected_version.map(u32::from);
    let is_own = |now: &AccessRequest| now.founder_id == member.id;
    let changed = journal.change((&id, expected), is_own, plan).await;
    changed.map_err(|error| error.if_missing(NO_REQUEST.at("id")))
}

/// The request as the founder decides it.
fn decided(
    now: &AccessRequest,
    member: &Member,
    input: &DecideAccessInput,
    expires_at: Option<Moment>,
    at: Moment,
) -> Result<AccessRequest, Violations> {
    if now.founder_id != member.id {
        return Err(NO_REQUEST.at("id"));
    }
    let is_same = now.status == input.status;
    if is_same && now.status != AccessStatus::Approved {
        return Ok(now.clone());
    }
    if !is_same && !now.status.may_become(input.status) {
        return Err(Rule::Conflict("cannot follow the request's current status").at("status"));
    }
    let mut next = AccessRequest {
        status: input.status,
        ..now.clone()
    };
    if input.status == AccessStatus::Approved {
        next.access_level = input.access_level.unwrap_or(now.access_level);
        next.granted_at = now.granted_at.or(Some(at));
        next.expires_at = expires_at.or(now.expires_at);
    }
    Ok(next)
}

mutations! {
    /// Mutations of access requests.
    AccessRequestMutation -> access_request: AccessRequest {
        /// Requests access to a startup that the viewer, an investor, sees. Sending the same input with the same
        /// `accessId` again returns the same request.
        request_access(RequestAccessInput) -> RequestAccessPayload = request,
        /// Approves, rejects or revokes an access request for a startup that the viewer founded, or changes the level or
        /// the end of approved access.
        decide_access(DecideAccessInput) -> DecideAccessPayload = decide,
    }
}
