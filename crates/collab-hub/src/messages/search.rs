//! Search in the conversations of the viewer, by reading their messages.

use async_graphql::{Context, ID, Object};

use super::{Message, MessageType, of_conversation};
use crate::conversations::{Conversation, of_user};
use crate::member::active;
use crate::startups::folded;
use trestle_api::{ApiError, Connection, Node as _, QueryResult, Session, page, session};
use trestle_domain::{Id, Text, UserId};
use trestle_table::{Listing, PageAsk, Pk, TableError};

/// Number of conversations that are searched, at most: those with the newest messages.
const SEARCHED: usize = 20;
/// Number of messages that are read for one page, at most.
const READ_FOR_A_PAGE: usize = 4000;

/// Messages of these conversations that contain every word, newest first. `CONVERSATION#conversation` / `MESSAGE#`, one Query
/// for each conversation, and further ones until the page is full or the bound is reached.
fn containing(conversations: &[Id<Conversation>], query: &str) -> Option<Listing<Message>> {
    let words: Vec<_> = query.split_whitespace().map(folded).collect();
    let name = format!("containing {}", words.join(" "));
    let partitions = conversations.iter().map(|id| Pk::of("CONVERSATION", *id));
    let list = of_conversation(*conversations.first()?).merging(partitions);
    let list = list.keeping(name, move |message: &Message| {
        let is_said = message.kind != MessageType::System && message.deleted_at.is_none();
        let content = folded(message.content.as_str());
        is_said && words.iter().all(|word| content.contains(word))
    });
    Some(list.reading_at_most(READ_FOR_A_PAGE / conversations.len()))
}

/// The conversations with the newest messages in which a user takes part. A Query and a BatchGetItem.
async fn newest(session: &Session, user: &UserId) -> Result<Vec<Id<Conversation>>, TableError> {
    let ask = PageAsk::first(SEARCHED);
    let page = session.tables.page(&of_user(user), &ask, &()).await?;
    let entries = page.rows.into_iter().filter_map(|row| row.entity.ok());
    let ids: Vec<_> = entries.map(|entry| entry.conversation_id).collect();
    let found = session.tables.batch::<Conversation>(&ids).await?;
    let found = found.into_iter().flatten().filter_map(Result::ok);
    let own = found.filter(|conversation| conversation.includes(user));
    Ok(own
        .map(|conversation| conversation.conversation_id)
        .collect())
}

/// Queries for messages.
#[derive(Default)]
pub struct MessageQuery;

#[Object]
impl MessageQuery {
    /// Messages that contain every word of `query`, newest first, in one conversation of the viewer, or in the 20 with the newest
    /// messages. A page reads at most 4,000 messages; one that ends early has fewer edges, and its `endCursor` continues after
    /// the last message that was read. Null if the viewer takes part in no conversation.
    async fn search_messages(
        &self,
        ctx: &Context<'_>,
        #[graphql(
            desc = "Words to search for, 1 to 100 characters. Letter case and accents are ignored."
        )]
        query: String,
        #[graphql(desc = "The conversation's id. Defaults to those with the newest messages.")]
        conversation_id: Option<ID>,
    ) -> QueryResult<Connection<Message>> {
        let found = async {
            let session = session(ctx)?;
            let member = active(session).await?;
            let query: Text<1, 100> = Text::parse(&query)
                .map_err(|_| ApiError::bad_input("`query` must have 1 to 100 characters."))?;
            let conversations = match conversation_id {
                Some(id) => vec![own(session, &member.id, &id).await?],
                None => newest(session, &member.id).await?,
            };
            match containing(&conversations, query.as_str()) {
                Some(list) => page(ctx, &list, &()).await.map(Some),
                None => Ok(None),
            }
        };
        found.await.transpose()
    }
}

/// A conversation in which the user takes part.
async fn own(session: &Session, user: &UserId, id: &ID) -> Result<Id<Conversation>, ApiError> {
    if let Ok(id) = Conversation::named(id, session)
        && let Some(conversation) = session.load::<Conversation>(&id).await?
        && conversation.includes(user)
    {
        return Ok(id);
    }
    let message = "`conversationId` does not name a conversation of yours.";
    Err(ApiError::bad_input(message))
}
