//! What deploys the function and its table says the same as the binary.

use serde_json::{Value, json};

use crate::process::{command, ended};

const SAM: &str = include_str!("../../deploy/sam/template.yaml");

async fn printed(arguments: &[&str]) -> Value {
    let ended = ended(command(arguments)).await;
    assert!(ended.success, "{}", ended.log);
    serde_json::from_str(&ended.output).expect("JSON")
}

/// The strings under `name` of each object of a list.
fn texts<'v>(list: &'v Value, name: &str) -> Vec<&'v str> {
    let items = list.as_array().expect("a list").iter();
    items
        .map(|item| item[name].as_str().expect("a text"))
        .collect()
}

#[tokio::test]
async fn the_sam_template_has_the_table_and_the_permissions_of_the_binary() {
    let template = printed(&["table", "template"]).await;
    let table = &template["Resources"]["LambdaApiApplicationsTable"]["Properties"];
    let attributes = texts(&table["AttributeDefinitions"], "AttributeName");
    let indexes = texts(&table["GlobalSecondaryIndexes"], "IndexName");
    assert_eq!(indexes, ["GSI1", "GSI2"]);
    for name in attributes {
        assert!(
            SAM.contains(&format!("AttributeName: {name}, AttributeType: S")),
            "{name}"
        );
    }
    for index in indexes {
        assert!(SAM.contains(&format!("IndexName: {index}")), "{index}");
    }
    let policy = printed(&["iam-policy"]).await;
    let actions = policy["Statement"][0]["Action"].as_array().unwrap();
    for action in actions {
        let line = format!("- {}\n", action.as_str().unwrap());
        assert!(SAM.contains(&line), "{line}");
    }
    assert_eq!(SAM.matches("- dynamodb:").count(), actions.len());
}

#[tokio::test]
async fn a_policy_names_tables_streams_and_the_bucket() {
    let arguments = [
        "iam-policy",
        "--service",
        "applications,graph-runs",
        "--region",
        "eu-west-1",
        "--account",
        "123456789012",
        "--streams",
        "--bucket",
        "files",
        "--applications-table",
        "mine",
    ];
    let policy = printed(&arguments).await;
    let statements = policy["Statement"].as_array().unwrap();
    let table = "arn:aws:dynamodb:eu-west-1:123456789012:table/mine";
    assert_eq!(statements[0]["Resource"][0], table);
    assert_eq!(statements[1]["Resource"][0], format!("{table}/stream/*"));
    assert_eq!(statements[2]["Resource"], "arn:aws:s3:::files/*");
    assert_eq!(statements[3]["Resource"], "arn:aws:s3:::files");
}

#[tokio::test]
async fn terraform_gets_the_options_of_a_new_table() {
    let arguments = [
        "table",
        "template",
        "--format",
        "terraform",
        "--deletion-protection",
        "--point-in-time-recovery",
        "--stream",
        "--tag",
        "team=jobs",
        "--max-read",
        "100",
    ];
    let template = printed(&arguments).await;
    let table = &template["resource"]["aws_dynamodb_table"]["lambda_api_applications"];
    assert_eq!(table["hash_key"], "PK");
    assert_eq!(table["point_in_time_recovery"]["enabled"], true);
    assert_eq!(table["deletion_protection_enabled"], true);
    assert_eq!(table["stream_view_type"], "NEW_AND_OLD_IMAGES");
    assert_eq!(table["tags"], json!({ "team": "jobs" }));
    assert_eq!(
        table["on_demand_throughput"],
        json!({ "max_read_request_units": 100 })
    );
}
