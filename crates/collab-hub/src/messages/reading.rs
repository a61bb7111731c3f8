//! What the viewer has read: the unread count is cleared, and messages are marked.

use async_graphql::{ID, InputObject};

use crate::conversations::queue::Queues;
use crate::conversations::{Conversation, Participant, adopt};
use crate::events::{Event, announce};
use crate::member::acting;
use crate::notifications::reading::{About, mark_of_conversation};
use trestle_api::mutations;
use trestle_api::{MutationResult, Node as _, Session};
use trestle_domain::{Id, List, Moment, UserId, Violations};
use trestle_table::{ChangeError, Changed, Condition, Key, PageAsk, Row, TableError, UnitError};

use super::send::NO_CONVERSATION;
use super::{Message, of_conversation};

#[derive(InputObject, Clone)]
pub struct MarkConversationReadInput {
    /// The conversation's id.
    conversation_id: ID,
}

/// Number of messages that one transaction marks as read.
const MARKED_AT_ONCE: usize = 90;
/// Number of messages that show that the viewer has read them, at most.
const MARKED_AT_MOST: usize = 450;

/// The viewer has read everything that is in a conversation: GetItems of the conversation and the viewer's entry, a Query of
/// unread messages, and one TransactWriteItems: the unread count, the mark up to which the viewer has read, and the messages.
/// For each 90 messages more one Query and one TransactWriteItems. If the viewer has unread notifications, a Query finds those
/// of the conversation, and one TransactWriteItems marks them, too.
async fn mark_read(
    session: &Session,
    input: MarkConversationReadInput,
) -> MutationResult<Conversation> {
    let member = acting(session).await?;
    let user = member.id.clone();
    let named = Conversation::named(&input.conversation_id, session);
    let id = named.map_err(|rule| rule.at("conversationId"))?;
    let conversation = session.tables.get::<Conversation>(&id).await?;
    let conversation = conversation.filter(|conversation| conversation.includes(&user));
    let entity = conversation.ok_or_else(|| NO_CONVERSATION.at("conversationId"))?;
    if entity.listed_at.is_some() {
        adopt(session, &id).await?;
    }
    let queues = Queues::of(session);
    // Readers of one conversation mark the same messages: what is read here stays as it is until the turn ends.
    let turn = queues.turn(id).await;
    let was_unread = clear(session, &(id, user.clone())).await?;
    drop(turn);
    let about = About::Conversation;
    let were_notified = mark_of_conversation(session, member.reader(), id, about).await?;
    let is_written = was_unread || were_notified;
    if is_written {
        announce(session, || Event::Read(user, id));
    }
    Ok(Changed { entity, is_written })
}

/// Sets the viewer's unread count to 0, and marks the newest messages that were counted. Whether any were.
async fn clear(
    session: &Session,
    place: &(Id<Conversation>, UserId),
) -> Result<bool, ChangeError<Violations>> {
    let mut retries = session.tables.retries();
    let (mut cleared, mut marked) = (None, 0);
    while marked < MARKED_AT_MOST {
        let participant = match &cleared {
            Some(_) => None,
            None => session.tables.get::<Participant>(place).await?,
        };
        let unread = participant.filter(|participant| participant.unread_count > 0);
        let Some(up_to) = cleared.or(unread.as_ref().map(Participant::shown_at)) else {
            return Ok(false);
        };
        let messages = unread_messages(session, place, up_to).await?;
        let is_last = messages.len() < MARKED_AT_ONCE;
        match mark(session, place, unread.as_ref(), &messages).await {
            Ok(()) if is_last => return Ok(true),
            Ok(()) => {
                cleared = Some(up_to);
                marked += messages.len();
            }
            Err(UnitError::Table(error)) => return Err(error.into()),
            // Others write to the same conversation: read what is left.
            Err(UnitError::Canceled(_)) => retries.pause().await?,
        }
    }
    Ok(true)
}

/// The newest messages up to a moment that do not show that the user has read them.
async fn unread_messages(
    session: &Session,
    (conversation, user): &(Id<Conversation>, UserId),
    up_to: Moment,
) -> Result<Vec<(Key, Message)>, TableError> {
    let reader = user.clone();
    let unread = of_conversation(*conversation)
        .keeping("unread", move |message| {
            message.stamp.created_at <= up_to && message.is_unread_by(&reader)
        })
        .reading_at_most(10 * MARKED_AT_MOST);
    let ask = PageAsk::first(MARKED_AT_ONCE);
    let page = session.tables.page(&unread, &ask, &()).await?;
    Ok(page.rows.into_iter().filter_map(Row::keyed).collect())
}

/// Marks messages as read, in one unit with the count of the participant, if that is given.
async fn mark(
    session: &Session,
    place: &(Id<Conversation>, UserId),
    participant: Option<&Participant>,
    messages: &[(Key, Message)],
) -> Result<(), UnitError<Violations>> {
    let mut unit = session.tables.unit();
    if let Some(participant) = participant {
        participant.clear(&mut unit, &place.1);
    }
    for (key, message) in messages {
        let readers = message.read_by.as_slice().iter().chain([&place.1]);
        let readers = List::parse(readers.cloned().map(Ok));
        let read = Message {
            read_by: readers.unwrap_or_else(|_| message.read_by.clone()),
            stamp: message.stamp_at(session.now()),
            ..message.clone()
        };
        let unchanged = Condition::is("readBy", &message.read_by);
        unit.update_at(key, message, &read, unchanged);
    }
    unit.commit().await
}

mutations! {
    /// Mutations of what the viewer has read.
    ReadMutation -> conversation: Conversation {
        /// The viewer has read the messages of a conversation, however many there are, and its notifications: `unreadCount` is 0
        /// then. The newest 450 of the unread messages show it in `readBy`.
        mark_conversation_read(MarkConversationReadInput) -> MarkConversationReadPayload = mark_read,
    }
}
