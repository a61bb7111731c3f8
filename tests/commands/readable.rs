//! Lines of an export that somebody changed: each value of each item, wrong in each way. What is imported can be read, and is
//! what the line says; everything else is refused whole, and named.

use std::collections::HashMap;

use serde_json::{Value, json};
use uuid::Uuid;

use crate::commands::run::Folder;

/// An application with all fields, a stage, and two entries of history.
fn exported() -> Value {
    let folder = Folder::new();
    let rows = "Company,Title,Status,Date Applied,Salary,Currency,Per,Notes,Tags,Location,Remote,Match,Link\n\
                Acme,Engineer,applied,2026-11-02,1000 - 2000,EUR,year,a note,\"a, b\",Basel,yes,4,https://a.example/1\n";
    folder.good(&["import", &folder.file("rows.csv", rows)]);
    let mut line = folder.exported().remove(0);
    let id = line["id"].clone();
    let stage = json!({ "id": Uuid::new_v4().to_string(), "applicationId": id, "name": "Call", "order": 0,
        "isCompleted": true, "completedDate": "2026-11-03", "notes": null, "performanceRating": 3,
        "scheduledAt": "2026-11-03T10:00:00Z", "durationMinutes": 30 });
    line["interviewStages"] = json!([stage]);
    line["history"][0]["snapshot"]["interviewStages"] = json!([stage]);
    line
}

/// The paths of all values in a line, but not of the ids: those are which application it is.
fn paths(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let path = format!("{path}/{name}");
                if !["id", "applicationId", "sequence"].contains(&name.as_str()) {
                    found.push(path.clone());
                }
                paths(value, &path, found);
            }
        }
        Value::Array(values) => {
            for (at, value) in values.iter().enumerate() {
                paths(value, &format!("{path}/{at}"), found);
            }
        }
        _ => {}
    }
}

/// Each line with one value changed, and the name of what is changed.
fn changed(line: &Value) -> Vec<(String, Value)> {
    let mut all = vec![("nothing".to_owned(), line.clone())];
    let mut found = Vec::new();
    paths(line, "", &mut found);
    for path in found {
        for wrong in [
            json!("wrong"),
            json!(""),
            json!(-1.5),
            json!(true),
            json!(["x", 1]),
            json!({ "x": "y" }),
            Value::Null,
        ] {
            let mut other = line.clone();
            *other.pointer_mut(&path).unwrap() = wrong;
            all.push((path.clone(), other));
        }
        let (parent, name) = path.rsplit_once('/').unwrap();
        let mut misspelt = line.clone();
        if let Some(Value::Object(fields)) = misspelt.pointer_mut(parent) {
            let value = fields.remove(name).unwrap();
            fields.insert(format!("{name}s"), value);
            all.push((format!("{path}s"), misspelt));
        }
    }
    // Each is an application of its own.
    let id = line["id"].as_str().unwrap();
    all.into_iter()
        .map(|(path, line)| {
            let own = Uuid::new_v4().to_string();
            let text = line.to_string().replace(id, &own);
            (path, serde_json::from_str(&text).unwrap())
        })
        .collect()
}

/// What is empty is not stored, or stored as NULL.
fn without_empty(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name.clone(), without_empty(value)))
            .collect(),
        Value::Array(values) => values.iter().map(without_empty).collect(),
        value => value.clone(),
    }
}

#[test]
fn what_is_imported_can_be_read_and_the_rest_is_named() {
    let line = exported();
    for format in ["ndjson", "json"] {
        let folder = Folder::new();
        let all = changed(&line);
        let lines: Vec<_> = all.iter().map(|(_, line)| line.to_string()).collect();
        let text = match format {
            "json" => format!("[{}]", lines.join(",")),
            _ => lines.join("\n"),
        };
        let file = folder.file(&format!("a.{format}"), &text);
        let ended = folder.run(&["import", &file, "--allow-duplicates"]);
        assert_eq!(ended.code, 2, "{ended:?}");
        let reasons: HashMap<&str, &str> = ended
            .err
            .lines()
            .filter(|line| !line.contains("imported as it is"))
            .filter_map(|line| line.split_once(": "))
            .collect();
        let exported = folder.exported();
        let there: HashMap<&str, &Value> = exported
            .iter()
            .map(|line| (line["id"].as_str().unwrap(), line))
            .collect();
        let (mut imported, mut refused) = (0, 0);
        for (at, (path, line)) in all.iter().enumerate() {
            let number = at + 1;
            let place = match format {
                "json" => format!("item {number}"),
                _ => format!("line {number}"),
            };
            let mut names = path.rsplit('/');
            let name = names.find(|name| name.parse::<u8>().is_err()).unwrap();
            if let Some(stored) = there.get(line["id"].as_str().unwrap()) {
                imported += 1;
                assert_eq!(
                    without_empty(stored),
                    without_empty(line),
                    "{format} {path}: {line}"
                );
                assert_eq!(stored["unreadable"], Value::Null, "{path}: {line}");
                assert!(!reasons.contains_key(&*place), "{path}: {line}");
            } else {
                refused += 1;
                let reason = reasons
                    .get(&*place)
                    .unwrap_or_else(|| panic!("{path}: {line}"));
                let is_named = reason.contains(name.trim_end_matches('s'))
                    || reason.contains("not a complete application");
                assert!(
                    is_named || reason.contains("tage"),
                    "{path}: {reason}: {line}"
                );
            }
        }
        assert_eq!(ended.counts(), (imported, 0, refused), "{format}");
        assert!(imported > 100 && refused > 300, "{imported} {refused}");
    }
}

#[tokio::test]
async fn what_a_store_holds_is_imported_as_an_export_has_it() {
    let folder = Folder::new();
    let rows = "Company,Title,Status\nAcme,Engineer,applied\n";
    folder.good(&["import", &folder.file("rows.csv", rows)]);
    let store = rusqlite::Connection::open(folder.data().join("trestle.sqlite")).unwrap();
    let odd = "UPDATE lambda_api_applications SET item_json = replace(item_json, '{\"S\":\"Acme\"}', '{\"N\":\"5\"}')";
    assert!(store.execute(odd, []).unwrap() > 0);
    drop(store);
    let exported = folder.exported();
    assert_eq!(exported[0]["unreadable"][0], "companyName", "{exported:?}");
    let file = folder.file("odd.ndjson", &exported[0].to_string());
    let other = Folder::new();
    assert_eq!(other.good(&["import", &file]).counts(), (1, 0, 0));
    assert_eq!(other.exported(), exported);
    // Exports of earlier releases do not say what is odd.
    let mut earlier = exported[0].clone();
    earlier.as_object_mut().unwrap().remove("unreadable");
    let file = folder.file("earlier.ndjson", &earlier.to_string());
    let third = Folder::new();
    assert_eq!(third.run(&["import", &file]).code, 2);
    third.good(&["import", &file, "--keep-unreadable"]);
    assert_eq!(third.exported(), exported);
}
