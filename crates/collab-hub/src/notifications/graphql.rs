//! Notifications in the API: listing, reading and watching them.

use async_graphql::{ComplexObject, Context, ID, InputObject, Object, SimpleObject, Subscription};
use futures_util::stream::{BoxStream, Stream, StreamExt as _, once};

use crate::access_requests::AccessRequest;
use crate::applications::Application;
use crate::conversations::Conversation;
use crate::events::{Event, announce, watch_while_active};
use crate::invitations::Invitation;
use crate::member::{Member, acting, active, member};
use crate::pages::own_page;
use crate::reports::Report;
use crate::roles::Role;
use crate::startups::Startup;
use crate::subscriptions::Subscription;
use crate::users::{User, fewer_unread_notifications};
use trestle_api::viewer::Viewer;
use trestle_api::{
    ApiError, Connection, MutationResult, Node, QueryResult, Session, UserError, found, session,
};
use trestle_api::{mutations, naming_inputs, own_payloads};
use trestle_domain::{Id, Rule, UserId, Violations};
use trestle_table::{
    ChangeError, Condition, Entity as _, PageAsk, Row, TransactionBuilder, UnitError,
};

use super::reading::{MARKED_AT_ONCE, mark, settle};
use super::{Notification, of_user, unread};

impl Node for Notification {
    const TAG: u8 = b'N';

    async fn visible_to(self, session: &Session) -> Result<Option<Self>, ApiError> {
        let member = member(session).await?;
        Ok(member
            .filter(|member| member.id == self.user_id)
            .map(|_| self))
    }

    // A notification is only ever shown to its user, so its id is enough.
    fn write_id(&self, to: &mut Vec<u8>) {
        trestle_api::IdBytes::write(&self.notification_id, to);
    }

    fn read_id(from: &mut &[u8], viewer: &Viewer) -> Option<Self::Id> {
        let id: Id<Notification> = trestle_api::IdBytes::read(from)?;
        Some((UserId::new(viewer.subject()), id))
    }
}

#[ComplexObject]
impl Notification {
    /// Opaque id, for `node`.
    pub async fn id(&self) -> ID {
        self.node_id()
    }

    /// The user whose change the notification reports. Null for changes of the service itself, or if the viewer may not
    /// see the user.
    async fn actor(&self, ctx: &Context<'_>) -> QueryResult<User> {
        found(ctx, self.actor_id.as_ref()?).await
    }

    /// The startup that the notification concerns. Null if there is none, or the viewer may not see it.
    async fn startup(&self, ctx: &Context<'_>) -> QueryResult<Startup> {
        found(ctx, self.startup_id.as_ref()?).await
    }

    /// The role that the notification concerns. Null if there is none, or the viewer may not see it.
    async fn role(&self, ctx: &Context<'_>) -> QueryResult<Role> {
        found(ctx, &(self.startup_id?, self.role_id?)).await
    }

    /// The id of the entity that the notification is about, for `node`.
    async fn related_entity_id(&self) -> Option<ID> {
        let (kind, id) = (
            self.related_entity_type.as_ref()?,
            self.related_entity_id.as_ref()?,
        );
        match kind.as_str() {
            AccessRequest::KIND => Id::parse(id.as_str())
                .ok()
                .as_ref()
                .map(AccessRequest::id_of),
            Application::KIND => Id::parse(id.as_str()).ok().as_ref().map(Application::id_of),
            Conversation::KIND => Id::parse(id.as_str())
                .ok()
                .as_ref()
                .map(Conversation::id_of),
            Role::KIND => Some(Role::id_of(&(self.startup_id?, self.role_id?))),
            Report::KIND => Id::parse(id.as_str()).ok().as_ref().map(Report::id_of),
            Invitation::KIND => Id::parse(id.as_str()).ok().as_ref().map(Invitation::id_of),
            Startup::KIND => Id::parse(id.as_str()).ok().as_ref().map(Startup::id_of),
            Subscription::KIND => Some(Subscription::id_of(&self.user_id)),
            _ => None,
        }
    }
}

/// Queries for notifications.
#[derive(Default)]
pub struct NotificationQuery;

#[Object]
impl NotificationQuery {
    /// Notifications of the viewer, newest first.
    async fn notifications(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Only notifications that are not read.", default)] only_unread: bool,
    ) -> QueryResult<Connection<Notification>> {
        let list = |member: &Member| {
            if only_unread {
                unread(&member.id)
            } else {
                of_user(&member.id)
            }
        };
        own_page(ctx, list).await
    }
}

naming_inputs! {
    MarkNotificationReadInput
}

/// Two GetItems, of the viewer's profile and the notification, and one TransactWriteItems: the notification and the
/// number of unread ones.
async fn mark_read(
    session: &Session,
    input: MarkNotificationReadInput,
) -> MutationResult<Notification> {
    let member = acting(session).await?;
    let user = member.id;
    let id = Notification::named(&input.id, session).map_err(|rule| rule.at("id"))?;
    let plan = |now: &Notification, unit: &mut TransactionBuilder<Violations>| {
        if !now.is_read {
            let fewer = fewer_unread_notifications(member.unread_notifications, 1);
            unit.adding::<User>(&user, fewer, Condition::Exists);
        }
        Ok(Notification {
            is_read: true,
            ..now.clone()
        })
    };
    let changed = session
        .tables
        .change(&id, input.expected_version.map(u32::from), plan);
    const MISSING: Rule = Rule::NotFound("does not name a notification of yours");
    let changed = changed.await;
    let changed = changed.map_err(|error| error.if_missing(MISSING.at("id")))?;
    if changed.is_written {
        let read = changed.entity.clone();
        announce(session, || Event::NotificationsRead(user, Some(read)));
    }
    Ok(changed)
}

mutations! {
    /// Mutations of one notification.
    NotificationMutation -> notification: Notification {
        /// Marks a notification of the viewer as read.
        mark_notification_read(MarkNotificationReadInput) -> MarkNotificationReadPayload = mark_read,
    }
}

#[derive(InputObject, Clone)]
pub struct MarkAllNotificationsReadInput {
    /// Number of notifications to mark, 1 to 450. Defaults to 450.
    #[graphql(default = 450)]
    limit: i32,
}

/// The result of `markAllNotificationsRead`.
#[derive(SimpleObject, Default)]
pub struct MarkAllNotificationsReadPayload {
    /// Number of notifications that were marked. `null` if there are errors.
    marked: Option<u32>,
    /// Number of notifications that are still unread. `null` if there are errors.
    unread: Option<u32>,
    /// Validation errors. If not empty, nothing was changed.
    user_errors: Vec<UserError>,
}

own_payloads! {
    MarkAllNotificationsReadPayload
}

/// Mutations of all notifications of the viewer.
#[derive(Default)]
pub struct AllNotificationsMutation;

#[Object]
impl AllNotificationsMutation {
    /// Marks the viewer's unread notifications as read, newest first. Repeat the mutation while `unread` is above 0.
    async fn mark_all_notifications_read(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Input of the mutation.")] input: MarkAllNotificationsReadInput,
    ) -> QueryResult<MarkAllNotificationsReadPayload> {
        let marked = async {
            let marked = mark_all(session(ctx)?, input.limit).await;
            MarkAllNotificationsReadPayload::of(marked)
        };
        Some(marked.await)
    }
}

/// For each 90 notifications one Query and one TransactWriteItems: the notifications, and the number of unread ones
/// reduced by as many.
async fn mark_all(
    session: &Session,
    limit: i32,
) -> Result<MarkAllNotificationsReadPayload, ChangeError<Violations>> {
    let member = acting(session).await?;
    let user = member.id;
    let limit = u32::try_from(limit)
        .ok()
        .filter(|limit| (1..=450).contains(limit));
    let limit = limit.ok_or_else(|| Rule::OutOfRange(1, 450).at("limit"))?;
    let mut retries = session.tables.retries();
    let mut marked = 0;
    let mut left = None;
    while marked < limit {
        let ask = PageAsk::first((limit - marked).min(MARKED_AT_ONCE) as usize);
        let page = session.tables.page(&unread(&user), &ask, &()).await?;
        let found: Vec<_> = page.rows.into_iter().filter_map(Row::keyed).collect();
        if found.is_empty() {
            left = Some(0);
            break;
        }
        let known = member.unread_notifications;
        let known = known.map(|known| known.saturating_sub(marked));
        match mark(session, &user, known, &found).await {
            Ok(()) => marked += u32::try_from(found.len()).unwrap_or_default(),
            Err(UnitError::Table(error)) => return Err(error.into()),
            // Another request marks the same ones: read what is left.
            Err(UnitError::Canceled(_)) => retries.pause().await?,
        }
    }
    let unread = settle(session, &user, left).await?;
    if marked > 0 {
        announce(session, || Event::NotificationsRead(user, None));
    }
    Ok(MarkAllNotificationsReadPayload {
        marked: Some(marked),
        unread: Some(unread),
        user_errors: Vec::new(),
    })
}

/// Subscriptions to notifications.
#[derive(Default)]
pub struct NotificationSubscription;

#[Subscription]
impl NotificationSubscription {
    /// Notifications of the viewer from now on. Ends with an error when the viewer is no longer active.
    async fn notification_received<'c>(
        &self,
        ctx: &Context<'c>,
    ) -> impl Stream<Item = Result<Notification, ApiError>> + use<'c> {
        let session = session(ctx);
        let watched = async { watch(session?).await };
        match watched.await {
            Ok(notifications) => notifications,
            Err(error) => once(std::future::ready(Err(error))).boxed(),
        }
    }
}

async fn watch(
    session: &Session,
) -> Result<BoxStream<'static, Result<Notification, ApiError>>, ApiError> {
    let user = active(session).await?.id;
    Ok(watch_while_active(session, move |event| match event {
        Event::Notified(notification) if notification.user_id == user => Some(notification.clone()),
        Event::Notified(_)
        | Event::NotificationsRead(..)
        | Event::Sent(..)
        | Event::Deleted(..)
        | Event::Edited(..)
        | Event::Read(..)
        | Event::Ended(_) => None,
    }))
}
