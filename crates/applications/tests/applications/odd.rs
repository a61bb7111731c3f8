//! Every kind of odd application, with every operation on one or on all: what cannot be read fails alone, and what is
//! asked is done.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};

use crate::ask::{MORE_FIELDS, named, start};
use crate::history::with_entries;
use crate::malformed::{Odd, accepted, lost, spoil, spoil_item, unreadable};
use crate::support::Api;

fn kinds() -> Vec<Odd> {
    let odd = unreadable().into_iter().chain(accepted());
    let odd = odd.map(|(name, value, _)| (name, Some(value)));
    odd.chain(lost()).collect()
}

/// Runs an operation whose only errors may be values that cannot be read; its data.
async fn tolerant(api: &Api, document: &str, variables: Value) -> Value {
    let answer = api.run(document, variables).await;
    for error in answer.body["errors"].as_array().into_iter().flatten() {
        assert_eq!(
            error["extensions"]["code"], "UNREADABLE",
            "{document} {error:#}"
        );
        assert!(error["path"].is_array(), "{error:#}");
    }
    assert!(
        answer.body["data"].is_object(),
        "{document} {:#}",
        answer.body
    );
    answer.body["data"].clone()
}

#[tokio::test]
async fn lists_nodes_and_agendas_answer_everything_else() {
    let (api, _) = start().await;
    let good = api.create(named("Good")).await["id"].clone();
    let mut ids = Vec::new();
    for odd in kinds() {
        let id = with_entries(&api, 2).await;
        api.add_stage(
            &id,
            json!({ "name": "On site", "scheduledAt": "2026-12-01T09:00:00Z" }),
        )
        .await;
        spoil(&api, &id, &odd).await;
        ids.push(id);
    }
    ids.push(good.as_str().unwrap().to_owned());
    let fields = crate::ask::FIELDS;
    let list = format!(
        "query($orderBy: ApplicationOrder, $filter: ApplicationFilter) {{
           applications(first: 100, orderBy: $orderBy, filter: $filter) {{
             edges {{ node {{ {fields} {MORE_FIELDS} interviewStages {{ name }}
               history(first: 3) {{ edges {{ node {{ description snapshot {{ notes }} changes {{ field }} }} }} }} }} }} }} }}"
    );
    for order in [
        "UPDATED_AT",
        "CREATED_AT",
        "DATE_APPLIED",
        "OFFER_DUE_DATE",
        "COMPANY_NAME",
        "SKILLS_MATCH",
        "SALARY_MAX",
    ] {
        for direction in ["ASC", "DESC"] {
            let variables = json!({ "orderBy": format!("{order}_{direction}") });
            let data = tolerant(&api, &list, variables).await;
            let edges = data["applications"]["edges"].as_array().unwrap();
            // Spoiled items stay where the indexes have them.
            assert_eq!(edges.len(), ids.len(), "{order}");
            let has_good = edges.iter().any(|edge| edge["node"]["id"] == good);
            assert!(has_good, "{order}");
        }
    }
    for filter in [
        json!({ "text": "visa" }),
        json!({ "dateApplied": { "from": "2020-01-01" } }),
        json!({ "salary": { "from": 1 } }),
        json!({ "minSkillsMatch": 1 }),
        json!({ "companyCategories": ["AI"] }),
        json!({ "updatedAt": { "from": "2020-01-01T00:00:00.000Z" } }),
    ] {
        tolerant(&api, &list, json!({ "filter": filter })).await;
    }
    let nodes =
        "query($ids: [ID!]!) { nodes(ids: $ids) { id ... on Application { companyName status } } }";
    let data = tolerant(&api, nodes, json!({ "ids": ids })).await;
    assert_eq!(data["nodes"].as_array().unwrap().len(), ids.len());
    assert_eq!(data["nodes"][ids.len() - 1]["companyName"], "Good");
    let agenda = "{ agenda(from: \"2026-12-01\", to: \"2026-12-01\") {
      kind scheduledAt interviewStage { name } application { companyName notes } } }";
    let data = tolerant(&api, agenda, json!({})).await;
    assert_eq!(data["agenda"].as_array().unwrap().len(), ids.len() - 1);
    let file = api
        .get("/applications/agenda.ics?from=2026-12-01&to=2026-12-01")
        .await;
    assert_eq!(file.status(), 200);
    let file = file.text().await.unwrap();
    assert_eq!(file.matches("BEGIN:VEVENT").count(), ids.len() - 1);
    tolerant(&api, "{ applicationInsight { stays { count } weeks(last: 3) { applied } } applicationStats { active } }", json!({})).await;
}

#[tokio::test]
async fn stages_of_an_odd_application_are_changed() {
    let (api, _) = start().await;
    for odd in kinds() {
        let id = with_entries(&api, 2).await;
        let first = api.add_stage(&id, json!({ "name": "Phone screen" })).await["id"].clone();
        let second = api.add_stage(&id, json!({ "name": "On site" })).await["id"].clone();
        spoil(&api, &id, &odd).await;
        for (name, input) in [
            (
                "updateInterviewStage",
                json!({ "id": first, "notes": "n", "scheduledAt": "2026-12-01T09:00:00Z" }),
            ),
            ("completeInterviewStage", json!({ "id": first })),
            (
                "reorderInterviewStages",
                json!({ "applicationId": id, "stageIds": [second, first] }),
            ),
            ("removeInterviewStage", json!({ "id": second })),
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
        let stages = api
            .stored(&id)
            .await
            .into_keys()
            .filter(|sk| sk.starts_with("STAGE#"));
        assert_eq!(stages.count(), 1, "{odd:?}");
    }
}

#[tokio::test]
async fn a_stage_is_repaired_by_setting_what_the_history_already_has() {
    let (api, _) = start().await;
    let id = with_entries(&api, 1).await;
    let stage = api
        .add_stage(&id, json!({ "name": "On site", "notes": "n" }))
        .await["id"]
        .clone();
    let stored = api.stored(&id).await;
    let key = stored.keys().find(|sk| sk.starts_with("STAGE#")).unwrap();
    for (name, odd, repair) in [
        ("notes", AttributeValue::Bool(true), json!("n")),
        (
            "performanceRating",
            AttributeValue::N("3.5".into()),
            Value::Null,
        ),
    ] {
        spoil_item(&api, &id, key, (name, Some(odd))).await;
        api.done("updateInterviewStage", json!({ "id": stage, name: repair }))
            .await;
        let detail = "query($id: ID!) { application(id: $id) { interviewStages { notes performanceRating } } }";
        let answer = api.run(detail, json!({ "id": id })).await;
        let stages = &answer.data()["application"]["interviewStages"];
        assert_eq!(
            *stages,
            json!([{ "notes": "n", "performanceRating": null }])
        );
    }
}

#[tokio::test]
async fn odd_applications_are_changed_and_deleted_together() {
    let (api, _) = start().await;
    let mut ids = Vec::new();
    for odd in kinds() {
        let id = with_entries(&api, 2).await;
        spoil(&api, &id, &odd).await;
        ids.push(id);
    }
    let updates: Vec<_> = ids
        .iter()
        .map(|id| json!({ "id": id, "specialRequirements": "set" }))
        .collect();
    for (name, own, input) in [
        (
            "updateApplications",
            "application { id }",
            json!({ "applications": updates }),
        ),
        (
            "archiveApplications",
            "application { id }",
            json!({ "ids": ids }),
        ),
        (
            "unarchiveApplications",
            "application { id }",
            json!({ "ids": ids }),
        ),
        (
            "deleteApplications",
            "deletedApplicationId",
            json!({ "ids": ids }),
        ),
    ] {
        let input_type = format!("{}{}Input", name[..1].to_uppercase(), &name[1..]);
        let document = format!(
            "mutation($input: {input_type}!) {{ {name}(input: $input) {{
               results {{ {own} userErrors {{ code }} }} userErrors {{ code }} }} }}"
        );
        let data = tolerant(&api, &document, json!({ "input": input })).await;
        let results = data[name]["results"].as_array().unwrap();
        assert_eq!(results.len(), ids.len());
        for (result, odd) in results.iter().zip(kinds()) {
            assert_eq!(result["userErrors"], json!([]), "{name} {odd:?}");
        }
    }
    for id in ids {
        assert_eq!(api.stored(&id).await.len(), 0);
    }
}
