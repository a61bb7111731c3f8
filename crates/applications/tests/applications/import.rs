//! Importing a list: a row is one application, however often the list is imported.

use serde_json::{Value, json};
use uuid::Uuid;

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
