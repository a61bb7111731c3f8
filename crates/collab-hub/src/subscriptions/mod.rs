//! Paid subscriptions of users, as Stripe reports them.

pub mod apply;
pub mod event;
pub mod graphql;
mod live;
mod signature;
pub mod webhook;

use async_graphql::SimpleObject;
use serde::{Deserialize, Serialize};

use trestle_api::versioned;
use trestle_api::{Listed, Revision};
use trestle_domain::string_enum;
use trestle_domain::{List, Moment, Seconds, Text, UserId};
use trestle_table::{Entity, IndexKey, Key, KeyedAttributes, Listing, Pk, Sk, TableDefinition};

use super::table::{GSI1, GSI2, TABLE, after_days};
use super::users::{SubscriptionTier, UserSubscriptionStatus};

string_enum! {
    /// The status of a subscription.
    SubscriptionStatus {
        /// Paid.
        Active = "ACTIVE",
        /// Ended.
        Cancelled = "CANCELLED",
        /// A payment is overdue.
        PastDue = "PAST_DUE",
        /// In trial.
        Trialing = "TRIALING",
    }
}

string_enum! {
    /// The kinds of Stripe's events, in the order in which one second has them.
    EventKind {
        /// The subscription was created.
        Created = "CREATED",
        /// The subscription was changed.
        Updated = "UPDATED",
        /// The subscription has ended.
        Deleted = "DELETED",
    }
}

impl SubscriptionStatus {
    /// The status as the user's profile shows it.
    pub fn of_user(self) -> UserSubscriptionStatus {
        match self {
            SubscriptionStatus::Active | SubscriptionStatus::Trialing => {
                UserSubscriptionStatus::Active
            }
            SubscriptionStatus::Cancelled => UserSubscriptionStatus::Cancelled,
            SubscriptionStatus::PastDue => UserSubscriptionStatus::PastDue,
        }
    }
}

/// An id that Stripe made.
pub type StripeId = Text<1, 255>;

/// A user's subscription.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex, name = "PaidSubscription")]
pub struct Subscription {
    #[graphql(skip)]
    pub user_id: UserId,
    #[graphql(skip)]
    pub stripe_customer_id: StripeId,
    #[graphql(skip)]
    pub stripe_subscription_id: StripeId,
    #[graphql(skip)]
    pub stripe_price_id: StripeId,
    /// Tier.
    pub tier: SubscriptionTier,
    /// Status.
    pub status: SubscriptionStatus,
    /// When the paid period began.
    pub current_period_start: Moment,
    /// When the paid period ends.
    pub current_period_end: Moment,
    /// Whether the subscription ends with the paid period.
    pub cancel_at_period_end: bool,
    /// When Stripe made the event that was applied last. Older events change nothing.
    #[graphql(skip)]
    #[serde(default = "before_all")]
    pub last_event_at: Moment<Seconds>,
    /// The kind of that event.
    #[graphql(skip)]
    #[serde(default = "updated")]
    pub last_event_kind: EventKind,
    /// When Stripe created the subscription. A newer subscription of the user replaces an older one.
    #[graphql(skip)]
    pub stripe_created_at: Option<Moment<Seconds>>,
    /// Whether the subscription has been paid or in trial. One whose first payment is incomplete replaces no other.
    #[graphql(skip)]
    #[serde(default = "begun")]
    pub has_begun: bool,
    /// All subscriptions of the user that have not ended, at Stripe.
    #[graphql(skip)]
    #[serde(default)]
    pub live: Option<List<LiveSubscription, MAX_LIVE>>,
    /// Those that have ended, of which the last one is shown if there is no other.
    #[graphql(skip)]
    #[serde(default)]
    pub ended: Option<List<LiveSubscription, MAX_LIVE>>,
    /// Whether the user is not registered yet, or not any more. The item is kept for 90 days then, and is in no index.
    #[graphql(skip)]
    #[serde(default)]
    pub is_pending: Option<bool>,
    #[serde(flatten)]
    #[graphql(flatten)]
    pub stamp: Revision,
}

/// Number of subscriptions of a user at Stripe that are kept, of those that have ended and of the others, at most.
pub const MAX_LIVE: usize = 100;

/// A subscription at Stripe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LiveSubscription {
    pub stripe_customer_id: StripeId,
    pub stripe_subscription_id: StripeId,
    pub stripe_price_id: StripeId,
    pub tier: SubscriptionTier,
    pub status: SubscriptionStatus,
    /// Whether it gives its tier.
    pub is_entitled: bool,
    pub current_period_start: Moment,
    pub current_period_end: Moment,
    pub cancel_at_period_end: bool,
    pub last_event_at: Moment<Seconds>,
    pub last_event_kind: EventKind,
    #[serde(default)]
    pub last_event_id: Option<StripeId>,
    pub stripe_created_at: Option<Moment<Seconds>>,
    pub has_begun: bool,
}

/// How many days are kept events about users who are not registered, and events that name no user.
const KEPT_DAYS: i64 = 90;

/// A subscription at Stripe, as its newest event describes it: `STRIPE_SUBSCRIPTION#subscription` / `STATE`. It belongs to
/// one user at most.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StripeSubscription {
    pub state: LiveSubscription,
    /// The user that the newest event names which names one.
    pub user_id: Option<UserId>,
    /// Which event that was.
    pub user_named_by: Option<EventOrder>,
    #[serde(flatten)]
    pub stamp: Revision,
}

impl Entity for StripeSubscription {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "STRIPE_SUBSCRIPTION";
    type Id = StripeId;

    fn key_of(subscription: &Self::Id) -> Key {
        let partition = Pk::of("STRIPE_SUBSCRIPTION", subscription.as_str());
        Key::new(partition, Sk::word("STATE"))
    }

    fn identity(&self) -> Self::Id {
        self.state.stripe_subscription_id.clone()
    }

    /// One of another product names no user, and is forgotten.
    fn expires(&self) -> Option<i64> {
        match self.user_id {
            Some(_) => None,
            None => after_days(self.stamp.updated_at, KEPT_DAYS),
        }
    }
}

versioned!(StripeSubscription);

/// The order of the events of one subscription. Stripe delivers them in any order, and several can be of one second:
/// then the later paid period decides, and then the status, which within a period goes from unpaid to paid.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EventOrder {
    /// Nothing follows the end.
    has_ended: bool,
    at: Moment<Seconds>,
    kind: EventKind,
    period_end: Moment,
    status: u8,
    /// So that any two events have an order, and it is the same in whichever order they arrive.
    event: String,
}

impl LiveSubscription {
    /// The order of the event that left the subscription so.
    pub fn order(&self) -> EventOrder {
        let status = match self.status {
            SubscriptionStatus::PastDue if !self.has_begun => 0,
            SubscriptionStatus::Trialing => 1,
            SubscriptionStatus::PastDue if self.is_entitled => 2,
            // Unpaid or paused.
            SubscriptionStatus::PastDue => 3,
            SubscriptionStatus::Active => 4,
            SubscriptionStatus::Cancelled => 5,
        };
        let event = self.last_event_id.as_ref().map(StripeId::as_str);
        EventOrder {
            has_ended: self.status == SubscriptionStatus::Cancelled,
            at: self.last_event_at,
            kind: self.last_event_kind,
            period_end: self.current_period_end,
            status,
            event: event.unwrap_or_default().to_owned(),
        }
    }
}

/// The time of the last event of an item that another program wrote: every event is later.
fn before_all() -> Moment<Seconds> {
    Moment::new(chrono::DateTime::UNIX_EPOCH)
}

fn updated() -> EventKind {
    EventKind::Updated
}

fn begun() -> bool {
    true
}

impl Entity for Subscription {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "SUBSCRIPTION";
    const KEYED: KeyedAttributes = &[
        ("PK", &["", "userId"]),
        ("GSI1PK", &["", "stripeCustomerId"]),
        ("GSI2PK", &["", "status"]),
    ];
    type Id = UserId;

    fn key_of(user: &Self::Id) -> Key {
        Key::new(Pk::of("USER", user), Sk::word("SUBSCRIPTION"))
    }

    fn identity(&self) -> Self::Id {
        self.user_id.clone()
    }

    fn expires(&self) -> Option<i64> {
        self.is_pending?;
        after_days(self.stamp.updated_at, KEPT_DAYS)
    }

    fn index_keys(&self) -> Vec<IndexKey> {
        if self.is_pending.is_some() {
            return Vec::new();
        }
        let customer = Pk::of("STRIPE_CUSTOMER", self.stripe_customer_id.as_str());
        let status = Pk::of("SUBSCRIPTION_STATUS", self.status);
        vec![
            GSI1.at(customer, Sk::word("SUBSCRIPTION")),
            GSI2.at(status, Sk::of("USER", &self.user_id)),
        ]
    }
}

versioned!(Subscription);

impl Subscription {
    /// The same, of a user who registers.
    pub fn registered(&self, at: Moment) -> Self {
        let mut next = self.clone();
        next.is_pending = None;
        next.stamp.version = next.stamp.version.saturating_add(1);
        next.stamp.updated_at = at.after(next.stamp.updated_at);
        next
    }

    /// Whether nothing is charged any more: all that have not ended end with their paid period.
    pub fn is_ending(&self) -> bool {
        let mut others = self.live.iter().flat_map(List::as_slice);
        self.cancel_at_period_end && others.all(|one| one.cancel_at_period_end)
    }
}

impl Listed for Subscription {
    const PAGE: &'static str = "A page of subscriptions.";
    const EDGE: &'static str = "A subscription in a list.";
}

/// An event of Stripe that was applied, or was too old to be: `STRIPE_EVENT#event` / `GUARD`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StripeEvent {
    pub event_id: StripeId,
    pub user_id: Option<UserId>,
    #[serde(flatten)]
    pub stamp: Revision,
}

impl Entity for StripeEvent {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "STRIPE_EVENT";
    type Id = StripeId;

    fn key_of(event: &Self::Id) -> Key {
        Key::new(Pk::of("STRIPE_EVENT", event.as_str()), Sk::word("GUARD"))
    }

    fn identity(&self) -> Self::Id {
        self.event_id.clone()
    }

    fn expires(&self) -> Option<i64> {
        after_days(self.stamp.created_at, 90)
    }
}

/// The subscription of a Stripe customer. GSI1 `STRIPE_CUSTOMER#customer`, one Query.
pub fn of_customer(customer: &StripeId) -> Listing<Subscription> {
    let partition = Pk::of("STRIPE_CUSTOMER", customer.as_str());
    Listing::on("subscriptions/customer", &GSI1, partition)
}

/// Subscriptions of a status. GSI2 `SUBSCRIPTION_STATUS#status`, one Query.
pub fn of_status(status: SubscriptionStatus) -> Listing<Subscription> {
    Listing::on(
        "subscriptions/status",
        &GSI2,
        Pk::of("SUBSCRIPTION_STATUS", status),
    )
}
