//! Mutations of many applications: each is answered on its own.

use serde_json::{Value, json};

use crate::ask::{NOBODY, named, start, with};
use crate::support::Api;

const STATS: &str = "{ applicationStats { active archived } }";

async fn batch(api: &Api, name: &str, input: Value) -> Value {
    let input_type = format!("{}{}Input", name[..1].to_uppercase(), &name[1..]);
    let own = match name {
        "deleteApplications" => "deletedApplicationId",
        _ => "application { id companyName notes isArchived version }",
    };
    let document = format!(
        "mutation($input: {input_type}!) {{ {name}(input: $input) {{
           results {{ {own} userErrors {{ code field currentVersion }} }} userErrors {{ code field }} }} }}"
    );
    let data = api.data(&document, json!({ "input": input })).await;
    data[name].clone()
}

/// The code of each result's first error; empty without one.
fn codes(payload: &Value) -> Vec<String> {
    assert_eq!(payload["userErrors"], json!([]));
    let results = payload["results"].as_array().unwrap();
    let code = |result: &Value| {
        result["userErrors"][0]["code"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    results.iter().map(code).collect()
}

async fn made(api: &Api, count: usize) -> Vec<String> {
    let all: Vec<_> = (0..count).map(|i| named(&format!("C{i}"))).collect();
    let payload = batch(api, "createApplications", json!({ "applications": all })).await;
    assert!(codes(&payload).iter().all(String::is_empty), "{payload:#}");
    let results = payload["results"].as_array().unwrap().iter();
    let id = |one: &Value| one["application"]["id"].as_str().unwrap().to_owned();
    results.map(id).collect()
}

#[tokio::test]
async fn a_hundred_applications_are_created_changed_archived_and_deleted() {
    let (api, _) = start().await;
    let ids = made(&api, 100).await;
    assert_eq!(
        api.data(STATS, json!({})).await["applicationStats"]["active"],
        100
    );

    let notes = |(i, id): (usize, &String)| json!({ "id": id, "notes": format!("note {i}") });
    let changes: Vec<_> = ids.iter().enumerate().map(notes).collect();
    let changed = batch(
        &api,
        "updateApplications",
        json!({ "applications": changes }),
    )
    .await;
    assert!(codes(&changed).iter().all(String::is_empty));
    for (i, result) in changed["results"].as_array().unwrap().iter().enumerate() {
        let application = &result["application"];
        assert_eq!(application["notes"], format!("note {i}"));
        assert_eq!(
            (&application["id"], &application["version"]),
            (&json!(ids[i]), &json!(2))
        );
    }

    for (name, is_archived, active) in [
        ("archiveApplications", true, 0),
        ("unarchiveApplications", false, 100),
    ] {
        let archived = batch(&api, name, json!({ "ids": ids })).await;
        let results = archived["results"].as_array().unwrap();
        assert!(
            results
                .iter()
                .all(|one| one["application"]["isArchived"] == is_archived)
        );
        let stats = api.data(STATS, json!({})).await["applicationStats"].clone();
        assert_eq!(stats, json!({ "active": active, "archived": 100 - active }));
    }
    for id in [&ids[0], &ids[99]] {
        let sequences = api.read(id).await["history"]["edges"]
            .as_array()
            .unwrap()
            .len();
        assert_eq!(sequences, 4);
    }

    let deleted = batch(&api, "deleteApplications", json!({ "ids": ids })).await;
    assert!(codes(&deleted).iter().all(String::is_empty));
    assert_eq!(deleted["results"][7]["deletedApplicationId"], json!(ids[7]));
    assert_eq!(
        api.data(STATS, json!({})).await["applicationStats"]["active"],
        0
    );
    assert!(api.stored(&ids[0]).await.is_empty());
}

#[tokio::test]
async fn an_application_with_errors_does_not_affect_the_others() {
    let (api, _) = start().await;
    let taken = "6f6a3c1e-0000-4000-8000-000000000001";
    api.create(with(named("Taken"), json!({ "id": taken })))
        .await;
    let all = json!([
        named("A"),
        { "companyName": " ", "positionTitle": "Engineer" },
        with(named("Other"), json!({ "id": taken })),
        with(named("Taken"), json!({ "id": taken })),
        with(named("B"), json!({ "salaryMin": 2, "salaryMax": 1 })),
        named("C"),
    ]);
    let payload = batch(&api, "createApplications", json!({ "applications": all })).await;
    assert_eq!(
        codes(&payload),
        ["", "REQUIRED", "CONFLICT", "", "INVALID", ""]
    );
    assert_eq!(payload["results"][2]["application"], Value::Null);
    assert_eq!(
        api.data(STATS, json!({})).await["applicationStats"]["active"],
        3
    );

    let ids: Vec<_> = [0, 5]
        .map(|at| payload["results"][at]["application"]["id"].clone())
        .into();
    let changes = json!([
        { "id": ids[0], "notes": "one", "expectedVersion": 1 },
        { "id": ids[1], "notes": "two", "expectedVersion": 7 },
        { "id": NOBODY, "notes": "three" },
        { "id": "no id", "notes": "four" },
        { "id": ids[0], "companyName": null },
        { "id": ids[0], "notes": "six" },
    ]);
    let payload = batch(
        &api,
        "updateApplications",
        json!({ "applications": changes }),
    )
    .await;
    assert_eq!(
        codes(&payload),
        ["", "CONFLICT", "NOT_FOUND", "NOT_FOUND", "REQUIRED", ""]
    );
    assert_eq!(payload["results"][1]["userErrors"][0]["currentVersion"], 1);
    assert_eq!(payload["results"][1]["application"]["companyName"], "C");
    let first = api.read(ids[0].as_str().unwrap()).await;
    assert_eq!(
        (&first["notes"], &first["version"]),
        (&json!("six"), &json!(3))
    );

    let twice = json!({ "ids": [ids[0], NOBODY, ids[0]] });
    let payload = batch(&api, "archiveApplications", twice.clone()).await;
    assert_eq!(codes(&payload), ["", "NOT_FOUND", ""]);
    let payload = batch(&api, "deleteApplications", twice).await;
    assert_eq!(codes(&payload), ["", "NOT_FOUND", "NOT_FOUND"]);
}

#[tokio::test]
async fn more_than_a_hundred_are_refused_and_nothing_is_changed() {
    let (api, _) = start().await;
    let all = vec![named("Visa"); 101];
    let ids = vec![NOBODY; 101];
    let patches: Vec<_> = ids.iter().map(|id| json!({ "id": id })).collect();
    for (name, input, field) in [
        (
            "createApplications",
            json!({ "applications": all }),
            "applications",
        ),
        (
            "updateApplications",
            json!({ "applications": patches }),
            "applications",
        ),
        ("archiveApplications", json!({ "ids": ids }), "ids"),
        ("unarchiveApplications", json!({ "ids": ids }), "ids"),
        ("deleteApplications", json!({ "ids": ids }), "ids"),
    ] {
        let payload = batch(&api, name, input).await;
        let error = json!([{ "code": "LIMIT_REACHED", "field": [field] }]);
        assert_eq!(
            (&payload["userErrors"], &payload["results"]),
            (&error, &json!([]))
        );
    }
    assert_eq!(
        api.data(STATS, json!({})).await["applicationStats"]["active"],
        0
    );
    let payload = batch(&api, "deleteApplications", json!({ "ids": [] })).await;
    assert_eq!(payload["results"], json!([]));
}

#[tokio::test]
async fn dates_of_many_years_fit_into_the_transactions_of_one_batch() {
    let (api, _) = start().await;
    let dated = |i: usize| {
        let date = format!("{}-06-15", 1990 + i);
        with(
            named("Visa"),
            json!({ "status": "APPLIED", "dateApplied": date }),
        )
    };
    let all: Vec<_> = (0..60).map(dated).collect();
    let payload = batch(&api, "createApplications", json!({ "applications": all })).await;
    assert!(codes(&payload).iter().all(String::is_empty), "{payload:#}");
    let results = payload["results"].as_array().unwrap().iter();
    let moved = results.enumerate().map(|(i, one)| {
        let date = format!("{}-06-15", 2050 + i);
        json!({ "id": one["application"]["id"], "dateApplied": date })
    });
    let moved: Vec<_> = moved.collect();
    let payload = batch(&api, "updateApplications", json!({ "applications": moved })).await;
    assert!(codes(&payload).iter().all(String::is_empty), "{payload:#}");
}
