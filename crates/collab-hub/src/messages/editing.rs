//! Editing one's own messages.

use async_graphql::{ID, InputObject};

use super::deleting::own_message;
use super::send::both_take_part;
use super::{Message, NO_MESSAGE};
use crate::conversations::{Conversation, ConversationType, change};
use crate::events::{Event, announce};
use crate::member::acting;
use trestle_api::mutations;
use trestle_api::{Input, MutationResult, Session};
use trestle_domain::{Check, Rule, Text, Violations};
use trestle_table::{Changed, Condition, TransactionBuilder};

#[derive(InputObject, Clone)]
pub struct EditMessageInput {
    /// The message's id.
    id: ID,
    /// New content, 1 to 5000 characters.
    content: Input<Text<1, 5000>>,
}

const DELETED: Rule = Rule::Conflict("names a message that you have deleted: send another one");
const LEFT: Rule = Rule::Conflict(
    "names a message of a conversation that you have left: take part again to edit it, or delete it by `deleteMessage`",
);
const CHANGED: Rule =
    Rule::Conflict("names a message that has changed at the same time. Repeat the mutation");

/// GetItems of the viewer, the message and the conversation, and one TransactWriteItems: the message, and the conversation's
/// preview if it is of the message. Nobody has to read it again.
async fn edit(session: &Session, input: EditMessageInput) -> MutationResult<Message> {
    let user = acting(session).await?.id;
    let mut check = Check::default();
    let content = check.need("content", input.content);
    let content = check.finish(|| content)?;
    let (key, message) = own_message(session, &user, &input.id).await?;
    if message.deleted_at.is_some() {
        return Err(DELETED.at("id").into());
    }
    if message.content == content {
        return Ok(Changed::before(message));
    }
    let edited = message.edited(content, session.now());
    let plan = |now: &Conversation, unit: &mut TransactionBuilder<Violations>| {
        if !now.includes(&user) {
            return Err(LEFT.at("id"));
        }
        if now.kind == ConversationType::Direct {
            both_take_part(unit, now, &user, "id")?;
        }
        let same = Condition::is("senderId", &user)
            .and(Condition::is("content", &message.content))
            .and(Condition::Lacks("deletedAt".into()));
        unit.update_at(&key, &message, &edited, same)
            .or(CHANGED.at("id"));
        Ok((message.previewed(&edited, now), ()))
    };
    let changed = change(session, &message.conversation_id, plan).await;
    let (changed, ()) = changed.map_err(|error| error.if_missing(NO_MESSAGE.at("id")))?;
    let readers = changed.entity.participants.as_slice().to_vec();
    announce(session, || Event::Edited(edited.clone(), readers));
    Ok(Changed::now(edited))
}

mutations! {
    /// Mutations that edit messages.
    EditMessageMutation -> message: Message {
        /// Changes what a message of the viewer says, for everybody. `editedAt` shows it.
        edit_message(EditMessageInput) -> EditMessagePayload = edit,
    }
}
