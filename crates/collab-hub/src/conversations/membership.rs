//! Taking part in a conversation that one was asked to, and leaving it.

use async_graphql::{ID, InputObject};

use crate::audit_log;
use crate::blocks::Block;
use crate::contacts::Contact;
use crate::events::{Event, announce};
use crate::journal::{Journal, Note};
use crate::member::{Member, acting};
use crate::messages::Message;
use crate::notifications::NotificationType;
use crate::notifications::reading::{About, mark_of_lost_messages};
use trestle_api::mutations;
use trestle_api::{MutationResult, Node as _, Session};
use trestle_domain::{Id, Rule, Text, UserId, Violations};
use trestle_table::{Condition, TransactionBuilder};

use super::{Conversation, ConversationType, MAX_PARTICIPANTS, Participant, change};

#[derive(InputObject, Clone)]
pub struct AcceptConversationInput {
    /// The conversation's id.
    conversation_id: ID,
}

#[derive(InputObject, Clone)]
pub struct LeaveConversationInput {
    /// The conversation's id.
    conversation_id: ID,
}

const NO_REQUEST: Rule = Rule::NotFound("does not name a conversation that you are asked to");
const NO_CONVERSATION: Rule = Rule::NotFound("does not name a conversation of yours");

/// A message of the service, which is announced to its readers after the commit.
type ServiceMessage = Option<(Message, Vec<UserId>)>;

/// Adds a message about a user to a conversation that is changed. Nobody who left reads it.
fn add_message(
    unit: &mut TransactionBuilder<Violations>,
    next: Conversation,
    user: &UserId,
    text: &str,
    session: &Session,
) -> (Conversation, ServiceMessage) {
    let next = Conversation {
        last_message_at: session.now().after(next.last_message_at),
        ..next
    };
    let message = Text::cut(text).map(|text| Message::of_service(&next, user, text));
    if let Some(message) = &message {
        unit.put_new(message);
    }
    let users = next.participants.as_slice().to_vec();
    (next, message.map(|message| (message, users)))
}

fn announce_message(session: &Session, message: ServiceMessage) {
    if let Some((message, users)) = message {
        announce(session, || Event::Sent(message, users));
    }
}

/// GetItems of the viewer, the request and the conversation, and one TransactWriteItems: the conversation, the
/// participant, a message of the service, the audit entry, and for DIRECT the tie and a notification.
async fn accept(session: &Session, input: AcceptConversationInput) -> MutationResult<Conversation> {
    let member = acting(session).await?;
    let named = Conversation::named(&input.conversation_id, session);
    let id = named.map_err(|rule| rule.at("conversationId"))?;
    join(session, &member, id, |now| now.invites(&member.id)).await
}

/// A user of a DIRECT conversation who has left it, or was asked to take part, takes part again. As [`accept`].
pub(super) async fn come_back(
    session: &Session,
    member: &Member,
    id: Id<Conversation>,
) -> MutationResult<Conversation> {
    join(session, member, id, |now| {
        now.kind == ConversationType::Direct
    })
    .await
}

async fn join(
    session: &Session,
    member: &Member,
    id: Id<Conversation>,
    may: impl Fn(&Conversation) -> bool,
) -> MutationResult<Conversation> {
    let place = (id, member.id.clone());
    let stored = session.tables.get::<Participant>(&place).await?;
    let journal = Journal::of(session);
    let body = format!("{} accepted your conversation.", member.name);
    let changed = change(session, &id, |now: &Conversation, unit| {
        if now.includes(&member.id) {
            return Ok((now.clone(), (None, None)));
        }
        if !may(now) {
            return Err(NO_REQUEST.at("conversationId"));
        }
        let next = now
            .with(&member.id)
            .ok_or_else(|| Rule::TooMany(MAX_PARTICIPANTS).at("conversationId"))?;
        let text = "Joined the conversation.";
        let (next, message) = add_message(unit, next, &member.id, text, session);
        let participant = next.joined(&member.id);
        let other = now.participants.as_slice().first();
        let other = other.filter(|_| now.kind == ConversationType::Direct);
        if let Some(other) = other {
            let refusal = NO_REQUEST.at("conversationId");
            Block::refuse(unit, other, &member.id, refusal.clone());
            Block::refuse(unit, &member.id, other, refusal);
        }
        match &stored {
            Some(stored) => unit.update(stored, &participant, Condition::Exists),
            None => unit.put_new(&participant),
        };
        journal.record::<Conversation>(unit, "CONVERSATION_JOINED", id);
        let mut notified = None;
        if let Some(other) = other {
            Contact::tie(unit, &member.id, other, session.now());
            let kind = NotificationType::Message;
            let note = Note::new(other, kind, "Conversation accepted", &body);
            notified = journal.notify::<Conversation>(unit, id, note);
        }
        Ok((next, (message, notified)))
    });
    let changed = changed.await;
    let (changed, (message, notified)) =
        changed.map_err(|error| error.if_missing(NO_REQUEST.at("conversationId")))?;
    if changed.is_written {
        announce_message(session, message);
        journal.announce(notified);
    }
    Ok(changed)
}

/// GetItems of the viewer and the conversation, and one TransactWriteItems: the conversation, the viewer's entry, the
/// audit entry, and a message of the service if the viewer took part. If the viewer has unread notifications, those of the
/// conversation are marked, as by [`mark_of_lost_messages`].
async fn leave(session: &Session, input: LeaveConversationInput) -> MutationResult<Conversation> {
    let member = acting(session).await?;
    let named = Conversation::named(&input.conversation_id, session);
    let id = named.map_err(|_| NO_CONVERSATION.at("conversationId"))?;
    let left = leave_as(session, &member.id, id).await?;
    mark_of_lost_messages(session, member.reader(), id, About::Conversation).await;
    Ok(left)
}

/// A user leaves a conversation, or declines to take part. As [`leave`].
pub async fn leave_as(
    session: &Session,
    user: &UserId,
    id: Id<Conversation>,
) -> MutationResult<Conversation> {
    let journal = Journal::of(session);
    let changed = change(session, &id, |now: &Conversation, unit| {
        let takes_part = now.includes(user);
        if !takes_part && !now.invites(user) {
            return Err(NO_CONVERSATION.at("conversationId"));
        }
        let next = now.left_by(user, session.now());
        unit.delete::<Participant>(&(id, user.clone()), Condition::ALWAYS);
        let (next, message) = if takes_part {
            add_message(unit, next, user, "Left the conversation.", session)
        } else {
            (next, None)
        };
        let action = if takes_part {
            audit_log::LEFT
        } else {
            "CONVERSATION_DECLINED"
        };
        journal.record::<Conversation>(unit, action, id);
        Ok((next, message))
    });
    let changed = changed.await;
    let (changed, message) =
        changed.map_err(|error| error.if_missing(NO_CONVERSATION.at("conversationId")))?;
    announce_message(session, message);
    Ok(changed)
}

mutations! {
    /// Mutations of who takes part in a conversation.
    MembershipMutation -> conversation: Conversation {
        /// Takes part in a conversation that another user asked the viewer to, as `conversationRequests` lists them.
        accept_conversation(AcceptConversationInput) -> AcceptConversationPayload = accept,
        /// Leaves a conversation, or declines to take part. The viewer reads nothing of it any more. In a DIRECT
        /// conversation the other user can send nothing then; the viewer takes part again by `createConversation`.
        leave_conversation(LeaveConversationInput) -> LeaveConversationPayload = leave,
    }
}
