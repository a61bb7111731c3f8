//! Items as other programs write them: what can be read is answered, what cannot fails alone, and nothing is changed
//! but what is set.

use aws_sdk_dynamodb::types::AttributeValue;
use aws_sdk_dynamodb::types::AttributeValue::{Bool, L, M, N, Null, S, Ss};
use serde_json::{Value, json};

use crate::ask::{FIELDS, MORE_FIELDS, STAGE, number, start, text};
use crate::history::with_entries;
use crate::support::{Answer, Api};

/// An attribute that another program wrote: its name, and its value or its absence.
pub type Odd = (&'static str, Option<AttributeValue>);

/// Values of nullable attributes that do not fit, each with a value that repairs it.
pub fn unreadable() -> Vec<(&'static str, AttributeValue, Value)> {
    let url = json!("https://acme.example");
    vec![
        ("companyUrl", text("acme.com"), url.clone()),
        ("companyUrl", text(""), url.clone()),
        ("jobPostingUrl", text("javascript:alert(1)"), url.clone()),
        ("companyCareerUrl", Bool(true), url),
        ("dateApplied", text("1/15/2026"), json!("2026-01-15")),
        ("dateApplied", text("2026-02-30"), json!("2026-02-28")),
        ("offerDueDate", text(""), json!("2026-02-28")),
        ("companyCategory", text("AI"), json!("AI")),
        ("jobSource", L(Vec::new()), json!("FRIEND")),
        ("skillsMatch", N("3.5".to_owned()), json!(4)),
        ("coverLetterRequired", text("true"), json!(true)),
        ("notes", M(Default::default()), json!("call")),
        ("specialRequirements", number(7), json!("none")),
        ("salaryMin", N("85000.5".to_owned()), json!(85_000)),
        ("salaryMax", N("1e30".to_owned()), json!(90_000)),
        ("nextActionDate", text("soon"), json!("2026-02-28")),
        ("salaryCurrency", text("euros"), json!("EUR")),
        ("salaryCurrency", number(978), json!("CHF")),
        ("salaryPeriod", text("week"), json!("MONTH")),
        ("tags", text("rust, remote"), json!(["rust"])),
        ("tags", L(vec![text("rust"), number(1)]), json!(["rust"])),
        ("location", M(Default::default()), json!("Oslo")),
        ("isRemote", text("yes"), json!(true)),
        ("postingText", L(Vec::new()), json!("We are hiring.")),
    ]
}

/// Values that only our input rejects, with what is answered.
pub fn accepted() -> Vec<(&'static str, AttributeValue, Value)> {
    vec![
        ("companyName", text("  "), json!("  ")),
        ("companyName", S("n".repeat(201)), json!("n".repeat(201))),
        ("notes", text(""), json!("")),
        ("skillsMatch", number(9), json!(9)),
        ("skillsMatch", N("3.0".to_owned()), json!(3)),
        ("salaryMin", number(3_000_000_000), json!(3_000_000_000_i64)),
        ("salaryCurrency", text("eur"), json!("EUR")),
        ("tags", Ss(vec!["a,b".to_owned()]), json!(["a,b"])),
        ("tags", L(Vec::new()), json!([])),
        ("location", text(""), json!("")),
        (
            "createdAt",
            text("2026-11-20T09:30:00Z"),
            json!("2026-11-20T09:30:00.000Z"),
        ),
        (
            "updatedAt",
            text("2026-11-20T10:30:00.000+01:00"),
            json!("2026-11-20T09:30:00.000Z"),
        ),
    ]
}

/// Values of attributes that every application has, and that cannot be read.
pub fn lost() -> Vec<Odd> {
    vec![
        ("companyName", None),
        ("positionTitle", Some(number(7))),
        ("status", Some(text("ghosted"))),
        ("status", Some(number(5))),
        ("status", None),
    ]
}

/// Values of attributes that every application has, and that other attributes, its keys or its history say too.
pub fn known_otherwise() -> Vec<(Odd, &'static str, Value)> {
    vec![
        (("id", None), "companyName", json!("Visa")),
        (("id", Some(text("one"))), "companyName", json!("Visa")),
        (("isArchived", None), "isArchived", json!(false)),
        (
            ("isArchived", Some(text("false"))),
            "isArchived",
            json!(false),
        ),
        (("historySequence", Some(text("2"))), "version", json!(2)),
        (("historySequence", Some(text("many"))), "version", json!(2)),
        (("historySequence", Some(number(-1))), "version", json!(2)),
    ]
}

/// Writes an application as another program does: in its item and in its newest snapshot, whose stages have no
/// `applicationId`.
pub async fn spoil(api: &Api, id: &str, (name, value): &Odd) {
    let put = |item: &mut crate::ask::Item| match value {
        Some(value) => drop(item.insert((*name).to_owned(), value.clone())),
        None => drop(item.remove(*name)),
    };
    let stored = api.stored(id).await;
    let mut application = stored[&format!("APP#{id}")].clone();
    put(&mut application);
    api.put(application).await;
    let mut entry = stored
        .into_iter()
        .rfind(|(sk, _)| sk.starts_with("HIST#"))
        .unwrap()
        .1;
    let Some(M(snapshot)) = entry.get_mut("snapshot") else {
        panic!("no snapshot")
    };
    put(snapshot);
    if let Some(L(stages)) = snapshot.get_mut("interviewStages") {
        for stage in stages {
            let M(stage) = stage else { panic!("no stage") };
            stage.remove("applicationId");
        }
    }
    api.put(entry).await;
}

/// Writes one attribute of an item.
pub async fn spoil_item(api: &Api, id: &str, sort_key: &str, (name, value): Odd) {
    let mut item = api.stored(id).await[sort_key].clone();
    match value {
        Some(value) => item.insert(name.to_owned(), value),
        None => item.remove(name),
    };
    api.put(item).await;
}

/// Asserts that there is one error, UNREADABLE at `path`.
pub fn one_unreadable(answer: &Answer, path: &Value) {
    let errors = answer.body["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 1, "{:#}", answer.body);
    assert_eq!(answer.code(), "UNREADABLE");
    assert_eq!(errors[0]["path"], *path);
}

/// Archives, unarchives, adds a stage to, restores and deletes an application: all is done, whatever is answered.
async fn lives_on(api: &Api, id: &str, odd: &Odd) {
    for (name, input) in [
        ("archiveApplication", json!({ "id": id })),
        ("unarchiveApplication", json!({ "id": id })),
        (
            "addInterviewStage",
            json!({ "applicationId": id, "name": "Phone screen" }),
        ),
        ("restoreApplication", json!({ "id": id, "sequence": 1 })),
        ("restoreApplication", json!({ "id": id, "sequence": 2 })),
        ("deleteApplication", json!({ "id": id })),
    ] {
        let answer = api.mutate(name, input).await;
        let payload = &answer.body["data"][name];
        assert_eq!(
            payload["userErrors"],
            json!([]),
            "{name} {odd:?} {:#}",
            answer.body
        );
        for error in answer.body["errors"].as_array().into_iter().flatten() {
            assert_eq!(error["extensions"]["code"], "UNREADABLE", "{name} {odd:?}");
        }
    }
    assert_eq!(api.stored(id).await.len(), 0, "{odd:?}");
}

fn detail() -> String {
    format!(
        "query($id: ID!) {{ application(id: $id) {{ {FIELDS} {MORE_FIELDS}
           interviewStages {{ {STAGE} }} history {{ edges {{ node {{ sequence changes {{ field }} }} }} }} }} }}"
    )
}

#[tokio::test]
async fn a_value_that_does_not_fit_is_null_and_repaired_by_setting_it() {
    let (api, _) = start().await;
    for (name, value, repair) in unreadable() {
        let id = with_entries(&api, 2).await;
        let odd = (name, Some(value.clone()));
        spoil(&api, &id, &odd).await;
        let answer = api.run(&detail(), json!({ "id": id })).await;
        one_unreadable(&answer, &json!(["application", name]));
        let read = &answer.body["data"]["application"];
        assert_eq!(
            (&read["companyName"], &read[name]),
            (&json!("Visa"), &Value::Null)
        );
        // It stays until it is set.
        let before = api.stored_application(&id).await;
        api.mutate(
            "updateApplication",
            json!({ "id": id, "positionTitle": "Lead" }),
        )
        .await;
        let after = api.stored_application(&id).await;
        let moved = [
            "positionTitle",
            "updatedAt",
            "historySequence",
            "GSI1SK",
            "GSI2SK",
        ];
        for (attribute, stored) in &before {
            if !moved.contains(&attribute.as_str()) {
                assert_eq!(after.get(attribute), Some(stored), "{name}: {attribute}");
            }
        }
        assert_eq!(before.len(), after.len(), "{name}");
        let repaired = api.update(&id, json!({ name: repair.clone() })).await;
        if FIELDS.split_whitespace().any(|field| field == name) {
            assert_eq!(repaired[name], repair);
        }
        spoil(&api, &id, &odd).await;
        lives_on(&api, &id, &odd).await;
    }
}

#[tokio::test]
async fn a_value_is_repaired_by_setting_what_the_history_already_has() {
    let (api, _) = start().await;
    for (name, value, repair) in unreadable() {
        let id = with_entries(&api, 1).await;
        api.update(&id, json!({ name: repair })).await;
        spoil_item(&api, &id, &format!("APP#{id}"), (name, Some(value))).await;
        api.update(&id, json!({ name: repair })).await;
        let answer = api.run(&detail(), json!({ "id": id })).await;
        assert_eq!(answer.body["errors"], Value::Null, "{name}");
    }
}

#[tokio::test]
async fn a_value_that_only_input_rejects_is_answered_as_it_is() {
    let (api, _) = start().await;
    for (name, value, answered) in accepted() {
        let id = with_entries(&api, 2).await;
        let odd = (name, Some(value));
        spoil(&api, &id, &odd).await;
        let answer = api.run(&detail(), json!({ "id": id })).await;
        assert_eq!(answer.data()["application"][name], answered, "{odd:?}");
        lives_on(&api, &id, &odd).await;
    }
}

#[tokio::test]
async fn an_application_without_what_every_one_has_is_null_and_nothing_else_is() {
    let (api, _) = start().await;
    let other = with_entries(&api, 1).await;
    for odd in lost() {
        let id = with_entries(&api, 2).await;
        spoil(&api, &id, &odd).await;
        let document = format!(
            "query($id: ID!, $other: ID!) {{ application(id: $id) {{ {FIELDS} }}
               other: application(id: $other) {{ id }} }}"
        );
        let answer = api
            .run(&document, json!({ "id": id, "other": other }))
            .await;
        one_unreadable(&answer, &json!(["application"]));
        let rest = json!({ "application": null, "other": { "id": other } });
        assert_eq!(answer.body["data"], rest, "{odd:?}");
        lives_on(&api, &id, &odd).await;
    }
}

#[tokio::test]
async fn what_is_known_otherwise_is_answered() {
    let (api, _) = start().await;
    for (odd, field, expected) in known_otherwise() {
        let id = with_entries(&api, 2).await;
        spoil(&api, &id, &odd).await;
        let read = api.data(&detail(), json!({ "id": id })).await["application"].clone();
        assert_eq!(
            (&read["id"], &read[field]),
            (&json!(id), &expected),
            "{odd:?}"
        );
        let list = format!("{{ applications(first: 1) {{ edges {{ node {{ {FIELDS} }} }} }} }}");
        let listed = api.data(&list, json!({})).await;
        let listed = &listed["applications"]["edges"][0]["node"];
        assert_eq!(
            (&listed["id"], &listed[field]),
            (&json!(id), &expected),
            "{odd:?}"
        );
        lives_on(&api, &id, &odd).await;
    }
}

/// Times as other programs write them, with what is read of them; `None` if nothing can be.
fn times() -> Vec<(Option<AttributeValue>, Option<&'static str>)> {
    let in_utc = Some("2026-11-20T09:30:00.000Z");
    let seconds = "1795167000";
    vec![
        (None, None),
        (Some(Null(true)), None),
        (Some(text("")), None),
        (Some(text("yesterday")), None),
        (Some(text("2026-02-30T00:00:00")), None),
        (Some(M(Default::default())), None),
        (Some(L(Vec::new())), None),
        (Some(Bool(true)), None),
        (Some(text("2026-11-20T09:30:00.000000")), in_utc),
        (Some(text("2026-11-20T09:30:00")), in_utc),
        (Some(text("2026-11-20 09:30:00.000")), in_utc),
        (Some(text("2026-11-20 09:30")), in_utc),
        (Some(text("2026-11-20")), Some("2026-11-20T00:00:00.000Z")),
        (Some(text(seconds)), in_utc),
        (Some(N(seconds.to_owned())), in_utc),
        (Some(N(format!("{seconds}000"))), in_utc),
    ]
}

/// Each time in each of these forms, with and without the other one and the keys of the indexes: never hidden, the same
/// in each read, and named as computed.
#[tokio::test]
async fn a_time_that_cannot_be_read_is_computed() {
    const TIMES: &str = "id createdAt updatedAt computedFields";
    let (api, _) = start().await;
    let others = ["createdAt", "updatedAt"];
    for (name, other) in [others, [others[1], others[0]]].map(|[name, other]| (name, other)) {
        for (value, read) in times() {
            for (has_other, has_keys) in
                [(true, true), (true, false), (false, true), (false, false)]
            {
                let what = format!("{name} {value:?}, {other} {has_other}, keys {has_keys}");
                let id = with_entries(&api, 1).await;
                let right = api.read(&id).await[other].clone();
                spoil_item(&api, &id, &format!("APP#{id}"), (name, value.clone())).await;
                if !has_other {
                    spoil_item(&api, &id, &format!("APP#{id}"), (other, None)).await;
                }
                if !has_keys {
                    for key in ["GSI1SK", "GSI2SK"] {
                        let odd = (key, Some(text("UPDATED#yesterday#x")));
                        spoil_item(&api, &id, &format!("APP#{id}"), odd).await;
                    }
                }
                let document = format!(
                    "query($id: ID!) {{ application(id: $id) {{ {TIMES} }} node(id: $id) {{ ... on Application {{ {TIMES} }} }}
                       applications(first: 100) {{ edges {{ node {{ {TIMES} }} }} }} }}"
                );
                let data = api.data(&document, json!({ "id": id })).await;
                let detail = &data["application"];
                assert_eq!(data["node"], *detail, "{what}");
                let edges = data["applications"]["edges"].as_array().unwrap();
                let listed = edges.iter().find(|edge| edge["node"]["id"] == json!(id));
                assert_eq!(listed.unwrap()["node"], *detail, "{what}");
                let mut computed = vec![name];
                if !has_other {
                    computed.push(other);
                    computed.sort_unstable();
                }
                assert_eq!(detail["computedFields"], json!(computed), "{what}");
                if let Some(read) = read {
                    assert_eq!(detail[name], read, "{what}");
                } else if has_other && (name == "createdAt" || !has_keys) {
                    assert_eq!(detail[name], right, "{what}");
                } else {
                    assert!(detail[name].is_string(), "{what}");
                }
                // The place in the lists is left as it is, so later lists stay short.
                api.done("deleteApplication", json!({ "id": id })).await;
            }
        }
    }
}

#[tokio::test]
async fn salaries_are_compared_only_when_one_of_them_is_set() {
    let (api, _) = start().await;
    let id = with_entries(&api, 1).await;
    for odd in [
        ("salaryMin", Some(number(200))),
        ("salaryMax", Some(number(100))),
    ] {
        spoil(&api, &id, &odd).await;
    }
    let noted = api.update(&id, json!({ "notes": "n" })).await;
    assert_eq!(
        (&noted["salaryMin"], &noted["salaryMax"]),
        (&json!(200), &json!(100))
    );
    let set = json!({ "id": id, "salaryMax": 150 });
    let refused = api.refused("updateApplication", set).await;
    assert_eq!(refused, [("INVALID".to_owned(), "salaryMax".to_owned())]);
}

#[tokio::test]
async fn a_list_continues_past_applications_that_cannot_be_read() {
    let (api, hands) = start().await;
    let mut expected = Vec::new();
    for odd in lost() {
        hands.go(1000);
        let id = with_entries(&api, 1).await;
        spoil(&api, &id, &odd).await;
        hands.go(1000);
        expected.splice(0..0, [json!(with_entries(&api, 1).await), json!(null)]);
    }
    let document = "query($after: String) { applications(first: 3, after: $after) {
      edges { node { id interviewStages { name } } } pageInfo { hasNextPage endCursor } } }";
    let (mut found, mut after) = (Vec::new(), json!(null));
    loop {
        let answer = api.run(document, json!({ "after": after })).await;
        let page = &answer.body["data"]["applications"];
        let edges = page["edges"].as_array().unwrap();
        found.extend(edges.iter().map(|edge| edge["node"]["id"].clone()));
        for error in answer.body["errors"].as_array().unwrap() {
            assert_eq!(error["extensions"]["code"], "UNREADABLE");
        }
        if page["pageInfo"]["hasNextPage"] != true {
            break;
        }
        after = page["pageInfo"]["endCursor"].clone();
    }
    assert_eq!(found, expected);
}
