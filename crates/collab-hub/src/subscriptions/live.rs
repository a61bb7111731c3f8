//! What a user's subscriptions at Stripe come to: the newest of those that have not ended is shown, and the best of those
//! that are paid gives the tier.

use trestle_domain::List;

use super::super::users::SubscriptionTier;
use super::event::Report;
use super::{LiveSubscription, StripeSubscription, Subscription, SubscriptionStatus};

/// The subscriptions of a user at Stripe, as far as they are stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Subscriptions {
    /// Those that have not ended, sorted.
    pub live: Vec<LiveSubscription>,
    /// Those that have, in the order in which they did.
    pub ended: Vec<LiveSubscription>,
}

impl Subscriptions {
    /// Those of a stored item. `tier` is what the user has now: an item of another program has one subscription, and
    /// does not say whether it gives its tier.
    pub fn stored(now: Option<&Subscription>, tier: SubscriptionTier) -> Self {
        let Some(now) = now else {
            return Self::default();
        };
        let shown = shown(now, tier);
        let has_ended = now.status == SubscriptionStatus::Cancelled;
        let live = match &now.live {
            Some(live) => live.as_slice().to_vec(),
            None if has_ended => Vec::new(),
            None => vec![shown.clone()],
        };
        let ended = match &now.ended {
            Some(ended) => ended.as_slice().to_vec(),
            None if has_ended => vec![shown],
            None => Vec::new(),
        };
        Self { live, ended }
    }

    /// The same without one subscription: it is another user's.
    pub fn without(mut self, subscription: &LiveSubscription) -> Self {
        let is_other = |one: &LiveSubscription| {
            one.stripe_subscription_id != subscription.stripe_subscription_id
        };
        self.live.retain(is_other);
        self.ended.retain(is_other);
        self
    }

    /// The same with one subscription as it is now.
    pub fn with(self, subscription: &LiveSubscription) -> Self {
        let mut next = self.without(subscription);
        if subscription.status == SubscriptionStatus::Cancelled {
            next.ended.push(subscription.clone());
            next.ended.sort_by_key(LiveSubscription::order);
        } else {
            next.live.push(subscription.clone());
            next.live.sort_by_key(order);
        }
        next
    }

    /// The one that is shown.
    pub fn shown(&self) -> Option<&LiveSubscription> {
        self.live.last().or(self.ended.last())
    }

    /// The tier that they give together.
    pub fn tier(&self) -> SubscriptionTier {
        let entitled = self.live.iter().filter(|one| one.is_entitled);
        entitled
            .map(|one| one.tier)
            .max()
            .unwrap_or(SubscriptionTier::Free)
    }
}

/// Subscriptions, as they are stored.
pub fn listed(all: &[LiveSubscription]) -> Option<List<LiveSubscription, { super::MAX_LIVE }>> {
    // The oldest go first if there are too many.
    let from = all.len().saturating_sub(super::MAX_LIVE);
    List::parse(all.iter().skip(from).cloned().map(Ok)).ok()
}

/// The subscription that a stored item shows.
fn shown(now: &Subscription, tier: SubscriptionTier) -> LiveSubscription {
    LiveSubscription {
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
        last_event_id: None,
        stripe_created_at: now.stripe_created_at,
        has_begun: now.has_begun,
    }
}

impl LiveSubscription {
    /// The subscription as an event describes it. A price without a tier keeps the tier of the same price, and is the
    /// cheapest paid tier otherwise.
    pub fn of(report: &Report, before: Option<&Self>) -> Self {
        let same_price = before.filter(|before| before.stripe_price_id == report.price);
        let tier = report.tier.or(same_price.map(|before| before.tier));
        Self {
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
            last_event_id: Some(report.event.clone()),
            stripe_created_at: report.created,
            has_begun: report.has_begun,
        }
    }
}

impl StripeSubscription {
    /// The subscription after an event, which may be an older one: of the state and of the user, the newest event that
    /// says it decides.
    pub fn after(before: Option<&Self>, report: &Report, stamp: trestle_api::Revision) -> Self {
        let reported = LiveSubscription::of(report, before.map(|before| &before.state));
        let order = reported.order();
        let mut next = match before {
            Some(before) => before.clone(),
            None => Self {
                state: reported.clone(),
                user_id: None,
                user_named_by: None,
                stamp,
            },
        };
        if next.state.order() < order {
            next.state = reported;
        }
        let is_newest = next
            .user_named_by
            .as_ref()
            .is_none_or(|named| *named < order);
        if let Some(user) = report.user.as_ref().filter(|_| is_newest) {
            next.user_id = Some(user.clone());
            next.user_named_by = Some(order);
        }
        next
    }
}

/// The order of subscriptions: the last one is shown. One whose first payment is incomplete comes before all others, and one
/// that gives nothing before those that do.
fn order(one: &LiveSubscription) -> impl Ord + use<> {
    let id = one.stripe_subscription_id.as_str().to_owned();
    (one.has_begun, one.is_entitled, one.stripe_created_at, id)
}
