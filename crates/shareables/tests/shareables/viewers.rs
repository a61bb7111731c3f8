//! Who may do what: a table of viewers and operations.

use serde_json::{Value, json};

use crate::site::{
    ADMIN, Opened, VIEW, ask, checklist, errors, items, mutate_raw, open, options, poll, site,
};
use trestle_testing::Answer;

/// How an answer lets its viewer in.
fn verdict(answer: &Answer, field: &str) -> &'static str {
    match answer.code() {
        "UNAUTHENTICATED" => "nobody",
        "FORBIDDEN" => "forbidden",
        "no error" => match &answer.body["data"][field] {
            Value::Null => "null",
            payload if payload.get("userErrors").is_none() => "ok",
            payload => match errors(payload).first().map(String::as_str) {
                None => "ok",
                Some(error) if error.starts_with("NOT_FOUND") => "not found",
                Some(other) => panic!("{field}: {other}"),
            },
        },
        other => panic!("{field}: {other}"),
    }
}

#[tokio::test]
async fn each_operation_is_open_to_those_who_may() {
    let site = site().await;
    let list = checklist(&site, 3).await;
    let poll = poll(&site, json!({})).await;
    let other = checklist(&site, 1).await;
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
    let passcodes = |on: &str| json!({ "shortId": on, "viewPasscode": "v-walnut-kettle", "adminPasscode": "a-copper-saddle-brook" });
    let new_passcodes =
        json!({ "shortId": of_poll, "passcode": ADMIN, "viewPasscode": "v-walnut-kettle" });
    // The mutations in an order in which each can succeed, and whether the view passcode is enough.
    let table: Vec<(&Opened, &str, Value, bool)> = vec![
        (&list, "renewToken", json!({ "shortId": of_list }), true),
        (&list, "tickChecklistItem", json!({ "id": item[0] }), true),
        (
            &list,
            "updateChecklist",
            json!({ "shortId": of_list, "name": "b" }),
            false,
        ),
        (
            &list,
            "addChecklistItem",
            json!({ "shortId": of_list, "name": "b" }),
            false,
        ),
        (
            &list,
            "updateChecklistItem",
            json!({ "id": item[0], "name": "b" }),
            false,
        ),
        (
            &list,
            "moveChecklistItem",
            json!({ "id": item[0], "afterId": item[1] }),
            false,
        ),
        (
            &list,
            "deleteChecklistItem",
            json!({ "id": item[2] }),
            false,
        ),
        (&list, "cloneShareable", passcodes(of_list), false),
        (
            &list,
            "addChecklistItems",
            json!({ "shortId": of_list, "text": "c" }),
            false,
        ),
        (
            &list,
            "duplicateChecklistItem",
            json!({ "id": item[0] }),
            false,
        ),
        (&list, "issueTicket", json!({ "shortId": of_list }), true),
        (
            &list,
            "extendShareable",
            json!({ "shortId": of_list, "staysOpen": true }),
            false,
        ),
        (
            &poll,
            "vote",
            json!({ "shortId": of_poll, "optionIds": [option[0]] }),
            true,
        ),
        (
            &poll,
            "updatePoll",
            json!({ "shortId": of_poll, "name": "b" }),
            false,
        ),
        (
            &poll,
            "addPollOption",
            json!({ "shortId": of_poll, "text": "d" }),
            false,
        ),
        (
            &poll,
            "movePollOption",
            json!({ "id": option[1], "afterId": null }),
            false,
        ),
        (&poll, "deletePollOption", json!({ "id": option[2] }), false),
        (
            &poll,
            "inviteVoters",
            json!({ "shortId": of_poll, "names": ["Cid"] }),
            false,
        ),
        (&poll, "closePoll", json!({ "shortId": of_poll }), false),
        (
            &list,
            "deleteShareable",
            json!({ "shortId": of_list, "passcode": ADMIN }),
            false,
        ),
        (&poll, "changePasscodes", new_passcodes, false),
    ];
    for (on, name, input, view_is_enough) in table {
        let view = open(&site, &on.short_id, VIEW).await;
        let forged = format!("{}x", on.token);
        for (viewer, token, expected) in [
            ("nobody", "", "nobody"),
            ("forged", forged.as_str(), "nobody"),
            ("other", other.token.as_str(), "not found"),
            (
                "view",
                view.token.as_str(),
                if view_is_enough { "ok" } else { "forbidden" },
            ),
            ("admin", on.token.as_str(), "ok"),
        ] {
            let answer = mutate_raw(&site, token, name, "", input.clone()).await;
            assert_eq!(
                verdict(&answer, name),
                expected,
                "{name} by {viewer}: {}",
                answer.body
            );
        }
    }
}

#[tokio::test]
async fn each_query_answers_what_its_token_opens() {
    let site = site().await;
    let list = checklist(&site, 1).await;
    let other = checklist(&site, 1).await;
    let item = items(&site, &list).await[0].0.clone();
    let view = open(&site, &list.short_id, VIEW).await;
    let by_short_id =
        "query($id: String!, $node: ID!) { shareable(shortId: $id) { id } node(id: $node) { id } }";
    let of = json!({ "id": list.short_id, "node": item });
    for (token, expected) in [
        ("", "nobody"),
        (other.token.as_str(), "null"),
        (view.token.as_str(), "ok"),
        (list.token.as_str(), "ok"),
    ] {
        let answer = ask(&site, token, by_short_id, of.clone()).await;
        assert_eq!(verdict(&answer, "shareable"), expected, "{}", answer.body);
        if expected != "nobody" {
            assert_eq!(verdict(&answer, "node"), expected, "{}", answer.body);
        }
    }
    let unknown = json!({ "id": "ABC-DEF-00000", "node": "x" });
    let answer = ask(&site, &view.token, by_short_id, unknown).await;
    assert_eq!(answer.data(), json!({ "shareable": null, "node": null }));
}
