//! Random changes and questions by several clients at once, while much fails: what was acknowledged is there
//! once, what was refused is not, what is not known is there once or not at all, and everything that is
//! there is what a plain model of the domain makes of the calls.
//!
//! `TRESTLE_STEPS` says how many steps each run has (1500 unless given), `TRESTLE_SEED` which ones.

mod client;
mod domain;
mod inputs;
mod lists;
mod questions;
mod replay;
mod seen;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::time::Duration;

use chrono::DateTime;
use futures_util::future::join_all;
use serde_json::json;
use trestle_table::clock::Clock;

use crate::invariants::{check_table, stored};
use crate::world::{ATTEMPTS, Outcome, World, is_outage};
use client::{Call, Client, Known};
use replay::Told;
use seen::Seen;
use trestle_testing::faults::{Seeded, Tokens};

const CLIENTS: u64 = 8;
const STEPS: u64 = 1500;
const PERCENT: u64 = 12;
/// Over a socket, where each answer that comes too late is waited for.
const STEPS_ON_WIRE: u64 = 400;
const BROKEN_PER_THOUSAND: u64 = 50;
const PATIENCE: Duration = Duration::from_secs(1);

/// A clock of one day that goes on with each look at it, and back now and then. It says no time twice.
fn unsteady() -> Clock {
    let looks = AtomicI64::new(0);
    let midnight = DateTime::parse_from_rfc3339(&format!("{}T00:00:10Z", domain::TODAY)).unwrap();
    let start = midnight.timestamp_millis();
    Clock::new(move || {
        let look = looks.fetch_add(1, Relaxed);
        let back = if look % 11 == 10 {
            16 * 20 + 1 + look % 15
        } else {
            0
        };
        DateTime::from_timestamp_millis(start + 16 * look - back).unwrap()
    })
}

fn steps(usual: u64) -> u64 {
    std::env::var("TRESTLE_STEPS").map_or(usual, |steps| steps.parse().unwrap())
}

/// So many steps by all clients together: the calls that change something, and what was seen.
async fn work(world: &World, random: &mut Seeded, steps: u64) -> (Vec<Call>, Seen) {
    let known = Mutex::new(Known::default());
    let clients = (0..CLIENTS).map(|number| {
        let mut client = Client {
            world,
            known: &known,
            random: random.split(),
            number,
            walk: None,
        };
        async move {
            let mut calls = Vec::new();
            for step in 0..steps.div_ceil(CLIENTS) {
                calls.extend(client.step(step).await);
            }
            calls
        }
    });
    let calls = join_all(clients).await.into_iter().flatten().collect();
    (calls, known.into_inner().unwrap().seen)
}

async fn run(mut random: Seeded, tokens: Tokens) {
    let steps = steps(STEPS);
    let world = World::start_at(ATTEMPTS, unsteady()).await;
    world.faults.tokens(tokens);
    world.faults.draw(random.split(), PERCENT);
    let (calls, seen) = work(&world, &mut random, steps).await;
    assert!(
        world.faults.injected() > steps / 20,
        "hardly anything failed"
    );
    world.faults.stop();
    check(&world, &seen, &calls, &mut random).await;
}

/// Everything that must be true once all is done.
async fn check(world: &World, seen: &Seen, calls: &[Call], random: &mut Seeded) {
    let mut told = check_table(world).await;
    let there: BTreeSet<_> = told.drain(..).collect();
    let mut by_application: BTreeMap<&str, Vec<&Call>> = BTreeMap::new();
    for call in calls {
        if let Outcome::Failed(code) = &call.outcome {
            assert!(is_outage(code), "{code}: {:?}", call.asked);
        }
        by_application
            .entry(&call.application)
            .or_default()
            .push(call);
    }
    let mut newest = Vec::new();
    for (id, calls) in &by_application {
        let kept = stored(world, id).await;
        let told = Told::stored(&kept);
        if there.contains(*id) {
            told.check_acknowledged(calls);
            told.check_entries(calls);
            let application = kept.application.unwrap();
            let state = told.states.last_key_value().unwrap().1.clone();
            newest.push((application["updatedAt"].clone(), id.to_string(), state));
        }
        if !seen.was_deleted(id) {
            assert_eq!(there.contains(*id), !told.states.is_empty());
            told.check_refusals(calls);
        }
        let lives: BTreeSet<_> = calls
            .iter()
            .filter_map(|call| call.answered()?["createdAt"].as_str())
            .collect();
        for life in lives {
            let alive = there.contains(*id) && life == told.created;
            if !alive {
                assert!(
                    seen.was_deleted(id),
                    "{id} was made at {life} and is not there"
                );
                replay::check_over(seen, id, life, calls);
            }
        }
    }
    lists::check(world, newest, random).await;
    finish_deletes(world, &by_application, &there).await;
}

/// What is deleted leaves nothing once it is finished.
async fn finish_deletes(
    world: &World,
    calls: &BTreeMap<&str, Vec<&Call>>,
    there: &BTreeSet<String>,
) {
    for id in calls.keys().filter(|id| !there.contains(**id)) {
        world.mutate("deleteApplication", json!({ "id": id })).await;
        let left = stored(world, id).await;
        assert!(left.application.is_none() && left.history.is_empty() && left.stages.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn random_changes_under_faults_keep_every_promise() {
    run(Seeded::printed(0x7265_7374), Tokens::Kept).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn random_changes_under_faults_keep_every_promise_on_a_store_that_forgets() {
    run(Seeded::printed(0x6c65_2031), Tokens::Stripped).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn random_changes_over_connections_that_break_keep_every_promise() {
    let mut random = Seeded::printed(0x7769_7265);
    let (world, wire) = World::start_on_wire(unsteady(), PATIENCE).await;
    wire.draw(random.split(), BROKEN_PER_THOUSAND);
    let (calls, seen) = work(&world, &mut random, steps(STEPS_ON_WIRE)).await;
    wire.stop().await;
    let broken = wire.broken();
    assert!(broken.iter().all(|times| *times > 0), "{broken:?}");
    check(&world.without_faults().await, &seen, &calls, &mut random).await;
}
