//! Items that were deleted: they come back when somebody restores them, and in no other way.

use serde_json::{Value, json};
use trestle_testing::hosted::TestServer;
use uuid::Uuid;

use crate::pool::runs;
use crate::site::{
    ADMIN, Opened, VIEW, checklist, create, errors, items, mutate, mutate_raw, open, site,
};

const DAY: i64 = 24 * 3600;

async fn names(site: &TestServer, on: &Opened) -> Vec<String> {
    items(site, on)
        .await
        .into_iter()
        .map(|item| item.1)
        .collect()
}

/// Each way to add with an id of the client's own, each way to delete, and each time at which the request comes again.
#[tokio::test]
async fn a_request_that_comes_again_late_never_adds_a_deleted_item() {
    for after in [0, DAY, 30 * DAY - 1] {
        for deleting in ["deleteChecklistItem", "removeTickedItems"] {
            let site = site().await;
            let made = create(&site, json!({ "checklist": { "items": [{ "name": "first" }] }, "expiresAt": crate::site::at(90 * DAY) })).await;
            let first = items(&site, &made).await[0].0.clone();
            let of = |input: Value| {
                let mut input = input;
                input["shortId"] = json!(made.short_id);
                input
            };
            let adds = [
                (
                    "addChecklistItem",
                    of(json!({ "name": "a", "itemId": Uuid::new_v4() })),
                ),
                (
                    "addChecklistItems",
                    of(json!({ "text": "b\n[x] c", "batchId": Uuid::new_v4() })),
                ),
                (
                    "addChecklistItems",
                    of(json!({ "items": [{ "name": "d" }], "batchId": Uuid::new_v4() })),
                ),
                (
                    "duplicateChecklistItem",
                    json!({ "id": first, "itemId": Uuid::new_v4() }),
                ),
            ];
            for (name, input) in &adds {
                let added = mutate(&site, &made.token, name, "", input.clone()).await;
                assert_eq!(errors(&added), [""; 0], "{name}");
            }
            let added: Vec<_> = items(&site, &made).await;
            let added: Vec<_> = added.into_iter().filter(|item| item.0 != first).collect();
            assert_eq!(added.len(), 5);
            for (id, ..) in &added {
                let input = json!({ "id": id });
                let name = if deleting == "removeTickedItems" {
                    "tickChecklistItem"
                } else {
                    deleting
                };
                mutate(&site, &made.token, name, "", input).await;
            }
            if deleting == "removeTickedItems" {
                let removed =
                    mutate(&site, &made.token, deleting, "deletedIds", of(json!({}))).await;
                let mut ids: Vec<_> = removed["deletedIds"].as_array().unwrap().clone();
                let mut wanted: Vec<_> = added.iter().map(|item| json!(item.0)).collect();
                ids.sort_by_key(Value::to_string);
                wanted.sort_by_key(Value::to_string);
                assert_eq!(ids, wanted);
            }
            assert_eq!(names(&site, &made).await, ["first"]);
            site.clock.advance(after);
            let made = open(&site, &made.short_id, ADMIN).await;
            for (name, input) in &adds {
                let again = mutate(&site, &made.token, name, "", input.clone()).await;
                let field = if *name == "addChecklistItems" {
                    "batchId"
                } else {
                    "itemId"
                };
                assert_eq!(
                    errors(&again),
                    [format!("CONFLICT {field}")],
                    "{deleting} {after} {name}"
                );
            }
            assert_eq!(names(&site, &made).await, ["first"]);
            // Restored, they are as they were, and what comes again finds them.
            for (id, name, _) in &added {
                for _ in 0..2 {
                    let input = json!({ "id": id });
                    let back = mutate(
                        &site,
                        &made.token,
                        "restoreChecklistItem",
                        "item { id name }",
                        input,
                    )
                    .await;
                    assert_eq!(back["item"], json!({ "id": id, "name": name }), "{back}");
                }
            }
            let restored = items(&site, &made).await;
            let restored: Vec<_> = restored.iter().filter(|item| item.0 != first).collect();
            let order = |items: &[&(String, String, bool)]| {
                items.iter().map(|i| i.1.clone()).collect::<Vec<_>>()
            };
            assert_eq!(order(&restored), order(&added.iter().collect::<Vec<_>>()));
            for (name, input) in &adds {
                let again = mutate(&site, &made.token, name, "", input.clone()).await;
                assert_eq!(errors(&again), [""; 0], "{name}");
            }
            assert_eq!(items(&site, &made).await.len(), 6);
        }
    }
}

#[tokio::test]
async fn after_30_days_a_deleted_item_is_forgotten() {
    let site = site().await;
    let made = create(
        &site,
        json!({ "checklist": {}, "expiresAt": crate::site::at(90 * DAY) }),
    )
    .await;
    let add = json!({ "shortId": made.short_id, "name": "a", "itemId": Uuid::new_v4() });
    let added = mutate(&site, &made.token, "addChecklistItem", "item { id }", add).await;
    let id = json!({ "id": added["item"]["id"] });
    mutate(&site, &made.token, "deleteChecklistItem", "", id.clone()).await;
    site.clock.advance(30 * DAY);
    let made = open(&site, &made.short_id, ADMIN).await;
    let gone = mutate(&site, &made.token, "restoreChecklistItem", "", id).await;
    assert_eq!(errors(&gone), ["NOT_FOUND id"]);
}

/// Each set of permissions, each maker of an item, each who asks, and both mutations.
#[tokio::test]
async fn a_friend_who_may_edit_deletes_and_restores_what_they_have_added_and_nothing_else() {
    let site = site().await;
    let made = checklist(&site, 1).await;
    let all = json!(["TICK", "ADD", "EDIT"]);
    let allow = async |permissions: &Value| {
        let input = json!({ "shortId": made.short_id, "viewersMay": permissions });
        mutate(&site, &made.token, "updateChecklist", "", input).await;
    };
    let (ann, bob) = (
        open(&site, &made.short_id, VIEW).await,
        open(&site, &made.short_id, VIEW).await,
    );
    let people = [&made, &ann, &bob];
    for permissions in [
        json!([]),
        json!(["TICK"]),
        json!(["ADD"]),
        json!(["EDIT"]),
        all.clone(),
    ] {
        for (maker, by) in people.iter().enumerate() {
            for (asker, who) in people.iter().enumerate() {
                allow(&all).await;
                let add = json!({ "shortId": made.short_id, "name": "a" });
                let added = mutate(&site, &by.token, "addChecklistItem", "item { id }", add).await;
                let id = json!({ "id": added["item"]["id"] });
                allow(&permissions).await;
                let may_edit = permissions.as_array().unwrap().contains(&json!("EDIT"));
                let is_allowed = asker == 0 || (may_edit && asker == maker);
                let wanted = if is_allowed { "no error" } else { "FORBIDDEN" };
                let case = format!("{permissions} {maker} {asker}");
                let deleted = mutate_raw(
                    &site,
                    &who.token,
                    "deleteChecklistItem",
                    "deletedId",
                    id.clone(),
                )
                .await;
                assert_eq!(deleted.code(), wanted, "{case}: {}", deleted.body);
                if is_allowed {
                    // An answer that was lost: who may delete it learns that it is gone.
                    let again = mutate(&site, &who.token, "deleteChecklistItem", "", id.clone());
                    assert_eq!(errors(&again.await), ["NOT_FOUND id"], "{case}");
                }
                if !is_allowed {
                    mutate(&site, &made.token, "deleteChecklistItem", "", id.clone()).await;
                }
                let restored = mutate_raw(
                    &site,
                    &who.token,
                    "restoreChecklistItem",
                    "item { id }",
                    id.clone(),
                )
                .await;
                assert_eq!(restored.code(), wanted, "{case}: {}", restored.body);
                mutate(&site, &made.token, "deleteChecklistItem", "", id).await;
            }
        }
    }
    assert_eq!(names(&site, &made).await, ["item 0"]);
}

/// In each way to write the short id, and for one that nobody has.
#[tokio::test]
async fn a_lost_admin_passcode_is_replaced_by_who_runs_the_server() {
    let site = site().await;
    for is_lower in [false, true] {
        for hyphen in ["-", "", " "] {
            let made = checklist(&site, 2).await;
            let short_id = made.short_id.replace('-', hyphen);
            let short_id = if is_lower {
                short_id.to_lowercase()
            } else {
                short_id
            };
            assert!(
                runs(&site, 1, &["admin-passcode", &short_id]).await,
                "{short_id}"
            );
            // The earlier one and its tokens open nothing; friends go on.
            let of = json!({ "shortId": made.short_id, "passcode": ADMIN });
            let told = mutate(&site, "", "openShareable", "", of).await;
            assert_eq!(errors(&told), ["CONFLICT passcode"]);
            let note = json!({ "shortId": made.short_id, "note": "x" });
            let refused = mutate_raw(&site, &made.token, "updateChecklist", "", note).await;
            assert_eq!(refused.code(), "UNAUTHENTICATED");
            let friend = open(&site, &made.short_id, VIEW).await;
            assert_eq!(names(&site, &friend).await, ["item 0", "item 1"]);
        }
    }
    for unknown in ["ABC-DEF-00000", "no short id"] {
        assert!(!runs(&site, 1, &["admin-passcode", unknown]).await);
    }
}

/// Each kind, before and after its end, and before and after the year in which the admin still opens it.
#[tokio::test]
async fn a_lost_admin_passcode_is_replaced_as_long_as_one_opens_something() {
    const YEAR: i64 = 365 * DAY;
    let site = site().await;
    let moments = [0, DAY - 1, DAY, DAY + YEAR - 1, DAY + YEAR, DAY + 2 * YEAR];
    let contents = [
        json!({ "checklist": {} }),
        json!({ "poll": { "question": "Q?", "options": ["a", "b"] } }),
    ];
    let mut made = Vec::new();
    for moment in moments {
        for content in &contents {
            let mut content = content.clone();
            content["expiresAt"] = json!(crate::site::at(DAY));
            made.push((moment, create(&site, content).await.short_id));
        }
    }
    let mut now = 0;
    for (moment, short_id) in made {
        site.clock.advance(moment - now);
        now = moment;
        let is_made = runs(&site, 1, &["admin-passcode", &short_id]).await;
        assert_eq!(is_made, moment < DAY + YEAR, "{moment}");
    }
}

/// Each mark of a list, each box, and a friend who may not tick.
#[tokio::test]
async fn a_pasted_list_keeps_what_is_ticked() {
    let boxes = [
        ("", false),
        ("[ ] ", false),
        ("[x] ", true),
        ("[X] ", true),
        ("\u{2610} ", false),
        ("\u{2611} ", true),
        ("\u{2705} ", true),
    ];
    let site = site().await;
    for viewers_may in [json!(["TICK", "ADD"]), json!(["ADD"])] {
        let made = create(&site, json!({ "checklist": { "viewersMay": viewers_may } })).await;
        let friend = open(&site, &made.short_id, VIEW).await;
        let may_tick = viewers_may.as_array().unwrap().len() == 2;
        let mut wanted = Vec::new();
        let mut text = String::new();
        for mark in ["", "- ", "* ", "1. ", "  - "] {
            for (shown, is_ticked) in boxes {
                let name = format!("milk {}", wanted.len());
                text.push_str(&format!("{mark}{shown}{name}\n"));
                wanted.push((name, is_ticked));
            }
        }
        for (by, ticks) in [(&made, true), (&friend, may_tick)] {
            let before = items(&site, &made).await.len();
            let input = json!({ "shortId": made.short_id, "text": text });
            let added = mutate(&site, &by.token, "addChecklistItems", "", input).await;
            assert_eq!(errors(&added), [""; 0]);
            let shown: Vec<_> = items(&site, &made)
                .await
                .into_iter()
                .skip(before)
                .map(|item| (item.1, item.2))
                .collect();
            let wanted: Vec<_> = wanted
                .iter()
                .map(|(name, is_ticked)| (name.clone(), *is_ticked && ticks))
                .collect();
            assert_eq!(shown, wanted);
        }
    }
}
