//! Messages in the API.

use async_graphql::{ComplexObject, Context, ID, InputObject, Object, Subscription};
use futures_util::stream::BoxStream;

use crate::api::{
    Answer, ApiError, Connection, Given, Node as _, Session, Stamp, Written, page, session,
    with_id_at,
};
use crate::domain::{Check, Moment, Rule, Text, Violations};
use crate::services::job_board::access::Party;
use crate::services::job_board::desk::{Event, Request, desk};
use crate::services::job_board::jobs::input::request;
use crate::services::job_board::matches::Match;
use crate::table::{Condition, Unit};
use crate::{mutations, payloads};

use super::{Message, of_match};

#[ComplexObject]
impl Message {
    /// Global id: opaque and stable.
    pub async fn id(&self) -> ID {
        self.node_id()
    }

    /// When it was sent.
    async fn sent_at(&self) -> Moment {
        self.stamp.created_at
    }

    /// Whether the other side has read it.
    async fn is_read(&self, ctx: &Context<'_>) -> Answer<bool> {
        let read = async {
            let of = session(ctx)?.load::<Match>(&self.of).await?;
            let other = self.sender.other();
            let read = of.and_then(|of| of.read_by(other));
            Ok(read.is_some_and(|read| self.message_id.raw() <= read))
        };
        Some(read.await)
    }

    /// The match.
    #[graphql(name = "match")]
    async fn its_match(&self, ctx: &Context<'_>) -> Answer<Match> {
        let of = async { session(ctx)?.load::<Match>(&self.of).await };
        of.await.transpose()
    }
}

/// Queries of messages.
#[derive(Default)]
pub struct MessageQuery;

#[Object]
impl MessageQuery {
    /// Messages of a match of the viewer, the newest first; null if the viewer is not one of the two.
    async fn messages(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Id of the match.")] match_id: ID,
    ) -> Answer<Connection<Message>> {
        let page = async {
            let session = session(ctx)?;
            let Ok(id) = Match::named(&match_id, session) else {
                return Ok(None);
            };
            let found = session.load::<Match>(&id).await?;
            match found.filter(|found| found.match_id == id.match_id) {
                Some(found) if found.party(session).is_some() => {
                    Ok(Some(page(ctx, &of_match(found.match_id), &()).await?))
                }
                _ => Ok(None),
            }
        };
        page.await.transpose()
    }
}

/// A message to send.
#[derive(InputObject, Clone)]
pub struct SendMessageInput {
    /// Id of the match.
    match_id: ID,
    /// A ULID that you make up for the message, so that the same input sent again sends one message. Its time is when
    /// the message was sent: not in the future, and at most a day ago. Defaults to a new one.
    message_id: Option<String>,
    /// Text: 1 to 4000 characters.
    text: Given<Text<1, 4000>>,
}

/// Up to which message the viewer has read.
#[derive(InputObject, Clone)]
pub struct MarkReadInput {
    /// Id of the last message that was read.
    message_id: ID,
}

payloads! {
    /// The result of `sendMessage`.
    SendMessagePayload {
        /// The message; null if it was not sent.
        message: Message
    }
    /// The result of `markRead`.
    MarkReadPayload {
        /// The match; null if it was not changed.
        r#match: Match
    }
}

mutations! {
    /// Mutations of messages.
    MessageMutation {
        /// Sends a message to the other side of a match.
        send_message("The message.", SendMessageInput) -> SendMessagePayload = send,
        /// Marks a message and all earlier ones of the match as read by the viewer.
        mark_read("The message.", MarkReadInput) -> MarkReadPayload = mark,
    }
}

async fn send(request: Request<'_>, input: SendMessageInput) -> Written<Message> {
    let sent = store(request.session, input).await?;
    if sent.is_written {
        let event = || Event::Sent(sent.entity.clone());
        request.desk.live.announce(event);
    }
    Ok(sent)
}

const NO_MATCH: Rule = Rule::NotFound("does not name a match of yours");

/// One TransactWriteItems: the message, if the match is between the two and the viewer is one of them.
async fn store(session: &Session, input: SendMessageInput) -> Written<Message> {
    let mut check = Check::default();
    let id = Match::named(&input.match_id, session).map_err(|_| NO_MATCH);
    let own = id.and_then(|id| Ok((id.party(session).ok_or(NO_MATCH)?, id)));
    let own = check.need("matchId", own);
    let message_id = request(input.message_id.as_deref(), session);
    let recent = message_id.and_then(|ulid| match ulid.moment() {
        Some(sent) if session.tables.now() - sent <= chrono::TimeDelta::days(1) => Ok(ulid),
        _ => Err(Rule::Invalid("a ULID of the last day")),
    });
    let message_id = check.need("messageId", recent);
    let text = check.need("text", input.text);
    let message = check.finish(|| {
        let (sender, of) = own?;
        Some(Message {
            message_id: message_id?.into(),
            of,
            sender,
            text: text?,
            stamp: Stamp::new(session.now()),
        })
    })?;
    let of = message.of.clone();
    let with = |unit: &mut Unit<Violations>| {
        unit.check::<Match>(&of, of.is_true())
            .or(NO_MATCH.at("matchId"));
    };
    with_id_at(session.tables.create(message, with).await, "messageId")
}

/// One GetItem and one TransactWriteItems: the match, if the message exists.
async fn mark(session: &Session, input: MarkReadInput) -> Written<Match> {
    const NO_MESSAGE: Rule = Rule::NotFound("does not name a message of yours");
    let refused = || NO_MESSAGE.at("messageId");
    let (of, message) = Message::named(&input.message_id, session).map_err(|_| refused())?;
    let read = |stored: &Match, unit: &mut Unit<Violations>| {
        let party = stored.party(session).ok_or_else(refused)?;
        if stored.match_id != of.match_id {
            return Err(refused());
        }
        let next = stored.reading(party, message.raw());
        if next != *stored {
            let id = (of.clone(), message);
            unit.check::<Message>(&id, Condition::Exists).or(refused());
        }
        Ok(next)
    };
    match session.tables.change(&of, None, read).await {
        Err(crate::table::ChangeError::NotFound) => Err(refused().into()),
        written => written,
    }
}

/// Subscriptions to messages.
#[derive(Default)]
pub struct MessageSubscription;

#[Subscription]
impl MessageSubscription {
    /// Messages that others send to the viewer, of all matches.
    async fn message_received(
        &self,
        ctx: &Context<'_>,
    ) -> Result<BoxStream<'static, Result<Message, ApiError>>, ApiError> {
        let session = session(ctx)?.clone();
        let received = move |event: &Event| match event {
            Event::Sent(message) => {
                let receiver: Option<Party> = message.of.party(&session);
                let is_for_viewer = receiver.is_some_and(|side| side != message.sender);
                is_for_viewer.then(|| message.clone())
            }
            Event::Matched(_) => None,
        };
        Ok(desk(ctx)?.live.watch_for(received))
    }
}
