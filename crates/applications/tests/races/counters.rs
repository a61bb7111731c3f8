//! The counters after many creates, status changes, archivings and deletes at once.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::invariants::check_table;
use crate::world::{ATTEMPTS, World};

const STATUSES: [&str; 4] = ["APPLIED", "INTERVIEWING", "GIVEN_OFFER", "NO_OFFER"];

async fn life(world: &World, i: usize) {
    let status = STATUSES[i % 4];
    let id = world.application(json!({ "status": status })).await;
    let input = json!({ "id": id, "status": STATUSES[(i + 1) % 4] });
    world.mutate("updateApplication", input).await.done();
    if i.is_multiple_of(2) {
        world
            .mutate("archiveApplication", json!({ "id": id }))
            .await
            .done();
    }
    if i.is_multiple_of(3) {
        world
            .mutate("unarchiveApplication", json!({ "id": id }))
            .await
            .done();
    }
    if i.is_multiple_of(5) {
        world
            .mutate("deleteApplication", json!({ "id": id }))
            .await
            .done();
    }
    if i % 5 == 1 {
        let input = json!({ "id": id, "sequence": 1 });
        world.mutate("restoreApplication", input).await.done();
    }
}

async fn race(world: World) {
    const LIVES: usize = 40;
    join_all((0..LIVES).map(|i| life(&world, i))).await;
    let ids = check_table(&world).await;
    assert_eq!(ids.len(), LIVES - LIVES / 5);
    let stats = world
        .api
        .data(
            "{ applicationStats { active archived byStatus { active archived } } }",
            json!({}),
        )
        .await["applicationStats"]
        .clone();
    let total = stats["active"].as_u64().unwrap() + stats["archived"].as_u64().unwrap();
    assert_eq!(total, ids.len() as u64);
    let by_status = stats["byStatus"].as_array().unwrap();
    let sum = |name: &str| {
        by_status
            .iter()
            .filter_map(|s: &Value| s[name].as_u64())
            .sum::<u64>()
    };
    assert_eq!(
        (json!(sum("active")), json!(sum("archived"))),
        (stats["active"].clone(), stats["archived"].clone())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn counters_on_the_embedded_store_equal_a_full_count() {
    race(World::start(ATTEMPTS).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn counters_over_a_socket_equal_a_full_count() {
    race(World::start_on_socket().await).await;
}
