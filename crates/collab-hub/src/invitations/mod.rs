//! Invitations of investors to startups, by a link or for an email address. They are how investors find private startups.

pub mod graphql;
pub mod mine;

use async_graphql::SimpleObject;
use serde::{Deserialize, Serialize};

use trestle_api::versioned;
use trestle_api::{ApiError, Listed, Node, Revision, Session};
use trestle_domain::string_enum;
use trestle_domain::{Email, Id, Moment, Text, UserId};
use trestle_table::{
    Entity, IndexKey, Key, Listing, Pk, Sk, TableDefinition, VisibilityFilter as _,
};

use self::mine::Offered;
use super::access_requests::{AccessLevel, AccessRequest};
use super::member::profile;
use super::startups::Startup;
use super::table::{GSI1, GSI2, TABLE};
use super::users::{User, UserRole, UserStatus};

string_enum! {
    /// The status of an invitation.
    InvitationStatus {
        /// It can be accepted.
        Open = "OPEN",
        /// An investor has accepted it.
        Accepted = "ACCEPTED",
        /// The founder has cancelled it.
        Cancelled = "CANCELLED",
        /// It was not accepted before its `expiresAt`.
        Expired = "EXPIRED",
    }
}

/// An invitation of an investor to a startup. Its id is the link: who has it can accept the invitation, once, unless it is
/// for an email address.
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
    /// The access that it gives.
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

impl Node for Invitation {
    const TAG: u8 = b'I';

    /// The founder sees it, the one who has accepted it, and while it is offered the investor of its address and the
    /// investors who can accept it. One read for these.
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
        let is_own = self.accepted_by.as_ref() == Some(&user.user_id);
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

    /// Whether a user can accept it: an investor who, if it is for an address, has verified it.
    pub fn is_for(&self, user: &User, now: Moment) -> bool {
        let is_addressed = match &self.email {
            Some(email) => user.email == *email && user.has_verified_email(),
            None => true,
        };
        let is_open = self.status_at(now) == InvitationStatus::Open;
        is_open && is_addressed && user.role == UserRole::Investor
    }
}

/// Invitations to a startup, newest first. GSI1 `STARTUP#startup`, one Query.
pub fn of_startup(startup: Id<Startup>) -> Listing<Invitation> {
    Listing::on("invitations/startup", &GSI1, Pk::of("STARTUP", startup))
        .begins_with(Sk::word("INVITATION").below())
        .newest_first()
}
