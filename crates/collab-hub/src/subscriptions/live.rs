//! What a user's subscriptions at Stripe come to: the newest of those that have not ended is shown, and the best of those
//! that are paid gives the tier.

use trestle_domain::List;

use super::super::users::SubscriptionTier;
use super::event::Report;
use super::{LiveSubscription, Subscription, SubscriptionStatus};

/// A subscription that has not ended.
pub type EventBus = LiveSubscription;

/// The subscriptions that have not ended, as stored. `tier` is what the user has now: an item of an earlier release has
/// one subscription, and does not say whether it gives its tier.
pub fn stored(now: Option<&Subscription>, tier: SubscriptionTier) -> Vec<LiveSubscription> {
    let Some(now) = now else {
        return Vec::new();
    };
    if let Some(live) = &now.live {
        return live.as_slice().to_vec();
    }
    if now.status == SubscriptionStatus::Cancelled {
        return Vec::new();
    }
    vec![LiveSubscription {
        stripe_customer_id: now.stripe_customer_id.clone(),
        stripe_subscription_id: now.stripe_subscription_id.clone(),
        stripe_price_id: now.stripe_price_id.clone(),
        tier: now.tier,
        status: now.status,
        is_entitled: tier != SubscriptionTier::Free,
        current_period_start: now.current_period_start,
        current_period_end: now.current_period_end,
        cancel_at_period_end: now.cancel_at_period_end,
        last_event_at: now.last_event_at,
        last_event_kind: now.last_event_kind,
        stripe_created_at: now.stripe_created_at,
        has_begun: now.has_begun,
    }]
}

/// Whether a later event of the same subscription was applied before.
pub fn is_late(live: &[LiveSubscription], report: &Report) -> bool {
    let same = |one: &&LiveSubscription| one.stripe_subscription_id == report.subscription;
    let last = live.iter().find(same);
    last.is_some_and(|one| (one.last_event_at, one.last_event_kind) > (report.at, report.kind))
}

/// The subscriptions after an event.
pub fn after(live: &[LiveSubscription], report: &Report) -> Vec<LiveSubscription> {
    let earlier = |one: &&LiveSubscription| one.stripe_price_id == report.price;
    // A price without a tier keeps the tier of the same price, and is the cheapest paid tier otherwise.
    let tier = report
        .tier
        .or(live.iter().find(earlier).map(|one| one.tier));
    let others = live
        .iter()
        .filter(|one| one.stripe_subscription_id != report.subscription);
    let mut next: Vec<_> = others.cloned().collect();
    if report.status != SubscriptionStatus::Cancelled {
        next.push(LiveSubscription {
            stripe_customer_id: report.customer.clone(),
            stripe_subscription_id: report.subscription.clone(),
            stripe_price_id: report.price.clone(),
            tier: tier.unwrap_or(SubscriptionTier::Pro),
            status: report.status,
            is_entitled: report.is_entitled,
            current_period_start: report.period_start,
            current_period_end: report.period_end,
            cancel_at_period_end: report.cancel_at_period_end,
            last_event_at: report.at,
            last_event_kind: report.kind,
            stripe_created_at: report.created,
            has_begun: report.has_begun,
        });
    }
    next.sort_by_key(order);
    next
}

/// The order of subscriptions: the last one is shown. One whose first payment is incomplete comes before all others, and one
/// that gives nothing before those that do.
fn order(one: &LiveSubscription) -> impl Ord + use<> {
    let id = one.stripe_subscription_id.as_str().to_owned();
    (one.has_begun, one.is_entitled, one.stripe_created_at, id)
}

/// The tier that they give together.
pub fn tier(live: &[LiveSubscription]) -> SubscriptionTier {
    let entitled = live.iter().filter(|one| one.is_entitled);
    entitled
        .map(|one| one.tier)
        .max()
        .unwrap_or(SubscriptionTier::Free)
}

/// They, as they are stored.
pub fn listed(live: Vec<LiveSubscription>) -> Option<List<LiveSubscription, { super::MAX_LIVE }>> {
    // The oldest go first if there are too many.
    let from = live.len().saturating_sub(super::MAX_LIVE);
    List::parse(live.into_iter().skip(from).map(Ok)).ok()
}
