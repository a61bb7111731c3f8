//! Items of checklists.

use std::sync::Arc;

use futures_util::future::join_all;
use serde_json::json;

use crate::site::{VIEW, checklist, create, data, errors, items, mutate, mutate_raw, open, site};
use trestle_testing::hosted::TestServer;

async fn names(site: &TestServer, on: &crate::site::Opened) -> Vec<String> {
    items(site, on)
        .await
        .into_iter()
        .map(|item| item.1)
        .collect()
}

#[tokio::test]
async fn items_are_added_changed_moved_and_deleted() {
    let site = site().await;
    let made = checklist(&site, 3).await;
    let ids: Vec<_> = items(&site, &made)
        .await
        .into_iter()
        .map(|item| item.0)
        .collect();
    let add = json!({ "shortId": made.short_id, "name": "new", "note": "n", "afterId": ids[0] });
    let added = mutate(
        &site,
        &made.token,
        "addChecklistItem",
        "item { id note }",
        add,
    )
    .await;
    assert_eq!(added["item"]["note"], "n");
    assert_eq!(
        names(&site, &made).await,
        ["item 0", "new", "item 1", "item 2"]
    );
    let update = json!({ "id": ids[1], "name": "renamed" });
    mutate(&site, &made.token, "updateChecklistItem", "", update).await;
    let cleared = json!({ "id": added["item"]["id"], "note": null });
    let cleared = mutate(
        &site,
        &made.token,
        "updateChecklistItem",
        "item { name note }",
        cleared,
    )
    .await;
    assert_eq!(cleared["item"], json!({ "name": "new", "note": null }));
    let to_top = json!({ "id": ids[2], "afterId": null });
    mutate(&site, &made.token, "moveChecklistItem", "", to_top).await;
    let to_end = json!({ "id": ids[0], "afterId": ids[1] });
    mutate(&site, &made.token, "moveChecklistItem", "", to_end).await;
    assert_eq!(
        names(&site, &made).await,
        ["item 2", "new", "renamed", "item 0"]
    );
    let delete = || json!({ "id": ids[1] });
    let deleted = mutate(
        &site,
        &made.token,
        "deleteChecklistItem",
        "deletedId",
        delete(),
    )
    .await;
    assert_eq!(deleted["deletedId"], ids[1]);
    assert_eq!(names(&site, &made).await, ["item 2", "new", "item 0"]);
    let again = mutate(
        &site,
        &made.token,
        "deleteChecklistItem",
        "deletedId",
        delete(),
    )
    .await;
    assert_eq!(errors(&again), ["NOT_FOUND id"]);
    let missing = json!({ "id": ids[0], "afterId": ids[1] });
    let missing = mutate(&site, &made.token, "moveChecklistItem", "", missing).await;
    assert_eq!(errors(&missing), ["NOT_FOUND afterId"]);
}

#[tokio::test]
async fn a_tick_is_kept_with_who_set_it_and_when() {
    let site = site().await;
    let made = checklist(&site, 1).await;
    let bob = open(&site, &made.short_id, VIEW).await;
    let id = items(&site, &made).await[0].0.clone();
    let more = "item { tickedAt tickedBy checklist { shortId } }";
    let tick = |ticked: bool| json!({ "id": id, "ticked": ticked });
    let first = mutate(&site, &bob.token, "tickChecklistItem", more, tick(true)).await;
    assert_eq!(first["item"]["tickedBy"], "Bob");
    assert_eq!(first["item"]["checklist"]["shortId"], made.short_id);
    site.clock.advance(9);
    let second = mutate(&site, &made.token, "tickChecklistItem", more, tick(true)).await;
    assert_eq!(second, first);
    let cleared = mutate(&site, &made.token, "tickChecklistItem", more, tick(false)).await;
    assert!(cleared["item"]["tickedAt"].is_null() && cleared["item"]["tickedBy"].is_null());
}

#[tokio::test]
async fn moving_an_item_among_200_writes_one_item() {
    let site = site().await;
    let made = checklist(&site, 200).await;
    let ids: Vec<_> = items(&site, &made)
        .await
        .into_iter()
        .map(|item| item.0)
        .collect();
    for (id, after) in [
        (&ids[150], Some(&ids[20])),
        (&ids[199], None),
        (&ids[0], Some(&ids[100])),
    ] {
        site.calls.reset();
        let input = json!({ "id": id, "afterId": after });
        let moved = mutate(
            &site,
            &made.token,
            "moveChecklistItem",
            "item { order }",
            input,
        )
        .await;
        assert_eq!(errors(&moved), [""; 0]);
        let counts = site.calls.counts();
        assert_eq!(
            (counts["GetItem"], counts["Query"], counts["UpdateItem"]),
            (1, 1, 1)
        );
        assert_eq!(counts.len(), 3);
    }
    let moved = names(&site, &made).await;
    assert_eq!(
        (moved[0].as_str(), moved[21].as_str()),
        ("item 199", "item 150")
    );
}

#[tokio::test]
async fn items_that_are_too_close_are_respread_in_one_transaction() {
    let site = site().await;
    let made = checklist(&site, 200).await;
    let ids: Vec<_> = items(&site, &made)
        .await
        .into_iter()
        .map(|item| item.0)
        .collect();
    let mut respread = 0;
    // Each goes between the first and what came there last: the gap halves until it is too small.
    for id in ids[100..125].iter() {
        site.calls.reset();
        let input = json!({ "id": id, "afterId": ids[0] });
        mutate(&site, &made.token, "moveChecklistItem", "", input).await;
        respread += site
            .calls
            .counts()
            .get("TransactWriteItems")
            .copied()
            .unwrap_or(0);
    }
    assert_eq!(respread, 1);
    let names = names(&site, &made).await;
    let moved: Vec<_> = (100..125).rev().map(|n| format!("item {n}")).collect();
    assert_eq!(names[0], "item 0");
    assert_eq!(names[1..26], moved);
    let limit = json!({ "shortId": made.short_id, "name": "one more" });
    let refused = mutate(&site, &made.token, "addChecklistItem", "", limit).await;
    assert_eq!(errors(&refused), ["LIMIT_REACHED shortId"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixteen_people_tick_and_add_at_once() {
    let site = Arc::new(site().await);
    let made = checklist(&site, 32).await;
    let ids: Vec<_> = items(&site, &made)
        .await
        .into_iter()
        .map(|item| item.0)
        .collect();
    let people = (0..16).map(|n| {
        let (site, made, ids) = (site.clone(), made.clone(), ids.clone());
        tokio::spawn(async move {
            for id in &ids[n..n + 8] {
                let ticked = mutate(
                    &site,
                    &made.token,
                    "tickChecklistItem",
                    "",
                    json!({ "id": id }),
                )
                .await;
                assert_eq!(errors(&ticked), [""; 0]);
            }
            let add = json!({ "shortId": made.short_id, "name": format!("added {n}") });
            let added = mutate(&site, &made.token, "addChecklistItem", "", add).await;
            assert_eq!(errors(&added), [""; 0]);
        })
    });
    for person in join_all(people).await {
        person.unwrap();
    }
    let now = items(&site, &made).await;
    assert_eq!(now.len(), 48);
    assert_eq!(now.iter().filter(|item| item.2).count(), 23);
    let of = json!({ "ids": [ids[3], ids[0], "x"] });
    let nodes = data(
        &site,
        &made.token,
        "query($ids: [ID!]!) { nodes(ids: $ids) { id } }",
        of,
    )
    .await;
    assert_eq!(
        nodes["nodes"],
        json!([{ "id": ids[3] }, { "id": ids[0] }, null])
    );
}

#[tokio::test]
async fn viewers_do_what_the_maker_lets_them() {
    let site = site().await;
    let made = create(
        &site,
        json!({ "checklist": { "viewersMay": ["ADD"], "items": [{ "name": "a" }] } }),
    )
    .await;
    let bob = open(&site, &made.short_id, VIEW).await;
    let id = items(&site, &made).await[0].0.clone();
    let codes = async || {
        let mut codes = Vec::new();
        for (name, input) in [
            ("tickChecklistItem", json!({ "id": id })),
            (
                "addChecklistItem",
                json!({ "shortId": made.short_id, "name": "b" }),
            ),
            ("updateChecklistItem", json!({ "id": id, "name": "c" })),
            ("deleteChecklistItem", json!({ "id": id })),
            ("untickChecklist", json!({ "shortId": made.short_id })),
        ] {
            let answer = mutate_raw(&site, &bob.token, name, "", input).await;
            codes.push(answer.code().to_owned());
        }
        codes
    };
    let (no, yes) = ("FORBIDDEN", "no error");
    assert_eq!(codes().await, [no, yes, no, no, no]);
    let change = json!({ "shortId": made.short_id, "viewersMay": ["TICK", "EDIT"] });
    let changed = mutate(
        &site,
        &made.token,
        "updateChecklist",
        "checklist { viewersMay }",
        change,
    );
    assert_eq!(
        changed.await["checklist"]["viewersMay"],
        json!(["TICK", "EDIT"])
    );
    assert_eq!(codes().await, [yes, no, yes, no, no]);
}

#[tokio::test]
async fn all_ticks_are_cleared_at_once() {
    let site = site().await;
    let made = checklist(&site, 120).await;
    for (id, ..) in items(&site, &made).await.iter().take(105) {
        mutate(
            &site,
            &made.token,
            "tickChecklistItem",
            "",
            json!({ "id": id }),
        )
        .await;
    }
    site.calls.reset();
    let untick = json!({ "shortId": made.short_id });
    let unticked = mutate(&site, &made.token, "untickChecklist", "", untick).await;
    assert_eq!(crate::site::errors(&unticked), [""; 0]);
    let calls = site.calls.counts();
    assert_eq!(
        (
            calls["GetItem"],
            calls["Query"],
            calls["TransactWriteItems"]
        ),
        (1, 1, 2)
    );
    assert!(items(&site, &made).await.iter().all(|item| !item.2));
}
