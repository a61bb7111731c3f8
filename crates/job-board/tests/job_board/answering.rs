//! What employers do with the answers to their jobs: lists by job, counts, approvals taken back, stages.

use serde_json::{Value, json};

use crate::board::{ANN, BOB, Board, ELI, ERIN, job, nodes, profile, text, with};

/// Interests of seekers in one job, in this order; the ids of the job and the interests.
async fn interests(board: &Board, seekers: &[&str]) -> (String, Vec<String>) {
    let posted = board.post(ERIN, job()).await;
    let mut interests = Vec::new();
    for seeker in seekers {
        let input = json!({ "jobId": posted });
        board.save(seeker, profile()).await;
        let made = board
            .done(seeker, "expressInterest", input, "interest { id }")
            .await;
        interests.push(text(&made["interest"]["id"]));
        board.clock.advance(1);
    }
    (posted, interests)
}

async fn counts(board: &Board, job: &str) -> [i64; 3] {
    let document =
        "query($id: ID!) { job(id: $id) { interestCounts { waiting approved declined } } }";
    let found = board.data(ERIN, document, json!({ "id": job })).await;
    ["waiting", "approved", "declined"]
        .map(|name| found["job"]["interestCounts"][name].as_i64().unwrap())
}

async fn in_state(board: &Board, viewer: &str, job: &str, state: &str) -> Value {
    let document = "query($id: ID!, $state: InterestState!) {
        job(id: $id) { interests(state: $state) { edges { node { id } } } } }";
    let variables = json!({ "id": job, "state": state });
    board.data(viewer, document, variables).await["job"]["interests"].clone()
}

fn ids(list: &Value) -> Vec<String> {
    nodes(list).iter().map(|node| text(&node["id"])).collect()
}

#[tokio::test]
async fn an_employer_lists_and_counts_the_answers_to_a_job() {
    let board = Board::start().await;
    let seekers = [
        "s1 write seeker",
        "s2 write seeker",
        "s3 write seeker",
        "s4 write seeker",
    ];
    let (posted, all) = interests(&board, &seekers).await;
    interests(&board, &[ANN]).await;
    assert_eq!(counts(&board, &posted).await, [4, 0, 0]);
    for at in [2, 0] {
        board
            .done(ERIN, "declineInterest", json!({ "id": all[at] }), "")
            .await;
    }
    board.approve(ERIN, &all[1]).await;
    assert_eq!(counts(&board, &posted).await, [1, 1, 2]);
    let of = async |state| ids(&in_state(&board, ERIN, &posted, state).await);
    assert_eq!(of("WAITING").await, [all[3].clone()]);
    assert_eq!(of("APPROVED").await, [all[1].clone()]);
    assert_eq!(of("DECLINED").await, [all[0].clone(), all[2].clone()]);
    // An answer that is taken back or changed moves.
    board
        .done(ERIN, "undoDecline", json!({ "id": all[0] }), "")
        .await;
    board.approve(ERIN, &all[2]).await;
    assert_eq!(counts(&board, &posted).await, [2, 2, 0]);
    assert_eq!(of("WAITING").await, [all[0].clone(), all[3].clone()]);
    assert_eq!(of("APPROVED").await, [all[1].clone(), all[2].clone()]);
    assert!(of("DECLINED").await.is_empty());
    let undo = json!({ "id": all[3] });
    board.done("s4 write seeker", "undoSwipe", undo, "").await;
    assert_eq!(counts(&board, &posted).await, [1, 2, 0]);
    for viewer in [ANN, "s1 write seeker"] {
        assert_eq!(
            in_state(&board, viewer, &posted, "WAITING").await,
            Value::Null
        );
    }
}

#[tokio::test]
async fn a_rejection_is_not_counted() {
    let board = Board::start().await;
    let (posted, suggestion) = board.suggested().await;
    let rejected = board.swipe(ANN, &suggestion, "LEFT").await;
    assert_eq!(counts(&board, &posted).await, [0, 0, 0]);
    board
        .done(ANN, "undoSwipe", json!({ "id": rejected }), "")
        .await;
    assert_eq!(counts(&board, &posted).await, [0, 0, 0]);
}

#[tokio::test]
async fn an_approval_is_taken_back_while_nothing_has_followed() {
    let board = Board::start().await;
    let (posted, interest) = board.interested().await;
    let input = json!({ "id": interest });
    let node = "query($id: ID!) { node(id: $id) { id } }";
    for _ in 0..2 {
        let matched = board.approve(ERIN, &interest).await;
        assert_eq!(
            board.codes(ELI, "undoApproval", input.clone()).await,
            ["NOT_FOUND"]
        );
        for _ in 0..2 {
            let undone = board
                .done(
                    ERIN,
                    "undoApproval",
                    input.clone(),
                    "interest { state match { id } }",
                )
                .await;
            let expected = json!({ "state": "WAITING", "match": null });
            assert_eq!(undone["interest"], expected);
        }
        assert_eq!(counts(&board, &posted).await, [1, 0, 0]);
        let seen = board.data(ANN, node, json!({ "id": matched })).await;
        assert_eq!(seen["node"], Value::Null);
        let message = json!({ "matchId": matched, "text": "Hello?" });
        assert_eq!(
            board.codes(ANN, "sendMessage", message).await,
            ["NOT_FOUND"]
        );
        board.clock.advance(1);
    }
    let matched = board.approve(ERIN, &interest).await;
    board.send(ANN, &matched, "Hello").await;
    let refused = board.codes(ERIN, "undoApproval", input.clone()).await;
    assert_eq!(refused, ["CONFLICT"]);
    assert_eq!(counts(&board, &posted).await, [0, 1, 0]);
}

#[tokio::test]
async fn a_match_goes_through_stages_with_notes() {
    let board = Board::start().await;
    let (posted, interest) = board.interested().await;
    let matched = board.approve(ERIN, &interest).await;
    for (step, codes) in [
        (json!({ "stage": "SCREENING" }), &[][..]),
        (json!({ "note": "Knows Rust well" }), &[]),
        (json!({ "stage": "INTERVIEW", "note": "On Monday" }), &[]),
        (json!({}), &["INVALID"]),
        (json!({ "note": "  " }), &["REQUIRED"]),
        (json!({ "note": "x".repeat(2001) }), &["TOO_LONG"]),
        (
            json!({ "stage": "OFFER", "expectedVersion": 1 }),
            &["CONFLICT"],
        ),
    ] {
        let input = with(step.clone(), json!({ "id": matched }));
        assert_eq!(board.codes(ERIN, "moveMatch", input).await, codes, "{step}");
        board.clock.advance(1);
    }
    let list = "query($stage: MatchStage!, $job: ID) { matches(filter: { stage: $stage, jobId: $job }) { edges { node {
        stage steps { edges { node { stage note } } } } } } }";
    let at = async |stage: &str| {
        let variables = json!({ "stage": stage, "job": posted });
        nodes(&board.data(ERIN, list, variables).await["matches"])
    };
    assert!(at("SCREENING").await.is_empty());
    let found = at("INTERVIEW").await;
    let expected = json!([
        { "stage": "INTERVIEW", "note": "On Monday" },
        { "stage": null, "note": "Knows Rust well" },
        { "stage": "SCREENING", "note": null },
    ]);
    assert_eq!(json!(nodes(&found[0]["steps"])), expected);
    let of = "query($id: ID!) { match(id: $id) { stage steps { edges { node { id } } } } }";
    let seen = board.data(ANN, of, json!({ "id": matched })).await;
    assert_eq!(seen["match"], json!({ "stage": null, "steps": null }));
    let own = board.data(ERIN, of, json!({ "id": matched })).await;
    let step = nodes(&own["match"]["steps"])[0]["id"].clone();
    let node = "query($id: ID!) { node(id: $id) { id } }";
    for (viewer, seen) in [(ERIN, step.clone()), (ANN, Value::Null), (BOB, Value::Null)] {
        let found = board.data(viewer, node, json!({ "id": step })).await;
        assert_eq!(found["node"]["id"], seen, "{viewer}");
    }
    let undo = json!({ "id": interest });
    assert_eq!(board.codes(ERIN, "undoApproval", undo).await, ["CONFLICT"]);
}
