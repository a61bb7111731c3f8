//! Weeks on the board: a seeker who comes back, and an employer with many postings.

use serde_json::{Value, json};

use crate::board::{ANN, BOB, Board, ERIN, job, nodes, profile, text, with};

const DAY: i64 = 24 * 60 * 60;

async fn ids(board: &Board, viewer: &str, list: &str, arguments: &str) -> Vec<String> {
    let query = format!("{{ {list}{arguments} {{ edges {{ node {{ id }} }} }} }}");
    let found = board.data(viewer, &query, Value::Null).await;
    nodes(&found[list])
        .iter()
        .map(|node| text(&node["id"]))
        .collect()
}

#[tokio::test]
async fn a_seeker_who_comes_back_sees_what_is_new_and_what_was_answered() {
    for days in [7, 30, 40] {
        let board = Board::start().await;
        let (first, interest) = board.interested().await;
        let second = with(job(), json!({ "title": "Rust Engineer, Search" }));
        let second = board.post(ERIN, second).await;
        let search =
            json!({ "name": "Rust", "places": ["Montreal"], "filter": { "skills": ["Rust"] } });
        board.done(ANN, "saveSearch", search, "").await;
        board.make().await;
        board.clock.advance(days * DAY);
        let third = with(job(), json!({ "title": "Rust Engineer, Ads" }));
        let third = board.post(ERIN, third).await;
        let matched = board.approve(ERIN, &interest).await;
        board.send(ERIN, &matched, "Still there?").await;
        // One look says that the list is being made, and the next one has it.
        let look = "{ mySeekerProfile { suggestionsPending } savedSearches { newJobs { edges { node { id } } } }
            myInterests { edges { node { state job { id } match { unreadCount } } } } }";
        let seen = board.data(ANN, look, Value::Null).await;
        assert_eq!(seen["mySeekerProfile"]["suggestionsPending"], true);
        let new = nodes(&seen["savedSearches"][0]["newJobs"]);
        assert_eq!(new, [json!({ "id": third })], "{days}");
        let answered =
            json!([{ "state": "APPROVED", "job": { "id": first }, "match": { "unreadCount": 1 } }]);
        assert_eq!(json!(nodes(&seen["myInterests"])), answered);
        board.make().await;
        let suggestions = board.suggestions(ANN).await;
        let mut found: Vec<_> = suggestions
            .iter()
            .map(|one| text(&one["job"]["id"]))
            .collect();
        let mut open = vec![second, third];
        found.sort_unstable();
        open.sort_unstable();
        assert_eq!(found, open, "{days}");
        let pending = "{ mySeekerProfile { suggestionsPending } }";
        let pending = board.data(ANN, pending, Value::Null).await;
        assert_eq!(pending["mySeekerProfile"]["suggestionsPending"], false);
    }
}

#[tokio::test]
async fn an_employer_keeps_an_overview_of_thirty_postings() {
    let board = Board::start().await;
    let mut posted = Vec::new();
    for n in 0..30 {
        let expires = (n % 3 == 0).then_some("2026-03-01");
        let fields = json!({ "title": format!("Rust engineer {n}"), "expiresOn": expires });
        posted.push(board.post(ERIN, with(job(), fields)).await);
        board.clock.advance(1);
    }
    board.save(ANN, profile()).await;
    board.save(BOB, profile()).await;
    for viewer in [ANN, BOB] {
        let input = json!({ "jobId": posted[4] });
        board.done(viewer, "expressInterest", input, "").await;
    }
    for job in &posted[..3] {
        board.done(ERIN, "closeJob", json!({ "id": job }), "").await;
    }
    assert_eq!(ids(&board, ERIN, "myJobs", "(first: 100)").await.len(), 30);
    let open = ids(&board, ERIN, "myJobs", "(first: 100, isOpen: true)").await;
    assert_eq!(open.len(), 27);
    board.clock.advance(30 * DAY);
    // Those whose last day has passed are no longer open.
    let open = ids(&board, ERIN, "myJobs", "(first: 100, isOpen: true)").await;
    let shut = ids(&board, ERIN, "myJobs", "(first: 100, isOpen: false)").await;
    assert_eq!((open.len(), shut.len()), (18, 12));
    assert!(open.iter().all(|id| !shut.contains(id)));
    let again = json!({ "id": posted[0], "expiresOn": "2026-06-01" });
    board.done(ERIN, "reopenJob", again, "").await;
    let open = ids(&board, ERIN, "myJobs", "(first: 100, isOpen: true)").await;
    assert_eq!(open.last(), posted.first());
    // Pages of a filtered list meet.
    let page = "query($after: String) { myJobs(isOpen: true, first: 8, after: $after) { edges { node { id } }
        pageInfo { hasNextPage endCursor } } }";
    let (mut paged, mut after) = (Vec::new(), Value::Null);
    loop {
        let jobs = board.data(ERIN, page, json!({ "after": after })).await["myJobs"].clone();
        paged.extend(nodes(&jobs).iter().map(|job| text(&job["id"])));
        if jobs["pageInfo"]["hasNextPage"] == false {
            break;
        }
        after = jobs["pageInfo"]["endCursor"].clone();
    }
    assert_eq!(paged, open);
    let waiting = "{ waitingInterests { edges { node { job { id } seeker { name } } } } }";
    let waiting = nodes(&board.data(ERIN, waiting, Value::Null).await["waitingInterests"]);
    assert_eq!(waiting.len(), 2);
    assert!(
        waiting
            .iter()
            .all(|one| one["job"]["id"] == json!(posted[4]))
    );
}
