//! Budgets of wrong passcodes. Those of a short id are stored, so that they hold in every process: one for each role of
//! those who are not known, one for each role of all who were known by an earlier passcode, and one for each role of an
//! address or voter that is known by the present one. So a stranger cannot use up what its people have. An address that is
//! not known has a few tries of its own besides.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::budget::{Budget, DAY, left};
use super::short_id::ShortId;
use super::table::TABLE;
use super::token::ShareableRole;
use trestle_domain::Moment;
use trestle_table::{
    Condition, Entity, Key, Pk, Sk, TableDefinition, TableError, Tables, WriteError, from_item,
};

/// How long wrong passcodes are remembered after the last one, in seconds.
const REMEMBERED: i64 = DAY.seconds;
/// How long it is remembered that a source has opened a shareable, in seconds.
const KNOWN: i64 = 100 * 24 * 3600;
/// How often a write that met others is tried. Others can only be as many as there are turns to hash.
const TRIES: usize = 64;

/// The wrong passcodes given for a short id, whether or not a shareable has it: by those who are not known
/// `guesses#abcdef12345` / `01#`, by those of a [`Group`] or by one source `guesses#abcdef12345` / `01#<source>#`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Guesses {
    short_id: ShortId,
    /// Hash of an address or voter, or the word of a group.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    #[serde(default)]
    view: Budget,
    #[serde(default)]
    admin: Budget,
    /// A pause that an earlier version of the service has stored, of both roles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    paused_until: Option<Moment>,
    /// What an earlier version of the service has counted, and needs to read the item.
    #[serde(default)]
    failures: u32,
    #[serde(default)]
    version: u32,
    ttl: i64,
}

/// Whose guesses: a short id's, and a source's or a group's if there is one.
pub type GuessesId = (ShortId, Option<String>);

/// Those who share a budget, whoever they are. Hashes of sources are longer than its words.
#[derive(Clone, Copy, Debug)]
pub enum Group {
    /// Who was known by the passcode before the present one.
    Former,
    /// The tries that addresses have of their own.
    Newcomers,
}

impl Group {
    /// The id of its wrong passcodes.
    pub fn of(self, short_id: &ShortId) -> GuessesId {
        let word = match self {
            Group::Former => "former",
            Group::Newcomers => "newcomers",
        };
        (short_id.clone(), Some(word.to_owned()))
    }

    /// Whether several share a budget: those who are not known, or a group.
    fn has((short_id, source): &GuessesId) -> bool {
        let groups = [Group::Former, Group::Newcomers].map(|group| group.of(short_id).1);
        source.is_none() || groups.contains(source)
    }
}

impl Entity for Guesses {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "guesses";
    type Id = GuessesId;

    fn key_of((short_id, source): &GuessesId) -> Key {
        let sk = match source {
            Some(source) => Sk::of("01", source.as_str()),
            None => Sk::word("01"),
        };
        Key::new(Pk::of("guesses", short_id), sk.closed())
    }

    fn identity(&self) -> GuessesId {
        (self.short_id.clone(), self.source.clone())
    }

    fn expires(&self) -> Option<i64> {
        Some(self.ttl)
    }
}

impl Guesses {
    fn new((short_id, source): GuessesId) -> Self {
        Self {
            short_id,
            source,
            view: Budget::default(),
            admin: Budget::default(),
            paused_until: None,
            failures: 0,
            version: 0,
            ttl: 0,
        }
    }

    /// A source that has just opened a shareable, by the passcode with this seal.
    pub fn opened(id: GuessesId, role: ShareableRole, seal: &str, now: Moment) -> Self {
        Self {
            version: 1,
            ..Self::given(id, role, seal, now)
        }
    }

    /// A source that has opened a shareable by the passcode with this seal, of which nothing is stored.
    pub fn given(id: GuessesId, role: ShareableRole, seal: &str, now: Moment) -> Self {
        Self::new(id).marked(role, seal, now)
    }

    fn marked(mut self, role: ShareableRole, seal: &str, now: Moment) -> Self {
        self.budget_mut(role).opened = Some(seal.to_owned());
        self.ttl = self.ttl.max(now.millis() / 1000 + KNOWN);
        self
    }

    pub fn budget(&self, role: ShareableRole) -> &Budget {
        match role {
            ShareableRole::View => &self.view,
            ShareableRole::Admin => &self.admin,
        }
    }

    fn budget_mut(&mut self, role: ShareableRole) -> &mut Budget {
        match role {
            ShareableRole::View => &mut self.view,
            ShareableRole::Admin => &mut self.admin,
        }
    }

    /// How long no passcode of a role is checked, from `now` on.
    pub fn pause(&self, role: ShareableRole, now: Moment) -> Option<Duration> {
        self.budget(role)
            .pause(now)
            .max(left(self.paused_until, now))
    }

    /// Whether the source has opened the shareable by the passcode with this seal.
    pub fn knows(&self, role: ShareableRole, seal: &str) -> bool {
        self.budget(role).opened.as_deref() == Some(seal)
    }

    /// Whether that it is known is about to be forgotten.
    pub fn is_fading(&self, now: Moment) -> bool {
        self.ttl < now.millis() / 1000 + KNOWN / 2
    }
}

/// Changes guesses as `change` says; `known` is what was read before. One UpdateItem; one more for each time that
/// others were faster.
async fn change(
    tables: &Tables,
    id: &GuessesId,
    known: Option<Guesses>,
    change: impl Fn(Guesses) -> Guesses,
) -> Result<(), TableError> {
    let table = tables.of::<Guesses>()?;
    let mut current = known;
    for _ in 0..TRIES {
        let before = current.take().unwrap_or_else(|| Guesses::new(id.clone()));
        let same = match before.version {
            0 => Condition::Lacks("version".into()),
            version => Condition::is("version", &version),
        };
        let after = Guesses {
            version: before.version.saturating_add(1),
            ..change(before)
        };
        let update = table.update_of(None, &after, same)?;
        match table.update(update, tables.meter()).await {
            Ok(_) => return Ok(()),
            Err(WriteError::Table(error)) => return Err(error),
            Err(WriteError::ConditionFailed(item)) => {
                current = item.map(from_item).transpose()?;
            }
        }
    }
    // Not counted is not allowed: whoever guesses gets no answer.
    Err(TableError::Unknown)
}

/// Counts a wrong passcode for these roles; in a budget that several share, with the address from which it came.
///
/// # Errors
/// The store failed, and it was not counted.
pub async fn count(
    tables: &Tables,
    id: &GuessesId,
    known: Option<Guesses>,
    roles: &[ShareableRole],
    address: Option<&str>,
) -> Result<(), TableError> {
    let now = Moment::new(tables.now());
    let address = address.filter(|_| Group::has(id));
    change(tables, id, known, |mut guesses| {
        for role in roles {
            let budget = guesses.budget(*role);
            let spent = match address {
                Some(address) => budget.spent_by(address, now),
                None => budget.spent(now),
            };
            *guesses.budget_mut(*role) = spent;
        }
        guesses.ttl = guesses.ttl.max(now.millis() / 1000 + REMEMBERED);
        guesses
    })
    .await
}

/// Remembers that a source has opened a shareable.
///
/// # Errors
/// The store failed.
pub async fn remember(
    tables: &Tables,
    id: &GuessesId,
    known: Option<Guesses>,
    role: ShareableRole,
    seal: &str,
) -> Result<(), TableError> {
    let now = Moment::new(tables.now());
    change(tables, id, known, |guesses| guesses.marked(role, seal, now)).await
}

/// What a voter is called as a source.
pub fn voter_text(voter: Uuid) -> String {
    format!("voter {voter}")
}
