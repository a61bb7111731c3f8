//! Access of investors to startups: requests, and the grants that authorization reads.

pub mod graphql;

use async_graphql::SimpleObject;
use serde::{Deserialize, Serialize};

use crate::api::{Listed, Stamp};
use crate::domain::{Id, Moment, Text, UserId};
use crate::table::{Entity, IndexKey, Key, Listing, Pk, Sk, TableDefinition};
use crate::{stamped, words};

use super::startups::Startup;
use super::table::{GSI1, GSI2, TABLE};

words! {
    /// The status of an access request.
    AccessStatus {
        /// Waits for the founder.
        Pending = "PENDING",
        /// The investor has access until it expires.
        Approved = "APPROVED",
        /// The founder has declined.
        Rejected = "REJECTED",
        /// The founder has withdrawn the access.
        Revoked = "REVOKED",
    }

    /// What access gives. Each level includes the ones before it.
    AccessLevel {
        /// Sees the startup even if it is private.
        ViewProfile = "VIEW_PROFILE",
        /// Also reads the pitch deck.
        ViewDeck = "VIEW_DECK",
        /// Everything that the founder shares with investors.
        FullAccess = "FULL_ACCESS",
    }
}

impl AccessStatus {
    /// Whether the founder may change this status to `next`.
    pub fn may_become(self, next: Self) -> bool {
        use AccessStatus::{Approved, Pending, Rejected, Revoked};
        match self {
            Pending => matches!(next, Approved | Rejected),
            Approved => next == Revoked,
            Rejected | Revoked => false,
        }
    }

    /// Whether the investor may not request access again.
    pub fn is_open(self) -> bool {
        matches!(self, AccessStatus::Pending | AccessStatus::Approved)
    }
}

/// An investor's request for access to a startup.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct AccessRequest {
    #[graphql(skip)]
    pub access_id: Id<AccessRequest>,
    #[graphql(skip)]
    pub requester_id: UserId,
    #[graphql(skip)]
    pub startup_id: Id<Startup>,
    #[graphql(skip)]
    pub founder_id: UserId,
    /// Message to the founder, at most 2000 characters.
    pub message: Option<Text<1, 2000>>,
    /// Status.
    pub status: AccessStatus,
    /// Requested level, or the granted level once the request is approved.
    pub access_level: AccessLevel,
    /// When the founder approved the request.
    pub granted_at: Option<Moment>,
    /// When the access ends. Without a value, it does not end.
    pub expires_at: Option<Moment>,
    #[serde(flatten)]
    #[graphql(flatten)]
    pub stamp: Stamp,
}

impl Entity for AccessRequest {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "ACCESS_REQUEST";
    type Id = Id<AccessRequest>;

    fn key_of(id: &Self::Id) -> Key {
        Key::new(Pk::of("ACCESS", id), Sk::word("METADATA"))
    }

    fn identity(&self) -> Self::Id {
        self.access_id
    }

    fn index_keys(&self) -> Vec<IndexKey> {
        let requester = Pk::of("REQUESTER", &self.requester_id);
        let status = Sk::of("STATUS", self.status).then(self.stamp.created_at);
        vec![
            GSI1.at(requester, Sk::of("ACCESS", self.access_id)),
            GSI2.at(Pk::of("STARTUP", self.startup_id), status),
        ]
    }
}

stamped!(AccessRequest);

impl Listed for AccessRequest {
    const PAGE: &'static str = "A page of access requests.";
    const EDGE: &'static str = "An access request in a list.";
}

/// The open request of an investor for a startup, found by both: `STARTUP#startup` / `ACCESS#investor`. It keeps the
/// investor from requesting twice, and it is what authorization reads, strongly consistent. It is written with each
/// change of the request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Grant {
    pub startup_id: Id<Startup>,
    pub requester_id: UserId,
    pub access_id: Id<AccessRequest>,
    pub status: AccessStatus,
    pub access_level: AccessLevel,
    pub expires_at: Option<Moment>,
    #[serde(flatten)]
    pub stamp: Stamp,
}

impl Entity for Grant {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "ACCESS_GRANT";
    type Id = (Id<Startup>, UserId);

    fn key_of((startup, investor): &Self::Id) -> Key {
        Key::new(Pk::of("STARTUP", startup), Sk::of("ACCESS", investor))
    }

    fn identity(&self) -> Self::Id {
        (self.startup_id, self.requester_id.clone())
    }
}

impl Grant {
    /// Whether the access is approved, has not expired, and includes a level.
    pub fn allows(&self, level: AccessLevel, now: Moment) -> bool {
        self.status == AccessStatus::Approved
            && !self.has_expired(now)
            && self.access_level >= level
    }

    /// Whether the access has ended by itself.
    pub fn has_expired(&self, now: Moment) -> bool {
        self.expires_at.is_some_and(|end| end <= now)
    }
}

impl AccessRequest {
    /// The grant of this request.
    pub fn grant(&self) -> Grant {
        Grant {
            startup_id: self.startup_id,
            requester_id: self.requester_id.clone(),
            access_id: self.access_id,
            status: self.status,
            access_level: self.access_level,
            expires_at: self.expires_at,
            stamp: self.stamp.clone(),
        }
    }
}

/// Access requests of an investor, newest first. GSI1 `REQUESTER#user`, one Query.
pub fn of_requester(user: &UserId) -> Listing<AccessRequest> {
    Listing::on("access/requester", &GSI1, Pk::of("REQUESTER", user))
        .begins_with(Sk::word("ACCESS").below())
        .newest_first()
}

/// Access requests for a startup, by status and then oldest first. GSI2 `STARTUP#startup`, one Query.
pub fn of_startup(startup: Id<Startup>, status: Option<AccessStatus>) -> Listing<AccessRequest> {
    let list = Listing::on("access/startup", &GSI2, Pk::of("STARTUP", startup));
    list.begins_with(match status {
        Some(status) => Sk::of("STATUS", status).below(),
        None => Sk::word("STATUS").below(),
    })
}
