//! Counters that other programs leave out or write wrong: they hide nobody, and what is unread is counted.

use aws_sdk_dynamodb::types::AttributeValue::{self, L, N, Null, S};
use serde_json::{Value, json};

use crate::design::original;
use crate::world::Hub;

const BADGE: &str = "{ viewer { user { role unreadNotifications } } notifications(onlyUnread: true) { edges { node { id } } } }";

/// Sets an attribute of an item, or removes it.
async fn store(hub: &Hub, key: [&AttributeValue; 2], name: &str, value: Option<&AttributeValue>) {
    let update = hub.0.dynamodb.update_item().table_name("collabhub-main");
    let update = update
        .key("PK", key[0].clone())
        .key("SK", key[1].clone())
        .expression_attribute_names("#name", name);
    let update = match value {
        Some(value) => update
            .update_expression("SET #name = :value")
            .expression_attribute_values(":value", value.clone()),
        None => update.update_expression("REMOVE #name"),
    };
    update.send().await.unwrap();
}

/// The badge of a user, which must be the number of unread notifications.
async fn badge(hub: &Hub, name: &str, about: &str) -> u64 {
    let seen = hub.query(name, BADGE, Value::Null).await;
    let unread = seen["notifications"]["edges"].as_array().unwrap().len() as u64;
    let badge = &seen["viewer"]["user"]["unreadNotifications"];
    assert_eq!(badge, unread, "{about}: {seen}");
    unread
}

/// What is no right count of one unread notification, as a number.
fn wrong_numbers() -> Vec<Option<AttributeValue>> {
    let numbers = ["-1", "-2", "-1000", "0.5", "-0.5", "2147483648", "9e30"];
    let numbers = numbers.map(|digits| Some(N(digits.to_owned())));
    [None].into_iter().chain(numbers).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_badge_counts_what_is_there_whatever_is_stored_of_it() {
    let key = [&S("USER#fay".to_owned()), &S("PROFILE".to_owned())];
    for stored in wrong_numbers() {
        for way in ["one", "all", "notified first"] {
            let about = format!("{stored:?} {way}");
            let hub = original().await;
            // She asks below, and has no other open request then.
            let mine = "{ myAccessRequests { edges { node { id } } } }";
            let mine = hub.query("ines", mine, Value::Null).await;
            let open = json!({ "id": mine["myAccessRequests"]["edges"][0]["node"]["id"] });
            hub.make("ines", "withdrawAccessRequest", open, "accessRequest")
                .await;
            store(&hub, key, "unreadNotifications", stored.as_ref()).await;
            assert_eq!(badge(&hub, "fay", &about).await, 1);
            let startups = hub
                .query(
                    "ines",
                    "{ startups { edges { node { id } } } }",
                    Value::Null,
                )
                .await;
            let startup = &startups["startups"]["edges"][0]["node"]["id"];
            let ask = json!({ "startupId": startup, "accessLevel": "FULL_ACCESS" });
            if way == "notified first" {
                hub.make("ines", "requestAccess", ask, "accessRequest")
                    .await;
                // A small negative number is one that an earlier release has left: the next reading corrects it.
                if !["-1", "-2"]
                    .map(|left| Some(N(left.to_owned())))
                    .contains(&stored)
                {
                    assert_eq!(badge(&hub, "fay", &about).await, 2);
                }
                let marked = hub
                    .mutate("fay", "markAllNotificationsRead", json!({}), "unread")
                    .await;
                assert_eq!(marked["unread"], 0, "{about}");
                assert_eq!(badge(&hub, "fay", &about).await, 0);
                continue;
            }
            if way == "one" {
                let seen = hub.query("fay", BADGE, Value::Null).await;
                let id = &seen["notifications"]["edges"][0]["node"]["id"];
                let read = json!({ "id": id });
                hub.make("fay", "markNotificationRead", read, "notification")
                    .await;
            } else {
                let input = json!({});
                let marked = hub
                    .mutate("fay", "markAllNotificationsRead", input, "marked unread")
                    .await;
                assert_eq!(marked["unread"], 0, "{about}");
            }
            assert_eq!(badge(&hub, "fay", &about).await, 0);
            // The next one is counted, and the user can act.
            hub.make("ines", "requestAccess", ask, "accessRequest")
                .await;
            assert_eq!(badge(&hub, "fay", &about).await, 1);
            let bio = json!({ "bio": "x" });
            hub.make("fay", "updateProfile", bio, "user").await;
        }
    }
}

/// A count that is too low is noticed when more is read than it has.
#[tokio::test]
async fn reading_more_than_was_counted_counts_again() {
    let key = [&S("USER#fay".to_owned()), &S("PROFILE".to_owned())];
    for mutation in ["markNotificationRead", "markAllNotificationsRead"] {
        let hub = original().await;
        let seen = hub.query("fay", BADGE, Value::Null).await;
        let id = seen["notifications"]["edges"][0]["node"]["id"].clone();
        store(&hub, key, "unreadNotifications", Some(&N("0".to_owned()))).await;
        let input = match mutation {
            "markNotificationRead" => json!({ "id": id }),
            _ => json!({}),
        };
        hub.mutate("fay", mutation, input, "__typename").await;
        assert_eq!(badge(&hub, "fay", mutation).await, 0);
    }
}

/// Every counter of every item, by its name, is readable whatever it holds.
#[tokio::test]
async fn a_bad_counter_makes_no_item_unreadable() {
    let hub = original().await;
    let queries = [
        (
            "fay",
            "{ myStartups { edges { node { roles { edges { node { title applicantCount } } } } } } }",
        ),
        (
            "fay",
            "{ inbox { edges { node { unreadCount } } } viewer { unreadMessages user { role unreadNotifications } } }",
        ),
    ];
    let counters = [
        ("STARTUP_ROLE", "applicantCount"),
        ("CONVERSATION_PARTICIPANT", "unreadCount"),
        ("USER", "unreadNotifications"),
    ];
    let bad = wrong_numbers().into_iter().chain([
        Some(S("many".to_owned())),
        Some(S(String::new())),
        Some(Null(true)),
        Some(AttributeValue::Bool(true)),
        Some(L(vec![N("1".to_owned())])),
    ]);
    let bad: Vec<_> = bad.collect();
    for (name, query) in queries {
        hub.query(name, query, Value::Null).await;
    }
    for (kind, counter) in counters {
        for value in &bad {
            for item in hub.items().await {
                if item["entityType"].as_s().unwrap() == kind {
                    let key = [&item["PK"], &item["SK"]];
                    store(&hub, key, counter, value.as_ref()).await;
                }
            }
            for (name, query) in queries {
                let seen = hub.query(name, query, Value::Null).await.to_string();
                let about = format!("{counter} {value:?}: {seen}");
                assert!(
                    !seen.contains("\"node\":null") && !seen.contains(":-"),
                    "{about}"
                );
            }
        }
    }
}
