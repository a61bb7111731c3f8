//! What viewers must not learn or cause: others' voter ids, passcodes in errors, and answers that multiply.

use std::future::Future;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use crate::site::{ADMIN, VIEW, ask, checklist, create, data, items, mutate, open, poll, site};

#[tokio::test]
async fn votes_do_not_tell_who_may_change_them() {
    let site = site().await;
    let made = poll(&site, json!({})).await;
    let voter = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff";
    let opening = "mutation($input: OpenShareableInput!) { openShareable(input: $input) {
        token { token voterId } userErrors { message } } }";
    let vote = async |voter: &str, option: usize| {
        let input = json!({ "shortId": made.short_id, "passcode": VIEW, "voterId": voter });
        let opened = data(&site, "", opening, json!({ "input": input })).await;
        let token = opened["openShareable"]["token"].clone();
        assert_eq!(token["voterId"], voter);
        let token = token["token"].as_str().unwrap().to_owned();
        let read = "query($id: String!) { shareable(shortId: $id) { ... on Poll {
            options { id voteCount } votes { edges { cursor } } } } }";
        let of = json!({ "id": made.short_id });
        let before = data(&site, &token, read, of.clone()).await;
        let id = &before["shareable"]["options"][option]["id"];
        let input = json!({ "shortId": made.short_id, "optionIds": [id] });
        mutate(&site, &token, "vote", "", input).await;
        data(&site, &token, read, of).await["shareable"].clone()
    };
    let voted = vote(voter, 0).await;
    assert_eq!(voted["options"][0]["voteCount"], 1);
    let cursor = voted["votes"]["edges"][0]["cursor"].as_str().unwrap();
    let bytes = URL_SAFE_NO_PAD.decode(cursor).unwrap();
    let secret = uuid::Uuid::parse_str(voter).unwrap();
    assert!(!bytes.windows(16).any(|part| part == secret.as_bytes()));
    // Whatever ids the cursor holds, voting with them is another's vote.
    for part in bytes.windows(16) {
        let part = uuid::Uuid::from_slice(part).unwrap().to_string();
        let voted = vote(&part, 1).await;
        assert_eq!(voted["options"][0]["voteCount"], 1, "{part}");
    }
}

#[tokio::test]
async fn an_error_quotes_no_passcode() {
    let site = site().await;
    let made = checklist(&site, 0).await;
    let query = "mutation($input: OpenShareableInput!) { openShareable(input: $input) { userErrors { message } } }";
    let secret = json!(987_654_321);
    for input in [
        json!({ "shortId": made.short_id, "passcode": secret }),
        json!({ "shortId": made.short_id, "passcode": [secret, secret] }),
        json!({ "shortId": made.short_id, "passcode": { "a": secret } }),
        json!("987654321"),
    ] {
        let answer = ask(&site, "", query, json!({ "input": input })).await;
        assert_eq!(answer.code(), "BAD_USER_INPUT");
        assert!(
            !answer.body.to_string().contains("987654321"),
            "{}",
            answer.body
        );
    }
}

#[tokio::test]
async fn items_of_items_are_priced_and_read_together() {
    let site = site().await;
    let made = checklist(&site, 200).await;
    let of = json!({ "id": made.short_id });
    let nested = |fields: &str| {
        format!(
            "query($id: String!) {{ shareable(shortId: $id) {{ ... on Checklist {{ items {{ {fields} }} }} }} }}"
        )
    };
    let query = nested("checklist { name }");
    let answer = ask(&site, &made.token, &query, of.clone()).await;
    assert_eq!(
        answer.data()["shareable"]["items"][199]["checklist"]["name"],
        "N"
    );
    assert_eq!(answer.cost().reads, 3);
    let query = nested("checklist { items { checklist { name } } }");
    let answer = ask(&site, &made.token, &query, of).await;
    assert_eq!(answer.code(), "GRAPHQL_VALIDATION_FAILED");
}

/// What `stream` tells up to `wanted`, while something is done again and again.
async fn told<D: Future>(
    stream: &mut reqwest::Response,
    wanted: &str,
    act: impl Fn(bool) -> D,
) -> String {
    let mut text = String::new();
    let listening = async {
        while !text.contains(wanted) && !text.contains("errors") {
            match tokio::time::timeout(Duration::from_secs(60), stream.chunk()).await {
                Ok(Ok(Some(chunk))) => text.push_str(&String::from_utf8_lossy(&chunk)),
                _ => break,
            }
        }
    };
    let acting = async {
        for n in 0.. {
            act(n % 2 == 0).await;
        }
    };
    tokio::select! {
        biased;
        () = listening => {}
        () = acting => {}
    }
    text
}

#[tokio::test]
async fn who_watches_with_the_other_passcode_goes_on() {
    let site = site().await;
    let made = create(
        &site,
        json!({ "checklist": { "items": [{ "name": "a" }] } }),
    )
    .await;
    let item = items(&site, &made).await[0].0.clone();
    let guest = open(&site, &made.short_id, VIEW).await;
    let query = "subscription($id: String!) { shareableChanged(shortId: $id) { kind } }";
    let watch = |token: &str| {
        let body = json!({ "query": query, "variables": { "id": made.short_id } });
        let request = site
            .http
            .post(&site.url)
            .header("accept", "text/event-stream");
        request.bearer_auth(token).json(&body).send()
    };
    let (mut by_admin, mut by_guest) = (
        watch(&made.token).await.unwrap(),
        watch(&guest.token).await.unwrap(),
    );
    let tick = |ticked: bool| {
        let input = json!({ "id": item, "ticked": ticked });
        mutate(&site, &made.token, "tickChecklistItem", "", input)
    };
    for stream in [&mut by_admin, &mut by_guest] {
        assert!(
            told(stream, "ITEM_CHANGED", tick)
                .await
                .contains("ITEM_CHANGED")
        );
    }
    let input = json!({ "shortId": made.short_id, "passcode": ADMIN, "viewPasscode": "another-view-turnip" });
    let changed = mutate(&site, &made.token, "changePasscodes", "", input).await;
    assert_eq!(
        changed["userErrors"],
        Value::from(Vec::<Value>::new()),
        "{changed}"
    );
    let update = |named: bool| {
        let input = json!({ "shortId": made.short_id, "name": if named { "M" } else { "N" } });
        mutate(&site, &made.token, "updateChecklist", "", input)
    };
    assert!(
        !told(&mut by_admin, "\"CHANGED\"", update)
            .await
            .contains("errors")
    );
    let told = told(&mut by_guest, "UNAUTHENTICATED", update).await;
    assert!(told.contains("UNAUTHENTICATED"), "{told}");
    open(&site, &made.short_id, ADMIN).await;
}
