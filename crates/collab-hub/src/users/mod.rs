//! Users: founders, talent, investors and admins, and the guards that give an email address to one of them.

mod address;
pub mod graphql;
pub mod moderation;
pub mod people;
pub mod profile;

pub use address::release;

use async_graphql::SimpleObject;
use serde::{Deserialize, Serialize};

use trestle_api::versioned;
use trestle_api::{Listed, Revision, Session};
use trestle_domain::string_enum;
use trestle_domain::{Bounded, Email, Link, List, Moment, Text, UserId, counted};
use trestle_table::{
    Addition, Condition, Entity, IndexKey, Key, KeyedAttributes, Listing, PageAsk, Pk, Row, Sk,
    TableDefinition, TableError, segments,
};

use super::signed::FileKey;
use super::table::{GSI1, GSI2, GSI4, TABLE};

string_enum! {
    /// The role of a user.
    UserRole {
        /// Offers startups and their roles.
        Founder = "FOUNDER",
        /// Applies for roles.
        Talent = "TALENT",
        /// Requests access to startups.
        Investor = "INVESTOR",
        /// Moderates users and startups.
        Admin = "ADMIN",
    }

    /// The status of a user. Only active users read anything besides their own profile.
    UserStatus {
        /// The user may use the service.
        Active = "ACTIVE",
        /// An admin has banned the user.
        Banned = "BANNED",
        /// The user is deleting the account, which nobody else sees any more. It is never stored.
        Deleted = "DELETED",
        /// The email address is not verified yet, or not any more.
        PendingVerification = "PENDING_VERIFICATION",
    }

    /// The status of a user's subscription, as shown on the profile.
    UserSubscriptionStatus {
        /// The user has never subscribed.
        None = "NONE",
        /// The subscription is paid or in trial.
        Active = "ACTIVE",
        /// The subscription has ended.
        Cancelled = "CANCELLED",
        /// A payment is overdue.
        PastDue = "PAST_DUE",
    }

    /// The tier of a subscription.
    SubscriptionTier {
        /// No charge.
        Free = "FREE",
        /// For one person.
        Pro = "PRO",
        /// For a company.
        Enterprise = "ENTERPRISE",
    }
}

impl UserStatus {
    /// The statuses of users who are not banned. A founder who has to verify a new address keeps startups that are shown.
    pub const LISTED: [Self; 2] = [Self::Active, Self::PendingVerification];

    /// Whether an admin may change this status to `next`.
    pub fn may_become(self, next: Self) -> bool {
        use UserStatus::{Active, Banned, Deleted, PendingVerification};
        match self {
            PendingVerification => matches!(next, Active | Banned),
            Active => next == Banned,
            Banned => next == Active,
            Deleted => false,
        }
    }
}

/// A user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct User {
    /// The subject of the user's tokens.
    pub user_id: UserId,
    #[graphql(skip)]
    pub email: Email,
    /// The role of the user.
    pub role: UserRole,
    /// First name, 1 to 80 characters.
    pub first_name: Text<1, 80>,
    /// Last name, 1 to 80 characters.
    pub last_name: Text<1, 80>,
    /// About the user, at most 2000 characters.
    pub bio: Option<Text<1, 2000>>,
    /// Skills of talent, at most 30.
    pub skills: Option<List<Text<1, 50>, 30>>,
    /// LinkedIn profile.
    pub linkedin_url: Option<Link>,
    /// Place, at most 120 characters.
    pub location: Option<Text<1, 120>>,
    /// Years of experience.
    pub experience_years: Option<Bounded<0, 80>>,
    /// Whether other users find the user by `people`.
    pub is_discoverable: Option<bool>,
    #[graphql(skip)]
    pub deleting_since: Option<Moment>,
    /// A cursor of the conversations that the user had left, up to which a deletion of the account has come.
    #[graphql(skip)]
    pub cleared_until: Option<Text<1, 2000>>,
    #[graphql(skip)]
    pub avatar_url: Option<FileKey>,
    #[graphql(skip)]
    pub status: UserStatus,
    /// Whether the email address is verified, if the status does not say it: an active user's is, unless this is false.
    #[graphql(skip)]
    pub email_verified: Option<bool>,
    #[graphql(skip)]
    pub stripe_customer_id: Option<Text<1, 255>>,
    #[graphql(skip)]
    pub subscription_status: UserSubscriptionStatus,
    #[graphql(skip)]
    pub subscription_tier: SubscriptionTier,
    #[graphql(skip)]
    pub status_reason: Option<Text<1, 1000>>,
    #[graphql(skip)]
    pub investor_approved: Option<bool>,
    /// As it is stored: ask [`User::known_unread`]. Absent, or out of the range of a count, until somebody has counted.
    #[graphql(skip)]
    #[serde(default, deserialize_with = "trestle_domain::read_number")]
    pub unread_notifications: Option<i64>,
    #[serde(flatten)]
    #[graphql(flatten)]
    pub stamp: Revision,
}

impl Entity for User {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "USER";
    const KEYED: KeyedAttributes = &[
        ("PK", &["", "userId"]),
        ("GSI1PK", &["", "role"]),
        ("GSI2PK", &["", "status"]),
    ];
    type Id = UserId;

    fn key_of(id: &Self::Id) -> Key {
        Key::new(Pk::of("USER", id), Sk::word("PROFILE"))
    }

    fn identity(&self) -> Self::Id {
        self.user_id.clone()
    }

    fn index_keys(&self) -> Vec<IndexKey> {
        let place = Sk::of("USER", &self.user_id);
        vec![
            GSI1.at(Pk::of("ROLE", self.role), place.clone()),
            GSI2.at(Pk::of("STATUS", self.status), place),
        ]
    }
}

versioned!(User);

impl Listed for User {
    const PAGE: &'static str = "A page of users.";
    const EDGE: &'static str = "A user in a list.";
}

/// Gives a verified email address to one user: `EMAIL#email` / `GUARD`. One that names a user who has not verified the
/// address, or has another one by now, does not count. Its attribute is not called `email`, so that the guard
/// is not in the index of addresses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EmailGuard {
    pub address: Email,
    pub user_id: UserId,
    #[serde(flatten)]
    pub stamp: Revision,
}

impl Entity for EmailGuard {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "EMAIL_GUARD";
    type Id = Email;

    fn key_of(email: &Self::Id) -> Key {
        Key::new(Pk::of("EMAIL", email), Sk::word("GUARD"))
    }

    fn identity(&self) -> Self::Id {
        self.address.clone()
    }
}

/// Where the number of unread notifications starts from if the notifications of a user were not counted: so far above
/// every count that additions to it do not make it one.
const NOT_COUNTED: i64 = 1 << 40;

/// Adds to the number of unread notifications of a user.
pub fn unread_notifications(by: i64) -> Addition {
    Addition::new("unreadNotifications", by).starting_from(NOT_COUNTED)
}

/// Takes from the number of unread notifications of a user, of which `known` were counted. If these are too few, they were
/// counted wrong, and the number is not known. What is not known must not become a count by what is taken from it.
pub fn fewer_unread_notifications(known: Option<u32>, by: u32) -> Addition {
    if known.is_none_or(|known| known < by) {
        unread_notifications(NOT_COUNTED)
    } else {
        unread_notifications(-i64::from(by))
    }
}

impl User {
    /// What holds of a user who is not banned. Who is banned is hidden, and reads nothing.
    pub fn is_listed() -> Condition {
        Condition::is_one_of("status", UserStatus::LISTED)
    }

    /// The number of unread notifications; `None` if nobody has counted them, as for a user of another program.
    pub fn known_unread(&self) -> Option<u32> {
        counted(self.unread_notifications?)
    }

    /// The guard of the user's email address.
    pub fn email_guard(&self, stamp: Revision) -> EmailGuard {
        EmailGuard {
            address: self.email.clone(),
            user_id: self.user_id.clone(),
            stamp,
        }
    }

    /// Whether the user has shown that the email address is theirs. Only then is it theirs alone.
    pub fn has_verified_email(&self) -> bool {
        let by_status = self.status != UserStatus::PendingVerification;
        self.email_verified.unwrap_or(by_status)
    }

    /// The status as it is shown. A user who deletes the account is stored as banned, which every release knows.
    pub fn shown_status(&self) -> UserStatus {
        match self.deleting_since {
            Some(_) => UserStatus::Deleted,
            None => self.status,
        }
    }

    /// First and last name.
    pub fn name(&self) -> String {
        format!("{} {}", self.first_name, self.last_name)
    }
}

/// The user whom a part of a key names, such as `USER#user` or `PARTICIPANT#user`. The attributes of another program's item
/// may name another one.
pub fn user_of_key(part: &str) -> Option<UserId> {
    let user = match segments(part).as_slice() {
        [_, user] => UserId::parse(user).ok(),
        _ => None,
    };
    if user.is_none() {
        tracing::warn!(key = part, "A key names no user, who is passed over");
    }
    user
}

/// Users of a role. GSI1 `ROLE#role`, one Query.
pub fn of_role(role: UserRole) -> Listing<User> {
    Listing::on("users/role", &GSI1, Pk::of("ROLE", role)).begins_with(Sk::word("USER").below())
}

/// Number of admins that are notified of one thing, at most.
const NOTIFIED_ADMINS: usize = 45;

/// Admins, no more than are notified of one thing. One Query.
///
/// # Errors
/// The store does not answer.
pub async fn notified_admins(session: &Session) -> Result<Vec<UserId>, TableError> {
    let (admins, ask) = (of_role(UserRole::Admin), PageAsk::first(NOTIFIED_ADMINS));
    let page = session.tables.page(&admins, &ask, &()).await?;
    let rows = page.rows.into_iter().filter_map(Row::keyed);
    let users = rows.filter_map(|(key, _)| user_of_key(key.pk.as_str()));
    Ok(users.collect())
}

/// Users of a status. GSI2 `STATUS#status`, one Query.
pub fn of_status(status: UserStatus) -> Listing<User> {
    let stored = match status {
        UserStatus::Deleted => UserStatus::Banned,
        status => status,
    };
    let list = Listing::on("users/status", &GSI2, Pk::of("STATUS", stored))
        .begins_with(Sk::word("USER").below());
    match status {
        UserStatus::Deleted => list.filtered(Condition::Has("deletingSince")),
        UserStatus::Banned => list.filtered(Condition::Lacks("deletingSince".into())),
        UserStatus::Active | UserStatus::PendingVerification => list,
    }
}

/// The users of an email address. GSI4, which has users alone unless another program writes an `email`, one Query.
pub fn by_email(email: &Email) -> Listing<User> {
    Listing::on("users/email", &GSI4, Pk::value(email))
        .filtered(Condition::is("entityType", &User::KIND))
}
