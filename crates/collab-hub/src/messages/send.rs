//! Sending messages.

use async_graphql::{ID, InputObject};

use super::attached::Attached;
use crate::blocks::Block;
use crate::conversations::queue::Queues;
use crate::conversations::{Conversation, ConversationType, adopt, change_in_turn, participants};
use crate::events::{Event, announce};
use crate::journal::{Journal, Note};
use crate::member::acting;
use crate::notifications::NotificationType;
use crate::notifications::reading::NEW_MESSAGE;
use crate::signed::FileKey;
use crate::uploads::UploadName;
use crate::uploads::finished::take_attachment;
use crate::users::{User, user_of_key};
use trestle_api::mutations;
use trestle_api::{Failed, Input, Node as _, Session};
use trestle_domain::{Check, Id, Link, Rule, Text, UserId, Violations};
use trestle_table::{
    ChangeError, Changed, Condition, Entity, PageAsk, TableError, TransactionBuilder,
};

use super::{Message, MessageType, Sent};

#[derive(InputObject, Clone)]
pub struct SendMessageInput {
    /// The conversation's id.
    conversation_id: ID,
    /// A ULID for the message, so that the same input can be sent again. Messages are sorted by when they were sent,
    /// not by it.
    message_id: Option<Input<Id<Sent>>>,
    /// Content, 1 to 5000 characters.
    content: Input<Text<1, 5000>>,
    /// Address of a file. The message then has the type FILE.
    file_url: Option<Input<Link>>,
    /// The `uploadId` of a file that was uploaded by `createUpload` for ATTACHMENT with the conversation's id. The message
    /// then has the type FILE.
    attachment_upload_id: Option<Input<UploadName>>,
}

/// The valid content of a message.
struct Draft {
    conversation: Id<Conversation>,
    sent_as: Option<Id<Sent>>,
    content: Text<1, 5000>,
    file_url: Option<Link>,
    attachment: Option<FileKey>,
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
                attachment: None,
            })
        })
    }
}

impl Draft {
    /// The message, sent as the newest one of the conversation.
    fn message(&self, sender: &UserId, conversation: &Conversation) -> Message {
        let has_file = self.file_url.is_some() || self.attachment.is_some();
        Message {
            kind: if has_file {
                MessageType::File
            } else {
                MessageType::Text
            },
            file_url: self.file_url.clone(),
            attachment_key: self.attachment.clone(),
            ..Message::newest(conversation, sender, self.content.clone())
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

    /// The record of the message that the file belongs to, if there is one.
    fn attached(&self, message: &Message) -> Option<Attached> {
        let (conversation_id, sender_id, upload_name) = self.upload(&message.sender_id)?;
        Some(Attached {
            conversation_id,
            sender_id,
            upload_name,
            message_id: message.message_id,
            stamp: message.stamp.clone(),
        })
    }

    /// The identity of that record: the last part of a file's key is the name of its upload.
    fn upload(&self, sender: &UserId) -> Option<<Attached as Entity>::Id> {
        let name = self.attachment.as_ref()?.as_str().rsplit('/').next()?;
        Some((self.conversation, sender.clone(), Text::cut(name)?))
    }

    /// The id of the message that was sent under the draft's name, or with its file if it has no name.
    async fn earlier(
        &self,
        session: &Session,
        sender: &UserId,
    ) -> Result<Option<Id<Message>>, TableError> {
        if let Some(name) = self.sent_as {
            let sent = (self.conversation, sender.clone(), name);
            let sent = session.tables.get::<Sent>(&sent).await?;
            return Ok(sent.map(|sent| sent.message_id));
        }
        let Some(upload) = self.upload(sender) else {
            return Ok(None);
        };
        let attached = session.tables.get::<Attached>(&upload).await?;
        Ok(attached.map(|attached| attached.message_id))
    }

    /// Whether a message can be what this draft was sent as. What an edited or a deleted message said at first is not stored.
    fn may_be(&self, message: &Message) -> bool {
        if message.deleted_at.is_some() {
            return true;
        }
        let has_content = message.edited_at.is_some() || message.content == self.content;
        has_content
            && message.file_url == self.file_url
            && message.attachment_key == self.attachment
    }

    /// The message that this draft was sent as before, as it is now.
    async fn sent_before(
        &self,
        session: &Session,
        sender: &UserId,
    ) -> Result<Option<Message>, TableError> {
        let Some(earlier) = self.earlier(session, sender).await? else {
            return Ok(None);
        };
        let message = (self.conversation, earlier);
        let message = session.tables.get::<Message>(&message).await?;
        Ok(message.filter(|message| self.may_be(message)))
    }
}

const ATTACHED: Rule =
    Rule::Conflict("is already sent with another message of yours: upload the file again");
const NAME_TAKEN: Rule =
    Rule::Conflict("is already used by another message of yours: make another one up");
pub(super) const NO_CONVERSATION: Rule = Rule::NotFound("does not name a conversation of yours");
const WAITS: Rule = Rule::Conflict(
    "names a conversation that the other user has not accepted yet: wait until they do",
);
// A block and a ban read as this, too.
const ALONE: Rule = Rule::Conflict(
    "names a conversation in which the other user does not take part: wait until they take part again, which only they can do",
);

/// Two GetItems, of the viewer's profile and the conversation, a Query of the participants, and one TransactWriteItems:
/// the message, the conversation's preview, the place and unread count of each participant, and, in conversations of at
/// most 33, notifications of those who had read everything. A message is later than the one before
/// it, whatever the clocks say. Sent again with the same `messageId`, two GetItems more and no write.
async fn send(session: &Session, input: SendMessageInput) -> Result<Changed<Message>, Failed> {
    let member = acting(session).await?;
    let (sender, journal) = (member.id, Journal::of(session));
    let upload = input.attachment_upload_id.clone();
    let mut draft = input.draft(session)?;
    if let Some(upload) = upload {
        draft.attachment = Some(attachment(session, &draft, &sender, upload).await?);
    }
    let queues = Queues::of(session);
    let turn = queues.turn(draft.conversation).await;
    // Who has unread messages was notified of the first of them.
    let told = caught_up(session, draft.conversation, &sender).await?;
    // The record of the file's message takes the place of a notification.
    let notified_at_most = NOTIFIED_AT_MOST - usize::from(draft.attachment.is_some());
    let conversation = draft.conversation;
    let changed = change_in_turn(session, &conversation, |now: &Conversation, unit| {
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
        let next = Conversation {
            last_message_id: Some(message.message_id.raw()),
            ..next
        };
        unit.put_new(&message);
        if now.kind == ConversationType::Direct {
            let other = both_take_part(unit, now, &sender, "conversationId")?;
            if !told.contains(other) {
                unit.check::<User>(other, User::is_listed())
                    .or(ALONE.at("conversationId"));
            }
        }
        if let Some(sent) = draft.sent(&message) {
            unit.put_new(&sent).or(NAME_TAKEN.at("messageId"));
        }
        if let Some(attached) = draft.attached(&message) {
            unit.put_new(&attached)
                .or(ATTACHED.at("attachmentUploadId"));
        }
        for user in now.participants.as_slice() {
            let (before, after) = (now.participant(user), next.participant(user));
            let unread = ("unreadCount", i64::from(*user != sender));
            if *user == sender {
                // Nothing is sent any more once the deletion of the sender's account has come to the conversation.
                let stays = Condition::Exists.and(Condition::Lacks("isLeaving".into()));
                unit.update_and_add(&before, &after, unread, stays)
                    .or(NO_CONVERSATION.at("conversationId"));
            } else {
                unit.update_and_add(&before, &after, unread, Condition::Exists);
            }
        }
        let mut notified = Vec::new();
        if now.participants.as_slice().len() <= notified_at_most {
            // The text is only in the message, so that deleting the message deletes it.
            let body = format!("{} sent a message.", member.name);
            for to in &told {
                let note = Note::new(to, NotificationType::Message, NEW_MESSAGE, &body);
                let id = now.conversation_id;
                notified.extend(if now.kind == ConversationType::Direct {
                    let refusal = ALONE.at("conversationId");
                    journal.notify_listed::<Conversation>(unit, id, note, refusal)
                } else {
                    journal.notify::<Conversation>(unit, id, note)
                });
            }
        }
        let users = now.participants.as_slice().to_vec();
        Ok((next, (message, users, notified)))
    });
    let changed = changed.await;
    drop(turn);
    if let Err(ChangeError::Refused(_)) = &changed
        && let Some(entity) = draft.sent_before(session, &sender).await?
    {
        return Ok(Changed::before(entity));
    }
    let (_, (message, users, notified)) =
        changed.map_err(|error| error.if_missing(NO_CONVERSATION.at("conversationId")))?;
    journal.announce(notified);
    announce(session, || Event::Sent(message.clone(), users));
    Ok(Changed::now(message))
}

/// The other user of a DIRECT conversation. A message is refused unless they take part, and neither has blocked the other one.
pub(super) fn both_take_part<'c>(
    unit: &mut TransactionBuilder<Violations>,
    now: &'c Conversation,
    sender: &UserId,
    field: &'static str,
) -> Result<&'c UserId, Violations> {
    let mut users = now.participants.as_slice().iter();
    match users.find(|user| *user != sender) {
        Some(other) => {
            Block::refuse(unit, other, sender, ALONE.at(field));
            Block::refuse(unit, sender, other, ALONE.at(field));
            Ok(other)
        }
        None if now.invited().is_empty() => Err(ALONE.at(field)),
        None => Err(WAITS.at(field)),
    }
}

/// The file of a message. A GetItem of the conversation, and what taking the upload needs.
async fn attachment(
    session: &Session,
    draft: &Draft,
    sender: &UserId,
    upload: Input<UploadName>,
) -> Result<FileKey, Failed> {
    if !is_own(session, &draft.conversation, sender).await? {
        return Err(NO_CONVERSATION.at("conversationId").into());
    }
    take_attachment(session, draft.conversation, sender, upload).await
}

/// Whether a user takes part in a conversation. One GetItem.
async fn is_own(
    session: &Session,
    conversation: &Id<Conversation>,
    user: &UserId,
) -> Result<bool, TableError> {
    let conversation = session.tables.get::<Conversation>(conversation).await?;
    Ok(conversation.is_some_and(|conversation| conversation.includes(user)))
}

/// Number of participants of a conversation whose messages make notifications, at most: as many as one transaction holds.
const NOTIFIED_AT_MOST: usize = 33;

/// The participants, besides the sender, who have read everything and have not blocked the sender. One Query, and among more
/// than two, who may have blocked each other, one BatchGetItem.
async fn caught_up(
    session: &Session,
    conversation: Id<Conversation>,
    sender: &UserId,
) -> Result<Vec<UserId>, ChangeError<Violations>> {
    let (list, ask) = (participants(conversation), PageAsk::first(NOTIFIED_AT_MOST));
    let mut page = session.tables.page(&list, &ask, &()).await?;
    if page.rows.is_empty() && is_own(session, &conversation, sender).await? {
        // Another program has written the conversation.
        adopt(session, &conversation).await?;
        page = session.tables.page(&list, &ask, &()).await?;
    }
    let is_small = page.rows.len() <= 2;
    let mut users = Vec::new();
    for row in page.rows {
        let user = user_of_key(row.place.key().sk.as_str());
        let participant = row.entity?;
        let is_notified =
            participant.is_invited != Some(true) && participant.is_muted != Some(true);
        let is_notified = is_notified && participant.unread_count == 0;
        users.extend(user.filter(|user| is_notified && user != sender));
    }
    if is_small || users.is_empty() {
        return Ok(users);
    }
    let by: Vec<_> = users
        .iter()
        .map(|user| (user.clone(), sender.clone()))
        .collect();
    let blocks = session.tables.batch::<Block>(&by).await?;
    let told = users.into_iter().zip(blocks);
    Ok(told
        .filter(|(_, block)| block.is_none())
        .map(|(user, _)| user)
        .collect())
}

mutations! {
    /// Mutations of messages.
    MessageMutation -> message: Message {
        /// Sends a message to a conversation of the viewer. Sending the same input with the same `messageId` again
        /// returns the same message, as it is now if it was edited or deleted since. Without `messageId`, sending again sends another message, unless it has an attached
        /// upload, which belongs to one message.
        send_message(SendMessageInput) -> SendMessagePayload = send,
    }
}
