//! Invitations in the API.

use async_graphql::{ComplexObject, Context, ID, InputObject};
use chrono::TimeDelta;

use crate::access_requests::earlier::Earlier;
use crate::access_requests::held::Replaced;
use crate::access_requests::{AccessLevel, AccessRequest, AccessStatus};
use crate::blocks::Block;
use crate::contacts::Contact;
use crate::journal::{Journal, Note};
use crate::member::{Member, acting, acting_as, profile};
use crate::named::given_name;
use crate::notifications::NotificationType;
use crate::refusals::unavailable;
use crate::roles::Role;
use crate::startups::Startup;
use crate::table::TABLE;
use crate::tiers::Quota;
use crate::usage::Usage;
use crate::users::{EmailGuard, User, UserRole};
use trestle_api::{
    ApiError, Input, MutationResult, Node as _, QueryResult, Revision, Session, found, session,
};
use trestle_api::{mutations, naming_inputs};
use trestle_domain::{Check, Email, Id, Moment, Rule, UserId, Violations};
use trestle_table::{Condition, Entity as _, TableError, TransactionBuilder, from_item};

use super::{Invitation, InvitationStatus, NO_INVITATION};

#[ComplexObject]
impl Invitation {
    /// Opaque id, for `node`. It is the link: pass it to the investor, or to talent.
    pub async fn id(&self) -> ID {
        self.node_id()
    }

    /// Status. An open invitation that was not accepted in time is EXPIRED, and one to a role that is deleted is CANCELLED.
    async fn status(&self, ctx: &Context<'_>) -> Result<InvitationStatus, ApiError> {
        let session = session(ctx)?;
        let status = self.status_at(session.now());
        if status == InvitationStatus::Open
            && let Some(role) = self.role_id
            && session
                .load::<Role>(&(self.startup_id, role))
                .await?
                .is_none()
        {
            return Ok(InvitationStatus::Cancelled);
        }
        Ok(status)
    }

    /// The startup. Null if the viewer may not see it, for example before the invitation is accepted.
    async fn startup(&self, ctx: &Context<'_>) -> QueryResult<Startup> {
        found(ctx, &self.startup_id).await
    }

    /// The role to which talent is invited, also if the viewer may not see its startup. Null for investors, and if the role is
    /// deleted.
    async fn role(&self, ctx: &Context<'_>) -> QueryResult<Role> {
        let place = (self.startup_id, self.role_id?);
        let load = async { session(ctx)?.load::<Role>(&place).await };
        load.await.transpose()
    }

    /// The approved access request that accepting the invitation made. Null before.
    async fn access_request(&self, ctx: &Context<'_>) -> QueryResult<AccessRequest> {
        found(ctx, self.access_id.as_ref()?).await
    }
}

#[derive(InputObject, Clone)]
pub struct CreateInvitationInput {
    /// The id of a startup that the viewer founded.
    startup_id: ID,
    /// A ULID of the client's, so that the same input can be sent again.
    invitation_id: Option<Input<Id<Invitation>>>,
    /// Email address of the investor. Only a user who has verified it can accept the invitation, and is notified of it if
    /// registered. Without it, any one investor who has the invitation's id can.
    email: Option<Input<Email>>,
    /// The access that it gives.
    access_level: AccessLevel,
    /// When the access ends. Defaults to never.
    access_expires_at: Option<Input<Moment>>,
    /// Until when it can be accepted, at most 90 days from now. Defaults to 14 days from now.
    expires_at: Option<Input<Moment>>,
}

#[derive(InputObject, Clone)]
pub struct InviteToRoleInput {
    /// The id of a role of a startup that the viewer founded.
    role_id: ID,
    /// A ULID of the client's, so that the same input can be sent again.
    invitation_id: Option<Input<Id<Invitation>>>,
    /// Until when it can be used, at most 90 days from now. Defaults to 14 days from now.
    expires_at: Option<Input<Moment>>,
}

naming_inputs! {
    AcceptInvitationInput
    CancelInvitationInput
}

const DEFAULT_LIFE: TimeDelta = TimeDelta::days(14);
const LONGEST_LIFE: TimeDelta = TimeDelta::days(90);
const NO_ROLE: Rule = Rule::NotFound("does not name a role of a startup of yours");
const NO_STARTUP: Rule = Rule::NotFound("does not name a startup of yours");

fn later(now: Moment, by: TimeDelta) -> Moment {
    Moment::from_millis(now.millis() + by.num_milliseconds()).unwrap_or(now)
}

/// The investor who has verified an address, if there is one whom nothing keeps from accepting. A GetItem and a BatchGetItem,
/// whoever has the address: what is answered and what it costs must not say whether it is registered.
async fn investor_of(
    session: &Session,
    member: &Member,
    email: &Email,
) -> Result<Option<UserId>, TableError> {
    let guard = session.tables.get::<EmailGuard>(email).await?;
    let holder = guard.as_ref().map_or(&member.id, |guard| &guard.user_id);
    // Without another user, blocks of nobody are read: as many items.
    let nobody = UserId::new(email.as_str());
    let other = if *holder == member.id {
        &nobody
    } else {
        holder
    };
    let [by, of] = Block::keys_between(other, &member.id);
    let keys = [User::key_of(holder), by, of].map(|key| (TABLE.default_name, key));
    let found = session.tables.items(keys.clone()).await?;
    let [user, by, of] = keys.map(|key| found.get(&key));
    let user = user.cloned().map(from_item::<User>).transpose()?;
    let investor = user.filter(|user| {
        user.email == *email && user.has_verified_email() && user.role == UserRole::Investor
    });
    let investor = investor.filter(|_| by.is_none() && of.is_none());
    Ok(investor.map(|user| user.user_id))
}

/// Notifies the investor of an address of an invitation. One TransactWriteItems of two items, also if there is nobody to
/// notify.
async fn notify(
    session: &Session,
    member: &Member,
    invitation: &Invitation,
    investor: Option<&UserId>,
) {
    let id = invitation.invitation_id;
    if let Some(user) = investor {
        let body = format!(
            "{} invites you to {}.",
            member.name, invitation.startup_name
        );
        let kind = NotificationType::AccessRequest;
        let note = Note::new(user, kind, "New invitation", &body);
        let users = std::slice::from_ref(user);
        let journal = Journal::of(session);
        return journal.notify_apart::<Invitation>(id, users, note).await;
    }
    let mut unit: TransactionBuilder<Violations> = session.tables.unit();
    unit.check::<User>(&member.id, Condition::Exists);
    unit.check::<Invitation>(&id, Condition::Exists);
    if let Err(error) = unit.commit().await {
        tracing::debug!(%error, "a transaction that writes nothing failed");
    }
}

/// Until when a new invitation can be accepted.
struct End {
    /// What the client has said.
    said: Option<Moment>,
    at: Moment,
}

impl End {
    fn of(check: &mut Check, given: Option<Input<Moment>>, now: Moment) -> Self {
        let said = check.if_given("expiresAt", given);
        let at = said.unwrap_or_else(|| later(now, DEFAULT_LIFE));
        let is_soon = at > now && at <= later(now, LONGEST_LIFE);
        check.that(is_soon, "expiresAt", Rule::Invalid("in the next 90 days"));
        Self { said, at }
    }

    /// An invitation of the viewer to a startup, which ends then.
    fn invitation(&self, session: &Session, startup: &Startup) -> Invitation {
        Invitation {
            invitation_id: Id::new(session.tables.now()),
            startup_id: startup.startup_id,
            founder_id: session.user(),
            startup_name: startup.name.clone(),
            email: None,
            role_title: None,
            role_id: None,
            access_level: AccessLevel::ViewProfile,
            access_expires_at: None,
            expires_at: self.at,
            status: InvitationStatus::Open,
            accepted_by: None,
            access_id: None,
            stamp: Revision::new(session.now()),
        }
    }

    async fn store(
        &self,
        session: &Session,
        member: &Member,
        name: Option<Id<Invitation>>,
        invitation: Invitation,
    ) -> MutationResult<Invitation> {
        let (id, journal) = (invitation.invitation_id, Journal::of(session));
        // What is counted from now is not part of what the client says, so that the same input is the same later.
        let said = Invitation {
            expires_at: self.said.or(Moment::from_millis(0)).unwrap_or(self.at),
            ..invitation.clone()
        };
        let created = journal.create_said(name, "invitationId", invitation, &said, |unit| {
            Usage::spend(unit, session, member, Quota::Invitations, 1, "input");
            journal.record::<Invitation>(unit, "INVITATION_CREATED", id);
            None
        });
        created.await
    }
}

/// GetItem of the viewer, a BatchGetItem of the role and its startup, and one TransactWriteItems: the invitation and the
/// audit entry.
async fn invite_to_role(session: &Session, input: InviteToRoleInput) -> MutationResult<Invitation> {
    let member = acting(session).await?;
    let name = given_name(input.invitation_id, "invitationId")?;
    let mut check = Check::default();
    let place = check.need("roleId", Role::named(&input.role_id, session));
    let end = End::of(&mut check, input.expires_at, session.now());
    let place = check.finish(|| place)?;
    let found = tokio::try_join!(
        session.load::<Startup>(&place.0),
        session.load::<Role>(&place)
    );
    let (startup, role) = found.map_err(unavailable)?;
    let found = startup.zip(role);
    let found = found.filter(|(startup, _)| startup.founder_id == member.id);
    let (startup, role) = found.ok_or_else(|| NO_ROLE.at("roleId"))?;
    let invitation = Invitation {
        role_title: Some(role.title),
        role_id: Some(role.role_id),
        ..end.invitation(session, &startup)
    };
    end.store(session, &member, name, invitation).await
}

/// GetItems of the viewer and the startup, and one TransactWriteItems: the invitation and the audit entry. For an address,
/// two GetItems and one TransactWriteItems more, whether or not it is registered.
async fn create(session: &Session, input: CreateInvitationInput) -> MutationResult<Invitation> {
    let member = acting(session).await?;
    let name = given_name(input.invitation_id, "invitationId")?;
    let (mut check, now) = (Check::default(), session.now());
    let startup = check.need("startupId", Startup::named(&input.startup_id, session));
    let email = check.if_given("email", input.email);
    let access_expires_at = check.if_given("accessExpiresAt", input.access_expires_at);
    let is_future = access_expires_at.is_none_or(|end| end > now);
    check.that(is_future, "accessExpiresAt", Rule::Invalid("in the future"));
    let end = End::of(&mut check, input.expires_at, now);
    let startup = check.finish(|| startup)?;
    let startup = session.tables.get::<Startup>(&startup).await?;
    let startup = startup.filter(|startup| startup.founder_id == member.id);
    let startup = startup.ok_or_else(|| NO_STARTUP.at("startupId"))?;
    let investor = match &email {
        Some(email) => investor_of(session, &member, email).await?,
        None => None,
    };
    let invitation = Invitation {
        email: email.clone(),
        access_level: input.access_level,
        access_expires_at,
        ..end.invitation(session, &startup)
    };
    let created = end.store(session, &member, name, invitation).await?;
    if created.is_written && email.is_some() {
        notify(session, &member, &created.entity, investor.as_ref()).await;
    }
    Ok(created)
}

/// GetItems of the viewer and the invitation (twice), what [`Earlier::find`] needs, and one TransactWriteItems: the
/// invitation, the approved request, its grant, the founder's notification and the audit entry. One GetItem more for each
/// request of the investor whose place the access takes.
async fn accept(session: &Session, input: AcceptInvitationInput) -> MutationResult<Invitation> {
    let otherwise = "Only users with the role INVESTOR accept invitations";
    let member = acting_as(session, &[UserRole::Investor], otherwise).await?;
    let id = Invitation::named(&input.id, session).map_err(|_| NO_INVITATION.at("id"))?;
    let seen = session
        .tables
        .get::<Invitation>(&id)
        .await?
        .ok_or_else(|| NO_INVITATION.at("id"))?;
    let earlier = Earlier::find(session, seen.startup_id, &member.id).await?;
    let profile = profile(session).await.map_err(unavailable)?;
    let (journal, now) = (Journal::of(session), session.now());
    let request = AccessRequest {
        access_id: Id::new(session.tables.now()),
        requester_id: member.id.clone(),
        startup_id: seen.startup_id,
        startup_name: Some(seen.startup_name.clone()),
        founder_id: seen.founder_id.clone(),
        message: None,
        status: AccessStatus::Approved,
        access_level: seen.access_level,
        granted_at: Some(now),
        expires_at: seen.access_expires_at,
        reason: None,
        has_startup: true,
        stamp: Revision::new(now),
    };
    let replaced = Replaced::find(session, earlier, &request).await?;
    let may = |invitation: &Invitation| {
        let user = profile.0.as_ref();
        user.is_some_and(|user| invitation.is_for(user, now))
    };
    let expected = input.expected_version.map(u32::from);
    let changed = journal.change(&id, expected, may, |invitation: &Invitation, unit| {
        if invitation.accepted_by.as_ref() == Some(&member.id) {
            return Ok((invitation.clone(), None));
        }
        let user = profile
            .0
            .as_ref()
            .filter(|user| invitation.is_for(user, now));
        user.ok_or_else(|| NO_INVITATION.at("id"))?;
        replaced.replace(unit, &request, session)?;
        unit.put_new(&request);
        for (by, user) in [
            (&seen.founder_id, &member.id),
            (&member.id, &seen.founder_id),
        ] {
            Block::refuse(unit, by, user, NO_INVITATION.at("id"));
        }
        Contact::tie(unit, &seen.founder_id, &member.id, now);
        journal.record::<Invitation>(unit, "INVITATION_ACCEPTED", invitation.invitation_id);
        let body = format!(
            "{} accepted your invitation to {}.",
            member.name, seen.startup_name
        );
        let kind = NotificationType::AccessRequest;
        let note = Note::new(&seen.founder_id, kind, "Invitation accepted", &body);
        let note = note.of_startup(seen.startup_id);
        let id = request.access_id;
        let notified =
            journal.notify_listed::<AccessRequest>(unit, id, note, NO_INVITATION.at("id"));
        let accepted = Invitation {
            status: InvitationStatus::Accepted,
            accepted_by: Some(member.id.clone()),
            access_id: Some(request.access_id),
            ..invitation.clone()
        };
        Ok((accepted, notified))
    });
    let changed = changed.await;
    changed.map_err(|error| error.if_missing(NO_INVITATION.at("id")))
}

/// GetItems of the viewer and the invitation, and one TransactWriteItems: the invitation and the audit entry.
async fn cancel(session: &Session, input: CancelInvitationInput) -> MutationResult<Invitation> {
    const MISSING: Rule = Rule::NotFound("does not name an invitation of yours");
    let member = acting(session).await?;
    let id = Invitation::named(&input.id, session).map_err(|_| MISSING.at("id"))?;
    let journal = Journal::of(session);
    let may = |now: &Invitation| now.founder_id == member.id;
    let expected = input.expected_version.map(u32::from);
    let changed = journal.change(&id, expected, may, |now: &Invitation, unit| {
        if now.founder_id != member.id {
            return Err(MISSING.at("id"));
        }
        if now.status == InvitationStatus::Accepted {
            return Err(Rule::Conflict(
                "names an invitation that was accepted: revoke its access by `decideAccess`, or answer its application by \
                 `reviewApplication`",
            )
            .at("id"));
        }
        if now.status != InvitationStatus::Cancelled {
            journal.record::<Invitation>(unit, "INVITATION_CANCELLED", now.invitation_id);
        }
        let cancelled = Invitation {
            status: InvitationStatus::Cancelled,
            ..now.clone()
        };
        Ok((cancelled, None))
    });
    let changed = changed.await;
    changed.map_err(|error| error.if_missing(MISSING.at("id")))
}

mutations! {
    /// Mutations of invitations.
    InvitationMutation -> invitation: Invitation {
        /// Invites an investor to a startup that the viewer founded, whatever its visibility is.
        create_invitation(CreateInvitationInput) -> CreateInvitationPayload = create,
        /// Invites talent to a role of a startup that the viewer founded: any one talent who has the `id` of the invitation applies
        /// by `applyForRole` with it, also if the startup, which must be ACTIVE, is not PUBLIC. Nobody else can use it then. The
        /// same talent can, after withdrawing the application, or 30 days after it was rejected.
        invite_to_role(InviteToRoleInput) -> InviteToRolePayload = invite_to_role,
        /// Accepts an invitation: the viewer, an investor, gets the access that it gives, in place of lower access and of an open
        /// request for no more than that. An invitation is accepted once, and not while the viewer or the founder has blocked
        /// the other one.
        accept_invitation(AcceptInvitationInput) -> AcceptInvitationPayload = accept,
        /// Cancels an invitation that was not accepted.
        cancel_invitation(CancelInvitationInput) -> CancelInvitationPayload = cancel,
    }
}
