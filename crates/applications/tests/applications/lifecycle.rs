//! Archiving, deleting, and the counters that follow.

use serde_json::json;

use crate::ask::{errors, named, start, text, with};

#[tokio::test]
async fn an_archived_application_leaves_the_lists_but_not_the_table() {
    let (api, hands) = start().await;
    let made = api
        .create(with(named("Visa"), json!({ "status": "APPLIED" })))
        .await;
    let id = made["id"].as_str().unwrap();
    hands.go(1000);
    let archived = api.done("archiveApplication", json!({ "id": id })).await;
    assert_eq!(archived["application"]["isArchived"], true);
    assert_eq!(archived["application"]["status"], "APPLIED");
    assert_eq!(archived["application"]["version"], 2);
    let none: [&str; 0] = [];
    assert_eq!(api.listed(json!({})).await, none);
    assert_eq!(api.listed(json!({ "statuses": ["APPLIED"] })).await, none);
    assert_eq!(api.listed(json!({ "archived": "ONLY" })).await, [id]);
    assert_eq!(api.listed(json!({ "archived": "INCLUDE" })).await, [id]);
    assert_eq!(api.read(id).await["isArchived"], true);

    // It can be changed while it is away, and comes back where its last update puts it.
    api.update(id, json!({ "status": "REJECTED" })).await;
    let again = api.done("archiveApplication", json!({ "id": id })).await;
    assert_eq!(again["application"]["version"], 3);
    let back = api.done("unarchiveApplication", json!({ "id": id })).await;
    assert_eq!(back["application"]["isArchived"], false);
    assert_eq!(back["application"]["version"], 4);
    let again = api.done("unarchiveApplication", json!({ "id": id })).await;
    assert_eq!(again["application"], back["application"]);
    assert_eq!(api.listed(json!({ "statuses": ["REJECTED"] })).await, [id]);
    assert_eq!(api.listed(json!({ "archived": "ONLY" })).await, none);
    let expected = [
        "Application created",
        "Archived",
        "Status changed from applied to rejected",
        "Unarchived",
    ];
    assert_eq!(api.story(id).await, expected);
}

#[tokio::test]
async fn a_deleted_application_is_gone_everywhere() {
    let (api, _) = start().await;
    let kept = api.create(named("Mastercard")).await;
    let made = api
        .create(with(named("Visa"), json!({ "status": "APPLIED" })))
        .await;
    let id = made["id"].as_str().unwrap();
    let stage = api.add_stage(id, json!({ "name": "Phone screen" })).await;
    api.grow(id, 62).await;
    const ENTRY: &str = "query($id: ID!) {
      application(id: $id) { history(first: 1) { edges { node { id } } } } }";
    let data = api.data(ENTRY, json!({ "id": id })).await;
    let entry = data["application"]["history"]["edges"][0]["node"]["id"].clone();
    assert_eq!(api.stored(id).await.len(), 1 + 1 + 62);

    let deleted = api
        .done(
            "deleteApplication",
            json!({ "id": id, "expectedVersion": 62 }),
        )
        .await;
    assert_eq!(deleted["deletedApplicationId"], id);
    assert_eq!(api.read(id).await, json!(null));
    const NODES: &str = "query($ids: [ID!]!) { nodes(ids: $ids) { id } }";
    let nodes = api
        .data(NODES, json!({ "ids": [id, stage["id"], entry] }))
        .await;
    assert_eq!(nodes["nodes"], json!([null, null, null]));
    assert_eq!(
        api.listed(json!({ "archived": "INCLUDE" })).await,
        [kept["id"].as_str().unwrap()]
    );
    assert_eq!(api.stored(id).await, [].into());
    let (active, archived, by_status) = api.stats().await;
    assert_eq!((active, archived), (1, 0));
    assert_eq!(by_status["APPLIED"], (0, 0));
    assert_eq!(by_status["UNSUBMITTED"], (1, 0));

    let again = api.refused("deleteApplication", json!({ "id": id })).await;
    assert_eq!(again, errors(&[("NOT_FOUND", "id")]));
    let stage = json!({ "id": stage["id"] });
    let refused = api.refused("removeInterviewStage", stage).await;
    assert_eq!(refused, errors(&[("NOT_FOUND", "id")]));
    assert_eq!(api.stats().await.0, 1);
}

#[tokio::test]
async fn the_id_of_a_deleted_application_can_be_used_again() {
    let (api, _) = start().await;
    let made = api.create(named("Visa")).await;
    let id = made["id"].as_str().unwrap();
    api.update(id, json!({ "notes": "gone soon" })).await;
    api.done("deleteApplication", json!({ "id": id })).await;
    let anew = api
        .create(with(named("Mastercard"), json!({ "id": id })))
        .await;
    assert_eq!(
        (&anew["version"], &anew["notes"]),
        (&json!(1), &json!(null))
    );
    assert_eq!(api.story(id).await, ["Application created"]);
    assert_eq!(api.stats().await.0, 1);
}

#[tokio::test]
async fn a_delete_that_was_broken_off_is_finished_by_the_next() {
    let (api, _) = start().await;
    let made = api.create(named("Visa")).await;
    let id = made["id"].as_str().unwrap();
    api.add_stage(id, json!({ "name": "Onsite" })).await;
    let left = api.stored(id).await;
    api.done("deleteApplication", json!({ "id": id })).await;
    for (sort_key, mut item) in left {
        if sort_key == "HIST#00000001" {
            // As the transaction leaves it that removes the application.
            item.insert("restoring".to_owned(), text("a delete"));
        }
        if !sort_key.starts_with("APP#") {
            api.put(item).await;
        }
    }
    assert_eq!(api.read(id).await, json!(null));
    let anew = with(named("Visa"), json!({ "id": id }));
    let refused = api.refused("createApplication", anew.clone()).await;
    assert_eq!(refused, errors(&[("CONFLICT", "id")]));
    api.done("deleteApplication", json!({ "id": id })).await;
    assert_eq!(api.stored(id).await, [].into());
    assert_eq!(api.create(anew).await["version"], 1);
    assert_eq!(api.stats().await.0, 1);
}

#[tokio::test]
async fn a_deleted_id_is_answered_as_ids_are_written() {
    let (api, _) = start().await;
    let made = api.create(named("Visa")).await;
    let upper = made["id"].as_str().unwrap().to_uppercase();
    let deleted = api.done("deleteApplication", json!({ "id": upper })).await;
    assert_eq!(deleted["deletedApplicationId"], made["id"]);
}

#[tokio::test]
async fn an_archived_application_can_be_deleted_too() {
    let (api, _) = start().await;
    let made = api.create(named("Visa")).await;
    api.done("archiveApplication", json!({ "id": made["id"] }))
        .await;
    assert_eq!((api.stats().await.0, api.stats().await.1), (0, 1));
    api.done("deleteApplication", json!({ "id": made["id"] }))
        .await;
    assert_eq!((api.stats().await.0, api.stats().await.1), (0, 0));
}

#[tokio::test]
async fn the_counters_follow_every_mutation() {
    let (api, _) = start().await;
    let (active, archived, by_status) = api.stats().await;
    assert_eq!((active, archived, by_status.len()), (0, 0, 8));
    assert!(by_status.values().all(|counts| *counts == (0, 0)));

    let mut ids = Vec::new();
    for status in ["UNSUBMITTED", "APPLIED", "APPLIED", "GIVEN_OFFER"] {
        let made = api
            .create(with(named("Visa"), json!({ "status": status })))
            .await;
        ids.push(made["id"].as_str().unwrap().to_owned());
    }
    api.update(&ids[0], json!({ "status": "NO_OFFER" })).await;
    api.update(&ids[1], json!({ "notes": "of no matter to the counters" }))
        .await;
    api.done("archiveApplication", json!({ "id": ids[1] }))
        .await;
    api.done("archiveApplication", json!({ "id": ids[3] }))
        .await;
    api.update(&ids[3], json!({ "status": "DECLINED_OFFER" }))
        .await;
    let (active, archived, by_status) = api.stats().await;
    assert_eq!((active, archived), (2, 2));
    let expected = [
        ("ACCEPTED_OFFER", (0, 0)),
        ("APPLIED", (1, 1)),
        ("DECLINED_OFFER", (0, 1)),
        ("GIVEN_OFFER", (0, 0)),
        ("INTERVIEWING", (0, 0)),
        ("NO_OFFER", (1, 0)),
        ("REJECTED", (0, 0)),
        ("UNSUBMITTED", (0, 0)),
    ];
    assert_eq!(
        by_status,
        expected
            .map(|(status, counts)| (status.to_owned(), counts))
            .into()
    );

    // A restored archiving counts as well: entry 1 was not archived and applied.
    let restored = json!({ "id": ids[1], "sequence": 1 });
    api.done("restoreApplication", restored).await;
    let (active, archived, by_status) = api.stats().await;
    assert_eq!((active, archived, by_status["APPLIED"]), (3, 1, (2, 0)));
}

#[tokio::test]
async fn total_count_is_one_read_without_filters_that_look_into_items() {
    let (api, _) = start().await;
    for status in ["APPLIED", "APPLIED", "REJECTED"] {
        api.create(with(named("Visa"), json!({ "status": status })))
            .await;
    }
    let archived = api
        .create(with(named("Visa"), json!({ "status": "APPLIED" })))
        .await;
    api.done("archiveApplication", json!({ "id": archived["id"] }))
        .await;
    const TOTAL: &str = "query($filter: ApplicationFilter) {
      applications(filter: $filter, first: 1) { totalCount } }";
    for (filter, total) in [
        (json!({}), json!(3)),
        (json!({ "archived": "ONLY" }), json!(1)),
        (json!({ "archived": "INCLUDE" }), json!(4)),
        (json!({ "statuses": ["APPLIED"] }), json!(2)),
        (
            json!({ "statuses": ["APPLIED", "REJECTED"], "archived": "INCLUDE" }),
            json!(4),
        ),
        (json!({ "statuses": ["NO_OFFER"] }), json!(0)),
        (json!({ "text": "visa" }), json!(3)),
        (json!({ "companyCategories": ["AI"] }), json!(0)),
        (json!({ "jobSources": ["FRIEND"] }), json!(0)),
        (json!({ "minSkillsMatch": 1 }), json!(0)),
    ] {
        api.calls.reset();
        let data = api.data(TOTAL, json!({ "filter": filter })).await;
        assert_eq!(data["applications"]["totalCount"], total, "{filter}");
        let is_counted = filter
            .as_object()
            .unwrap()
            .keys()
            .all(|key| ["archived", "statuses"].contains(&key.as_str()));
        let gets = u64::from(is_counted);
        assert_eq!(
            api.calls.counts().get("GetItem").copied().unwrap_or(0),
            gets,
            "{filter}"
        );
    }
}
