//! The real binary on disk, killed under writes again and again: what was acknowledged is there.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use futures_util::future::join_all;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::Notify;
use uuid::Uuid;

use crate::invariants::check_table;
use crate::process::Process;
use crate::world::World;

const CLIENTS: usize = 8;
/// How often the process is killed, unless `TRESTLE_ROUNDS` says otherwise.
const ROUNDS: usize = 5;

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
    for round in 1..=rounds {
        let server = Process::start_with(&arguments, &[("TRESTLE_LOG", "error")]).await;
        let killed_at = told.acknowledged.load(Relaxed) + 40 + 17 * round;
        let enough = async {
            while told.acknowledged.load(Relaxed) < killed_at {
                told.changed.notified().await;
            }
            server.kill();
        };
        let writers = (0..CLIENTS).map(|_| write(&server, &told));
        futures_util::future::join(enough, join_all(writers)).await;
        server.ended().await;
    }
    let world = World::left_in(folder.path()).await;
    let there = check_table(&world).await;
    let acknowledged = told.notes.into_inner().unwrap();
    assert!(acknowledged.len() >= rounds * CLIENTS);
    for (id, number) in &acknowledged {
        assert!(there.contains(id), "{id} was acknowledged");
        let read = world.read(id).await;
        let version = read["version"].as_u64().unwrap();
        assert!(version > *number, "{id}: {version} after {number}");
        if *number > 1 {
            let notes: u64 = read["notes"].as_str().unwrap().parse().unwrap();
            assert!(notes >= *number, "{id}: {notes} after {number}");
        }
    }
}
