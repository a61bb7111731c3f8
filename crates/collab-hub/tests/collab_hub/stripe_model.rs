//! Sets of Stripe's events, made from a seed, in several orders and with repeats: each ends in the state that a plain model
//! computes from the set, and Stripe is never told to send an event again.

use serde_json::{Value, json};

use crate::stripe::{hub, send};
use crate::world::{Hub, viewer};
use trestle_testing::hosted::START;

/// Number of sets of events.
const SETS: u64 = 40;
/// Number of orders of each set.
const ORDERS: usize = 5;
/// Number of events in a set.
const EVENTS: usize = 5;

const STATUSES: [&str; 8] = [
    "active",
    "trialing",
    "past_due",
    "unpaid",
    "paused",
    "incomplete",
    "canceled",
    "incomplete_expired",
];
/// Registered, registered, registered after the events, deleted before the events and registered again after them, and
/// nobody: the subscription is of another product.
const USERS: [Option<&str>; 5] = [Some("ada"), Some("bea"), Some("late"), Some("gone"), None];
/// Subscriptions with their tiers; Stripe created them one after the other.
const SUBSCRIPTIONS: [(&str, &str); 2] = [("sub_a", "ENTERPRISE"), ("sub_b", "PRO")];

/// Numbers that look random and follow from a seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn shuffled(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<_> = (0..count).collect();
        for at in (1..count).rev() {
            order.swap(at, self.below(at + 1));
        }
        // Some arrive twice.
        for _ in 0..self.below(3) {
            let again = order[self.below(order.len())];
            order.insert(self.below(order.len() + 1), again);
        }
        order
    }
}

#[derive(Clone, Debug)]
struct Event {
    id: String,
    subscription: usize,
    kind: &'static str,
    at: i64,
    period: i64,
    status: &'static str,
    user: Option<&'static str>,
}

impl Event {
    fn of(numbers: &mut Numbers, number: usize) -> Self {
        let kind = numbers.of(&["created", "updated", "updated", "updated", "deleted"]);
        Self {
            id: format!("evt_{number}"),
            subscription: numbers.below(SUBSCRIPTIONS.len()),
            kind,
            // Two seconds, so that many events are of the same one.
            at: numbers.of(&[0, 1]),
            period: numbers.of(&[0, 1]),
            status: numbers.of(&STATUSES),
            user: numbers.of(&USERS),
        }
    }

    /// The event of one order, whose users and subscriptions are its own.
    fn body(&self, order: &str) -> String {
        let (subscription, tier) = SUBSCRIPTIONS[self.subscription];
        let user = self.user.map(|user| format!("{user}-{order}"));
        let end = START + (self.period + 1) * 2_592_000;
        json!({
            "id": format!("{}-{order}", self.id), "type": format!("customer.subscription.{}", self.kind),
            "created": START + self.at,
            "data": { "object": {
                "id": format!("{subscription}-{order}"), "customer": format!("cus_{order}"), "status": self.status,
                "created": START - 100 + i64::try_from(self.subscription).unwrap(), "cancel_at_period_end": false,
                "metadata": user.map_or(json!({}), |user| json!({ "userId": user })),
                "items": { "data": [ {
                    "price": { "id": format!("price_{tier}"), "metadata": { "tier": tier } },
                    "current_period_start": end - 2_592_000, "current_period_end": end,
                } ] },
            } },
        })
        .to_string()
    }

    fn has_ended(&self) -> bool {
        self.kind == "deleted" || ["canceled", "incomplete_expired"].contains(&self.status)
    }

    /// The status as the API has it.
    fn shown_status(&self) -> &'static str {
        match self.status {
            _ if self.has_ended() => "CANCELLED",
            "active" => "ACTIVE",
            "trialing" => "TRIALING",
            _ => "PAST_DUE",
        }
    }

    fn is_entitled(&self) -> bool {
        !self.has_ended() && ["active", "trialing", "past_due"].contains(&self.status)
    }

    fn has_begun(&self) -> bool {
        !["incomplete", "incomplete_expired"].contains(&self.status)
    }

    /// The order of Stripe's own fields.
    fn order(&self) -> impl Ord + use<> {
        let kind = ["created", "updated", "deleted"]
            .iter()
            .position(|kind| *kind == self.kind);
        let status = match self.status {
            _ if self.has_ended() => 5,
            "incomplete" => 0,
            "trialing" => 1,
            "past_due" => 2,
            "unpaid" | "paused" => 3,
            _ => 4,
        };
        (
            self.has_ended(),
            self.at,
            kind,
            self.period,
            status,
            self.id.clone(),
        )
    }
}

/// What a user reads, by the model.
fn expected(events: &[Event], user: &str) -> Value {
    let mut own = Vec::new();
    for subscription in 0..SUBSCRIPTIONS.len() {
        let of_it = || {
            events
                .iter()
                .filter(|event| event.subscription == subscription)
        };
        let owner = of_it()
            .filter(|event| event.user.is_some())
            .max_by_key(|event| event.order());
        if owner.and_then(|event| event.user) == Some(user) {
            own.extend(of_it().max_by_key(|event| event.order()));
        }
    }
    let live = own.iter().filter(|event| !event.has_ended());
    let live =
        live.max_by_key(|event| (event.has_begun(), event.is_entitled(), event.subscription));
    let ended = own.iter().max_by_key(|event| event.order());
    let tiers = own.iter().filter(|event| event.is_entitled());
    let tier = tiers.map(|event| SUBSCRIPTIONS[event.subscription].1).min();
    let Some(shown) = live.or(ended) else {
        return json!({ "mySubscription": null,
            "viewer": { "user": { "subscriptionStatus": "NONE", "subscriptionTier": "FREE" } } });
    };
    let own_tier = SUBSCRIPTIONS[shown.subscription].1;
    let status = match shown.shown_status() {
        "TRIALING" => "ACTIVE",
        status => status,
    };
    json!({
        "mySubscription": { "status": shown.shown_status(), "tier": tier.map_or(own_tier, |tier| tier.min(own_tier)) },
        "viewer": { "user": { "subscriptionStatus": status, "subscriptionTier": tier.unwrap_or("FREE") } },
    })
}

async fn state(hub: &Hub, name: &str) -> Value {
    let query = "{ mySubscription { status tier } viewer { user { subscriptionStatus subscriptionTier } } }";
    hub.0.data(&viewer(name), query, Value::Null).await
}

async fn in_this_order(hub: &Hub, events: &[Event], order: &[usize], name: &str) {
    let user = |user: &str| format!("{user}-{name}");
    for registered in ["ada", "bea", "gone"] {
        hub.register(&user(registered), "FOUNDER").await;
    }
    let query = "{ viewer { user { id } } }";
    let gone = hub.query(&user("gone"), query, Value::Null).await;
    let input = json!({ "id": gone["viewer"]["user"]["id"] });
    hub.mutate(&user("gone"), "deleteAccount", input, "isComplete")
        .await;
    for at in order {
        let status = send(hub, &events[*at].body(name)).await;
        assert_eq!(status, 200, "{events:#?} {order:?}");
    }
    for late in ["late", "gone"] {
        hub.register(&user(late), "FOUNDER").await;
    }
    for known in USERS.into_iter().flatten() {
        let state = state(hub, &user(known)).await;
        assert_eq!(
            state,
            expected(events, known),
            "{known}: {events:#?} {order:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_order_of_events_ends_in_the_state_of_the_model() {
    let hub = hub().await;
    for seed in 0..SETS {
        let mut numbers = Numbers(seed);
        let events: Vec<_> = (0..EVENTS)
            .map(|number| Event::of(&mut numbers, number))
            .collect();
        for order in 0..ORDERS {
            let shuffled = numbers.shuffled(EVENTS);
            in_this_order(&hub, &events, &shuffled, &format!("{seed}x{order}")).await;
        }
    }
}

/// An event that is signed and not what Stripe documents, in each place.
#[tokio::test]
async fn a_signed_event_that_cannot_be_read_is_not_sent_again() {
    let hub = hub().await;
    let whole: Value = serde_json::from_str(&crate::stripe::event(
        "evt_1",
        "created",
        START,
        "active",
        Some("ada"),
    ))
    .unwrap();
    let places = [
        "/id",
        "/created",
        "/data",
        "/data/object",
        "/data/object/id",
        "/data/object/customer",
        "/data/object/status",
        "/data/object/items",
        "/data/object/items/data",
        "/data/object/items/data/0/price",
    ];
    for place in places {
        for odd in [Value::Null, json!(7), json!("odd"), json!([]), json!({})] {
            let mut event = whole.clone();
            *event.pointer_mut(place).unwrap() = odd;
            assert_eq!(send(&hub, &event.to_string()).await, 200, "{event}");
        }
    }
    for text in ["", "{}", "[]", "null", "{\"id\":"] {
        assert_eq!(send(&hub, text).await, 200, "{text}");
    }
}
