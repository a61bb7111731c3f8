//! Values of other programs of every type that DynamoDB has: a change and a restore leave them exactly as they were.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue::{self, B, Bool, Bs, L, M, N, Ns, Null, S, Ss};
use proptest::collection::{btree_set, hash_map, vec};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use trestle_applications::Details;

use crate::ask::{Item, named, start, with};
use crate::support::Api;

/// How many applications a test makes.
const CASES: usize = 40;
const OF_STAGES: [&str; 8] = [
    "name",
    "order",
    "isCompleted",
    "completedDate",
    "notes",
    "performanceRating",
    "scheduledAt",
    "durationMinutes",
];

/// Numbers, also those that no other type holds: of 38 digits, and near the ends of the range.
fn digits() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        any::<i32>().prop_map(|number| format!("{}.5", i64::from(number))),
        "[1-9][0-9]{17,37}",
        "-0\\.[1-9]{38}",
        "[1-9]\\.[0-9]{1,37}",
        // The largest is 10 times this: as a value in an expression, dynoxide refuses that over HTTP.
        Just("9.9999999999999999999999999999999999999E+124".to_owned()),
        Just("-1E-130".to_owned()),
        Just("5.0".to_owned()),
        Just("0".to_owned()),
    ]
}

fn leaf() -> impl Strategy<Value = AttributeValue> {
    let bytes = vec(any::<u8>(), 0..40);
    prop_oneof![
        ".{0,20}".prop_map(S),
        digits().prop_map(N),
        any::<bool>().prop_map(Bool),
        bytes.clone().prop_map(|bytes| B(Blob::new(bytes))),
        btree_set("[a-z]{1,6}", 1..6).prop_map(|texts| Ss(texts.into_iter().collect())),
        btree_set("[1-9][0-9]{0,37}", 1..6).prop_map(|numbers| Ns(numbers.into_iter().collect())),
        btree_set(bytes, 1..4).prop_map(|blobs| Bs(blobs.into_iter().map(Blob::new).collect())),
    ]
}

fn value() -> impl Strategy<Value = AttributeValue> {
    let inner = prop_oneof![leaf(), Just(Null(true))];
    let nested = inner.prop_recursive(5, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(L),
            hash_map("[a-zA-Z .#-]{1,8}", inner, 0..4).prop_map(M),
        ]
    });
    // As deep as a snapshot can have it.
    let deep = leaf().prop_map(|leaf| (0..26).fold(leaf, |inner, _| L(vec![inner])));
    prop_oneof![4 => leaf(), 3 => nested, 1 => deep]
}

/// Sets have no order, and equal numbers one form.
fn plain(value: &AttributeValue) -> AttributeValue {
    match value {
        Ss(texts) => {
            let mut texts = texts.clone();
            texts.sort();
            Ss(texts)
        }
        Ns(numbers) => {
            let mut numbers = numbers.clone();
            numbers.sort();
            Ns(numbers)
        }
        Bs(blobs) => {
            let mut blobs = blobs.clone();
            blobs.sort_by(|a, b| a.as_ref().cmp(b.as_ref()));
            Bs(blobs)
        }
        L(values) => L(values.iter().map(plain).collect()),
        M(map) => M(map
            .iter()
            .map(|(name, value)| (name.clone(), plain(value)))
            .collect()),
        other => other.clone(),
    }
}

/// What is stored of an application and its stages beside versions, times and index keys, which a change sets.
async fn contents(api: &Api, id: &str) -> BTreeMap<String, BTreeMap<String, AttributeValue>> {
    let stored = api.stored(id).await.into_iter();
    let items = stored.filter(|(key, _)| !key.starts_with("HIST#"));
    items
        .map(|(key, item)| {
            let own = item.iter().filter(|(name, _)| {
                let is_set_by_changes = ["historySequence", "updatedAt", "scheduledStages"];
                let is_of_status = [
                    "statusSince",
                    "statusSinceStatus",
                    "statusNotedAt",
                    "pastStatuses",
                ];
                !name.starts_with("GSI")
                    && !is_set_by_changes.contains(&name.as_str())
                    && !is_of_status.contains(&name.as_str())
            });
            let own = own.map(|(name, value)| (name.clone(), plain(value)));
            (key, own.collect())
        })
        .collect()
}

/// Runs a mutation whose answer may have values that cannot be read.
async fn change(api: &Api, name: &str, input: Value) {
    let input_type = format!("{}{}Input", name[..1].to_uppercase(), &name[1..]);
    let document = format!(
        "mutation($input: {input_type}!) {{ {name}(input: $input) {{ userErrors {{ code message }} }} }}"
    );
    let answer = api.run(&document, json!({ "input": input })).await;
    let payload = &answer.body["data"][name];
    assert_eq!(payload["userErrors"], json!([]), "{:#}", answer.body);
}

/// The sequence of the newest history entry.
async fn newest(api: &Api, id: &str) -> u32 {
    let stored = api.stored(id).await;
    let mut sequences = stored.keys().filter_map(|key| key.strip_prefix("HIST#"));
    sequences.next_back().unwrap().parse().unwrap()
}

/// An application with two stages; the ids.
async fn application(api: &Api) -> (String, [Value; 2]) {
    let fields = json!({ "status": "APPLIED", "notes": "n", "tags": ["a", "b"] });
    let made = api.create(with(named("Visa"), fields)).await;
    let id = made["id"].as_str().unwrap().to_owned();
    let mut stages = Vec::new();
    for name in ["Phone screen", "On site"] {
        stages.push(api.add_stage(&id, json!({ "name": name })).await["id"].clone());
    }
    (id, stages.try_into().unwrap())
}

/// Puts odd values into some attributes of the application and its stages, and attributes that we do not know.
async fn spoil(api: &Api, id: &str, runner: &mut TestRunner) {
    // NULL is the same as a missing attribute.
    let value = value().prop_filter("empty", |value| !value.is_null());
    let mut next = || value.new_tree(runner).unwrap().current();
    for (key, mut item) in api.stored(id).await {
        if key.starts_with("HIST#") {
            continue;
        }
        let own: Vec<&str> = if key.starts_with("STAGE#") {
            OF_STAGES.to_vec()
        } else {
            Details::FIELDS.iter().map(|field| field.name).collect()
        };
        for (at, name) in own.into_iter().enumerate() {
            // Others stay what people write.
            if (at + key.len() + id.as_bytes()[at % 8] as usize).is_multiple_of(3) {
                item.insert(name.to_owned(), next());
            }
        }
        for name in ["theirs", "their list", "GSI9", "a.b"] {
            item.insert(name.to_owned(), next());
        }
        api.put(item).await;
    }
}

fn everything_else() -> Value {
    json!({
        "companyName": "Hooli", "positionTitle": "Baker", "status": "REJECTED", "dateApplied": "2026-02-03",
        "offerDueDate": "2026-02-03", "companyUrl": "https://a.example", "jobPostingUrl": "https://b.example",
        "companyCareerUrl": "https://c.example", "companyCategory": "CLIMATE", "jobSource": "RECRUITER",
        "skillsMatch": 2, "coverLetterRequired": true, "specialRequirements": "none", "notes": "other",
        "salaryMin": 1, "salaryMax": 2, "salaryCurrency": "GBP", "salaryPeriod": "HOUR", "tags": ["x"],
        "isRemote": true, "location": "Basel", "nextAction": "call", "nextActionDate": "2026-02-03",
        "postingText": "text",
    })
}

#[tokio::test]
async fn a_change_and_a_restore_leave_every_value_as_it_was() {
    let (api, hands) = start().await;
    let mut runner = TestRunner::default();
    for _ in 0..CASES {
        let (id, stages) = application(&api).await;
        spoil(&api, &id, &mut runner).await;
        let before = contents(&api, &id).await;
        hands.go(1000);
        // Our own entry of it.
        change(&api, "archiveApplication", json!({ "id": id })).await;
        let version = newest(&api, &id).await;
        change(&api, "unarchiveApplication", json!({ "id": id })).await;
        assert_eq!(contents(&api, &id).await, before);

        hands.go(7_200_000);
        let update = with(json!({ "id": id }), everything_else());
        change(&api, "updateApplication", update).await;
        change(&api, "removeInterviewStage", json!({ "id": stages[0] })).await;
        let stage = json!({
            "id": stages[1], "name": "Talk", "order": 9, "isCompleted": true, "completedDate": "2026-02-03",
            "notes": "other", "performanceRating": 3, "scheduledAt": "2026-12-01T09:00:00Z", "durationMinutes": 30,
        });
        change(&api, "updateInterviewStage", stage).await;
        let restore = json!({ "id": id, "sequence": version });
        change(&api, "restoreApplication", restore).await;
        change(&api, "unarchiveApplication", json!({ "id": id })).await;
        assert_eq!(contents(&api, &id).await, before, "{id}");
    }
}

#[tokio::test]
async fn what_another_program_has_changed_is_recorded_and_can_be_restored() {
    let (api, hands) = start().await;
    let mut runner = TestRunner::default();
    for _ in 0..CASES {
        let (id, _) = application(&api).await;
        spoil(&api, &id, &mut runner).await;
        let before = contents(&api, &id).await;
        hands.go(1000);
        // Records what is there, restores the first entry, and takes that back.
        change(
            &api,
            "restoreApplication",
            json!({ "id": id, "sequence": 1 }),
        )
        .await;
        let recorded = json!({ "id": id, "sequence": newest(&api, &id).await - 1 });
        change(&api, "restoreApplication", recorded).await;
        assert_eq!(contents(&api, &id).await, before, "{id}");
    }
}

/// The snapshot of an entry.
fn snapshot(entry: &mut Item) -> &mut Item {
    match entry.get_mut("snapshot") {
        Some(M(snapshot)) => snapshot,
        other => panic!("no snapshot: {other:?}"),
    }
}

#[tokio::test]
async fn an_entry_of_an_earlier_release_is_restored_without_changing_types() {
    let (api, hands) = start().await;
    let (id, _) = application(&api).await;
    let set = Ss(vec!["a".to_owned(), "b".to_owned()]);
    let long = N("12345678901234567890123456789".to_owned());
    let mut item = api.stored_application(&id).await;
    item.insert("tags".to_owned(), set.clone());
    item.insert("salaryMin".to_owned(), long.clone());
    api.put(item).await;
    let before = contents(&api, &id).await;
    hands.go(1000);
    change(&api, "archiveApplication", json!({ "id": id })).await;
    let version = newest(&api, &id).await;
    // Earlier releases stored a snapshot as JSON has it.
    let key = format!("HIST#{version:08}");
    let mut entry = api.stored(&id).await[&key].clone();
    let old = snapshot(&mut entry);
    assert_eq!((&old["tags"], &old["salaryMin"]), (&set, &long));
    old.insert(
        "tags".to_owned(),
        L(vec![S("a".to_owned()), S("b".to_owned())]),
    );
    old.insert(
        "salaryMin".to_owned(),
        N("1.2345678901234568e28".to_owned()),
    );
    api.put(entry).await;
    let update = json!({ "id": id, "notes": "other" });
    change(&api, "updateApplication", update).await;
    let restore = json!({ "id": id, "sequence": version });
    change(&api, "restoreApplication", restore).await;
    change(&api, "unarchiveApplication", json!({ "id": id })).await;
    assert_eq!(contents(&api, &id).await, before);
}

#[tokio::test]
async fn attributes_that_do_not_fit_into_a_snapshot_hinder_no_change() {
    let (api, _) = start().await;
    let (id, stages) = application(&api).await;
    for (key, mut item) in api.stored(&id).await {
        if key.starts_with("STAGE#") {
            item.insert("theirs".to_owned(), S("x".repeat(250_000)));
            api.put(item).await;
        }
    }
    let stored = contents(&api, &id).await;
    change(&api, "archiveApplication", json!({ "id": id })).await;
    let version = newest(&api, &id).await;
    change(&api, "removeInterviewStage", json!({ "id": stages[0] })).await;
    // One of them fits.
    change(&api, "removeInterviewStage", json!({ "id": stages[1] })).await;
    let last = json!({ "id": id, "sequence": version + 1 });
    change(&api, "restoreApplication", last).await;
    let restored = contents(&api, &id).await;
    let with_theirs = restored
        .iter()
        .filter(|(_, item)| item.contains_key("theirs"));
    let with_theirs: Vec<_> = with_theirs.collect();
    assert_eq!(with_theirs.len(), 1);
    let (key, item) = with_theirs[0];
    assert_eq!(item["theirs"], stored[key]["theirs"]);
    let first = json!({ "id": id, "sequence": version });
    change(&api, "restoreApplication", first).await;
    assert_eq!(contents(&api, &id).await.len(), stored.len());
}
