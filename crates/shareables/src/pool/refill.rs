//! Filling the pool: by one process at a time, under a lease.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio::time::timeout;
use uuid::Uuid;

use super::{BUCKETS, Free, bucket, place};
use crate::short_id::ShortId;
use crate::table::{POOL, TABLE};
use trestle_domain::Moment;
use trestle_table::{
    Condition, Entity, Key, LeaseWatch, MalformedItem, Pk, Projection, Sk, TableDefinition,
    TableError, Tables, UnitError, Update, WriteError, item_of,
};

/// For how long a lease is taken, in milliseconds. It is taken anew while the work goes on.
const LEASE: i64 = 60_000;
/// After how many buckets the lease is taken anew.
const STRETCH: u32 = 50;
/// Buckets that are read at once.
const AT_ONCE: usize = 4;
/// How often the pool is looked at.
const EVERY: Duration = Duration::from_secs(60);
/// Buckets that are read to see how full the pool is.
const SAMPLE: u32 = 20;

/// Who fills the pool, and until when: `lease#short_id_pool` / `01#`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Lease {
    holder: Uuid,
    until: Moment,
}

impl Entity for Lease {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "lease";
    type Id = ();

    fn key_of((): &()) -> Key {
        Key::new(Pk::of("lease", "short_id_pool"), Sk::word("01").closed())
    }

    fn identity(&self) {}
}

/// Why the pool was not filled.
#[derive(Debug, thiserror::Error)]
pub enum NotFilled {
    /// Another process is filling it.
    #[error("another process is filling the pool of short ids")]
    Leased,
    /// The store failed.
    #[error(transparent)]
    Table(#[from] TableError),
    /// An item of the pool cannot be written.
    #[error(transparent)]
    Item(#[from] MalformedItem),
    /// The system has no randomness.
    #[error("no short id could be made")]
    Random(#[from] io::Error),
}

/// The lease as a server sees it, which is there long enough to see that it is not renewed.
type Watch = LeaseWatch<(), Lease>;

/// Whether a process that has the lease may still work. A server has seen it renewed in the last minute, whatever clocks say.
/// A command goes by its clock, and a lease that ends later than one that is taken now was taken by a clock that is wrong:
/// a server whose lease it takes only stops filling.
fn is_held(lease: &Lease, watch: Option<&Watch>, now: Moment) -> bool {
    match watch {
        Some(watch) => {
            let length = u64::try_from(LEASE).unwrap_or_default();
            watch.unrenewed((), lease.clone()) < Duration::from_millis(length)
        }
        None => (1..=LEASE).contains(&(lease.until.millis() - now.millis())),
    }
}

/// Takes the lease, or takes it anew. At most three UpdateItem and one GetItem.
async fn lease(tables: &Tables, holder: Uuid, watch: Option<&Watch>) -> Result<(), NotFilled> {
    let now: Moment = Moment::new(tables.now());
    let until: Option<Moment> = Moment::from_millis(now.millis() + LEASE);
    let take = |condition| {
        Update::new(Lease::key_of(&()), condition)
            .set("entity", &Lease::KIND)
            .set("holder", &holder)
            .set("until", &until)
    };
    let table = tables.of::<Lease>()?;
    let taken = async |condition| match table.update(take(condition), tables.meter()).await {
        Ok(_) => Ok(true),
        Err(WriteError::ConditionFailed(_)) => Ok(false),
        Err(WriteError::Table(error)) => Err(error),
    };
    for condition in [Condition::is("holder", &holder), Condition::Missing] {
        if taken(condition).await? {
            return Ok(());
        }
    }
    let other = tables.get::<Lease>(&()).await?;
    let over = other.filter(|other| !is_held(other, watch, now));
    let over = over.ok_or(NotFilled::Leased)?;
    // Unless it was renewed since.
    let same = Condition::is("holder", &over.holder).and(Condition::is("until", &over.until));
    if taken(same).await? {
        Ok(())
    } else {
        Err(NotFilled::Leased)
    }
}

/// Gives the lease back.
async fn release(tables: &Tables, holder: Uuid) -> Result<(), NotFilled> {
    let mut unit = tables.unit::<()>();
    unit.delete::<Lease>(&(), Condition::is("holder", &holder));
    match unit.commit().await {
        Ok(()) | Err(UnitError::Canceled(_)) => Ok(()),
        Err(UnitError::Table(error)) => Err(error.into()),
    }
}

/// Fills the pool until it has `to` short ids, spread over the buckets; how many were added. One Query for each bucket
/// and one BatchWriteItem for each 25 short ids.
///
/// # Errors
/// [`NotFilled`].
pub async fn fill(tables: &Tables, to: u32) -> Result<u32, NotFilled> {
    fill_watching(tables, to, None).await
}

async fn fill_watching(tables: &Tables, to: u32, watch: Option<&Watch>) -> Result<u32, NotFilled> {
    let holder = Uuid::new_v4();
    let mut added = 0;
    for first in (0..BUCKETS).step_by(STRETCH as usize) {
        lease(tables, holder, watch).await?;
        let stretch = stream::iter(first..(first + STRETCH).min(BUCKETS));
        let filled = stretch.map(|bucket| fill_bucket(tables, bucket, share(to, bucket)));
        let filled: Vec<_> = filled.buffer_unordered(AT_ONCE).try_collect().await?;
        added += filled.iter().sum::<u32>();
    }
    release(tables, holder).await?;
    Ok(added)
}

/// How many of `to` short ids are a bucket's.
fn share(to: u32, bucket: u32) -> u32 {
    to / BUCKETS + u32::from(bucket < to % BUCKETS)
}

async fn fill_bucket(tables: &Tables, at: u32, wanted: u32) -> Result<u32, NotFilled> {
    if wanted == 0 {
        return Ok(0);
    }
    let keys = Projection::Only(vec![POOL.partition_key.name, POOL.sort_key.name]);
    let found = bucket(tables, at)?
        .project(keys)
        .all(tables.meter())
        .await?;
    let keys = found.iter().filter_map(|item| POOL.key_in(item));
    let taken: Vec<_> = keys.map(|key| key.sk.as_str().to_owned()).collect();
    let missing = wanted.saturating_sub(u32::try_from(taken.len()).unwrap_or(u32::MAX));
    let places = (1..).map(place).filter(|place| !taken.contains(place));
    let table = tables.of::<Free>()?;
    let items = places.take(missing as usize).map(|place| {
        let id = ShortId::random()?;
        Ok::<_, NotFilled>(item_of(&Free {
            bucket: at,
            place,
            id,
        })?)
    });
    let items: Vec<_> = items.collect::<Result<_, _>>()?;
    // What somebody else put at a place meanwhile was free, and is no longer: nobody misses it.
    table.batch_put(items, tables.meter()).await?;
    Ok(missing)
}

/// Keeps the pool filled while it is there.
pub struct Refill {
    low: Arc<Notify>,
    task: Option<AbortHandle>,
}

impl Drop for Refill {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

impl Refill {
    /// Somebody found empty buckets.
    pub fn is_low(&self) {
        self.low.notify_one();
    }
}

/// Fills the pool to `to` short ids whenever it has less than half of them. None: never.
pub fn keep_filled(tables: Tables, to: u32) -> Refill {
    let low = Arc::new(Notify::new());
    let task = (to > 0).then(|| {
        let low = Arc::clone(&low);
        tokio::spawn(async move { watch(&tables, to, &low).await }).abort_handle()
    });
    Refill { low, task }
}

async fn watch(tables: &Tables, to: u32, low: &Notify) {
    let leases = Watch::new(tables.clock().clone());
    loop {
        let refilled = async {
            if is_low(tables, to).await? {
                fill_watching(tables, to, Some(&leases)).await
            } else {
                Ok(0)
            }
        };
        match refilled.await {
            Ok(0) | Err(NotFilled::Leased) => {}
            Ok(added) => tracing::info!(added, "the pool of short ids was refilled"),
            Err(error) => {
                let error = &error as &dyn std::error::Error;
                tracing::warn!(error, "the pool of short ids could not be refilled");
            }
        }
        // Whoever finds the pool empty again does not wait for the next look, but the store gets a rest.
        tokio::time::sleep(Duration::from_secs(1)).await;
        let _ = timeout(EVERY, low.notified()).await;
    }
}

/// Whether the pool has less than half of what it should have, by a sample of its buckets.
async fn is_low(tables: &Tables, to: u32) -> Result<bool, NotFilled> {
    let spread = BUCKETS / SAMPLE;
    let sampled = (0..SAMPLE).map(|at| at * spread);
    let counts = stream::iter(sampled.clone()).map(|at| async move {
        let keys = Projection::Only(vec![POOL.sort_key.name]);
        let found = bucket(tables, at)?.project(keys).all(tables.meter());
        Ok::<_, NotFilled>(u32::try_from(found.await?.len()).unwrap_or(u32::MAX))
    });
    let counts: Vec<_> = counts.buffer_unordered(AT_ONCE).try_collect().await?;
    let wanted: u32 = sampled.map(|at| share(to, at)).sum();
    Ok(counts.iter().sum::<u32>() * 2 < wanted.max(1))
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use trestle_table::Table;
    use trestle_table::clock::Clock;
    use trestle_testing::hosted::{TestClock, memory};

    use super::*;

    #[tokio::test]
    async fn a_server_takes_the_lease_of_a_process_that_is_gone_whatever_the_clocks_say() {
        const DAY: i64 = 24 * 3600;
        for ahead in [5, 60, 365 * DAY, -60, -DAY] {
            let (client, _) = memory();
            let clock = TestClock::default();
            let table = Table::new(client.clone(), &TABLE, TABLE.default_name);
            table.open_or_create().await.unwrap();
            let other = clock.clone();
            let other = Clock::new(move || other.clock().now() + TimeDelta::seconds(ahead));
            let [tables, others] =
                [clock.clock(), other].map(|clock| Tables::new([table.clone()], clock));
            let watch = Watch::new(clock.clock());
            let (one, two) = (Uuid::new_v4(), Uuid::new_v4());
            let refused = async || {
                let taken = lease(&tables, two, Some(&watch)).await;
                matches!(taken, Err(NotFilled::Leased))
            };
            // The other process fills for longer than a lease.
            for _ in 0..4 {
                lease(&others, one, None).await.unwrap();
                assert!(refused().await, "{ahead}");
                clock.advance(30);
            }
            clock.advance(29);
            assert!(refused().await, "{ahead}");
            clock.advance(1);
            lease(&tables, two, Some(&watch)).await.unwrap();
            // What is given back is free at once.
            release(&tables, two).await.unwrap();
            lease(&others, one, Some(&watch)).await.unwrap();
        }
    }

    #[test]
    fn the_buckets_shares_add_up() {
        for to in [0, 1, 999, 1000, 20_000, 20_001] {
            let sum: u32 = (0..BUCKETS).map(|bucket| share(to, bucket)).sum();
            assert_eq!(sum, to);
        }
        assert_eq!(place(1), "available#01");
        assert_eq!(place(100), "available#100");
    }
}
