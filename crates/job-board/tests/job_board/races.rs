//! Seekers and employers who act at the same time: one match or none, never half.

use futures_util::future::{join, join_all};
use serde_json::{Value, json};
use trestle_testing::faults::Faults;
use trestle_testing::hosted::faulty;

use crate::board::{ANN, Board, ERIN, job, nodes, profile, text, with};

const ROUNDS: usize = 8;

#[tokio::test]
async fn what_says_that_no_run_is_pending_is_true_for_the_list_of_the_same_answer() {
    const READ: &str = "{ mySeekerProfile { suggestionsPending } suggestions { edges { node { job { title } } } } }";
    let faults = Faults::none();
    let board = Board::start_on(faulty(&faults)).await;
    for title in ["Rust engineer", "Head chef"] {
        board
            .post(ERIN, with(job(), json!({ "title": title })))
            .await;
    }
    let mut finished = 0;
    for passing in 0..6 {
        for (headline, title) in [("Chef", "Head chef"), ("Rust engineer", "Rust engineer")] {
            let headline = json!({ "headline": headline, "skills": [] });
            board.save(ANN, with(profile(), headline)).await;
            // The run is done while a read of the request waits.
            faults.hold_after("BatchGetItem", passing);
            let run_while_held = async {
                faults.held().await;
                board.make().await;
                faults.release();
                std::future::pending().await
            };
            let read = tokio::select! {
                read = board.data(ANN, READ, json!({})) => read,
                read = run_while_held => read,
            };
            let is_pending = read["mySeekerProfile"]["suggestionsPending"] == true;
            let titles: Vec<_> = nodes(&read["suggestions"])
                .iter()
                .map(|node| text(&node["job"]["title"]))
                .collect();
            let is_first = titles.first().is_some_and(|first| first == title);
            assert!(is_pending || is_first, "{passing}: {read}");
            finished += usize::from(!is_pending);
            // A request with fewer reads has left this for the next one.
            faults.hold_after("no operation", 0);
            board.make().await;
        }
    }
    assert!(finished > 0);
}

/// A board with some interests or suggestions of jobs that differ: the ids of the jobs and of their suggestions.
async fn suggested(board: &Board) -> Vec<(String, String)> {
    for n in 0..ROUNDS {
        let title = json!({ "title": format!("Rust engineer {n}") });
        board.post(ERIN, with(job(), title)).await;
    }
    board.save(ANN, crate::board::profile()).await;
    board.make().await;
    let suggestions = board.suggestions(ANN).await;
    let ids = |s: &Value| (text(&s["job"]["id"]), text(&s["id"]));
    suggestions.iter().map(ids).collect()
}

fn is_done(result: &Value) -> bool {
    result["userErrors"] == json!([])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixteen_approvals_make_one_match() {
    let board = Board::start().await;
    let (_, interest) = board.interested().await;
    let input = json!({ "id": interest });
    let approvals =
        (0..16).map(|_| board.done(ERIN, "approveInterest", input.clone(), "match { id }"));
    let mut ids: Vec<_> = join_all(approvals)
        .await
        .iter()
        .map(|a| text(&a["match"]["id"]))
        .collect();
    ids.dedup();
    assert_eq!(ids.len(), 1);
    assert_eq!(board.stored("match").await.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn undoing_and_approving_at_once_leave_a_match_or_a_suggestion() {
    let board = Board::start().await;
    let mut matches = 0;
    for (_, suggestion) in suggested(&board).await {
        let interest = json!({ "id": board.swipe(ANN, &suggestion, "RIGHT").await });
        let (undone, approved) = join(
            board.mutate(ANN, "undoSwipe", interest.clone(), "interest { id }"),
            board.mutate(ERIN, "approveInterest", interest, "match { id }"),
        )
        .await;
        assert_ne!(is_done(&undone), is_done(&approved), "{undone} {approved}");
        matches += usize::from(is_done(&approved));
        assert_eq!(board.stored("match").await.len(), matches);
    }
    assert_eq!(board.stored("interest").await.len(), matches);
    assert_eq!(board.suggestions(ANN).await.len(), ROUNDS - matches);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn swiping_and_closing_at_once_leave_an_interest_or_none() {
    let board = Board::start().await;
    let mut interests = 0;
    for (posted, suggestion) in suggested(&board).await {
        let swipe = json!({ "suggestionId": suggestion, "direction": "RIGHT" });
        let (swiped, closed) = join(
            board.mutate(ANN, "swipe", swipe, "interest { id }"),
            board.mutate(ERIN, "closeJob", json!({ "id": posted }), "job { id }"),
        )
        .await;
        assert!(is_done(&closed), "{closed}");
        interests += usize::from(is_done(&swiped));
        assert_eq!(board.stored("interest").await.len(), interests);
    }
    let left = board.stored("suggestion").await.len();
    assert_eq!(left, ROUNDS - interests, "a refused swipe changes nothing");
    assert!(board.suggestions(ANN).await.is_empty());
}
