//! Saved searches, and jobs as they are posted.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use crate::board::{ANN, BOB, Board, ERIN, job, nodes, text, with};

/// A bound on what has to come, so that a test which fails ends.
const PATIENCE: Duration = Duration::from_secs(30);

const SEARCHES: &str = "{ savedSearches { id name places filter { text minPay employmentTypes seniorities skills zipFrom }
    jobs { edges { node { title } } } newJobs { edges { node { title } } } } }";

async fn search(board: &Board) -> Value {
    let found = board.data(ANN, SEARCHES, json!({})).await;
    found["savedSearches"][0].clone()
}

fn titles(list: &Value) -> Vec<String> {
    nodes(list)
        .iter()
        .map(|node| text(&node["title"]))
        .collect()
}

#[tokio::test]
async fn a_saved_search_tells_what_is_new() {
    let board = Board::start().await;
    board
        .post(ERIN, with(job(), json!({ "title": "Rust a" })))
        .await;
    board.clock.advance(1);
    let filter = json!({ "text": "rust", "minPay": 50_000, "seniorities": null });
    let input =
        json!({ "name": "Rust", "places": ["Montréal, QC", "Toronto, ON"], "filter": filter });
    let saved = board
        .done(ANN, "saveSearch", input.clone(), "search { id }")
        .await;
    let id = text(&saved["search"]["id"]);
    let found = search(&board).await;
    assert_eq!(found["places"], input["places"]);
    let expected = json!({
        "text": "rust", "minPay": 50_000, "employmentTypes": null, "seniorities": null, "skills": null, "zipFrom": null,
    });
    assert_eq!(found["filter"], expected);
    assert_eq!(titles(&found["jobs"]), ["Rust a"]);
    assert!(titles(&found["newJobs"]).is_empty());
    board.clock.advance(1);
    // Posted long ago, and added now.
    let old = crate::board::ulid("2025-01-01T00:00:00Z", 1);
    for fields in [
        json!({ "title": "Rust b", "requestId": old }),
        json!({ "title": "Cook", "skills": [] }),
    ] {
        board.post(ERIN, with(job(), fields)).await;
    }
    let found = search(&board).await;
    assert_eq!(titles(&found["jobs"]), ["Rust a", "Rust b"]);
    assert_eq!(titles(&found["newJobs"]), ["Rust b"]);
    board
        .done(ANN, "markSearchSeen", json!({ "id": id }), "")
        .await;
    assert!(titles(&search(&board).await["newJobs"]).is_empty());
    // Replacing it keeps what was seen.
    let replaced = json!({
        "id": id, "name": "Go", "places": ["Montreal"],
        "filter": { "skills": ["sql"], "employmentTypes": ["FULL_TIME"] },
    });
    board.done(ANN, "saveSearch", replaced, "").await;
    let found = search(&board).await;
    assert_eq!(found["name"], "Go");
    assert_eq!(found["filter"]["employmentTypes"], json!(["FULL_TIME"]));
    assert_eq!(
        board.codes(BOB, "deleteSearch", json!({ "id": id })).await,
        ["NOT_FOUND"]
    );
    board
        .done(ANN, "deleteSearch", json!({ "id": id }), "")
        .await;
    assert_eq!(search(&board).await, Value::Null);
}

#[tokio::test]
async fn a_search_that_finds_nothing_ever_is_refused() {
    let board = Board::start().await;
    for (input, field) in [
        (json!({ "places": [] }), json!(["places"])),
        (
            json!({ "places": ["Montreal", "???"] }),
            json!(["places", "1"]),
        ),
        (
            json!({ "filter": { "country": "ZZ" } }),
            json!(["filter", "country"]),
        ),
        (
            json!({ "filter": { "postedFrom": "x" } }),
            json!(["filter", "postedFrom"]),
        ),
        (json!({ "name": " " }), json!(["name"])),
    ] {
        let whole = with(
            json!({ "name": "S", "places": ["Montreal"] }),
            input.clone(),
        );
        let refused = board.mutate(ANN, "saveSearch", whole, "").await;
        assert_eq!(refused["userErrors"][0]["field"], field, "{input}");
    }
    for n in 0..21 {
        let input = json!({ "name": format!("S{n}"), "places": ["Montreal"] });
        let codes = board.codes(ANN, "saveSearch", input).await;
        let expected = if n < 20 { &[][..] } else { &["LIMIT_REACHED"] };
        assert_eq!(codes, expected, "{n}");
    }
}

#[tokio::test]
async fn jobs_are_reported_as_they_are_posted() {
    let board = Board::start().await;
    let posted = "subscription { jobPosted(places: [\"Toronto\", \"NYC\"], filter: { text: \"rust\" }) { title } }";
    let mut events = board.events(ANN, posted).await;
    let toronto = json!([
        { "city": "Montreal", "country": "CA" },
        { "city": "Toronto, ON", "country": "CA" },
    ]);
    for fields in [
        json!({ "title": "Rust in Montreal" }),
        json!({ "title": "Cook", "skills": [], "places": toronto }),
        json!({ "title": "Rust in Toronto", "places": toronto }),
    ] {
        board.post(ERIN, with(job(), fields)).await;
    }
    let mut read = String::new();
    while !read.contains("Rust in Toronto") {
        let chunk = timeout(PATIENCE, events.chunk()).await.unwrap().unwrap();
        read.push_str(std::str::from_utf8(&chunk.expect("an event")).unwrap());
    }
    assert!(
        !read.contains("Montreal") && !read.contains("Cook"),
        "{read}"
    );
    let mut refused = board.events(ERIN, posted).await;
    let chunk = timeout(PATIENCE, refused.chunk()).await.unwrap().unwrap();
    let refusal = String::from_utf8(chunk.expect("an answer").to_vec()).unwrap();
    assert!(refusal.contains("FORBIDDEN"), "{refusal}");
}
