//! Invitations of investors to startups, by a link or for an email address. They are how investors find private startups.

pub mod graphql;
pub mod mine;

use async_graphql::{ID, SimpleObject};
use serde::{Deserialize, Serialize};

use trestle_api::versioned;
use trestle_api::{ApiError, Listed, Node, Revision, Session};
use trestle_domain::string_enum;
use trestle_domain::{Email, Id, Moment, Rule, Text, UserId, Violations};
use trestle_table::{
    ChangeError, Condition, Entity, IndexKey, Key, Listing, Pk, Sk, TableDefinition, TableError,
    TransactionBuilder, Versioned as _, VisibilityFilter, from_item,
};

use super::access_requests::{AccessLevel, AccessRequest};
use super::blocks::Block;
use super::member::profile;
use super::refusals::unavailable;
use super::roles::Role;
use super::startups::Startup;
use super::table::{GSI1, GSI2, TABLE};
use super::users::{User, UserRole, UserStatus};
use super::visibility::is_listed;

string_enum! {
    /// The status of an invitation.
    InvitationStatus {
        /// It can be accepted.
        Open = "OPEN",
        /// An investor has accepted it.
        Accepted = "ACCEPTED",
        /// The founder has cancelled it, or has deleted the role.
        Cancelled = "CANCELLED",
        /// It was not accepted before its `expiresAt`.
        Expired = "EXPIRED",
    }
}

const NO_INVITATION: Rule = Rule::NotFound("does not name an invitation that you can accept");

/// An invitation of an investor to a startup, or of talent to a role. Its id is the link: who has it can accept the
/// invitation, or apply for the role with it, once, unless it is for an email address.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct Invitation {
    #[graphql(skip)]
    pub invitation_id: Id<Invitation>,
    #[graphql(skip)]
    pub startup_id: Id<Startup>,
    #[graphql(skip)]
    pub founder_id: UserId,
    /// The name of the startup when the invitation was created.
    pub startup_name: Text<1, 120>,
    /// The address of the invited investor. Without one, any investor who has the id can accept the invitation.
    // Its attribute is not called `email`, so that it is not in the index of users by address.
    #[serde(rename = "address", alias = "email")]
    pub email: Option<Email>,
    /// The title of the role to which talent is invited, when the invitation was created. Null for investors.
    pub role_title: Option<Text<1, 120>>,
    #[graphql(skip)]
    pub role_id: Option<Id<Role>>,
    /// The access that it gives to an investor. Talent gets none.
    pub access_level: AccessLevel,
    /// When the access ends. Without a value, it does not end.
    pub access_expires_at: Option<Moment>,
    /// Until when the invitation can be accepted.
    pub expires_at: Moment,
    #[graphql(skip)]
    pub status: InvitationStatus,
    #[graphql(skip)]
    pub accepted_by: Option<UserId>,
    #[graphql(skip)]
    pub access_id: Option<Id<AccessRequest>>,
    #[serde(flatten)]
    #[graphql(flatten)]
    pub stamp: Revision,
}

impl Entity for Invitation {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "INVITATION";
    type Id = Id<Invitation>;

    fn key_of(id: &Self::Id) -> Key {
        Key::new(Pk::of("INVITATION", id), Sk::word("METADATA"))
    }

    fn identity(&self) -> Self::Id {
        self.invitation_id
    }

    fn index_keys(&self) -> Vec<IndexKey> {
        let place = Sk::of("INVITATION", self.stamp.created_at).then(self.invitation_id);
        let startup = Pk::of("STARTUP", self.startup_id);
        let mut keys = vec![GSI1.at(startup, place.clone())];
        let address = self.email.as_ref();
        keys.extend(address.map(|address| GSI2.at(Pk::of("INVITED_ADDRESS", address), place)));
        keys
    }
}

versioned!(Invitation);

impl Listed for Invitation {
    const PAGE: &'static str = "A page of invitations.";
    const EDGE: &'static str = "An invitation in a list.";
}

/// Lets through the invitations that the viewer has accepted, and those that are still offered. One BatchGetItem of the
/// founders of a page, and of the blocks between them and the viewer.
pub struct Offered<'s>(pub &'s Session);

impl VisibilityFilter<Invitation> for Offered<'_> {
    async fn admit(&self, invitations: &[&Invitation]) -> Result<Vec<bool>, TableError> {
        let (name, viewer) = (TABLE.default_name, self.0.user());
        let others = invitations.iter();
        let others = others.filter(|invitation| !invitation.is_accepted_by(&viewer));
        let wanted = others.flat_map(|invitation| invitation.keys_of_offer_to(&viewer));
        let found = self.0.tables.items(wanted.map(|key| (name, key))).await?;
        let mut admitted = Vec::new();
        for invitation in invitations {
            let keys = invitation.keys_of_offer_to(&viewer);
            let [founder, by, of] = keys.map(|key| found.get(&(name, key)));
            let founder = founder.cloned().map(from_item::<User>).transpose()?;
            let is_offered = is_listed(founder.as_ref()) && by.is_none() && of.is_none();
            admitted.push(invitation.is_accepted_by(&viewer) || is_offered);
        }
        Ok(admitted)
    }
}

impl Node for Invitation {
    const TAG: u8 = b'I';

    /// The founder sees it, the one who has accepted it, and while it is offered the investor of its address and the
    /// investors, or talent, who can accept it. One read for these.
    async fn visible_to(self, session: &Session) -> Result<Option<Self>, ApiError> {
        let profile = profile(session).await?;
        let user = profile.0.as_ref();
        let user = user.filter(|user| user.status == UserStatus::Active);
        let Some(user) = user else {
            return Ok(None);
        };
        if user.user_id == self.founder_id {
            return Ok(Some(self));
        }
        let is_own = self.is_accepted_by(&user.user_id);
        if !is_own && !self.is_addressed_to(user) && !self.is_for(user, session.now()) {
            return Ok(None);
        }
        let admitted = Offered(session).admit(&[&self]).await?;
        Ok((admitted == [true]).then_some(self))
    }
}

impl Invitation {
    /// The status at a moment: an open invitation that was not accepted in time is EXPIRED.
    pub fn status_at(&self, now: Moment) -> InvitationStatus {
        match self.status {
            InvitationStatus::Open if self.expires_at <= now => InvitationStatus::Expired,
            status => status,
        }
    }

    fn is_accepted_by(&self, user: &UserId) -> bool {
        self.accepted_by.as_ref() == Some(user)
    }

    /// The keys of the founder, and of what keeps a user from accepting it.
    fn keys_of_offer_to(&self, user: &UserId) -> [Key; 3] {
        let [by, of] = Block::keys_between(&self.founder_id, user);
        [User::key_of(&self.founder_id), by, of]
    }

    /// The role of the users whom it is for.
    pub fn invited_role(&self) -> UserRole {
        match self.role_id {
            Some(_) => UserRole::Talent,
            None => UserRole::Investor,
        }
    }

    /// Marks it as used by the viewer, a talent who applies for the role in the same transaction. Who has used it can use it
    /// again: one application at a time holds the role.
    pub fn use_up(&self, unit: &mut TransactionBuilder<Violations>, session: &Session) {
        let viewer = session.user();
        if self.is_accepted_by(&viewer) {
            let used = Condition::is("acceptedBy", &viewer);
            unit.check::<Self>(&self.invitation_id, used)
                .or(NO_INVITATION.at("invitationId"));
            return;
        }
        let mut used = Self {
            status: InvitationStatus::Accepted,
            accepted_by: Some(viewer),
            ..self.clone()
        };
        used.advance(session.tables.now());
        let open = Condition::is("status", &InvitationStatus::Open);
        unit.update(self, &used, self.unchanged().and(open))
            .or(NO_INVITATION.at("invitationId"));
    }

    /// Whether a user can accept it: an investor, or talent for a role, who, if it is for an address, has verified it.
    pub fn is_for(&self, user: &User, now: Moment) -> bool {
        let is_addressed = match &self.email {
            Some(email) => user.email == *email && user.has_verified_email(),
            None => true,
        };
        let is_open = self.status_at(now) == InvitationStatus::Open;
        is_open && is_addressed && user.role == self.invited_role()
    }
}

/// The invitation by which a talent applies for a role, also if the talent does not see its startup. One GetItem.
///
/// # Errors
/// It is not for the viewer and the role.
pub async fn to_role(
    session: &Session,
    id: &ID,
    role: Id<Role>,
) -> Result<Invitation, ChangeError<Violations>> {
    let missing = NO_INVITATION.at("invitationId");
    let Ok(id) = Invitation::named(id, session) else {
        return Err(missing.into());
    };
    let profile = profile(session).await.map_err(unavailable)?;
    let found = session.tables.get::<Invitation>(&id).await?;
    let Some((user, found)) = profile.0.as_ref().zip(found) else {
        return Err(missing.into());
    };
    let is_for = found.is_for(user, session.now()) || found.is_accepted_by(&user.user_id);
    if found.role_id == Some(role) && is_for {
        Ok(found)
    } else {
        Err(missing.into())
    }
}

/// Invitations to a startup, newest first. GSI1 `STARTUP#startup`, one Query.
pub fn of_startup(startup: Id<Startup>) -> Listing<Invitation> {
    Listing::on("invitations/startup", &GSI1, Pk::of("STARTUP", startup))
        .begins_with(Sk::word("INVITATION").below())
        .newest_first()
}
