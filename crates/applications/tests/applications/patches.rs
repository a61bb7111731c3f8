//! Patching any one field changes that field, `updatedAt`, `version` and the history, and nothing else: of random
//! applications, as this program and others write them.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue::{Bool, M, Null, Ss};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::{Value, json};

use trestle_applications::{Details, Form, IfEmpty};

use crate::ask::{Item, named, number, start, text, with};
use crate::malformed::{Odd, accepted, lost, unreadable};
use crate::support::Api;

/// Values that every program writes.
fn usual() -> Vec<Odd> {
    vec![
        ("status", Some(text("applied"))),
        ("status", Some(text("unsubmitted"))),
        ("status", Some(text("no offer"))),
        ("dateApplied", Some(text("2026-01-15"))),
        ("dateApplied", Some(Null(true))),
        ("dateApplied", None),
        ("salaryMin", Some(number(120_000))),
        ("salaryMax", Some(number(90_000))),
        ("salaryMax", None),
        ("notes", Some(text("old"))),
        ("isArchived", Some(Bool(true))),
        ("statusSince", None),
        ("nextAction", Some(text("call"))),
        ("salaryCurrency", Some(text("EUR"))),
        ("salaryPeriod", Some(text("year"))),
        ("tags", Some(Ss(vec!["a".to_owned(), "b".to_owned()]))),
        ("isRemote", Some(Bool(true))),
        ("anotherProgram", Some(text("keeps this"))),
    ]
}

fn attributes() -> Vec<Odd> {
    let odd = unreadable().into_iter().chain(accepted());
    let odd = odd.map(|(name, value, _)| (name, Some(value)));
    odd.chain(lost()).chain(usual()).collect()
}

/// Every field with values to set it to.
fn patches() -> Vec<(&'static str, Value)> {
    let mut all: Vec<_> = [
        "UNSUBMITTED",
        "APPLIED",
        "REJECTED",
        "INTERVIEWING",
        "GIVEN_OFFER",
        "ACCEPTED_OFFER",
        "DECLINED_OFFER",
        "NO_OFFER",
    ]
    .into_iter()
    .map(|status| ("status", json!(status)))
    .collect();
    for field in Details::FIELDS
        .iter()
        .filter(|field| field.name != "status")
    {
        let value = match (field.form, field.name) {
            (Form::Text | Form::LongText, _) => json!("Zürich"),
            (Form::Day, _) => json!("2026-02-03"),
            (Form::Link, _) => json!("https://hooli.example/1"),
            (Form::Other, "companyCategory") => json!("CLIMATE"),
            (Form::Other, "jobSource") => json!("RECRUITER"),
            (Form::Other, "skillsMatch") => json!(2),
            (Form::Other, "coverLetterRequired" | "isRemote") => json!(true),
            (Form::Other, "salaryMin") => json!(100_000),
            (Form::Other, "salaryMax") => json!(110_000),
            (Form::Other, "salaryCurrency") => json!("GBP"),
            (Form::Other, "salaryPeriod") => json!("HOUR"),
            (Form::Other, "tags") => json!(["rust", "on call"]),
            (Form::Other, name) => panic!("{name} has no value here"),
        };
        all.push((field.name, value));
        if field.if_empty != IfEmpty::Never {
            all.push((field.name, Value::Null));
        }
    }
    all
}

/// A stored application and a patch of it.
#[derive(Clone, Debug)]
struct Case {
    attributes: Vec<Odd>,
    has_history: bool,
    stages: usize,
    patch: (&'static str, Value),
}

fn case() -> impl Strategy<Value = Case> {
    let some = proptest::collection::vec(select(attributes()), 0..4);
    (some, any::<bool>(), 0..3_usize, select(patches())).prop_map(
        |(attributes, has_history, stages, patch)| Case {
            attributes,
            has_history,
            stages,
            patch,
        },
    )
}

fn write(item: &mut Item, attributes: &[Odd]) {
    for (name, value) in attributes {
        match value {
            Some(value) => drop(item.insert((*name).to_owned(), value.clone())),
            None => drop(item.remove(*name)),
        }
    }
}

/// Stores the application of a case; its id.
async fn store(api: &Api, case: &Case) -> String {
    let made = api
        .create(with(named("Visa"), json!({ "jobSource": "FRIEND" })))
        .await;
    let id = made["id"].as_str().unwrap().to_owned();
    for at in 0..case.stages {
        api.add_stage(&id, json!({ "name": format!("Stage {at}") }))
            .await;
    }
    for (sort_key, mut item) in api.stored(&id).await {
        if sort_key.starts_with("HIST#") {
            if let Some(M(snapshot)) = item.get_mut("snapshot") {
                write(snapshot, &case.attributes);
            }
            if case.has_history {
                api.put(item).await
            } else {
                api.remove(&item).await
            }
        } else if sort_key.starts_with("APP#") {
            write(&mut item, &case.attributes);
            api.put(item).await;
        }
    }
    id
}

/// The attributes that a patch of this field may change.
fn changeable(case: &Case, before: &Item, after: &Item) -> BTreeSet<&'static str> {
    let mut names = BTreeSet::from([
        case.patch.0,
        "updatedAt",
        "historySequence",
        "GSI1PK",
        "GSI1SK",
        "GSI2PK",
        "GSI2SK",
    ]);
    if case.patch.0 == "status" {
        if before.get("status") != after.get("status") {
            names.extend(["statusSince", "statusSinceStatus", "pastStatuses"]);
        }
        // Setting UNSUBMITTED clears the date, and leaving it sets one where there is none.
        let unsubmitted = Some(text("unsubmitted"));
        let is_dated = !matches!(before.get("dateApplied"), None | Some(Null(_)));
        let leaves = before.get("status") == unsubmitted.as_ref() && !is_dated;
        if leaves || case.patch.1 == "UNSUBMITTED" {
            names.insert("dateApplied");
        }
    }
    names
}

async fn check(api: &Api, case: &Case) -> Result<(), TestCaseError> {
    let id = store(api, case).await;
    let before = api.stored(&id).await;
    let input = json!({ "id": id, case.patch.0: case.patch.1 });
    let answer = api.mutate("updateApplication", input).await;
    let errors = answer.body["errors"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    for error in &errors {
        prop_assert_eq!(
            &error["extensions"]["code"],
            "UNREADABLE",
            "{:#}",
            answer.body
        );
    }
    let payload = &answer.body["data"]["updateApplication"];
    let after = api.stored(&id).await;
    if payload["userErrors"] != json!([]) {
        // Only the order of the salaries can be refused.
        prop_assert!(case.patch.0.starts_with("salary"), "{:#}", answer.body);
        prop_assert_eq!(before, after);
        return Ok(());
    }
    let key = format!("APP#{id}");
    let (was, is) = (&before[&key], &after[&key]);
    let mut new: Vec<_> = after
        .keys()
        .filter(|sk| !before.contains_key(*sk))
        .collect();
    if was == is {
        prop_assert!(new.is_empty(), "{:?}", new);
        prop_assert_eq!(before, after);
        return Ok(());
    }
    let may = changeable(case, was, is);
    for name in was.keys().chain(is.keys()) {
        let (old, new) = (was.get(name), is.get(name));
        prop_assert!(
            old == new || may.contains(name.as_str()),
            "{name}: {old:?} {new:?}"
        );
    }
    // The stages and the other history stay, and one entry comes.
    for (sort_key, item) in before.iter().filter(|(sk, _)| **sk != key) {
        prop_assert_eq!(Some(item), after.get(sort_key), "{}", sort_key);
    }
    let entry = new.pop().expect("an entry");
    prop_assert!(
        new.is_empty() && entry.starts_with("HIST#"),
        "{entry} {new:?}"
    );
    let sequence = after[entry]["sequence"].clone();
    prop_assert_eq!(is.get("historySequence"), Some(&sequence));
    prop_assert!(was.get("updatedAt") != is.get("updatedAt"));
    // The field is what was set.
    let application = &payload["application"];
    if !application.is_null() && !application[case.patch.0].is_null() {
        prop_assert_eq!(&application[case.patch.0], &case.patch.1);
    }
    if case.patch.1.is_null() {
        let stored = is.get(case.patch.0);
        prop_assert!(matches!(stored, None | Some(Null(_))), "{stored:?}");
    }
    Ok(())
}

#[test]
fn a_patch_of_one_field_changes_nothing_else() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let (api, hands) = runtime.block_on(start());
    let config = Config {
        cases: 100,
        failure_persistence: None,
        ..Config::default()
    };
    let checked = TestRunner::new(config).run(&case(), |case| {
        hands.go(1000);
        runtime.block_on(check(&api, &case))
    });
    checked.unwrap();
}
