//! Marking notifications as read.

use trestle_api::Session;
use trestle_domain::{Id, Segment as _, UserId, Violations};
use trestle_table::{ChangeError, Condition, Exhausted, Key, PageAsk, Retries, Row, UnitError};

use super::{Notification, NotificationType, of_user};
use crate::conversations::Conversation;
use crate::users::User;

/// Number of notifications that one transaction marks.
pub const MARKED_AT_ONCE: u32 = 90;
/// Number of notifications of the user that are searched for those of a conversation, at most: the newest ones.
const SEARCHED: usize = 1000;
/// How often a transaction is tried that meets other changes.
pub const RETRIES: usize = 24;

/// Marks notifications as read: one TransactWriteItems with the number of unread ones.
pub async fn mark(
    session: &Session,
    user: &UserId,
    notifications: &[(Key, Notification)],
) -> Result<(), UnitError<Violations>> {
    let mut unit = session.tables.unit();
    for (key, notification) in notifications {
        let mut read = Notification {
            is_read: true,
            ..notification.clone()
        };
        read.stamp.advance(session.tables.now());
        unit.update_at(key, (notification, &read), Condition::is("isRead", &false));
    }
    let count = i64::try_from(notifications.len()).unwrap_or_default();
    unit.add::<User>(user, "unreadNotifications", -count, Condition::Exists);
    unit.commit().await
}

/// Marks the notifications of a conversation and its messages as read, once the user has read it. A Query, and one
/// TransactWriteItems for each 90. Returns whether there were any.
///
/// # Errors
/// The store does not answer; others change the same notifications all the time.
pub async fn mark_of_conversation(
    session: &Session,
    user: &UserId,
    conversation: Id<Conversation>,
) -> Result<bool, ChangeError<Violations>> {
    let is_unread = Condition::is("isRead", &false)
        .and(Condition::is("type", &NotificationType::Message))
        .and(Condition::is("relatedEntityId", &conversation.text()));
    let list = of_user(user).filtered(is_unread).reading_at_most(SEARCHED);
    let mut retries = Retries::new(RETRIES, session.tables.meter());
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
        match mark(session, user, &found).await {
            Ok(()) if more => has_marked = true,
            Ok(()) => return Ok(true),
            Err(UnitError::Table(error)) => return Err(error.into()),
            // Another request marks the same ones: read what is left.
            Err(UnitError::Canceled(_)) => {
                let exhausted = |Exhausted| ChangeError::Contended;
                retries.pause().await.map_err(exhausted)?;
            }
        }
    }
}
