//! Mutations of checklists and their items.

use async_graphql::{ID, InputObject, MaybeUndefined};

use super::types::{AnyShareable, Checklist};
use crate::api::{Given, Version};
use crate::domain::{Change, Check, Rule};
use crate::mutations;
use crate::services::shareables::checklist::{ChecklistItem, ItemName};
use crate::services::shareables::desk::{Desk, Made, NOT_THERE};
use crate::services::shareables::settings::{self, ChecklistPatch};
use crate::services::shareables::shareable::{Name, Note};
use crate::services::shareables::short_id::ShortId;
use crate::services::shareables::ticking::{self, ItemPatch, NewItem};
use crate::table::Changed;

/// Changes to a checklist. A field that is left out stays.
#[derive(InputObject)]
pub struct UpdateChecklistInput {
    /// Short id of the checklist.
    short_id: Given<ShortId>,
    /// Reject the mutation if this is not the current version.
    expected_version: Option<Version>,
    /// Name, 1 to 120 characters. It cannot be cleared.
    name: MaybeUndefined<Given<Name>>,
    /// Plain text, at most 2000 characters.
    note: MaybeUndefined<Given<Note>>,
}

/// An item to add.
#[derive(InputObject)]
pub struct AddChecklistItemInput {
    /// Short id of the checklist.
    short_id: Given<ShortId>,
    /// Name, 1 to 300 characters.
    name: Given<ItemName>,
    /// Plain text, at most 2000 characters.
    note: Option<Given<Note>>,
    /// ID of the item that it comes after. Defaults to the last one.
    after_id: Option<ID>,
}

/// Changes to an item. A field that is left out stays.
#[derive(InputObject)]
pub struct UpdateChecklistItemInput {
    /// ID of the item.
    id: ID,
    /// Name, 1 to 300 characters. It cannot be cleared.
    name: MaybeUndefined<Given<ItemName>>,
    /// Plain text, at most 2000 characters.
    note: MaybeUndefined<Given<Note>>,
}

/// Whether an item is ticked.
#[derive(InputObject)]
pub struct TickChecklistItemInput {
    /// ID of the item.
    id: ID,
    /// Whether it is to be ticked.
    #[graphql(default = true)]
    ticked: bool,
}

/// Where an item goes.
#[derive(InputObject)]
pub struct MoveChecklistItemInput {
    /// ID of the item.
    id: ID,
    /// ID of the item that it comes after. `null` makes it the first one.
    after_id: Option<ID>,
}

/// An item to delete.
#[derive(InputObject)]
pub struct DeleteChecklistItemInput {
    /// ID of the item.
    id: ID,
}

mutations! {
    /// Mutations of checklists and their items.
    ChecklistMutation {
        /// Changes a checklist. Needs the admin passcode.
        update_checklist(UpdateChecklistInput) -> UpdateChecklistPayload { checklist: Checklist } = update_checklist,
        /// Adds an item. Needs the admin passcode.
        add_checklist_item(AddChecklistItemInput) -> AddChecklistItemPayload { item: ChecklistItem } = add,
        /// Changes the name and note of an item. Needs the admin passcode.
        update_checklist_item(UpdateChecklistItemInput) -> UpdateChecklistItemPayload { item: ChecklistItem } = update,
        /// Ticks an item, or clears its tick. An item that is already ticked keeps who ticked it, and when.
        tick_checklist_item(TickChecklistItemInput) -> TickChecklistItemPayload { item: ChecklistItem } = tick,
        /// Moves an item. Needs the admin passcode.
        move_checklist_item(MoveChecklistItemInput) -> MoveChecklistItemPayload { item: ChecklistItem } = move_item,
        /// Deletes an item. Needs the admin passcode.
        delete_checklist_item(DeleteChecklistItemInput) -> DeleteChecklistItemPayload { deleted_id: ID } = delete,
    }
}

async fn update_checklist(desk: Desk<'_>, input: UpdateChecklistInput) -> Made<Checklist> {
    let mut check = Check::default();
    let short_id = check.need("shortId", input.short_id);
    let name = patched(&mut check, "name", input.name);
    let note = optional(&mut check, "note", input.note);
    let (short_id, patch) = check.finish(|| Some((short_id?, ChecklistPatch { name, note })))?;
    let expected = input.expected_version.map(u32::from);
    let changed = settings::update_checklist(desk, &short_id, expected, patch).await?;
    let checklist = AnyShareable::from(changed.entity).checklist();
    Ok(Changed {
        entity: checklist.ok_or_else(|| NOT_THERE.at("shortId"))?,
        is_written: changed.is_written,
    })
}

async fn add(desk: Desk<'_>, input: AddChecklistItemInput) -> Made<ChecklistItem> {
    let mut check = Check::default();
    let short_id = check.need("shortId", input.short_id);
    let name = check.need("name", input.name);
    let note = check.may("note", input.note);
    let (short_id, item) = check.finish(|| {
        let name = name?;
        Some((short_id?, NewItem { name, note }))
    })?;
    ticking::add(desk, &short_id, item, input.after_id.as_ref()).await
}

async fn update(desk: Desk<'_>, input: UpdateChecklistItemInput) -> Made<ChecklistItem> {
    let mut check = Check::default();
    let name = patched(&mut check, "name", input.name);
    let note = optional(&mut check, "note", input.note);
    let patch = check.finish(|| Some(ItemPatch { name, note }))?;
    ticking::update(desk, &input.id, patch).await
}

async fn tick(desk: Desk<'_>, input: TickChecklistItemInput) -> Made<ChecklistItem> {
    ticking::tick(desk, &input.id, input.ticked).await
}

async fn move_item(desk: Desk<'_>, input: MoveChecklistItemInput) -> Made<ChecklistItem> {
    ticking::place(desk, &input.id, input.after_id.as_ref()).await
}

async fn delete(desk: Desk<'_>, input: DeleteChecklistItemInput) -> Made<ID> {
    ticking::delete(desk, &input.id).await
}

/// A new value of a field that cannot be cleared; `None` if it stays.
pub(super) fn patched<T>(
    check: &mut Check,
    field: &'static str,
    given: MaybeUndefined<Given<T>>,
) -> Option<T> {
    match Change::<Result<T, Rule>>::from(given) {
        Change::Keep => None,
        Change::Clear => check.need(field, Err(Rule::Required)),
        Change::Set(given) => check.need(field, given),
    }
}

/// A change of a field that can be cleared. Blank text clears it.
pub(super) fn optional<T>(
    check: &mut Check,
    field: &'static str,
    given: MaybeUndefined<Given<T>>,
) -> Change<T> {
    match Change::<Result<T, Rule>>::from(given) {
        Change::Keep => Change::Keep,
        Change::Clear | Change::Set(Err(Rule::Required)) => Change::Clear,
        Change::Set(given) => check.need(field, given).map_or(Change::Keep, Change::Set),
    }
}
