//! Subscriptions reach the two of a match and nobody else.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use crate::board::{ANN, BOB, Board, ELI, ERIN, job, profile, text};

/// A bound on what has to come, so that a test which fails ends.
const PATIENCE: Duration = Duration::from_secs(30);

/// The next event's `data`.
async fn next(events: &mut reqwest::Response, read: &mut String) -> Value {
    loop {
        if let Some((event, rest)) = read.split_once("\n\n") {
            let data = event.lines().find_map(|line| line.strip_prefix("data:"));
            let data: Option<Value> = data.and_then(|data| serde_json::from_str(data.trim()).ok());
            *read = rest.to_owned();
            if let Some(data) = data.filter(|data| data.get("data").is_some()) {
                return data["data"].clone();
            }
            continue;
        }
        let chunk = timeout(PATIENCE, events.chunk()).await.unwrap().unwrap();
        read.push_str(std::str::from_utf8(&chunk.expect("an event")).unwrap());
    }
}

#[tokio::test]
async fn events_reach_only_the_two_of_a_match() {
    let board = Board::start().await;
    let made = "subscription { matchMade { id seeker { name } job { title } } }";
    let received = "subscription { messageReceived { text sender match { id } } }";
    let everyone = "zoe read seeker employer";
    let mut watching = Vec::new();
    for viewer in [ANN, ERIN, everyone] {
        watching.push((board.events(viewer, made).await, String::new()));
    }
    let mut reading = Vec::new();
    for viewer in [ANN, ERIN, BOB, ELI] {
        reading.push((board.events(viewer, received).await, String::new()));
    }
    let first = board.matched().await;
    board.send(ANN, &first, "to erin").await;
    board.send(ERIN, &first, "to ann").await;

    // A match between Bob and Eli: what Bob and Eli see first is theirs.
    board.post(ELI, job()).await;
    board.save(BOB, profile()).await;
    board.make().await;
    let mut interests = Vec::new();
    for suggestion in board.suggestions(BOB).await {
        interests.push(board.swipe(BOB, &text(&suggestion["id"]), "RIGHT").await);
    }
    let mut second = None;
    for interest in interests {
        let input = json!({ "id": interest });
        let approved = board
            .mutate(ELI, "approveInterest", input, "match { id }")
            .await;
        second = approved["match"]["id"]
            .as_str()
            .map(str::to_owned)
            .or(second);
    }
    let second = second.unwrap();
    board.send(ELI, &second, "to bob").await;
    board.send(BOB, &second, "to eli").await;

    for (events, read) in &mut watching[..2] {
        let event = next(events, read).await;
        assert_eq!(event["matchMade"]["id"], json!(first));
        assert_eq!(event["matchMade"]["seeker"]["name"], "Ann");
    }
    for ((events, read), said) in reading
        .iter_mut()
        .zip(["to ann", "to erin", "to bob", "to eli"])
    {
        assert_eq!(next(events, read).await["messageReceived"]["text"], said);
    }
    // The server closes a subscription with everything that it has sent: nothing reached an outsider.
    let (mut outsider, read) = watching.pop().unwrap();
    drop(board);
    let mut sent = read;
    while let Ok(Ok(Some(chunk))) = timeout(PATIENCE, outsider.chunk()).await {
        sent.push_str(&String::from_utf8_lossy(&chunk));
    }
    assert!(!sent.contains("matchMade"), "{sent}");
}
