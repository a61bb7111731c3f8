//! Applying Stripe's events: each once, none after a later one, each subscription to one user, and the newest subscription
//! of a user before older ones. In whichever order the events of some subscriptions arrive, they end in the same state.

use trestle_api::{EventBus, Revision};
use trestle_domain::{Id, Moment, Text, UserId};
use trestle_table::{
    Condition, Entity as _, TableError, Tables, TransactionBuilder, UnitError, Versioned as _,
};

use super::super::audit_log::AuditLog;
use super::super::events::Event;
use super::super::notifications::{Notification, NotificationType};
use super::super::users::{SubscriptionTier, User, UserSubscriptionStatus, unread_notifications};
use super::event::Report;
use super::live::{Subscriptions, listed};
use super::{
    LiveSubscription, StripeEvent, StripeSubscription, Subscription, SubscriptionStatus,
    of_customer,
};

/// Writes what Stripe reports.
pub struct Ledger {
    pub tables: Tables,
    pub live: EventBus<Event>,
}

/// What was done with an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Applied,
    /// It was applied before, or a later event was.
    PassedOver,
    /// It names no registered user. It is kept in case that the user registers.
    Kept,
}

/// Why a transaction was refused.
#[derive(Debug)]
enum Refusal {
    /// The event was applied before.
    Again,
    /// What is stored has changed since it was read.
    Changed,
}

/// A user whose subscriptions an event changes.
struct Subscriber {
    id: UserId,
    /// `None` if nobody is registered so.
    user: Option<User>,
    before: Option<Subscription>,
    after: Option<Subscription>,
}

/// What is written for an event.
struct Plan {
    unit: TransactionBuilder<Refusal>,
    notifications: Vec<Notification>,
    outcome: Outcome,
}

impl Ledger {
    /// A GetItem of the subscription, and if it is new a Query for the customer's; two GetItems for each of its users, who
    /// is one unless the event names another one than before; and one TransactWriteItems: the guard of the event, the
    /// subscription, and for each user the user, what is shown, the audit entry and, if the user notices the change, a
    /// notification.
    pub async fn apply(&self, report: &Report) -> Result<Outcome, TableError> {
        let mut retries = self.tables.retries();
        loop {
            let plan = self.plan(report).await?;
            match plan.unit.commit().await {
                Ok(()) => {
                    for notification in plan.notifications {
                        self.live.announce(|| Event::Notified(notification));
                    }
                    return Ok(plan.outcome);
                }
                Err(UnitError::Table(error)) => return Err(error),
                Err(UnitError::Canceled(mut canceled)) => match canceled.refusal() {
                    Some(Refusal::Again) => return Ok(Outcome::PassedOver),
                    Some(Refusal::Changed) | None => {}
                },
            }
            retries.pause().await?;
        }
    }

    async fn plan(&self, report: &Report) -> Result<Plan, TableError> {
        let at = Moment::new(self.tables.now());
        let stored = self
            .tables
            .get::<StripeSubscription>(&report.subscription)
            .await?;
        let before = match &stored {
            Some(stored) => Some(stored.clone()),
            None => self.of_another_program(report, at).await?,
        };
        let mut next = StripeSubscription::after(before.as_ref(), report, Revision::new(at));
        let mut unit = self.tables.unit();
        let guard = StripeEvent {
            event_id: report.event.clone(),
            user_id: next.user_id.clone(),
            stamp: Revision::new(at),
        };
        unit.put_new(&guard).or(Refusal::Again);
        let mut plan = Plan {
            unit,
            notifications: Vec::new(),
            outcome: Outcome::PassedOver,
        };
        if before.as_ref() == Some(&next) {
            return Ok(plan);
        }
        match &stored {
            Some(stored) => {
                next.advance(self.tables.now());
                let same = stored.unchanged();
                plan.unit.update(stored, &next, same).or(Refusal::Changed)
            }
            None => plan.unit.put_new(&next).or(Refusal::Changed),
        };
        plan.outcome = Outcome::Kept;
        let former = before.and_then(|before| before.user_id);
        if let Some(former) = former.filter(|former| next.user_id.as_ref() != Some(former)) {
            let change = |all: Subscriptions| all.without(&next.state);
            let subscriber = self.subscriber(former, change, at).await?;
            self.add(&mut plan, subscriber, at);
        }
        if let Some(user) = next.user_id.clone() {
            let change = |all: Subscriptions| all.with(&next.state);
            let subscriber = self.subscriber(user, change, at).await?;
            self.add(&mut plan, subscriber, at);
        }
        Ok(plan)
    }

    /// The subscription as another program stored it: with its user alone, who is the customer's.
    async fn of_another_program(
        &self,
        report: &Report,
        at: Moment,
    ) -> Result<Option<StripeSubscription>, TableError> {
        let Some(known) = self.tables.first(&of_customer(&report.customer)).await? else {
            return Ok(None);
        };
        let user = self.tables.get::<User>(&known.user_id).await?;
        let tier = user.map_or(SubscriptionTier::Free, |user| user.subscription_tier);
        let all = Subscriptions::stored(Some(&known), tier);
        let mut stored = all.live.into_iter().chain(all.ended);
        let state = stored.find(|one| one.stripe_subscription_id == report.subscription);
        Ok(state.map(|state| StripeSubscription {
            user_named_by: Some(state.order()),
            state,
            user_id: Some(known.user_id),
            stamp: Revision::new(at),
        }))
    }

    /// A user with what a change leaves of the subscriptions.
    async fn subscriber(
        &self,
        id: UserId,
        change: impl FnOnce(Subscriptions) -> Subscriptions,
        at: Moment,
    ) -> Result<Subscriber, TableError> {
        let before = self.tables.get::<Subscription>(&id).await?;
        let user = self.tables.get::<User>(&id).await?;
        let tier = user.as_ref().map(|user| user.subscription_tier);
        let tier = tier.unwrap_or(SubscriptionTier::Free);
        let all = change(Subscriptions::stored(before.as_ref(), tier));
        let mut after = next(&id, before.as_ref(), &all, at);
        if let Some(after) = &mut after {
            after.is_pending = user.is_none().then_some(true);
        }
        Ok(Subscriber {
            id,
            user,
            before,
            after,
        })
    }

    /// Adds what changes for a user.
    fn add(&self, plan: &mut Plan, subscriber: Subscriber, at: Moment) {
        let Subscriber {
            id,
            user,
            before,
            after,
        } = subscriber;
        let unit = &mut plan.unit;
        match (&before, &after) {
            (Some(before), Some(after)) => {
                unit.update(before, after, before.unchanged())
                    .or(Refusal::Changed);
            }
            (Some(before), None) => {
                unit.delete::<Subscription>(&id, before.unchanged())
                    .or(Refusal::Changed);
            }
            (None, Some(after)) => {
                unit.put_new(after).or(Refusal::Changed);
            }
            (None, None) => {}
        }
        let Some(user) = user else {
            unit.check::<User>(&id, Condition::Missing)
                .or(Refusal::Changed);
            return;
        };
        plan.outcome = Outcome::Applied;
        let entry = AuditLog::about::<Subscription>(
            self.tables.now(),
            id.clone(),
            "SUBSCRIPTION_CHANGED",
            id.as_str(),
        );
        if let Some(entry) = entry {
            let user_agent = Text::cut("Stripe");
            unit.put_new(&AuditLog {
                user_agent,
                ..entry
            });
        }
        let is_noticed = before.as_ref().map(visible_fields) != after.as_ref().map(visible_fields);
        let noticed = after.as_ref().filter(|_| is_noticed);
        let notification = noticed.and_then(|after| self.notification(after, at));
        if let Some(notification) = &notification {
            unit.put_new(notification);
        }
        self.update_user(unit, &user, after.as_ref(), notification.is_some());
        plan.notifications.extend(notification);
    }

    fn update_user(
        &self,
        unit: &mut TransactionBuilder<Refusal>,
        user: &User,
        next: Option<&Subscription>,
        is_notified: bool,
    ) {
        let mut changed = user.subscribed(next);
        let unread = unread_notifications(i64::from(is_notified));
        if changed != *user {
            changed.advance(self.tables.now());
            unit.update_and_add(user, &changed, unread, user.unchanged())
        } else if is_notified {
            unit.adding::<User>(&user.identity(), unread, Condition::Exists)
        } else {
            unit.check::<User>(&user.identity(), Condition::Exists)
        }
        .or(Refusal::Changed);
    }

    fn notification(&self, next: &Subscription, at: Moment) -> Option<Notification> {
        let (status, tier) = (next.status.word(), next.tier.word());
        let body = if next.cancel_at_period_end {
            format!("Your {tier} subscription is {status} and ends with the paid period.")
        } else {
            format!("The status of your {tier} subscription is now {status}.")
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

impl User {
    /// The user with what a subscription gives; without one, with nothing.
    pub fn subscribed(&self, subscription: Option<&Subscription>) -> Self {
        let live = Subscriptions::stored(subscription, self.subscription_tier);
        let status = subscription.map(|subscription| subscription.status.of_user());
        Self {
            stripe_customer_id: subscription.map(|one| one.stripe_customer_id.clone()),
            subscription_status: status.unwrap_or(UserSubscriptionStatus::None),
            subscription_tier: live.tier(),
            ..self.clone()
        }
    }
}

/// What is shown of a user's subscriptions; `None` if there was never one.
fn next(
    user: &UserId,
    now: Option<&Subscription>,
    all: &Subscriptions,
    at: Moment,
) -> Option<Subscription> {
    let shown: LiveSubscription = all.shown()?.clone();
    let mut stamp = now.map_or_else(|| Revision::new(at), |now| now.stamp.clone());
    if now.is_some() {
        stamp.version = stamp.version.saturating_add(1);
        stamp.updated_at = at.after(stamp.updated_at);
    }
    Some(Subscription {
        user_id: user.clone(),
        stripe_customer_id: shown.stripe_customer_id,
        stripe_subscription_id: shown.stripe_subscription_id,
        stripe_price_id: shown.stripe_price_id,
        tier: shown.tier.max(all.tier()),
        status: shown.status,
        current_period_start: shown.current_period_start,
        current_period_end: shown.current_period_end,
        cancel_at_period_end: shown.cancel_at_period_end,
        last_event_at: shown.last_event_at,
        last_event_kind: shown.last_event_kind,
        stripe_created_at: shown.stripe_created_at,
        has_begun: shown.has_begun,
        live: listed(&all.live),
        ended: listed(&all.ended),
        is_pending: None,
        stamp,
    })
}
