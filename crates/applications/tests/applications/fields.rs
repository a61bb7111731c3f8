//! The table of the fields that a person edits, and the schema: neither has a field that the other lacks.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use trestle_applications::{Details, Form, IfEmpty};

use crate::ask::{FIELDS, MORE_FIELDS, named, start, with};
use crate::malformed::unreadable;
use crate::support::Api;

/// The fields of an object or an input in the schema.
async fn fields(api: &Api, type_name: &str) -> BTreeSet<String> {
    let query =
        "query($name: String!) { __type(name: $name) { fields { name } inputFields { name } } }";
    let data = api.data(query, json!({ "name": type_name })).await;
    let lists = ["fields", "inputFields"].map(|list| data["__type"][list].clone());
    let all = lists
        .iter()
        .flat_map(|list| list.as_array().into_iter().flatten());
    all.map(|one| one["name"].as_str().unwrap().to_owned())
        .collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[tokio::test]
async fn the_table_of_fields_is_that_of_the_schema() {
    let (api, _) = start().await;
    let edited: BTreeSet<_> = Details::FIELDS
        .iter()
        .map(|field| field.name.to_owned())
        .collect();
    // What a person does not edit.
    let of_inputs = set(&[
        "id",
        "expectedVersion",
        "completeInterviewStages",
        "addInterviewStages",
    ]);
    for input in ["CreateApplicationInput", "UpdateApplicationInput"] {
        let fields: BTreeSet<_> = &fields(&api, input).await - &of_inputs;
        assert_eq!(fields, edited, "{input}");
    }
    let of_both = set(&[
        "isArchived",
        "version",
        "createdAt",
        "updatedAt",
        "statusSince",
        "computedFields",
        "interviewStages",
    ]);
    let of_applications = set(&["id", "contacts", "files", "history"]);
    let snapshot = fields(&api, "ApplicationSnapshot").await;
    assert_eq!(&snapshot - &of_both, edited);
    let application = fields(&api, "Application").await;
    assert_eq!(&(&application - &of_both) - &of_applications, edited);
    // The lists of these tests.
    let selected = format!("{FIELDS} {MORE_FIELDS}");
    let selected: BTreeSet<_> = selected.split_whitespace().map(str::to_owned).collect();
    let missing = &edited - &selected;
    assert!(missing.is_empty(), "not selected: {missing:?}");
}

#[tokio::test]
async fn every_kind_of_field_has_values_that_cannot_be_read() {
    let spoiled: BTreeSet<_> = unreadable().into_iter().map(|(name, ..)| name).collect();
    for field in Details::FIELDS {
        // Any text is read.
        let is_read = field.form == Form::Text && !spoiled.contains(field.name);
        let is_of_a_form = Details::FIELDS
            .iter()
            .any(|other| other.form == field.form && spoiled.contains(other.name));
        let is_other = field.form == Form::Other && field.if_empty != IfEmpty::Never;
        assert!(is_of_a_form || is_read, "{}", field.name);
        assert!(!is_other || spoiled.contains(field.name), "{}", field.name);
    }
}

/// Every field, set by a patch, read in all places where it can be read, described in the history, and cleared.
#[tokio::test]
async fn each_field_is_set_read_described_restored_and_cleared() {
    let (api, _) = start().await;
    for field in Details::FIELDS {
        let value = match field.form {
            Form::Text | Form::LongText => json!("some text"),
            Form::Day => json!("2026-12-31"),
            Form::Link => json!("https://a.example/1"),
            Form::Other => continue,
        };
        let name = field.name;
        let id = api
            .create(with(named("Visa"), json!({ "status": "APPLIED" })))
            .await["id"]
            .clone();
        let id = id.as_str().unwrap();
        api.update(id, json!({ name: value })).await;
        let read = format!(
            "query($id: ID!) {{
               application(id: $id) {{ {name} history(first: 1) {{ edges {{ node {{ description
                 snapshot {{ {name} }} changes {{ field after }} }} }} }} }}
               node(id: $id) {{ ... on Application {{ {name} }} }}
               applications(first: 100) {{ edges {{ node {{ id {name} }} }} }} }}"
        );
        let data = api.data(&read, json!({ "id": id })).await;
        let entry = &data["application"]["history"]["edges"][0]["node"];
        let edges = data["applications"]["edges"].as_array().unwrap();
        let listed = edges.iter().find(|edge| edge["node"]["id"] == id).unwrap();
        for place in [
            &data["application"],
            &data["node"],
            &listed["node"],
            &entry["snapshot"],
        ] {
            assert_eq!(place[name], value, "{name}");
        }
        let change = json!({ "field": name, "after": value });
        assert_eq!(entry["changes"], json!([change]), "{name}");
        let description = entry["description"].as_str().unwrap();
        assert!(
            description.starts_with(field.label),
            "{name}: {description}"
        );
        if field.if_empty == IfEmpty::Never {
            continue;
        }
        let cleared = api.update(id, json!({ name: null })).await;
        assert_eq!(
            cleared.get(name).unwrap_or(&Value::Null),
            &Value::Null,
            "{name}"
        );
        let stored = api.stored_application(id).await;
        let is_missing = !stored.contains_key(name);
        assert_eq!(is_missing, field.if_empty == IfEmpty::Missing, "{name}");
        let restore = json!({ "id": id, "sequence": 2 });
        api.done("restoreApplication", restore).await;
        let data = api.data(&read, json!({ "id": id })).await;
        assert_eq!(data["application"][name], value, "{name} after a restore");
    }
}
