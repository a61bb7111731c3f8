//! Budgets of wrong passcodes. Those of a short id are stored, so that they hold in every process: one for each role of
//! those who are not known, and one for each role of an address or voter that has opened the shareable before. So a
//! stranger cannot use up what its people have.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::short_id::ShortId;
use super::table::TABLE;
use super::token::ShareableRole;
use trestle_domain::Moment;
use trestle_table::{
    Condition, Entity, Key, Pk, Sk, TableDefinition, TableError, Tables, WriteError, from_item,
};

/// So many within so many seconds, counted from the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    pub count: u32,
    pub seconds: i64,
}

/// Wrong passcodes of one budget in a minute. Then it pauses for the next of [`PAUSES`].
pub const MINUTE: Limit = Limit {
    count: 10,
    seconds: 60,
};
/// Wrong passcodes of one budget in an hour. Then it pauses until the hour is over.
pub const HOUR: Limit = Limit {
    count: 30,
    seconds: 3600,
};
/// Wrong passcodes of one budget in a day. Then it pauses until the day is over.
pub const DAY: Limit = Limit {
    count: 100,
    seconds: 24 * 3600,
};
/// The pauses of a minute's limit, in seconds: the first one, the second one, and so on, until all is forgotten.
const PAUSES: [i64; 5] = [60, 120, 240, 480, 900];
/// How long wrong passcodes are remembered after the last one, in seconds.
const REMEMBERED: i64 = DAY.seconds;
/// How long it is remembered that a source has opened a shareable, in seconds.
const KNOWN: i64 = 100 * 24 * 3600;
/// How often a write that met others is tried. Others can only be as many as there are turns to hash.
const TRIES: usize = 64;

/// What happened since a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// Milliseconds after 1970.
    since: i64,
    count: u32,
}

impl Window {
    /// The window at `now`: a new one if this one is over. One that begins later was counted by a clock that is ahead of
    /// this one: it begins now.
    fn at(self, now: Moment, limit: Limit) -> Self {
        match now.millis() - self.since >= limit.seconds * 1000 {
            true => Self {
                since: now.millis(),
                count: 0,
            },
            false => Self {
                since: self.since.min(now.millis()),
                ..self
            },
        }
    }

    /// How long it is full, from `now` on.
    pub fn full(self, now: Moment, limit: Limit) -> Option<Duration> {
        let window = self.at(now, limit);
        let left = window.since + limit.seconds * 1000 - now.millis();
        (window.count >= limit.count).then(|| millis(left))
    }

    /// One more.
    pub fn more(self, now: Moment, limit: Limit) -> Self {
        let window = self.at(now, limit);
        Self {
            count: window.count.saturating_add(1),
            ..window
        }
    }

    /// One less, if the window is not over.
    pub fn less(self) -> Self {
        Self {
            count: self.count.saturating_sub(1),
            ..self
        }
    }
}

fn millis(left: i64) -> Duration {
    Duration::from_millis(u64::try_from(left).unwrap_or_default())
}

/// The wrong passcodes of one source for one role.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Budget {
    minute: Window,
    hour: Window,
    day: Window,
    /// Pauses of the minute's limit so far.
    pauses: u32,
    paused_until: Option<Moment>,
    /// The seal of the passcode with which the source has opened the shareable.
    #[serde(skip_serializing_if = "Option::is_none")]
    opened: Option<String>,
}

impl Budget {
    /// How long no passcode is checked, from `now` on.
    pub fn pause(&self, now: Moment) -> Option<Duration> {
        left(self.paused_until, now)
    }

    /// The budget after one more wrong passcode.
    pub fn spent(&self, now: Moment) -> Self {
        let mut next = Self {
            minute: self.minute.more(now, MINUTE),
            hour: self.hour.more(now, HOUR),
            day: self.day.more(now, DAY),
            ..self.clone()
        };
        let mut pause = Duration::ZERO;
        if next.minute.full(now, MINUTE).is_some() {
            let seconds = PAUSES.get(next.pauses as usize).or(PAUSES.last());
            pause = millis(seconds.map_or(0, |seconds| seconds * 1000));
            next.pauses = next.pauses.saturating_add(1);
            next.minute = Window::default();
        }
        for (window, limit) in [(next.hour, HOUR), (next.day, DAY)] {
            pause = pause.max(window.full(now, limit).unwrap_or_default());
        }
        let pause = i64::try_from(pause.as_millis()).unwrap_or(i64::MAX);
        let until = Moment::from_millis(now.millis().saturating_add(pause));
        let earlier = next.paused_until.filter(|_| self.pause(now).is_some());
        next.paused_until = earlier.max(until.filter(|_| pause > 0));
        next
    }
}

/// What is left of a pause. One that would be longer than the longest was set by a clock that was wrong.
fn left(until: Option<Moment>, now: Moment) -> Option<Duration> {
    let left = until?.millis() - now.millis();
    (1..=DAY.seconds * 1000)
        .contains(&left)
        .then(|| millis(left))
}

/// The wrong passcodes given for a short id, whether or not a shareable has it: by those who are not known
/// `guesses#abcdef12345` / `01#`, by a known source `guesses#abcdef12345` / `01#<source>#`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Guesses {
    short_id: ShortId,
    /// Hash of an address or voter.
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

/// Whose guesses: a short id's, and a known source's if there is one.
pub type GuessesId = (ShortId, Option<String>);

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
            ..Self::new(id).marked(role, seal, now)
        }
    }

    fn marked(mut self, role: ShareableRole, seal: &str, now: Moment) -> Self {
        self.budget_mut(role).opened = Some(seal.to_owned());
        self.ttl = self.ttl.max(now.millis() / 1000 + KNOWN);
        self
    }

    fn budget(&self, role: ShareableRole) -> &Budget {
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

/// Counts a wrong passcode for these roles.
///
/// # Errors
/// The store failed, and it was not counted.
pub async fn count(
    tables: &Tables,
    id: &GuessesId,
    known: Option<Guesses>,
    roles: &[ShareableRole],
) -> Result<(), TableError> {
    let now = Moment::new(tables.now());
    change(tables, id, known, |mut guesses| {
        for role in roles {
            let spent = guesses.budget(*role).spent(now);
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
    (role, seal): (ShareableRole, &str),
) -> Result<(), TableError> {
    let now = Moment::new(tables.now());
    change(tables, id, known, |guesses| guesses.marked(role, seal, now)).await
}

/// What a voter is called as a source.
pub fn voter_text(voter: Uuid) -> String {
    format!("voter {voter}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Moment {
        Moment::from_seconds(1_771_787_531 + seconds).unwrap()
    }

    /// Guesses that are checked until `seconds` are over, by someone who guesses every second and whenever a pause ends.
    fn guesses_within(seconds: i64) -> u32 {
        let (mut budget, mut checked) = (Budget::default(), 0);
        for second in 0..seconds {
            if budget.pause(at(second)).is_none() {
                budget = budget.spent(at(second));
                checked += 1;
            }
        }
        checked
    }

    /// The numbers of the table in SECURITY.md.
    #[test]
    fn guesses_of_one_short_id_are_bounded_over_an_hour_a_day_and_a_month() {
        assert_eq!(guesses_within(3600), 30);
        assert_eq!(guesses_within(24 * 3600), 100);
        assert_eq!(guesses_within(30 * 24 * 3600), 3_000);
    }

    #[test]
    fn guesses_that_stay_below_the_limit_of_a_minute_meet_that_of_an_hour_and_a_day() {
        let (mut budget, mut checked) = (Budget::default(), 0);
        for second in 0..24 * 3600 {
            let is_careful = second % 61 < 9;
            if is_careful && budget.pause(at(second)).is_none() {
                budget = budget.spent(at(second));
                checked += 1;
            }
        }
        assert_eq!((checked, budget.pauses), (100, 0));
    }

    #[test]
    fn pauses_of_a_minute_grow() {
        let mut budget = Budget::default();
        for wanted in [60, 120] {
            let start = budget.paused_until.unwrap_or(at(0));
            for _ in 0..10 {
                assert_eq!(budget.pause(start), None);
                budget = budget.spent(start);
            }
            assert_eq!(budget.pause(start), Some(Duration::from_secs(wanted)));
        }
    }
}
