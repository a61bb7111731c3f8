//! Changes as they happen.

use std::sync::Arc;
use std::time::Duration;

use async_graphql::{Context, Enum, ID, Object, Subscription};
use futures_util::future::ready;
use futures_util::stream::{BoxStream, StreamExt as _, once};

use super::types::AnyShareable;
use crate::api::{Answer, ApiError, Live};
use crate::services::shareables::checklist::ChecklistItem;
use crate::services::shareables::desk::{Desk, unopened};
use crate::services::shareables::live::{Event, Happened};
use crate::services::shareables::part::Named;
use crate::services::shareables::short_id::ShortId;
use crate::services::shareables::token::Claims;

/// What happened to a shareable.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShareableChangeKind {
    /// The checklist or poll itself changed, or an option of the poll.
    Changed,
    /// An item was added, changed, moved or ticked.
    ItemChanged,
    /// Several items moved: read them again.
    ItemsMoved,
    /// An item was deleted.
    ItemDeleted,
    /// Somebody voted.
    Voted,
    /// The shareable was deleted. No further change follows.
    Deleted,
}

/// A change of a shareable.
pub struct ShareableChange {
    event: Arc<Event>,
    kind: ShareableChangeKind,
    claims: Claims,
}

/// A change of a shareable.
#[Object]
impl ShareableChange {
    /// What happened.
    async fn kind(&self) -> ShareableChangeKind {
        self.kind
    }

    /// Short id of the shareable.
    async fn short_id(&self) -> String {
        self.event.short_id.to_string()
    }

    /// With ITEM_CHANGED: the item after the change.
    async fn item(&self) -> Option<ChecklistItem> {
        match &self.event.what {
            Happened::Item(item) => Some(ChecklistItem::clone(item)),
            _ => None,
        }
    }

    /// With ITEM_CHANGED and ITEM_DELETED: ID of the item.
    async fn item_id(&self) -> Option<ID> {
        let id = match &self.event.what {
            Happened::Item(item) => item.checklist_item_id,
            Happened::ItemDeleted(id) => *id,
            _ => return None,
        };
        Some(Named::Item(self.event.short_id.clone(), id).to_id())
    }

    /// The shareable as it is now. `null` if it was deleted.
    async fn shareable(&self, ctx: &Context<'_>) -> Answer<AnyShareable> {
        let read = async { Desk::of(ctx)?.shareable(&self.claims).await };
        let found = read.await;
        found.map(|found| found.map(AnyShareable::from)).transpose()
    }
}

fn kind_of(what: &Happened) -> Option<ShareableChangeKind> {
    Some(match what {
        Happened::Changed => ShareableChangeKind::Changed,
        Happened::Item(_) => ShareableChangeKind::ItemChanged,
        Happened::ItemsMoved => ShareableChangeKind::ItemsMoved,
        Happened::ItemDeleted(_) => ShareableChangeKind::ItemDeleted,
        Happened::Voted => ShareableChangeKind::Voted,
        Happened::Deleted => ShareableChangeKind::Deleted,
        Happened::PasscodesChanged { .. } => return None,
    })
}

/// Subscriptions.
pub struct Subscription;

/// Subscriptions.
#[Subscription]
impl Subscription {
    /// Changes of the shareable that the token opens, from now on. Ends with UNAUTHENTICATED when the token expires
    /// or its passcode changes, and with SERVICE_UNAVAILABLE if the client reads too slowly: read the current state, then
    /// subscribe again.
    async fn shareable_changed(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Short id of the shareable.")] short_id: String,
    ) -> Result<BoxStream<'static, Result<ShareableChange, ApiError>>, ApiError> {
        let desk = Desk::of(ctx)?;
        let claims = desk.claims()?;
        if ShortId::parse(&short_id).as_ref() != Ok(&claims.short_id) {
            return Err(unopened());
        }
        // Watched before the passcode is checked, so that no change in between is missed.
        let changes = watch(&desk.shared.live, claims.clone());
        desk.shareable(&claims).await?.ok_or_else(unopened)?;
        let left = claims.expires - desk.now().timestamp();
        let left = Duration::from_secs(u64::try_from(left).unwrap_or_default());
        let changes = changes.take_until(tokio::time::sleep(left));
        Ok(changes.chain(once(ready(Err(unopened())))).boxed())
    }
}

fn watch(
    live: &Live<Event>,
    claims: Claims,
) -> BoxStream<'static, Result<ShareableChange, ApiError>> {
    let changes = live.watch().filter_map(move |event| {
        let change = match event {
            Ok(event) if event.short_id == claims.short_id => match kind_of(&event.what) {
                Some(kind) => Some(Ok(ShareableChange {
                    event,
                    kind,
                    claims: claims.clone(),
                })),
                None => match &event.what {
                    Happened::PasscodesChanged { seals } if seals.contains(&claims.seal) => None,
                    _ => Some(Err(unopened())),
                },
            },
            Ok(_) => None,
            Err(missed) => Some(Err(missed.into())),
        };
        ready(change)
    });
    changes.boxed()
}
