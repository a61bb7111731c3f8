//! Items that were deleted: kept for a while, so that they can be restored, and no late request adds them again.

use async_graphql::ID;
use chrono::{DateTime, Utc};
use futures_util::future::try_join_all;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::checklist::{ChecklistItem, FULL, MAX_ITEMS, NewItem};
use super::live::EventKind;
use super::part::{Named, key_of_part};
use super::request_context::{
    EXPIRED, Made, NOT_THERE, Refused, RequestContext, failed, needs_admin, refused,
};
use super::shareable::Shareable;
use super::short_id::ShortId;
use super::table::TABLE;
use super::ticking::named;
use super::token::{Claims, ShareableKind, ShareableRole, ViewerPermission};
use trestle_api::{ApiError, Failed};
use trestle_domain::{Rule, Violations};
use trestle_table::{
    ChangeError, Changed, Condition, Entity, Key, TableDefinition, TransactionBuilder,
};

/// How long a deleted item is kept, in seconds: 30 days.
const KEPT: i64 = 30 * 24 * 3600;
/// How often a change that met others is tried.
const TRIES: usize = 8;
/// How many items one transaction deletes: each is deleted and kept, beside their checklist.
const TOGETHER: usize = 49;

/// A deleted item: `deleted_item#abcdef12345` / `01#<uuid without dashes>#`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeletedItem {
    short_id: ShortId,
    checklist_item_id: Uuid,
    /// The item as it was.
    item: ChecklistItem,
    ttl: i64,
}

impl Entity for DeletedItem {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "deleted_item";
    type Id = (ShortId, Uuid);

    fn key_of((short_id, id): &Self::Id) -> Key {
        key_of_part(Self::KIND, short_id, id)
    }

    fn identity(&self) -> Self::Id {
        (self.short_id.clone(), self.checklist_item_id)
    }

    fn expires(&self) -> Option<i64> {
        Some(self.ttl)
    }
}

impl DeletedItem {
    fn new(item: &ChecklistItem, now: DateTime<Utc>) -> Self {
        let (short_id, checklist_item_id) = item.identity();
        Self {
            short_id,
            checklist_item_id,
            item: item.clone(),
            ttl: now.timestamp() + KEPT,
        }
    }

    /// The item as it is kept again.
    fn restored(&self, checklist: &Shareable) -> ChecklistItem {
        ChecklistItem {
            ttl: Some(checklist.ttl()),
            ..self.item.clone()
        }
    }

    /// Whether it still matters. TTL deletes late.
    fn is_kept(&self, now: DateTime<Utc>) -> bool {
        now.timestamp() < self.ttl
    }
}

/// Refuses new items of which one was deleted before under the same id: a request of a device that was offline may come
/// long after somebody has deleted what it adds. One BatchGetItem if the client has made their ids.
pub async fn refuse_deleted(
    context: RequestContext<'_>,
    short_id: &ShortId,
    new: &[NewItem],
    field: &'static str,
) -> Result<(), Failed> {
    const DELETED: Rule =
        Rule::Conflict("names an item that was deleted: `restoreChecklistItem` brings it back");
    let ids = new.iter().filter_map(|item| item.id);
    let ids: Vec<_> = ids.map(|id| (short_id.clone(), id)).collect();
    let found = ids.iter().map(|id| context.session.load::<DeletedItem>(id));
    let found = try_join_all(found).await?;
    let mut found = found.into_iter().flatten();
    if found.any(|deleted| deleted.is_kept(context.now())) {
        return refused(DELETED, field);
    }
    Ok(())
}

/// Refuses who may not delete or restore an item: who has the view passcode may if they can change items, and have added it
/// themselves. An item that is not there is nobody else's.
async fn admit_remover(
    context: RequestContext<'_>,
    claims: &Claims,
    item: Option<&ChecklistItem>,
) -> Result<(), Failed> {
    if claims.role == ShareableRole::Admin {
        return Ok(());
    }
    let Some(checklist) = context.current(claims).await? else {
        return refused(EXPIRED, "id");
    };
    let may_edit = checklist.permits(claims.role, ViewerPermission::Edit);
    if may_edit.is_err() || item.is_some_and(|item| !item.is_of(claims)) {
        return Err(needs_admin().into());
    }
    Ok(())
}

/// Deletes an item, which is kept for a while. Two GetItem, three with the view passcode, and one TransactWriteItems of the
/// item, what is kept and their checklist.
pub async fn delete(context: RequestContext<'_>, id: &ID) -> Made<ID> {
    let claims = context.claims()?;
    let key = match (claims.role, named(&claims, id, "id")) {
        (ShareableRole::View, Err(_)) => return Err(needs_admin().into()),
        (_, key) => key?,
    };
    for _ in 0..TRIES {
        let item = context.tables().get::<ChecklistItem>(&key).await?;
        admit_remover(context, &claims, item.as_ref()).await?;
        let Some(item) = item else {
            // Only who can open the checklist learns that it is not there.
            context.shareable(&claims).await?;
            return refused(NOT_THERE, "id");
        };
        match delete_all(context, &claims, &[&item]).await {
            Err(ChangeError::Refused(Refused::Stale)) => {}
            deleted => {
                deleted.map_err(failed)?;
                context.announce(&key.0, EventKind::ItemDeleted(key.1));
                return Ok(Changed::now(id.clone()));
            }
        }
    }
    Err(ApiError::contended().into())
}

/// Deletes items with their checklist in one transaction, if they still are as they were read.
async fn delete_all(
    context: RequestContext<'_>,
    claims: &Claims,
    items: &[&ChecklistItem],
) -> Result<(), ChangeError<Refused>> {
    let count = u32::try_from(items.len()).unwrap_or(u32::MAX);
    let plan = |checklist: &Shareable, unit: &mut TransactionBuilder<Refused>| {
        context.admit(claims, checklist)?;
        for item in items {
            let same = Condition::is("name", &item.name).and(match &item.ticked_at {
                Some(at) => Condition::is("tickedAt", at),
                None => Condition::Lacks("tickedAt".into()),
            });
            unit.delete::<ChecklistItem>(&item.identity(), same)
                .or(Refused::Stale);
            unit.put(&DeletedItem::new(item, context.now()))
                .or(Refused::Stale);
        }
        Ok(Shareable {
            part_count: checklist
                .part_count
                .map(|before| before.saturating_sub(count)),
            ..checklist.clone()
        })
    };
    let changed = context.tables().change(&claims.short_id, None, plan);
    changed.await.map(drop)
}

/// Deletes the ticked items, which are kept for a while. One GetItem and one Query, sent together, then one GetItem and one
/// TransactWriteItems for each 49 ticked items. Items that others change meanwhile are read again.
pub async fn delete_ticked(context: RequestContext<'_>, short_id: &ShortId) -> Made<Vec<ID>> {
    let claims = context.admin_claims_on(short_id, Some(ShareableKind::Checklist))?;
    let mut deleted: Vec<Uuid> = Vec::new();
    for _ in 0..TRIES {
        let (current, items) = futures_util::try_join!(
            context.current(&claims),
            context.parts::<ChecklistItem>(short_id)
        )?;
        if current.is_none() {
            return refused(EXPIRED, "shortId");
        }
        let ticked: Vec<_> = items
            .iter()
            .filter(|item| item.ticked_at.is_some())
            .collect();
        let mut is_done = true;
        for some in ticked.chunks(TOGETHER) {
            match delete_all(context, &claims, some).await {
                Ok(()) => deleted.extend(some.iter().map(|item| item.checklist_item_id)),
                Err(ChangeError::Refused(Refused::Stale)) => is_done = false,
                Err(error) => return Err(failed(error)),
            }
        }
        if is_done {
            let is_written = !deleted.is_empty();
            let ids = deleted
                .iter()
                .map(|id| Named::Item(short_id.clone(), *id).to_id());
            let entity = ids.collect();
            if is_written {
                context.announce(short_id, EventKind::ItemsDeleted(deleted));
            }
            return Ok(Changed { entity, is_written });
        }
    }
    Err(ApiError::contended().into())
}

/// Restores a deleted item at its place. Two GetItem, three with the view passcode, and one TransactWriteItems of the item,
/// what was kept and their checklist.
pub async fn restore(context: RequestContext<'_>, id: &ID) -> Made<ChecklistItem> {
    let claims = context.claims()?;
    let key = match (claims.role, named(&claims, id, "id")) {
        (ShareableRole::View, Err(_)) => return Err(needs_admin().into()),
        (_, key) => key?,
    };
    let tables = context.tables();
    let kept = tables.get::<DeletedItem>(&key).await?;
    let kept = kept.filter(|kept| kept.is_kept(context.now()));
    let Some(kept) = kept else {
        // It may have been restored before.
        let item = tables.get::<ChecklistItem>(&key).await?;
        admit_remover(context, &claims, item.as_ref()).await?;
        context.shareable(&claims).await?;
        let item: Result<_, Violations> = item.ok_or_else(|| NOT_THERE.at("id"));
        return Ok(Changed::before(item?));
    };
    admit_remover(context, &claims, Some(&kept.item)).await?;
    let changed = tables.change(&key.0, None, |checklist: &Shareable, unit| {
        context.admit(&claims, checklist)?;
        if checklist.part_count.is_some_and(|count| count >= MAX_ITEMS) {
            return Err(FULL.at("id").into());
        }
        unit.delete::<DeletedItem>(&key, Condition::Exists)
            .or(Refused::Stale);
        unit.put_new(&kept.restored(checklist)).or(Refused::Stale);
        Ok(Shareable {
            part_count: checklist.part_count.map(|count| count + 1),
            ..checklist.clone()
        })
    });
    let changed = changed.await.map_err(failed)?;
    let item = kept.restored(&changed.entity);
    context.announce(&key.0, EventKind::Item(Box::new(item.clone())));
    Ok(Changed::now(item))
}
