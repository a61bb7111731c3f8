//! Shareables: what checklists and polls have in common, in one item.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::passcode::PasscodeHash;
use super::short_id::ShortId;
use super::table::TABLE;
use super::token::{Claims, Grant, ShareableKind, ShareableRole, ViewerPermission};
use trestle_api::Revision;
use trestle_api::versioned;
use trestle_domain::{Moment, Rule, Seconds, Text, Violations};
use trestle_table::{
    Condition, Entity, Key, KeyedAttributes, Pk, Sk, TableDefinition, Versioned as _,
};

/// How long a shareable is kept after it expires, in seconds: 365 days.
pub const RETENTION: i64 = 365 * 24 * 3600;

/// How long a shareable is open at most, in seconds, unless it is extended.
pub const LONGEST_LIFE: i64 = 366 * 24 * 3600;

/// What a shareable is called.
pub type Name = Text<1, 120>;
/// Text below the name of a checklist or an item.
pub type Note = Text<1, 2000>;
/// What a poll asks.
pub type Question = Text<1, 300>;
/// The name of a time zone, such as `Europe/Berlin`.
pub type TimeZone = Text<1, 64>;

/// A checklist or a poll: `shareable#abcdef12345` / `01#`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Shareable {
    pub short_id: ShortId,
    pub name: Name,
    pub view_passcode: PasscodeHash,
    pub admin_passcode: PasscodeHash,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier_view_passcode: Option<EarlierPasscode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier_admin_passcode: Option<EarlierPasscode>,
    /// The hashes of passcodes that the server made, among the present and the earlier ones. People chose the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made_passcodes: Vec<PasscodeHash>,
    #[serde(deserialize_with = "stored::expiry")]
    pub expires_at: Moment<Seconds>,
    /// How many items or options it has. `None` in an item of another program that does not say it.
    #[serde(default, deserialize_with = "trestle_domain::read_known_counter")]
    pub part_count: Option<u32>,
    /// How often the admin has taken back a device or an invitation. Tokens are sealed with it, so that one that cannot be read must
    /// not count as 0: what was taken back would be good again.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub revocations: u32,
    /// Whether it is extended whenever its admin opens it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stays_open: bool,
    #[serde(flatten)]
    pub content: Content,
    #[serde(flatten, deserialize_with = "stored::stamp")]
    pub stamp: Revision,
}

/// The hash of a new passcode.
#[derive(Clone, PartialEq)]
pub struct NewHash {
    pub hash: PasscodeHash,
    /// Whether the server made the passcode.
    pub is_made: bool,
}

/// A passcode that was replaced. For a while it is told apart from wrong ones, and who has used it from strangers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EarlierPasscode {
    pub hash: PasscodeHash,
    /// Until when it matters.
    pub until: Moment<Seconds>,
}

impl EarlierPasscode {
    /// 30 days, in seconds.
    const REMEMBERED: i64 = 30 * 24 * 3600;

    /// A passcode that is replaced at `now`.
    pub fn replaced(hash: &PasscodeHash, now: DateTime<Utc>) -> Option<Self> {
        let until = Moment::from_seconds(now.timestamp() + Self::REMEMBERED)?;
        Some(Self {
            hash: hash.clone(),
            until,
        })
    }
}

/// Items that other programs have written: what they may leave out, and the forms that they may use.
mod stored {
    use chrono::{Days, NaiveDate};
    use serde::de::Error;
    use serde::{Deserialize, Deserializer};
    use trestle_api::Revision;
    use trestle_domain::{Moment, Seconds};

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct LooseStamp {
        #[serde(default)]
        version: u32,
        created_at: Option<Moment>,
        updated_at: Option<Moment>,
    }

    /// A stamp of which attributes may be missing. Moments that are not known are 1970; see
    /// [`Shareable::created_at`](super::Shareable::created_at).
    pub fn stamp<'de, D: Deserializer<'de>>(from: D) -> Result<Revision, D::Error> {
        let loose = LooseStamp::deserialize(from)?;
        let unknown = Moment::from_millis(0).ok_or_else(|| D::Error::custom("1970"))?;
        Ok(Revision {
            version: loose.version,
            created_at: loose.created_at.unwrap_or(unknown),
            updated_at: loose.updated_at.unwrap_or(unknown),
        })
    }

    /// A timestamp, or a date, which ends at midnight in UTC.
    pub fn expiry<'de, D: Deserializer<'de>>(from: D) -> Result<Moment<Seconds>, D::Error> {
        let text = String::deserialize(from)?;
        let date = || {
            let date = NaiveDate::parse_from_str(&text, "%Y-%m-%d").ok()?;
            let end = date.checked_add_days(Days::new(1))?.and_hms_opt(0, 0, 0)?;
            Moment::from_seconds(end.and_utc().timestamp())
        };
        match Moment::parse(&text) {
            Ok(moment) => Ok(moment),
            Err(rule) => date().ok_or_else(|| D::Error::custom(rule)),
        }
    }
}

/// What is shared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "entity", rename_all = "snake_case")]
pub enum Content {
    Checklist(ChecklistContent),
    Poll(PollContent),
}

/// What only a checklist has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChecklistContent {
    pub note: Option<Note>,
    /// What the view passcode is enough for. Not stored if it is ticking alone.
    #[serde(default = "ticking_alone", skip_serializing_if = "is_ticking_alone")]
    pub viewers_may: Vec<ViewerPermission>,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// What viewers may do unless the maker says otherwise.
pub fn ticking_alone() -> Vec<ViewerPermission> {
    vec![ViewerPermission::Tick]
}

fn is_ticking_alone(permissions: &Vec<ViewerPermission>) -> bool {
    *permissions == ticking_alone()
}

/// What only a poll has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PollContent {
    pub question: Question,
    /// Whether a vote can be for several options.
    #[serde(default)]
    pub allows_several: bool,
    /// Whether counts are shown only when the poll is closed. Results that were shown stay shown.
    #[serde(default)]
    pub hides_results: bool,
    pub closes_at: Option<Moment<Seconds>>,
    /// Whether only those with a personal link may vote.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub invited_only: bool,
    /// Whether names of voters are shown to themselves and to admins alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hides_names: bool,
    /// Whether a vote can have options that suit if need be.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allows_maybe: bool,
    /// The time zone in which its times are meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<TimeZone>,
    /// How many have voted. `None` if it was not counted from the beginning.
    #[serde(
        default,
        deserialize_with = "trestle_domain::read_known_counter",
        skip_serializing_if = "Option::is_none"
    )]
    pub voter_count: Option<u32>,
    /// How many have voted that none of the options suits.
    #[serde(
        default,
        deserialize_with = "trestle_domain::read_counter",
        skip_serializing_if = "is_zero"
    )]
    pub none_count: u32,
    /// Options that were deleted although they had votes: votes may still name them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deleted_options: Vec<Uuid>,
    /// When its question, its zone or its settings were last corrected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected_at: Option<Moment<Seconds>>,
    /// When a closed poll was last opened again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reopened_at: Option<Moment<Seconds>>,
}

impl Entity for Shareable {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "shareable";
    const KEYED: KeyedAttributes = &[("pk", &["", "shortId"])];
    type Id = ShortId;

    fn is_kind(kind: &str) -> bool {
        ShareableKind::from_word(kind).is_some()
    }

    fn key_of(id: &ShortId) -> Key {
        Key::new(Pk::of("shareable", id), Sk::word("01").closed())
    }

    fn identity(&self) -> ShortId {
        self.short_id.clone()
    }

    fn expires(&self) -> Option<i64> {
        Some(self.ttl())
    }
}

versioned!(Shareable);

impl Shareable {
    /// When it is deleted, in seconds after 1970. Its items, options and votes go with it.
    pub fn ttl(&self) -> i64 {
        self.expires_at.seconds() + RETENTION
    }

    pub fn kind(&self) -> ShareableKind {
        match self.content {
            Content::Checklist(_) => ShareableKind::Checklist,
            Content::Poll(_) => ShareableKind::Poll,
        }
    }

    /// Whether the view passcode no longer opens it, and nothing of it changes.
    pub fn is_expired(&self, now: DateTime<Utc>) -> bool {
        now.timestamp() >= self.expires_at.seconds()
    }

    /// Whether a role opens it at `now`. TTL deletes late, so the end of retention is checked here.
    pub fn is_open_to(&self, role: ShareableRole, now: DateTime<Utc>) -> bool {
        match role {
            ShareableRole::View => !self.is_expired(now),
            ShareableRole::Admin => now.timestamp() < self.ttl(),
        }
    }

    /// Whether a role may do this with items.
    ///
    /// # Errors
    /// That it needs the admin passcode.
    pub fn permits(
        &self,
        role: ShareableRole,
        permission: ViewerPermission,
    ) -> Result<(), Violations> {
        const ADMIN: Rule = Rule::Forbidden("This needs the admin passcode");
        let is_allowed = match (role, &self.content) {
            (ShareableRole::Admin, _) => true,
            (ShareableRole::View, Content::Poll(_)) => false,
            (ShareableRole::View, Content::Checklist(checklist)) => {
                checklist.viewers_may.contains(&permission)
            }
        };
        is_allowed.then_some(()).ok_or_else(|| ADMIN.at("id"))
    }

    /// The hash of the passcode that opens a role.
    pub fn hash_of(&self, role: ShareableRole) -> &PasscodeHash {
        match role {
            ShareableRole::View => &self.view_passcode,
            ShareableRole::Admin => &self.admin_passcode,
        }
    }

    /// The hash of the passcode that a role had before, as long as it matters.
    pub fn earlier_hash_of(
        &self,
        role: ShareableRole,
        now: DateTime<Utc>,
    ) -> Option<&PasscodeHash> {
        let earlier = match role {
            ShareableRole::View => self.earlier_view_passcode.as_ref(),
            ShareableRole::Admin => self.earlier_admin_passcode.as_ref(),
        };
        let earlier = earlier.filter(|earlier| now.timestamp() < earlier.until.seconds());
        earlier.map(|earlier| &earlier.hash)
    }

    /// Whether the server made the passcode with this hash. It cannot be guessed.
    pub fn is_made(&self, hash: &PasscodeHash) -> bool {
        self.made_passcodes.contains(hash)
    }

    /// Replaces a passcode.
    pub fn replace_passcode(&mut self, role: ShareableRole, new: NewHash, now: DateTime<Utc>) {
        let (present, earlier) = match role {
            ShareableRole::View => (&mut self.view_passcode, &mut self.earlier_view_passcode),
            ShareableRole::Admin => (&mut self.admin_passcode, &mut self.earlier_admin_passcode),
        };
        *earlier = EarlierPasscode::replaced(present, now);
        *present = new.hash.clone();
        if new.is_made {
            self.made_passcodes.push(new.hash);
        }
        // Only those that a passcode can still be compared with.
        let earlier = [&self.earlier_view_passcode, &self.earlier_admin_passcode];
        let earlier = earlier.into_iter().flatten().map(|earlier| &earlier.hash);
        let present = [&self.view_passcode, &self.admin_passcode];
        let used: Vec<_> = earlier.chain(present).cloned().collect();
        self.made_passcodes.retain(|made| used.contains(made));
    }

    /// Whether another version of it has other passcodes.
    pub fn hashes_differ(&self, other: &Self) -> bool {
        self.view_passcode != other.view_passcode || self.admin_passcode != other.admin_passcode
    }

    /// What holds of its items until it expires: they carry its TTL, unless another program wrote them.
    pub fn is_current(now: DateTime<Utc>) -> Condition {
        let ttl = Condition::at_least("ttl", &(now.timestamp() + RETENTION + 1));
        Condition::Exists.and(Condition::Any(vec![ttl, Condition::Lacks("ttl".into())]))
    }

    /// What holds of it as long as claims open it and nothing of its own changes. Votes and ticks change nothing of it.
    pub fn is_same_for(&self, claims: &Claims) -> Condition {
        let access = match (claims.grant, claims.role) {
            (Some(Grant::Invitation(_)), _) => Condition::Exists,
            (_, ShareableRole::View) => Condition::is("viewPasscode", &self.view_passcode),
            (_, ShareableRole::Admin) => Condition::is("adminPasscode", &self.admin_passcode),
        };
        let same = access.and(self.unchanged());
        match &self.content {
            Content::Checklist(_) => same,
            Content::Poll(PollContent {
                closes_at: Some(at),
                ..
            }) => same.and(Condition::is("closesAt", at)),
            Content::Poll(_) => same.and(Condition::Lacks("closesAt".into())),
        }
    }

    /// When it was created, if that is known.
    pub fn created_at(&self) -> Option<Moment> {
        known(self.stamp.created_at)
    }

    /// When it was last changed, if that is known.
    pub fn updated_at(&self) -> Option<Moment> {
        known(self.stamp.updated_at)
    }
}

/// A moment, unless it stands for one that nobody noted.
fn known(moment: Moment) -> Option<Moment> {
    (moment.millis() > 0).then_some(moment)
}

impl PollContent {
    /// Until when votes count.
    pub fn votable_until(&self, expires_at: Moment<Seconds>) -> Moment<Seconds> {
        self.closes_at
            .map_or(expires_at, |closes_at| closes_at.min(expires_at))
    }
}
