//! Marking notifications as read.

use trestle_api::{ApiError, Session};
use trestle_domain::{Id, Segment as _, UserId, Violations};
use trestle_table::{ChangeError, Condition, Key, PageAsk, Row, TableError, UnitError};

use super::{Notification, NotificationType, of_user, unread};
use crate::conversations::Conversation;
use crate::events::{Event, announce};
use crate::member::Reader;
use crate::users::{User, fewer_unread_notifications};

/// Number of notifications that one transaction marks.
pub const MARKED_AT_ONCE: u32 = 90;
/// Number of notifications of the user that are searched for those of a conversation, at most: the newest ones.
const SEARCHED: usize = 1000;

/// Marks notifications as read: one TransactWriteItems with the number of unread ones, of which `known` were counted.
pub async fn mark(
    session: &Session,
    user: &UserId,
    known: Option<u32>,
    notifications: &[(Key, Notification)],
) -> Result<(), UnitError<Violations>> {
    let mut unit = session.tables.unit();
    for (key, notification) in notifications {
        let mut read = Notification {
            is_read: true,
            ..notification.clone()
        };
        read.stamp.advance(session.tables.now());
        unit.update_at(key, notification, &read, Condition::is("isRead", &false));
    }
    let count = u32::try_from(notifications.len()).unwrap_or_default();
    let fewer = fewer_unread_notifications(known, count);
    unit.adding::<User>(user, fewer, Condition::Exists);
    unit.commit().await
}

/// Number of notifications that a user has not read, at most 1000 if nobody has counted them: a Query then.
///
/// # Errors
/// The store does not answer.
pub async fn count_unread(session: &Session, user: &User) -> Result<u32, ApiError> {
    match user.known_unread() {
        Some(known) => Ok(known),
        None => Ok(counted_now(session, &user.user_id).await?),
    }
}

async fn counted_now(session: &Session, user: &UserId) -> Result<u32, TableError> {
    let ask = PageAsk::first(SEARCHED);
    let page = session.tables.page(&unread(user), &ask, &()).await?;
    Ok(u32::try_from(page.rows.len()).unwrap_or_default())
}

/// The number of unread notifications of a user, which is `expected` if that is known. If it is not counted or another one, they
/// are counted, and the number is stored unless it changes meanwhile. A GetItem; to count, a Query and an UpdateItem more.
///
/// # Errors
/// The store does not answer.
pub async fn settle(
    session: &Session,
    user: &UserId,
    expected: Option<u32>,
) -> Result<u32, TableError> {
    let tables = &session.tables;
    let Some(profile) = tables.get::<User>(user).await? else {
        return Ok(0);
    };
    if let Some(known) = profile.known_unread()
        && expected.is_none_or(|expected| expected == known)
    {
        return Ok(known);
    }
    let count = counted_now(session, user).await?;
    if profile.known_unread() == Some(count) {
        return Ok(count);
    }
    let mut unit = tables.unit::<Violations>();
    let settled = User {
        unread_notifications: Some(count.into()),
        ..profile.clone()
    };
    let same = match &profile.unread_notifications {
        Some(stored) => Condition::is("unreadNotifications", stored),
        None => Condition::Lacks("unreadNotifications".into()).and(Condition::Exists),
    };
    unit.update(&profile, &settled, same);
    match unit.commit().await {
        // A notification was written meanwhile: the next one counts.
        Ok(()) | Err(UnitError::Canceled(_)) => Ok(count),
        Err(UnitError::Table(error)) => Err(error),
    }
}

/// The title of the notification of a message.
pub const NEW_MESSAGE: &str = "New message";

/// Which notifications of a conversation are marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// The conversation and its messages.
    Conversation,
    /// Its messages.
    Messages,
}

/// Marks notifications of a conversation as read whose messages the user does not find any more: the user has left it, or has
/// blocked the other one, or the messages were deleted. As [`mark_of_conversation`]. A failure is logged, because the
/// change before it is done.
pub async fn mark_of_lost_messages(
    session: &Session,
    reader: Reader<'_>,
    conversation: Id<Conversation>,
    about: About,
) {
    let user = reader.user.clone();
    match mark_of_conversation(session, reader, conversation, about).await {
        Ok(true) => announce(session, || Event::NotificationsRead(user, None)),
        Ok(false) => {}
        Err(_) => tracing::error!(%conversation, "Notifications of messages stay unread"),
    }
}

/// Marks notifications of a conversation as read. A Query, and one TransactWriteItems for each 90; nothing if none are
/// unread. Returns whether there were any.
///
/// # Errors
/// The store does not answer; others change the same notifications all the time.
pub async fn mark_of_conversation(
    session: &Session,
    reader: Reader<'_>,
    conversation: Id<Conversation>,
    about: About,
) -> Result<bool, ChangeError<Violations>> {
    let Reader { user, mut known } = reader;
    if known == Some(0) {
        return Ok(false);
    }
    let is_unread = Condition::is("isRead", &false)
        .and(Condition::is("type", &NotificationType::Message))
        .and(Condition::is("relatedEntityId", &conversation.text()));
    let is_unread = match about {
        About::Conversation => is_unread,
        About::Messages => is_unread.and(Condition::is("title", &NEW_MESSAGE)),
    };
    let list = of_user(user).filtered(is_unread).reading_at_most(SEARCHED);
    let mut retries = session.tables.retries();
    let mut has_marked = false;
    loop {
        let ask = PageAsk::first(MARKED_AT_ONCE as usize);
        let page = session.tables.page(&list, &ask, &()).await?;
        let more = page.more;
        let rows = page.rows.into_iter();
        let found: Vec<_> = rows.filter_map(Row::keyed).collect();
        if found.is_empty() {
            return Ok(has_marked);
        }
        match mark(session, user, known, &found).await {
            Ok(()) if more => {
                has_marked = true;
                let marked = u32::try_from(found.len()).unwrap_or_default();
                known = known.map(|known| known.saturating_sub(marked));
            }
            Ok(()) => return Ok(true),
            Err(UnitError::Table(error)) => return Err(error.into()),
            // Another request marks the same ones: read what is left.
            Err(UnitError::Canceled(_)) => retries.pause().await?,
        }
    }
}
