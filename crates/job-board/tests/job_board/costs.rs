//! What each operation asks of DynamoDB, and that a page costs the same however much there is.

use std::collections::BTreeSet;

use apollo_compiler::Schema;
use serde_json::{Value, json};
use trestle_job_board::SERVICE;

use crate::board::{ANN, Board, ERIN, job, profile, text, with};

/// The calls of each operation, in the words of README.md.
const COSTS: &[(&str, &str)] = &[
    (
        "node",
        "1 BatchGetItem; of a suggestion, an interest, a match, a step and a message 2",
    ),
    (
        "nodes",
        "1 BatchGetItem for every 100 ids; of interests, matches, steps and messages 1 more for every 100 of their users",
    ),
    ("job", "1 BatchGetItem"),
    (
        "jobs",
        "1 Query for each place; 6 for New York, 2 for one of its boroughs; 1 more for another name than the key's; at most 20 with `withinKm`",
    ),
    ("myJobs", "1 Query"),
    ("myEmployerProfile", "1 BatchGetItem"),
    ("mySeekerProfile", "1 BatchGetItem"),
    (
        "suggestions",
        "1 Query, 2 BatchGetItem; if a run starts, 1 TransactWriteItems",
    ),
    ("myInterests", "1 Query, 1 BatchGetItem"),
    ("waitingInterests", "1 Query, 1 BatchGetItem"),
    ("matches", "1 Query, 1 BatchGetItem"),
    ("match", "1 BatchGetItem"),
    ("messages", "1 BatchGetItem, 1 Query"),
    ("createJob", "1 TransactWriteItems"),
    ("updateJob", "1 GetItem, 1 TransactWriteItems"),
    (
        "closeJob",
        "1 GetItem, 1 UpdateItem; with copies 1 TransactWriteItems",
    ),
    (
        "saveSeekerProfile",
        "1 GetItem, 1 TransactWriteItems; 1 UpdateItem if only `name` or `about` change",
    ),
    ("reopenJob", "1 GetItem, 1 TransactWriteItems"),
    ("saveEmployerProfile", "1 GetItem, 1 PutItem or UpdateItem"),
    (
        "deleteSeekerProfile",
        "1 GetItem, 1 TransactWriteItems; without a profile 1 GetItem and up to 5 Query more",
    ),
    (
        "deleteEmployerProfile",
        "1 GetItem, 1 TransactWriteItems; without a profile 1 GetItem and up to 4 Query more",
    ),
    (
        "swipe",
        "1 TransactWriteItems; 1 GetItem more if the job is closed or its employer is being deleted",
    ),
    (
        "undoSwipe",
        "2 GetItem, 1 BatchGetItem, 1 TransactWriteItems",
    ),
    ("approveInterest", "1 GetItem, 1 TransactWriteItems"),
    ("declineInterest", "1 GetItem, 1 TransactWriteItems"),
    ("undoDecline", "1 GetItem, 1 TransactWriteItems"),
    ("undoApproval", "1 GetItem, 1 TransactWriteItems"),
    ("moveMatch", "1 GetItem, 1 TransactWriteItems"),
    ("expressInterest", "1 BatchGetItem, 1 TransactWriteItems"),
    (
        "sendMessage",
        "1 TransactWriteItems; 2 GetItem more for a repeat",
    ),
    ("markRead", "1 GetItem, 1 Query, 1 TransactWriteItems"),
    ("savedSearches", "1 Query"),
    (
        "saveSearch",
        "1 Query, 1 PutItem; 1 GetItem, 1 UpdateItem to replace one",
    ),
    ("deleteSearch", "1 GetItem, 1 TransactWriteItems"),
    ("markSearchSeen", "1 GetItem, 1 UpdateItem"),
    ("jobPosted", "none"),
    ("matchMade", "none"),
    ("messageReceived", "none"),
];

/// The calls since the last reset, as `1 GetItem, 1 Query`.
fn calls(board: &Board) -> String {
    let counts = board.calls.counts().into_iter();
    let counts: Vec<_> = counts
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    counts.join(", ")
}

async fn query(board: &Board, viewer: &str, document: &str, expected: &str) {
    board.calls.reset();
    board.data(viewer, document, json!({})).await;
    assert_eq!(calls(board), expected, "{document}");
}

async fn mutation(board: &Board, viewer: &str, name: &str, input: Value, expected: &str) -> Value {
    let selection = match name {
        "createJob" | "updateJob" | "closeJob" | "reopenJob" => "job { id }",
        "swipe" | "undoSwipe" | "declineInterest" | "undoDecline" | "undoApproval"
        | "expressInterest" => "interest { id }",
        "approveInterest" | "markRead" | "moveMatch" => "match { id }",
        "sendMessage" => "message { id }",
        "saveSearch" | "markSearchSeen" | "deleteSearch" => "search { id }",
        _ => "",
    };
    board.calls.reset();
    let result = board.done(viewer, name, input, selection).await;
    assert_eq!(calls(board), expected, "{name}");
    result
}

#[tokio::test]
async fn mutations_cost_what_the_table_says() {
    let board = Board::start().await;
    let company = json!({ "company": "Acme" });
    mutation(
        &board,
        ERIN,
        "saveEmployerProfile",
        company.clone(),
        "1 GetItem, 1 PutItem",
    )
    .await;
    mutation(&board, ERIN, "saveEmployerProfile", company, "1 GetItem").await;
    let company = json!({ "company": "Ajax" });
    mutation(
        &board,
        ERIN,
        "saveEmployerProfile",
        company,
        "1 GetItem, 1 UpdateItem",
    )
    .await;
    let saved = "1 GetItem, 1 TransactWriteItems";
    mutation(&board, ANN, "saveSeekerProfile", profile(), saved).await;
    mutation(&board, ANN, "saveSeekerProfile", profile(), "1 GetItem").await;
    mutation(
        &board,
        ANN,
        "saveSeekerProfile",
        with(profile(), json!({ "name": "A" })),
        "1 GetItem, 1 UpdateItem",
    )
    .await;
    let posted = mutation(&board, ERIN, "createJob", job(), "1 TransactWriteItems").await;
    let posted = posted["job"]["id"].clone();
    let update = json!({ "id": posted, "title": "Rust" });
    mutation(&board, ERIN, "updateJob", update.clone(), saved).await;
    mutation(&board, ERIN, "updateJob", update, "1 GetItem").await;
    board.post(ERIN, job()).await;
    board.make().await;
    let suggestions = board.suggestions(ANN).await;
    let swipe = |at: usize| json!({ "suggestionId": suggestions[at]["id"], "direction": "RIGHT" });
    let once = "1 TransactWriteItems";
    let interest = mutation(&board, ANN, "swipe", swipe(0), once).await["interest"]["id"].clone();
    let undone = "1 BatchGetItem, 1 TransactWriteItems, 2 GetItem";
    board.calls.reset();
    board
        .done(ANN, "undoSwipe", json!({ "id": interest }), "")
        .await;
    let mut counts: Vec<_> = calls(&board).split(", ").map(str::to_owned).collect();
    counts.sort();
    assert_eq!(counts.join(", "), undone);
    mutation(&board, ANN, "swipe", swipe(0), once).await;
    let approved = mutation(
        &board,
        ERIN,
        "approveInterest",
        json!({ "id": interest }),
        saved,
    )
    .await;
    let other = mutation(&board, ANN, "swipe", swipe(1), once).await["interest"]["id"].clone();
    let other = json!({ "id": other });
    for name in [
        "declineInterest",
        "undoDecline",
        "approveInterest",
        "undoApproval",
    ] {
        mutation(&board, ERIN, name, other.clone(), saved).await;
    }
    let moved = json!({ "id": approved["match"]["id"], "stage": "SCREENING" });
    mutation(&board, ERIN, "moveMatch", moved, saved).await;
    let third = json!({ "jobId": board.post(ERIN, job()).await });
    let expressed = "1 BatchGetItem, 1 TransactWriteItems";
    mutation(&board, ANN, "expressInterest", third, expressed).await;
    let message = json!({ "matchId": approved["match"]["id"], "text": "hello" });
    let sent = mutation(&board, ANN, "sendMessage", message, once).await;
    let read = json!({ "messageId": sent["message"]["id"] });
    let marked = "1 GetItem, 1 Query, 1 TransactWriteItems";
    mutation(&board, ERIN, "markRead", read.clone(), marked).await;
    mutation(&board, ERIN, "markRead", read, "1 GetItem").await;
    let posted = json!({ "id": posted });
    let closed = "1 GetItem, 1 UpdateItem";
    mutation(&board, ERIN, "closeJob", posted.clone(), closed).await;
    mutation(&board, ERIN, "reopenJob", posted, saved).await;
    let search = json!({ "name": "Rust", "places": ["Montreal"] });
    let saving = "1 PutItem, 1 Query";
    let search = mutation(&board, ANN, "saveSearch", search, saving).await["search"]["id"].clone();
    board.clock.advance(1);
    let named = json!({ "id": search });
    mutation(&board, ANN, "markSearchSeen", named.clone(), closed).await;
    let again = json!({ "id": search, "name": "Rust!", "places": ["Montreal"] });
    mutation(&board, ANN, "saveSearch", again, closed).await;
    mutation(&board, ANN, "deleteSearch", named, saved).await;
    mutation(&board, ANN, "deleteSeekerProfile", json!({}), saved).await;
    mutation(&board, ERIN, "deleteEmployerProfile", json!({}), saved).await;
}

#[tokio::test]
async fn queries_cost_what_the_table_says() {
    let board = Board::start().await;
    let matched = board.matched().await;
    let message = board.send(ANN, &matched, "hello").await;
    board.post(ERIN, job()).await;
    board.make().await;
    let suggestion = text(&board.suggestions(ANN).await[0]["id"]);
    let (get, list) = ("1 BatchGetItem", "1 Query");
    let both = "1 BatchGetItem, 1 Query";
    let node = |id: &str| format!("{{ node(id: \"{id}\") {{ id }} }}");
    // With what tells whether it goes with a profile that is being deleted.
    query(&board, ANN, &node(&matched), "2 BatchGetItem").await;
    query(&board, ANN, &node(&suggestion), "2 BatchGetItem").await;
    query(
        &board,
        ANN,
        &format!("{{ nodes(ids: [\"{matched}\", \"{message}\"]) {{ id }} }}"),
        "2 BatchGetItem",
    )
    .await;
    query(
        &board,
        ANN,
        &format!("{{ match(id: \"{matched}\") {{ id }} }}"),
        get,
    )
    .await;
    query(
        &board,
        ANN,
        &format!("{{ job(id: \"{matched}\") {{ id }} }}"),
        "",
    )
    .await;
    let job = "{ suggestions { edges { node { job { id title } } } } }";
    query(&board, ANN, job, "3 BatchGetItem, 1 Query").await;
    query(
        &board,
        ANN,
        "{ suggestions { edges { node { id } } } }",
        "2 BatchGetItem, 1 Query",
    )
    .await;
    query(
        &board,
        ANN,
        "{ jobs(city: \"Montreal\") { edges { node { title places { city } } } } }",
        list,
    )
    .await;
    query(
        &board,
        ANN,
        "{ jobs(places: [\"Montreal\", \"Toronto\"]) { edges { node { title myInterest { state } } } } }",
        "1 BatchGetItem, 2 Query",
    )
    .await;
    query(
        &board,
        ANN,
        "{ myInterests { edges { node { id } } } }",
        both,
    )
    .await;
    query(
        &board,
        ANN,
        "{ matches { edges { node { id matchedOn } } } }",
        both,
    )
    .await;
    query(
        &board,
        ANN,
        "{ matches { edges { node { job { id } seeker { id } employer { id } } } } }",
        "2 BatchGetItem, 1 Query",
    )
    .await;
    query(
        &board,
        ERIN,
        "{ waitingInterests { edges { node { id } } } }",
        list,
    )
    .await;
    query(&board, ERIN, "{ myJobs { edges { node { id } } } }", list).await;
    let counted = "{ myJobs { edges { node { interestCounts { waiting approved } } } } }";
    query(&board, ERIN, counted, both).await;
    query(&board, ANN, "{ mySeekerProfile { id } }", get).await;
    // The profile, whether a run waits, and when the last one was; for an older list whether it is empty; and a new run.
    let pending = "{ mySeekerProfile { suggestionsPending } }";
    query(&board, ANN, pending, "2 BatchGetItem").await;
    board.clock.advance(60 * 60);
    let older = "2 BatchGetItem, 1 Query";
    query(&board, ANN, pending, older).await;
    board.clock.advance(24 * 60 * 60);
    let starts = "2 BatchGetItem, 1 TransactWriteItems";
    query(&board, ANN, pending, starts).await;
    query(&board, ANN, pending, "2 BatchGetItem").await;
    query(&board, ANN, "{ savedSearches { id } }", list).await;
    query(&board, ERIN, "{ myEmployerProfile { id } }", get).await;
    let messages =
        format!("{{ messages(matchId: \"{matched}\") {{ edges {{ node {{ id text }} }} }} }}");
    query(&board, ANN, &messages, both).await;
}

#[test]
fn the_document_has_the_costs_of_every_operation() {
    let schema = Schema::parse((SERVICE.sdl)(), "job-board.graphql").unwrap();
    let mut operations = BTreeSet::new();
    for root in ["Query", "Mutation", "Subscription"] {
        let fields = &schema.get_object(root).unwrap().fields;
        operations.extend(fields.keys().map(|name| name.to_string()));
    }
    let named = COSTS.iter().map(|(name, _)| (*name).to_owned());
    assert_eq!(operations, named.collect());
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    let document = std::fs::read_to_string(path).unwrap();
    for (name, cost) in COSTS {
        let row = format!("| `{name}` | {cost} |");
        assert!(document.contains(&row), "README.md lacks: {row}");
    }
}
