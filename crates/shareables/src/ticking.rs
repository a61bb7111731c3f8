//! Changing the items of a checklist.

use async_graphql::ID;
use uuid::Uuid;

use super::checklist::{ChecklistItem, ItemName, Quantity};
use super::live::EventKind;
use super::part::Named;
use super::request_context::{EXPIRED, Made, NOT_THERE, RequestContext, refused};
use super::shareable::{Note, Shareable};
use super::short_id::ShortId;
use super::token::{Claims, ShareableKind, ViewerPermission, VoterName};
use trestle_api::ApiError;
use trestle_domain::{Change, Violations};
use trestle_table::{
    Changed, Condition, Entity, TableError, TransactionBuilder, UnitError, Update, WriteError,
    from_item,
};

/// How often a change that met others is tried.
const TRIES: usize = 8;

/// Changes to an item.
pub struct ItemPatch {
    pub name: Option<ItemName>,
    pub note: Change<Note>,
    pub quantity: Change<Quantity>,
    pub person: Change<VoterName>,
}

/// The item that the input `field` names, if it is of the shareable that the token opens.
pub(super) fn named(
    claims: &Claims,
    id: &ID,
    field: &'static str,
) -> Result<(ShortId, Uuid), Violations> {
    match Named::of_id(id) {
        Some(Named::Item(short_id, item)) if short_id == claims.short_id => Ok((short_id, item)),
        _ => Err(NOT_THERE.at(field)),
    }
}

/// Ticks an item, or clears its tick. One GetItem, one UpdateItem whose condition holds of an item that is not yet so, and
/// one GetItem more: the answer holds nothing that was written after the token's passcode changed. OUTCOME_UNKNOWN if it has
/// changed.
pub async fn tick(context: RequestContext<'_>, id: &ID, ticked: bool) -> Made<ChecklistItem> {
    let claims = context.claims()?;
    let id = named(&claims, id, "id")?;
    let checklist = context
        .shareable(&claims)
        .await?
        .ok_or_else(|| NOT_THERE.at("id"))?;
    if checklist.is_expired(context.now()) {
        return refused(EXPIRED, "id");
    }
    checklist.permits(claims.role, ViewerPermission::Tick)?;
    let ticked = set_tick(context, &claims, &id, ticked).await?;
    match context.shareable(&claims).await {
        Ok(Some(_)) => Ok(ticked),
        // What is written stays, and what others have written since is not shown.
        _ if ticked.is_written => Err(ApiError::outcome_unknown(TableError::Unknown).into()),
        Ok(None) => Err(NOT_THERE.at("id").into()),
        Err(error) => Err(error.into()),
    }
}

async fn set_tick(
    context: RequestContext<'_>,
    claims: &Claims,
    id: &(ShortId, Uuid),
    ticked: bool,
) -> Made<ChecklistItem> {
    for _ in 0..TRIES {
        let update = if ticked {
            Update::new(
                ChecklistItem::key_of(id),
                if_current(context, Condition::Lacks("tickedAt".into())),
            )
            .set("tickedAt", &context.session.now())
            .set("tickedBy", &claims.voter_name)
        } else {
            Update::new(
                ChecklistItem::key_of(id),
                if_current(context, Condition::Has("tickedAt")),
            )
            .clear("tickedAt")
            .clear("tickedBy")
        };
        match write(context, update).await? {
            Outcome::Written(item) => return Ok(done(context, item)),
            Outcome::Refused(item) if item.ticked_at.is_some() == ticked => {
                return Ok(Changed::before(item));
            }
            Outcome::Refused(item) if is_expired(context, &item) => return refused(EXPIRED, "id"),
            Outcome::Missing => return refused(NOT_THERE, "id"),
            // Somebody else changed it to and fro.
            Outcome::Refused(_) => {}
        }
    }
    Err(ApiError::contended().into())
}

/// The most items that one transaction unticks.
const TOGETHER: usize = 100;

/// Clears all ticks. One GetItem and one Query, sent together, and one TransactWriteItems for each 100 ticked items.
/// Items that others change meanwhile are read again.
pub async fn untick_all(context: RequestContext<'_>, short_id: &ShortId) -> Made<Shareable> {
    let claims = context.admin_claims_on(short_id, Some(ShareableKind::Checklist))?;
    let mut cleared = Vec::new();
    for _ in 0..TRIES {
        let (current, items) = futures_util::try_join!(
            context.current(&claims),
            context.parts::<ChecklistItem>(short_id)
        )?;
        let Some(checklist) = current else {
            return refused(EXPIRED, "shortId");
        };
        let ticked: Vec<_> = items
            .iter()
            .filter(|item| item.ticked_at.is_some())
            .collect();
        let mut is_done = true;
        for some in ticked.chunks(TOGETHER) {
            let mut unit = context.tables().unit();
            let mut next = Vec::new();
            for item in some {
                let without = ChecklistItem {
                    ticked_at: None,
                    ticked_by: None,
                    ..ChecklistItem::clone(item)
                };
                let same = Condition::is("tickedAt", &item.ticked_at);
                unit.update(*item, &without, same);
                next.push(without);
            }
            if committed(unit).await? {
                cleared.append(&mut next)
            } else {
                is_done = false
            }
        }
        if is_done {
            let is_written = !cleared.is_empty();
            if is_written {
                context.announce(short_id, EventKind::Items(cleared));
            }
            return Ok(Changed {
                entity: checklist,
                is_written,
            });
        }
    }
    Err(ApiError::contended().into())
}

fn changed<T: serde::Serialize>(update: Update, name: &'static str, change: &Change<T>) -> Update {
    match change {
        Change::Unchanged => update,
        Change::Clear => update.clear(name),
        Change::Set(value) => update.set(name, value),
    }
}

/// Changes the texts of an item. One GetItem and one UpdateItem.
pub async fn update(context: RequestContext<'_>, id: &ID, patch: ItemPatch) -> Made<ChecklistItem> {
    let claims = context.claims()?;
    let id = named(&claims, id, "id")?;
    match context.current(&claims).await? {
        Some(checklist) => checklist.permits(claims.role, ViewerPermission::Edit)?,
        None => return refused(EXPIRED, "id"),
    }
    let condition = if_current(context, Condition::Exists);
    let mut update = Update::new(ChecklistItem::key_of(&id), condition);
    if let Some(name) = &patch.name {
        update = update.set("name", name);
    }
    update = changed(update, "note", &patch.note);
    update = changed(update, "quantity", &patch.quantity);
    update = changed(update, "person", &patch.person);
    if update.is_empty() {
        let found = context.tables().get::<ChecklistItem>(&id).await?;
        let found = found.ok_or_else(|| NOT_THERE.at("id"))?;
        return Ok(Changed::before(found));
    }
    write(context, update).await?.done(context)
}

/// Whether a unit was done; if not, others were at work on its items.
pub(super) async fn committed(unit: TransactionBuilder<()>) -> Result<bool, TableError> {
    match unit.commit().await {
        Ok(()) => Ok(true),
        Err(UnitError::Canceled(_)) => Ok(false),
        Err(UnitError::Table(error)) => Err(error),
    }
}

/// The condition, of an item whose checklist has not expired.
pub(super) fn if_current(context: RequestContext<'_>, condition: Condition) -> Condition {
    Shareable::is_current(context.now()).and(condition)
}

fn is_expired(context: RequestContext<'_>, item: &ChecklistItem) -> bool {
    let earliest = context.now().timestamp() + super::shareable::RETENTION;
    item.ttl.is_some_and(|ttl| ttl <= earliest)
}

/// The result of an update of one item.
pub(super) enum Outcome {
    Written(ChecklistItem),
    /// Its condition does not hold of this item.
    Refused(ChecklistItem),
    Missing,
}

pub(super) async fn write(
    context: RequestContext<'_>,
    update: Update,
) -> Result<Outcome, ApiError> {
    let tables = context.tables();
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
    pub(super) fn done(self, context: RequestContext<'_>) -> Made<ChecklistItem> {
        match self {
            Outcome::Written(item) => Ok(done(context, item)),
            Outcome::Refused(_) => refused(EXPIRED, "id"),
            Outcome::Missing => refused(NOT_THERE, "id"),
        }
    }
}

/// The result of a mutation that changed an item, which is announced.
pub(super) fn done(context: RequestContext<'_>, item: ChecklistItem) -> Changed<ChecklistItem> {
    context.announce(&item.short_id, EventKind::Item(Box::new(item.clone())));
    Changed::now(item)
}
