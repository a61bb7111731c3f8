//! Access requests in the API.

use async_graphql::{ComplexObject, Context, ID, InputObject, MaybeUndefined, Object};

use crate::blocks::Block;
use crate::contacts::Contact;
use crate::journal::{Journal, Note};
use crate::member::{Member, acting, acting_as, member};
use crate::notifications::NotificationType;
use crate::pages::own_page;
use crate::refusals::cannot_follow;
use crate::startups::{Startup, StartupStatus, Visibility};
use crate::tiers::Quota;
use crate::usage::Usage;
use crate::users::{User, UserRole};
use trestle_api::{
    ApiError, Connection, Input, MutationResult, Node, QueryResult, Revision, Session, Version,
    found, session,
};
use trestle_api::{mutations, naming_inputs};
use trestle_domain::{Check, Id, Moment, Rule, Text, Violations};
use trestle_table::{ChangeError, Condition, TransactionBuilder};

use super::earlier::{Earlier, beside, end};
use super::held::{Held, REPLACED, hold};
use super::{AccessLevel, AccessRequest, AccessStatus, Grant, of_requester};

impl Node for AccessRequest {
    const TAG: u8 = b'G';

    async fn visible_to(self, session: &Session) -> Result<Option<Self>, ApiError> {
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

    /// Status. Approved access that has ended is EXPIRED, and what was open or approved for a startup that is deleted is
    /// REVOKED.
    async fn status(&self, ctx: &Context<'_>) -> Result<AccessStatus, ApiError> {
        let session = session(ctx)?;
        let status = self.status_at(session.now());
        let is_open = matches!(status, AccessStatus::Pending | AccessStatus::Approved);
        if is_open
            && !self.has_startup
            && session.load::<Startup>(&self.startup_id).await?.is_none()
        {
            return Ok(AccessStatus::Revoked);
        }
        Ok(status)
    }

    /// The name of the startup when the request was made; of one that another program has made, as it is now.
    #[graphql(name = "startupName")]
    async fn name_of_startup(&self, ctx: &Context<'_>) -> QueryResult<Text<1, 120>> {
        Startup::name_of(ctx, self.startup_id, self.startup_name.as_ref()).await
    }

    /// The investor. Null if the viewer may not see the user.
    async fn requester(&self, ctx: &Context<'_>) -> QueryResult<User> {
        found(ctx, &self.requester_id).await
    }

    /// The startup. Null if the viewer may not see it: `startupName` is its name.
    async fn startup(&self, ctx: &Context<'_>) -> QueryResult<Startup> {
        found(ctx, &self.startup_id).await
    }
}

/// Queries for access requests.
#[derive(Default)]
pub struct AccessRequestQuery;

#[Object]
impl AccessRequestQuery {
    /// Access requests of the viewer, newest first.
    async fn my_access_requests(
        &self,
        ctx: &Context<'_>,
    ) -> QueryResult<Connection<AccessRequest>> {
        own_page(ctx, |member| of_requester(&member.id)).await
    }
}

#[derive(InputObject, Clone)]
pub struct RequestAccessInput {
    /// The startup's id.
    startup_id: ID,
    /// A ULID of the client's, so that the same input can be sent again. The request gets an id of its own.
    access_id: Option<Input<Id<AccessRequest>>>,
    /// The requested level.
    access_level: AccessLevel,
    /// Message to the founder, at most 2000 characters.
    message: Option<Input<Text<1, 2000>>>,
}

#[derive(InputObject, Clone)]
pub struct DecideAccessInput {
    /// The access request's id.
    id: ID,
    /// Change the request only if it still has this version.
    expected_version: Option<Version>,
    /// The new status: APPROVED, REJECTED or REVOKED; or PENDING, to take back a rejection. A rejection or revocation can
    /// be taken back until the investor requests access again.
    status: AccessStatus,
    /// The granted level, with APPROVED. Defaults to the requested one, or the present one of an approved request.
    access_level: Option<AccessLevel>,
    /// When the access ends, with APPROVED. Defaults to the end that the request has, or never. Null removes the end.
    expires_at: MaybeUndefined<Input<Moment>>,
    /// The reason, which the investor reads, at most 1000 characters.
    reason: MaybeUndefined<Input<Text<1, 1000>>>,
}

naming_inputs! {
    WithdrawAccessRequestInput
}

const NO_STARTUP: Rule = Rule::NotFound("does not name a startup that you can request access to");
const NO_REQUEST: Rule = Rule::NotFound("does not name an access request for a startup of yours");

/// GetItems of the viewer's profile and the startup, what [`Earlier::find`] needs, and one TransactWriteItems: the
/// request, its grant, the founder's notification and the audit entry.
async fn request(session: &Session, input: RequestAccessInput) -> MutationResult<AccessRequest> {
    let otherwise = "Only users with the role INVESTOR request access";
    let member = acting_as(session, &[UserRole::Investor], otherwise).await?;
    let mut check = Check::default();
    let name = check.if_given("accessId", input.access_id);
    let startup = check.need("startupId", Startup::named(&input.startup_id, session));
    let message = check.may("message", input.message);
    let startup = check.finish(|| startup)?;
    let startup = session.tables.get::<Startup>(&startup).await?;
    let startup = startup.ok_or_else(|| NO_STARTUP.at("startupId"))?;
    let earlier = Earlier::find(session, startup.startup_id, &member.id).await?;
    let now = session.now();
    let made = AccessRequest {
        access_id: Id::new(session.tables.now()),
        requester_id: member.id.clone(),
        startup_id: startup.startup_id,
        startup_name: Some(startup.name.clone()),
        founder_id: startup.founder_id.clone(),
        message,
        status: AccessStatus::Pending,
        access_level: input.access_level,
        granted_at: None,
        expires_at: None,
        reason: None,
        has_startup: true,
        stamp: Revision::new(now),
    };
    let journal = Journal::of(session);
    let entity = made.clone();
    let created = journal.create_named(name, "accessId", entity, |unit| {
        let seen = Condition::is("status", &StartupStatus::Active)
            .and(requestable(&member, earlier.grant.as_ref()));
        unit.check::<Startup>(&made.startup_id, seen)
            .or(NO_STARTUP.at("startupId"));
        let refusal = NO_STARTUP.at("startupId");
        Block::refuse(unit, &made.founder_id, &member.id, refusal);
        Contact::tie(unit, &made.founder_id, &member.id, now);
        hold(unit, &made, &earlier, session);
        Usage::spend(unit, session, &member, Quota::AccessRequests, 1, "input");
        journal.record::<AccessRequest>(unit, "ACCESS_REQUESTED", made.access_id);
        let body = format!("{} requests access to {}.", member.name, startup.name);
        let kind = NotificationType::AccessRequest;
        let note = Note::new(&made.founder_id, kind, "New access request", &body);
        let note = note.of_startup(made.startup_id);
        // The startups of a banned founder are hidden.
        let refusal = NO_STARTUP.at("startupId");
        journal.notify_listed::<AccessRequest>(unit, made.access_id, note, refusal)
    });
    created.await
}

/// The visibilities of startups that an investor may request access to: those that investors see, and private ones if
/// the investor has access, or had it until it expired.
fn requestable(member: &Member, earlier: Option<&Grant>) -> Condition {
    let seen: &[Visibility] = match earlier.filter(|grant| grant.status != AccessStatus::Rejected) {
        Some(_) => Visibility::ALL,
        None if member.is_admitted_investor => &[Visibility::Public, Visibility::InvestorsOnly],
        None => &[Visibility::Public],
    };
    Condition::is_one_of("visibility", seen)
}

/// GetItems of the viewer's profile and the request, and one TransactWriteItems: the request, its grant, the investor's
/// notification and the audit entry, if the startup exists. A decision that changes nothing checks the startup alone. If the
/// grant is missing, or there is a request for a higher level, three or four GetItems more. If another program has made the request, two GetItems more for the startup's name. A
/// revocation also ends access that another program has approved: what [`beside`] needs more.
async fn decide(session: &Session, input: DecideAccessInput) -> MutationResult<AccessRequest> {
    let member = acting(session).await?;
    let mut check = Check::default();
    let id = check.need("id", AccessRequest::named(&input.id, session));
    let mut expires_at = None;
    check.set_opt("expiresAt", &mut expires_at, input.expires_at.clone());
    let is_decision = input.status != AccessStatus::Expired;
    check.that(
        is_decision,
        "status",
        Rule::Invalid("APPROVED, REJECTED, REVOKED or PENDING"),
    );
    let is_future = expires_at.is_none_or(|end| end > session.now());
    check.that(is_future, "expiresAt", Rule::Invalid("in the future"));
    let id = check.finish(|| id)?;
    let journal = Journal::of(session);
    let expected = input.expected_version.map(u32::from);
    let others = if input.status == AccessStatus::Revoked {
        beside(session, id).await?
    } else {
        Vec::new()
    };
    let mut held = Held::ByThis;
    let mut known_name = None;
    loop {
        let is_own = |now: &AccessRequest| now.founder_id == member.id;
        let changed = journal.change(&id, expected, is_own, |now: &AccessRequest, unit| {
            let mut next = decided(now, &member, &input, expires_at, session.now())?;
            unit.check::<Startup>(&now.startup_id, Condition::Exists)
                .or(GONE.at("id"));
            if next == *now {
                return Ok((next, None));
            }
            next.has_startup = true;
            let name = next.startup_name.take().or_else(|| known_name.clone());
            let name = name.ok_or_else(|| UNNAMED.at("id"))?;
            next.startup_name = Some(name.clone());
            held.keep(unit, now, &next, session);
            for other in &others {
                end(unit, other, session);
            }
            journal.record::<AccessRequest>(unit, "ACCESS_DECIDED", now.access_id);
            let body = next.told(&name);
            let kind = NotificationType::AccessRequest;
            let note = Note::new(&now.requester_id, kind, "Access request updated", &body);
            let note = note.of_startup(now.startup_id);
            let notified = journal.notify::<AccessRequest>(unit, now.access_id, note);
            Ok((next, notified))
        });
        match changed.await {
            Err(ChangeError::Refused(refusal)) if refusal == UNNAMED.at("id") => {
                known_name = Some(startup_name(session, &id).await?);
            }
            Err(error) if held.may_differ(&error) => {
                held = Held::find(session, &id)
                    .await?
                    .ok_or_else(|| REPLACED.at("id"))?;
            }
            changed => return changed.map_err(|error| error.if_missing(NO_REQUEST.at("id"))),
        }
    }
}

/// The refusal of a decision about a request that does not have the name of its startup: another program has made it.
const UNNAMED: Rule = Rule::Conflict("was made by another program");

/// The name of the startup that a request is for. Two GetItems.
async fn startup_name(
    session: &Session,
    id: &Id<AccessRequest>,
) -> Result<Text<1, 120>, ChangeError<Violations>> {
    let request = session.tables.get::<AccessRequest>(id).await?;
    let request = request.ok_or_else(|| NO_REQUEST.at("id"))?;
    let startup = session.tables.get::<Startup>(&request.startup_id).await?;
    Ok(startup.ok_or_else(|| GONE.at("id"))?.name)
}

/// GetItems of the viewer's profile and the request, and one TransactWriteItems: the request, its grant and the audit entry.
/// As [`decide`], three or four GetItems more.
async fn withdraw(
    session: &Session,
    input: WithdrawAccessRequestInput,
) -> MutationResult<AccessRequest> {
    const MISSING: Rule = Rule::NotFound("does not name an access request of yours");
    let member = acting(session).await?;
    let id = AccessRequest::named(&input.id, session).map_err(|_| MISSING.at("id"))?;
    let (journal, expected) = (Journal::of(session), input.expected_version.map(u32::from));
    let mut held = Held::ByThis;
    loop {
        let plan = |now: &AccessRequest, unit: &mut TransactionBuilder<Violations>| {
            if now.requester_id != member.id {
                return Err(MISSING.at("id"));
            }
            if now.status == AccessStatus::Withdrawn {
                return Ok((now.clone(), None));
            }
            if now.status != AccessStatus::Pending {
                return Err(DECIDED.at("id"));
            }
            let next = now.withdrawn();
            held.keep(unit, now, &next, session);
            journal.record::<AccessRequest>(unit, "ACCESS_REQUEST_WITHDRAWN", now.access_id);
            Ok((next, None))
        };
        let change = journal.change(&id, expected, |now| now.requester_id == member.id, plan);
        match change.await {
            Err(error) if held.may_differ(&error) => {
                held = Held::find(session, &id)
                    .await?
                    .ok_or_else(|| REPLACED.at("id"))?;
            }
            changed => return changed.map_err(|error| error.if_missing(MISSING.at("id"))),
        }
    }
}

const DECIDED: Rule =
    Rule::Conflict("names a request that the founder has decided: only open ones are withdrawn");

const ENDED: Rule = Rule::Conflict("has to be set: the access has ended. Null lets it have no end");
const GONE: Rule = Rule::Conflict(
    "names a request for a startup that was deleted, which ends it: there is nothing to decide",
);

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
    let is_taken_back = now.status == AccessStatus::Rejected;
    if input.status == AccessStatus::Pending && !is_taken_back {
        return Err(Rule::Invalid("APPROVED, REJECTED or REVOKED").at("status"));
    }
    let is_same = now.status == input.status;
    let mut next = AccessRequest {
        status: input.status,
        // The reason of the status before is not one of this status.
        reason: now.reason.clone().filter(|_| is_same),
        ..now.clone()
    };
    let mut check = Check::default();
    check.set_opt("reason", &mut next.reason, input.reason.clone());
    check.finish(|| Some(()))?;
    if is_same && now.status != AccessStatus::Approved {
        return Ok(next);
    }
    if !is_same && !now.status.may_become(input.status) {
        let next = AccessStatus::ALL.iter();
        let next = next.filter(|next| now.status.may_become(**next));
        return Err(cannot_follow(
            now.status.word(),
            next.map(|next| next.word()),
            "it is final, but the investor can request access again",
        ));
    }
    if input.status == AccessStatus::Approved {
        next.access_level = input.access_level.unwrap_or(now.access_level);
        let was_approved = now.status == AccessStatus::Approved;
        next.granted_at = now.granted_at.filter(|_| was_approved).or(Some(at));
        if !input.expires_at.is_undefined() {
            next.expires_at = expires_at;
        }
        if next.expires_at.is_some_and(|end| end <= at) {
            return Err(ENDED.at("expiresAt"));
        }
    }
    Ok(next)
}

mutations! {
    /// Mutations of access requests.
    AccessRequestMutation -> access_request: AccessRequest {
        /// Requests access to a startup that the viewer, an investor, sees, or a higher level than the viewer has. Once
        /// approved, the higher level takes the place of the lower one, whose request is EXPIRED then. Sending the same
        /// input with the same `accessId` again returns the same request.
        request_access(RequestAccessInput) -> RequestAccessPayload = request,
        /// Approves, rejects or revokes an access request for a startup that the viewer founded, takes a decision back, or
        /// changes the level or the end of approved access. An investor whose request was rejected can ask again after 30
        /// days.
        decide_access(DecideAccessInput) -> DecideAccessPayload = decide,
        /// Withdraws an access request of the viewer that waits for the founder. The viewer keeps the access of an earlier one,
        /// and can ask again at once.
        withdraw_access_request(WithdrawAccessRequestInput) -> WithdrawAccessRequestPayload = withdraw,
    }
}
