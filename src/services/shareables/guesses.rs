//! How often passcodes are guessed: for each short id across processes, and for each address in this process.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use moka::sync::Cache;
use serde::{Deserialize, Serialize};

use super::short_id::ShortId;
use super::table::TABLE;
use crate::domain::Moment;
use crate::table::{
    Condition, Entity, Key, Pk, Sk, TableDefinition, TableError, Tables, Update, WriteError,
    from_item,
};

/// Wrong passcodes after which a short id pauses.
const BEFORE_PAUSE: u32 = 10;
/// How long wrong passcodes add up to those, in milliseconds.
const WINDOW: i64 = 60_000;
/// The pauses, in seconds: the first one, the second one, and so on, until all is forgotten.
const PAUSES: [i64; 5] = [60, 120, 240, 480, 900];
/// How long wrong passcodes are remembered after the last one, in seconds.
const REMEMBERED: i64 = 24 * 3600;

/// The wrong passcodes given for a short id, whether or not a shareable has it: `guesses#abcdef12345` / `01#`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Guesses {
    short_id: ShortId,
    /// Wrong passcodes since `since`.
    failures: u32,
    since: Option<Moment>,
    /// Pauses so far.
    #[serde(default)]
    pauses: u32,
    paused_until: Option<Moment>,
    ttl: i64,
}

impl Entity for Guesses {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "guesses";
    type Id = ShortId;

    fn key_of(id: &ShortId) -> Key {
        Key::new(Pk::of("guesses", id), Sk::word("01").closed())
    }

    fn identity(&self) -> ShortId {
        self.short_id.clone()
    }

    fn expires(&self) -> Option<i64> {
        Some(self.ttl)
    }
}

impl Guesses {
    /// How long no passcode is checked, from `now` on.
    pub fn pause(&self, now: Moment) -> Option<Duration> {
        let left = self.paused_until?.millis().checked_sub(now.millis())?;
        u64::try_from(left)
            .ok()
            .filter(|left| *left > 0)
            .map(Duration::from_millis)
    }
}

/// Counts a wrong passcode; `known` is what was read before it was checked. One UpdateItem, two at times; every tenth
/// within a minute one more, which begins a pause.
pub async fn count(
    tables: &Tables,
    id: &ShortId,
    known: Option<&Guesses>,
) -> Result<(), TableError> {
    let now: Moment = Moment::new(tables.now());
    let table = tables.of::<Guesses>()?;
    let update = |condition| {
        Update::new(Guesses::key_of(id), condition)
            .set("entity", &Guesses::KIND)
            .set("shortId", id)
            .set("ttl", &(now.millis() / 1000 + REMEMBERED))
    };
    let always = || Condition::All(Vec::new());
    let since = known.and_then(|known| known.since);
    let begins = since.is_none_or(|since| now.millis() - since.millis() > WINDOW);
    if begins {
        let same = match since {
            Some(since) => Condition::is("since", &since),
            None => Condition::Lacks("since".into()),
        };
        let first = update(same).set("failures", &1).set("since", &now);
        match table.update(first, tables.meter()).await {
            Ok(_) => return Ok(()),
            Err(WriteError::Table(error)) => return Err(error),
            // Somebody else began the minute.
            Err(WriteError::ConditionFailed(_)) => {}
        }
    }
    let failed = |error| match error {
        WriteError::Table(error) => error,
        // These updates have no condition that can fail.
        WriteError::ConditionFailed(_) => TableError::Unknown,
    };
    let more = update(always()).add("failures", 1);
    let counted = table.update(more, tables.meter()).await.map_err(failed)?;
    let counted: Guesses = from_item(counted)?;
    if !counted.failures.is_multiple_of(BEFORE_PAUSE) {
        return Ok(());
    }
    let pause = PAUSES.get(counted.pauses as usize).or(PAUSES.last());
    let pause = pause.copied().unwrap_or_default();
    let until: Option<Moment> = Moment::from_millis(now.millis() + pause * 1000);
    let paused = update(always()).add("pauses", 1).set("pausedUntil", &until);
    table.update(paused, tables.meter()).await.map_err(failed)?;
    Ok(())
}

/// Counts of the last minute by address, of at most [`AddressLimit::ADDRESSES`] addresses.
pub struct AddressLimit {
    most: u32,
    counts: Cache<Option<IpAddr>, Arc<AtomicU32>>,
}

impl AddressLimit {
    const ADDRESSES: u64 = 50_000;
    const PERIOD: Duration = Duration::from_secs(60);

    /// So many in a minute.
    pub fn per_minute(most: u32) -> Self {
        let counts = Cache::builder()
            .max_capacity(Self::ADDRESSES)
            .time_to_live(Self::PERIOD)
            .build();
        Self { most, counts }
    }

    /// Whether an address has had as many as it may. When to come back, then.
    pub fn reached(&self, address: Option<IpAddr>) -> Option<Duration> {
        let count = self.counts.get(&address)?.load(Relaxed);
        (count >= self.most).then_some(Self::PERIOD)
    }

    /// Counts one more.
    pub fn count(&self, address: Option<IpAddr>) {
        self.counts
            .get_with(address, Arc::default)
            .fetch_add(1, Relaxed);
    }
}
