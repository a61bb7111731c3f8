//! Runs of one user: created, failed, deleted. A create takes no id of the client's, so that one whose answer was lost may be
//! there besides.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use serde_json::{Value, json};
use trestle_testing::faults::Seeded;

use super::world::{Unanswered, World, document, text};

const SERVICE: &str = "graph-runs";
/// Runs of a client, at most.
const MOST: usize = 60;

pub async fn client(world: Arc<World>, n: usize, mut random: Seeded) {
    let token = world.token(&format!("pat{n}"), &[]);
    // The status of each run that was acknowledged, and creates that nobody knows of.
    let (mut model, mut deleted, mut unclear) = (BTreeMap::new(), BTreeSet::new(), 0);
    while !world.is_enough() {
        let draw = random.below(3);
        if model.is_empty() || (draw == 0 && model.len() < MOST) {
            let input = json!({ "input": { "environment": "DEV", "iacFormat": "HCL" } });
            let create = document("createRun", "run { runId }");
            match world.attempt(SERVICE, &token, &create, &input).await {
                Ok(data) => {
                    world.acknowledge();
                    model.insert(text(&data["createRun"]["run"]["runId"]), "UPLOADED");
                }
                Err(unanswered) => {
                    unclear += usize::from(unanswered == Unanswered::Unclear);
                    world.unclear.fetch_add(1, Relaxed);
                }
            }
            continue;
        }
        let at = random.below(model.len() as u64) as usize;
        let id = model.keys().nth(at).unwrap().clone();
        if draw == 1 {
            let input = json!({ "runId": id, "reason": "a mistake" });
            world.done(SERVICE, &token, "failRun", input, "").await;
            model.insert(id, "FAILED");
        } else {
            let input = json!({ "input": { "runId": id } });
            let payload = world
                .ask(SERVICE, &token, &document("deleteRun", ""), input)
                .await["deleteRun"]
                .clone();
            let errors = &payload["userErrors"];
            let is_gone = *errors == json!([]) || errors[0]["code"] == "NOT_FOUND";
            world.expect(&id, &json!(is_gone), &json!(true));
            world.acknowledge();
            model.remove(&id);
            deleted.insert(id);
        }
    }
    world.until_settled().await;
    compare(&world, &token, (&model, &deleted, unclear)).await;
}

async fn compare(
    world: &World,
    token: &str,
    (model, deleted, unclear): (&BTreeMap<String, &str>, &BTreeSet<String>, usize),
) {
    let query = "query($after: String) { runs(first: 100, after: $after) { edges { node { runId status } } \
        pageInfo { hasNextPage endCursor } } }";
    let (mut stored, mut listed, mut after) = (BTreeMap::new(), 0, Value::Null);
    loop {
        let data = world
            .ask(SERVICE, token, query, json!({ "after": after }))
            .await;
        for edge in data["runs"]["edges"].as_array().unwrap() {
            listed += 1;
            stored.insert(text(&edge["node"]["runId"]), text(&edge["node"]["status"]));
        }
        after = data["runs"]["pageInfo"]["endCursor"].clone();
        if data["runs"]["pageInfo"]["hasNextPage"] != true {
            break;
        }
    }
    world.expect("runs listed twice", &json!(listed), &json!(stored.len()));
    for (id, status) in model {
        world.expect(id, &json!(stored.remove(id)), &json!(status));
    }
    let back: Vec<_> = stored.keys().filter(|id| deleted.contains(*id)).collect();
    world.expect("deleted runs", &json!(back), &json!([]));
    // The rest was created by requests whose answers were lost or say so. One that says that nothing was done explains none.
    let is_explained = stored.len() <= unclear;
    world.expect(
        "runs that nobody knows of",
        &json!(is_explained),
        &json!(true),
    );
}
