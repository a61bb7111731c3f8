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
    board.command(&["suggest", "--all"]).await.unwrap();
    assert!(board.suggestions(ANN).await.is_empty());
    let own =
        "{ myInterests(state: DECLINED) { edges { node { state job { title } match { id } } } } }";
    let own = nodes(&board.data(ANN, own, json!({})).await["myInterests"]);
    assert_eq!(own.len(), 1);
}

#[tokio::test]
async fn an_employer_can_think_again_about_a_decline() {
    let board = Board::start().await;
    let (_, interest) = board.interested().await;
    let input = json!({ "id": interest });
    for _ in 0..2 {
        board.done(ERIN, "declineInterest", input.clone(), "").await;
        assert_eq!(waiting(&board).await, 0);
        assert_eq!(
            board.codes(ELI, "undoDecline", input.clone()).await,
            ["NOT_FOUND"]
        );
        let undone = board
            .done(ERIN, "undoDecline", input.clone(), "interest { state }")
            .await;
        assert_eq!(undone["interest"]["state"], "WAITING");
        assert_eq!(waiting(&board).await, 1);
    }
    board.done(ERIN, "declineInterest", input.clone(), "").await;
    board.approve(ERIN, &interest).await;
    assert_eq!(board.codes(ERIN, "undoDecline", input).await, ["CONFLICT"]);
}

#[tokio::test]
async fn interest_needs_no_suggestion() {
    let board = Board::start().await;
    let posted = board
        .post(ERIN, with(job(), json!({ "title": "Cook" })))
        .await;
    let input = json!({ "jobId": posted });
    assert_eq!(
        board.codes(ANN, "expressInterest", input.clone()).await,
        ["CONFLICT"],
        "without a profile"
    );
    let cook = json!({ "headline": "Cook", "skills": [] });
    board.save(ANN, with(profile(), cook)).await;
    let first = board
        .done(
            ANN,
            "expressInterest",
            input.clone(),
            "interest { id state }",
        )
        .await;
    assert_eq!(first["interest"]["state"], "WAITING");
    let again = board
        .done(
            ANN,
            "expressInterest",
            input.clone(),
            "interest { id state }",
        )
        .await;
    assert_eq!(again["interest"], first["interest"]);
    let card = "query($id: ID!) { job(id: $id) { myInterest { state } } }";
    let card = board.data(ANN, card, json!({ "id": posted })).await;
    assert_eq!(card["job"]["myInterest"]["state"], "WAITING");
    board.approve(ERIN, &text(&first["interest"]["id"])).await;
    // It removes the suggestion of a job that is suggested.
    let other = board.post(ERIN, job()).await;
    board.save(ANN, profile()).await;
    board.make().await;
    board
        .done(ANN, "expressInterest", json!({ "jobId": other }), "")
        .await;
    assert!(board.stored("suggestion").await.is_empty());
    board
        .done(ERIN, "closeJob", json!({ "id": other }), "")
        .await;
    let closed = json!({ "jobId": other });
    assert_eq!(
        board.codes(BOB, "expressInterest", closed).await,
        ["NOT_FOUND"]
    );
}

#[tokio::test]
async fn a_closed_job_is_opened_again() {
    let board = Board::start().await;
    let places = json!([{ "city": "Montreal", "country": "CA" }, { "city": "Toronto, ON", "country": "CA" }]);
    let dated = json!({ "places": places, "expiresOn": "2026-02-23" });
    let posted = board.post(ERIN, with(job(), dated)).await;
    let id = json!({ "id": posted });
    board.done(ERIN, "closeJob", id.clone(), "").await;
    assert_eq!(
        board.codes(ELI, "reopenJob", id.clone()).await,
        ["NOT_FOUND"]
    );
    let opened = board
        .done(ERIN, "reopenJob", id.clone(), "job { isOpen closedAt }")
        .await;
    assert_eq!(opened["job"], json!({ "isOpen": true, "closedAt": null }));
    let jobs = "{ jobs(city: \"Toronto\") { edges { node { id } } } }";
    assert_eq!(
        nodes(&board.data(BOB, jobs, json!({})).await["jobs"]).len(),
        1
    );
    board.done(ERIN, "closeJob", id.clone(), "").await;
    board.clock.advance(3 * 24 * 60 * 60);
    assert_eq!(
        board.codes(ERIN, "reopenJob", id.clone()).await,
        ["INVALID"]
    );
    let past = json!({ "id": posted, "expiresOn": "2026-02-24" });
    assert_eq!(board.codes(ERIN, "reopenJob", past).await, ["INVALID"]);
    let later = json!({ "id": posted, "expiresOn": "2026-03-24" });
    board.done(ERIN, "reopenJob", later, "").await;
}

#[tokio::test]
async fn interests_wait_in_the_order_in_which_they_came() {
    let board = Board::start().await;
    let mut jobs = Vec::new();
    for n in 0..3 {
        jobs.push(
            board
                .post(ERIN, with(job(), json!({ "title": format!("Job {n}") })))
                .await,
        );
        board.clock.advance(1);
    }
    board.save(ANN, profile()).await;
    let mut expected = Vec::new();
    for at in [2, 0, 1] {
        let input = json!({ "jobId": jobs[at] });
        let made = board
            .done(ANN, "expressInterest", input, "interest { id }")
            .await;
        expected.push(text(&made["interest"]["id"]));
        board.clock.advance(1);
    }
    let waiting = "{ waitingInterests { edges { node { id } } } }";
    let waiting = nodes(&board.data(ERIN, waiting, json!({})).await["waitingInterests"]);
    let ids: Vec<_> = waiting.iter().map(|node| text(&node["id"])).collect();
    assert_eq!(ids, expected);
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
