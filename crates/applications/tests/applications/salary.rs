//! The currency of a salary, and what it is paid for.

use serde_json::{Value, json};
use trestle_applications::ApplicationsService;
use trestle_domain::Currency;

use crate::ask::{Hands, errors, named, start, text, with};
use crate::support::{Api, Calls, hosted};

const PAY: &str = "salaryMin salaryMax salaryCurrency salaryPeriod";

/// What an application pays.
async fn pay(api: &Api, id: &Value) -> Value {
    let document = format!("query($id: ID!) {{ application(id: $id) {{ {PAY} }} }}");
    api.data(&document, json!({ "id": id })).await["application"].clone()
}

fn paid(min: i64, currency: Option<&str>, period: Option<&str>) -> Value {
    json!({ "salaryMin": min, "salaryMax": null, "salaryCurrency": currency, "salaryPeriod": period })
}

/// A service that pays in euros unless it is told otherwise.
async fn paying_in_euros() -> Api {
    let calls = Calls::default();
    let clock = Hands::at("2026-11-20T09:30:00.000Z").clock();
    Api::start_set(hosted::embedded(&calls), calls, |table| {
        ApplicationsService::new(table, clock).paying_in(Currency::parse("EUR").ok())
    })
    .await
}

#[tokio::test]
async fn a_salary_has_a_currency_and_a_period() {
    let (api, hands) = start().await;
    let salary = json!({ "salaryMin": 70_000, "salaryCurrency": " gbp ", "salaryPeriod": "YEAR" });
    let id = api.create(with(named("Acme"), salary)).await["id"].clone();
    let of_year = paid(70_000, Some("GBP"), Some("YEAR"));
    assert_eq!(pay(&api, &id).await, of_year);
    let stored = api.stored_application(id.as_str().unwrap()).await;
    assert_eq!(
        (&stored["salaryCurrency"], &stored["salaryPeriod"]),
        (&text("GBP"), &text("year"))
    );

    hands.go(1_000);
    let changes = json!({ "salaryMin": 60, "salaryCurrency": "USD", "salaryPeriod": "HOUR" });
    api.update(id.as_str().unwrap(), changes).await;
    hands.go(1_000);
    let cleared = json!({ "salaryCurrency": "", "salaryPeriod": null });
    api.update(id.as_str().unwrap(), cleared).await;
    assert_eq!(pay(&api, &id).await, paid(60, None, None));
    let stored = api.stored_application(id.as_str().unwrap()).await;
    assert_eq!(stored.get("salaryCurrency"), None);
    let story = api.story(id.as_str().unwrap()).await;
    assert_eq!(
        story[1..],
        [
            "Salary currency changed from GBP to USD; Salary period changed from year to hour; Salary set to 60 or more",
            "Salary currency cleared; Salary period cleared",
        ]
    );

    hands.go(1_000);
    api.done("restoreApplication", json!({ "id": id, "sequence": 1 }))
        .await;
    assert_eq!(pay(&api, &id).await, of_year);
    hands.go(1_000);
    api.done("restoreApplication", json!({ "id": id, "sequence": 3 }))
        .await;
    assert_eq!(pay(&api, &id).await, paid(60, None, None));
    let list = format!("{{ applications {{ edges {{ node {{ {PAY} }} }} }} }}");
    let listed = api.data(&list, json!({})).await;
    assert_eq!(
        listed["applications"]["edges"][0]["node"],
        paid(60, None, None)
    );
}

#[tokio::test]
async fn an_unknown_currency_is_a_user_error() {
    let (api, _) = start().await;
    for unknown in ["EURO", "dollars", "$", "XYZ"] {
        let input = with(named("Acme"), json!({ "salaryCurrency": unknown }));
        let refused = api.refused("createApplication", input).await;
        assert_eq!(
            refused,
            errors(&[("INVALID", "salaryCurrency")]),
            "{unknown}"
        );
    }
}

#[tokio::test]
async fn an_application_without_either_stores_neither() {
    let (api, _) = start().await;
    let id = api
        .create(with(named("Acme"), json!({ "salaryMin": 1 })))
        .await["id"]
        .clone();
    let stored = api.stored_application(id.as_str().unwrap()).await;
    for attribute in ["salaryCurrency", "salaryPeriod"] {
        assert_eq!(stored.get(attribute), None);
    }
}

#[tokio::test]
async fn a_salary_that_is_set_without_a_currency_gets_the_default_one() {
    let api = paying_in_euros().await;
    let id = |made: Value| made["id"].as_str().unwrap().to_owned();
    let unpaid = id(api.create(named("Acme")).await);
    let unsaid = || with(named("Borel"), json!({ "salaryMin": 50_000 }));
    let made = id(api.create(unsaid()).await);
    let said = json!({ "salaryMin": 50_000, "salaryCurrency": "CHF" });
    let swiss = id(api.create(with(named("Curie"), said)).await);
    let null = json!({ "salaryMin": 50_000, "salaryCurrency": null });
    let currency = async |id: &str| pay(&api, &json!(id)).await["salaryCurrency"].clone();
    assert_eq!(currency(&unpaid).await, Value::Null);
    assert_eq!(currency(&made).await, "EUR");
    assert_eq!(currency(&swiss).await, "CHF");

    const BATCH: &str =
        "mutation($input: CreateApplicationsInput!) { createApplications(input: $input) {
      results { application { salaryCurrency } } } }";
    let batch = json!({ "input": { "applications": [unsaid()] } });
    let results = api.data(BATCH, batch).await["createApplications"]["results"].clone();
    assert_eq!(results[0]["application"]["salaryCurrency"], "EUR");
    // A salary that does not change sets nothing, and one that changes keeps the currency.
    api.update(&made, json!({ "salaryCurrency": null })).await;
    api.update(&made, json!({ "salaryMin": 50_000 })).await;
    assert_eq!(currency(&made).await, Value::Null);
    api.update(&made, json!({ "salaryMin": 51_000 })).await;
    assert_eq!(currency(&made).await, "EUR");
    api.update(&swiss, json!({ "salaryMax": 60_000 })).await;
    assert_eq!(currency(&swiss).await, "CHF");
    api.update(&unpaid, null).await;
    assert_eq!(currency(&unpaid).await, Value::Null);

    // Sent again, it is the same application.
    let again = with(
        unsaid(),
        json!({ "id": "7c0ee6f1-4a3f-4d3c-9c57-4a7a1d1b8e55" }),
    );
    for _ in 0..2 {
        let made = id(api.create(again.clone()).await);
        assert_eq!(currency(&made).await, "EUR");
    }
}
