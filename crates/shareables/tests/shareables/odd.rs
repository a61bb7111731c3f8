//! Items as other programs write them: those of the design, with what is not ours left out, are read, changed and
//! deleted; odd in every way, nothing of them is lost or made up.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use trestle_shareables::SERVICE;
use trestle_testing::hosted::{START, TestServer};
use trestle_testing::odd::{Item, item};
use trestle_testing::promise::{Asked, Promise};

use crate::site::{ADMIN, Opened, VIEW, at, checklist, data, open, poll, site};

const ITEM: &str = "0b0cf9b6-5a1c-4f0e-9d2f-6a3c8f0f5d11";
const NEXT: &str = "0b0cf9b6-5a1c-4f0e-9d2f-6a3c8f0f5d12";
const OPTION: &str = "0b0cf9b6-5a1c-4f0e-9d2f-6a3c8f0f5d21";
const OTHER: &str = "0b0cf9b6-5a1c-4f0e-9d2f-6a3c8f0f5d22";
const VOTER: &str = "0b0cf9b6-5a1c-4f0e-9d2f-6a3c8f0f5d31";

/// The short id as keys have it.
fn bare(of: &Opened) -> String {
    of.short_id.replace('-', "").to_lowercase()
}

fn part(kind: &str, of: &Opened, id: &str, attributes: Value) -> Value {
    let mut item = json!({
        "pk": format!("{kind}#{}", bare(of)), "sk": format!("01#{}#", id.replace('-', "")), "shortId": of.short_id,
    });
    item.as_object_mut()
        .unwrap()
        .extend(attributes.as_object().unwrap().clone());
    item
}

/// A shareable as another program writes it. The hashes are those of one that was made here.
async fn shared(site: &TestServer, of: &Opened, kind: &str, attributes: Value) -> Item {
    let key = AttributeValue::S(format!("shareable#{}", bare(of)));
    let items = site.items("shareables").await;
    let made = items.into_iter().find(|item| item["pk"] == key).unwrap();
    let mut written = item(&json!({
        "pk": format!("shareable#{}", bare(of)), "sk": "01#", "entity": kind, "shortId": of.short_id, "name": "Trip",
        "expiresAt": "2026-08-01",
    }));
    for hash in ["viewPasscode", "adminPasscode"] {
        written.insert(hash.to_owned(), made[hash].clone());
    }
    written.extend(item(&attributes));
    written
}

/// A checklist with items, and a poll with options and a vote.
async fn designed(site: &TestServer, list: &Opened, asked: &Opened) -> Vec<Item> {
    let ttl = START + 300 * 24 * 3600;
    let option = |id: &str, order: u32, text: &str, votes: u32| {
        let attributes = json!({
            "entity": "poll_option", "pollOptionId": id, "order": order, "text": text, "votes": votes,
            "votableUntil": at(1_000_000), "allowsSeveral": false, "hidesResults": false, "ttl": ttl,
        });
        part("poll_option", asked, id, attributes)
    };
    let vote = json!({
        "entity": "poll_vote", "voterId": VOTER, "voterName": "Bob", "options": [OPTION], "comment": "gladly", "ttl": ttl,
        "createdAt": at(0), "updatedAt": at(0),
    });
    let parts = [
        part(
            "checklist_item",
            list,
            ITEM,
            json!({ "checklistItemId": ITEM, "order": 0, "name": "Tent", "note": "the green one" }),
        ),
        part(
            "checklist_item",
            list,
            NEXT,
            json!({ "checklistItemId": NEXT, "order": 1, "name": "Stove" }),
        ),
        option(OPTION, 0, "Monday", 1),
        option(OTHER, 1, "Tuesday", 0),
        part("poll_vote", asked, VOTER, vote),
    ];
    let mut right = vec![
        shared(site, list, "checklist", json!({ "note": "what to take" })).await,
        shared(
            site,
            asked,
            "poll",
            json!({ "question": "When?", "allowsSeveral": false, "closesAt": at(1_000_000) }),
        )
        .await,
    ];
    right.extend(parts.iter().map(item));
    right
}

/// Makes the table hold these items alone.
async fn write(site: &TestServer, right: &[Item]) {
    for item in site.items("shareables").await {
        let delete = site.dynamodb.delete_item().table_name("shareables");
        let delete = delete
            .key("pk", item["pk"].clone())
            .key("sk", item["sk"].clone());
        delete.send().await.unwrap();
    }
    for item in right {
        let put = site.dynamodb.put_item().table_name("shareables");
        put.set_item(Some(item.clone())).send().await.unwrap();
    }
}

const SHAREABLE: &str = "name expiresAt isExpired createdAt updatedAt version";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn items_of_the_design_are_read_and_changed_and_odd_ones_are_neither_lost_nor_made_up() {
    let site = site().await;
    let (list, asked) = (checklist(&site, 0).await, poll(&site, json!({})).await);
    let right = designed(&site, &list, &asked).await;
    write(&site, &right).await;
    let bearer = |opened: &Opened| format!("Bearer {}", opened.token);
    let [packer, owner] = [
        open(&site, &list.short_id, VIEW).await,
        open(&site, &list.short_id, ADMIN).await,
    ];
    let [voter, asker] = [
        open(&site, &asked.short_id, VIEW).await,
        open(&site, &asked.short_id, ADMIN).await,
    ];
    let content = format!(
        "{{ shareable(shortId: \"{}\") {{ {SHAREABLE} ... on Checklist {{ note itemCount viewersMay \
            items {{ id name note order tickedAt tickedBy quantity }} }} }} }}",
        list.short_id
    );
    let question = format!(
        "{{ shareable(shortId: \"{}\") {{ {SHAREABLE} ... on Poll {{ question allowsSeveral closesAt isClosed \
            options {{ id text voteCount order }} votes {{ edges {{ node {{ voterName comment votedAt }} }} }} }} }} }}",
        asked.short_id
    );
    let of_list = data(&site, &owner.token, &content, Value::Null).await;
    let of_poll = data(&site, &asker.token, &question, Value::Null).await;
    let id = |value: &Value| value["id"].as_str().unwrap().to_owned();
    let tent = id(&of_list["shareable"]["items"][0]);
    let monday = id(&of_poll["shareable"]["options"][0]);
    let opening =
        |of: &Opened, passcode: &str| json!({ "shortId": of.short_id, "passcode": passcode });
    let of = |opened: &Opened, more: Value| {
        let mut input = json!({ "shortId": opened.short_id });
        input
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        input
    };
    let reads = [
        (&packer, &content),
        (&owner, &content),
        (&voter, &question),
        (&asker, &question),
    ];
    let changes = [
        (bearer(&packer), "tickChecklistItem", json!({ "id": tent })),
        (
            bearer(&owner),
            "updateChecklistItem",
            json!({ "id": tent, "quantity": "2" }),
        ),
        (
            bearer(&owner),
            "addChecklistItem",
            of(&list, json!({ "name": "Lamp" })),
        ),
        (
            bearer(&owner),
            "moveChecklistItem",
            json!({ "id": id(&of_list["shareable"]["items"][1]), "afterId": null }),
        ),
        (bearer(&owner), "deleteChecklistItem", json!({ "id": tent })),
        (
            bearer(&owner),
            "updateChecklist",
            of(&list, json!({ "name": "Camp" })),
        ),
        (
            bearer(&owner),
            "extendShareable",
            of(&list, json!({ "expiresAt": at(20_000_000) })),
        ),
        (
            bearer(&asker),
            "updatePoll",
            of(&asked, json!({ "name": "Day" })),
        ),
        (
            bearer(&asker),
            "addPollOption",
            of(&asked, json!({ "text": "Friday" })),
        ),
        (
            bearer(&asker),
            "updatePollOption",
            json!({ "id": monday, "text": "Next Monday" }),
        ),
        (
            bearer(&voter),
            "vote",
            of(&asked, json!({ "optionIds": [monday] })),
        ),
        (bearer(&asker), "closePoll", of(&asked, json!({}))),
        (String::new(), "openShareable", opening(&list, VIEW)),
        (bearer(&owner), "deleteShareable", opening(&list, ADMIN)),
    ];
    // Opening again writes who has opened it.
    write(&site, &right).await;
    let promise = Promise {
        server: &site,
        table: SERVICE.tables[0],
        right,
        reads: reads
            .map(|(opened, document)| Asked::query(bearer(opened), document.clone()))
            .into(),
        changes: changes
            .map(|(viewer, name, input)| Asked::mutation(viewer, name, input))
            .into(),
        defaults: &[],
        // A hash that is none was an internal error, also for who opens by the other passcode.
        pinned: &[
            ("shareable#", "adminPasscode another text"),
            ("shareable#", "adminPasscode in lower case"),
        ],
    };
    promise.hold_without_what_keys_contain(&[]).await;
    promise.hold().await;
}
