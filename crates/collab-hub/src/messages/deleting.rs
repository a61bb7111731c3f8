//! Deleting one's own messages.

use async_graphql::{ID, InputObject};

use crate::conversations::queue::Queues;
use crate::conversations::{
    Conversation, MAX_PARTICIPANTS, Participant, change_in_turn, participants,
};
use crate::events::{Event, announce};
use crate::member::{Reader, acting};
use crate::notifications::reading::{About, mark_of_lost_messages};
use crate::uploads::finished::discard;
use crate::users::{User, user_of_key};
use trestle_api::mutations;
use trestle_api::{MutationResult, Node as _, Session};
use trestle_domain::{Id, Rule, UserId, Violations};
use trestle_table::{ChangeError, Changed, Condition, Entity as _, Key, PageAsk, Row, TableError};

use super::{Message, MessageType, NO_MESSAGE};

#[derive(InputObject, Clone)]
pub struct DeleteMessageInput {
    /// The message's id.
    id: ID,
}

/// GetItems of the viewer, the message and the conversation, a Query of the participants, and one TransactWriteItems: the
/// message, the unread counts that have it, and the conversation's preview if it is of the message. Then what [`unnotify`] needs.
async fn delete(session: &Session, input: DeleteMessageInput) -> MutationResult<Message> {
    let user = acting(session).await?.id;
    let (key, message) = own_message(session, &user, &input.id).await?;
    delete_as(session, &user, key, message).await
}

/// A message that the user has sent, and its key. One GetItem.
pub(super) async fn own_message(
    session: &Session,
    user: &UserId,
    id: &ID,
) -> Result<(Key, Message), ChangeError<Violations>> {
    let id = Message::named(id, session).map_err(|_| NO_MESSAGE.at("id"))?;
    let message = session.tables.get::<Message>(&id).await?;
    let own =
        message.filter(|message| message.sender_id == *user && message.kind != MessageType::System);
    let message = own.ok_or_else(|| NO_MESSAGE.at("id"))?;
    Ok((Message::key_of(&id), message))
}

/// Deletes what a message of a user says, also in a conversation that the user has left. The message stays in its place, and
/// nobody has to read it any more.
pub async fn delete_as(
    session: &Session,
    user: &UserId,
    key: Key,
    message: Message,
) -> MutationResult<Message> {
    if message.deleted_at.is_some() {
        return Ok(Changed::before(message));
    }
    let conversation = message.conversation_id;
    let queues = Queues::of(session);
    // Nobody else in this process writes to the conversation meanwhile. Other processes may: see `READ`.
    let turn = queues.turn(conversation).await;
    let deleted = message.deleted(session.now());
    let mut retries = session.tables.retries();
    let (changed, counting) = loop {
        let counting = counting(session, &message).await?;
        let changed = change_in_turn(session, &conversation, |now: &Conversation, unit| {
            unit.update_at(&key, &message, &deleted, Condition::is("senderId", user));
            for (user, participant) in &counting {
                participant.uncount(unit, user, READ.at("id"));
            }
            Ok((message.previewed(&deleted, now), ()))
        });
        match changed.await {
            // Somebody has read the message meanwhile.
            Err(ChangeError::Refused(refusal)) if refusal == READ.at("id") => {
                retries.pause().await?;
            }
            changed => break (changed, counting),
        }
    };
    drop(turn);
    let (changed, ()) = changed.map_err(|error| error.if_missing(NO_MESSAGE.at("id")))?;
    // They have nothing else to read.
    let caught_up = counting.into_iter().filter(|(_, at)| at.unread_count == 1);
    let caught_up: Vec<_> = caught_up.map(|(user, _)| user).collect();
    unnotify(session, conversation, &caught_up).await;
    let readers = changed.entity.participants.as_slice().to_vec();
    announce(session, || Event::Deleted(deleted.clone(), readers));
    if let Some(key) = &message.attachment_key {
        discard(session, key).await;
    }
    Ok(Changed::now(deleted))
}

/// Marks the notifications of messages that users do not find any more. A BatchGetItem of the users; for each of them with
/// unread notifications a Query, and one TransactWriteItems if there is such a notification.
async fn unnotify(session: &Session, conversation: Id<Conversation>, users: &[UserId]) {
    if users.is_empty() {
        return;
    }
    let Ok(found) = session.tables.batch::<User>(users).await else {
        tracing::error!(%conversation, "Notifications of a deleted message stay unread");
        return;
    };
    for (user, profile) in users.iter().zip(found) {
        let known = profile.and_then(Result::ok);
        let known = known.and_then(|profile| profile.known_unread());
        let reader = Reader { user, known };
        mark_of_lost_messages(session, reader, conversation, About::Messages).await;
    }
}

/// The refusal of a deletion that takes the message from a count which does not have it any more.
const READ: Rule =
    Rule::Conflict("names a message that was read at the same time. Repeat the mutation");

/// The participants whose unread counts have a message. One Query.
async fn counting(
    session: &Session,
    message: &Message,
) -> Result<Vec<(UserId, Participant)>, TableError> {
    let list = participants(message.conversation_id);
    let ask = PageAsk::first(MAX_PARTICIPANTS);
    let page = session.tables.page(&list, &ask, &()).await?;
    let mut counting = Vec::new();
    for (key, participant) in page.rows.into_iter().filter_map(Row::keyed) {
        let user = user_of_key(key.sk.as_str());
        let user = user.filter(|user| message.is_counted_of(user, &participant));
        counting.extend(user.map(|user| (user, participant)));
    }
    Ok(counting)
}

mutations! {
    /// Mutations of the viewer's own messages.
    DeleteMessageMutation -> message: Message {
        /// Deletes what a message of the viewer says, for everybody, also in a conversation that the viewer has left. That there
        /// was a message is still seen.
        delete_message(DeleteMessageInput) -> DeleteMessagePayload = delete,
    }
}
