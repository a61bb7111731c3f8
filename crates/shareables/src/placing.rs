//! Adding and moving the items of a checklist.

use async_graphql::ID;
use uuid::Uuid;

use super::checklist::{ChecklistItem, FULL, MAX_ITEMS, NewItem};
use super::deleted::refuse_deleted;
use super::live::EventKind;
use super::part::{Placed, many_before};
use super::request_context::{EXPIRED, Made, NOT_THERE, Refused, RequestContext, failed, refused};
use super::shareable::Shareable;
use super::short_id::ShortId;
use super::ticking::{committed, if_current, named, write};
use super::token::{Claims, ShareableKind, ViewerPermission};
use trestle_api::ApiError;
use trestle_domain::{Rule, Violations};
use trestle_table::{ChangeError, Changed, Condition, Entity as _, TransactionBuilder, Update};

/// How often a change that met others is tried.
const TRIES: usize = 8;

/// Moves an item: one GetItem and one Query, sent together, and one UpdateItem. If its new neighbours are too close, the
/// items of the shorter side move with it, in one TransactWriteItems.
pub async fn place(
    context: RequestContext<'_>,
    id: &ID,
    after: Option<&ID>,
) -> Made<ChecklistItem> {
    let claims = context.admin_claims()?;
    let id = named(&claims, id, "id")?;
    for _ in 0..TRIES {
        let (current, mut items) = futures_util::try_join!(
            context.current(&claims),
            context.parts::<ChecklistItem>(&id.0)
        )?;
        if current.is_none() {
            return refused(EXPIRED, "id");
        }
        let at = items.iter().position(|item| item.checklist_item_id == id.1);
        let at = at.ok_or_else(|| NOT_THERE.at("id"))?;
        let moved = items.remove(at);
        let index = index_after(&claims, &items, after, 0)?;
        if index == at {
            return Ok(Changed::before(moved));
        }
        match Placed::before(index, &orders(&items)) {
            Placed::At(order) => {
                let condition = if_current(context, Condition::Exists);
                let update = Update::new(ChecklistItem::key_of(&id), condition);
                return write(context, update.set("order", &order))
                    .await?
                    .done(context);
            }
            Placed::Respread(order, others) => {
                let next = ChecklistItem {
                    order,
                    ..moved.clone()
                };
                let mut unit = context.tables().unit();
                move_to(&mut unit, &moved, order);
                respread(&mut unit, &items, &others);
                if committed(unit).await? {
                    let all = others.iter().filter_map(|(at, order)| {
                        let item = items.get(*at)?.clone();
                        Some(ChecklistItem {
                            order: *order,
                            ..item
                        })
                    });
                    let all = all.chain([next.clone()]).collect();
                    context.announce(&id.0, EventKind::Items(all));
                    return Ok(Changed::now(next));
                }
            }
        }
    }
    Err(ApiError::contended().into())
}

/// The most items that are added at once: one transaction writes them and their checklist.
pub const MOST_AT_ONCE: usize = 99;

/// Items to add together.
#[derive(Clone, Copy)]
pub struct NewItems<'i> {
    pub items: &'i [NewItem],
    /// What they come after. Defaults to the last item.
    pub after: Option<&'i ID>,
    /// The input field from which their ids are, if the client has made them.
    pub id_field: &'static str,
}

impl NewItems<'_> {
    /// Those that the same request has added before; none if it has not.
    fn added_before(&self, items: &[ChecklistItem]) -> Result<Vec<ChecklistItem>, Violations> {
        const TAKEN: Rule = Rule::Conflict("is already used by another item: make another one up");
        let mut found = Vec::new();
        for new in self.items.iter().filter(|new| new.id.is_some()) {
            let mut items = items.iter();
            match items.find(|item| new.id == Some(item.checklist_item_id)) {
                Some(item) if new.is(item) => found.push(item.clone()),
                Some(_) => return Err(TAKEN.at(self.id_field)),
                None => {}
            }
        }
        Ok(found)
    }
}

/// Adds items, all or none of them. One Query, one GetItem and one TransactWriteItems of the items and their checklist.
pub async fn add(
    context: RequestContext<'_>,
    short_id: &ShortId,
    new: NewItems<'_>,
) -> Made<Vec<ChecklistItem>> {
    let claims = context.claims()?;
    if !claims.are_on(short_id, ShareableKind::Checklist) {
        return refused(NOT_THERE, "shortId");
    }
    for _ in 0..TRIES {
        let items = context.parts::<ChecklistItem>(short_id).await?;
        let before = new.added_before(&items)?;
        let index = if before.is_empty() {
            refuse_deleted(context, short_id, new.items, new.id_field).await?;
            index_after(&claims, &items, new.after, items.len())?
        } else {
            items.len()
        };
        let places = many_before(index, &orders(&items), new.items.len());
        let Some(places) = places.filter(|_| before.is_empty()) else {
            match context.current(&claims).await? {
                Some(checklist) => checklist.permits(claims.role, ViewerPermission::Add)?,
                None => return refused(EXPIRED, "shortId"),
            }
            if !before.is_empty() {
                return Ok(Changed::before(before));
            }
            let mut unit = context.tables().unit();
            let moved = Placed::moved_apart(index, &orders(&items));
            respread(&mut unit, &items, &moved);
            committed(unit).await?;
            continue;
        };
        let added = new.items.iter().zip(places);
        let added: Vec<_> = added
            .map(|(new, order)| new.added(&claims, order, context.session.now()))
            .collect();
        let items = match write_new(context, &claims, &added, items.len()).await {
            // Another request has added them since: it is the same one, or the id is taken.
            Err(ChangeError::Refused(Refused::Stale)) => continue,
            written => written.map_err(failed)?,
        };
        context.announce(
            short_id,
            match items.as_slice() {
                [item] => EventKind::Item(Box::new(item.clone())),
                _ => EventKind::Items(items.clone()),
            },
        );
        return Ok(Changed::now(items));
    }
    Err(ApiError::contended().into())
}

/// Writes items with their checklist, which has so many before if it does not say it. The items as they are kept.
async fn write_new(
    context: RequestContext<'_>,
    claims: &Claims,
    added: &[ChecklistItem],
    found: usize,
) -> Result<Vec<ChecklistItem>, ChangeError<Refused>> {
    let count_of = |items: usize| u32::try_from(items).unwrap_or(u32::MAX);
    let kept = |checklist: &Shareable| {
        let ttl = Some(checklist.ttl());
        let may_tick = checklist
            .permits(claims.role, ViewerPermission::Tick)
            .is_ok();
        let items = added.iter().cloned();
        items.map(move |item| ChecklistItem {
            ttl,
            // Who may not tick adds an open item.
            ticked_at: item.ticked_at.filter(|_| may_tick),
            ticked_by: item.ticked_by.clone().filter(|_| may_tick),
            ..item
        })
    };
    let plan = |checklist: &Shareable, unit: &mut TransactionBuilder<Refused>| {
        context.admit(claims, checklist)?;
        checklist.permits(claims.role, ViewerPermission::Add)?;
        let count = checklist.part_count.unwrap_or_else(|| count_of(found));
        let count = count.saturating_add(count_of(added.len()));
        if count > MAX_ITEMS {
            return Err(FULL.at("shortId").into());
        }
        for item in kept(checklist) {
            unit.put_new(&item).or(Refused::Stale);
        }
        Ok(Shareable {
            part_count: Some(count),
            ..checklist.clone()
        })
    };
    let changed = context.tables().change(&claims.short_id, None, plan);
    Ok(kept(&changed.await?.entity).collect())
}

/// Adds an item. As [`add`].
pub async fn add_one(
    context: RequestContext<'_>,
    short_id: &ShortId,
    new: NewItem,
    after: Option<&ID>,
) -> Made<ChecklistItem> {
    let new = NewItems {
        items: &[new],
        after,
        id_field: "itemId",
    };
    let Changed { entity, is_written } = add(context, short_id, new).await?;
    let item = entity.into_iter().next();
    Ok(Changed {
        entity: item.ok_or_else(|| NOT_THERE.at("shortId"))?,
        is_written,
    })
}

/// Adds a copy of an item after it, not ticked. One GetItem, and what [`add`] costs.
pub async fn duplicate(
    context: RequestContext<'_>,
    id: &ID,
    copy: Option<Uuid>,
) -> Made<ChecklistItem> {
    let claims = context.claims()?;
    let key = named(&claims, id, "id")?;
    let item = context.tables().get::<ChecklistItem>(&key).await?;
    let item = item.ok_or_else(|| NOT_THERE.at("id"))?;
    let new = NewItem {
        id: copy,
        ..item.into()
    };
    add_one(context, &key.0, new, Some(id)).await
}

/// Before which item, of those that stay, something comes that is to come after `after`.
fn index_after(
    claims: &Claims,
    items: &[ChecklistItem],
    after: Option<&ID>,
    without: usize,
) -> Result<usize, Violations> {
    let Some(after) = after else {
        return Ok(without);
    };
    let (_, after) = named(claims, after, "afterId")?;
    let mut items = items.iter();
    let at = items.position(|item| item.checklist_item_id == after);
    Ok(at.ok_or_else(|| NOT_THERE.at("afterId"))? + 1)
}

fn orders(items: &[ChecklistItem]) -> Vec<f64> {
    items.iter().map(|item| item.order).collect()
}

/// Moves an item, if it is still where it was seen.
fn move_to(unit: &mut TransactionBuilder<()>, item: &ChecklistItem, order: f64) {
    let next = ChecklistItem {
        order,
        ..item.clone()
    };
    let same = Condition::is("order", &item.order);
    unit.update(item, &next, same);
}

fn respread(unit: &mut TransactionBuilder<()>, items: &[ChecklistItem], others: &[(usize, f64)]) {
    for (at, order) in others {
        if let Some(item) = items.get(*at) {
            move_to(unit, item, *order);
        }
    }
}
