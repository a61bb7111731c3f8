//! Clients that watch the same board see the same changes.

use serde_json::json;

use crate::live::board::Board;
use trestle_testing::socket::{Socket, WATCH};

#[tokio::test(flavor = "multi_thread")]
async fn two_clients_see_an_application_come_change_and_go() {
    let board = Board::start(&[]).await;
    let (mut one, mut two) = (
        Socket::open(&board.url).await,
        Socket::open(&board.url).await,
    );
    let watch = "subscription { applicationChanged { kind applicationId version application {
        companyName version interviewStages { name }
        history(first: 1) { edges { node { description } } } } } }";
    one.subscribe("a", watch, json!({})).await;
    two.subscribe("b", watch, json!({})).await;

    let id = board.create("Acme").await;
    for data in [one.next("a").await, two.next("b").await] {
        let change = &data["applicationChanged"];
        assert_eq!(change["kind"], "CREATED");
        assert_eq!(change["applicationId"], id.as_str());
        assert_eq!(change["version"], 1);
        assert_eq!(change["application"]["companyName"], "Acme");
        assert_eq!(change["application"]["interviewStages"], json!([]));
    }

    let stage = "mutation($id: ID!) { addInterviewStage(input: {
        applicationId: $id, name: \"Phone\" }) { userErrors { message } } }";
    board.data(stage, json!({ "id": id })).await;
    for data in [one.next("a").await, two.next("b").await] {
        let change = &data["applicationChanged"];
        assert_eq!(change["kind"], "UPDATED");
        assert_eq!(change["version"], 2);
        assert_eq!(change["application"]["version"], 2);
        let stages = json!([{ "name": "Phone" }]);
        assert_eq!(change["application"]["interviewStages"], stages);
        let newest = &change["application"]["history"]["edges"][0]["node"];
        assert_eq!(newest["description"], "Interview stage \"Phone\" added");
    }

    let delete = "mutation($id: ID!) { deleteApplication(input: { id: $id }) {
        userErrors { message } } }";
    board.data(delete, json!({ "id": id })).await;
    for data in [one.next("a").await, two.next("b").await] {
        let gone =
            json!({ "kind": "DELETED", "applicationId": id, "version": 2, "application": null });
        assert_eq!(data["applicationChanged"], gone);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_of_some_ids_and_kinds_sees_no_others() {
    let board = Board::start(&[]).await;
    let (watched, other) = (board.create("Watched").await, board.create("Other").await);
    let mut socket = Socket::open(&board.url).await;
    let variables = json!({ "ids": [watched], "kinds": ["UPDATED"] });
    socket.subscribe("1", WATCH, variables).await;
    board.note(&other, "not watched").await;
    board.create("Newer").await;
    board.note(&watched, "watched").await;
    let change = socket.next("1").await["applicationChanged"].clone();
    assert_eq!(change["applicationId"], watched.as_str());
    assert_eq!(change["application"]["notes"], "watched");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_changes_nothing_is_not_told() {
    let board = Board::start(&[]).await;
    let id = board.create("Acme").await;
    board.note(&id, "same").await;
    let mut socket = Socket::open(&board.url).await;
    socket.subscribe("1", WATCH, json!({})).await;
    board.note(&id, "same").await;
    board.note(&id, "other").await;
    let change = socket.next("1").await["applicationChanged"].clone();
    assert_eq!(change["application"]["notes"], "other");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_of_no_ids_and_no_kinds_in_particular_sees_all() {
    let board = Board::start(&[]).await;
    let mut socket = Socket::open(&board.url).await;
    let empty = json!({ "ids": [], "kinds": [] });
    socket.subscribe("1", WATCH, empty).await;
    board.create("Acme").await;
    let change = &socket.next("1").await["applicationChanged"];
    assert_eq!(change["application"]["companyName"], "Acme");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_completed_subscription_is_told_nothing_more_and_its_id_is_free() {
    let board = Board::start(&[]).await;
    let mut socket = Socket::open(&board.url).await;
    socket.subscribe("1", WATCH, json!({})).await;
    socket.say(json!({ "type": "complete", "id": "1" })).await;
    let deleted = json!({ "kinds": ["DELETED"] });
    socket.subscribe("1", WATCH, deleted).await;
    board.create("Acme").await;
    // An answer of the first one would come before this one's.
    socket
        .ask("2", "{ applicationStats { active } }", json!({}))
        .await;
    let data = socket.next("2").await;
    assert_eq!(data, json!({ "applicationStats": { "active": 1 } }));
    assert_eq!(
        socket.hear().await,
        json!({ "type": "complete", "id": "2" })
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn queries_and_mutations_run_over_the_same_connection() {
    let board = Board::start(&[]).await;
    let mut socket = Socket::open(&board.url).await;
    let create = "mutation { createApplication(input: {
        companyName: \"Acme\", positionTitle: \"Engineer\" }) { application { companyName } } }";
    socket.ask("m", create, json!({})).await;
    let data = socket.next("m").await;
    let made = &data["createApplication"]["application"];
    assert_eq!(made, &json!({ "companyName": "Acme" }));
    assert_eq!(
        socket.hear().await,
        json!({ "type": "complete", "id": "m" })
    );
}
