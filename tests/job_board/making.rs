//! How suggestions are made: their reasons, their levels, when they are written, and runs that resume.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};

use crate::board::{ANN, BOB, Board, ERIN, job, profile, text, ulid, with};

fn levels(suggestions: &[Value]) -> Vec<String> {
    suggestions.iter().map(|s| text(&s["relevance"])).collect()
}

fn points(suggestion: &Value) -> i64 {
    let reasons = suggestion["reasons"].as_array().unwrap().iter();
    reasons
        .map(|reason| reason["points"].as_i64().unwrap())
        .sum()
}

#[tokio::test]
async fn reasons_add_up_to_the_score_and_the_most_relevant_come_first() {
    let board = Board::start().await;
    let old = |n| ulid("2025-01-01T00:00:00Z", n);
    let jobs = [
        json!({}),
        json!({ "title": "Cook", "requestId": old(1), "skills": ["rust", "sql"], "places": [{ "city": "montreal", "country": "CA" }], "payMin": null, "payMax": null }),
        json!({ "title": "Cook", "requestId": old(2), "skills": ["french"], "places": [{ "city": "montreal", "country": "CA" }] }),
        json!({ "title": "Underpaid", "payMin": 1, "payMax": 80_000 }),
        json!({ "title": "Elsewhere", "places": [{ "city": "Montreal", "country": "FR" }] }),
        json!({ "title": "Expired", "requestId": old(3), "expiresOn": "2025-02-01" }),
        json!({ "title": "From home", "isRemote": true, "places": [{ "city": "Remote", "country": "CA" }] }),
        json!({ "title": "From home abroad", "isRemote": true, "places": [{ "city": "Remote", "country": "US" }] }),
    ];
    for changes in jobs {
        board.post(ERIN, with(job(), changes)).await;
    }
    board
        .save(ANN, with(profile(), json!({ "wantsRemote": true })))
        .await;
    board.make().await;
    let suggestions = board.suggestions(ANN).await;
    assert_eq!(levels(&suggestions), ["R1", "R2", "R2", "R3"]);
    for suggestion in &suggestions {
        assert_eq!(suggestion["score"], points(suggestion), "{suggestion:#}");
    }
    let rules = |at: usize| -> Vec<_> {
        let reasons = suggestions[at]["reasons"].as_array().unwrap().iter();
        reasons
            .map(|reason| (text(&reason["rule"]), reason["points"].as_i64().unwrap()))
            .collect()
    };
    let all = [
        ("SKILLS", 20),
        ("TITLE", 15),
        ("CITY", 15),
        ("ZIP", 5),
        ("PAY", 10),
        ("RECENCY", 5),
    ];
    assert_eq!(
        rules(0),
        all.map(|(rule, points)| (rule.to_owned(), points))
    );
    let list = "{ suggestions(relevance: R2) { edges { node { relevance job { title } } } } }";
    let list = board.data(ANN, list, json!({})).await;
    assert_eq!(list["suggestions"]["edges"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_suggestion_lasts_longer_only_if_its_score_changes() {
    let board = Board::start().await;
    board.suggested().await;
    let expiry = async || board.stored("suggestion").await[0]["ttl"].clone();
    let first = expiry().await;
    board.clock.advance(60 * 60);
    board.command(&["suggest", "--all"]).await.unwrap();
    assert_eq!(expiry().await, first);
    board
        .save(ANN, with(profile(), json!({ "skills": ["rust", "sql"] })))
        .await;
    board.make().await;
    assert_ne!(expiry().await, first);
    assert_eq!(board.stored("suggestion").await.len(), 1);
}

#[tokio::test]
async fn a_changed_profile_or_job_moves_its_suggestions() {
    let board = Board::start().await;
    let (posted, listed) = board.suggested().await;
    let update = json!({ "id": posted, "title": "Cook", "skills": ["french"] });
    board.done(ERIN, "updateJob", update, "").await;
    board.make().await;
    let suggestions = board.suggestions(ANN).await;
    assert_eq!(levels(&suggestions), ["R2"]);
    // The id that was listed before still works.
    let interest = board.swipe(ANN, &listed, "RIGHT").await;
    board
        .done(ANN, "undoSwipe", json!({ "id": interest }), "")
        .await;
    assert_eq!(levels(&board.suggestions(ANN).await), ["R2"]);
    let elsewhere = json!({ "places": [{ "city": "Toronto", "country": "CA" }] });
    board.save(ANN, with(profile(), elsewhere)).await;
    board.make().await;
    assert!(board.stored("suggestion").await.is_empty());
    assert!(
        board
            .partition(Some("GSI1"), "seekers#montreal#")
            .await
            .is_empty()
    );
}

#[tokio::test]
async fn a_run_that_was_interrupted_is_resumed() {
    let board = Board::start().await;
    for viewer in [ANN, BOB] {
        board.save(viewer, profile()).await;
    }
    board.make().await;
    board.post(ERIN, job()).await;
    // A process took the run, finished the seekers up to Ann, and ended.
    let run = board.stored("run").await.pop().unwrap();
    let taken = json!({ "at": "2026-02-22T19:12:11.000Z" });
    let update = board.dynamodb.update_item().table_name("job-app");
    let update = update
        .key("pk", run["pk"].clone())
        .key("sk", run["sk"].clone())
        .update_expression("SET takenAt = :at, #after = :ann")
        .expression_attribute_names("#after", "after")
        .expression_attribute_values(":at", AttributeValue::S(text(&taken["at"])))
        .expression_attribute_values(":ann", AttributeValue::S("ann".to_owned()));
    update.send().await.unwrap();
    board.make().await;
    assert!(
        board.suggestions(BOB).await.is_empty(),
        "another process has the run"
    );
    board.clock.advance(5 * 60);
    board.make().await;
    assert_eq!(board.suggestions(BOB).await.len(), 1);
    assert!(
        board.suggestions(ANN).await.is_empty(),
        "the work before is not repeated"
    );
    assert!(board.stored("run").await.is_empty());
}

#[tokio::test]
async fn a_run_goes_on_after_500_seekers() {
    let board = Board::start().await;
    board.save(ANN, profile()).await;
    let mut stored = board.stored("seeker").await;
    stored.extend(board.stored("seekerPlace").await);
    let copies = (0..520).flat_map(|n| {
        stored.iter().map(move |item| {
            let mut item = item.clone();
            for value in item.values_mut() {
                if let AttributeValue::S(text) = value
                    && (text == "ann" || text.ends_with("#ann"))
                {
                    *text = text.replace("ann", &format!("s{n:03}"));
                }
            }
            item
        })
    });
    let client = &board.dynamodb;
    for item in copies {
        client
            .put_item()
            .table_name("job-app")
            .set_item(Some(item))
            .send()
            .await
            .unwrap();
    }
    board.make().await;
    board.post(ERIN, job()).await;
    board.make().await;
    assert_eq!(board.stored("suggestion").await.len(), 521);
    assert!(board.stored("run").await.is_empty());
}

#[tokio::test]
async fn a_server_makes_suggestions_in_the_background() {
    let board = Board::start_with("background").await;
    board.post(ERIN, job()).await;
    board.save(ANN, profile()).await;
    let pending = "{ mySeekerProfile { suggestionsPending } }";
    let is_done = async || {
        let data = board.data(ANN, pending, json!({})).await;
        data["mySeekerProfile"]["suggestionsPending"] == json!(false)
    };
    while !is_done().await {
        tokio::task::yield_now().await;
    }
    assert_eq!(board.suggestions(ANN).await.len(), 1);
}
