//! What subscribers are told of a change.

use std::sync::Arc;

use async_graphql::{Context, Enum, ID, Object};

use super::types::AnyShareable;
use crate::checklist::ChecklistItem;
use crate::live::{Event, EventKind};
use crate::part::Named;
use crate::poll::{PollOption, PollVote};
use crate::request_context::RequestContext;
use crate::shareable::Content;
use crate::token::{Claims, ShareableKind};
use trestle_api::{ApiError, QueryResult, list_size};
use trestle_domain::Moment;

/// What happened to a shareable.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShareableChangeKind {
    /// The checklist or poll itself changed.
    Changed,
    /// An item was added, changed, moved or ticked.
    ItemChanged,
    /// Several items were added, moved or unticked.
    ItemsMoved,
    /// An item was deleted.
    ItemDeleted,
    /// The ticked items were deleted.
    ItemsDeleted,
    /// An option was added, changed or moved.
    OptionChanged,
    /// Several options moved.
    OptionsMoved,
    /// An option was deleted.
    OptionDeleted,
    /// Somebody voted, changed their vote or took it back.
    Voted,
    /// The admin removed a vote.
    VoteRemoved,
    /// The shareable was deleted. No further change follows.
    Deleted,
}

/// The kind of a change that is reported.
pub fn kind_of(what: &EventKind) -> Option<ShareableChangeKind> {
    Some(match what {
        EventKind::Changed => ShareableChangeKind::Changed,
        EventKind::Item(_) => ShareableChangeKind::ItemChanged,
        EventKind::Items(_) => ShareableChangeKind::ItemsMoved,
        EventKind::ItemDeleted(_) => ShareableChangeKind::ItemDeleted,
        EventKind::ItemsDeleted(_) => ShareableChangeKind::ItemsDeleted,
        EventKind::Option(_) => ShareableChangeKind::OptionChanged,
        EventKind::Options => ShareableChangeKind::OptionsMoved,
        EventKind::OptionDeleted(_) => ShareableChangeKind::OptionDeleted,
        EventKind::Voted(_) => ShareableChangeKind::Voted,
        EventKind::VoteRemoved(_) => ShareableChangeKind::VoteRemoved,
        EventKind::Deleted => ShareableChangeKind::Deleted,
        EventKind::AccessChanged => return None,
    })
}

/// A change of a shareable.
pub struct ShareableChange {
    event: Arc<Event>,
    kind: ShareableChangeKind,
    claims: Claims,
}

impl ShareableChange {
    pub fn new(event: Arc<Event>, kind: ShareableChangeKind, claims: Claims) -> Self {
        Self {
            event,
            kind,
            claims,
        }
    }

    /// Whether the poll shows its votes to everybody.
    fn shows_votes(&self, context: RequestContext<'_>) -> bool {
        let current = self.event.current.get().and_then(Option::as_ref);
        current.is_some_and(|poll| match &poll.content {
            Content::Poll(content) => {
                let until = content.votable_until(poll.expires_at).seconds();
                !content.hides_results || context.now().timestamp() >= until
            }
            Content::Checklist(_) => false,
        })
    }
}

/// A change of a shareable. It carries what changed, so that nothing has to be read again.
#[Object]
impl ShareableChange {
    /// What happened.
    async fn kind(&self) -> ShareableChangeKind {
        self.kind
    }

    /// When it happened.
    async fn at(&self) -> Moment {
        self.event.at
    }

    /// Short id of the shareable.
    async fn short_id(&self) -> String {
        self.event.short_id.to_string()
    }

    /// With ITEM_CHANGED: the item after the change.
    async fn item(&self) -> Option<ChecklistItem> {
        match &self.event.what {
            EventKind::Item(item) => Some(ChecklistItem::clone(item)),
            _ => None,
        }
    }

    /// With ITEMS_MOVED: the items that changed, after the change, at most 200. All others are as they were.
    #[graphql(directive = list_size::apply(200))]
    async fn items(&self) -> Option<&[ChecklistItem]> {
        match &self.event.what {
            EventKind::Items(items) => Some(items),
            _ => None,
        }
    }

    /// With ITEM_CHANGED and ITEM_DELETED: ID of the item.
    async fn item_id(&self) -> Option<ID> {
        let id = match &self.event.what {
            EventKind::Item(item) => item.checklist_item_id,
            EventKind::ItemDeleted(id) => *id,
            _ => return None,
        };
        Some(Named::Item(self.event.short_id.clone(), id).to_id())
    }

    /// With ITEMS_DELETED: IDs of the items, at most 200.
    async fn item_ids(&self) -> Option<Vec<ID>> {
        let EventKind::ItemsDeleted(ids) = &self.event.what else {
            return None;
        };
        let short_id = &self.event.short_id;
        let ids = ids.iter();
        Some(
            ids.map(|id| Named::Item(short_id.clone(), *id).to_id())
                .collect(),
        )
    }

    /// With OPTION_CHANGED: the option after the change.
    async fn option(&self) -> Option<PollOption> {
        match &self.event.what {
            EventKind::Option(option) => Some(PollOption::clone(option)),
            _ => None,
        }
    }

    /// With OPTION_CHANGED and OPTION_DELETED: ID of the option.
    async fn option_id(&self) -> Option<ID> {
        let id = match &self.event.what {
            EventKind::Option(option) => option.poll_option_id,
            EventKind::OptionDeleted(id) => *id,
            _ => return None,
        };
        Some(Named::Option(self.event.short_id.clone(), id).to_id())
    }

    /// Of a poll: all options with their counts, as they are now, at most 20.
    #[graphql(directive = list_size::apply(20))]
    async fn options(&self, ctx: &Context<'_>) -> QueryResult<Vec<PollOption>> {
        if self.claims.kind != ShareableKind::Poll {
            return None;
        }
        let read = async {
            let context = RequestContext::of(ctx)?;
            let short_id = &self.event.short_id;
            let options = self
                .event
                .options
                .get_or_try_init(|| context.parts(short_id));
            Ok::<_, ApiError>(options.await?.clone())
        };
        Some(read.await)
    }

    /// With VOTED: the vote after the change. `null` as long as the poll hides its results, unless it is one's own.
    async fn vote(&self, ctx: &Context<'_>) -> QueryResult<PollVote> {
        let EventKind::Voted(vote) = &self.event.what else {
            return None;
        };
        let shown = RequestContext::of(ctx).map(|context| {
            let is_own = vote.voter_id == self.claims.public_voter_id();
            is_own || self.shows_votes(context)
        });
        shown
            .map(|shown| shown.then(|| PollVote::clone(vote)))
            .transpose()
    }

    /// With VOTE_REMOVED: ID of the vote. `null` as long as the poll hides its results.
    async fn vote_id(&self, ctx: &Context<'_>) -> QueryResult<ID> {
        let EventKind::VoteRemoved(voter) = &self.event.what else {
            return None;
        };
        let shown = RequestContext::of(ctx).map(|context| self.shows_votes(context));
        let id = || Named::Vote(self.event.short_id.clone(), *voter).to_id();
        shown.map(|shown| shown.then(id)).transpose()
    }

    /// The shareable after the change. `null` if it was deleted.
    async fn shareable(&self) -> Option<AnyShareable> {
        let current = self.event.current.get().cloned().flatten();
        current.map(AnyShareable::from)
    }
}
