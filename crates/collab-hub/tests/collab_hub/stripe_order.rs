//! Stripe's events of several subscriptions of one customer, and what they leave behind.

use serde_json::{Value, json};

use crate::stripe::{event, hub, send, state};
use crate::world::{Hub, viewer};
use trestle_testing::hosted::START;

/// An event of another subscription than `sub_1`, which Stripe created at `created`.
fn of(id: &str, subscription: (&str, i64), kind: &str, at: i64, status: &str) -> String {
    let mut event: Value = serde_json::from_str(&event(id, kind, at, status, Some("ada"))).unwrap();
    event["data"]["object"]["id"] = json!(subscription.0);
    event["data"]["object"]["created"] = json!(subscription.1);
    event.to_string()
}

async fn status(hub: &Hub) -> (String, String) {
    let state = state(hub).await;
    let text = |value: &Value| value.as_str().unwrap_or("none").to_owned();
    (
        text(&state["mySubscription"]["status"]),
        text(&state["viewer"]["user"]["subscriptionStatus"]),
    )
}

fn orders(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let shorter = orders(count - 1);
    let places = (0..count).flat_map(|place| {
        shorter.iter().map(move |order| {
            let mut order = order.clone();
            order.insert(place, count - 1);
            order
        })
    });
    places.collect()
}

#[tokio::test]
async fn an_older_or_abandoned_subscription_does_not_end_the_newer_one() {
    let (old, good) = (("sub_1", START), ("sub_good", START + 100));
    let abandoned = ("sub_abandoned", START + 200);
    let events = [
        of("evt_1", old, "created", START, "active"),
        of("evt_2", good, "created", START + 100, "active"),
        of("evt_3", old, "deleted", START + 300, "canceled"),
        of("evt_4", abandoned, "created", START + 200, "incomplete"),
        of(
            "evt_5",
            abandoned,
            "updated",
            START + 400,
            "incomplete_expired",
        ),
    ];
    for order in orders(events.len()).into_iter().step_by(7) {
        let hub = hub().await;
        for at in &order {
            assert_eq!(send(&hub, &events[*at]).await, 200);
        }
        let active = ("ACTIVE".to_owned(), "ACTIVE".to_owned());
        assert_eq!(status(&hub).await, active, "{order:?}");
    }
}

#[tokio::test]
async fn a_newer_live_subscription_replaces_a_live_one_and_an_older_one_does_not() {
    let (old, new) = (("sub_1", START), ("sub_2", START + 100));
    let hub = hub().await;
    for (event, expected) in [
        (of("evt_1", old, "created", START, "active"), "ACTIVE"),
        (
            of("evt_2", new, "created", START + 100, "past_due"),
            "PAST_DUE",
        ),
        (
            of("evt_3", old, "updated", START + 200, "active"),
            "PAST_DUE",
        ),
        (
            of("evt_4", new, "deleted", START + 300, "canceled"),
            // The old one is still paid.
            "ACTIVE",
        ),
        (of("evt_6", old, "updated", START + 400, "active"), "ACTIVE"),
        (
            of("evt_7", old, "deleted", START + 500, "canceled"),
            "CANCELLED",
        ),
        // Ended for good, whatever arrives late.
        (
            of("evt_5", new, "updated", START + 250, "active"),
            "CANCELLED",
        ),
    ] {
        assert_eq!(send(&hub, &event).await, 200);
        assert_eq!(status(&hub).await.0, expected, "{event}");
    }
}

#[tokio::test]
async fn the_tier_is_the_best_of_all_items_of_all_live_subscriptions() {
    let tier = async |hub: &Hub| {
        let user = state(hub).await["viewer"]["user"].clone();
        user["subscriptionTier"].as_str().unwrap().to_owned()
    };
    let item = |tier: &str| {
        json!({
            "price": { "id": format!("price_{tier}"), "metadata": { "tier": tier } },
            "current_period_start": START, "current_period_end": START + 2_592_000,
        })
    };
    let with = |event: &str, items: &[&str]| {
        let mut event: Value = serde_json::from_str(event).unwrap();
        let items: Vec<_> = items.iter().map(|tier| item(tier)).collect();
        event["data"]["object"]["items"]["data"] = json!(items);
        event.to_string()
    };
    let (first, second) = (("sub_1", START), ("sub_2", START + 100));
    let hub = hub().await;
    for (event, items, expected) in [
        (
            of("evt_1", first, "created", START, "active"),
            &["pro", "enterprise"][..],
            "ENTERPRISE",
        ),
        (
            of("evt_2", second, "created", START + 100, "active"),
            &["pro"][..],
            "ENTERPRISE",
        ),
        (
            of("evt_3", first, "deleted", START + 200, "canceled"),
            &["pro", "enterprise"][..],
            "PRO",
        ),
        (
            of("evt_4", second, "deleted", START + 300, "canceled"),
            &["pro"][..],
            "FREE",
        ),
    ] {
        assert_eq!(send(&hub, &with(&event, items)).await, 200);
        assert_eq!(tier(&hub).await, expected, "{event}");
    }
}

#[tokio::test]
async fn events_of_one_second_have_an_order() {
    let sub = ("sub_1", START);
    let created = of("evt_1", sub, "created", START, "incomplete");
    let updated = of("evt_2", sub, "updated", START, "active");
    let deleted = of("evt_3", sub, "deleted", START, "canceled");
    for events in [[&created, &updated], [&updated, &created]] {
        let hub = hub().await;
        for event in events {
            assert_eq!(send(&hub, event).await, 200);
        }
        assert_eq!(status(&hub).await.0, "ACTIVE");
        for event in [&deleted, &updated, &created] {
            assert_eq!(send(&hub, event).await, 200);
        }
        assert_eq!(status(&hub).await.0, "CANCELLED");
    }
}

#[tokio::test]
async fn a_change_of_a_subscription_is_journaled_with_it() {
    let hub = hub().await;
    hub.admin("root").await;
    let sub = ("sub_1", START);
    let first = of("evt_1", sub, "created", START, "active");
    for event in [
        &first,
        &first,
        &of("evt_2", sub, "updated", START + 1, "active"),
    ] {
        assert_eq!(send(&hub, event).await, 200);
    }
    let ended = of("evt_3", sub, "deleted", START + 2, "canceled");
    assert_eq!(send(&hub, &ended).await, 200);
    let query = "{ notifications { edges { node { type title body } } } viewer { user { unreadNotifications } } }";
    let data = hub.0.data(&viewer("ada"), query, Value::Null).await;
    let notified = data["notifications"]["edges"].as_array().unwrap();
    // The period moved in the second event, which the user does not notice.
    assert_eq!(notified.len(), 2, "{notified:?}");
    assert!(notified.iter().all(|edge| edge["node"]["type"] == "SYSTEM"));
    assert_eq!(data["viewer"]["user"]["unreadNotifications"], 2);
    let log = r#"{ auditLog(date: "2026-02-22", first: 50) { edges { node { action userId userAgent } } } }"#;
    let log = hub.query("root", log, Value::Null).await["auditLog"]["edges"].clone();
    let changes = log.as_array().unwrap().iter().filter(|edge| {
        let node = &edge["node"];
        node["action"] == "SUBSCRIPTION_CHANGED" && node["userId"] == "ada"
    });
    assert_eq!(changes.count(), 3);
}

#[tokio::test]
async fn a_newer_subscription_that_is_not_paid_hides_no_paid_one() {
    let (old, new) = (("sub_1", START), ("sub_2", START + 100));
    let hub = hub().await;
    for event in [
        of("evt_1", old, "created", START, "active"),
        of("evt_2", new, "created", START + 100, "active"),
        of("evt_3", new, "updated", START + 200, "unpaid"),
    ] {
        assert_eq!(send(&hub, &event).await, 200);
        let active = ("ACTIVE".to_owned(), "ACTIVE".to_owned());
        assert_eq!(status(&hub).await, active);
    }
}
