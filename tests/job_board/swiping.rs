//! Swipes and the employer's answers.

use serde_json::{Value, json};

use crate::board::{ANN, BOB, Board, ELI, ERIN, job, nodes, profile, text, with};

async fn waiting(board: &Board) -> usize {
    let waiting = "{ waitingInterests { edges { node { id } } } }";
    nodes(&board.data(ERIN, waiting, json!({})).await["waitingInterests"]).len()
}

#[tokio::test]
async fn an_approved_interest_is_a_match_once() {
    let board = Board::start().await;
    let (_, interest) = board.interested().await;
    assert_eq!(waiting(&board).await, 1);
    let first = board.approve(ERIN, &interest).await;
    assert_eq!(board.approve(ERIN, &interest).await, first);
    assert_eq!(waiting(&board).await, 0);
    assert_eq!(board.stored("match").await.len(), 1);
    let refused = board
        .codes(ERIN, "declineInterest", json!({ "id": interest }))
        .await;
    assert_eq!(refused, ["CONFLICT"]);
    let refused = board
        .codes(ANN, "undoSwipe", json!({ "id": interest }))
        .await;
    assert_eq!(refused, ["CONFLICT"]);
}

#[tokio::test]
async fn a_rejected_job_is_never_suggested_again_unless_undone() {
    let board = Board::start().await;
    let (_, suggestion) = board.suggested().await;
    let interest = board.swipe(ANN, &suggestion, "LEFT").await;
    board
        .save(ANN, with(profile(), json!({ "about": "Changed" })))
        .await;
    board.make().await;
    board.command(&["suggest", "--all"]).await.unwrap();
    assert!(board.suggestions(ANN).await.is_empty());
    assert_eq!(waiting(&board).await, 0);
    let node = "query($id: ID!) { node(id: $id) { id } }";
    let seen = board.data(ERIN, node, json!({ "id": interest })).await;
    assert_eq!(
        seen["node"],
        Value::Null,
        "the employer does not see a rejection"
    );
    let refused = board
        .codes(ERIN, "approveInterest", json!({ "id": interest }))
        .await;
    assert_eq!(refused, ["NOT_FOUND"]);
    board
        .done(ANN, "undoSwipe", json!({ "id": interest }), "")
        .await;
    assert_eq!(board.suggestions(ANN).await.len(), 1);
    let again = board
        .codes(ANN, "undoSwipe", json!({ "id": interest }))
        .await;
    assert_eq!(again, ["NOT_FOUND"]);
}

#[tokio::test]
async fn a_declined_interest_stays_declined() {
    let board = Board::start().await;
    let (_, interest) = board.interested().await;
    let declined = json!({ "id": interest });
    board
        .done(
            ERIN,
            "declineInterest",
            declined.clone(),
            "interest { state }",
        )
        .await;
    board
        .done(
            ERIN,
            "declineInterest",
            declined.clone(),
            "interest { state }",
        )
        .await;
    assert_eq!(
        board.codes(ERIN, "approveInterest", declined).await,
        ["CONFLICT"]
    );
    board.command(&["suggest", "--all"]).await.unwrap();
    assert!(board.suggestions(ANN).await.is_empty());
    let own =
        "{ myInterests(state: DECLINED) { edges { node { state job { title } match { id } } } } }";
    let own = nodes(&board.data(ANN, own, json!({})).await["myInterests"]);
    assert_eq!(own.len(), 1);
}

#[tokio::test]
async fn a_swipe_is_answered_once() {
    let board = Board::start().await;
    let (_, suggestion) = board.suggested().await;
    let right = json!({ "suggestionId": suggestion, "direction": "RIGHT" });
    let first = board.swipe(ANN, &suggestion, "RIGHT").await;
    assert_eq!(
        board.swipe(ANN, &suggestion, "RIGHT").await,
        first,
        "the same answer again"
    );
    let left = json!({ "suggestionId": suggestion, "direction": "LEFT" });
    assert_eq!(board.codes(ANN, "swipe", left).await, ["CONFLICT"]);
    assert_eq!(
        board.codes(BOB, "swipe", right).await,
        ["NOT_FOUND"],
        "not Bob's suggestion"
    );
    for id in ["", "x", &first] {
        let input = json!({ "suggestionId": id, "direction": "LEFT" });
        assert_eq!(
            board.codes(ANN, "swipe", input).await,
            ["NOT_FOUND"],
            "{id:?}"
        );
    }
}

#[tokio::test]
async fn an_expired_suggestion_is_neither_listed_nor_answered() {
    let board = Board::start().await;
    let (_, suggestion) = board.suggested().await;
    board.clock.advance(7 * 24 * 60 * 60);
    assert_eq!(
        board.stored("suggestion").await.len(),
        1,
        "it is still stored"
    );
    assert!(board.suggestions(ANN).await.is_empty());
    let node = "query($id: ID!) { node(id: $id) { id } }";
    let seen = board.data(ANN, node, json!({ "id": suggestion })).await;
    assert_eq!(seen["node"], Value::Null);
    let input = json!({ "suggestionId": suggestion, "direction": "RIGHT" });
    assert_eq!(board.codes(ANN, "swipe", input).await, ["NOT_FOUND"]);
}

#[tokio::test]
async fn a_closed_job_is_not_suggested_and_keeps_its_matches() {
    let board = Board::start().await;
    let (posted, suggestion) = board.suggested().await;
    board.save(BOB, profile()).await;
    board.make().await;
    let bobs = text(&board.suggestions(BOB).await[0]["id"]);
    let interest = board.swipe(ANN, &suggestion, "RIGHT").await;
    let matched = board.approve(ERIN, &interest).await;
    assert_eq!(
        board.codes(ELI, "closeJob", json!({ "id": posted })).await,
        ["NOT_FOUND"]
    );
    for _ in 0..2 {
        let closed = board
            .done(
                ERIN,
                "closeJob",
                json!({ "id": posted }),
                "job { version isOpen }",
            )
            .await;
        assert_eq!(closed["job"], json!({ "version": 2, "isOpen": false }));
    }
    assert!(board.suggestions(BOB).await.is_empty());
    let input = json!({ "suggestionId": bobs, "direction": "RIGHT" });
    assert_eq!(board.codes(BOB, "swipe", input).await, ["CONFLICT"]);
    let jobs = "{ jobs(city: \"Montreal\") { edges { node { id } } } }";
    assert!(nodes(&board.data(BOB, jobs, json!({})).await["jobs"]).is_empty());
    let of = "query($id: ID!) { match(id: $id) { job { title isOpen } } }";
    let matched = board.data(ANN, of, json!({ "id": matched })).await;
    assert_eq!(matched["match"]["job"]["isOpen"], false);
    let update = json!({ "id": posted, "title": "x" });
    assert_eq!(board.codes(ERIN, "updateJob", update).await, ["CONFLICT"]);
    board.command(&["suggest", "--all"]).await.unwrap();
    assert!(board.suggestions(BOB).await.is_empty());
    let mine = "{ myJobs { edges { node { closedAt } } } }";
    assert_eq!(
        nodes(&board.data(ERIN, mine, json!({})).await["myJobs"]).len(),
        1
    );
}

#[tokio::test]
async fn matches_are_listed_by_day_on_both_sides() {
    let board = Board::start().await;
    let mut expected = Vec::new();
    for day in 0..3 {
        let title = json!({ "title": format!("Rust engineer {day}") });
        board.post(ERIN, with(job(), title)).await;
        board.save(ANN, profile()).await;
        board.make().await;
        let suggestion = text(&board.suggestions(ANN).await[0]["id"]);
        let interest = board.swipe(ANN, &suggestion, "RIGHT").await;
        expected.insert(0, board.approve(ERIN, &interest).await);
        board.clock.advance(24 * 60 * 60);
    }
    let list = "query($from: Date, $to: Date) { matches(from: $from, to: $to) { edges { node { id matchedOn } } } }";
    for viewer in [ANN, ERIN] {
        for (from, to, range) in [
            (Value::Null, Value::Null, 0..3),
            (json!("2026-02-23"), Value::Null, 0..2),
            (json!("2026-02-23"), json!("2026-02-23"), 1..2),
            (Value::Null, json!("2026-02-23"), 1..3),
        ] {
            let variables = json!({ "from": from, "to": to });
            let found = nodes(&board.data(viewer, list, variables).await["matches"]);
            let ids: Vec<_> = found.iter().map(|node| text(&node["id"])).collect();
            assert_eq!(ids, expected[range], "{viewer} {from} {to}");
        }
    }
}
