//! Stripe's webhook, with a signer of our own: replayed, reordered and forged events.

use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;
use trestle_collab_hub::SERVICE;

use crate::world::{Hub, viewer};
use trestle_testing::hosted::{START, TestClock, TestServer, memory};

const SECRET: &str = "whsec_test";

fn sign(secret: &str, at: i64, body: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(format!("{at}.{body}").as_bytes());
    let bytes = mac.finalize().into_bytes();
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("t={at},v1={hex}")
}

pub fn event(id: &str, kind: &str, at: i64, status: &str, user: Option<&str>) -> String {
    json!({
        "id": id, "type": format!("customer.subscription.{kind}"), "created": at,
        "data": { "object": {
            "id": "sub_1", "customer": "cus_1", "status": status, "cancel_at_period_end": false,
            "metadata": user.map_or(json!({}), |user| json!({ "userId": user })),
            "items": { "data": [ {
                "price": { "id": "price_1", "metadata": { "tier": "enterprise" } },
                "current_period_start": at, "current_period_end": at + 2_592_000,
            } ] },
        } },
    })
    .to_string()
}

/// The event of another subscription.
fn of_another(event: &str) -> String {
    event.replace("sub_1", "sub_other")
}

pub async fn hub() -> Hub {
    let (client, calls) = memory();
    let options = ["--stripe-webhook-secret", SECRET];
    let hosted =
        TestServer::start_on(&SERVICE, client, calls, TestClock::default(), &options).await;
    let hub = Hub(hosted);
    hub.register("ada", "FOUNDER").await;
    hub
}

async fn post(hub: &Hub, signature: &str, body: &str) -> u16 {
    answer(hub, signature, body).await.status().as_u16()
}

async fn answer(hub: &Hub, signature: &str, body: &str) -> reqwest::Response {
    let url = format!("{}/collab-hub/webhooks/stripe", hub.0.origin);
    let request = hub.0.http.post(url).header("stripe-signature", signature);
    request.body(body.to_owned()).send().await.unwrap()
}

pub async fn send(hub: &Hub, body: &str) -> u16 {
    post(hub, &sign(SECRET, START, body), body).await
}

pub async fn state(hub: &Hub) -> Value {
    let query = "{ mySubscription { status tier } viewer { user { subscriptionStatus subscriptionTier } } }";
    hub.0.data(&viewer("ada"), query, Value::Null).await
}

#[tokio::test]
async fn events_in_any_order_and_number_end_in_the_same_subscription() {
    let events = [
        event("evt_1", "created", START, "trialing", Some("ada")),
        event("evt_2", "updated", START + 10, "active", Some("ada")),
        event("evt_3", "updated", START + 20, "past_due", Some("ada")),
        event("evt_4", "deleted", START + 30, "canceled", Some("ada")),
    ];
    let orders: [&[usize]; 6] = [
        &[0, 1, 2, 3],
        &[3, 2, 1, 0],
        &[1, 3, 0, 2],
        &[0, 0, 1, 1, 2, 3, 3],
        &[2, 0, 3, 1, 2, 0],
        &[3, 3, 3, 0],
    ];
    for order in orders {
        let hub = hub().await;
        for at in order {
            assert_eq!(send(&hub, &events[*at]).await, 200);
        }
        let state = state(&hub).await;
        assert_eq!(
            state["mySubscription"],
            json!({ "status": "CANCELLED", "tier": "ENTERPRISE" }),
            "{order:?}"
        );
        let user = &state["viewer"]["user"];
        assert_eq!(user["subscriptionStatus"], "CANCELLED");
        assert_eq!(user["subscriptionTier"], "FREE");
    }
    // Many at once, each twice.
    let hub = hub().await;
    let sends = events.iter().chain(&events).map(|event| send(&hub, event));
    let statuses = futures_util::future::join_all(sends).await;
    assert!(statuses.iter().all(|status| *status == 200), "{statuses:?}");
    assert_eq!(state(&hub).await["mySubscription"]["status"], "CANCELLED");
    let items = hub.items().await;
    let of = |kind: &str| {
        items
            .iter()
            .filter(|i| i["entityType"].as_s().unwrap() == kind)
            .count()
    };
    assert_eq!((of("STRIPE_EVENT"), of("SUBSCRIPTION")), (4, 1));
}

#[tokio::test]
async fn forged_and_stale_events_are_refused() {
    let hub = hub().await;
    let body = event("evt_1", "created", START, "active", Some("ada"));
    for signature in [
        String::new(),
        "t=1,v1=00".to_owned(),
        sign("whsec_other", START, &body),
        sign(SECRET, START, "{}"),
        sign(SECRET, START - 301, &body),
        sign(SECRET, START + 301, &body),
        sign(SECRET, START, &body).replace("v1=", "v0="),
        sign(SECRET, START, &body).replace(&format!("t={START}"), &format!("t={}", START + 1)),
    ] {
        let refused = answer(&hub, &signature, &body).await;
        assert_eq!(refused.status(), 400, "{signature}");
        assert!(!refused.text().await.unwrap().is_empty());
    }
    assert_eq!(state(&hub).await["mySubscription"], Value::Null);
    let large = format!("{{\"a\":\"{}\"}}", "x".repeat(300 * 1024));
    assert_eq!(send(&hub, &large).await, 413);
    let refused = answer(&hub, &sign(SECRET, START, "{}"), "{}").await;
    // It will never be read, so Stripe must not send it again.
    assert_eq!(refused.status(), 200);
    assert!(!refused.text().await.unwrap().is_empty());
    let other = json!({ "id": "evt_9", "type": "charge.failed", "created": START, "data": { "object": {} } });
    assert_eq!(send(&hub, &other.to_string()).await, 200);
    let get = hub
        .0
        .http
        .get(format!("{}/collab-hub/webhooks/stripe", hub.0.origin));
    assert_eq!(get.send().await.unwrap().status(), 405);
    // A user is known by the metadata, later by the subscription; nobody else is made up, and Stripe sends nothing again.
    assert_eq!(
        send(
            &hub,
            &of_another(&event("evt_5", "created", START, "active", Some("eve")))
        )
        .await,
        200
    );
    assert_eq!(
        send(
            &hub,
            &of_another(&event("evt_6", "created", START, "active", None))
        )
        .await,
        200
    );
    assert_eq!(state(&hub).await["mySubscription"], Value::Null);
    assert_eq!(send(&hub, &body).await, 200);
    assert_eq!(
        send(
            &hub,
            &event("evt_7", "updated", START + 1, "past_due", None)
        )
        .await,
        200
    );
    assert_eq!(state(&hub).await["mySubscription"]["status"], "PAST_DUE");
}

#[tokio::test]
async fn what_is_not_paid_gives_no_tier() {
    // Stripe retries a late payment for some weeks: the tier stays meanwhile, and the status says that a payment is due.
    for (status, tier, shown) in [
        ("trialing", "ENTERPRISE", "ACTIVE"),
        ("past_due", "ENTERPRISE", "PAST_DUE"),
        ("unpaid", "FREE", "PAST_DUE"),
        ("paused", "FREE", "PAST_DUE"),
        ("incomplete", "FREE", "PAST_DUE"),
    ] {
        let hub = hub().await;
        let event = event("evt_1", "created", START, status, Some("ada"));
        assert_eq!(send(&hub, &event).await, 200);
        let user = state(&hub).await["viewer"]["user"].clone();
        assert_eq!(user["subscriptionTier"], tier, "{status}");
        assert_eq!(user["subscriptionStatus"], shown, "{status}");
    }
}

#[tokio::test]
async fn a_late_payment_keeps_the_tier_until_stripe_gives_up() {
    let hub = hub().await;
    let steps = [
        ("created", "active", "ENTERPRISE", "ACTIVE"),
        ("updated", "past_due", "ENTERPRISE", "PAST_DUE"),
        ("updated", "active", "ENTERPRISE", "ACTIVE"),
        ("updated", "past_due", "ENTERPRISE", "PAST_DUE"),
        ("updated", "unpaid", "FREE", "PAST_DUE"),
        ("deleted", "canceled", "FREE", "CANCELLED"),
    ];
    for (at, (kind, status, tier, shown)) in (0..).zip(steps) {
        let event = event(&format!("evt_{at}"), kind, START + at, status, Some("ada"));
        assert_eq!(send(&hub, &event).await, 200);
        let state = state(&hub).await;
        let expected = json!({ "subscriptionStatus": shown, "subscriptionTier": tier });
        assert_eq!(state["viewer"]["user"], expected, "{status}");
        assert_eq!(state["mySubscription"]["status"], shown, "{status}");
    }
}

#[tokio::test]
async fn without_a_secret_there_is_no_webhook() {
    let hub = Hub::start().await;
    assert_eq!(send(&hub, "{}").await, 404);
}
