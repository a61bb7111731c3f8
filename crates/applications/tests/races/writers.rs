//! Many writers on one application: each call is applied once or answered with a typed error.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::invariants::{check_application, check_table};
use crate::world::{ATTEMPTS, Outcome, World};

const WRITERS: usize = 16;
const CALLS: usize = 4;

/// What a writer asked for, and how to find it in a snapshot.
struct Call {
    marker: String,
    outcome: Outcome,
}

async fn write(world: &World, id: &str, writer: usize, call: usize) -> Call {
    let marker = format!("{writer}.{call}");
    let mut input = json!({ "id": id });
    // Every other writer insists on what it has seen.
    if writer.is_multiple_of(2) {
        input["expectedVersion"] = world.version(id).await;
    }
    let name = match (writer + call) % 3 {
        0 => {
            input["applicationId"] = input["id"].take();
            input.as_object_mut().unwrap().remove("id");
            input["name"] = json!(marker);
            input["completedDate"] = Value::Null;
            // An application holds 30 stages, which the writers do not reach together.
            if call < 2 {
                "addInterviewStage"
            } else {
                "none"
            }
        }
        1 => {
            input["notes"] = json!(marker);
            input["status"] = json!(if call.is_multiple_of(2) {
                "APPLIED"
            } else {
                "INTERVIEWING"
            });
            "updateApplication"
        }
        _ => {
            input["notes"] = json!(marker);
            "updateApplication"
        }
    };
    if name == "none" {
        input = json!({ "id": id, "notes": marker });
    }
    let name = if name == "none" {
        "updateApplication"
    } else {
        name
    };
    let outcome = world.mutate(name, input).await;
    Call { marker, outcome }
}

/// How many entries of a history brought the marker.
fn brought(history: &[&Value], marker: &str) -> usize {
    let has = |snapshot: &Value| {
        let stages = snapshot["interviewStages"].as_array().unwrap();
        snapshot["notes"] == marker || stages.iter().any(|stage| stage["name"] == marker)
    };
    let first = usize::from(history.first().is_some_and(|snapshot| has(snapshot)));
    let pairs = history.windows(2);
    first + pairs.filter(|pair| !has(pair[0]) && has(pair[1])).count()
}

async fn race(world: World) {
    let id = world.application(json!({})).await;
    let writers = (0..WRITERS).map(|writer| {
        let (world, id) = (&world, &id);
        async move {
            let mut calls = Vec::new();
            for call in 0..CALLS {
                calls.push(write(world, id, writer, call).await);
            }
            calls
        }
    });
    let calls: Vec<_> = join_all(writers).await.into_iter().flatten().collect();
    let stored = check_application(&world, &id).await;
    let history: Vec<_> = stored
        .history
        .values()
        .map(|entry| &entry["snapshot"])
        .collect();
    let mut done = 0;
    for Call { marker, outcome } in &calls {
        match outcome {
            Outcome::Done(payload) => {
                done += 1;
                assert_eq!(brought(&history, marker), 1, "{marker}");
                let version = payload["application"]["version"].as_u64().unwrap();
                let snapshot = history[version as usize - 1];
                assert_eq!(brought(&[snapshot], marker), 1, "{marker} at {version}");
            }
            Outcome::Refused(codes, errors) => {
                assert_eq!(codes, &["CONFLICT"], "{errors}");
                assert_eq!(brought(&history, marker), 0, "{marker}");
            }
            // The server gives a request a time, whatever it is waiting for.
            Outcome::Failed(code) => {
                assert!(crate::world::is_outage(code), "{code}: {marker}");
                let times = brought(&history, marker);
                assert!(times <= 1, "{marker}");
                done += times;
            }
        }
    }
    assert_eq!(history.len(), done + 1, "nobody else wrote");
    assert!(done >= WRITERS / 2 * CALLS / 2, "{done} done");
    check_table(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn writers_on_the_embedded_store_are_applied_once_or_refused() {
    race(World::start(ATTEMPTS).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn writers_over_a_socket_are_applied_once_or_refused() {
    race(World::start_on_socket().await).await;
}
