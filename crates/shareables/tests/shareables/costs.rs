//! What each operation asks of DynamoDB.

use reqwest::Client;
use serde_json::{Value, json};

use crate::pool::fill;
use crate::site::{
    ADMIN, VIEW, ask, ask_by, checklist, client_at, items, mutate_raw, open, options, poll, site,
};
use trestle_testing::hosted::TestServer;

/// The calls since the last reset: `GetItem 1, Query 1`.
fn calls(site: &TestServer) -> String {
    let counts = site.calls.counts();
    let calls: Vec<_> = counts
        .iter()
        .map(|(name, count)| format!("{name} {count}"))
        .collect();
    calls.join(", ")
}

#[tokio::test]
async fn each_operation_costs_what_the_documentation_says() {
    let site = site().await;
    fill(&site, 2000).await;
    let list = checklist(&site, 5).await;
    let poll = poll(&site, json!({})).await;
    let view = open(&site, &list.short_id, VIEW).await;
    let item: Vec<_> = items(&site, &list)
        .await
        .into_iter()
        .map(|item| item.0)
        .collect();
    let option: Vec<_> = options(&site, &poll)
        .await
        .into_iter()
        .map(|o| o.0)
        .collect();
    let (of_list, of_poll) = (list.short_id.as_str(), poll.short_id.as_str());
    let new = json!({ "name": "N", "viewPasscode": VIEW, "adminPasscode": ADMIN, "checklist": { "items": [{ "name": "a" }] } });
    let copy = json!({ "shortId": of_list, "viewPasscode": VIEW, "adminPasscode": ADMIN });
    let wrong = json!({ "shortId": of_list, "passcode": "wrong-passcode" });
    let right = json!({ "shortId": of_list, "passcode": VIEW });
    let vote = |n: usize| json!({ "shortId": of_poll, "optionIds": [option[n]] });
    let table: Vec<(&str, &str, Value, &str)> = vec![
        ("", "createShareable", new, "Query 1, TransactWriteItems 1"),
        ("", "openShareable", right, "GetItem 3"),
        ("", "openShareable", wrong, "GetItem 3, UpdateItem 1"),
        (
            &view.token,
            "renewToken",
            json!({ "shortId": of_list }),
            "GetItem 1",
        ),
        (
            &view.token,
            "tickChecklistItem",
            json!({ "id": item[0] }),
            "GetItem 2, UpdateItem 1",
        ),
        (
            &list.token,
            "updateChecklist",
            json!({ "shortId": of_list, "name": "b" }),
            "GetItem 1, UpdateItem 1",
        ),
        (
            &list.token,
            "addChecklistItem",
            json!({ "shortId": of_list, "name": "b" }),
            "GetItem 1, Query 1, TransactWriteItems 1",
        ),
        (
            &list.token,
            "updateChecklistItem",
            json!({ "id": item[0], "name": "b" }),
            "GetItem 1, UpdateItem 1",
        ),
        (
            &list.token,
            "moveChecklistItem",
            json!({ "id": item[0], "afterId": item[2] }),
            "GetItem 1, Query 1, UpdateItem 1",
        ),
        (
            &list.token,
            "addChecklistItems",
            json!({ "shortId": of_list, "text": "c\nd" }),
            "GetItem 1, Query 1, TransactWriteItems 1",
        ),
        (
            &list.token,
            "duplicateChecklistItem",
            json!({ "id": item[0] }),
            "GetItem 2, Query 1, TransactWriteItems 1",
        ),
        (
            &list.token,
            "issueTicket",
            json!({ "shortId": of_list }),
            "GetItem 1",
        ),
        (
            &list.token,
            "extendShareable",
            json!({ "shortId": of_list, "staysOpen": true }),
            "GetItem 2, Query 2, UpdateItem 10",
        ),
        (
            &list.token,
            "deleteChecklistItem",
            json!({ "id": item[1] }),
            "GetItem 2, TransactWriteItems 1",
        ),
        (
            &list.token,
            "cloneShareable",
            copy,
            "GetItem 1, Query 2, TransactWriteItems 1",
        ),
        (
            &poll.token,
            "vote",
            vote(0),
            "GetItem 1, TransactWriteItems 1",
        ),
        (
            &poll.token,
            "vote",
            vote(1),
            "GetItem 2, TransactWriteItems 2",
        ),
        (
            &poll.token,
            "updatePoll",
            json!({ "shortId": of_poll, "name": "b" }),
            "GetItem 1, UpdateItem 1",
        ),
        (
            &poll.token,
            "addPollOption",
            json!({ "shortId": of_poll, "text": "d" }),
            "GetItem 1, Query 1, TransactWriteItems 1",
        ),
        (
            &poll.token,
            "updatePollOption",
            json!({ "id": option[1], "text": "another" }),
            "GetItem 1, Query 1, UpdateItem 1",
        ),
        (
            &poll.token,
            "movePollOption",
            json!({ "id": option[1], "afterId": null }),
            "GetItem 1, Query 1, UpdateItem 1",
        ),
        (
            &poll.token,
            "deletePollOption",
            json!({ "id": option[2] }),
            "GetItem 1, TransactWriteItems 1",
        ),
        (
            &poll.token,
            "closePoll",
            json!({ "shortId": of_poll }),
            "GetItem 1, Query 1, TransactWriteItems 1",
        ),
        (
            &list.token,
            "changePasscodes",
            json!({ "shortId": of_list, "passcode": ADMIN, "viewPasscode": "another-view-turnip" }),
            "GetItem 3, UpdateItem 1",
        ),
        (
            &poll.token,
            "deleteShareable",
            json!({ "shortId": of_poll, "passcode": ADMIN }),
            "BatchWriteItem 4, GetItem 3, Query 5, TransactWriteItems 1",
        ),
    ];
    for (token, name, input, expected) in table {
        site.calls.reset();
        let answer = mutate_raw(&site, token, name, "", input).await;
        answer.data();
        assert_eq!(calls(&site), expected, "{name}");
    }
    let queries = [
        ("shareable(shortId: $id) { name }", "GetItem 1"),
        (
            "shareable(shortId: $id) { ... on Checklist { items { name } } }",
            "GetItem 1, Query 1",
        ),
        ("node(id: $item) { id }", "GetItem 1, Query 1"),
    ];
    for (query, expected) in queries {
        site.calls.reset();
        let query = format!("query($id: String, $item: ID) {{ {query} }}");
        let query = query
            .replace("$id: String,", "$id: String!,")
            .replace("$item: ID)", "$item: ID!)");
        let uses = |name: &str| query.matches(name).count() > 1;
        let query = match (uses("$id"), uses("$item")) {
            (true, _) => query.replace(", $item: ID!", ""),
            (_, _) => query.replace("$id: String!, ", ""),
        };
        let of = json!({ "id": of_list, "item": item[0] });
        ask(&site, &list.token, &query, of).await.data();
        assert_eq!(calls(&site), expected, "{query}");
    }
}

#[tokio::test]
async fn changing_the_admin_passcode_costs_what_the_documentation_says() {
    let site = site().await;
    let list = checklist(&site, 1).await;
    let more = "token { token deviceId }";
    let query = format!(
        "mutation($input: ChangePasscodesInput!) {{ changePasscodes(input: $input) {{ {more} }} }}"
    );
    let change = async |client: &Client, token: &str, present: &str, next: &str| {
        let input = json!({ "shortId": list.short_id, "passcode": present, "adminPasscode": next });
        site.calls.reset();
        let changed = ask_by(client, &site, token, &query, json!({ "input": input })).await;
        (changed.data()["changePasscodes"].clone(), calls(&site))
    };
    let token = |payload: &Value| payload["token"]["token"].as_str().unwrap().to_owned();
    let [second, third, fourth] = [
        "second-admin-turnip-lake",
        "third-admin-pebble-crane",
        "fourth-admin-gravel-otter",
    ];
    // Whoever has made it is known, by their address and as a voter.
    let (made, cost) = change(&site.http, &list.token, ADMIN, second).await;
    assert_eq!(cost, "GetItem 3, UpdateItem 5");
    // From another address, it is known as a voter alone.
    let (made, cost) = change(&client_at(77), &token(&made), second, third).await;
    assert_eq!(cost, "GetItem 3, UpdateItem 4");
    let (refused, cost) = change(&site.http, &token(&made), second, fourth).await;
    assert_eq!(refused["token"], Value::Null);
    assert_eq!(cost, "GetItem 2, UpdateItem 1");
    // Of a device, which takes its own place. It was opened without a `voterId`, so only its address is known.
    let phone = json!({ "shortId": list.short_id, "passcode": third, "staysSignedIn": true });
    let phone = mutate_raw(&site, "", "openShareable", more, phone).await;
    let phone = token(&phone.data()["openShareable"]);
    let (changed, cost) = change(&site.http, &phone, third, fourth).await;
    assert!(changed["token"]["deviceId"].is_string(), "{changed}");
    assert_eq!(
        cost,
        "BatchWriteItem 1, GetItem 3, PutItem 1, Query 1, UpdateItem 4"
    );
}

#[tokio::test]
async fn votes_the_result_and_what_is_added_again_cost_what_the_documentation_says() {
    let site = site().await;
    let (list, poll) = (checklist(&site, 1).await, poll(&site, json!({})).await);
    let option = options(&site, &poll).await[0].0.clone();
    let vote = json!({ "shortId": poll.short_id, "optionIds": [option] });
    mutate_raw(&site, &poll.token, "vote", "", vote)
        .await
        .data();
    for (fields, expected) in [
        (
            "votes(first: 1) { edges { node { comment } } }",
            "GetItem 1, Query 1",
        ),
        ("resultCsv", "GetItem 1, Query 2"),
    ] {
        site.calls.reset();
        let query = format!(
            "query($id: String!) {{ shareable(shortId: $id) {{ ... on Poll {{ {fields} }} }} }}"
        );
        let of = json!({ "id": poll.short_id });
        ask(&site, &poll.token, &query, of).await.data();
        assert_eq!(calls(&site), expected, "{fields}");
    }
    let again = json!({ "shortId": list.short_id, "name": "b", "itemId": uuid::Uuid::new_v4() });
    for expected in [
        "BatchGetItem 1, GetItem 1, Query 1, TransactWriteItems 1",
        "GetItem 1, Query 1",
    ] {
        site.calls.reset();
        let added = mutate_raw(&site, &list.token, "addChecklistItem", "", again.clone()).await;
        added.data();
        assert_eq!(calls(&site), expected);
    }
}
