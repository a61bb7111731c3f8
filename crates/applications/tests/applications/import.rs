//! Importing a list: a row is one application, however often the list is imported.

use serde_json::{Value, json};
use uuid::Uuid;

use trestle_applications::{Details, Form, IfEmpty};

use crate::ask::{named, start, with};
use crate::support::Api;

const IMPORT: &str = "mutation($input: ImportApplicationsInput!) { importApplications(input: $input) {
  rows { outcome application { id companyName status dateApplied notes } changedFields userErrors { code field } }
  userErrors { code field } } }";

/// Imports rows, and answers the result of each.
async fn import(api: &Api, rows: &[Value], more: Value) -> Vec<Value> {
    let input = with(json!({ "rows": rows }), more);
    let data = api.data(IMPORT, json!({ "input": input })).await;
    let payload = &data["importApplications"];
    assert_eq!(payload["userErrors"], json!([]));
    payload["rows"].as_array().unwrap().clone()
}

fn outcomes(results: &[Value]) -> Vec<&str> {
    let results = results.iter();
    results
        .map(|result| result["outcome"].as_str().unwrap_or("none"))
        .collect()
}

/// Spellings of one address of a job posting.
const SPELLINGS: [&str; 6] = [
    "https://acme.example/jobs/1",
    "https://acme.example/jobs/1/",
    "http://www.acme.example/jobs/1",
    "https://ACME.example/jobs/1#apply",
    "acme.example/jobs/1?utm_source=mail",
    "https://acme.example:443/%6Aobs/1",
];

#[tokio::test]
async fn one_posting_is_created_once_by_a_request_however_it_is_spelled() {
    let columns =
        ["Company", "Position", "Link", "Status"].map(|header| json!({ "header": header }));
    let columns = json!(columns);
    for first in SPELLINGS {
        for second in SPELLINGS {
            let (api, _) = start().await;
            let said = |link: &'static str, status: &'static str| ["Acme", "Dev", link, status];
            let [one, two, other] = [
                said(first, "offer"),
                said(second, "offer"),
                said(second, "rejected"),
            ];
            let rows: [&[&str]; 3] = [&one, &two, &other];
            for more in [json!({ "dryRun": true }), json!({})] {
                let made = cells(&api, &columns, &rows, more).await;
                assert_eq!(outcomes(&made), ["NEW", "NEW", "none"], "{first} {second}");
                assert_eq!(made[0]["application"], made[1]["application"]);
                let error = &made[2]["userErrors"][0];
                assert_eq!(
                    (&error["code"], &error["field"][0]),
                    (&json!("CONFLICT"), &json!("jobPostingUrl"))
                );
            }
            assert_eq!(count(&api).await, json!({ "active": 1, "archived": 0 }));
            let again = cells(&api, &columns, &[&one, &two], json!({})).await;
            assert_eq!(again[0]["application"]["id"], again[1]["application"]["id"]);
            assert_eq!(count(&api).await, json!({ "active": 1, "archived": 0 }));
        }
    }
}

#[tokio::test]
async fn a_row_is_the_earlier_one_with_one_of_its_ids() {
    let (api, _) = start().await;
    let id = Uuid::new_v4();
    let first = with(named("Acme"), json!({ "id": id }));
    let first = json!({ "application": first, "content": "first" });
    let second = json!({ "application": named("Acme"), "content": "second", "otherIds": [id] });
    let other = json!({ "application": named("Borel"), "content": "third", "otherIds": [id] });
    let made = import(&api, &[first, second, other], json!({})).await;
    assert_eq!(outcomes(&made), ["NEW", "NEW", "none"]);
    assert_eq!(made[1]["application"]["id"], id.to_string());
    assert_eq!(made[2]["userErrors"][0]["code"], "CONFLICT");
    assert_eq!(count(&api).await, json!({ "active": 1, "archived": 0 }));
}

#[tokio::test]
async fn a_date_that_contradicts_its_column_does_not_mean_two_days() {
    let (api, _) = start().await;
    let columns = ["Company", "Position", "Applied"].map(|header| json!({ "header": header }));
    let columns = json!(columns);
    for (date, problem) in [
        ("10/28/2026", "NOT_UNDERSTOOD"),
        ("13/9/2026", "NOT_UNDERSTOOD"),
        ("99/99/2026", "NOT_UNDERSTOOD"),
        ("soon", "NOT_UNDERSTOOD"),
        ("3/4/2026", "TWO_READINGS"),
    ] {
        let all: Vec<_> = [date, "10/28/2026", "13/9/2026"]
            .map(|date| ["A", "P", date])
            .into();
        let rows: Vec<&[&str]> = all.iter().map(|cells| &cells[..]).collect();
        let tried = cells(&api, &columns, &rows, json!({ "dryRun": true })).await;
        assert_eq!(tried[0]["leftOut"][0]["problem"], problem, "{date}");
    }
}

/// A row without a job posting, as a file has it.
fn row(company: &str, more: Value) -> Value {
    let content = format!("companyName={company}\npositionTitle=Engineer");
    json!({ "application": with(named(company), more), "content": content })
}

/// A row with a job posting.
fn posted(company: &str, posting: &str, more: Value) -> Value {
    row(company, with(json!({ "jobPostingUrl": posting }), more))
}

async fn count(api: &Api) -> Value {
    let stats = "{ applicationStats { active archived } }";
    api.data(stats, json!({})).await["applicationStats"].clone()
}

#[tokio::test]
async fn a_list_that_is_imported_again_creates_nothing_and_reports_what_changed() {
    let (api, _) = start().await;
    let rows = [
        row("Acme", json!({ "status": "APPLIED", "notes": "first" })),
        posted("Borel", "https://borel.example/1", json!({})),
    ];
    let tried = import(&api, &rows, json!({ "dryRun": true })).await;
    assert_eq!(outcomes(&tried), ["NEW", "NEW"]);
    assert_eq!(tried[0]["application"], Value::Null);
    assert_eq!(count(&api).await, json!({ "active": 0, "archived": 0 }));

    let made = import(&api, &rows, json!({ "sentOn": "2026-11-19" })).await;
    assert_eq!(outcomes(&made), ["NEW", "NEW"]);
    assert_eq!(made[0]["application"]["dateApplied"], "2026-11-19");
    assert_eq!(made[1]["application"]["dateApplied"], Value::Null);

    // The ids are those that `trestle import` derives.
    let content = b"companyName=Acme\npositionTitle=Engineer";
    let of_content = Uuid::new_v5(&Uuid::NAMESPACE_OID, content);
    let of_posting = Uuid::new_v5(&Uuid::NAMESPACE_URL, b"https://borel.example/1");
    assert_eq!(made[0]["application"]["id"], of_content.to_string());
    assert_eq!(made[1]["application"]["id"], of_posting.to_string());

    // On another day, too.
    let again = import(&api, &rows, json!({ "sentOn": "2026-11-20" })).await;
    assert_eq!(outcomes(&again), ["UNCHANGED", "UNCHANGED"]);
    let rows = [
        row(
            "Acme",
            json!({ "status": "INTERVIEWING", "notes": "second" }),
        ),
        posted("Borel GmbH", "https://borel.example/1", json!({})),
    ];
    let changed = import(&api, &rows, json!({})).await;
    assert_eq!(outcomes(&changed), ["CHANGED", "CHANGED"]);
    assert_eq!(changed[0]["changedFields"], json!(["status", "notes"]));
    assert_eq!(changed[1]["changedFields"], json!(["companyName"]));
    assert_eq!(changed[0]["application"]["notes"], "first");
    assert_eq!(count(&api).await, json!({ "active": 2, "archived": 0 }));
}

#[tokio::test]
async fn a_row_is_the_application_with_its_id_or_its_posting() {
    let (api, _) = start().await;
    let posting = "https://acme.example/jobs/1";
    let by_hand = with(named("Acme"), json!({ "jobPostingUrl": posting }));
    let by_hand = api.create(by_hand).await["id"].clone();
    api.mutate("archiveApplication", json!({ "id": by_hand }))
        .await;
    let former = Uuid::new_v4();
    let of_former = with(named("Borel"), json!({ "id": former }));
    api.create(of_former).await;
    let of_id = api.create(named("Curie")).await["id"].clone();

    let rows = [
        posted("Acme", posting, json!({})),
        with(row("Borel", json!({})), json!({ "otherIds": [former] })),
        row("Curie", json!({ "id": of_id })),
    ];
    let imported = import(&api, &rows, json!({})).await;
    assert_eq!(outcomes(&imported), ["UNCHANGED"; 3]);
    assert_eq!(imported[0]["application"]["id"], by_hand);
    assert_eq!(imported[1]["application"]["id"], former.to_string());
    assert_eq!(imported[2]["application"]["id"], of_id);
    assert_eq!(count(&api).await, json!({ "active": 2, "archived": 1 }));
}

#[tokio::test]
async fn a_row_that_breaks_rules_does_not_affect_the_others() {
    let (api, _) = start().await;
    let rows = [
        row("", json!({})),
        posted("Acme", "https://acme.example/1", json!({})),
        posted("Other", "https://acme.example/1", json!({})),
        posted("Acme", "https://acme.example/1", json!({})),
        with(row("Borel", json!({})), json!({ "otherIds": ["no id"] })),
        row("Borel", json!({ "salaryMin": 2, "salaryMax": 1 })),
    ];
    let imported = import(&api, &rows, json!({})).await;
    assert_eq!(
        outcomes(&imported),
        ["none", "NEW", "none", "NEW", "none", "none"]
    );
    let field = |at: usize| imported[at]["userErrors"][0]["field"].clone();
    assert_eq!(field(0), json!(["companyName"]));
    assert_eq!(field(2), json!(["jobPostingUrl"]));
    assert_eq!(field(4), json!(["otherIds"]));
    assert_eq!(
        imported[1]["application"]["id"],
        imported[3]["application"]["id"]
    );
    assert_eq!(count(&api).await, json!({ "active": 1, "archived": 0 }));

    let rows: Vec<_> = (0..101).map(|i| row(&format!("C{i}"), json!({}))).collect();
    let data = api.data(IMPORT, json!({ "input": { "rows": rows } })).await;
    let errors = json!([{ "code": "LIMIT_REACHED", "field": ["rows"] }]);
    assert_eq!(data["importApplications"]["userErrors"], errors);
}

#[tokio::test]
async fn cells_in_the_words_of_another_tracker_fill_what_a_row_omits() {
    let (api, _) = start().await;
    let written = |company: &str, application: Value, texts: Value| {
        with(row(company, application), json!({ "asWritten": texts }))
    };
    let rows = [
        written(
            "Acme",
            json!({}),
            json!({ "status": "I Withdrew", "dateApplied": "November 3, 2026" }),
        ),
        written(
            "Borel",
            json!({ "status": "APPLIED", "dateApplied": "2026-11-01" }),
            json!({ "status": "Wishlist", "dateApplied": "??" }),
        ),
        written(
            "Curie",
            json!({}),
            json!({ "status": " ", "offerDueDate": "" }),
        ),
        written(
            "Darwin",
            json!({}),
            json!({ "status": "maybe", "dateApplied": "11/3/2026", "nextActionDate": "soon" }),
        ),
    ];
    let made = import(&api, &rows, json!({})).await;
    assert_eq!(outcomes(&made), ["NEW", "NEW", "NEW", "none"]);
    let said = |at: usize| {
        let application = &made[at]["application"];
        json!([application["status"], application["dateApplied"]])
    };
    assert_eq!(said(0), json!(["DECLINED_OFFER", "2026-11-03"]));
    assert_eq!(said(1), json!(["APPLIED", "2026-11-01"]));
    assert_eq!(said(2), json!(["UNSUBMITTED", null]));
    let errors = made[3]["userErrors"].as_array().unwrap();
    let fields = errors
        .iter()
        .map(|error| error["field"][0].as_str().unwrap());
    assert_eq!(
        fields.collect::<Vec<_>>(),
        ["status", "dateApplied", "nextActionDate"]
    );
    let again = import(&api, &rows[..3], json!({})).await;
    assert_eq!(outcomes(&again), ["UNCHANGED"; 3]);
}

#[tokio::test]
async fn a_posting_in_another_spelling_is_the_same_row() {
    let (api, _) = start().await;
    let link = "https://acme.example/jobs/1";
    let by_hand = with(named("Acme"), json!({ "jobPostingUrl": link }));
    let by_hand = api.create(by_hand).await["id"].clone();
    let rows = [posted("Acme", "acme.example/jobs/1", json!({}))];
    let imported = import(&api, &rows, json!({})).await;
    assert_eq!(outcomes(&imported), ["UNCHANGED"]);
    assert_eq!(imported[0]["application"]["id"], by_hand);
    let rows = [posted("Acme", "http://acme.example/jobs/1/", json!({}))];
    let imported = import(&api, &rows, json!({})).await;
    assert_eq!(imported[0]["changedFields"], json!(["jobPostingUrl"]));
    assert_eq!(imported[0]["application"]["id"], by_hand);
}

const CELLS: &str = "mutation($input: ImportApplicationsInput!) { importApplications(input: $input) {
  rows { outcome datedOn changedFields application { id companyName status dateApplied salaryMin salaryCurrency notes jobPostingUrl }
    leftOut { field text problem } userErrors { code field } } userErrors { code field } } }";

/// Imports rows of cells, and answers the result of each.
async fn cells(api: &Api, columns: &Value, rows: &[&[&str]], more: Value) -> Vec<Value> {
    let rows: Vec<_> = rows.iter().map(|cells| json!({ "cells": cells })).collect();
    let input = with(json!({ "columns": columns, "rows": rows }), more);
    let data = api.data(CELLS, json!({ "input": input })).await;
    let payload = &data["importApplications"];
    assert_eq!(payload["userErrors"], json!([]), "{payload}");
    payload["rows"].as_array().unwrap().clone()
}

#[tokio::test]
async fn cells_are_read_as_the_command_reads_them() {
    let (api, _) = start().await;
    let headers = [
        "Company",
        "Job Title",
        "Status",
        "Date Applied",
        "Salary",
        "",
    ];
    let columns: Vec<_> = headers
        .iter()
        .map(|header| json!({ "header": header }))
        .collect();
    let columns = json!(columns);
    let rows: [&[&str]; 6] = [
        &[
            "Acme",
            "Dev",
            "Phone screen",
            "10/20/26, 8:15 AM",
            "$90k",
            "x",
        ],
        &["Borel", "Dev", "", "3/4/26, 9:00 AM", "80k"],
        &["Curie", "Dev", "promoted", "soon", "12 LPA"],
        &["Darwin", "Dev", "sent", "", ""],
        &["Euler", "Dev", "I Withdrew", "", "€70k"],
        &["", "Dev", "", "", ""],
    ];
    let more = json!({ "currency": "GBP", "sentOn": "2026-11-19" });
    let made = cells(&api, &columns, &rows, more.clone()).await;
    let said = |at: usize| {
        let made = &made[at];
        let of = &made["application"];
        json!([
            made["outcome"],
            of["status"],
            of["dateApplied"],
            of["salaryMin"],
            of["salaryCurrency"],
            of["notes"],
            made["datedOn"]
        ])
    };
    assert_eq!(
        said(0),
        json!([
            "NEW",
            "INTERVIEWING",
            "2026-10-20",
            90_000,
            "USD",
            null,
            null
        ])
    );
    assert_eq!(
        said(1),
        json!(["NEW", "APPLIED", "2026-03-04", 80_000, "GBP", null, null])
    );
    assert_eq!(
        said(2),
        json!([
            "NEW",
            "APPLIED",
            null,
            null,
            null,
            "Status: promoted\nSalary from: 12 LPA",
            null
        ])
    );
    assert_eq!(
        said(3),
        json!([
            "NEW",
            "APPLIED",
            "2026-11-19",
            null,
            null,
            null,
            "2026-11-19"
        ])
    );
    assert_eq!(said(4)[1], "DECLINED_OFFER");
    assert_eq!(said(4)[5], "Status: I Withdrew");
    assert_eq!(
        made[5]["userErrors"],
        json!([{ "code": "REQUIRED", "field": ["companyName"] }])
    );
    let left = |field: &str, text: &str| json!({ "field": field, "text": text, "problem": "NOT_UNDERSTOOD" });
    let expected = [
        left("salaryMin", "12 LPA"),
        left("status", "promoted"),
        left("dateApplied", "soon"),
    ];
    assert_eq!(made[2]["leftOut"], json!(expected));
    let again = cells(&api, &columns, &rows[..5], more).await;
    assert_eq!(outcomes(&again), ["UNCHANGED"; 5], "{again:?}");
}

#[tokio::test]
async fn columns_are_read_as_a_whole_and_rows_in_their_order() {
    const COLUMNS: &str =
        "query($columns: [ImportColumnTextsInput!]!) { importColumns(columns: $columns) {
      header field dateOrder unclearDate } }";
    let (api, _) = start().await;
    let column = |header: &str, texts: &[&str]| json!({ "header": header, "texts": texts });
    let read = |columns: Vec<Value>| {
        let api = &api;
        async move { api.data(COLUMNS, json!({ "columns": columns })).await["importColumns"].clone() }
    };
    let dates: Vec<_> = (0..3_000)
        .map(|i| format!("{}/{}/2026", 1 + i % 12, 1 + i % 11))
        .collect();
    let mut dates: Vec<_> = dates.iter().map(String::as_str).collect();
    let id = Uuid::new_v4().to_string();
    let unclear = read(vec![
        column("Applied on", &dates),
        column("ID", &[&id, "", &id]),
        column("id", &["7"]),
        json!({ "header": "Floor", "field": "location" }),
        json!({ "header": "Notes", "field": "" }),
        column("Posting closes on", &["20.11.2026"]),
    ])
    .await;
    let expected = |header: &str, field: Value, order: Value, unclear: Value| json!({ "header": header, "field": field, "dateOrder": order, "unclearDate": unclear });
    let null = || Value::Null;
    assert_eq!(unclear[0]["dateOrder"], null());
    assert!(unclear[0]["unclearDate"].is_string());
    assert_eq!(unclear[1]["field"], "id");
    assert_eq!(unclear[2]["field"], null());
    assert_eq!(
        unclear[3],
        expected("Floor", json!("location"), null(), null())
    );
    assert_eq!(unclear[4], expected("Notes", null(), null(), null()));
    assert_eq!(
        unclear[5],
        expected(
            "Posting closes on",
            json!("closingDate"),
            json!("DAY_FIRST"),
            null()
        )
    );
    // One date of thousands settles it.
    dates.push("13/3/2026");
    let settled = read(vec![column("Applied on", &dates)]).await;
    assert_eq!(
        settled[0],
        expected(
            "Applied on",
            json!("dateApplied"),
            json!("DAY_FIRST"),
            null()
        )
    );

    let columns = |order: Value| {
        let applied = json!({ "header": "Applied on", "dateOrder": order });
        json!([{ "header": "Company" }, { "header": "Position" }, applied])
    };
    let rows: [&[&str]; 1] = [&["Acme", "Dev", "3/4/2026"]];
    let tried = json!({ "dryRun": true });
    let unknown = cells(&api, &columns(Value::Null), &rows, tried).await;
    assert_eq!(unknown[0]["leftOut"][0]["problem"], "TWO_READINGS");
    let made = cells(&api, &columns(json!("DAY_FIRST")), &rows, json!({})).await;
    assert_eq!(made[0]["application"]["dateApplied"], "2026-04-03");
    let many: Vec<_> = (0..10_001).map(|_| "x").collect();
    let refused = api
        .run(COLUMNS, json!({ "columns": [column("Notes", &many)] }))
        .await;
    assert_eq!(refused.code(), "BAD_USER_INPUT");
}

#[tokio::test]
async fn an_update_changes_what_only_imports_have_set() {
    let (api, _) = start().await;
    let headers = ["Company", "Position", "Link", "Status", "Notes", "Location"];
    let columns: Vec<_> = headers
        .iter()
        .map(|header| json!({ "header": header }))
        .collect();
    let columns = json!(columns);
    let update = json!({ "update": true });
    let link = "https://acme.example/1";
    let first: [&[&str]; 1] = [&["Acme", "Dev", link, "sent", "one", "Bern"]];
    let made = cells(&api, &columns, &first, update.clone()).await;
    assert_eq!(outcomes(&made), ["NEW"]);
    let id = made[0]["application"]["id"].as_str().unwrap().to_owned();
    // The list goes on, week by week.
    for (status, notes) in [("phone screen", "two"), ("offer", "three")] {
        let next: [&[&str]; 1] = [&["Acme", "Dev", link, status, notes, "Bern"]];
        let reported = cells(&api, &columns, &next, json!({})).await;
        assert_eq!(outcomes(&reported), ["CHANGED"]);
        let updated = cells(&api, &columns, &next, update.clone()).await;
        assert_eq!(outcomes(&updated), ["UPDATED"]);
        assert_eq!(updated[0]["changedFields"], json!(["status", "notes"]));
        assert_eq!(updated[0]["application"]["notes"], notes);
        let again = cells(&api, &columns, &next, update.clone()).await;
        assert_eq!(outcomes(&again), ["UNCHANGED"]);
    }
    // What a person has changed stays.
    api.update(&id, json!({ "status": "DECLINED_OFFER", "location": null }))
        .await;
    let last: [&[&str]; 1] = [&["Acme", "Dev", link, "accepted", "four", "Basel"]];
    let updated = cells(&api, &columns, &last, update.clone()).await;
    assert_eq!(updated[0]["changedFields"], json!(["notes"]));
    assert_eq!(updated[0]["application"]["status"], "DECLINED_OFFER");
    let kept = cells(&api, &columns, &last, update).await;
    assert_eq!(outcomes(&kept), ["CHANGED"]);
    assert_eq!(kept[0]["changedFields"], json!(["status", "location"]));
    // Unless a person has seen what differs, and wants it.
    let overwrite = json!({ "overwrite": true });
    let wanted = cells(&api, &columns, &last, overwrite).await;
    assert_eq!(outcomes(&wanted), ["UPDATED"]);
    assert_eq!(wanted[0]["application"]["status"], "ACCEPTED_OFFER");
}

/// How a field of an imported application loses its value.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Cleared {
    Never,
    ByHand,
    ByRestoring,
    ByAnotherProgram,
}

/// Two cells of a field that can be empty.
fn cells_of(field: &str, form: Form) -> [&'static str; 2] {
    match (field, form) {
        ("companyCategory", _) => ["ai", "health"],
        ("jobSource", _) => ["friend", "recruiter"],
        ("salaryPeriod", _) => ["month", "year"],
        ("salaryCurrency", _) => ["CHF", "EUR"],
        ("skillsMatch", _) => ["4", "5"],
        ("coverLetterRequired" | "isRemote", _) => ["yes", "no"],
        ("salaryMin", _) => ["90000", "91000"],
        ("salaryMax", _) => ["110000", "111000"],
        ("tags", _) => ["rust", "rust, wasm"],
        (_, Form::Day) => ["2026-11-02", "2026-11-03"],
        (_, Form::Link) => ["https://acme.example/1", "https://acme.example/2"],
        _ => ["text", "other text"],
    }
}

#[tokio::test]
async fn an_update_sets_no_field_that_somebody_has_cleared() {
    let fields: Vec<_> = Details::FIELDS
        .iter()
        .filter(|field| field.if_empty != IfEmpty::Never)
        .collect();
    let names: Vec<_> = fields.iter().map(|field| field.name).collect();
    let header = ["id", "companyName", "positionTitle", "status"];
    let header = header.iter().chain(&names);
    let columns: Vec<_> = header.map(|name| json!({ "header": name })).collect();
    let columns = json!(columns);
    for way in [
        Cleared::Never,
        Cleared::ByHand,
        Cleared::ByRestoring,
        Cleared::ByAnotherProgram,
    ] {
        let (api, _) = start().await;
        let id = Uuid::new_v4().to_string();
        let mut full = vec![id.as_str(), "Acme", "Dev", "sent"];
        let empty = full.clone();
        let mut other = full.clone();
        for field in &fields {
            let [first, second] = cells_of(field.name, field.form);
            full.push(first);
            other.push(second);
        }
        let update = json!({ "update": true });
        let first: &[&str] = match way {
            Cleared::Never | Cleared::ByRestoring => &empty,
            Cleared::ByHand | Cleared::ByAnotherProgram => &full,
        };
        assert_eq!(
            outcomes(&cells(&api, &columns, &[first], json!({})).await),
            ["NEW"]
        );
        match way {
            Cleared::Never => {}
            Cleared::ByHand => {
                for row in [&other, &full] {
                    let set = cells(&api, &columns, &[row], update.clone()).await;
                    assert_eq!(outcomes(&set), ["UPDATED"], "{set:?}");
                    assert_eq!(
                        set[0]["changedFields"].as_array().unwrap().len(),
                        names.len()
                    );
                }
                let nulls = names.iter().map(|name| ((*name).to_owned(), Value::Null));
                api.update(&id, Value::Object(nulls.collect())).await;
            }
            Cleared::ByRestoring => {
                let filled = cells(&api, &columns, &[&full], update.clone()).await;
                assert_eq!(outcomes(&filled), ["UPDATED"]);
                let input = json!({ "id": id, "sequence": 1 });
                api.done("restoreApplication", input).await;
            }
            Cleared::ByAnotherProgram => {
                let mut item = api.stored_application(&id).await;
                item.retain(|name, _| !names.contains(&name.as_str()));
                api.put(item).await;
            }
        }
        // Longer than a page of the history.
        for number in 0..if way == Cleared::ByHand { 101 } else { 0 } {
            api.update(&id, json!({ "companyName": format!("Acme {number}") }))
                .await;
        }
        let again = cells(&api, &columns, &[&full], update).await;
        let changed = again[0]["changedFields"].as_array().unwrap();
        let is_kept = |name: &&str| changed.contains(&json!(name));
        let expected = match way {
            Cleared::Never => "UPDATED",
            _ => "CHANGED",
        };
        assert_eq!(outcomes(&again), [expected], "{way:?}: {again:?}");
        assert!(names.iter().all(is_kept), "{way:?}: {changed:?}");
    }
}

const TRACKED: &str =
    "mutation($input: ImportApplicationsInput!) { importApplications(input: $input) {
  rows { outcome alreadyTracked { id } } } }";

#[tokio::test]
async fn a_new_row_names_the_applications_that_a_create_would_name() {
    for known in ["", "https://zknown.example/1", "https://zknown.example/2"] {
        for company in ["Zknown GmbH", "zknown", "Other"] {
            for link in ["", "http://www.zknown.example/1/"] {
                for dry_run in [true, false] {
                    let (api, _) = start().await;
                    let there = with(
                        named("Zknown"),
                        json!({ "positionTitle": "Rust Developer" }),
                    );
                    let there = match known {
                        "" => there,
                        link => with(there, json!({ "jobPostingUrl": link })),
                    };
                    let there = api.create(there).await["id"].clone();
                    let columns = ["Company", "Position", "Link"];
                    let columns: Vec<_> = columns
                        .iter()
                        .map(|name| json!({ "header": name }))
                        .collect();
                    let rows = [json!({ "cells": [company, "Rust developer", link] })];
                    let input = json!({ "columns": columns, "rows": rows, "dryRun": dry_run });
                    let data = api.data(TRACKED, json!({ "input": input })).await;
                    let row = data["importApplications"]["rows"][0].clone();
                    let is_same_link = known.ends_with("/1") && !link.is_empty();
                    let has_both = !known.is_empty() && !link.is_empty();
                    let is_same_job = !has_both && company != "Other";
                    let expected = match (is_same_link, is_same_job) {
                        // It is the application.
                        (true, _) => json!({ "outcome": "CHANGED", "alreadyTracked": null }),
                        (false, true) => {
                            json!({ "outcome": "NEW", "alreadyTracked": [{ "id": there }] })
                        }
                        (false, false) => json!({ "outcome": "NEW", "alreadyTracked": [] }),
                    };
                    assert_eq!(row, expected, "{known} {company} {link}");
                }
            }
        }
    }
}

#[tokio::test]
async fn an_edited_row_without_a_link_is_still_its_application() {
    let headers = [
        "companyName",
        "positionTitle",
        "status",
        "dateApplied",
        "notes",
        "location",
    ];
    let columns: Vec<_> = headers
        .iter()
        .map(|name| json!({ "header": name }))
        .collect();
    let columns = json!(columns);
    let update = json!({ "update": true });
    let first = ["Acme", "Dev", "sent", "2026-11-02", "one", "Bern"];
    let edits = [
        (2, "rejected"),
        (3, "2026-11-03"),
        (4, "two"),
        (4, ""),
        (5, "Basel"),
    ];
    for (at, text) in edits {
        let (api, _) = start().await;
        let made = cells(&api, &columns, &[&first], json!({})).await;
        let mut edited = first;
        edited[at] = text;
        let again = cells(&api, &columns, &[&edited], update.clone()).await;
        assert_eq!(again[0]["application"]["id"], made[0]["application"]["id"]);
        let expected = if text.is_empty() {
            "UNCHANGED"
        } else {
            "UPDATED"
        };
        assert_eq!(outcomes(&again), [expected], "{edited:?}");
        // Two openings: what is there says which of the rows it is.
        let rows: [&[&str]; 2] = [&["Acme", "Dev", "saved", "", "other", ""], &edited];
        let both = cells(&api, &columns, &rows, update.clone()).await;
        assert_eq!(outcomes(&both), ["NEW", "UNCHANGED"], "{edited:?}");
        let both = cells(&api, &columns, &rows, update.clone()).await;
        assert_eq!(outcomes(&both), ["UNCHANGED", "UNCHANGED"], "{edited:?}");
    }
    // The ids of earlier releases are known.
    let (api, _) = start().await;
    let content = headers.iter().zip(first).take(5);
    let content: Vec<_> = content
        .map(|(name, text)| format!("{name}={text}"))
        .collect();
    let id = Uuid::new_v5(&Uuid::NAMESPACE_OID, content.join("\n").as_bytes());
    let input = json!({ "id": id, "companyName": "Acme", "positionTitle": "Dev" });
    api.create(input).await;
    let found = cells(&api, &columns, &[&first], update).await;
    assert_eq!(found[0]["application"]["id"], id.to_string());
}

#[tokio::test]
async fn an_unknown_date_of_an_export_stays_unknown() {
    let (api, _) = start().await;
    for own in [&["createdAt", "updatedAt"][..], &["createdAt"], &[]] {
        for status in [
            "applied",
            "interviewing",
            "rejected",
            "no offer",
            "unsubmitted",
        ] {
            for (header, date) in [
                ("dateApplied", ""),
                ("dateApplied", "2026-11-02"),
                ("Date applied", ""),
            ] {
                // An application that is not sent has no date.
                if status == "unsubmitted" && !date.is_empty() {
                    continue;
                }
                let id = Uuid::new_v4().to_string();
                let headers = ["id", "companyName", "positionTitle", "status", header];
                let headers = headers.iter().chain(own);
                let columns: Vec<_> = headers.map(|name| json!({ "header": name })).collect();
                let mut row = vec![id.as_str(), "Acme", "Dev", status, date];
                row.extend(own.iter().map(|_| "2026-11-20T09:30:00.000Z"));
                let made = cells(&api, &json!(columns), &[&row], json!({})).await;
                let is_own = own.len() == 2 && header == "dateApplied";
                let is_dated = date.is_empty() && !is_own && status != "unsubmitted";
                assert_eq!(!made[0]["datedOn"].is_null(), is_dated, "{row:?}");
                let has_date = is_dated || !date.is_empty();
                assert_eq!(
                    !made[0]["application"]["dateApplied"].is_null(),
                    has_date,
                    "{row:?}"
                );
            }
        }
    }
}
