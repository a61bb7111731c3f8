//! Tokens over HTTP, server-sent events and WebSocket, with the real server, which authenticates everybody else.

use std::fs;

use serde_json::{Value, json};
use trestle_api::viewer::Access;
use trestle_server::authentication::generate;

use crate::process::{Answer, Process};
use crate::shareables::site::{ADMIN, VIEW};
use trestle_testing::socket::Socket;

const WATCH: &str =
    "subscription($id: String!) { shareableChanged(shortId: $id) { kind item { name tickedBy } } }";

struct Server {
    process: Process,
    _folder: tempfile::TempDir,
}

/// A server of two services, of which the second asks everybody for an API key.
async fn server() -> Server {
    let folder = tempfile::tempdir().unwrap();
    let keys = folder.path().join("keys");
    let key = generate("staff", Access::Write, [7; 32]).unwrap();
    fs::write(&keys, key.line).unwrap();
    let arguments = [
        "--service=shareables,collab-hub",
        "--log=debug",
        "--log-format=json",
        "--shareables-pool=0",
        "--api-keys",
        keys.to_str().unwrap(),
    ];
    Server {
        process: Process::start(&arguments).await,
        _folder: folder,
    }
}

impl Server {
    async fn ask(&self, token: &str, query: &str, variables: Value) -> Answer {
        let authorization = format!("Bearer {token}");
        let headers = [("authorization", authorization.as_str())];
        let headers = if token.is_empty() {
            &[][..]
        } else {
            &headers[..]
        };
        let body = json!({ "query": query, "variables": variables });
        self.process.post(&body, headers).await
    }

    /// A checklist with one item: its short id, the item's id, and a token.
    async fn checklist(&self) -> (String, String, String) {
        let query = "mutation($input: CreateShareableInput!) { createShareable(input: $input) {
            shareable { shortId ... on Checklist { items { id } } } token { token } userErrors { message } } }";
        let input = json!({ "name": "N", "viewPasscode": VIEW, "adminPasscode": ADMIN,
            "voterName": "Ann", "checklist": { "items": [{ "name": "a" }] } });
        let made = self.ask("", query, json!({ "input": input })).await.body();
        let made = &made["data"]["createShareable"];
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        (
            text(&made["shareable"]["shortId"]),
            text(&made["shareable"]["items"][0]["id"]),
            text(&made["token"]["token"]),
        )
    }

    async fn tick(&self, token: &str, id: &str, ticked: bool) {
        let query = "mutation($input: TickChecklistItemInput!) { tickChecklistItem(input: $input) { userErrors { message } } }";
        let input = json!({ "input": { "id": id, "ticked": ticked } });
        let done = self.ask(token, query, input).await.body();
        assert_eq!(
            done["data"]["tickChecklistItem"]["userErrors"],
            json!([]),
            "{done}"
        );
    }
}

#[tokio::test]
async fn a_token_of_the_service_passes_a_server_that_authenticates_others() {
    let server = server().await;
    let url = server.process.url.clone();
    let (short_id, item, token) = server.checklist().await;

    // The other service still wants its key.
    let body = json!({ "query": "{ __typename }" });
    let bearer = format!("Bearer {token}");
    for headers in [&[][..], &[("authorization", bearer.as_str())][..]] {
        let mut request = server
            .process
            .client
            .post(server.process.at("/collab-hub/graphql"));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let refused = request.json(&body).send().await.unwrap();
        assert!(refused.text().await.unwrap().contains("UNAUTHENTICATED"));
    }

    // HTTP.
    let read = "query($id: String!) { shareable(shortId: $id) { name } }";
    let of = json!({ "id": short_id });
    assert_eq!(
        server.ask("", read, of.clone()).await.code().as_deref(),
        Some("UNAUTHENTICATED")
    );
    assert_eq!(
        server.ask(&token, read, of.clone()).await.body()["data"]["shareable"]["name"],
        "N"
    );

    // Server-sent events.
    let events = |token: &str| {
        let request = server
            .process
            .client
            .post(&url)
            .header("accept", "text/event-stream");
        request
            .bearer_auth(token)
            .json(&json!({ "query": WATCH, "variables": of }))
            .send()
    };
    let refused = events("forged").await.unwrap().text().await.unwrap();
    assert!(refused.contains("UNAUTHENTICATED"), "{refused}");
    let mut stream = events(&token).await.unwrap();

    // WebSocket: the token in `connectionParams`, or in the header.
    let mut socket = Socket::connect(&url, &[]).await.unwrap();
    let params = json!({ "authorization": format!("Bearer {token}") });
    socket
        .say(json!({ "type": "connection_init", "payload": params }))
        .await;
    assert_eq!(socket.hear().await["type"], "connection_ack");
    socket.subscribe("1", WATCH, of.clone()).await;
    let authorization = format!("Bearer {token}");
    let mut by_header = Socket::connect(&url, &[("authorization", &authorization)])
        .await
        .unwrap();
    by_header.say(json!({ "type": "connection_init" })).await;
    assert_eq!(by_header.hear().await["type"], "connection_ack");
    by_header.subscribe("1", WATCH, of.clone()).await;
    let mut nobody = Socket::open(&url).await;
    nobody.ask("1", WATCH, of.clone()).await;
    assert_eq!(nobody.error("1").await, "UNAUTHENTICATED");

    server.tick(&token, &item, true).await;
    let event = json!({ "shareableChanged": { "kind": "ITEM_CHANGED", "item": { "name": "a", "tickedBy": "Ann" } } });
    assert_eq!(socket.next("1").await, event);
    assert_eq!(by_header.next("1").await, event);
    let mut seen = String::new();
    while !seen.contains("ITEM_CHANGED") {
        let chunk = stream.chunk().await.unwrap().expect("an event");
        seen.push_str(&String::from_utf8_lossy(&chunk));
    }

    // A new passcode ends what was opened by the earlier one.
    let query = "mutation($input: ChangePasscodesInput!) { changePasscodes(input: $input) { userErrors { message } } }";
    let input = json!({ "input": { "shortId": short_id, "passcode": ADMIN, "adminPasscode": "another-admin" } });
    server.ask(&token, query, input).await;
    assert_eq!(socket.error("1").await, "UNAUTHENTICATED");

    let ended = server.process.stop().await;
    for secret in [token.as_str(), VIEW, ADMIN, "another-admin", "argon2"] {
        assert!(!ended.log.contains(secret), "{secret} is in the log");
    }
    assert!(
        ended
            .requests()
            .iter()
            .any(|line| line["subject"] == "127.0.0.1")
    );
}

#[tokio::test]
async fn servers_of_one_folder_accept_each_others_tokens() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap().to_owned();
    let start = || async {
        let arguments = [
            "--data",
            data.as_str(),
            "--service=shareables",
            "--shareables-pool=0",
        ];
        Server {
            process: Process::start_with(&arguments, &[]).await,
            _folder: tempfile::tempdir().unwrap(),
        }
    };
    let (one, two) = (start().await, start().await);
    let (short_id, item, token) = one.checklist().await;
    two.tick(&token, &item, true).await;
    one.process.kill();
    let read = "query($id: String!) { shareable(shortId: $id) { ... on Checklist { items { tickedBy } } } }";
    let seen = two
        .ask(&token, read, json!({ "id": short_id }))
        .await
        .body();
    assert_eq!(seen["data"]["shareable"]["items"][0]["tickedBy"], "Ann");
}
