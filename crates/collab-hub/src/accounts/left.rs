//! Deleting what a user said in conversations that the user had left before the account is deleted. The audit log knows them.

use crate::audit_log;
use crate::conversations::Conversation;
use crate::member::Profile;
use crate::messages::deleting::delete_as as delete_message;
use crate::messages::{MessageType, of_conversation};
use crate::users::User;
use trestle_api::Session;
use trestle_domain::{Id, Text, UserId, Violations};
use trestle_table::{ChangeError, PageAsk, Row};

/// Deletes the user's messages of conversations that the user has left, up to a bound: a Query of the audit log, and as
/// [`clear_messages`] for each. Where it ends is kept on the profile. Whether all of it is deleted.
///
/// # Errors
/// The store does not answer.
pub async fn purge_left(
    session: &Session,
    user: &UserId,
    left: &mut usize,
) -> Result<bool, ChangeError<Violations>> {
    if *left == 0 {
        return Ok(false);
    }
    // Without a profile, an earlier call has deleted everything.
    let Some(profile) = session.tables.get::<User>(user).await? else {
        return Ok(true);
    };
    let Some(until) = profile.deleting_since else {
        return Ok(true);
    };
    let list = audit_log::departures(user, until);
    let mut ask = PageAsk::first(*left);
    let earlier = profile.cleared_until.as_ref();
    ask.place = earlier.and_then(|cursor| list.place_of(cursor.as_str()).ok());
    let page = session.tables.page(&list, &ask, &()).await?;
    let mut last = None;
    for row in page.rows {
        let entry = row.entity.ok();
        let id = entry.and_then(|entry| Id::parse(entry.resource_id.as_str()).ok());
        if let Some(id) = id
            && !clear_messages(session, user, id, left).await?
        {
            return keep(session, user, last).await;
        }
        *left = left.saturating_sub(1);
        last = Some(list.cursor_of(&row.place));
    }
    if page.more {
        keep(session, user, last).await
    } else {
        Ok(true)
    }
}

/// Keeps how far the deletion has come. One GetItem and one UpdateItem.
async fn keep(
    session: &Session,
    user: &UserId,
    last: Option<String>,
) -> Result<bool, ChangeError<Violations>> {
    let Some(last) = last.as_deref().and_then(Text::cut) else {
        return Ok(false);
    };
    let changed = session.tables.change(user, None, |now: &User, _| {
        Ok(User {
            cleared_until: Some(last.clone()),
            ..now.clone()
        })
    });
    match changed.await {
        Ok(_) | Err(ChangeError::NotFound) => {}
        Err(error) => return Err(error),
    }
    session.forget::<Profile>();
    Ok(false)
}

/// Deletes the user's messages of a conversation, up to a bound: a Query, and a GetItem and a TransactWriteItems for each
/// message. Whether all of them are deleted.
///
/// # Errors
/// The store does not answer.
pub async fn clear_messages(
    session: &Session,
    user: &UserId,
    conversation: Id<Conversation>,
    left: &mut usize,
) -> Result<bool, ChangeError<Violations>> {
    let sender = user.clone();
    let own = of_conversation(conversation).keeping("own", move |message| {
        let is_said = message.kind != MessageType::System && message.deleted_at.is_none();
        is_said && message.sender_id == sender
    });
    let page = session
        .tables
        .page(&own, &PageAsk::first((*left).max(1)), &())
        .await?;
    for (key, message) in page.rows.into_iter().filter_map(Row::keyed) {
        match delete_message(session, user, key, message).await {
            Ok(_) | Err(ChangeError::Refused(_)) => *left = left.saturating_sub(1),
            Err(error) => return Err(error),
        }
    }
    Ok(*left > 0)
}
