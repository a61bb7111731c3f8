//! Clients that read more slowly than others write: they lose their subscription, not the server its
//! memory, and nobody else notices.

use serde_json::json;

use crate::live::board::Board;
use crate::live::events_client::Events;
use trestle_testing::socket::{Socket, WATCH};

/// More than the server keeps for a slow watcher, beyond what the sockets' buffers hold.
const CHANGES: u32 = 400;

/// One event of this is about 400 KB, so that a few fill the buffers of a connection.
fn bulky() -> String {
    let notes: String = (0..20).map(|n| format!("n{n}: notes ")).collect();
    format!("subscription {{ applicationChanged {{ version application {{ {notes} }} }} }}")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_client_is_told_that_it_missed_changes() {
    let board = Board::start(&["--keep-alive=10m", "--send-timeout=10m"]).await;
    let id = board.create("Acme").await;
    let mut slow = Socket::open(&board.url).await;
    slow.subscribe("slow", &bulky(), json!({})).await;
    let mut slow_events = Events::open(&board, &bulky(), json!({})).await;
    let mut quick = Socket::open(&board.url).await;
    quick.subscribe("quick", WATCH, json!({})).await;

    let notes = "\u{1F980}".repeat(4_990);
    for number in 0..CHANGES {
        board.note(&id, &format!("{number} {notes}")).await;
        let change = quick.next("quick").await["applicationChanged"].clone();
        assert_eq!(change["version"], number + 2);
    }

    let mut told = 0;
    loop {
        let message = slow.hear().await;
        if message["type"] == "error" {
            let code = &message["payload"][0]["extensions"]["code"];
            assert_eq!(code, "SERVICE_UNAVAILABLE");
            break;
        }
        told += 1;
        assert_eq!(
            message["payload"]["data"]["applicationChanged"]["version"],
            told + 1
        );
    }
    assert!(told < CHANGES, "{told}");
    // It is only the subscription that ended.
    slow.subscribe("slow", WATCH, json!({})).await;

    let mut told = 0;
    loop {
        let answer = slow_events.next().await;
        if let Some(errors) = answer.get("errors") {
            assert_eq!(errors[0]["extensions"]["code"], "SERVICE_UNAVAILABLE");
            break;
        }
        told += 1;
    }
    assert!(told < CHANGES, "{told}");
    slow_events.completes().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_reads_nothing_loses_its_place() {
    let board = Board::start(&["--keep-alive=50ms", "--max-subscriptions=1"]).await;
    let id = board.create("Acme").await;
    let mut stuck = Socket::open(&board.url).await;
    stuck.subscribe("1", &bulky(), json!({})).await;
    let notes = "\u{1F980}".repeat(4_990);
    let mut number = 0;
    // Each try is a change more that it does not read.
    while Events::ask(&board, WATCH, json!({}), "").await.status() == 503 {
        number += 1;
        board.note(&id, &format!("{number} {notes}")).await;
    }
    assert!(number > 0);
}
