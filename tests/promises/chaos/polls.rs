//! One poll with several voters at once, and a checklist: votes are changed again and again, and counted once.

use std::sync::Arc;

use futures_util::future::join_all;
use serde_json::{Value, json};
use trestle_testing::faults::Seeded;

use super::world::{World, text};

const SERVICE: &str = "shareables";
const VIEW: &str = "view-walnut-harbor";
const ADMIN: &str = "admin-copper-lantern";
const VOTERS: usize = 4;

async fn create(world: &World, content: Value) -> (String, Value) {
    let mut input = json!({ "name": "N", "viewPasscode": VIEW, "adminPasscode": ADMIN });
    input
        .as_object_mut()
        .unwrap()
        .extend(content.as_object().unwrap().clone());
    let selection =
        "shareable { shortId ... on Poll { options { id } } ... on Checklist { items { id } } }";
    let made = world
        .done(SERVICE, "", "createShareable", input, selection)
        .await;
    (
        text(&made["shareable"]["shortId"]),
        made["shareable"].clone(),
    )
}

async fn open(world: &World, short_id: &str) -> String {
    let input = json!({ "shortId": short_id, "passcode": VIEW, "voterId": uuid::Uuid::new_v4() });
    let opened = world
        .done(SERVICE, "", "openShareable", input, "token { token }")
        .await;
    text(&opened["token"]["token"])
}

/// Votes for one option, then for another one; the last that was acknowledged.
async fn vote(
    world: &World,
    short_id: &str,
    token: &str,
    options: &[Value],
    mut random: Seeded,
) -> usize {
    loop {
        let next = random.below(options.len() as u64) as usize;
        let input = json!({ "shortId": short_id, "optionIds": [options[next]] });
        world.done(SERVICE, token, "vote", input, "").await;
        if world.is_enough() {
            return next;
        }
    }
}

/// Ticks an item and takes that back; whether it is ticked at last.
async fn tick(world: &World, token: &str, item: &Value, mut random: Seeded) -> bool {
    loop {
        let ticked = random.below(2) == 0;
        let input = json!({ "id": item, "ticked": ticked });
        world
            .done(SERVICE, token, "tickChecklistItem", input, "")
            .await;
        if world.is_enough() {
            return ticked;
        }
    }
}

pub async fn client(world: Arc<World>, mut random: Seeded) {
    let ids = |values: &Value| -> Vec<Value> {
        values
            .as_array()
            .unwrap()
            .iter()
            .map(|value| value["id"].clone())
            .collect()
    };
    let options = json!({ "poll": { "question": "Q?", "options": ["a", "b", "c"] } });
    let (poll, made) = create(&world, options).await;
    let options = ids(&made["options"]);
    let items: Vec<_> = (0..VOTERS)
        .map(|n| json!({ "name": format!("item {n}") }))
        .collect();
    let (list, made) = create(&world, json!({ "checklist": { "items": items } })).await;
    let items = ids(&made["items"]);
    let voters = join_all((0..VOTERS).map(|_| open(&world, &poll))).await;
    let packers = join_all((0..VOTERS).map(|_| open(&world, &list))).await;
    let votes = voters
        .iter()
        .map(|token| vote(&world, &poll, token, &options, random.split()));
    let votes: Vec<_> = votes.collect();
    let ticks = packers
        .iter()
        .zip(&items)
        .map(|(token, item)| tick(&world, token, item, random.split()));
    let (votes, ticks) = tokio::join!(join_all(votes), join_all(ticks));

    world.until_settled().await;
    let query = "query($id: String!) { shareable(shortId: $id) { ... on Poll { voterCount options { voteCount } } } }";
    let data = world
        .ask(SERVICE, &voters[0], query, json!({ "id": poll }))
        .await;
    let counted =
        (0..options.len()).map(|option| votes.iter().filter(|vote| **vote == option).count());
    let counted: Vec<_> = counted.map(|count| json!({ "voteCount": count })).collect();
    let expected = json!({ "voterCount": VOTERS, "options": counted });
    world.expect("votes", &data["shareable"], &expected);

    let query = "query($id: String!) { shareable(shortId: $id) { ... on Checklist { tickedCount items { id tickedAt } } } }";
    let data = world
        .ask(SERVICE, &packers[0], query, json!({ "id": list }))
        .await;
    let shown = data["shareable"]["items"].as_array().unwrap().iter();
    let shown: Vec<_> = shown.map(|item| !item["tickedAt"].is_null()).collect();
    world.expect("ticks", &json!(shown), &json!(ticks));
}
