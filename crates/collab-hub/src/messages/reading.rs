//! What the viewer has read: messages are marked, and the unread count goes down.

use async_graphql::{ID, InputObject};

use crate::conversations::queue::Queues;
use crate::conversations::{Conversation, Participant};
use crate::events::{Event, announce};
use crate::member::acting;
use crate::notifications::reading::mark_of_conversation;
use trestle_api::mutations;
use trestle_api::{MutationResult, Node as _, Revision, Session};
use trestle_domain::{Id, List, UserId, Violations};
use trestle_table::{
    ChangeError, Changed, Condition, Exhausted, Key, PageAsk, Retries, Row, TableError, UnitError,
};

use super::send::NO_CONVERSATION;
use super::{Message, of_conversation};

#[derive(InputObject, Clone)]
pub struct MarkConversationReadInput {
    /// The conversation's id.
    conversation_id: ID,
}

/// Number of messages that one transaction marks as read.
const MARKED_AT_ONCE: usize = 90;
/// Number of messages that one mutation marks as read, at most.
const MARKED_AT_MOST: usize = 450;
/// How often a transaction is tried that meets other readers.
const RETRIES: usize = 24;

/// Marks the viewer's unread messages as read, newest first. For each 90 messages one Query and one TransactWriteItems:
/// the messages, and the viewer's unread count reduced by as many. If the viewer has unread notifications, a Query finds those
/// of the conversation, and one TransactWriteItems marks them, too.
async fn mark_read(
    session: &Session,
    input: MarkConversationReadInput,
) -> MutationResult<Conversation> {
    let member = acting(session).await?;
    let user = member.id;
    let named = Conversation::named(&input.conversation_id, session);
    let id = named.map_err(|rule| rule.at("conversationId"))?;
    let conversation = session.tables.get::<Conversation>(&id).await?;
    let conversation = conversation.filter(|conversation| conversation.includes(&user));
    let entity = conversation.ok_or_else(|| NO_CONVERSATION.at("conversationId"))?;
    let place = (id, user.clone());
    let queues = session.given::<Queues>().unwrap_or_default();
    let mut retries = Retries::new(RETRIES, session.tables.meter());
    let mut marked = 0;
    while marked < MARKED_AT_MOST {
        // Readers of one conversation mark the same messages: what is read here stays as it is until the turn ends.
        let turn = queues.turn(id).await;
        let participant = session.tables.get::<Participant>(&place).await?;
        let unread = participant.map_or(0, |participant| participant.unread_count) as usize;
        if unread == 0 {
            break;
        }
        let messages = unread_messages(session, id, &user, unread.min(MARKED_AT_ONCE)).await?;
        let written = mark(session, &place, &messages).await;
        drop(turn);
        match written {
            Ok(()) if messages.is_empty() => break,
            Ok(()) => marked += messages.len(),
            Err(UnitError::Table(error)) => return Err(error.into()),
            // Others mark the same messages: read what is left.
            Err(UnitError::Canceled(_)) => {
                let exhausted = |Exhausted| ChangeError::Contended;
                retries.pause().await.map_err(exhausted)?;
            }
        }
    }
    let were_notified = match member.unread_notifications {
        0 => false,
        _ => mark_of_conversation(session, &user, id).await?,
    };
    let is_written = marked > 0 || were_notified;
    if is_written {
        announce(session, || Event::Read(user, id));
    }
    Ok(Changed { entity, is_written })
}

async fn unread_messages(
    session: &Session,
    conversation: Id<Conversation>,
    user: &UserId,
    wanted: usize,
) -> Result<Vec<(Key, Message)>, TableError> {
    let reader = user.clone();
    let unread = of_conversation(conversation)
        .keeping("unread", move |message| message.is_unread_by(&reader))
        .reading_at_most(10 * MARKED_AT_MOST);
    let ask = PageAsk::first(wanted);
    let page = session.tables.page(&unread, &ask, &()).await?;
    Ok(page.rows.into_iter().filter_map(Row::keyed).collect())
}

async fn mark(
    session: &Session,
    place: &(Id<Conversation>, UserId),
    messages: &[(Key, Message)],
) -> Result<(), UnitError<Violations>> {
    let mut unit = session.tables.unit();
    for (key, message) in messages {
        let readers = message.read_by.as_slice().iter().chain([&place.1]);
        let readers = List::parse(readers.cloned().map(Ok));
        let read = Message {
            read_by: readers.unwrap_or_else(|_| message.read_by.clone()),
            stamp: Revision {
                updated_at: session.now().max(message.stamp.updated_at),
                ..message.stamp.clone()
            },
            ..message.clone()
        };
        let unchanged = Condition::is("readBy", &message.read_by);
        unit.update_at(key, (message, &read), unchanged);
    }
    if !messages.is_empty() {
        let count = i64::try_from(messages.len()).unwrap_or_default();
        let enough = Condition::at_least("unreadCount", &count);
        unit.add::<Participant>(place, "unreadCount", -count, enough);
    }
    unit.commit().await
}

mutations! {
    /// Mutations of what the viewer has read.
    ReadMutation -> conversation: Conversation {
        /// Marks the messages of a conversation as read by the viewer: at most 450, newest first. Repeat the mutation
        /// while `unreadCount` is above 0. The viewer's notifications of the conversation are read then, too.
        mark_conversation_read(MarkConversationReadInput) -> MarkConversationReadPayload = mark_read,
    }
}
