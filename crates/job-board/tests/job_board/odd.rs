//! Items as other programs write them: those of the design, with what is not ours left out, are read, changed and
//! deleted; odd in every way, nothing of them is lost or made up.

use serde_json::{Value, json};
use trestle_job_board::table::TABLE;
use trestle_testing::odd::item;
use trestle_testing::promise::{Asked, Promise};

use crate::board::{ANN, BOB, Board, ERIN, nodes, text, ulid};

const AT: &str = "2026-02-20T10:00:00.000Z";
const CAL: &str = "cal write seeker";

/// An item as another program writes it: without versions.
fn stored(kind: &str, keys: [&str; 4], attributes: Value) -> Value {
    let [pk, sk, gsi_pk, gsi_sk] = keys;
    let mut item =
        json!({ "pk": pk, "sk": sk, "entityType": kind, "createdAt": AT, "updatedAt": AT });
    if !gsi_pk.is_empty() {
        item["GSI1PK"] = json!(gsi_pk);
        item["GSI1SK"] = json!(gsi_sk);
    }
    item.as_object_mut()
        .unwrap()
        .extend(attributes.as_object().unwrap().clone());
    item
}

/// One item of each kind and two jobs, with the keys of the design.
fn designed() -> Vec<Value> {
    let [first, second] = [1, 2].map(|n| ulid("2026-02-20T10:00:00Z", n));
    let [of, message] = [3, 4].map(|n| ulid("2026-02-21T10:00:00Z", n));
    let job = |id: &str, title: &str| {
        let place = format!("j#2026-02-20#H2X1Y4#{id}");
        stored(
            "job",
            ["job#montreal#", &place, "employer#erin", &place],
            json!({
                "jobId": id, "employerId": "erin", "city": "montreal", "zip": "H2X1Y4", "company": "Acme", "title": title,
                "description": "what to do", "skills": ["rust", "sql"], "isRemote": false, "lastDay": "9999-12-31",
                "payMin": 100_000, "payMax": 120_000,
                "places": [{ "city": "Montréal", "country": "CA", "zip": "H2X1Y4" }],
            }),
        )
    };
    let named = |id: &str| json!({ "jobId": id, "city": "montreal", "zip": "H2X1Y4" });
    let suggestion = format!("s#R1#2026-02-20#H2X1Y4#{second}#ann");
    let by_seeker = format!("j#R1#2026-02-20#H2X1Y4#{second}");
    let between = json!({ "matchId": of, "jobId": first, "seekerId": "bob", "employerId": "erin" });
    vec![
        job(&first, "Senior engineer"),
        job(&second, "Junior engineer"),
        stored(
            "suggestion",
            [
                "suggestion#montreal#",
                &suggestion,
                "seeker#ann",
                &by_seeker,
            ],
            json!({
                "seekerId": "ann", "employerId": "erin", "job": named(&second), "relevance": "R1", "score": 90,
                "reasons": [{ "rule": "SKILLS", "points": 90, "text": "two skills" }],
                "ttl": trestle_testing::hosted::START + 600_000,
            }),
        ),
        stored(
            "interest",
            [
                "seeker#ann",
                &format!("i#{first}"),
                "employer#erin",
                &format!("i#2026-02-21#{first}#ann"),
            ],
            json!({
                "seekerId": "ann", "employerId": "erin", "job": named(&first), "state": "WAITING", "swipedOn": "2026-02-21",
            }),
        ),
        stored(
            "match",
            [
                "seeker#bob",
                &format!("j#2026-02-21#{first}"),
                "employer#erin",
                &format!("m#2026-02-21#{first}#bob"),
            ],
            json!({
                "matchId": of, "seekerId": "bob", "employerId": "erin", "job": named(&first),
            }),
        ),
        stored(
            "message",
            [&format!("match#{of}"), &format!("m#{message}"), "", ""],
            json!({
                "messageId": message, "match": between, "sender": "SEEKER", "text": "good morning",
            }),
        ),
        stored(
            "seeker",
            ["seeker#ann", "profile", "", ""],
            json!({
                "seekerId": "ann", "name": "Ann", "headline": "Rust engineer", "skills": ["rust"], "wantsRemote": false,
                "minPay": 90_000, "places": [{ "city": "Montréal", "country": "CA", "zip": "" }],
            }),
        ),
        stored(
            "seeker",
            ["seeker#cal", "profile", "", ""],
            json!({ "seekerId": "cal", "name": "Cal", "places": [{ "city": "Montréal", "country": "CA", "zip": "" }] }),
        ),
        stored(
            "employer",
            ["employer#erin", "profile", "", ""],
            json!({
                "employerId": "erin", "company": "Acme", "about": "rockets", "website": "https://acme.example.com/",
            }),
        ),
    ]
}

const JOB: &str = "title company description skills isRemote payMin payMax expiresOn isOpen postedOn createdAt updatedAt version \
    places { city country zip }";

fn reads() -> Vec<Asked> {
    let list = |list: &str, node: &str| format!("{{ {list} {{ edges {{ node {{ {node} }} }} }} }}");
    let mine = "skills headline name minPay wantsRemote places { city country }";
    let matched = "stage unreadCount createdAt job { title } messages { edges { node { text sender sentAt isRead } } } \
        steps { edges { node { note } } }";
    [
        (CAL, list("jobs(city: \"Montreal\")", &format!("{JOB} employer {{ company about }}"))),
        (ANN, list("suggestions", "relevance score expiresAt reasons { rule points text } job { title }")),
        (ANN, list("myInterests", "state swipedOn createdAt job { title } match { stage }")),
        (ANN, format!("{{ mySeekerProfile {{ {mine} }} }}")),
        (BOB, list("matches", "createdAt matchedOn job { title } employer { company } messages { edges { node { text } } }")),
        (ERIN, list("myJobs", &format!("{JOB} interestCounts {{ waiting }} interests {{ edges {{ node {{ state }} }} }}"))),
        (ERIN, list("waitingInterests", &format!("state swipedOn job {{ title }} seeker {{ {mine} }}"))),
        (ERIN, list("matches", matched)),
        (ERIN, "{ myEmployerProfile { company about website version } }".to_owned()),
    ]
    .map(|(viewer, document)| Asked::query(viewer, document))
    .into()
}

async fn id(board: &Board, viewer: &str, list: &str, node: &str) -> Vec<Value> {
    let query = format!("{{ {list} {{ edges {{ node {{ {node} }} }} }} }}");
    nodes(&board.data(viewer, &query, Value::Null).await[list])
}

async fn changes(board: &Board) -> Vec<Asked> {
    let jobs = id(board, ERIN, "myJobs", "id title").await;
    let job = |title: &str| text(&jobs.iter().find(|job| job["title"] == title).unwrap()["id"]);
    let [senior, junior] = [job("Senior engineer"), job("Junior engineer")];
    let suggestion = text(&id(board, ANN, "suggestions", "id").await[0]["id"]);
    let interest = text(&id(board, ANN, "myInterests", "id").await[0]["id"]);
    let matched = id(
        board,
        BOB,
        "matches",
        "id messages { edges { node { id } } }",
    )
    .await;
    let of = text(&matched[0]["id"]);
    let message = text(&matched[0]["messages"]["edges"][0]["node"]["id"]);
    let place = json!([{ "city": "Laval", "country": "CA" }]);
    [
        (
            ERIN,
            "updateJob",
            json!({ "id": senior, "title": "Staff engineer" }),
        ),
        (ERIN, "closeJob", json!({ "id": junior })),
        (
            ANN,
            "swipe",
            json!({ "suggestionId": suggestion, "direction": "RIGHT" }),
        ),
        (CAL, "expressInterest", json!({ "jobId": junior })),
        (ANN, "undoSwipe", json!({ "id": interest })),
        (ERIN, "approveInterest", json!({ "id": interest })),
        (ERIN, "declineInterest", json!({ "id": interest })),
        (
            ERIN,
            "moveMatch",
            json!({ "id": of, "stage": "OFFER", "note": "soon" }),
        ),
        (
            BOB,
            "sendMessage",
            json!({ "matchId": of, "text": "hello?" }),
        ),
        (ERIN, "markRead", json!({ "messageId": message })),
        (
            ANN,
            "saveSeekerProfile",
            json!({ "name": "Ann B", "places": place }),
        ),
        (
            ERIN,
            "saveEmployerProfile",
            json!({ "company": "Acme Ltd" }),
        ),
        (ANN, "deleteSeekerProfile", json!({})),
    ]
    .map(|(viewer, name, input)| Asked::mutation(viewer, name, input))
    .into()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_kind_of_item_is_read_without_the_attributes_that_its_keys_contain() {
    let board = Board::start().await;
    let promise = Promise {
        server: &board.0,
        table: &TABLE,
        reads: reads(),
        changes: Vec::new(),
        right: designed().iter().map(item).collect(),
        defaults: &[],
        pinned: &[],
    };
    // The key of an interest has the moment of the answer, and a name is no id.
    promise
        .hold_without_what_keys_contain(&["swipedOn", "name"])
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn items_of_the_design_are_read_and_changed_and_odd_ones_are_neither_lost_nor_made_up() {
    let board = Board::start().await;
    let right: Vec<_> = designed().iter().map(item).collect();
    for item in &right {
        let put = board.dynamodb.put_item().table_name(TABLE.default_name);
        put.set_item(Some(item.clone())).send().await.unwrap();
    }
    let promise = Promise {
        server: &board.0,
        table: &TABLE,
        reads: reads(),
        changes: changes(&board).await,
        right,
        defaults: &["Unknown company"],
        // A change went to the match that the attribute names.
        pinned: &[
            ("j#2026-02-21#", "seekerId in upper case"),
            ("j#2026-02-21#", "seekerId another text"),
        ],
    };
    promise.hold().await;
}
