//! Messages in the API.

use async_graphql::{ComplexObject, Context, ID, InputObject, Object, Subscription};
use futures_util::stream::BoxStream;

use crate::access::Party;
use crate::jobs::input::request as made_up;
use crate::matches::{LAST_MESSAGE, Match, sent_by};
use crate::runs::belonging::must_be_kept;
use crate::service_state::{Event, Request, service_state};
use crate::stored_revision::made_with;
use trestle_api::{
    ApiError, Connection, Input, MutationResult, Node as _, QueryResult, Session, page, session,
    with_id_at,
};
use trestle_api::{mutations, payloads};
use trestle_domain::{Check, Moment, Rule, Text, Ulid};
use trestle_table::{
    ChangeError, Changed, Condition, Entity as _, Listing, PageAsk, TableError, Tables, UnitError,
    Versioned as _,
};

use super::{MatchRef, Message, Receipt, between, of_match};

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
    async fn is_read(&self, ctx: &Context<'_>) -> QueryResult<bool> {
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
    async fn its_match(&self, ctx: &Context<'_>) -> QueryResult<Match> {
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
    ) -> QueryResult<Connection<Message>> {
        let page = async {
            let session = session(ctx)?;
            let Ok(id) = Match::named(&match_id, session) else {
                return Ok(None);
            };
            let found = Match::of_reader(session, &id).await?;
            match found.filter(|found| found.match_id == id.match_id) {
                Some(found) => Ok(Some(page(ctx, &of_match(found.match_id), &()).await?)),
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
    /// A ULID that you make up for the message, so that the same input sent again sends one message: not of the future, and at
    /// most a day old. Messages are ordered by the time when the server stores them.
    message_id: Option<String>,
    /// The side on which you write. For viewers who are on both sides.
    #[graphql(name = "as")]
    side: Option<Party>,
    /// Text: 1 to 4000 characters.
    text: Input<Text<1, 4000>>,
}

/// Up to which message the viewer has read.
#[derive(InputObject, Clone)]
pub struct MarkReadInput {
    /// Id of the last message that was read.
    message_id: ID,
    /// The side on which you read. For viewers who are on both sides.
    #[graphql(name = "as")]
    side: Option<Party>,
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
        send_message(SendMessageInput) -> SendMessagePayload = send,
        /// Marks a message and all earlier ones of the match as read by the viewer.
        mark_read(MarkReadInput) -> MarkReadPayload = mark,
    }
}

async fn send(request: Request<'_>, input: SendMessageInput) -> MutationResult<Message> {
    let sent = store(&request, input).await?;
    if sent.is_written {
        request
            .service
            .live
            .announce(|| Event::Sent(sent.entity.clone()));
    }
    Ok(sent)
}

const USED: Rule = Rule::Conflict("is already used by something else");
const NO_MATCH: Rule = Rule::NotFound("does not name a match of yours");

/// One TransactWriteItems: the message, if the match is between the two and the viewer is one of them, its count, and what
/// makes a repeat harmless. A repeat takes two GetItem more. Messages are in the order in which they are stored, whatever
/// the clocks of servers say: where the newest message has a later id than this one, one GetItem and another try.
async fn store(request: &Request<'_>, input: SendMessageInput) -> MutationResult<Message> {
    let Request { session, service } = request;
    let now = session.tables.now();
    let mut check = Check::default();
    let id = Match::named(&input.match_id, session).map_err(|_| NO_MATCH);
    let own = id.and_then(|id| Ok((id.chosen(input.side, session).ok_or(NO_MATCH)?, id)));
    let own = check.need("matchId", own);
    let repeated = input.message_id.as_deref().map(|given| {
        let ulid = made_up(Some(given), session)?;
        match ulid.moment() {
            Some(sent) if now - sent <= chrono::TimeDelta::days(1) => Ok(ulid),
            _ => Err(Rule::Invalid("a ULID of the last day")),
        }
    });
    let repeated = check.if_given("messageId", repeated);
    let text = check.need("text", input.text);
    let mut message = check.finish(|| {
        let (sender, of) = own?;
        let id = service.ids.next(now);
        Some(Message {
            message_id: id.into(),
            of,
            sender,
            text: text?,
            stamp: made_with(id, now),
        })
    })?;
    let mut retries = session.tables.retries();
    loop {
        let receipt = repeated.map(|client_id| Receipt::of(&message, client_id));
        let written = write(session, &message, receipt.as_ref()).await;
        let is_refused = |rule: Rule, field| match &written {
            Err(ChangeError::Refused(rules)) => *rules == rule.at(field),
            _ => false,
        };
        if let Some(receipt) = receipt.filter(|_| is_refused(USED, "messageId")) {
            let earlier = receipt.earlier(&session.tables).await?;
            let earlier = earlier
                .filter(|earlier| earlier.sender == message.sender && earlier.text == message.text)
                .ok_or_else(|| USED.at("messageId"))?;
            return Ok(Changed::before(earlier));
        }
        // Another server may have stored a message under a later id, or under this one.
        let is_late = is_refused(NO_MATCH, "matchId") || matches!(written, Err(ChangeError::Taken));
        let last = if is_late {
            newest(session, &message.of).await?
        } else {
            None
        };
        let Some(next) = last.filter(|last| *last >= message.message_id.raw()) else {
            return with_id_at(written, "messageId");
        };
        message.message_id = next.next().into();
        message.stamp = made_with(next.next(), now);
        retries.pause().await?;
    }
}

/// Writes a message as the newest one of its match.
async fn write(
    session: &Session,
    message: &Message,
    receipt: Option<&Receipt>,
) -> MutationResult<Message> {
    let (of, id) = (&message.of, message.message_id.raw());
    let created = session.tables.create(message.clone(), |unit| {
        let counted = (sent_by(message.sender), 1);
        unit.add_and_set::<Match>(of, counted, LAST_MESSAGE, &id, of.ends_before(id))
            .or(NO_MATCH.at("matchId"));
        must_be_kept(unit, of, &NO_MATCH.at("matchId"));
        if let Some(receipt) = receipt {
            unit.put_new(receipt).or(USED.at("messageId"));
        }
    });
    created.await
}

/// The newest message of a match, if it is the one that the id names.
async fn newest(session: &Session, of: &MatchRef) -> Result<Option<Ulid>, TableError> {
    let stored: Option<Match> = session.tables.get(of).await?;
    let stored = stored.filter(|stored| stored.identity() == *of);
    Ok(stored.and_then(|stored| stored.last_message))
}

const NO_MESSAGE: Rule = Rule::NotFound("does not name a message of yours");

/// One GetItem, one Query of the messages that become read, and one TransactWriteItems: the match, if the message exists.
async fn mark(session: &Session, input: MarkReadInput) -> MutationResult<Match> {
    let tables = &session.tables;
    let (of, message) =
        Message::named(&input.message_id, session).map_err(|_| NO_MESSAGE.at("messageId"))?;
    let mut retries = tables.retries();
    loop {
        let stored: Option<Match> = tables.get(&of).await?;
        let stored = stored.filter(|stored| stored.match_id == of.match_id);
        let stored = stored.ok_or_else(|| NO_MESSAGE.at("messageId"))?;
        let party = stored.identity().chosen(input.side, session);
        let party = party.ok_or_else(|| NO_MESSAGE.at("messageId"))?;
        let read = stored.read_by(party);
        if read.is_some_and(|read| message.raw() <= read) {
            return Ok(Changed::before(stored));
        }
        let count = sent_between(
            tables,
            party.other(),
            between(of.match_id, read, message.raw()),
        );
        let mut next = stored.reading(party, message.raw(), count.await?);
        next.advance(tables.now());
        let mut unit = tables.unit();
        let key = Match::key_of(&of);
        unit.update_at(&key, &stored, &next, stored.unchanged());
        let id = (of.clone(), message);
        unit.check::<Message>(&id, Condition::Exists)
            .or(NO_MESSAGE.at("messageId"));
        match unit.commit().await {
            Ok(()) => return Ok(Changed::now(next)),
            Err(UnitError::Table(error)) => return Err(error.into()),
            Err(UnitError::Canceled(mut canceled)) => {
                if let Some(refusal) = canceled.refusal() {
                    return Err(refusal.into());
                }
                if let Some(lasting) = canceled.lasting() {
                    return Err(lasting.into());
                }
            }
        }
        retries.pause().await?;
    }
}

/// How many messages of a list a side has sent. One Query for about every 1,000.
async fn sent_between(
    tables: &Tables,
    by: Party,
    list: Listing<Message>,
) -> Result<u32, TableError> {
    let (mut count, mut ask) = (0, PageAsk::first(999));
    loop {
        let page = tables.page(&list, &ask, &()).await?;
        let messages = page.rows.iter().filter_map(|row| row.entity.as_ref().ok());
        let sent = messages.filter(|message| message.sender == by).count();
        count += u32::try_from(sent).unwrap_or(u32::MAX);
        match page.rows.last().filter(|_| page.more) {
            Some(last) => ask.place = Some(last.place.clone()),
            None => return Ok(count),
        }
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
                let receiver = message.of.chosen(Some(message.sender.other()), &session);
                receiver.map(|_| message.clone())
            }
            Event::Matched(_) | Event::Posted(_) => None,
        };
        Ok(service_state(ctx)?.live.watch_for(received))
    }
}
