//! From a table without owners into an owner's part, and from many owners to many, compared item by item.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::Value;

use crate::commands::run::Folder;
use crate::tenancy::world::every_item;

const TABLE: &str = "lambda_api_applications";

type Items = BTreeMap<String, HashMap<String, AttributeValue>>;

/// An NDJSON export with stages, history, archived applications and the time spent in statuses, made by a server.
const APPLICATIONS: &str = include_str!("applications.ndjson");

fn items(folder: &Folder) -> Items {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(every_item(&folder.store(), TABLE))
}

/// The items as they are in the part of an owner.
fn moved(items: &Items, owner: &str) -> Items {
    let prefixed = |text: &str| format!("USER#{owner}#{text}");
    let item = |(key, item): (&String, &HashMap<String, AttributeValue>)| {
        let mut item = item.clone();
        for name in ["PK", "GSI1PK", "GSI2PK"] {
            if let Some(AttributeValue::S(text)) = item.get_mut(name) {
                *text = prefixed(text);
            }
        }
        (prefixed(key), item)
    };
    items.iter().map(item).collect()
}

/// Without the marker and the registry, which a table without owners has not.
fn parts(items: Items) -> Items {
    let is_part = |key: &String| key.starts_with("USER#");
    items.into_iter().filter(|(key, _)| is_part(key)).collect()
}

#[test]
fn a_person_moves_into_an_owners_part_with_two_commands() {
    let folder = Folder::new();
    let start = folder.file("start.ndjson", APPLICATIONS);
    folder.good(&["import", &start]);
    let before = items(&folder);
    assert!(before.len() > 8, "{before:#?}");
    assert!(
        before
            .keys()
            .all(|key| !key.starts_with("TENANCY") && !key.starts_with("OWNERS"))
    );

    let other = Folder::new();
    let file = folder.path("moving.ndjson").display().to_string();
    folder.good(&["export", "-o", &file]);
    other.good(&["import", &file, "--owner", "auth0|ada#1"]);

    let expected = moved(&before, "auth0|ada%231");
    assert_eq!(parts(items(&other)), expected);
    assert_eq!(items(&folder), before, "what was exported stays");
    // Again, it changes nothing.
    let again = other.good(&["import", &file, "--owner", "auth0|ada#1"]);
    assert_eq!(again.counts().0, 0);
    assert_eq!(parts(items(&other)), expected);
    // Counted again, nothing was wrong.
    let recounted = other.good(&["table", "recount", "--all-owners"]).out;
    assert_eq!(recounted, "0 counters corrected\n");
    let checked = other.good(&["table", "check"]).out;
    assert!(!checked.contains("incomplete"), "{checked}");
}

#[test]
fn all_owners_are_exported_and_imported_together() {
    let (folder, other) = (Folder::new(), Folder::new());
    let start = folder.file("start.ndjson", APPLICATIONS);
    for owner in ["ada", "bob"] {
        folder.good(&["import", &start, "--owner", owner]);
    }
    let file = folder.path("all.ndjson").display().to_string();
    folder.good(&["export", "--all-owners", "-o", &file]);
    let text = std::fs::read_to_string(&file).unwrap();
    let owners: Vec<_> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["owner"].clone())
        .collect();
    let each = APPLICATIONS.lines().count();
    assert_eq!(owners.iter().filter(|owner| *owner == "ada").count(), each);
    assert_eq!(owners.iter().filter(|owner| *owner == "bob").count(), each);

    // Whose a line is, is never guessed.
    for whose in [&[][..], &["--owner", "ada"]] {
        let refused = other.run(&[&["import", &file, "--dry-run"], whose].concat());
        assert_eq!((refused.code, refused.counts().0), (2, 0), "{refused:?}");
        assert!(refused.err.contains("export of all owners"), "{refused:?}");
    }
    let refused = other.run(&["import", &start, "--all-owners", "--dry-run"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.err.contains("does not say whose"), "{refused:?}");

    other.good(&["import", &file, "--all-owners"]);
    assert_eq!(items(&other), items(&folder));

    let csv = folder.run(&["export", "--all-owners", "--format", "csv"]);
    assert!(csv.sentence().contains("--owner NAME"), "{csv:?}");
    let one = folder.good(&["export", "--owner", "bob"]).out;
    assert!(!one.contains("\"owner\""), "{one}");
}

#[test]
fn a_list_that_several_have_shared_becomes_a_list_of_each() {
    let names = ["ada", "auth0|ben#1", "eva"];
    let count = u32::try_from(APPLICATIONS.lines().count()).unwrap();
    let every_way = 3_usize.pow(count);
    // Every way to share the applications among up to three people, or some of the ways if there are many.
    for way in (0..every_way).step_by((every_way / 20).max(1)) {
        let (folder, other) = (Folder::new(), Folder::new());
        let start = folder.file("start.ndjson", APPLICATIONS);
        folder.good(&["import", &start]);
        let mut expected = vec![Vec::new(); names.len()];
        let mut lines = String::new();
        for (number, line) in folder.good(&["export"]).out.lines().enumerate() {
            let whose = way / 3_usize.pow(u32::try_from(number).unwrap()) % 3;
            let mut application: Value = serde_json::from_str(line).unwrap();
            expected[whose].push(application["id"].clone());
            application["owner"] = names[whose].into();
            lines += &format!("{application}\n");
        }
        let file = folder.file("moving.ndjson", &lines);
        other.good(&["import", &file, "--all-owners"]);
        for (name, mut ids) in names.iter().zip(expected) {
            let own = other.run(&["export", "--owner", name]);
            let mut found: Vec<Value> = own
                .out
                .lines()
                .map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].clone())
                .collect();
            found.sort_by_key(Value::to_string);
            ids.sort_by_key(Value::to_string);
            assert_eq!(found, ids, "{name} of way {way}: {}", own.err);
        }
        let recounted = other.good(&["table", "recount", "--all-owners"]).out;
        assert_eq!(recounted, "0 counters corrected\n");
    }
}
