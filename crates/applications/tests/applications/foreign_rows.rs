//! Rows as other programs may leave them, made from rules, under every operation: nothing of another program's is changed
//! or lost unasked, nothing is answered that is not stored, and what is refused says why.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue::M;
use futures_util::future::join_all;
use serde_json::{Value, json};
use trestle_applications::{Applications, Import, Imported, Scope};
use trestle_table::clock::Clock;
use trestle_table::{Meter, Table};

use crate::ask::{FIELDS, Item, named, start, text, with};
use crate::odd_rows::{What, Where, rows};
use crate::support::Api;

type Stored = BTreeMap<String, Item>;

/// Makes an application with a stage and three entries, and changes it as the row says.
async fn made(api: &Api, row: &[What]) -> String {
    let fields = json!({ "status": "APPLIED", "notes": "n", "skillsMatch": 4, "salaryMin": 1, "salaryMax": 2,
        "companyUrl": "https://a.example", "companyCategory": "AI", "jobSource": "FRIEND" });
    let id = api.create(with(named("Visa"), fields)).await["id"].clone();
    let id = id.as_str().unwrap().to_owned();
    api.add_stage(&id, json!({ "name": "Onsite", "notes": "papers" }))
        .await;
    api.update(&id, json!({ "positionTitle": "Lead" })).await;
    for what in row {
        let stored = api.stored(&id).await;
        match what {
            What::Attribute(place, name, value) => {
                let prefix = match place {
                    Where::Application => "APP#",
                    Where::Stage => "STAGE#",
                    Where::Entry | Where::Snapshot => "HIST#00000003",
                };
                let mut item = stored
                    .into_iter()
                    .find(|(key, _)| key.starts_with(prefix))
                    .unwrap()
                    .1;
                let target = match (place, item.get_mut("snapshot")) {
                    (Where::Snapshot, Some(M(snapshot))) => snapshot,
                    _ => &mut item,
                };
                target.remove(*name);
                target.extend(value.clone().map(|value| ((*name).to_owned(), value)));
                api.put(item).await;
            }
            What::More(key) => {
                let mut copy = api.stored_application(&id).await;
                copy.retain(|name, _| !name.starts_with("GSI"));
                copy.insert("companyName".to_owned(), text("A copy"));
                copy.insert("SK".to_owned(), text(key));
                api.put(copy).await;
            }
            What::Gap(key) => api.remove(&stored[*key]).await,
        }
    }
    id
}

/// Asserts that an answer has only errors that say why, and its data.
fn explained(row: &[What], asked: &str, answer: &crate::support::Answer) -> Value {
    for error in answer.body["errors"].as_array().into_iter().flatten() {
        let code = &error["extensions"]["code"];
        assert_eq!(*code, "UNREADABLE", "{row:?}: {asked}: {error:#}");
        assert!(error["path"].is_array(), "{row:?}: {asked}: {error:#}");
    }
    answer.body["data"].clone()
}

/// Asserts that what is answered of an application is stored.
fn is_stored(row: &[What], asked: &str, id: &str, answered: &Value, stored: &Item) {
    if answered.is_null() {
        return;
    }
    assert_eq!(answered["id"], id, "{row:?}: {asked}");
    for name in ["companyName", "positionTitle", "notes", "companyUrl"] {
        let value = stored.get(name).and_then(|value| value.as_s().ok());
        let is_it =
            answered[name].is_null() || answered[name].as_str() == value.map(String::as_str);
        assert!(is_it, "{row:?}: {asked}: {name} is {}", answered[name]);
    }
    for name in ["skillsMatch", "salaryMin", "salaryMax"] {
        let value = stored
            .get(name)
            .and_then(|value| value.as_n().or(value.as_s()).ok());
        let is_it = answered[name].is_null() || Some(&answered[name].to_string()) == value;
        assert!(is_it, "{row:?}: {asked}: {name} is {}", answered[name]);
    }
}

/// What a change may write: attributes of the application, beginnings of sort keys.
struct Allowed {
    attributes: &'static [&'static str],
    items: &'static [&'static str],
}

const KEPT_BY_US: [&str; 11] = [
    "updatedAt",
    "historySequence",
    "GSI1PK",
    "GSI1SK",
    "GSI2PK",
    "GSI2SK",
    "scheduledStages",
    "statusSince",
    "statusSinceStatus",
    "statusNotedAt",
    "pastStatuses",
];

/// Asserts that nothing else is changed, and nothing lost.
fn is_kept(row: &[What], asked: &str, before: &Stored, after: &Stored, allowed: &Allowed) {
    for (key, item) in before {
        if allowed.items.iter().any(|prefix| key.starts_with(prefix)) {
            continue;
        }
        let now = after.get(key);
        let now = now.unwrap_or_else(|| panic!("{row:?}: {asked}: {key} is lost"));
        let is_application = item.get("PK").and_then(|pk| pk.as_s().ok()) == Some(key);
        for name in item.keys().chain(now.keys()) {
            let may = is_application
                && (KEPT_BY_US.contains(&name.as_str())
                    || allowed.attributes.contains(&name.as_str()));
            assert!(
                may || item.get(name) == now.get(name),
                "{row:?}: {asked}: {key} {name}"
            );
        }
    }
    for key in after.keys().filter(|key| !before.contains_key(*key)) {
        assert!(
            key.starts_with("HIST#") || allowed.items.iter().any(|prefix| key.starts_with(prefix)),
            "{row:?}: {key}"
        );
    }
}

const NOTES: Allowed = Allowed {
    attributes: &["notes"],
    items: &[],
};
const STAGES: Allowed = Allowed {
    attributes: &[],
    items: &["STAGE#"],
};
const ARCHIVED: Allowed = Allowed {
    attributes: &["isArchived"],
    items: &[],
};
/// What a restore sets; `theirs` is none of it.
const RESTORED: Allowed = Allowed {
    attributes: &[
        "companyName",
        "positionTitle",
        "status",
        "dateApplied",
        "offerDueDate",
        "companyUrl",
        "jobPostingUrl",
        "companyCareerUrl",
        "companyCategory",
        "jobSource",
        "skillsMatch",
        "coverLetterRequired",
        "specialRequirements",
        "notes",
        "salaryMin",
        "salaryMax",
        "isArchived",
    ],
    items: &["STAGE#"],
};

async fn reads(api: &Api, row: &[What], id: &str) {
    let stored = api.stored_application(id).await;
    let detail = format!(
        "query($id: ID!) {{ application(id: $id) {{ {FIELDS} interviewStages {{ name notes }}
           history {{ edges {{ node {{ sequence description changes {{ field }} }} }} }} }} }}"
    );
    let list = format!(
        "{{ applications(first: 100) {{ edges {{ node {{ {FIELDS} interviewStages {{ name }} }} }} }} }}"
    );
    let node =
        format!("query($id: ID!) {{ node(id: $id) {{ ... on Application {{ {FIELDS} }} }} }}");
    let data = explained(
        row,
        "application",
        &api.run(&detail, json!({ "id": id })).await,
    );
    is_stored(row, "application", id, &data["application"], &stored);
    let data = explained(row, "node", &api.run(&node, json!({ "id": id })).await);
    is_stored(row, "node", id, &data["node"], &stored);
    let data = explained(row, "applications", &api.run(&list, json!({})).await);
    for edge in data["applications"]["edges"].as_array().unwrap() {
        if edge["node"]["id"] == id {
            is_stored(row, "applications", id, &edge["node"], &stored);
        }
    }
}

async fn changes(api: &Api, row: &[What], id: &str) {
    for (name, input, allowed) in [
        (
            "updateApplication",
            json!({ "id": id, "notes": "changed" }),
            NOTES,
        ),
        (
            "addInterviewStage",
            json!({ "applicationId": id, "name": "Offer" }),
            STAGES,
        ),
        ("archiveApplication", json!({ "id": id }), ARCHIVED),
        ("unarchiveApplication", json!({ "id": id }), ARCHIVED),
        (
            "restoreApplication",
            json!({ "id": id, "sequence": 2 }),
            RESTORED,
        ),
    ] {
        let before = api.stored(id).await;
        let data = explained(row, name, &api.mutate(name, input).await);
        let after = api.stored(id).await;
        is_kept(row, name, &before, &after, &allowed);
        let payload = &data[name];
        let refused = payload["userErrors"].as_array().unwrap();
        let is_unchanged = refused.is_empty() || before == after;
        assert!(is_unchanged, "{row:?}: {name} is refused and done");
        let says_why = |error: &Value| {
            error["message"]
                .as_str()
                .is_some_and(|text| text.ends_with('.'))
        };
        assert!(refused.iter().all(says_why), "{row:?}: {name}");
        // Only an entry that is missing or says nothing cannot be restored.
        assert!(
            refused.is_empty() || name == "restoreApplication",
            "{row:?}: {name}: {refused:?}"
        );
        is_stored(
            row,
            name,
            id,
            &payload["application"],
            &after[&format!("APP#{id}")],
        );
    }
}

/// Exports the table and imports it into another one, which then has the same.
async fn goes_round(api: &Api, row: &[What], id: &str) {
    let before = api.stored(id).await;
    let of = |table: &str| {
        let table = Table::new(api.dynamodb.clone(), &trestle_applications::TABLE, table);
        let store = Applications::new(
            table.clone(),
            Scope::Single,
            Meter::default(),
            Clock::system(),
        );
        (table, store)
    };
    let exported = of(&api.table).1.export(100, None).await.unwrap();
    let mut records = Vec::new();
    for (_, record) in exported {
        let record = record.unwrap_or_else(|error| panic!("{row:?}: {error}"));
        records.extend(record.filter(|record| record.id().as_str() == id));
    }
    assert_eq!(records.len(), 1, "{row:?}: export");
    let line = serde_json::to_value(&records[0]).unwrap();
    let record: trestle_applications::Record = serde_json::from_value(line).unwrap();
    let record = record
        .keyed()
        .unwrap_or_else(|error| panic!("{row:?}: {error}"));
    let copy = format!("copy-{id}");
    let (table, store) = of(&copy);
    table.create().await.unwrap();
    let imported = store
        .import_records(vec![record], Import::Write)
        .await
        .unwrap();
    assert_eq!(imported, [Imported::Created], "{row:?}: import");
    for (key, item) in before {
        let get = api.dynamodb.get_item().table_name(&copy);
        let get = get.key("PK", item["PK"].clone()).key("SK", text(&key));
        let there = get.send().await.unwrap().item;
        let there = there.unwrap_or_else(|| panic!("{row:?}: {key} is lost by the import"));
        for (name, value) in &item {
            let is_key = name.starts_with("GSI");
            // Snapshots get what other programs do not keep.
            let is_snapshot = name == "snapshot" && there[name].as_m().is_ok();
            let same = there.get(name) == Some(value) || is_key || is_snapshot;
            assert!(same, "{row:?}: import: {key} {name}");
        }
    }
}

async fn every_operation(api: &Api, row: Vec<What>) {
    let id = made(api, &row).await;
    reads(api, &row, &id).await;
    let is_listed = !row
        .iter()
        .any(|what| matches!(what, What::Attribute(_, "GSI2SK", None)));
    if is_listed {
        goes_round(api, &row, &id).await;
    }
    changes(api, &row, &id).await;
    reads(api, &row, &id).await;
    let answer = api.mutate("deleteApplication", json!({ "id": id })).await;
    let data = explained(&row, "deleteApplication", &answer);
    assert_eq!(
        data["deleteApplication"]["userErrors"],
        json!([]),
        "{row:?}"
    );
    assert!(api.stored(&id).await.is_empty(), "{row:?}: delete");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_changed_lost_or_made_up() {
    let rows = rows();
    assert!(rows.len() >= 200, "{}", rows.len());
    // Each part has a table of its own, which its lists read.
    let parts = rows.chunks(15).map(<[_]>::to_vec).map(|part| {
        tokio::spawn(async move {
            let (api, _) = start().await;
            for row in part {
                every_operation(&api, row).await;
            }
        })
    });
    for part in join_all(parts).await {
        part.unwrap();
    }
}
