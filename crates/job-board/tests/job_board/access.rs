//! Who may do what: a row for each operation of the schema, a column for each viewer.

use std::collections::BTreeSet;

use apollo_compiler::Schema;
use serde_json::{Value, json};
use trestle_job_board::SERVICE;

use crate::board::{ANN, Board, ERIN, job, profile, text, with};

/// No credentials; no role; another seeker; another employer; the seeker with read access only; the seeker; the
/// employer.
const VIEWERS: [&str; 7] = [
    "",
    "zoe write",
    "bob write seeker",
    "eli write employer",
    "ann read seeker",
    ANN,
    ERIN,
];

/// What a viewer gets: `u`nauthenticated, `f`orbidden, `n`ull, an `e`mpty list, a `r`efusal as a user error, or the
/// `d`ata.
const TABLE: &[(&str, &str, &str)] = &[
    // Queries.
    ("node", "{ node(id: \"$job\") { id } }", "undnddd"),
    ("node", "{ node(id: \"$closed\") { id } }", "unnnnnd"),
    ("node", "{ node(id: \"$suggestion\") { id } }", "unnnddn"),
    ("node", "{ node(id: \"$interest\") { id } }", "unnnddd"),
    ("node", "{ node(id: \"$rejected\") { id } }", "unnnddn"),
    ("node", "{ node(id: \"$match\") { id } }", "unnnddd"),
    ("node", "{ node(id: \"$message\") { id } }", "unnnddd"),
    ("node", "{ node(id: \"$seeker\") { id } }", "unnnddn"),
    ("node", "{ node(id: \"$employer\") { id } }", "undnddd"),
    ("nodes", "{ nodes(ids: [\"$match\"]) { id } }", "unnnddd"),
    ("job", "{ job(id: \"$job\") { id } }", "undnddd"),
    (
        "jobs",
        "{ jobs(city: \"Montreal\") { edges { node { id } } } }",
        "ufdfddf",
    ),
    ("myJobs", "{ myJobs { edges { node { id } } } }", "uffeffd"),
    (
        "myEmployerProfile",
        "{ myEmployerProfile { id } }",
        "uffnffd",
    ),
    ("mySeekerProfile", "{ mySeekerProfile { id } }", "ufnfddf"),
    (
        "suggestions",
        "{ suggestions { edges { node { id } } } }",
        "ufefddf",
    ),
    (
        "myInterests",
        "{ myInterests { edges { node { id } } } }",
        "ufefddf",
    ),
    (
        "waitingInterests",
        "{ waitingInterests { edges { node { id } } } }",
        "uffeffd",
    ),
    (
        "matches",
        "{ matches { edges { node { id } } } }",
        "ufeeddd",
    ),
    (
        "matches",
        "{ matches(as: SEEKER) { edges { node { id } } } }",
        "ufefddf",
    ),
    ("match", "{ match(id: \"$match\") { id } }", "unnnddd"),
    (
        "messages",
        "{ messages(matchId: \"$match\") { edges { node { id } } } }",
        "unnnddd",
    ),
    // Mutations: those who may not do it before the one who may.
    (
        "updateJob",
        "mutation { updateJob(input: { id: \"$job\", title: \"X\" }) { job { id } userErrors { code } } }",
        "uffrffd",
    ),
    (
        "swipe",
        "mutation { swipe(input: { suggestionId: \"$suggestion\", direction: LEFT }) { interest { id } userErrors { code } } }",
        "ufrffdf",
    ),
    (
        "declineInterest",
        "mutation { declineInterest(input: { id: \"$waiting\" }) { interest { id } userErrors { code } } }",
        "uffrffd",
    ),
    (
        "undoDecline",
        "mutation { undoDecline(input: { id: \"$waiting\" }) { interest { id } userErrors { code } } }",
        "uffrffd",
    ),
    (
        "expressInterest",
        "mutation { expressInterest(input: { jobId: \"$closed\" }) { interest { id } userErrors { code } } }",
        "ufrffrf",
    ),
    (
        "approveInterest",
        "mutation { approveInterest(input: { id: \"$interest\" }) { match { id } userErrors { code } } }",
        "uffrffd",
    ),
    (
        "undoApproval",
        "mutation { undoApproval(input: { id: \"$waiting\" }) { interest { id } userErrors { code } } }",
        "uffrffd",
    ),
    (
        "moveMatch",
        "mutation { moveMatch(input: { id: \"$match\", note: \"Called\" }) { match { id } userErrors { code } } }",
        "uffrffd",
    ),
    (
        "undoSwipe",
        "mutation { undoSwipe(input: { id: \"$rejected\" }) { interest { id } userErrors { code } } }",
        "ufrffdf",
    ),
    (
        "sendMessage",
        "mutation { sendMessage(input: { matchId: \"$match\", text: \"x\" }) { message { id } userErrors { code } } }",
        "urrrfdd",
    ),
    (
        "markRead",
        "mutation { markRead(input: { messageId: \"$message\" }) { match { id } userErrors { code } } }",
        "urrrfdd",
    ),
    (
        "closeJob",
        "mutation { closeJob(input: { id: \"$job\" }) { job { id } userErrors { code } } }",
        "uffrffd",
    ),
    (
        "reopenJob",
        "mutation { reopenJob(input: { id: \"$closed\" }) { job { id } userErrors { code } } }",
        "uffrffd",
    ),
    (
        "createJob",
        "mutation { createJob(input: { company: \"C\", title: \"T\", places: [{ city: \"Oslo\", country: \"NO\" }] }) { job { id } userErrors { code } } }",
        "uffdffd",
    ),
    (
        "saveSeekerProfile",
        "mutation { saveSeekerProfile(input: { name: \"N\", places: [{ city: \"Oslo\", country: \"NO\" }] }) { seeker { id } userErrors { code } } }",
        "ufdffdf",
    ),
    (
        "saveEmployerProfile",
        "mutation { saveEmployerProfile(input: { company: \"C\" }) { employer { id } userErrors { code } } }",
        "uffdffd",
    ),
    ("savedSearches", "{ savedSearches { id } }", "ufdfddf"),
    (
        "saveSearch",
        "mutation { saveSearch(input: { name: \"S\", places: [\"Oslo\"] }) { search { id } userErrors { code } } }",
        "ufdffdf",
    ),
    (
        "markSearchSeen",
        "mutation { markSearchSeen(input: { id: \"$search\" }) { search { id } userErrors { code } } }",
        "ufrffdf",
    ),
    (
        "deleteSearch",
        "mutation { deleteSearch(input: { id: \"$search\" }) { search { id } userErrors { code } } }",
        "ufrffdf",
    ),
    (
        "deleteSeekerProfile",
        "mutation { deleteSeekerProfile(input: {}) { seeker { id } userErrors { code } } }",
        "ufdffdf",
    ),
    (
        "deleteEmployerProfile",
        "mutation { deleteEmployerProfile(input: {}) { employer { id } userErrors { code } } }",
        "uffdffd",
    ),
];

/// Subscriptions have a test of their own, in `live`.
const SUBSCRIPTIONS: [&str; 3] = ["jobPosted", "matchMade", "messageReceived"];

fn outcome(answer: &Value, field: &str) -> char {
    let code = &answer["errors"][0]["extensions"]["code"];
    match code.as_str() {
        Some("UNAUTHENTICATED") => return 'u',
        Some("FORBIDDEN") => return 'f',
        Some(other) => panic!("{field}: {other}"),
        None => {}
    }
    let mut data = &answer["data"][field];
    if let Some([one]) = data.as_array().map(Vec::as_slice) {
        data = one;
    }
    match (data, &data["edges"], &data["userErrors"]) {
        (Value::Null, _, _) => 'n',
        (_, Value::Array(edges), _) if edges.is_empty() => 'e',
        (_, _, Value::Array(errors)) if errors.is_empty() => 'd',
        (_, _, Value::Array(errors)) => {
            assert_eq!(
                errors[0]["code"], "NOT_FOUND",
                "{field} leaks that something exists"
            );
            'r'
        }
        _ => 'd',
    }
}

/// A seeker with every kind of thing, and the ids of the things.
async fn things(board: &Board) -> Vec<(&'static str, String)> {
    board
        .done(
            ERIN,
            "saveEmployerProfile",
            json!({ "company": "Acme" }),
            "",
        )
        .await;
    let titles = ["matched", "waiting", "rejected", "closed", "suggested"];
    let mut jobs = Vec::new();
    for title in titles {
        jobs.push(
            board
                .post(
                    ERIN,
                    with(job(), json!({ "title": format!("Rust engineer {title}") })),
                )
                .await,
        );
    }
    board.save(ANN, profile()).await;
    board.make().await;
    let suggestions = board.suggestions(ANN).await;
    let of = |title: &str| {
        let mut found = suggestions.iter();
        let found = found.find(|s| text(&s["job"]["title"]).ends_with(title));
        text(&found.unwrap()["id"])
    };
    let interest = board.swipe(ANN, &of("matched"), "RIGHT").await;
    let waiting = board.swipe(ANN, &of("waiting"), "RIGHT").await;
    let rejected = board.swipe(ANN, &of("rejected"), "LEFT").await;
    let matched = board.approve(ERIN, &interest).await;
    let message = board.send(ANN, &matched, "hello").await;
    board
        .done(ERIN, "closeJob", json!({ "id": jobs[3] }), "")
        .await;
    let profiles = "{ mySeekerProfile { id } }";
    let seeker = text(&board.data(ANN, profiles, json!({})).await["mySeekerProfile"]["id"]);
    let profiles = "{ myEmployerProfile { id } }";
    let employer = text(&board.data(ERIN, profiles, json!({})).await["myEmployerProfile"]["id"]);
    let search = json!({ "name": "Rust", "places": ["Montreal"] });
    let search = board.done(ANN, "saveSearch", search, "search { id }").await;
    vec![
        ("$search", text(&search["search"]["id"])),
        ("$job", jobs[4].clone()),
        ("$closed", jobs[3].clone()),
        ("$suggestion", of("suggested")),
        ("$interest", interest),
        ("$waiting", waiting),
        ("$rejected", rejected),
        ("$match", matched),
        ("$message", message),
        ("$seeker", seeker),
        ("$employer", employer),
    ]
}

#[tokio::test]
async fn each_viewer_gets_what_the_table_says() {
    let board = Board::start().await;
    let things = things(&board).await;
    for (field, document, expected) in TABLE {
        let document = things
            .iter()
            .fold((*document).to_owned(), |document, (name, id)| {
                document.replace(&format!("\"{name}\""), &format!("\"{id}\""))
            });
        let mut outcomes = String::new();
        for viewer in VIEWERS {
            let answer = board.run(viewer, &document, json!({})).await;
            outcomes.push(outcome(&answer.body, field));
        }
        assert_eq!(outcomes, *expected, "{document}");
    }
}

#[test]
fn every_operation_of_the_schema_is_in_the_table() {
    let schema = Schema::parse((SERVICE.sdl)(), "job-board.graphql").unwrap();
    let mut operations = BTreeSet::new();
    for root in ["Query", "Mutation", "Subscription"] {
        let fields = &schema.get_object(root).unwrap().fields;
        operations.extend(fields.keys().map(|name| name.to_string()));
    }
    let rows = TABLE.iter().map(|(field, ..)| *field).chain(SUBSCRIPTIONS);
    assert_eq!(operations, rows.map(str::to_owned).collect());
}

#[tokio::test]
async fn what_only_the_seeker_sees_of_a_profile_is_hidden_from_the_employer() {
    let board = Board::start().await;
    board.interested().await;
    let list = "{ waitingInterests { edges { node { seeker { name skills minPay places { city } suggestionsPending } } } } }";
    let list = board.data(ERIN, list, json!({})).await;
    let expected = json!({
        "name": "Ann", "skills": ["Rust", "JS"], "minPay": null, "places": [], "suggestionsPending": null,
    });
    assert_eq!(
        list["waitingInterests"]["edges"][0]["node"]["seeker"],
        expected
    );
}
