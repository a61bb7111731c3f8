//! Access of investors to startups: requests, and the grants that authorization reads.

pub mod earlier;
pub mod ending;
pub mod graphql;
pub mod held;
pub mod unblocked;

use async_graphql::SimpleObject;
use chrono::TimeDelta;
use serde::{Deserialize, Serialize};

use trestle_api::versioned;
use trestle_api::{Listed, Revision};
use trestle_domain::string_enum;
use trestle_domain::{Id, Moment, Rule, Text, UserId};
use trestle_table::{Entity, IndexKey, Key, KeyedAttributes, Listing, Pk, Sk, TableDefinition};

use super::startups::Startup;
use super::table::{GSI1, GSI2, TABLE};

string_enum! {
    /// The status of an access request.
    AccessStatus {
        /// Waits for the founder.
        Pending = "PENDING",
        /// The investor has access until it expires.
        Approved = "APPROVED",
        /// The founder has declined.
        Rejected = "REJECTED",
        /// The founder has withdrawn the access, or deleted the startup.
        Revoked = "REVOKED",
        /// The investor has withdrawn the request, or has accepted an invitation instead.
        Withdrawn = "WITHDRAWN",
        /// The approved access has ended at its `expiresAt`.
        Expired = "EXPIRED",
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
    /// Whether the founder may change this status to `next`. A decision can be taken back. EXPIRED is never stored.
    pub fn may_become(self, next: Self) -> bool {
        use AccessStatus::{Approved, Expired, Pending, Rejected, Revoked, Withdrawn};
        match self {
            Pending => matches!(next, Approved | Rejected),
            Approved => next == Revoked,
            Rejected => matches!(next, Approved | Pending),
            Revoked => next == Approved,
            Expired | Withdrawn => false,
        }
    }

    /// Whether a grant is kept: while the investor may not request access again, and after a rejection, so that the pause
    /// before the next request is known.
    pub fn has_grant(self) -> bool {
        match self {
            AccessStatus::Pending | AccessStatus::Approved | AccessStatus::Rejected => true,
            AccessStatus::Revoked | AccessStatus::Withdrawn | AccessStatus::Expired => false,
        }
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
    pub startup_name: Option<Text<1, 120>>,
    #[graphql(skip)]
    pub founder_id: UserId,
    /// Message to the founder, at most 2000 characters.
    pub message: Option<Text<1, 2000>>,
    #[graphql(skip)]
    pub status: AccessStatus,
    /// Requested level, or the granted level once the request is approved.
    pub access_level: AccessLevel,
    /// When the founder approved the request.
    pub granted_at: Option<Moment>,
    /// When the access ends. Without a value, it does not end.
    pub expires_at: Option<Moment>,
    /// The founder's reason for the status.
    pub reason: Option<Text<1, 1000>>,
    /// Whether the startup exists, as the change that answers the request has just checked.
    #[graphql(skip)]
    #[serde(skip)]
    pub has_startup: bool,
    #[serde(flatten)]
    #[graphql(flatten)]
    pub stamp: Revision,
}

impl Entity for AccessRequest {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "ACCESS_REQUEST";
    const KEYED: KeyedAttributes = &[
        ("PK", &["", "accessId"]),
        ("GSI1PK", &["", "requesterId"]),
        ("GSI2PK", &["", "startupId"]),
        ("GSI2SK", &["", "status", "createdAt"]),
    ];
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

versioned!(AccessRequest);

impl Listed for AccessRequest {
    const PAGE: &'static str = "A page of access requests.";
    const EDGE: &'static str = "An access request in a list.";
}

/// How long an investor waits after a rejection before the next request for the same startup.
pub const PAUSE: TimeDelta = TimeDelta::days(30);

/// The open or rejected request of an investor for a startup, found by both: `STARTUP#startup` / `ACCESS#investor`. It keeps the
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
    /// The request for a higher level, while this one gives access.
    pub upgrade: Option<Upgrade>,
    #[serde(flatten)]
    pub stamp: Revision,
}

/// A request of an investor with approved access for a higher level. Once approved, it takes the place of the lower access.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Upgrade {
    pub access_id: Id<AccessRequest>,
    pub status: AccessStatus,
    pub access_level: AccessLevel,
    pub decided_at: Moment,
}

impl Upgrade {
    /// Whether it keeps the investor from requesting a higher level: it waits for the founder, or was rejected a short time
    /// ago.
    fn holds_at(&self, now: Moment) -> bool {
        match self.status {
            AccessStatus::Pending => true,
            AccessStatus::Rejected => self.decided_at.is_within(PAUSE, now),
            AccessStatus::Approved
            | AccessStatus::Revoked
            | AccessStatus::Withdrawn
            | AccessStatus::Expired => false,
        }
    }
}

/// The refusal of a second request, while one waits for the founder.
pub const OPEN: Rule = Rule::Conflict(
    "names a startup that you have an open access request for: withdraw that by `withdrawAccessRequest`, or wait",
);

/// What a new request does with the grant that is stored.
pub enum Place {
    /// It becomes the investor's grant.
    Own,
    /// It waits beside the access that the investor has.
    Waiting,
    /// It is refused.
    Held(Rule),
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

    /// Where a new request for a level goes: it takes the place of access that has expired and of a rejection that is long
    /// ago, and waits beside access of a lower level.
    pub fn place_of(&self, level: AccessLevel, now: Moment) -> Place {
        const PAUSED: Rule = Rule::Conflict(
            "names a startup that rejected a request of yours in the last 30 days: ask again after them",
        );
        let is_recent = self.stamp.updated_at.is_within(PAUSE, now);
        let upgrade = self
            .upgrade
            .as_ref()
            .filter(|upgrade| upgrade.holds_at(now));
        match (self.status, upgrade) {
            (_, Some(upgrade)) if upgrade.status == AccessStatus::Rejected => Place::Held(PAUSED),
            (AccessStatus::Pending, _) | (_, Some(_)) => Place::Held(OPEN),
            (AccessStatus::Rejected, None) if is_recent => Place::Held(PAUSED),
            (AccessStatus::Approved, None) if self.has_expired(now) => Place::Own,
            (AccessStatus::Approved, None) if level > self.access_level => Place::Waiting,
            (AccessStatus::Approved, None) => Place::Held(Rule::Conflict(
                "names a startup that you have this access to already: ask for a higher level",
            )),
            (
                AccessStatus::Rejected
                | AccessStatus::Revoked
                | AccessStatus::Withdrawn
                | AccessStatus::Expired,
                None,
            ) => Place::Own,
        }
    }

    /// Whether it leaves the access that another program has approved by another request: it has given none.
    pub fn leaves_earlier_access(&self) -> bool {
        match self.status {
            AccessStatus::Pending | AccessStatus::Rejected | AccessStatus::Withdrawn => true,
            AccessStatus::Approved | AccessStatus::Revoked | AccessStatus::Expired => false,
        }
    }

    /// Whether it waits for the founder, or gives access.
    pub fn is_open_at(&self, now: Moment) -> bool {
        let waits = |upgrade: &Upgrade| upgrade.status == AccessStatus::Pending;
        match self.status {
            AccessStatus::Approved if self.upgrade.as_ref().is_some_and(waits) => true,
            AccessStatus::Pending => true,
            AccessStatus::Approved => !self.has_expired(now),
            AccessStatus::Rejected
            | AccessStatus::Revoked
            | AccessStatus::Withdrawn
            | AccessStatus::Expired => false,
        }
    }

    /// Whether the access has ended by itself.
    pub fn has_expired(&self, now: Moment) -> bool {
        self.expires_at.is_some_and(|end| end <= now)
    }
}

impl AccessRequest {
    /// Whether it waits for the founder, or gives access.
    pub fn is_open_at(&self, now: Moment) -> bool {
        let status = self.status_at(now);
        matches!(status, AccessStatus::Pending | AccessStatus::Approved)
    }

    /// The status at a moment: approved access that has ended is EXPIRED.
    pub fn status_at(&self, now: Moment) -> AccessStatus {
        let has_ended = self.expires_at.is_some_and(|end| end <= now);
        match self.status {
            AccessStatus::Approved if has_ended => AccessStatus::Expired,
            status => status,
        }
    }

    /// What the investor is told of the status. The name of the startup is in the text, because the investor may not see the
    /// startup any more.
    pub fn told(&self, startup: &Text<1, 120>) -> String {
        let name = startup.as_str();
        let level = self.access_level.word();
        let mut told = match (self.status, self.expires_at) {
            (AccessStatus::Approved, Some(end)) => {
                format!("Your access to {name} is approved: {level} until {end}.")
            }
            (AccessStatus::Approved, None) => {
                format!("Your access to {name} is approved: {level}, without an end.")
            }
            (AccessStatus::Rejected, _) => {
                format!("Your request for access to {name} was rejected.")
            }
            (AccessStatus::Revoked, _) => format!("Your access to {name} was revoked."),
            (AccessStatus::Withdrawn, _) => {
                format!("Your request for access to {name} is withdrawn.")
            }
            (AccessStatus::Expired, _) => format!("Your access to {name} has ended."),
            (AccessStatus::Pending, _) => {
                format!("Your request for access to {name} is open again.")
            }
        };
        if let Some(reason) = &self.reason {
            told.push_str(" Reason: ");
            told.push_str(reason.as_str());
        }
        told
    }

    /// The grant of this request.
    pub fn grant(&self) -> Grant {
        Grant {
            startup_id: self.startup_id,
            requester_id: self.requester_id.clone(),
            access_id: self.access_id,
            status: self.status,
            access_level: self.access_level,
            expires_at: self.expires_at,
            upgrade: None,
            stamp: self.stamp.clone(),
        }
    }

    /// The same, which its investor has withdrawn.
    pub fn withdrawn(&self) -> Self {
        Self {
            status: AccessStatus::Withdrawn,
            reason: None,
            ..self.clone()
        }
    }

    /// This request beside the access that the investor has.
    pub fn upgrade(&self, decided_at: Moment) -> Upgrade {
        Upgrade {
            access_id: self.access_id,
            status: self.status,
            access_level: self.access_level,
            decided_at,
        }
    }
}

/// The grants of a startup. `STARTUP#startup` / `ACCESS#`, one Query.
pub fn grants_of(startup: Id<Startup>) -> Listing<Grant> {
    Listing::of("access/grants", Pk::of("STARTUP", startup)).begins_with(Sk::word("ACCESS").below())
}

/// Access requests of an investor, newest first. GSI1 `REQUESTER#user`, one Query.
pub fn of_requester(user: &UserId) -> Listing<AccessRequest> {
    Listing::on("access/requester", &GSI1, Pk::of("REQUESTER", user))
        .begins_with(Sk::word("ACCESS").below())
        .newest_first()
}

/// Access requests for a startup, by stored status and then oldest first. GSI2 `STARTUP#startup`, one Query; further ones
/// for APPROVED and EXPIRED, which are stored alike, while too few match.
pub fn of_startup(
    startup: Id<Startup>,
    status: Option<AccessStatus>,
    now: Moment,
) -> Listing<AccessRequest> {
    let list = Listing::on("access/startup", &GSI2, Pk::of("STARTUP", startup));
    let Some(status) = status else {
        return list.begins_with(Sk::word("STATUS").below());
    };
    let stored = match status {
        AccessStatus::Expired => AccessStatus::Approved,
        status => status,
    };
    let list = list.begins_with(Sk::of("STATUS", stored).below());
    match status {
        AccessStatus::Approved | AccessStatus::Expired => list
            .keeping(status.word().to_owned(), move |request: &AccessRequest| {
                request.status_at(now) == status
            })
            .reading_at_most(READ_FOR_A_PAGE),
        _ => list,
    }
}

/// Number of requests that are read for one page, at most, if not all of them match.
const READ_FOR_A_PAGE: usize = 1000;
