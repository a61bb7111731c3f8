//! The real binary on disk, killed under writes again and again: after each kill, what was acknowledged is
//! there and everything that must hold of a table holds.
//!
//! `TRESTLE_ROUNDS` says how often (8 times unless given), `TRESTLE_SEED` at which moments.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use futures_util::future::join_all;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::Notify;
use uuid::Uuid;

use crate::invariants::{check_table, stored};
use crate::process::Process;
use crate::world::World;
use trestle_testing::faults::Seeded;

const CLIENTS: usize = 8;
const ROUNDS: usize = 8;
/// The most writes of a round that are acknowledged before the kill.
const WRITES: u64 = 160;

/// What the clients were told.
#[derive(Default)]
struct Told {
    /// The last notes that were acknowledged of each application, by their number.
    notes: Mutex<BTreeMap<String, u64>>,
    acknowledged: AtomicUsize,
    changed: Notify,
}

/// Runs a mutation; `None` where no answer came back.
async fn mutate(server: &Process, name: &str, input: Value) -> Option<Value> {
    let input_type = format!("{}{}Input", name[..1].to_uppercase(), &name[1..]);
    let query = format!(
        "mutation($input: {input_type}!) {{ {name}(input: $input) {{
           application {{ id }} userErrors {{ code }} }} }}"
    );
    let body = json!({ "query": query, "variables": { "input": input } });
    let answer = server
        .client
        .post(&server.url)
        .json(&body)
        .send()
        .await
        .ok()?;
    let answer: Value = answer.json().await.ok()?;
    let payload = &answer["data"][name];
    assert_eq!(payload["userErrors"], json!([]), "{answer}");
    Some(payload["application"]["id"].clone())
}

/// Makes applications and changes each a few times, until the server does not answer any more.
async fn write(server: &Process, told: &Told) {
    loop {
        let id = Uuid::new_v4().to_string();
        let create = json!({ "id": id, "companyName": "Visa", "positionTitle": "Engineer" });
        for number in 0..4_u64 {
            let done = match number {
                0 => mutate(server, "createApplication", create.clone()).await,
                1 => {
                    let stage = json!({ "applicationId": id, "name": "Onsite" });
                    mutate(server, "addInterviewStage", stage).await
                }
                _ => {
                    let status = ["APPLIED", "INTERVIEWING"][number as usize % 2];
                    let notes = number.to_string();
                    let patch = json!({ "id": id, "notes": notes, "status": status });
                    mutate(server, "updateApplication", patch).await
                }
            };
            if done.is_none() {
                return;
            }
            told.notes.lock().unwrap().insert(id.clone(), number);
            told.acknowledged.fetch_add(1, Relaxed);
            told.changed.notify_one();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_outlives_a_kill() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().to_str().unwrap();
    let arguments = ["--data", data, "--applications-table", "applications-test"];
    let rounds = std::env::var("TRESTLE_ROUNDS").map_or(ROUNDS, |rounds| rounds.parse().unwrap());
    let told = Told::default();
    let mut random = Seeded::printed(0x6b69_6c6c);
    for _ in 1..=rounds {
        let server = Process::start_with(&arguments, &[("TRESTLE_LOG", "error")]).await;
        let writes = 1 + random.below(WRITES) as usize;
        let killed_at = told.acknowledged.load(Relaxed) + writes;
        let enough = async {
            while told.acknowledged.load(Relaxed) < killed_at {
                told.changed.notified().await;
            }
            server.kill();
        };
        let writers = (0..CLIENTS).map(|_| write(&server, &told));
        futures_util::future::join(enough, join_all(writers)).await;
        server.ended().await;
        check(folder.path(), &told).await;
    }
    assert!(told.acknowledged.into_inner() >= rounds);
}

/// What was acknowledged is in the store, and the store is right.
async fn check(folder: &Path, told: &Told) {
    let world = World::left_in(folder).await;
    let there = check_table(&world).await;
    let acknowledged = told.notes.lock().unwrap().clone();
    for (id, number) in &acknowledged {
        assert!(there.contains(id), "{id} was acknowledged");
        let stored = stored(&world, id).await;
        let application = stored.application.unwrap();
        let version = application["historySequence"].as_u64().unwrap();
        assert!(version > *number, "{id}: {version} after {number}");
        if *number > 1 {
            let notes: u64 = application["notes"].as_str().unwrap().parse().unwrap();
            assert!(notes >= *number, "{id}: {notes} after {number}");
        }
    }
}
