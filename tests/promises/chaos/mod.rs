//! All services in the real binary, killed and started again on the same store, while clients write: on the embedded store,
//! and on a database that loses answers, throttles and reports conflicts, whose indexes are behind, and whose stream splits and
//! lists shards late. What each client was acknowledged is in plain models of the test's own; nothing of it may be lost, done
//! twice, or contradict itself, and those who watch are told of each change, or that they missed some.
//!
//! `TRESTLE_CHAOS_OPERATIONS` says how many operations are to be acknowledged on both stores together (2,000 unless
//! given), `TRESTLE_SEED` at which moments servers are killed.

mod applications;
mod conversations;
mod polls;
mod runs;
mod store;
mod watching;
mod world;

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, join_all};
use trestle_testing::faults::Seeded;

use store::Store;
use world::World;

const OPERATIONS: u64 = 2_000;
/// Clients of each kind.
const CLIENTS: usize = 3;
/// The most operations that are acknowledged between two kills: a bound for short runs, and one for long ones.
const BETWEEN: [u64; 2] = [250, 2_500];

fn operations() -> u64 {
    std::env::var("TRESTLE_CHAOS_OPERATIONS").map_or(OPERATIONS, |text| text.parse().unwrap()) / 2
}

/// Writes until enough is acknowledged, then compares what is stored with what was acknowledged.
type Client = BoxFuture<'static, ()>;

fn clients(world: &Arc<World>, random: &mut Seeded) -> Vec<Client> {
    let mut clients: Vec<Client> = Vec::new();
    for n in 0..CLIENTS {
        let mut seed = || random.split();
        clients.push(applications::client(Arc::clone(world), n, seed()).boxed());
        clients.push(conversations::of_a_match(Arc::clone(world), n, seed()).boxed());
        clients.push(conversations::of_two_users(Arc::clone(world), n, seed()).boxed());
        clients.push(runs::client(Arc::clone(world), n, seed()).boxed());
    }
    clients.push(polls::client(Arc::clone(world), random.split()).boxed());
    clients
}

async fn run(store: Store) {
    let mut random = Seeded::printed(uuid::Uuid::new_v4().as_u64_pair().0);
    let name = store.name();
    let (world, mut servers) = World::start(store, operations()).await;
    let work = tokio::spawn(join_all(
        clients(&world, &mut random).into_iter().map(tokio::spawn),
    ));
    let between = BETWEEN[usize::from(operations() > 20 * BETWEEN[0])];
    let mut kills = 0;
    while !world.is_enough() {
        let next = world.acknowledged.load(Relaxed) + 1 + random.below(between);
        tokio::select! {
            () = world.until(next) => {}
            () = world.until_failed() => break,
        }
        servers.kill().await;
        kills += 1;
        servers.start().await;
    }
    servers.settle(&world).await;
    for done in work.await.unwrap() {
        done.expect("a client found what it was acknowledged");
    }
    let acknowledged = world.acknowledged.load(Relaxed);
    let unclear = world.unclear.load(Relaxed);
    let told = world.told.load(Relaxed);
    let done = servers.done().await;
    servers.check().await;
    eprintln!(
        "{name}: {acknowledged} operations acknowledged, {kills} kills, 0 lost, 0 doubled, 0 contradictions; {done}, {unclear} \
         answers that were lost or unclear, {told} changes told"
    );
    assert!(kills > 0 && acknowledged >= operations());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_or_done_twice_by_kills_on_the_embedded_store() {
    run(Store::embedded()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_or_done_twice_by_kills_and_faults_of_the_database() {
    run(Store::faulty().await).await;
}
