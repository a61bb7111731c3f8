//! Messages in the API: sending, reading and watching them.

use std::sync::{Mutex, PoisonError};

use async_graphql::{ComplexObject, Context, ID, InputObject, Subscription};
use chrono::DateTime;
use futures_util::future::join_all;
use futures_util::stream::{BoxStream, Stream, StreamExt as _, once};

use crate::api::{
    Answer, ApiError, Given, Live, Node as _, Session, Stamp, Written, found, list_size, session,
};
use crate::domain::{Check, Id, Link, List, Rule, Text, UserId, Violations};
use crate::mutations;
use crate::services::collab_hub::conversations::queue::Queues;
use crate::services::collab_hub::conversations::{Conversation, Participant};
use crate::services::collab_hub::events::{Event, announce};
use crate::services::collab_hub::member::{Profile, acting, active};
use crate::services::collab_hub::users::User;
use crate::table::{
    ChangeError, Changed, Condition, Exhausted, PageAsk, Retries, TableError, Unit, UnitError,
};

use super::{Message, MessageType, Sent, of_conversation};

#[ComplexObject]
impl Message {
    /// Opaque id, for `node`.
    pub async fn id(&self) -> ID {
        self.node_id()
    }

    /// The conversation.
    async fn conversation(&self, ctx: &Context<'_>) -> Answer<Conversation> {
        found(ctx, &self.conversation_id).await
    }

    /// The sender. Null if the viewer may not see the user.
    async fn sender(&self, ctx: &Context<'_>) -> Answer<User> {
        found(ctx, &self.sender_id).await
    }

    /// Participants who have read the message. Null for users that the viewer may not see.
    #[graphql(directive = list_size::apply(100))]
    async fn read_by(&self, ctx: &Context<'_>) -> Vec<Answer<User>> {
        let users = self.read_by.as_slice().iter();
        join_all(users.map(|user| found::<User>(ctx, user))).await
    }
}

/// Input of `sendMessage`.
#[derive(InputObject, Clone)]
pub struct SendMessageInput {
    /// The conversation's id.
    conversation_id: ID,
    /// A ULID for the message, so that the same input can be sent again. Messages are sorted by when they were sent,
    /// not by it.
    message_id: Option<Given<Id<Sent>>>,
    /// Content, 1 to 5000 characters.
    content: Given<Text<1, 5000>>,
    /// Address of a file. The message then has the type FILE.
    file_url: Option<Given<Link>>,
}

/// Input of `markConversationRead`.
#[derive(InputObject, Clone)]
pub struct MarkConversationReadInput {
    /// The conversation's id.
    conversation_id: ID,
}

/// The valid content of a message.
struct Draft {
    conversation: Id<Conversation>,
    sent_as: Option<Id<Sent>>,
    content: Text<1, 5000>,
    file_url: Option<Link>,
}

impl SendMessageInput {
    fn draft(self, session: &Session) -> Result<Draft, Violations> {
        let mut check = Check::default();
        let conversation = Conversation::named(&self.conversation_id, session);
        let conversation = check.need("conversationId", conversation);
        let sent_as = check.if_given("messageId", self.message_id);
        let content = check.need("content", self.content);
        let file_url = check.if_given("fileUrl", self.file_url);
        check.finish(|| {
            Some(Draft {
                conversation: conversation?,
                sent_as,
                content: content?,
                file_url,
            })
        })
    }
}

impl Draft {
    /// The message, sent as the newest one of the conversation.
    fn message(&self, sender: &UserId, conversation: &Conversation) -> Message {
        let at = conversation.last_message_at;
        Message {
            message_id: Id::new(DateTime::from_timestamp_millis(at.millis()).unwrap_or_default()),
            conversation_id: self.conversation,
            sender_id: sender.clone(),
            content: self.content.clone(),
            kind: match self.file_url {
                Some(_) => MessageType::File,
                None => MessageType::Text,
            },
            file_url: self.file_url.clone(),
            read_by: List::default(),
            stamp: Stamp::new(at),
        }
    }

    /// The record of the message's name, if it has one.
    fn sent(&self, message: &Message) -> Option<Sent> {
        Some(Sent {
            conversation_id: self.conversation,
            sender_id: message.sender_id.clone(),
            sent_as: self.sent_as?,
            message_id: message.message_id,
            stamp: message.stamp.clone(),
        })
    }

    /// The message that this draft was sent as before.
    async fn sent_before(
        &self,
        session: &Session,
        sender: &UserId,
    ) -> Result<Option<Message>, TableError> {
        let Some(name) = self.sent_as else {
            return Ok(None);
        };
        let sent = (self.conversation, sender.clone(), name);
        let Some(sent) = session.tables.get::<Sent>(&sent).await? else {
            return Ok(None);
        };
        let message = (self.conversation, sent.message_id);
        let message = session.tables.get::<Message>(&message).await?;
        let is_same = |message: &Message| {
            message.content == self.content && message.file_url == self.file_url
        };
        Ok(message.filter(is_same))
    }
}

const NAME_TAKEN: Rule = Rule::Conflict("is already used by another message of yours");
const NO_CONVERSATION: Rule = Rule::NotFound("does not name a conversation of yours");

/// Two GetItems, of the viewer's profile and the conversation, and one TransactWriteItems: the message, the
/// conversation's preview, and the place and unread count of each participant. A message is later than the one before
/// it, whatever the clocks say. Sent again with the same `messageId`, two GetItems more and no write.
async fn send(session: &Session, input: SendMessageInput) -> Written<Message> {
    let sender = acting(session).await?.id;
    let draft = input.draft(session)?;
    let sent: Mutex<Option<Message>> = Mutex::new(None);
    let plan = |now: &Conversation, unit: &mut Unit<Violations>| {
        if !now.includes(&sender) {
            return Err(NO_CONVERSATION.at("conversationId"));
        }
        let next = Conversation {
            last_message_at: session.now().after(now.last_message_at),
            last_message_preview: Text::cut(draft.content.as_str())
                .unwrap_or_else(|| now.last_message_preview.clone()),
            ..now.clone()
        };
        let message = draft.message(&sender, &next);
        unit.put_new(&message);
        if let Some(sent) = draft.sent(&message) {
            unit.put_new(&sent).or(NAME_TAKEN.at("messageId"));
        }
        for user in now.participants.as_slice() {
            let places = (&now.participant(user), &next.participant(user));
            let unread = ("unreadCount", i64::from(*user != sender));
            unit.update_and_add(places, unread, Condition::Exists);
        }
        *sent.lock().unwrap_or_else(PoisonError::into_inner) = Some(message);
        Ok(next)
    };
    let queues = session.given::<Queues>().unwrap_or_default();
    let turn = queues.turn(draft.conversation).await;
    let changed = session.tables.change(&draft.conversation, None, plan).await;
    drop(turn);
    if let Err(ChangeError::Refused(_)) = &changed
        && let Some(entity) = draft.sent_before(session, &sender).await?
    {
        return Ok(Changed::before(entity));
    }
    changed.map_err(|error| error.if_missing(NO_CONVERSATION.at("conversationId")))?;
    let message = sent.into_inner().unwrap_or_else(PoisonError::into_inner);
    let message = message.ok_or(ChangeError::NotFound)?;
    announce(session, || Event::Sent(message.clone()));
    Ok(Changed::now(message))
}

/// Number of messages that one transaction marks as read.
const MARKED_AT_ONCE: usize = 90;
/// Number of messages that one mutation marks as read, at most.
const MARKED_AT_MOST: usize = 450;
/// How often a transaction is tried that meets other readers.
const RETRIES: usize = 24;

/// Marks the viewer's unread messages as read, newest first. For each 90 messages one Query and one TransactWriteItems:
/// the messages, and the viewer's unread count reduced by as many.
async fn mark_read(session: &Session, input: MarkConversationReadInput) -> Written<Conversation> {
    let user = acting(session).await?.id;
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
    Ok(Changed {
        entity,
        is_written: marked > 0,
    })
}

async fn unread_messages(
    session: &Session,
    conversation: Id<Conversation>,
    user: &UserId,
    wanted: usize,
) -> Result<Vec<Message>, TableError> {
    let reader = user.clone();
    let unread = of_conversation(conversation)
        .keeping("unread", move |message| message.is_unread_by(&reader))
        .reading_at_most(10 * MARKED_AT_MOST);
    let ask = PageAsk::first(wanted);
    let page = session.tables.page(&unread, &ask, &()).await?;
    Ok(page
        .rows
        .into_iter()
        .filter_map(|row| row.entity.ok())
        .collect())
}

async fn mark(
    session: &Session,
    place: &(Id<Conversation>, UserId),
    messages: &[Message],
) -> Result<(), UnitError<Violations>> {
    let mut unit = session.tables.unit();
    for message in messages {
        let readers = message.read_by.as_slice().iter().chain([&place.1]);
        let readers = List::parse(readers.cloned().map(Ok));
        let read = Message {
            read_by: readers.unwrap_or_else(|_| message.read_by.clone()),
            stamp: Stamp {
                updated_at: session.now().max(message.stamp.updated_at),
                ..message.stamp.clone()
            },
            ..message.clone()
        };
        let unchanged = Condition::is("readBy", &message.read_by);
        unit.update(message, &read, unchanged);
    }
    if !messages.is_empty() {
        let count = i64::try_from(messages.len()).unwrap_or_default();
        let enough = Condition::at_least("unreadCount", &count);
        unit.add::<Participant>(place, "unreadCount", -count, enough);
    }
    unit.commit().await
}

mutations! {
    /// Mutations of messages.
    MessageMutation -> message: Message {
        /// Sends a message to a conversation of the viewer. Sending the same input with the same `messageId` again
        /// returns the same message. Without `messageId`, sending again sends another message.
        send_message(SendMessageInput) -> SendMessagePayload = send,
    }
}

mutations! {
    /// Mutations of what the viewer has read.
    ReadMutation -> conversation: Conversation {
        /// Marks the messages of a conversation as read by the viewer: at most 450, newest first. Repeat the mutation
        /// while `unreadCount` is above 0.
        mark_conversation_read(MarkConversationReadInput) -> MarkConversationReadPayload = mark_read,
    }
}

/// Subscriptions to messages.
#[derive(Default)]
pub struct MessageSubscription;

#[Subscription]
impl MessageSubscription {
    /// Messages that are sent to a conversation of the viewer from now on. Ends with an error when the viewer is no
    /// longer active.
    async fn message_sent<'c>(
        &self,
        ctx: &Context<'c>,
        #[graphql(desc = "The conversation's id.")] conversation_id: ID,
    ) -> impl Stream<Item = Result<Message, ApiError>> + use<'c> {
        let session = session(ctx);
        let watched = async {
            let session = session?;
            watch(session, &conversation_id).await
        };
        match watched.await {
            Ok(messages) => messages,
            Err(error) => once(std::future::ready(Err(error))).boxed(),
        }
    }
}

async fn watch(
    session: &Session,
    id: &ID,
) -> Result<BoxStream<'static, Result<Message, ApiError>>, ApiError> {
    let member = active(session).await?;
    let missing = || ApiError::bad_input("`conversationId` does not name a conversation of yours.");
    let id = Conversation::named(id, session).map_err(|_| missing())?;
    let conversation = session.load::<Conversation>(&id).await?;
    let conversation = conversation.filter(|conversation| conversation.includes(&member.id));
    conversation.ok_or_else(missing)?;
    let live = session.given::<Live<Event>>().unwrap_or_default();
    let messages = live.watch_for(move |event| match event {
        Event::Sent(message) if message.conversation_id == id => Some(message.clone()),
        Event::Sent(_) | Event::Notified(_) => None,
    });
    Ok(while_active(session, messages))
}

/// The same events, until the viewer is no longer active. One GetItem for each event.
pub fn while_active<T: Send + 'static>(
    session: &Session,
    events: BoxStream<'static, Result<T, ApiError>>,
) -> BoxStream<'static, Result<T, ApiError>> {
    let session = session.clone();
    let checked = events.then(move |event| {
        let session = session.clone();
        async move {
            session.forget::<Profile>();
            active(&session).await?;
            event
        }
    });
    // The first error is the last item.
    let ended = checked.scan(false, |has_failed, event| {
        let is_over = std::mem::replace(has_failed, event.is_err());
        std::future::ready((!is_over).then_some(event))
    });
    ended.boxed()
}
