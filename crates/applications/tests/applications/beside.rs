//! A mutation whose input cannot be used is refused by itself: what stands beside it is done and answered.

use serde_json::{Value, json};

use crate::ask::{named, start};
use crate::support::Api;

/// What `mutation` is refused for, between two others that are done.
async fn refused_between(api: &Api, mutation: &str, variables: Value) -> Value {
    let uuid = if mutation.contains("$uuid") {
        ", $uuid: UUID"
    } else {
        ""
    };
    let document = format!(
        "mutation($id: ID!{uuid}) {{
           first: updateApplication(input: {{ id: $id, notes: \"first\" }}) {{ application {{ notes }} }}
           refused: {mutation} {{ userErrors {{ code field currentVersion }} }}
           last: archiveApplication(input: {{ id: $id }}) {{ application {{ isArchived }} }}
           back: unarchiveApplication(input: {{ id: $id }}) {{ application {{ isArchived }} }} }}"
    );
    let answer = api.run(&document, variables).await;
    let data = answer.data();
    assert_eq!(data["first"]["application"]["notes"], "first", "{mutation}");
    assert_eq!(
        data["last"]["application"]["isArchived"], true,
        "{mutation}"
    );
    data["refused"]["userErrors"].clone()
}

#[tokio::test]
async fn what_is_no_uuid_or_no_version_is_a_user_error_like_any_other() {
    let (api, _) = start().await;
    let id = api.create(named("Visa")).await["id"].clone();
    let invalid =
        |field: &str| json!([{ "code": "INVALID", "field": [field], "currentVersion": null }]);
    let company = "companyName: \"Visa\", positionTitle: \"Engineer\"";
    let mutations = [
        (
            format!("createApplication(input: {{ id: \"nope\", {company} }})"),
            invalid("id"),
        ),
        (
            format!("createApplication(input: {{ id: $uuid, {company} }})"),
            invalid("id"),
        ),
        (
            "addInterviewStage(input: { applicationId: $id, stageId: \"nope\", name: \"One\" })"
                .to_owned(),
            invalid("stageId"),
        ),
        (
            "restoreApplication(input: { id: $id, sequence: -1 })".to_owned(),
            json!([{ "code": "NOT_FOUND", "field": ["sequence"], "currentVersion": null }]),
        ),
    ];
    for (mutation, errors) in mutations {
        let variables = json!({ "id": id, "uuid": "zz" });
        assert_eq!(
            refused_between(&api, &mutation, variables).await,
            errors,
            "{mutation}"
        );
    }
    let input = "updateApplication(input: { id: $id, expectedVersion: -1, notes: \"?\" })";
    let errors = refused_between(&api, input, json!({ "id": id })).await;
    assert_eq!(
        (&errors[0]["code"], &errors[0]["field"]),
        (&json!("CONFLICT"), &json!(["expectedVersion"]))
    );
    assert!(errors[0]["currentVersion"].is_u64(), "{errors}");
}

#[tokio::test]
async fn an_id_that_is_none_is_refused_with_every_other_broken_rule() {
    let (api, _) = start().await;
    let input =
        json!({ "id": "nope", "companyName": "", "positionTitle": "Engineer", "skillsMatch": 9 });
    let refused = api.refused("createApplication", input).await;
    let fields: Vec<_> = refused.iter().map(|(_, field)| field.as_str()).collect();
    assert_eq!(fields, ["id", "companyName", "skillsMatch"]);
}

#[tokio::test]
async fn what_is_no_text_is_refused_before_anything_is_done() {
    let (api, _) = start().await;
    let document = "mutation {
      first: createApplication(input: { companyName: \"Visa\", positionTitle: \"Engineer\" }) { application { id } }
      second: createApplication(input: { companyName: \"Visa\", positionTitle: \"Engineer\", VALUE }) {
        application { id } } }";
    for value in ["dateApplied: 20261120", "companyUrl: true", "id: 7"] {
        let answer = api.run(&document.replace("VALUE", value), json!({})).await;
        assert_eq!(answer.code(), "BAD_USER_INPUT", "{value}");
        let count = api.data("{ applicationStats { active } }", json!({})).await;
        assert_eq!(count["applicationStats"]["active"], 0, "{value}");
    }
}
