//! Creating, opening, sharing, cloning and deleting.

use serde_json::json;

use crate::site::{
    ADMIN, VIEW, ask, at, checklist, create, data, errors, items, mutate, mutate_raw, open,
    options, poll, site, try_open,
};

const DAY: i64 = 24 * 3600;

#[tokio::test]
async fn a_shareable_is_created_with_its_items_and_opened_by_either_passcode() {
    let site = site().await;
    let made = checklist(&site, 3).await;
    assert_eq!(made.role, "ADMIN");
    let names: Vec<_> = items(&site, &made)
        .await
        .into_iter()
        .map(|item| item.1)
        .collect();
    assert_eq!(names, ["item 0", "item 1", "item 2"]);
    let typed = made.short_id.replace('-', "").to_lowercase();
    for (passcode, role) in [(VIEW, "VIEW"), (ADMIN, "ADMIN")] {
        let opened = open(&site, &typed, passcode).await;
        assert_eq!(
            (opened.role.as_str(), &opened.short_id),
            (role, &made.short_id)
        );
        assert_eq!(items(&site, &opened).await.len(), 3);
    }
}

#[tokio::test]
async fn unknown_and_wrong_get_the_same_answer_and_only_who_has_the_passcode_learns_of_expiry() {
    let site = site().await;
    let made = create(&site, json!({ "expiresAt": at(DAY), "checklist": {} })).await;
    let wrong = try_open(&site, &made.short_id, "wrong-passcode").await.body;
    let unknown = try_open(&site, "ABC-DEF-00000", VIEW).await.body;
    site.clock.advance(DAY);
    let expired = try_open(&site, &made.short_id, "wrong-passcode").await.body;
    for _ in 0..12 {
        let told = try_open(&site, &made.short_id, VIEW).await.data();
        assert_eq!(errors(&told["openShareable"]), ["CONFLICT shortId"]);
    }
    open(&site, &made.short_id, ADMIN).await;
    for other in [unknown, expired] {
        assert_eq!(other["data"], wrong["data"]);
        assert_eq!(other.get("errors"), wrong.get("errors"));
        assert_eq!(
            other["extensions"]["cost"]["calls"],
            wrong["extensions"]["cost"]["calls"]
        );
    }
    assert_eq!(
        errors(&wrong["data"]["openShareable"]),
        ["NOT_FOUND passcode"]
    );
}

#[tokio::test]
async fn an_expired_shareable_can_be_read_and_cloned_by_its_admin_for_a_year() {
    let site = site().await;
    let made = create(
        &site,
        json!({ "expiresAt": at(DAY), "checklist": { "note": "n", "items": [{ "name": "a" }] } }),
    )
    .await;
    let view = open(&site, &made.short_id, VIEW).await;
    let item = items(&site, &made).await[0].0.clone();
    site.clock.advance(DAY);
    let stale = ask(&site, &view.token, "{ node(id: \"x\") { id } }", json!({})).await;
    assert_eq!(stale.code(), "UNAUTHENTICATED");
    let admin = open(&site, &made.short_id, ADMIN).await;
    assert_eq!(items(&site, &admin).await.len(), 1);
    for (name, more, input) in [
        ("tickChecklistItem", "", json!({ "id": item })),
        (
            "updateChecklistItem",
            "",
            json!({ "id": item, "name": "b" }),
        ),
        (
            "updateChecklist",
            "",
            json!({ "shortId": made.short_id, "name": "b" }),
        ),
        (
            "addChecklistItem",
            "",
            json!({ "shortId": made.short_id, "name": "b" }),
        ),
        ("deleteChecklistItem", "", json!({ "id": item })),
    ] {
        let refused = mutate(&site, &admin.token, name, more, input).await;
        assert!(
            errors(&refused)[0].starts_with("CONFLICT"),
            "{name}: {refused}"
        );
    }
    site.clock.advance(364 * DAY);
    let admin = open(&site, &made.short_id, ADMIN).await;
    let copy = json!({ "shortId": made.short_id, "viewPasscode": "other-view-turnip", "adminPasscode": "other-admin-saddle-brook" });
    let more = "shareable { shortId ... on Checklist { note } } token { token }";
    let cloned = mutate(&site, &admin.token, "cloneShareable", more, copy).await;
    assert_eq!(cloned["shareable"]["note"], "n", "{cloned}");
    let clone = cloned["shareable"]["shortId"].as_str().unwrap();
    assert_ne!(clone, made.short_id);
    assert_eq!(
        items(&site, &open(&site, clone, "other-view-turnip").await).await[0].1,
        "a"
    );
    site.clock.advance(DAY);
    let gone = try_open(&site, &made.short_id, ADMIN).await.data();
    assert_eq!(errors(&gone["openShareable"]), ["NOT_FOUND passcode"]);
}

#[tokio::test]
async fn a_clone_has_all_items_unticked_and_all_options_without_votes() {
    let site = site().await;
    let made = checklist(&site, 200).await;
    let first = items(&site, &made).await[0].0.clone();
    mutate(
        &site,
        &made.token,
        "tickChecklistItem",
        "",
        json!({ "id": first }),
    )
    .await;
    let copy = |on: &str| json!({ "shortId": on, "viewPasscode": VIEW, "adminPasscode": ADMIN });
    let more = "shareable { shortId }";
    let cloned = mutate(
        &site,
        &made.token,
        "cloneShareable",
        more,
        copy(&made.short_id),
    )
    .await;
    let clone = open(
        &site,
        cloned["shareable"]["shortId"].as_str().unwrap(),
        VIEW,
    )
    .await;
    let copied = items(&site, &clone).await;
    assert_eq!(copied.len(), 200);
    assert!(
        copied
            .iter()
            .enumerate()
            .all(|(n, item)| item.1 == format!("item {n}") && !item.2)
    );

    let made = poll(&site, json!({})).await;
    let option = options(&site, &made).await[1].0.clone();
    let vote = json!({ "shortId": made.short_id, "optionIds": [option] });
    mutate(&site, &made.token, "vote", "", vote).await;
    let cloned = mutate(
        &site,
        &made.token,
        "cloneShareable",
        more,
        copy(&made.short_id),
    )
    .await;
    let clone = open(
        &site,
        cloned["shareable"]["shortId"].as_str().unwrap(),
        VIEW,
    )
    .await;
    let copied: Vec<_> = options(&site, &clone)
        .await
        .into_iter()
        .map(|o| (o.1, o.2))
        .collect();
    assert_eq!(
        copied,
        ["a", "b", "c"].map(|text| (text.to_owned(), Some(0)))
    );
}

#[tokio::test]
async fn new_passcodes_close_what_the_earlier_ones_opened() {
    let site = site().await;
    let made = checklist(&site, 1).await;
    let view = open(&site, &made.short_id, VIEW).await;
    let admin = open(&site, &made.short_id, ADMIN).await;
    let same = json!({ "shortId": made.short_id, "passcode": ADMIN, "viewPasscode": ADMIN });
    let refused = mutate(&site, &admin.token, "changePasscodes", "", same).await;
    assert_eq!(errors(&refused), ["INVALID viewPasscode"]);
    let change = json!({ "shortId": made.short_id, "passcode": ADMIN, "viewPasscode": "another-view-turnip" });
    let more = "token { token }";
    let changed = mutate(&site, &admin.token, "changePasscodes", more, change).await;
    assert_eq!(errors(&changed), [""; 0]);
    let read = "query($id: String!) { shareable(shortId: $id) { id } }";
    let of = json!({ "id": made.short_id });
    assert_eq!(
        ask(&site, &view.token, read, of.clone()).await.code(),
        "UNAUTHENTICATED"
    );
    let renew = json!({ "shortId": made.short_id });
    let renewed = mutate_raw(&site, &view.token, "renewToken", "", renew).await;
    assert_eq!(renewed.code(), "UNAUTHENTICATED");
    assert!(!data(&site, &admin.token, read, of.clone()).await["shareable"].is_null());
    let old = try_open(&site, &made.short_id, VIEW).await.data();
    assert_eq!(errors(&old["openShareable"]), ["CONFLICT passcode"]);
    open(&site, &made.short_id, "another-view-turnip").await;
    let change = json!({ "shortId": made.short_id, "passcode": ADMIN, "adminPasscode": "another-admin-saddle-brook" });
    mutate(&site, &admin.token, "changePasscodes", "", change).await;
    let rename = json!({ "id": items(&site, &open(&site, &made.short_id, "another-admin-saddle-brook").await).await[0].0, "name": "x" });
    let stale = mutate_raw(&site, &admin.token, "updateChecklistItem", "", rename).await;
    assert_eq!(stale.code(), "UNAUTHENTICATED");
}

#[tokio::test]
async fn a_token_lasts_an_hour_and_is_renewed_while_it_is_valid() {
    let site = site().await;
    let made = checklist(&site, 0).await;
    let view = open(&site, &made.short_id, VIEW).await;
    site.clock.advance(3000);
    let renew = || json!({ "shortId": made.short_id });
    let more = "token { token role expiresAt voterId voterName }";
    let renewed = mutate(&site, &view.token, "renewToken", more, renew()).await;
    assert_eq!(renewed["token"]["role"], "VIEW");
    assert_eq!(renewed["token"]["voterName"], "Bob");
    assert_eq!(
        renewed["token"]["expiresAt"],
        at(6600).replace('Z', ".000Z")
    );
    site.clock.advance(600);
    let late = mutate_raw(&site, &view.token, "renewToken", "", renew()).await;
    assert_eq!(late.code(), "UNAUTHENTICATED");
    let token = renewed["token"]["token"].as_str().unwrap();
    assert_eq!(
        errors(&mutate(&site, token, "renewToken", "", renew()).await),
        [""; 0]
    );
}

#[tokio::test]
async fn every_broken_rule_of_an_input_is_reported_and_nothing_is_written() {
    let site = site().await;
    let input = json!({
        "name": " ", "viewPasscode": "short", "adminPasscode": "x".repeat(129), "expiresAt": at(367 * DAY),
        "checklist": { "items": [{ "name": "a" }, { "name": "", "note": "x".repeat(2001) }] },
    });
    let refused = mutate(&site, "", "createShareable", "", input).await;
    assert_eq!(
        errors(&refused),
        [
            "REQUIRED name",
            "INVALID viewPasscode",
            "TOO_LONG adminPasscode",
            "INVALID expiresAt",
            "REQUIRED checklist.items.1.name",
            "TOO_LONG checklist.items.1.note",
        ]
    );
    let base = || json!({ "name": "N", "viewPasscode": VIEW, "adminPasscode": VIEW });
    let refused = mutate(&site, "", "createShareable", "", base()).await;
    assert_eq!(
        errors(&refused),
        ["INVALID adminPasscode", "INVALID checklist"]
    );
    let mut input = base();
    input["adminPasscode"] = json!(ADMIN);
    input["poll"] = json!({ "question": "Q?", "options": vec!["a"; 21], "closesAt": at(-1) });
    let refused = mutate(&site, "", "createShareable", "", input).await;
    assert_eq!(
        errors(&refused),
        ["LIMIT_REACHED poll.options", "INVALID poll.closesAt"]
    );
    assert_eq!(site.calls.counts().values().sum::<u64>(), 0);
    let open =
        json!({ "shortId": "1", "passcode": VIEW, "voterId": "1", "voterName": "x".repeat(81) });
    let refused = mutate(&site, "", "openShareable", "", open).await;
    assert_eq!(
        errors(&refused),
        ["INVALID shortId", "INVALID voterId", "TOO_LONG voterName"]
    );
}

#[tokio::test]
async fn deleting_removes_everything_but_that_the_short_id_was_given() {
    let site = site().await;
    let made = poll(&site, json!({})).await;
    let option = options(&site, &made).await[0].0.clone();
    let vote = json!({ "shortId": made.short_id, "optionIds": [option] });
    mutate(&site, &made.token, "vote", "", vote).await;
    let delete = |version: i32| json!({ "shortId": made.short_id, "passcode": ADMIN, "expectedVersion": version });
    for version in [7, -1] {
        let refused = mutate(
            &site,
            &made.token,
            "deleteShareable",
            "deletedId",
            delete(version),
        )
        .await;
        assert_eq!(errors(&refused), ["CONFLICT expectedVersion"]);
    }
    let deleted = mutate(
        &site,
        &made.token,
        "deleteShareable",
        "deletedId",
        delete(1),
    )
    .await;
    assert!(deleted["deletedId"].is_string(), "{deleted}");
    let again = mutate(&site, &made.token, "deleteShareable", "", delete(1)).await;
    assert_eq!(errors(&again), ["NOT_FOUND shortId"]);
    let left = site.items("shareables").await;
    let kinds: Vec<_> = left
        .iter()
        .map(|item| item["entity"].as_s().unwrap().clone())
        .collect();
    assert_eq!(kinds, ["short_id"]);
}
