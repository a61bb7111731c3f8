//! Mutations of checklists and their items.

use async_graphql::{ID, InputObject, MaybeUndefined};

use super::content::NewItemInput;
use super::inputs::{made_id, one};
use super::names::in_one_line;
use super::types::{AnyShareable, Checklist};
use crate::checklist::{ChecklistItem, ItemName, NewItem, Quantity};
use crate::deleted;
use crate::placing::{self, MOST_AT_ONCE, NewItems};
use crate::request_context::{Made, NOT_THERE, RequestContext};
use crate::settings::{self, ChecklistPatch};
use crate::shareable::{Name, Note, Shareable};
use crate::short_id::ShortId;
use crate::ticking::{self, ItemPatch};
use crate::token::{ViewerPermission, VoterName};
use trestle_api::mutations;
use trestle_api::{Input, Uuid, Version};
use trestle_domain::{Change, Check, List, Rule, Violation, is_blank};
use trestle_table::Changed;

/// Changes to a checklist. A field that is left out stays.
#[derive(InputObject)]
pub struct UpdateChecklistInput {
    /// Short id of the checklist.
    short_id: Input<ShortId>,
    /// Reject the mutation if this is not the current version.
    expected_version: Option<Version>,
    /// Name, 1 to 120 characters. It cannot be cleared.
    name: MaybeUndefined<Input<Name>>,
    /// Plain text, at most 2000 characters.
    note: MaybeUndefined<Input<Note>>,
    /// What those with the view passcode may do, besides reading.
    viewers_may: Option<Vec<ViewerPermission>>,
}

/// A checklist whose ticks are to be cleared.
#[derive(InputObject)]
pub struct UntickChecklistInput {
    /// Short id of the checklist.
    short_id: Input<ShortId>,
}

/// An item to add.
#[derive(InputObject)]
pub struct AddChecklistItemInput {
    /// Short id of the checklist.
    short_id: Input<ShortId>,
    /// The item's UUID. With a UUID of the client's own, the same input can be repeated without adding the item twice. The
    /// item's ID is known then: the unpadded base64url of `i`, the short id as `shortId` returns it and the UUID's 32 digits.
    item_id: Option<Uuid>,
    /// Name, 1 to 300 characters.
    name: Input<ItemName>,
    /// Plain text, at most 2000 characters.
    note: Option<Input<Note>>,
    /// How much of it is needed, at most 40 characters.
    quantity: Option<Input<Quantity>>,
    /// Name of the person who takes care of it, at most 80 characters in one line.
    person: Option<Input<VoterName>>,
    /// ID of the item that it comes after. Defaults to the last one.
    after_id: Option<ID>,
    /// Whether it is ticked from the beginning, if the token's role may tick items.
    #[graphql(default = false)]
    is_ticked: bool,
}

/// Items to add: with either `items` or `text`.
#[derive(InputObject)]
pub struct AddChecklistItemsInput {
    /// Short id of the checklist.
    short_id: Input<ShortId>,
    /// A UUID of the client's own, with which the same input can be repeated without adding the items twice.
    batch_id: Option<Uuid>,
    /// The items, in their order: 1 to 99.
    items: Option<Vec<NewItemInput>>,
    /// A list as people paste it: a line for each item. Blank lines are left out, and so are marks such as `-`, `*`, `1.`
    /// and `[ ]` at the beginning of a line. Those with `[x]` are ticked.
    text: Option<String>,
    /// ID of the item that they come after. Defaults to the last one.
    after_id: Option<ID>,
}

/// An item to duplicate.
#[derive(InputObject)]
pub struct DuplicateChecklistItemInput {
    /// ID of the item.
    id: ID,
    /// UUID of the copy. With a UUID of the client's own, the same input can be repeated without adding the copy twice.
    item_id: Option<Uuid>,
}

/// Changes to an item. A field that is left out stays.
#[derive(InputObject)]
pub struct UpdateChecklistItemInput {
    /// ID of the item.
    id: ID,
    /// Name, 1 to 300 characters. It cannot be cleared.
    name: MaybeUndefined<Input<ItemName>>,
    /// Plain text, at most 2000 characters.
    note: MaybeUndefined<Input<Note>>,
    /// How much of it is needed, at most 40 characters.
    quantity: MaybeUndefined<Input<Quantity>>,
    /// Name of the person who takes care of it, at most 80 characters in one line.
    person: MaybeUndefined<Input<VoterName>>,
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

/// A checklist whose ticked items are to be deleted.
#[derive(InputObject)]
pub struct RemoveTickedItemsInput {
    /// Short id of the checklist.
    short_id: Input<ShortId>,
}

/// A deleted item to restore.
#[derive(InputObject)]
pub struct RestoreChecklistItemInput {
    /// ID of the item.
    id: ID,
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
        /// Clears the ticks of all items. Needs the admin passcode.
        untick_checklist(UntickChecklistInput) -> UntickChecklistPayload { checklist: Checklist } = untick,
        /// Adds an item. Repeating the same input with the same `itemId` adds it once and returns it each time. Needs the
        /// admin passcode, unless `viewersMay` has ADD.
        add_checklist_item(AddChecklistItemInput) -> AddChecklistItemPayload { item: ChecklistItem } = add,
        /// Adds items, all or none of them. Repeating the same input with the same `batchId` adds them once. Needs the admin
        /// passcode, unless `viewersMay` has ADD.
        add_checklist_items(AddChecklistItemsInput) -> AddChecklistItemsPayload { items: Vec<ChecklistItem> } = add_many,
        /// Adds a copy of an item after it, not ticked. Repeating the same input with the same `itemId` adds it once. Needs the
        /// admin passcode, unless `viewersMay` has ADD.
        duplicate_checklist_item(DuplicateChecklistItemInput) -> DuplicateChecklistItemPayload { item: ChecklistItem } = duplicate,
        /// Changes the texts of an item. Needs the admin passcode, unless `viewersMay` has EDIT.
        update_checklist_item(UpdateChecklistItemInput) -> UpdateChecklistItemPayload { item: ChecklistItem } = update,
        /// Ticks an item, or clears its tick. An item that is already ticked keeps who ticked it, and when. Needs the admin
        /// passcode if `viewersMay` does not have TICK.
        tick_checklist_item(TickChecklistItemInput) -> TickChecklistItemPayload { item: ChecklistItem } = tick,
        /// Moves an item. Needs the admin passcode.
        move_checklist_item(MoveChecklistItemInput) -> MoveChecklistItemPayload { item: ChecklistItem } = move_item,
        /// Deletes an item. For 30 days it can be restored, and is not added again under the same `itemId`. Needs the admin
        /// passcode, unless `viewersMay` has EDIT and the token's voter has added the item.
        delete_checklist_item(DeleteChecklistItemInput) -> DeleteChecklistItemPayload { deleted_id: ID } = delete,
        /// Deletes the ticked items. For 30 days each can be restored. Needs the admin passcode.
        remove_ticked_items(RemoveTickedItemsInput) -> RemoveTickedItemsPayload { deleted_ids: Vec<ID> } = remove_ticked,
        /// Restores an item that was deleted within 30 days, as it was and at its place. An item that is there is returned.
        /// Needs what deleting it needs.
        restore_checklist_item(RestoreChecklistItemInput) -> RestoreChecklistItemPayload { item: ChecklistItem } = restore,
    }
}

async fn update_checklist(
    context: RequestContext<'_>,
    input: UpdateChecklistInput,
) -> Made<Checklist> {
    let mut check = Check::default();
    let short_id = check.need("shortId", input.short_id);
    let name = patched(&mut check, "name", input.name);
    let note = optional(&mut check, "note", input.note);
    let viewers_may = input.viewers_may;
    let (short_id, patch) = check.finish(|| {
        let patch = ChecklistPatch {
            name,
            note,
            viewers_may,
        };
        Some((short_id?, patch))
    })?;
    let expected = input.expected_version.map(u32::from);
    let changed = settings::update_checklist(context, &short_id, expected, patch).await?;
    checklist(changed)
}

async fn untick(context: RequestContext<'_>, input: UntickChecklistInput) -> Made<Checklist> {
    let short_id = one("shortId", input.short_id)?;
    checklist(ticking::untick_all(context, &short_id).await?)
}

/// A checklist that was changed.
fn checklist(changed: Changed<Shareable>) -> Made<Checklist> {
    let checklist = AnyShareable::from(changed.entity).checklist();
    Ok(Changed {
        entity: checklist.ok_or_else(|| NOT_THERE.at("shortId"))?,
        is_written: changed.is_written,
    })
}

async fn add(context: RequestContext<'_>, input: AddChecklistItemInput) -> Made<ChecklistItem> {
    let mut check = Check::default();
    let short_id = check.need("shortId", input.short_id);
    let id = made_id(&mut check, "itemId", input.item_id);
    let item = NewItemInput {
        name: input.name,
        note: input.note,
        quantity: input.quantity,
        person: input.person,
        is_ticked: input.is_ticked,
    };
    let item = item.read();
    let rules = item.as_ref().err().cloned().unwrap_or_default();
    for Violation { field, rule } in rules {
        check.that(false, field, rule);
    }
    let (short_id, item) = check.finish(|| {
        let item = NewItem {
            id: id?,
            ..item.ok()?
        };
        Some((short_id?, item))
    })?;
    placing::add_one(context, &short_id, item, input.after_id.as_ref()).await
}

async fn add_many(
    context: RequestContext<'_>,
    input: AddChecklistItemsInput,
) -> Made<Vec<ChecklistItem>> {
    const ONE: Rule = Rule::Invalid("given, unless `text` is; not both");
    let mut check = Check::default();
    let short_id = check.need("shortId", input.short_id);
    let (field, items) = match (input.items, input.text) {
        (Some(items), None) => {
            let items = items.into_iter();
            let items = items.map(|item| item.read().map_err(Rule::Within));
            ("items", List::<_, MOST_AT_ONCE>::parse(items))
        }
        (None, Some(text)) => ("text", List::parse(pasted(&text))),
        (Some(_), Some(_)) | (None, None) => ("items", Err(ONE)),
    };
    let items = items.and_then(|items| match items.as_slice() {
        [] => Err(Rule::Required),
        items => Ok(items.to_vec()),
    });
    let items = check.need(field, items);
    let batch = made_id(&mut check, "batchId", input.batch_id);
    let (short_id, items) = check.finish(|| {
        let (items, batch) = (items?.into_iter().zip(0..), batch?);
        let items: Vec<_> = items.map(|(item, at)| item.of_batch(batch, at)).collect();
        Some((short_id?, items))
    })?;
    let new = NewItems {
        items: &items,
        after: input.after_id.as_ref(),
        id_field: "batchId",
    };
    placing::add(context, &short_id, new).await
}

/// The items of a pasted list.
fn pasted(text: &str) -> impl Iterator<Item = Result<NewItem, Rule>> {
    let lines = text.lines().map(unmarked);
    let lines = lines.filter(|(line, _)| !is_blank(line));
    lines.map(|(line, is_ticked)| {
        Ok(NewItem {
            id: None,
            name: in_one_line(ItemName::parse(line)?)?,
            note: None,
            quantity: None,
            person: None,
            is_ticked,
        })
    })
}

/// A line of a list without what marks it as one, and whether it is ticked: `- [x] milk`, `2. milk`.
fn unmarked(line: &str) -> (&str, bool) {
    let line = line.trim();
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = digits
        .strip_prefix(['.', ')'])
        .filter(|_| digits.len() < line.len());
    let bullet = line.strip_prefix(['-', '*', '+', '\u{2022}', '\u{2013}']);
    let is_apart = |rest: &&str| rest.is_empty() || rest.starts_with(char::is_whitespace);
    let line = numbered
        .or(bullet)
        .filter(is_apart)
        .unwrap_or(line)
        .trim_start();
    const BOXES: [(&str, bool); 9] = [
        ("[ ]", false),
        ("[]", false),
        ("\u{2610}", false),
        ("[x]", true),
        ("[X]", true),
        ("\u{2611}", true),
        ("\u{2612}", true),
        ("\u{2705}", true),
        ("\u{2714}", true),
    ];
    for (mark, is_ticked) in BOXES {
        if let Some(rest) = line.strip_prefix(mark).filter(is_apart) {
            return (rest.trim_start(), is_ticked);
        }
    }
    (line, false)
}

async fn duplicate(
    context: RequestContext<'_>,
    input: DuplicateChecklistItemInput,
) -> Made<ChecklistItem> {
    let mut check = Check::default();
    let copy = made_id(&mut check, "itemId", input.item_id);
    let copy = check.finish(|| copy)?;
    placing::duplicate(context, &input.id, copy).await
}

async fn update(
    context: RequestContext<'_>,
    input: UpdateChecklistItemInput,
) -> Made<ChecklistItem> {
    let mut check = Check::default();
    let name = patched(&mut check, "name", input.name);
    let name = name.and_then(|name| check.need("name", in_one_line(name)));
    let note = optional(&mut check, "note", input.note);
    let quantity = optional(&mut check, "quantity", input.quantity);
    let person = match optional(&mut check, "person", input.person) {
        Change::Set(name) => Change::set(check.need("person", in_one_line(name))),
        other => other,
    };
    let patch = check.finish(|| {
        Some(ItemPatch {
            name,
            note,
            quantity,
            person,
        })
    })?;
    ticking::update(context, &input.id, patch).await
}

async fn tick(context: RequestContext<'_>, input: TickChecklistItemInput) -> Made<ChecklistItem> {
    ticking::tick(context, &input.id, input.ticked).await
}

async fn move_item(
    context: RequestContext<'_>,
    input: MoveChecklistItemInput,
) -> Made<ChecklistItem> {
    placing::place(context, &input.id, input.after_id.as_ref()).await
}

async fn delete(context: RequestContext<'_>, input: DeleteChecklistItemInput) -> Made<ID> {
    deleted::delete(context, &input.id).await
}

async fn remove_ticked(
    context: RequestContext<'_>,
    input: RemoveTickedItemsInput,
) -> Made<Vec<ID>> {
    let short_id = one("shortId", input.short_id)?;
    deleted::delete_ticked(context, &short_id).await
}

async fn restore(
    context: RequestContext<'_>,
    input: RestoreChecklistItemInput,
) -> Made<ChecklistItem> {
    deleted::restore(context, &input.id).await
}

/// A new value of a field that cannot be cleared; `None` if it stays.
pub(super) fn patched<T>(
    check: &mut Check,
    field: &'static str,
    given: MaybeUndefined<Input<T>>,
) -> Option<T> {
    match Change::<Result<T, Rule>>::from(given) {
        Change::Unchanged => None,
        Change::Clear => check.need(field, Err(Rule::Required)),
        Change::Set(given) => check.need(field, given),
    }
}

/// A change of a field that can be cleared. Blank text clears it.
pub(super) fn optional<T>(
    check: &mut Check,
    field: &'static str,
    given: MaybeUndefined<Input<T>>,
) -> Change<T> {
    match Change::<Result<T, Rule>>::from(given) {
        Change::Unchanged => Change::Unchanged,
        Change::Clear | Change::Set(Err(Rule::Required)) => Change::Clear,
        Change::Set(given) => check
            .need(field, given)
            .map_or(Change::Unchanged, Change::Set),
    }
}
