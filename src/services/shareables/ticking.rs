//! Changing the items of a checklist.

use async_graphql::ID;
use uuid::Uuid;

use super::checklist::{ChecklistItem, ItemName, MAX_ITEMS};
use super::desk::{Desk, EXPIRED, Made, NOT_THERE, Refused, refused};
use super::live::Happened;
use super::part::{Named, Placed};
use super::shareable::{Note, Shareable};
use super::short_id::ShortId;
use super::token::{Claims, ShareableKind};
use crate::api::ApiError;
use crate::domain::{Change, Rule, Violations};
use crate::table::{
    Changed, Condition, Entity, TableError, Unit, UnitError, Update, WriteError, from_item,
};

/// How often a change that met others is tried.
const TRIES: usize = 8;

/// An item to add.
pub struct NewItem {
    pub name: ItemName,
    pub note: Option<Note>,
}

/// Changes to an item.
pub struct ItemPatch {
    pub name: Option<ItemName>,
    pub note: Change<Note>,
}

/// The item that the input `field` names, if it is of the shareable that the token opens.
fn named(claims: &Claims, id: &ID, field: &'static str) -> Result<(ShortId, Uuid), Violations> {
    match Named::of_id(id) {
        Some(Named::Item(short_id, item)) if short_id == claims.short_id => Ok((short_id, item)),
        _ => Err(NOT_THERE.at(field)),
    }
}

/// Ticks an item, or clears its tick. One UpdateItem, whose condition holds of an item that is not yet so.
pub async fn tick(desk: Desk<'_>, id: &ID, ticked: bool) -> Made<ChecklistItem> {
    let claims = desk.claims()?;
    let id = named(&claims, id, "id")?;
    for _ in 0..TRIES {
        let update = match ticked {
            true => Update::new(
                ChecklistItem::key_of(&id),
                if_current(desk, Condition::Lacks("tickedAt".into())),
            )
            .set("tickedAt", &desk.session.now())
            .set("tickedBy", &claims.voter_name),
            false => Update::new(
                ChecklistItem::key_of(&id),
                if_current(desk, Condition::Has("tickedAt")),
            )
            .clear("tickedAt")
            .clear("tickedBy"),
        };
        match write(desk, update).await? {
            Outcome::Written(item) => return Ok(done(desk, item)),
            Outcome::Refused(item) if item.ticked_at.is_some() == ticked => {
                return Ok(Changed::before(item));
            }
            Outcome::Refused(item) if is_expired(desk, &item) => return refused(EXPIRED, "id"),
            Outcome::Missing => return refused(NOT_THERE, "id"),
            // Somebody else changed it to and fro.
            Outcome::Refused(_) => {}
        }
    }
    Err(ApiError::contended().into())
}

/// Changes the name and note of an item. One GetItem and one UpdateItem.
pub async fn update(desk: Desk<'_>, id: &ID, patch: ItemPatch) -> Made<ChecklistItem> {
    let claims = desk.admin_claims()?;
    let id = named(&claims, id, "id")?;
    if desk.current(&claims).await?.is_none() {
        return refused(EXPIRED, "id");
    }
    let condition = if_current(desk, Condition::Exists);
    let mut update = Update::new(ChecklistItem::key_of(&id), condition);
    if let Some(name) = &patch.name {
        update = update.set("name", name);
    }
    update = match &patch.note {
        Change::Keep => update,
        Change::Clear => update.clear("note"),
        Change::Set(note) => update.set("note", note),
    };
    if update.is_empty() {
        let found = desk.tables().get::<ChecklistItem>(&id).await?;
        let found = found.ok_or_else(|| NOT_THERE.at("id"))?;
        return Ok(Changed::before(found));
    }
    write(desk, update).await?.done(desk)
}

/// Moves an item: one GetItem and one Query, sent together, and one UpdateItem. If its new neighbours are too close, the
/// items of the shorter side move with it, in one TransactWriteItems.
pub async fn place(desk: Desk<'_>, id: &ID, after: Option<&ID>) -> Made<ChecklistItem> {
    let claims = desk.admin_claims()?;
    let id = named(&claims, id, "id")?;
    for _ in 0..TRIES {
        let (current, mut items) =
            futures_util::try_join!(desk.current(&claims), desk.parts::<ChecklistItem>(&id.0))?;
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
                let condition = if_current(desk, Condition::Exists);
                let update = Update::new(ChecklistItem::key_of(&id), condition);
                return write(desk, update.set("order", &order)).await?.done(desk);
            }
            Placed::Respread(order, others) => {
                let next = ChecklistItem {
                    order,
                    ..moved.clone()
                };
                let mut unit = desk.tables().unit();
                move_to(&mut unit, &moved, order);
                respread(&mut unit, &items, &others);
                if committed(unit).await? {
                    desk.announce(&id.0, Happened::ItemsMoved);
                    return Ok(Changed::now(next));
                }
            }
        }
    }
    Err(ApiError::contended().into())
}

/// Adds an item. One Query, one GetItem and one TransactWriteItems of the item and its checklist.
pub async fn add(
    desk: Desk<'_>,
    short_id: &ShortId,
    new: NewItem,
    after: Option<&ID>,
) -> Made<ChecklistItem> {
    let claims = desk.admin_claims()?;
    if !claims.are_on(short_id, ShareableKind::Checklist) {
        return refused(NOT_THERE, "shortId");
    }
    for _ in 0..TRIES {
        let items = desk.parts::<ChecklistItem>(short_id).await?;
        let index = index_after(&claims, &items, after, items.len())?;
        let order = match Placed::before(index, &orders(&items)) {
            Placed::At(order) => order,
            Placed::Respread(_, others) => {
                if desk.current(&claims).await?.is_none() {
                    return refused(EXPIRED, "shortId");
                }
                let mut unit = desk.tables().unit();
                respread(&mut unit, &items, &others);
                committed(unit).await?;
                continue;
            }
        };
        let item = ChecklistItem {
            short_id: short_id.clone(),
            checklist_item_id: Uuid::new_v4(),
            order,
            name: new.name,
            note: new.note,
            ticked_at: None,
            ticked_by: None,
            ttl: claims.shareable_expires + super::shareable::RETENTION,
        };
        let plan = |checklist: &Shareable, unit: &mut Unit<Refused>| {
            desk.admit(&claims, checklist)?;
            if checklist.part_count >= MAX_ITEMS {
                return Err(Rule::TooMany(MAX_ITEMS as usize).at("shortId").into());
            }
            unit.put_new(&item).step();
            Ok(Shareable {
                part_count: checklist.part_count + 1,
                ..checklist.clone()
            })
        };
        desk.tables().change(short_id, None, plan).await?;
        return Ok(done(desk, item));
    }
    Err(ApiError::contended().into())
}

/// Deletes an item. One GetItem and one TransactWriteItems of the item and its checklist.
pub async fn delete(desk: Desk<'_>, id: &ID) -> Made<ID> {
    let claims = desk.admin_claims()?;
    let key = named(&claims, id, "id")?;
    let plan = |checklist: &Shareable, unit: &mut Unit<Refused>| {
        desk.admit(&claims, checklist)?;
        let gone = Refused::Rules(NOT_THERE.at("id"));
        unit.delete::<ChecklistItem>(&key, Condition::Exists)
            .or(gone);
        Ok(Shareable {
            part_count: checklist.part_count.saturating_sub(1),
            ..checklist.clone()
        })
    };
    desk.tables().change(&key.0, None, plan).await?;
    desk.announce(&key.0, Happened::ItemDeleted(key.1));
    Ok(Changed::now(id.clone()))
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
fn move_to(unit: &mut Unit<()>, item: &ChecklistItem, order: f64) {
    let next = ChecklistItem {
        order,
        ..item.clone()
    };
    let same = Condition::is("order", &item.order);
    unit.update(item, &next, same).step();
}

fn respread(unit: &mut Unit<()>, items: &[ChecklistItem], others: &[(usize, f64)]) {
    for (at, order) in others {
        if let Some(item) = items.get(*at) {
            move_to(unit, item, *order);
        }
    }
}

/// Whether a unit was done; if not, others were at work on its items.
async fn committed(unit: Unit<()>) -> Result<bool, TableError> {
    match unit.commit().await {
        Ok(()) => Ok(true),
        Err(UnitError::Canceled(_)) => Ok(false),
        Err(UnitError::Table(error)) => Err(error),
    }
}

/// The condition, of an item whose checklist has not expired.
fn if_current(desk: Desk<'_>, condition: Condition) -> Condition {
    Shareable::is_current(desk.now()).and(condition)
}

fn is_expired(desk: Desk<'_>, item: &ChecklistItem) -> bool {
    item.ttl <= desk.now().timestamp() + super::shareable::RETENTION
}

/// The result of an update of one item.
enum Outcome {
    Written(ChecklistItem),
    /// Its condition does not hold of this item.
    Refused(ChecklistItem),
    Missing,
}

async fn write(desk: Desk<'_>, update: Update) -> Result<Outcome, ApiError> {
    let tables = desk.tables();
    let written = tables.of::<ChecklistItem>()?.update(update, tables.meter());
    Ok(match written.await {
        Ok(item) => Outcome::Written(from_item(item)?),
        Err(WriteError::ConditionFailed(Some(item))) => Outcome::Refused(from_item(item)?),
        Err(WriteError::ConditionFailed(None)) => Outcome::Missing,
        Err(WriteError::Table(error)) => return Err(error.into()),
    })
}

impl Outcome {
    /// The result of a mutation that did it.
    fn done(self, desk: Desk<'_>) -> Made<ChecklistItem> {
        match self {
            Outcome::Written(item) => Ok(done(desk, item)),
            Outcome::Refused(_) => refused(EXPIRED, "id"),
            Outcome::Missing => refused(NOT_THERE, "id"),
        }
    }
}

/// The result of a mutation that changed an item, which is announced.
fn done(desk: Desk<'_>, item: ChecklistItem) -> Changed<ChecklistItem> {
    desk.announce(&item.short_id, Happened::Item(Box::new(item.clone())));
    Changed::now(item)
}
