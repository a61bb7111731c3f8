//! What is left of profiles: of employers who never had one, of deletions that were interrupted, and of those that are under
//! way.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use trestle_job_board::table::TABLE;

use crate::board::{ANN, BOB, Board, ERIN, Item, job, nodes, profile, text, with};

async fn remove(board: &Board, item: &Item) {
    let delete = board.dynamodb.delete_item().table_name(TABLE.default_name);
    let delete = delete.key("pk", item["pk"].clone());
    let delete = delete.key("sk", item["sk"].clone());
    delete.send().await.unwrap();
}

/// Removes every item of these kinds, as a run that was interrupted or another program does.
async fn remove_all(board: &Board, kinds: &[&str]) {
    for kind in kinds {
        for item in board.stored(kind).await {
            remove(board, &item).await;
        }
    }
}

/// The kinds of what is stored of a user.
async fn left_of(board: &Board, user: &str) -> Vec<String> {
    let items = board.items(TABLE.default_name).await.into_iter();
    let own = items.filter(|item| format!("{item:?}").contains(user));
    let mut kinds: Vec<_> = own
        .map(|item| item["entityType"].as_s().unwrap().clone())
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

#[tokio::test]
async fn an_employer_without_a_profile_lists_and_deletes_what_is_theirs() {
    let board = Board::start().await;
    let matched = board.matched().await;
    board.send(ANN, &matched, "Hello").await;
    let mine = "{ myEmployerProfile { company } myJobs { edges { node { isOpen } } } }";
    let before = board.data(ERIN, mine, json!({})).await;
    assert_eq!(before["myEmployerProfile"], Value::Null);
    assert_eq!(nodes(&before["myJobs"]).len(), 1);
    let version = json!({ "expectedVersion": 1 });
    let codes = board.codes(ERIN, "deleteEmployerProfile", version).await;
    assert_eq!(codes, ["NOT_FOUND"], "there is no version");
    let deleted = board
        .done(ERIN, "deleteEmployerProfile", json!({}), "employer { id }")
        .await;
    assert_eq!(deleted["employer"], Value::Null);
    let matches = "{ matches { edges { node { id } } } }";
    let seen = board.data(ANN, matches, json!({})).await;
    assert_eq!(nodes(&seen["matches"]), [Value::Null; 0], "at once");
    board.make().await;
    assert_eq!(left_of(&board, "erin").await, [""; 0]);
    assert!(board.stored("message").await.is_empty());
    let again = board.codes(ERIN, "deleteEmployerProfile", json!({})).await;
    assert_eq!(again, ["NOT_FOUND"], "nothing is left");
}

#[tokio::test]
async fn a_seeker_whose_profile_another_program_deleted_deletes_the_rest() {
    let board = Board::start().await;
    board.matched().await;
    board.save(BOB, profile()).await;
    board.make().await;
    remove_all(&board, &["seeker"]).await;
    let deleted = board
        .done(ANN, "deleteSeekerProfile", json!({}), "seeker { id }")
        .await;
    assert_eq!(deleted["seeker"], Value::Null);
    board.make().await;
    assert_eq!(left_of(&board, "\"ann\"").await, [""; 0]);
    assert_eq!(left_of(&board, "seeker#ann").await, [""; 0]);
    let codes = board.codes(ANN, "deleteSeekerProfile", json!({})).await;
    assert_eq!(codes, ["NOT_FOUND"]);
    assert!(!left_of(&board, "seeker#bob").await.is_empty());
}

#[tokio::test]
async fn a_deletion_that_was_interrupted_goes_on() {
    let board = Board::start().await;
    let matched = board.matched().await;
    board.send(ANN, &matched, "Hello").await;
    board
        .done(ERIN, "deleteEmployerProfile", json!({}), "")
        .await;
    // A process took the run, deleted the job before its match, and ended.
    remove_all(&board, &["job", "interestCounts", "answeredInterest"]).await;
    let mut run = board.stored("run").await.pop().unwrap();
    let now = run["requestedAt"].clone();
    run.insert("takenAt".to_owned(), now);
    let put = board.dynamodb.put_item().table_name(TABLE.default_name);
    put.set_item(Some(run)).send().await.unwrap();
    board.make().await;
    assert!(!board.stored("match").await.is_empty(), "another has it");
    board.clock.advance(31);
    board.make().await;
    // The interest is found by the copy in the job alone, and says nothing once its match is gone.
    for kind in ["match", "message", "matchStep", "run"] {
        assert!(board.stored(kind).await.is_empty(), "{kind}");
    }
}

#[tokio::test]
async fn the_copy_of_an_answer_whose_interest_is_gone_is_deleted() {
    let board = Board::start().await;
    board.matched().await;
    // Another program deleted everything but the copy.
    let kinds = ["job", "interestCounts", "interest", "match", "matchStep"];
    remove_all(&board, &kinds).await;
    assert_eq!(board.stored("answeredInterest").await.len(), 1);
    board
        .done(ERIN, "deleteEmployerProfile", json!({}), "")
        .await;
    board.make().await;
    assert_eq!(left_of(&board, "employer#erin").await, [""; 0]);
    let again = board.codes(ERIN, "deleteEmployerProfile", json!({})).await;
    assert_eq!(again, ["NOT_FOUND"], "nothing is left");
}

#[tokio::test]
async fn a_run_that_fails_holds_up_no_other() {
    let board = Board::start().await;
    board.post(ERIN, job()).await;
    board.save(ANN, profile()).await;
    board.save(BOB, profile()).await;
    // The profile of the first one cannot be read.
    let profiles = board.stored("seeker").await.into_iter();
    let mut own = profiles.filter(|item| item["pk"] == AttributeValue::S("seeker#ann".into()));
    let mut broken = own.next().unwrap();
    broken.insert("name".into(), AttributeValue::N("1".into()));
    let put = board.dynamodb.put_item().table_name(TABLE.default_name);
    put.set_item(Some(broken)).send().await.unwrap();
    let failed = board.command(&["suggest"]).await;
    assert!(failed.is_err(), "it is reported");
    assert_eq!(board.suggestions(BOB).await.len(), 1);
}

#[tokio::test]
async fn nobody_answers_a_suggestion_of_a_deleted_employer() {
    let board = Board::start().await;
    let (_, suggestion) = board.suggested().await;
    let company = json!({ "company": "Acme" });
    board.done(ERIN, "saveEmployerProfile", company, "").await;
    board
        .done(ERIN, "deleteEmployerProfile", json!({}), "")
        .await;
    for direction in ["RIGHT", "LEFT"] {
        let input = json!({ "suggestionId": suggestion, "direction": direction });
        let codes = board.codes(ANN, "swipe", input.clone()).await;
        assert_eq!(codes, ["CONFLICT"], "before the job is deleted");
    }
    assert!(board.stored("interest").await.is_empty());
    board.make().await;
    let input = json!({ "suggestionId": suggestion, "direction": "RIGHT" });
    let codes = board.codes(ANN, "swipe", input).await;
    assert_eq!(codes, ["CONFLICT"], "and after");
}

#[tokio::test]
async fn what_an_employer_posts_after_a_deletion_is_answered_however_old_its_id_is() {
    let board = Board::start().await;
    board.post(ERIN, job()).await;
    board
        .done(ERIN, "deleteEmployerProfile", json!({}), "")
        .await;
    board.clock.advance(1);
    let old = crate::board::ulid("2026-01-01T00:00:00Z", 1);
    let posted = with(job(), json!({ "title": "Rust engineer", "requestId": old }));
    board.post(ERIN, posted).await;
    board.save(ANN, profile()).await;
    // The deletion waits while suggestions are made.
    let runs = board.stored("run").await.into_iter();
    let is_deletion = |run: &Item| format!("{run:?}").contains("deletion");
    let deletion = runs.filter(is_deletion).collect::<Vec<_>>().pop().unwrap();
    remove(&board, &deletion).await;
    board.make().await;
    let put = board.dynamodb.put_item().table_name(TABLE.default_name);
    put.set_item(Some(deletion)).send().await.unwrap();
    let own = board.suggestions(ANN).await.into_iter();
    let mut own = own.filter(|one| one["job"]["title"] == "Rust engineer");
    let suggestion = text(&own.next().unwrap()["id"]);
    board.swipe(ANN, &suggestion, "RIGHT").await;
}
