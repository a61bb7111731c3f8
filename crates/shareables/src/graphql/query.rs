//! Queries.

use async_graphql::{Context, ID, Object};
use futures_util::try_join;

use super::node::Node;
use super::types::AnyShareable;
use crate::checklist::ChecklistItem;
use crate::part::Named;
use crate::poll::PollOption;
use crate::request_context::RequestContext;
use crate::short_id::ShortId;
use crate::token::{Claims, ShareableKind};
use trestle_api::{ApiError, QueryResult};

/// The most ids that `nodes` accepts.
const MAX_NODES: usize = 100;

/// Queries.
#[derive(Default)]
pub struct Query;

/// Queries. Each needs a token of `openShareable` and returns only what that token opens.
#[Object]
impl Query {
    /// The shareable with this short id. `null` if the token does not open it.
    async fn shareable(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Short id, in any case, with or without hyphens.")] short_id: String,
    ) -> QueryResult<AnyShareable> {
        let read = async {
            let context = RequestContext::of(ctx)?;
            let claims = context.claims()?;
            if ShortId::parse(&short_id).as_ref() != Ok(&claims.short_id) {
                return Ok(None);
            }
            let fields = ctx.look_ahead();
            if fields.field("items").exists() || fields.field("options").exists() {
                whole(context, &claims).await
            } else {
                Ok(context.shareable(&claims).await?.map(AnyShareable::from))
            }
        };
        read.await.transpose()
    }

    /// An object by its ID. `null` if the token does not open it.
    async fn node(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "ID of the object.")] id: ID,
    ) -> QueryResult<Node> {
        let found = nodes(ctx, &[id]).await;
        found.map(|mut found| found.pop().flatten()).transpose()
    }

    /// Objects by their IDs, in the same order. `null` for each that the token does not open.
    async fn nodes(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "IDs of the objects, at most 100.")] ids: Vec<ID>,
    ) -> Result<Vec<Option<Node>>, ApiError> {
        nodes(ctx, &ids).await
    }
}

/// A shareable with all its items or options. One GetItem and one Query, sent together.
async fn whole(
    context: RequestContext<'_>,
    claims: &Claims,
) -> Result<Option<AnyShareable>, ApiError> {
    let parts = async {
        Ok(match claims.kind {
            ShareableKind::Checklist => (Some(context.parts(&claims.short_id).await?), None),
            ShareableKind::Poll => (None, Some(context.parts(&claims.short_id).await?)),
        })
    };
    let (shareable, (items, options)) = try_join!(context.shareable(claims), parts)?;
    Ok(shareable.map(|shareable| AnyShareable::with(shareable, items, options)))
}

/// Objects by their ids. One GetItem, and one Query if any is an item or an option.
async fn nodes(ctx: &Context<'_>, ids: &[ID]) -> Result<Vec<Option<Node>>, ApiError> {
    if ids.len() > MAX_NODES {
        let message = format!("`ids` must have at most {MAX_NODES} entries.");
        return Err(ApiError::bad_input(message));
    }
    let context = RequestContext::of(ctx)?;
    let claims = context.claims()?;
    let own = |named: &Named| *named.short_id() == claims.short_id;
    let named: Vec<_> = ids.iter().map(|id| Named::of_id(id).filter(own)).collect();
    let none = || Ok(ids.iter().map(|_| None).collect());
    let has = |wanted: fn(&Named) -> bool| named.iter().flatten().any(wanted);
    if !has(|_| true) {
        return none();
    }
    let has_parts = has(|named| matches!(named, Named::Item(..) | Named::Option(..)));
    let parts = async {
        Ok(if has_parts {
            try_join!(
                context.parts_if::<ChecklistItem>(&claims),
                context.parts_if::<PollOption>(&claims)
            )?
        } else {
            (Vec::new(), Vec::new())
        })
    };
    let (shareable, (items, options)) = try_join!(context.shareable(&claims), parts)?;
    let Some(shareable) = shareable else {
        return none();
    };
    let node = |named: Option<Named>| match named? {
        Named::Shareable(_) => Some(AnyShareable::from(shareable.clone()).into()),
        Named::Item(_, id) => {
            let mut items = items.iter();
            let found = items.find(|item| item.checklist_item_id == id);
            found.cloned().map(Node::ChecklistItem)
        }
        // A vote is read in its poll, which may hide it; the others by admins.
        Named::Vote(..) | Named::Device(..) | Named::Invitation(..) => None,
        Named::Option(_, id) => {
            let mut options = options.iter();
            let found = options.find(|option| option.poll_option_id == id);
            found.cloned().map(Node::PollOption)
        }
    };
    Ok(named.into_iter().map(node).collect())
}
