//! Deleting one's own messages.

use async_graphql::{ID, InputObject};

use crate::conversations::Conversation;
use crate::conversations::queue::Queues;
use crate::events::{Event, announce};
use crate::member::acting;
use crate::uploads::finished::discard;
use trestle_api::mutations;
use trestle_api::{MutationResult, Node as _, Session};
use trestle_domain::{Rule, Text, UserId, Violations};
use trestle_table::{ChangeError, Changed, Condition, Entity as _, Key, TransactionBuilder};

use super::{Message, MessageType};

#[derive(InputObject, Clone)]
pub struct DeleteMessageInput {
    /// The message's id.
    id: ID,
}

const NO_MESSAGE: Rule = Rule::NotFound("does not name a message that you have sent");

/// GetItems of the viewer, the message and the conversation, and one TransactWriteItems: the message, and the
/// conversation's preview if the message is the newest one.
async fn delete(session: &Session, input: DeleteMessageInput) -> MutationResult<Message> {
    let user = acting(session).await?.id;
    let id = Message::named(&input.id, session).map_err(|_| NO_MESSAGE.at("id"))?;
    let message = session.tables.get::<Message>(&id).await?;
    let message = message.filter(|message| message.sender_id == user);
    let message = message.ok_or_else(|| NO_MESSAGE.at("id"))?;
    if message.kind == MessageType::System {
        return Err(NO_MESSAGE.at("id").into());
    }
    let takes_part = |now: &Conversation| now.includes(&user);
    delete_as(session, &user, (Message::key_of(&id), message), takes_part).await
}

/// Deletes what a message of a user says, if `may` lets the user do so in its conversation. The message stays in its place,
/// so that nobody's unread count changes.
pub async fn delete_as(
    session: &Session,
    user: &UserId,
    (key, message): (Key, Message),
    may: impl Fn(&Conversation) -> bool,
) -> MutationResult<Message> {
    if message.deleted_at.is_some() {
        return Ok(Changed::before(message));
    }
    let queues = session.given::<Queues>().unwrap_or_default();
    let turn = queues.turn(message.conversation_id).await;
    let deleted = message.deleted(session.now());
    let plan = |now: &Conversation, unit: &mut TransactionBuilder<Violations>| {
        if !may(now) {
            return Err(NO_MESSAGE.at("id"));
        }
        unit.update_at(&key, (&message, &deleted), Condition::is("senderId", user));
        // What the service says of users who join and leave comes after the newest message, and has no preview.
        let is_newest = message.stamp.created_at == now.last_message_at
            || Text::cut(message.content.as_str()).as_ref() == Some(&now.last_message_preview);
        let preview = Text::cut(deleted.content.as_str()).filter(|_| is_newest);
        Ok(Conversation {
            last_message_preview: preview.unwrap_or_else(|| now.last_message_preview.clone()),
            ..now.clone()
        })
    };
    let conversation = message.conversation_id;
    let changed = session.tables.change(&conversation, None, plan).await;
    drop(turn);
    let changed =
        changed.map_err(|error: ChangeError<Violations>| error.if_missing(NO_MESSAGE.at("id")))?;
    let readers = changed.entity.participants.as_slice().to_vec();
    announce(session, || Event::Deleted(deleted.clone(), readers));
    if let Some(key) = &message.attachment_key {
        discard(session, key).await;
    }
    Ok(Changed::now(deleted))
}

mutations! {
    /// Mutations of the viewer's own messages.
    DeleteMessageMutation -> message: Message {
        /// Deletes what a message of the viewer says, for everybody. That there was a message is still seen.
        delete_message(DeleteMessageInput) -> DeleteMessagePayload = delete,
    }
}
