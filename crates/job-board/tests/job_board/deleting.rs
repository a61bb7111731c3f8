//! Deleting profiles with what belongs to them.

use serde_json::{Value, json};

use crate::board::{ANN, BOB, Board, ERIN, job, nodes, profile, text, with};

/// Everything that can belong to two people: a suggestion, an interest in each state, a match with messages and steps.
async fn filled() -> (Board, String) {
    let board = Board::start().await;
    board
        .done(
            ERIN,
            "saveEmployerProfile",
            json!({ "company": "Acme" }),
            "",
        )
        .await;
    let mut jobs = Vec::new();
    for n in 0..5 {
        let places = json!([
            { "city": "Montreal", "country": "CA" },
            { "city": "Toronto, ON", "country": "CA" },
        ]);
        let fields = json!({ "title": format!("Rust engineer {n}"), "places": places });
        jobs.push(board.post(ERIN, with(job(), fields)).await);
    }
    board.save(ANN, profile()).await;
    board.save(BOB, profile()).await;
    board.make().await;
    let mut interests = Vec::new();
    for suggestion in &board.suggestions(ANN).await[..4] {
        let direction = if interests.len() == 3 {
            "LEFT"
        } else {
            "RIGHT"
        };
        let id = text(&suggestion["id"]);
        interests.push(board.swipe(ANN, &id, direction).await);
    }
    board
        .done(ERIN, "declineInterest", json!({ "id": interests[1] }), "")
        .await;
    let matched = board.approve(ERIN, &interests[0]).await;
    board.send(ANN, &matched, "Hello").await;
    board.send(ERIN, &matched, "Welcome").await;
    let step = json!({ "id": matched, "stage": "SCREENING" });
    board.done(ERIN, "moveMatch", step, "").await;
    (board, matched)
}

/// The kinds of what is stored with this text in one of its keys or ids.
async fn kinds(board: &Board, word: &str) -> Vec<String> {
    let mut kinds = Vec::new();
    for item in board.items("job-app").await {
        if format!("{item:?}").contains(word) {
            kinds.push(item["entityType"].as_s().unwrap().clone());
        }
    }
    kinds.sort();
    kinds.dedup();
    kinds
}

#[tokio::test]
async fn a_deleted_seeker_leaves_nothing() {
    let (board, matched) = filled().await;
    assert!(kinds(&board, "\"ann\"").await.len() > 6);
    board.done(ANN, "deleteSeekerProfile", json!({}), "").await;
    assert_eq!(
        board.codes(ANN, "deleteSeekerProfile", json!({})).await,
        ["NOT_FOUND"]
    );
    board.make().await;
    assert_eq!(kinds(&board, "ann").await, [""; 0]);
    let of = "query($id: ID!) { match(id: $id) { id } myJobs { edges { node { interestCounts { waiting approved declined } } } } }";
    let seen = board.data(ERIN, of, json!({ "id": matched })).await;
    assert_eq!(seen["match"], Value::Null);
    for posted in nodes(&seen["myJobs"]) {
        let none = json!({ "waiting": 0, "approved": 0, "declined": 0 });
        assert_eq!(posted["interestCounts"], none);
    }
    assert_eq!(board.suggestions(BOB).await.len(), 5, "others keep theirs");
}

#[tokio::test]
async fn a_deleted_employer_leaves_nothing_but_rejections() {
    let (board, _) = filled().await;
    board
        .done(ERIN, "deleteEmployerProfile", json!({}), "")
        .await;
    board.make().await;
    assert_eq!(kinds(&board, "erin").await, ["interest"]);
    let own = "{ myInterests { edges { node { state job { id } } } } }";
    let own = board.data(ANN, own, json!({})).await;
    let rejected = json!([{ "state": "REJECTED", "job": null }]);
    assert_eq!(json!(nodes(&own["myInterests"])), rejected);
    assert!(board.suggestions(BOB).await.is_empty());
    assert!(board.stored("suggestion").await.is_empty());
    assert!(board.partition(None, "job#toronto#").await.is_empty());
}

#[tokio::test]
async fn nothing_comes_of_a_deleted_profile_before_the_rest_is_deleted() {
    let company = json!({ "company": "Acme" });
    for (party, delete, save, fields) in [
        (ANN, "deleteSeekerProfile", "saveSeekerProfile", profile()),
        (
            ERIN,
            "deleteEmployerProfile",
            "saveEmployerProfile",
            company,
        ),
    ] {
        let (board, matched) = filled().await;
        let waiting = "{ waitingInterests { edges { node { id } } } }";
        let waiting = nodes(&board.data(ERIN, waiting, json!({})).await["waitingInterests"]);
        let interest = json!({ "id": waiting[0]["id"] });
        let message = json!({ "matchId": matched, "text": "Hello?" });
        board.done(party, delete, json!({}), "").await;
        let refused = async || {
            for (viewer, mutation, input) in [
                (ERIN, "approveInterest", interest.clone()),
                (ERIN, "declineInterest", interest.clone()),
                (ERIN, "moveMatch", json!({ "id": matched, "note": "Call" })),
                (ERIN, "sendMessage", message.clone()),
                (ANN, "sendMessage", message.clone()),
            ] {
                let codes = board.codes(viewer, mutation, input).await;
                assert_eq!(codes, ["NOT_FOUND"], "{delete}, {viewer}: {mutation}");
            }
        };
        refused().await;
        // A profile that is saved since is another one.
        board.done(party, save, fields, "").await;
        refused().await;
        board.clock.advance(1);
        refused().await;
    }
}

#[tokio::test]
async fn nobody_is_interested_in_a_job_of_a_deleted_employer() {
    let (board, _) = filled().await;
    let jobs = "{ myJobs { edges { node { id } } } }";
    let jobs = nodes(&board.data(ERIN, jobs, json!({})).await["myJobs"]);
    let input = json!({ "jobId": jobs[0]["id"] });
    board
        .done(ERIN, "deleteEmployerProfile", json!({}), "")
        .await;
    let codes = board.codes(BOB, "expressInterest", input.clone()).await;
    assert_eq!(codes, ["NOT_FOUND"], "before the job is deleted");
    board.make().await;
    let codes = board.codes(BOB, "expressInterest", input).await;
    assert_eq!(codes, ["NOT_FOUND"]);
}

#[tokio::test]
async fn readers_see_nothing_of_a_deleted_profile_before_the_rest_is_deleted() {
    for (party, mutation) in [
        (ANN, "deleteSeekerProfile"),
        (ERIN, "deleteEmployerProfile"),
    ] {
        let (board, matched) = filled().await;
        let ids = "{ matches(as: EMPLOYER) { edges { node { id steps { edges { node { id } } } messages { edges { node { id \
                   } } } } } } waitingInterests { edges { node { id } } } }";
        let ids = board.data(ERIN, ids, json!({})).await;
        let of = &nodes(&ids["matches"])[0];
        let all = [
            of["id"].clone(),
            nodes(&of["steps"])[0]["id"].clone(),
            nodes(&of["messages"])[0]["id"].clone(),
            nodes(&ids["waitingInterests"])[0]["id"].clone(),
        ];
        board.done(party, mutation, json!({}), "").await;
        let lists = "{ matches(as: EMPLOYER) { edges { node { id } } } waitingInterests { edges { node { id } } } myJobs { \
                     edges { node { approved: interests(state: APPROVED) { edges { node { id } } } declined: \
                     interests(state: DECLINED) { edges { node { id } } } interests { edges { node { id } } } } } } }";
        let seen = board.data(ERIN, lists, json!({})).await;
        let own = "{ matches { edges { node { id } } } myInterests { edges { node { state } } } }";
        let own = board.data(ANN, own, json!({})).await;
        for list in [&seen["matches"], &seen["waitingInterests"], &own["matches"]] {
            assert_eq!(nodes(list), [Value::Null; 0], "{mutation}");
        }
        for posted in nodes(&seen["myJobs"]) {
            for list in ["approved", "declined", "interests"] {
                assert_eq!(nodes(&posted[list]), [Value::Null; 0], "{mutation} {list}");
            }
        }
        // That a seeker was not interested stays with the seeker when the employer goes.
        let left: &[Value] = match party {
            ANN => &[],
            _ => &[json!({ "state": "REJECTED" })],
        };
        assert_eq!(nodes(&own["myInterests"]), left, "{mutation}");
        let one = "query($id: ID!) { match(id: $id) { id } messages(matchId: $id) { edges { node { text } } } }";
        for viewer in [ANN, ERIN] {
            let seen = board.data(viewer, one, json!({ "id": matched })).await;
            assert_eq!(
                seen,
                json!({ "match": null, "messages": null }),
                "{mutation}"
            );
            let node = "query($ids: [ID!]!) { nodes(ids: $ids) { id } }";
            let seen = board.data(viewer, node, json!({ "ids": all })).await;
            assert_eq!(seen["nodes"], json!([null, null, null, null]), "{mutation}");
        }
        // Once the rest is deleted, nothing of it is stored.
        board.make().await;
        for kind in ["match", "message", "matchStep", "answeredInterest"] {
            assert!(board.stored(kind).await.is_empty(), "{mutation} {kind}");
        }
    }
}

#[tokio::test]
async fn what_comes_about_after_a_deletion_stays() {
    let (board, _) = filled().await;
    board.done(ANN, "deleteSeekerProfile", json!({}), "").await;
    board
        .done(ERIN, "deleteEmployerProfile", json!({}), "")
        .await;
    board.clock.advance(1);
    let posted = board.post(ERIN, job()).await;
    board.save(ANN, profile()).await;
    board
        .done(ANN, "expressInterest", json!({ "jobId": posted }), "")
        .await;
    board.make().await;
    let jobs = "{ myJobs { edges { node { id interestCounts { waiting } } } } }";
    let jobs = board.data(ERIN, jobs, json!({})).await;
    let left = json!([{ "id": posted, "interestCounts": { "waiting": 1 } }]);
    assert_eq!(json!(nodes(&jobs["myJobs"])), left);
    let own = "{ mySeekerProfile { id } myInterests { edges { node { id } } } }";
    let own = board.data(ANN, own, json!({})).await;
    assert!(own["mySeekerProfile"].is_object());
    assert_eq!(nodes(&own["myInterests"]).len(), 1);
}
