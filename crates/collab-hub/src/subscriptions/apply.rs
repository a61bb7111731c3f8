//! Applying Stripe's events: each once, none after a later one, and the newest subscription of a user before older ones.

use trestle_api::{EventBus, Revision};
use trestle_domain::{Id, List, Moment, Text, UserId};
use trestle_table::{
    Condition, Entity as _, Exhausted, Retries, TableError, Tables, TransactionBuilder, UnitError,
    Versioned as _,
};

use super::super::audit_log::AuditLog;
use super::super::events::Event;
use super::super::notifications::{Notification, NotificationType};
use super::super::users::{SubscriptionTier, User};
use super::event::Report;
use super::live;
use super::{EndedSubscription, StripeEvent, Subscription, SubscriptionStatus, of_customer};

/// How often an event is tried that meets other changes.
const RETRIES: usize = 24;

/// Writes what Stripe reports.
pub struct Ledger {
    pub tables: Tables,
    pub live: EventBus<Event>,
}

/// What was done with an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Applied,
    /// It was applied before, or a later event or subscription was.
    PassedOver,
    /// It names no user of ours.
    Unknown,
}

/// Why a transaction was refused.
#[derive(Debug)]
enum Refusal {
    /// The event was applied before.
    Again,
    /// The event's subscription has ended.
    Ended,
    /// The subscription or the user has changed since it was read.
    Changed,
}

/// What is stored about the user of an event.
struct Known {
    subscription: Option<Subscription>,
    live: Vec<live::EventBus>,
    user: User,
}

/// What an event leads to.
enum Effect {
    /// Only its guard is written.
    Nothing,
    Change(Box<Subscription>),
}

impl Ledger {
    /// A Query for the customer's subscription if the event names no user, two GetItems, and one TransactWriteItems: the
    /// guard of the event, the subscription, the user, the audit entry and, if the user notices the change, a
    /// notification.
    pub async fn apply(&self, report: &Report) -> Result<Outcome, TableError> {
        let Some(user) = self.user_of(report).await? else {
            return Ok(Outcome::Unknown);
        };
        let mut retries = Retries::new(RETRIES, self.tables.meter());
        let mut has_ended = false;
        loop {
            let subscription = self.tables.get::<Subscription>(&user).await?;
            let Some(user) = self.tables.get::<User>(&user).await? else {
                return Ok(Outcome::Unknown);
            };
            let live = live::stored(subscription.as_ref(), user.subscription_tier);
            let known = Known {
                subscription,
                live,
                user,
            };
            let at = Moment::new(self.tables.now());
            let effect = match !has_ended && applies(report, &known) {
                true => Effect::Change(Box::new(next(report, &known, at))),
                false => Effect::Nothing,
            };
            let (unit, notification) = self.unit(report, &known, &effect, at);
            match unit.commit().await {
                Ok(()) => {
                    if let Some(notification) = notification {
                        self.live.announce(|| Event::Notified(notification));
                    }
                    return Ok(match effect {
                        Effect::Change(_) => Outcome::Applied,
                        Effect::Nothing => Outcome::PassedOver,
                    });
                }
                Err(UnitError::Table(error)) => return Err(error),
                Err(UnitError::Canceled(mut canceled)) => match canceled.refusal() {
                    Some(Refusal::Again) => return Ok(Outcome::PassedOver),
                    Some(Refusal::Ended) => has_ended = true,
                    Some(Refusal::Changed) | None => {}
                },
            }
            let exhausted = |Exhausted| TableError::Throttled;
            retries.pause().await.map_err(exhausted)?;
        }
    }

    async fn user_of(&self, report: &Report) -> Result<Option<UserId>, TableError> {
        if let Some(user) = &report.user {
            return Ok(Some(user.clone()));
        }
        let known = self.tables.first(&of_customer(&report.customer)).await?;
        Ok(known.map(|subscription| subscription.user_id))
    }

    fn unit(
        &self,
        report: &Report,
        known: &Known,
        effect: &Effect,
        at: Moment,
    ) -> (TransactionBuilder<Refusal>, Option<Notification>) {
        let mut unit = self.tables.unit();
        let user_id = known.user.user_id.clone();
        let guard = StripeEvent {
            event_id: report.event.clone(),
            user_id: user_id.clone(),
            stamp: Revision::new(at),
        };
        unit.put_new(&guard).or(Refusal::Again);
        if report.status == SubscriptionStatus::Cancelled {
            let ended = EndedSubscription {
                stripe_subscription_id: report.subscription.clone(),
                user_id,
                stamp: Revision::new(at),
            };
            unit.put(&ended);
        }
        let Effect::Change(next) = effect else {
            return (unit, None);
        };
        if report.status != SubscriptionStatus::Cancelled {
            unit.check::<EndedSubscription>(&report.subscription, Condition::Missing)
                .or(Refusal::Ended);
        }
        match &known.subscription {
            Some(now) => unit.update(now, next, now.unchanged()).or(Refusal::Changed),
            None => unit.put_new(&**next).or(Refusal::Changed),
        };
        let (changed, user) = (next.user_id.clone(), next.user_id.as_str());
        let entry = AuditLog::about::<Subscription>(
            self.tables.now(),
            changed,
            "SUBSCRIPTION_CHANGED",
            user,
        );
        if let Some(entry) = entry {
            let user_agent = Text::cut("Stripe");
            unit.put_new(&AuditLog {
                user_agent,
                ..entry
            });
        }
        let is_noticed = match &known.subscription {
            Some(now) => visible_fields(now) != visible_fields(next),
            None => true,
        };
        let notification = is_noticed.then(|| self.notification(next, at)).flatten();
        if let Some(notification) = &notification {
            unit.put_new(notification);
        }
        self.update_user(&mut unit, &known.user, next, notification.is_some());
        (unit, notification)
    }

    fn update_user(
        &self,
        unit: &mut TransactionBuilder<Refusal>,
        user: &User,
        next: &Subscription,
        is_notified: bool,
    ) {
        let mut changed = User {
            stripe_customer_id: Some(next.stripe_customer_id.clone()),
            subscription_status: next.status.of_user(),
            subscription_tier: live::tier(next.live.as_ref().map_or(&[], List::as_slice)),
            ..user.clone()
        };
        let unread = ("unreadNotifications", i64::from(is_notified));
        let (name, count) = unread;
        if changed != *user {
            changed.advance(self.tables.now());
            unit.update_and_add((user, &changed), unread, user.unchanged())
        } else if is_notified {
            unit.add::<User>(&user.identity(), name, count, Condition::Exists)
        } else {
            unit.check::<User>(&user.identity(), Condition::Exists)
        }
        .or(Refusal::Changed);
    }

    fn notification(&self, next: &Subscription, at: Moment) -> Option<Notification> {
        let (status, tier) = (next.status.word(), next.tier.word());
        let body = match next.cancel_at_period_end {
            true => format!("Your {tier} subscription is {status} and ends with the paid period."),
            false => format!("The status of your {tier} subscription is now {status}."),
        };
        Some(Notification {
            notification_id: Id::new(self.tables.now()),
            user_id: next.user_id.clone(),
            kind: NotificationType::System,
            title: Text::cut("Subscription updated")?,
            body: Text::cut(&body)?,
            related_entity_type: Text::cut(Subscription::KIND),
            related_entity_id: Text::cut(next.user_id.as_str()),
            actor_id: None,
            startup_id: None,
            role_id: None,
            is_read: false,
            stamp: Revision::new(at),
        })
    }
}

/// What a user notices of a subscription.
fn visible_fields(subscription: &Subscription) -> (SubscriptionStatus, SubscriptionTier, bool) {
    (
        subscription.status,
        subscription.tier,
        subscription.cancel_at_period_end,
    )
}

/// The user's subscription after the event.
fn next(report: &Report, known: &Known, at: Moment) -> Subscription {
    let now = known.subscription.as_ref();
    let live = live::after(&known.live, report);
    let mut stamp = now.map_or_else(|| Revision::new(at), |now| now.stamp.clone());
    if now.is_some() {
        stamp.version = stamp.version.saturating_add(1);
        stamp.updated_at = at.after(stamp.updated_at);
    }
    let user_id = known.user.user_id.clone();
    let best = live::tier(&live);
    match live.last().cloned() {
        Some(shown) => Subscription {
            user_id,
            stripe_customer_id: shown.stripe_customer_id,
            stripe_subscription_id: shown.stripe_subscription_id,
            stripe_price_id: shown.stripe_price_id,
            tier: shown.tier.max(best),
            status: shown.status,
            current_period_start: shown.current_period_start,
            current_period_end: shown.current_period_end,
            cancel_at_period_end: shown.cancel_at_period_end,
            last_event_at: shown.last_event_at,
            last_event_kind: shown.last_event_kind,
            stripe_created_at: shown.stripe_created_at,
            has_begun: shown.has_begun,
            live: live::listed(live),
            stamp,
        },
        // The last one has ended.
        None => Subscription {
            user_id,
            stripe_customer_id: report.customer.clone(),
            stripe_subscription_id: report.subscription.clone(),
            stripe_price_id: report.price.clone(),
            tier: report
                .tier
                .or(now.map(|now| now.tier))
                .unwrap_or(SubscriptionTier::Pro),
            status: report.status,
            current_period_start: report.period_start,
            current_period_end: report.period_end,
            cancel_at_period_end: report.cancel_at_period_end,
            last_event_at: report.at,
            last_event_kind: report.kind,
            stripe_created_at: report.created,
            has_begun: report.has_begun,
            live: live::listed(live),
            stamp,
        },
    }
}

/// Whether an event changes what is stored. An event of a subscription does unless a later one was applied. The end of
/// one that is not known changes nothing, unless nothing is.
fn applies(report: &Report, known: &Known) -> bool {
    let has_ended = report.status == SubscriptionStatus::Cancelled;
    let same = |one: &live::EventBus| one.stripe_subscription_id == report.subscription;
    let is_known = known.live.iter().any(same);
    !live::is_late(&known.live, report) && (!has_ended || is_known || known.subscription.is_none())
}
