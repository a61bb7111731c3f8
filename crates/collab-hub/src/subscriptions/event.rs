//! Events of Stripe about subscriptions, as far as they matter here.
//! Source: <https://docs.stripe.com/api/subscriptions/object>.

use serde::Deserialize;
use serde_json::Value;

use trestle_domain::{Moment, Seconds, UserId};

use super::super::users::SubscriptionTier;
use super::{EventKind, StripeId, SubscriptionStatus};

/// What an event says about a subscription.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The event's id.
    pub event: StripeId,
    /// When Stripe made the event.
    pub at: Moment<Seconds>,
    pub kind: EventKind,
    /// The user, if the subscription's metadata has a `userId`.
    pub user: Option<UserId>,
    pub customer: StripeId,
    pub subscription: StripeId,
    /// When Stripe created the subscription.
    pub created: Option<Moment<Seconds>>,
    /// Whether the subscription is or was paid or in trial: its first payment is not incomplete.
    pub has_begun: bool,
    pub price: StripeId,
    /// The best tier that the metadata of a price names.
    pub tier: Option<SubscriptionTier>,
    pub status: SubscriptionStatus,
    /// Whether the status gives what was paid for: it is active, in trial, or a payment is late.
    pub is_entitled: bool,
    pub period_start: Moment,
    pub period_end: Moment,
    pub cancel_at_period_end: bool,
}

/// What is in an event.
#[derive(Debug, PartialEq)]
pub enum Read {
    /// A subscription was created, updated or deleted.
    Report(Box<Report>),
    /// Something else, which is passed over.
    Other,
    /// The event does not have the form that Stripe documents.
    Malformed,
}

#[derive(Deserialize)]
struct Event {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    created: i64,
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    object: Value,
}

#[derive(Deserialize)]
struct Object {
    id: String,
    customer: String,
    status: String,
    created: Option<i64>,
    #[serde(default)]
    cancel_at_period_end: bool,
    current_period_start: Option<i64>,
    current_period_end: Option<i64>,
    items: Items,
    #[serde(default)]
    metadata: Value,
}

#[derive(Deserialize)]
struct Items {
    data: Vec<SubscriptionItem>,
}

#[derive(Deserialize)]
struct SubscriptionItem {
    price: Price,
    current_period_start: Option<i64>,
    current_period_end: Option<i64>,
}

#[derive(Deserialize)]
struct Price {
    id: String,
    #[serde(default)]
    metadata: Value,
}

/// The kind of an event about a subscription.
fn kind(text: &str) -> Option<EventKind> {
    Some(match text.strip_prefix("customer.subscription.")? {
        "created" => EventKind::Created,
        "updated" | "paused" | "resumed" => EventKind::Updated,
        "deleted" => EventKind::Deleted,
        _ => return None,
    })
}

/// Reads an event.
pub fn read(body: &[u8]) -> Read {
    let Ok(event) = serde_json::from_slice::<Event>(body) else {
        return Read::Malformed;
    };
    let Some(kind) = kind(&event.kind) else {
        return Read::Other;
    };
    match report(event, kind) {
        Some(report) => Read::Report(Box::new(report)),
        None => Read::Malformed,
    }
}

fn report(event: Event, kind: EventKind) -> Option<Report> {
    let object: Object = serde_json::from_value(event.data.object).ok()?;
    let text = |value: &Value, name: &str| value.get(name)?.as_str().map(str::to_owned);
    let tier = |item: &SubscriptionItem| {
        let tier = text(&item.price.metadata, "tier")?;
        SubscriptionTier::from_word(&tier.to_uppercase())
    };
    // The best of its items. A price without a tier counts as the cheapest paid one; of equal ones the first counts.
    let items = object.items.data.into_iter().rev();
    let item = items.max_by_key(|item| tier(item).unwrap_or(SubscriptionTier::Pro))?;
    let tier = tier(&item);
    // Since 2025 the period is the item's, before that it was the subscription's.
    let start = item.current_period_start.or(object.current_period_start)?;
    let end = item.current_period_end.or(object.current_period_end)?;
    let status = if kind == EventKind::Deleted {
        SubscriptionStatus::Cancelled
    } else {
        status(&object.status)?
    };
    Some(Report {
        event: StripeId::parse(&event.id).ok()?,
        at: Moment::from_seconds(event.created)?,
        kind,
        user: text(&object.metadata, "userId").and_then(|user| UserId::parse(&user).ok()),
        customer: StripeId::parse(&object.customer).ok()?,
        subscription: StripeId::parse(&object.id).ok()?,
        created: object.created.and_then(Moment::from_seconds),
        has_begun: !matches!(object.status.as_str(), "incomplete" | "incomplete_expired"),
        price: StripeId::parse(&item.price.id).ok()?,
        tier,
        status,
        is_entitled: status != SubscriptionStatus::Cancelled
            && matches!(object.status.as_str(), "active" | "trialing" | "past_due"),
        period_start: Moment::from_seconds(start)?,
        period_end: Moment::from_seconds(end)?,
        cancel_at_period_end: object.cancel_at_period_end,
    })
}

/// Stripe's status in ours; `None` for one that Stripe does not document.
fn status(text: &str) -> Option<SubscriptionStatus> {
    Some(match text {
        "active" => SubscriptionStatus::Active,
        "trialing" => SubscriptionStatus::Trialing,
        "past_due" | "unpaid" | "incomplete" | "paused" => SubscriptionStatus::PastDue,
        "canceled" | "incomplete_expired" => SubscriptionStatus::Cancelled,
        _ => return None,
    })
}
