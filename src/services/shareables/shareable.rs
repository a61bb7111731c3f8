//! Shareables: what checklists and polls have in common, in one item.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::passcode::PasscodeHash;
use super::short_id::ShortId;
use super::table::TABLE;
use super::token::{ShareableKind, ShareableRole};
use crate::api::Stamp;
use crate::domain::{Moment, Seconds, Text};
use crate::stamped;
use crate::table::{Condition, Entity, Key, Pk, Sk, TableDefinition};

/// How long a shareable is kept after it expires, in seconds: 365 days.
pub const RETENTION: i64 = 365 * 24 * 3600;

/// What a shareable is called.
pub type Name = Text<1, 120>;
/// Text below the name of a checklist or an item.
pub type Note = Text<1, 2000>;
/// What a poll asks.
pub type Question = Text<1, 300>;

/// A checklist or a poll: `shareable#abcdef12345` / `01#`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Shareable {
    pub short_id: ShortId,
    pub name: Name,
    pub view_passcode: PasscodeHash,
    pub admin_passcode: PasscodeHash,
    pub expires_at: Moment<Seconds>,
    /// How many items or options it has.
    pub part_count: u32,
    #[serde(flatten)]
    pub content: Content,
    #[serde(flatten)]
    pub stamp: Stamp,
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
pub struct ChecklistContent {
    pub note: Option<Note>,
}

/// What only a poll has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PollContent {
    pub question: Question,
    /// Whether a vote can be for several options.
    pub allows_several: bool,
    /// Whether counts are shown only when the poll is closed.
    pub hides_results: bool,
    pub closes_at: Option<Moment<Seconds>>,
}

impl Entity for Shareable {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "shareable";
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

stamped!(Shareable);

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

    /// The hash of the passcode that opens a role.
    pub fn hash_of(&self, role: ShareableRole) -> &PasscodeHash {
        match role {
            ShareableRole::View => &self.view_passcode,
            ShareableRole::Admin => &self.admin_passcode,
        }
    }

    /// What holds of its items, options and votes until it expires: they carry its TTL.
    pub fn is_current(now: DateTime<Utc>) -> Condition {
        Condition::at_least("ttl", &(now.timestamp() + RETENTION + 1))
    }
}

impl PollContent {
    /// Until when votes count.
    pub fn votable_until(&self, expires_at: Moment<Seconds>) -> Moment<Seconds> {
        self.closes_at
            .map_or(expires_at, |closes_at| closes_at.min(expires_at))
    }
}
