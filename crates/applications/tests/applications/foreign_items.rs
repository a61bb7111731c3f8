//! Items that other programs write or change beside ours: nothing else is answered, changed or lost.

use aws_sdk_dynamodb::types::AttributeValue::{self, Bool, L, M, N, Null};
use serde_json::{Value, json};

use crate::ask::{Item, named, number, start, text, with};
use crate::history::with_entries;
use crate::malformed::spoil_item;
use crate::support::Api;

/// An item of another program in an application's partition.
fn unknown(id: &str, sort_key: &str) -> Item {
    Item::from([
        ("PK".to_owned(), text(&format!("APP#{id}"))),
        ("SK".to_owned(), text(sort_key)),
        ("text".to_owned(), text("theirs")),
    ])
}

const DETAIL: &str = "query($id: ID!, $first: Int!) { application(id: $id) {
  companyName interviewStages { name } history(first: $first) {
    edges { node { sequence } } pageInfo { hasNextPage } } } }";

#[tokio::test]
async fn unknown_items_of_a_partition_are_never_taken_for_the_application() {
    let (api, _) = start().await;
    let many: Vec<String> = (0..60).map(|i| format!("COMMENT#{i}")).collect();
    let notes: Vec<String> = (0..60).map(|i| format!("NOTE#{i}")).collect();
    let some = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>();
    for keys in [
        some(&["v1"]),
        some(&[
            "TASK#1",
            "A",
            "HIST#last",
            "HIST#1",
            "STAGE#",
            "HIST#00000001#draft",
        ]),
        many,
        notes,
    ] {
        let id = with_entries(&api, 3).await;
        api.add_stage(&id, json!({ "name": "Onsite" })).await;
        let mut copy = api.stored_application(&id).await;
        copy.retain(|name, _| !name.starts_with("GSI"));
        copy.insert("companyName".to_owned(), text("An old name"));
        copy.insert("SK".to_owned(), text("v1"));
        api.put(copy).await;
        let others = keys.iter().filter(|key| *key != "v1");
        api.put_all(others.map(|key| unknown(&id, key)).collect())
            .await;
        for first in [1, 3, 20] {
            let data = api.data(DETAIL, json!({ "id": id, "first": first })).await;
            let read = &data["application"];
            assert_eq!(read["companyName"], "Visa", "{keys:?}");
            assert_eq!(
                read["interviewStages"],
                json!([{ "name": "Onsite" }]),
                "{keys:?}"
            );
            let edges = read["history"]["edges"].as_array().unwrap();
            assert_eq!(edges.len(), first.min(4), "{keys:?}");
            assert_eq!(edges[0]["node"]["sequence"], 4);
            assert_eq!(
                read["history"]["pageInfo"]["hasNextPage"],
                first < 4,
                "{keys:?}"
            );
        }
        let updated = api.update(&id, json!({ "notes": "changed" })).await;
        assert_eq!(
            (&updated["version"], &updated["companyName"]),
            (&json!(5), &json!("Visa"))
        );
        let stored = api.stored(&id).await;
        assert!(keys.iter().all(|key| stored.contains_key(key)), "{keys:?}");
    }
}

/// An application with a stage and values, and its snapshot 2 replaced by what another program wrote.
async fn with_snapshot(api: &Api, change: impl FnOnce(&mut Item)) -> String {
    let made = api
        .create(with(
            named("Visa"),
            json!({ "notes": "first", "salaryMin": 1, "nextAction": "call" }),
        ))
        .await;
    let id = made["id"].as_str().unwrap().to_owned();
    api.add_stage(&id, json!({ "name": "Onsite", "notes": "bring papers" }))
        .await;
    let mut entry = api.stored(&id).await["HIST#00000002"].clone();
    let Some(M(snapshot)) = entry.get_mut("snapshot") else {
        panic!("no snapshot")
    };
    change(snapshot);
    api.put(entry).await;
    api.update(&id, json!({ "notes": "second", "companyName": "Hooli" }))
        .await;
    id
}

async fn restore(api: &Api, id: &str) -> Value {
    let document = "mutation($id: ID!) { restoreApplication(input: { id: $id, sequence: 2 }) {
      keptFields application { companyName notes salaryMin nextAction interviewStages { name notes } }
      userErrors { code } } }";
    let data = api.data(document, json!({ "id": id })).await;
    data["restoreApplication"].clone()
}

#[tokio::test]
async fn a_restore_keeps_what_the_snapshot_does_not_have() {
    let (api, _) = start().await;
    let stages = json!([{ "name": "Onsite", "notes": "bring papers" }]);
    let unusable: [Option<AttributeValue>; 5] = [
        None,
        Some(Null(true)),
        Some(M(Item::new())),
        Some(L(vec![text("Onsite")])),
        Some(L(vec![M(Item::from([(
            "name".to_owned(),
            text("Onsite"),
        )]))])),
    ];
    for odd in unusable {
        let id = with_snapshot(&api, |snapshot| {
            snapshot.remove("interviewStages");
            snapshot.extend(odd.clone().map(|odd| ("interviewStages".to_owned(), odd)));
        })
        .await;
        let restored = restore(&api, &id).await;
        assert_eq!(
            restored["keptFields"],
            json!(["interviewStages"]),
            "{odd:?}"
        );
        let application = &restored["application"];
        assert_eq!(application["interviewStages"], stages, "{odd:?}");
        assert_eq!(application["companyName"], "Visa");
    }
    let id = with_snapshot(&api, |snapshot| {
        snapshot.retain(|name, _| ["id", "companyName", "updatedAt"].contains(&name.as_str()));
    })
    .await;
    let restored = restore(&api, &id).await;
    let kept = restored["keptFields"].as_array().unwrap();
    for field in [
        "notes",
        "salaryMin",
        "nextAction",
        "isArchived",
        "interviewStages",
    ] {
        assert!(kept.contains(&json!(field)), "{field}: {kept:?}");
    }
    let expected = json!({ "companyName": "Visa", "notes": "second", "salaryMin": 1, "nextAction": "call",
        "interviewStages": stages });
    assert_eq!(restored["application"], expected);
}

#[tokio::test]
async fn a_restore_records_what_another_program_has_changed() {
    let (api, _) = start().await;
    let id = with_snapshot(&api, |_| {}).await;
    let stored = api.stored(&id).await;
    let stage = stored
        .keys()
        .find(|key| key.starts_with("STAGE#"))
        .unwrap()
        .clone();
    spoil_item(
        &api,
        &id,
        &stage,
        ("notes", Some(text("typed in the console"))),
    )
    .await;
    spoil_item(
        &api,
        &id,
        &format!("APP#{id}"),
        ("salaryMin", Some(number(77))),
    )
    .await;
    restore(&api, &id).await;
    let story = api.story(&id).await;
    assert_eq!(story.len(), 5, "{story:?}");
    assert!(
        story[3].starts_with("Changes of another program recorded"),
        "{story:?}"
    );
    // Nothing is lost: what was there can be restored.
    let document = "mutation($id: ID!) { restoreApplication(input: { id: $id, sequence: 4 }) {
      keptFields application { salaryMin interviewStages { notes } } } }";
    let back = api.data(document, json!({ "id": id })).await;
    let back = &back["restoreApplication"];
    assert_eq!(back["keptFields"], json!([]));
    let expected =
        json!({ "salaryMin": 77, "interviewStages": [{ "notes": "typed in the console" }] });
    assert_eq!(back["application"], expected);
}

#[tokio::test]
async fn what_the_item_says_wins_over_the_newest_snapshot() {
    let (api, _) = start().await;
    let id = api
        .create(with(named("Visa"), json!({ "salaryMin": 90_000 })))
        .await["id"]
        .clone();
    let id = id.as_str().unwrap();
    spoil_item(
        &api,
        id,
        &format!("APP#{id}"),
        ("salaryMin", Some(N("123456".to_owned()))),
    )
    .await;
    let updated = api.update(id, json!({ "notes": "n" })).await;
    assert_eq!(
        (&updated["salaryMin"], &updated["notes"]),
        (&json!(123_456), &json!("n"))
    );
    let newest = api.stored(id).await["HIST#00000002"].clone();
    let snapshot = newest["snapshot"].as_m().unwrap().clone();
    assert_eq!(snapshot["salaryMin"], number(123_456));
    let input = json!({ "id": id, "sequence": 1 });
    let restored = api.done("restoreApplication", input).await["application"].clone();
    assert_eq!(restored["salaryMin"], 90_000);
    assert_eq!(
        api.stored_application(id).await["salaryMin"],
        number(90_000)
    );
}

/// What another program does to the first of two stages.
struct ChangeOfAStage {
    name: &'static str,
    run: fn(&mut Item),
}

const CHANGES_OF_A_STAGE: [ChangeOfAStage; 6] = [
    ChangeOfAStage {
        name: "completes it",
        run: |stage| {
            stage.insert("isCompleted".to_owned(), Bool(true));
            stage.insert("completedDate".to_owned(), text("2026-11-02"));
        },
    },
    ChangeOfAStage {
        name: "renames it",
        run: |stage| {
            stage.insert("name".to_owned(), text("Phone call"));
        },
    },
    ChangeOfAStage {
        name: "rates it",
        run: |stage| {
            stage.insert("performanceRating".to_owned(), number(4));
        },
    },
    ChangeOfAStage {
        name: "empties its notes",
        run: |stage| {
            stage.insert("notes".to_owned(), Null(true));
        },
    },
    ChangeOfAStage {
        name: "moves it to the end",
        run: |stage| {
            stage.insert("order".to_owned(), number(9));
        },
    },
    ChangeOfAStage {
        name: "copies it",
        run: |stage| {
            let id = "99999999-2222-4333-8444-555555555555";
            stage.insert("id".to_owned(), text(id));
            stage.insert("SK".to_owned(), text(&format!("STAGE#{id}")));
        },
    },
];

/// Mutations of an application, by its id and the ids of its stages as they are read.
fn each_change(id: &str, stages: &[Value]) -> Vec<(&'static str, Value)> {
    let mut reversed = stages.to_vec();
    reversed.reverse();
    let last = reversed[0].clone();
    let notes = json!({ "id": id, "notes": "n" });
    vec![
        ("updateApplication", notes.clone()),
        ("updateApplications", json!({ "applications": [notes] })),
        ("archiveApplication", json!({ "id": id })),
        (
            "addInterviewStage",
            json!({ "applicationId": id, "name": "Offer" }),
        ),
        (
            "updateInterviewStage",
            json!({ "id": last, "name": "Final" }),
        ),
        ("completeInterviewStage", json!({ "id": last })),
        ("removeInterviewStage", json!({ "id": last })),
        (
            "reorderInterviewStages",
            json!({ "applicationId": id, "stageIds": reversed }),
        ),
    ]
}

/// A change records what another program did to a stage, and answers it; lists show it from then on.
#[tokio::test]
async fn a_change_takes_the_stages_as_another_program_left_them() {
    let (api, _) = start().await;
    let stages =
        "interviewStages { stageId name order isCompleted completedDate notes performanceRating }";
    let detail = format!(
        "query($id: ID!) {{ application(id: $id) {{ {stages} ids: interviewStages {{ id }} }} }}"
    );
    let everywhere = format!(
        "query($id: ID!) {{ application(id: $id) {{ {stages}
           history(first: 1) {{ edges {{ node {{ snapshot {{ {stages} }} }} }} }} }}
           applications(filter: {{ archived: INCLUDE }}, first: 1) {{ edges {{ node {{ {stages} }} }} }} }}"
    );
    let names: Vec<_> = each_change("", &[json!("")])
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    for ChangeOfAStage { name: what, run } in CHANGES_OF_A_STAGE {
        for (at, name) in names.iter().enumerate() {
            let id = api.create(named("Visa")).await["id"]
                .as_str()
                .unwrap()
                .to_owned();
            let screen = json!({ "name": "Phone screen", "notes": "call back" });
            let screen = api.add_stage(&id, screen).await["stageId"].clone();
            api.add_stage(&id, json!({ "name": "Onsite" })).await;
            let key = format!("STAGE#{}", screen.as_str().unwrap());
            let mut stage = api.stored(&id).await[&key].clone();
            run(&mut stage);
            api.put(stage).await;
            let read = api.data(&detail, json!({ "id": id })).await["application"].take();
            let before = read["interviewStages"].as_array().unwrap().clone();
            let ids: Vec<_> = read["ids"]
                .as_array()
                .unwrap()
                .iter()
                .map(|stage| stage["id"].clone())
                .collect();
            let (_, input) = each_change(&id, &ids).remove(at);
            api.data(
                &format!(
                    "mutation($input: {}{}Input!) {{ {name}(input: $input) {{ __typename }} }}",
                    name[..1].to_uppercase(),
                    &name[1..]
                ),
                json!({ "input": input }),
            )
            .await;
            let after = api.data(&everywhere, json!({ "id": id })).await;
            let stored = &after["application"]["interviewStages"];
            let snapshot = &after["application"]["history"]["edges"][0]["node"]["snapshot"];
            let listed = &after["applications"]["edges"][0]["node"];
            assert_eq!(
                snapshot["interviewStages"], *stored,
                "{name}, another program {what}"
            );
            assert_eq!(
                listed["interviewStages"], *stored,
                "{name}, another program {what}"
            );
            if *name == "updateApplication" || *name == "archiveApplication" {
                assert_eq!(
                    *stored,
                    Value::Array(before),
                    "{name}, another program {what}"
                );
            }
            api.done("deleteApplication", json!({ "id": id })).await;
        }
    }
}

/// A list in a list, so many times.
fn nested(levels: usize) -> AttributeValue {
    (0..levels).fold(text("theirs"), |value, _| L(vec![value]))
}

/// What an item can hold, a snapshot around it may not: DynamoDB takes 32 levels, the text included.
#[tokio::test]
async fn a_value_nested_to_the_limit_prevents_no_change() {
    let (api, _) = start().await;
    for levels in (26..=31).chain([1]) {
        for in_stage in [true, false] {
            for at in 0..each_change("", &[json!("")]).len() {
                let id = api.create(named("Visa")).await["id"]
                    .as_str()
                    .unwrap()
                    .to_owned();
                let stage = api.add_stage(&id, json!({ "name": "Phone screen" })).await;
                let last = api.add_stage(&id, json!({ "name": "Onsite" })).await;
                let key = if in_stage {
                    format!("STAGE#{}", stage["stageId"].as_str().unwrap())
                } else {
                    format!("APP#{id}")
                };
                spoil_item(&api, &id, &key, ("notes", Some(nested(levels)))).await;
                let ids = [stage["id"].clone(), last["id"].clone()];
                let (name, mut input) = each_change(&id, &ids).remove(at);
                // What is odd stays, so another field is set.
                if let Some(input) = input.as_object_mut() {
                    input.remove("notes");
                }
                let what = format!("{name}, {levels} levels, in a stage: {in_stage}");
                let batch = name == "updateApplications";
                if batch {
                    input = json!({ "applications": [{ "id": id, "companyName": "Hooli" }] });
                } else if name == "updateApplication" {
                    input = json!({ "id": id, "companyName": "Hooli" });
                }
                let answered = if batch {
                    "results { userErrors { message } }"
                } else {
                    "userErrors { message }"
                };
                let document = format!(
                    "mutation($input: {}{}Input!) {{ payload: {name}(input: $input) {{ {answered} }} }}",
                    name[..1].to_uppercase(),
                    &name[1..]
                );
                let answer = api.run(&document, json!({ "input": input })).await;
                let payload = &answer.body["data"]["payload"];
                let payload = if batch {
                    &payload["results"][0]
                } else {
                    payload
                };
                assert_eq!(
                    payload["userErrors"],
                    json!([]),
                    "{what}: {:#}",
                    answer.body
                );
                let stored = api.stored(&id).await;
                assert_eq!(stored[&key]["notes"], nested(levels), "{what}");
                let restored = json!({ "id": id, "sequence": 3 });
                let document = "mutation($input: RestoreApplicationInput!) {
                    restoreApplication(input: $input) { userErrors { message } } }";
                let answer = api.run(document, json!({ "input": restored })).await;
                let payload = &answer.body["data"]["restoreApplication"];
                assert_eq!(
                    payload["userErrors"],
                    json!([]),
                    "{what}: {:#}",
                    answer.body
                );
            }
        }
    }
}

#[tokio::test]
async fn a_counter_that_is_not_a_number_does_not_prevent_changes() {
    for odd in [text("5"), Null(true), Bool(true)] {
        let (api, _) = start().await;
        let id = api.create(named("Visa")).await["id"].clone();
        let mut meta = api.stored_meta().await;
        meta.insert("count".to_owned(), odd.clone());
        api.put(meta).await;
        let second = api.create(named("Hooli")).await["id"].clone();
        api.done("archiveApplication", json!({ "id": id })).await;
        api.done("deleteApplication", json!({ "id": second })).await;
        assert_eq!(api.stored_meta().await["count"], odd);
        let data = api
            .data("{ applicationStats { active archived } }", json!({}))
            .await;
        assert_eq!(data["applicationStats"]["active"], json!(null), "{odd:?}");
    }
}

#[tokio::test]
async fn an_application_at_other_keys_of_the_index_is_not_listed_there() {
    let (api, _) = start().await;
    let id = with_entries(&api, 2).await;
    let odd = ("GSI1PK", Some(text("STATUS#rejected#ARCHIVED#0")));
    spoil_item(&api, &id, &format!("APP#{id}"), odd).await;
    assert_eq!(
        api.listed(json!({ "statuses": ["REJECTED"] })).await,
        [] as [&str; 0]
    );
    assert_eq!(api.listed(json!({})).await, [id.as_str()]);
    let odd = ("isArchived", Some(Bool(true)));
    spoil_item(&api, &id, &format!("APP#{id}"), odd).await;
    assert_eq!(api.listed(json!({})).await, [] as [&str; 0]);
    api.update(&id, json!({ "notes": "the next change corrects the keys" }))
        .await;
    assert_eq!(
        api.listed(json!({ "archived": "ONLY" })).await,
        [id.as_str()]
    );
}
