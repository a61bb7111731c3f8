//! What an operation costs does not depend on how many there are.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::json;

use crate::board::{ANN, Board, ERIN, job, profile, with};

/// Copies the items of a kind, their ids counted up.
async fn multiply(board: &Board, kind: &str, times: usize) {
    let items = board.stored(kind).await;
    let item = items.first().unwrap();
    let id = match item.get("jobId") {
        Some(id) => id.as_s().unwrap().clone(),
        None => item["job"].as_m().unwrap()["jobId"].as_s().unwrap().clone(),
    };
    for n in 0..times {
        let other = format!("{}{n:05}", &id[..21]);
        let mut copy = item.clone();
        for value in copy.values_mut() {
            match value {
                AttributeValue::S(text) => *text = text.replace(&id, &other),
                AttributeValue::M(map) => {
                    for value in map.values_mut() {
                        if let AttributeValue::S(text) = value {
                            *text = text.replace(&id, &other);
                        }
                    }
                }
                _ => {}
            }
        }
        let put = board
            .dynamodb
            .put_item()
            .table_name("job-app")
            .set_item(Some(copy));
        put.send().await.unwrap();
    }
}

#[tokio::test]
async fn a_page_costs_the_same_however_many_there_are() {
    let board = Board::start().await;
    board.suggested().await;
    let pages = [
        (
            ANN,
            "{ jobs(city: \"Montreal\", first: 10) { edges { node { id } } } }",
        ),
        (ERIN, "{ myJobs(first: 10) { edges { node { id } } } }"),
    ];
    let mut costs = Vec::new();
    for (from, to) in [(1, 20), (20, 600)] {
        multiply(&board, "job", to - from).await;
        multiply(&board, "suggestion", to - from).await;
        let mut of_size = Vec::new();
        for (viewer, document) in pages {
            board.calls.reset();
            let page = board.data(viewer, document, json!({})).await;
            let edges = page.as_object().unwrap().values().next().unwrap()["edges"].clone();
            assert_eq!(edges.as_array().unwrap().len(), 10);
            of_size.push((board.calls.counts(), board.calls.units()));
        }
        costs.push(of_size);
    }
    assert_eq!(costs[0], costs[1]);
}

#[tokio::test]
async fn a_page_of_suggestions_takes_the_same_calls_however_many_there_are() {
    let board = Board::start().await;
    board.suggested().await;
    multiply(&board, "job", 200).await;
    let mut calls = Vec::new();
    // Runs keep 200 at most.
    for (from, to) in [(1, 20), (20, 200)] {
        multiply(&board, "suggestion", to - from).await;
        for list in ["", ", relevance: R1"] {
            board.calls.reset();
            let document =
                format!("{{ suggestions(first: 10{list}) {{ edges {{ node {{ id }} }} }} }}");
            let page = board.data(ANN, &document, json!({})).await;
            assert_eq!(page["suggestions"]["edges"].as_array().unwrap().len(), 10);
            calls.push(board.calls.counts());
        }
    }
    assert!(calls.iter().all(|other| *other == calls[0]), "{calls:?}");
}

#[tokio::test]
async fn seekers_of_a_round_share_what_is_read_of_a_city() {
    let board = Board::start().await;
    for n in 0..5 {
        board
            .post(
                ERIN,
                with(job(), json!({ "title": format!("Cook {n}"), "skills": [] })),
            )
            .await;
    }
    board.make().await;
    let alone = with(profile(), json!({ "withinKm": 0 }));
    for n in 0..10 {
        let seeker = format!("s{n} write seeker");
        board.save(&seeker, alone.clone()).await;
    }
    board.clock.advance(1);
    board.calls.reset();
    board.make().await;
    let counts: Vec<_> = board.calls.counts().into_iter().collect();
    let of = |wanted: &str| {
        counts
            .iter()
            .find(|(name, _)| *name == wanted)
            .map_or(0, |(_, count)| *count)
    };
    // Two of each seeker, one of the city, and those that look for runs.
    assert!(of("Query") <= 2 * 10 + 1 + 12, "{counts:?}");
    // The runs deleted.
    assert_eq!(of("TransactWriteItems"), 11, "{counts:?}");
    assert!(
        board.stored("suggestion").await.is_empty(),
        "what does not fit is not written"
    );
}
