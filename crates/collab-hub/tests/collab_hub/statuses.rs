//! Users of every status, in the lists and changes that name them: what is listed can be done, and what was done is taken back.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};

use crate::world::{Hub, codes};

/// Statuses as they are stored: of a user, of one who is deleting the account, and of one who has deleted it.
const STATUSES: [&str; 5] = [
    "ACTIVE",
    "PENDING_VERIFICATION",
    "BANNED",
    "DELETED",
    "GONE",
];

/// Gives a user a status.
async fn set(hub: &Hub, name: &str, status: &str) {
    let text = |text: &str| AttributeValue::S(text.to_owned());
    let (pk, sk) = (text(&format!("USER#{name}")), text("PROFILE"));
    let table = "collabhub-main";
    if status == "GONE" {
        let delete = hub.0.dynamodb.delete_item().table_name(table);
        delete.key("PK", pk).key("SK", sk).send().await.unwrap();
        return;
    }
    let is_deleting = status == "DELETED";
    let stored = if is_deleting { "BANNED" } else { status };
    let change = if is_deleting {
        "SET #status = :status, GSI2PK = :place, deletingSince = :since"
    } else {
        "SET #status = :status, GSI2PK = :place"
    };
    let update = hub.0.dynamodb.update_item().table_name(table);
    let mut update = update
        .key("PK", pk)
        .key("SK", sk)
        .update_expression(change)
        .expression_attribute_names("#status", "status")
        .expression_attribute_values(":status", text(stored))
        .expression_attribute_values(":place", text(&format!("STATUS#{stored}")));
    if is_deleting {
        update = update.expression_attribute_values(":since", text("2026-02-22T19:12:11.000Z"));
    }
    update.send().await.unwrap();
}

/// A founder, an investor, and a private startup of the founder.
async fn town() -> (Hub, [String; 2], String) {
    let hub = Hub::start().await;
    hub.admin("root").await;
    let ada = hub.register("ada", "FOUNDER").await;
    let ida = hub.register("ida", "INVESTOR").await;
    let startup = hub.published("ada", "Sunny", "PRIVATE").await;
    (hub, [ada, ida], startup)
}

const MINE: &str = "{ myInvitations { edges { node { id status } } } }";
const NODE: &str = "query($id: ID!) { node(id: $id) { id ... on Invitation { status } } }";

/// An invitation is shown to the investor if and only if it can be accepted, whatever the founder's status is, and whoever
/// has blocked the other one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invitations_that_are_shown_are_accepted() {
    for status in STATUSES {
        for by in ["nobody", "ada", "ida"] {
            for email in [Value::Null, json!("ida@example.com")] {
                let (hub, [ada, ida], startup) = town().await;
                let input =
                    json!({ "startupId": startup, "accessLevel": "FULL_ACCESS", "email": email });
                let id = hub
                    .make("ada", "createInvitation", input, "invitation")
                    .await;
                if by != "nobody" {
                    let other = if by == "ada" { &ida } else { &ada };
                    hub.make(by, "blockUser", json!({ "id": other }), "user")
                        .await;
                }
                set(&hub, "ada", status).await;
                let about = format!("{status}, blocked by {by}, {email}");
                let is_offered =
                    by == "nobody" && ["ACTIVE", "PENDING_VERIFICATION"].contains(&status);
                let listed = hub.query("ida", MINE, Value::Null).await;
                let listed = listed["myInvitations"]["edges"].as_array().unwrap().len();
                assert_eq!(
                    listed,
                    usize::from(is_offered && !email.is_null()),
                    "{about}"
                );
                let node = hub.query("ida", NODE, json!({ "id": id })).await;
                assert_eq!(node["node"].is_object(), is_offered, "{about}");
                let accept = json!({ "id": id });
                let fields = "invitation { status }";
                let done = hub.mutate("ida", "acceptInvitation", accept, fields).await;
                if !is_offered {
                    assert_eq!(codes(&done), ["NOT_FOUND"], "{about}");
                    continue;
                }
                assert_eq!(done["invitation"]["status"], "ACCEPTED", "{about}");
                // What was accepted stays in sight of who has accepted it.
                set(&hub, "ada", "BANNED").await;
                let node = hub.query("ida", NODE, json!({ "id": id })).await;
                assert_eq!(node["node"]["status"], "ACCEPTED", "{about}");
                let listed = hub.query("ida", MINE, Value::Null).await;
                let listed = listed["myInvitations"]["edges"].as_array().unwrap().len();
                assert_eq!(listed, usize::from(!email.is_null()), "{about}");
            }
        }
    }
}

/// Nobody is told of the invitation of a founder whom they have blocked, nor is the founder.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_invitation_across_a_block_is_answered_as_any_other_one() {
    let mut answers = Vec::new();
    for by in ["nobody", "ada", "ida"] {
        let (hub, [ada, ida], startup) = town().await;
        if by != "nobody" {
            let other = if by == "ada" { &ida } else { &ada };
            hub.make(by, "blockUser", json!({ "id": other }), "user")
                .await;
        }
        let input =
            json!({ "startupId": startup, "accessLevel": "VIEW_DECK", "email": "ida@example.com" });
        let made = hub
            .attempt("ada", "createInvitation", input, "invitation { status }")
            .await;
        answers.push((made.data().clone(), made.cost().reads, made.cost().writes));
        let told = "{ notifications { edges { node { title } } } }";
        let told = hub.query("ida", told, Value::Null).await;
        let count = told["notifications"]["edges"].as_array().unwrap().len();
        assert_eq!(count, usize::from(by == "nobody"), "{by}: {told}");
    }
    assert!(
        answers.iter().all(|answer| *answer == answers[0]),
        "{answers:?}"
    );
}

/// Who was blocked is listed and unblocked, whatever becomes of them; who is out of sight is not blocked.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn users_of_every_status_are_unblocked() {
    let list = "{ blockedUsers { edges { node { userId user { id firstName } } } } }";
    let fields = "user { firstName }";
    for status in STATUSES {
        let (hub, [ada, ida], _) = town().await;
        let block = json!({ "id": ada });
        hub.make("ida", "blockUser", block.clone(), "user").await;
        set(&hub, "ada", status).await;
        let is_seen = status == "ACTIVE";
        let seen = hub.query("ida", list, Value::Null).await;
        let entry = &seen["blockedUsers"]["edges"][0]["node"];
        assert_eq!(entry["userId"], json!(ada), "{status}");
        assert_eq!(entry["user"].is_object(), is_seen, "{status}");
        let unblock = json!({ "id": entry["userId"] });
        let done = hub
            .mutate("ida", "unblockUser", unblock.clone(), fields)
            .await;
        assert_eq!(done["userErrors"], json!([]), "{status}");
        assert_eq!(done["user"].is_object(), is_seen, "{status}");
        let seen = hub.query("ida", list, Value::Null).await;
        assert_eq!(seen["blockedUsers"]["edges"], json!([]), "{status}");
        // There is nothing to take back any more, and nothing that says whether the user is registered.
        let expected: &[&str] = if is_seen { &[] } else { &["NOT_FOUND"] };
        for mutation in ["unblockUser", "blockUser"] {
            let again = hub.mutate("ida", mutation, block.clone(), fields).await;
            assert_eq!(codes(&again), expected, "{status} {mutation}");
        }
        let own = hub
            .mutate("ida", "unblockUser", json!({ "id": ida }), fields)
            .await;
        assert_eq!(codes(&own), ["NOT_FOUND"], "{status}");
    }
}
