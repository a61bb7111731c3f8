//! The server as a Lambda function: events in, answers out, through an emulation of Lambda's runtime API.
//! The events have the shapes that AWS documents for payload 2.0.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

mod function;
mod runtime_api;

use serde_json::{Value, json};

use crate::runtime_api::{Outcome, Runtime};

const API_GATEWAY_POST: &str = include_str!("events/api-gateway-post.json");
const API_GATEWAY_STAGE_GET: &str = include_str!("events/api-gateway-stage-get.json");
const FUNCTION_URL_POST: &str = include_str!("events/function-url-post.json");

fn event(text: &str) -> Value {
    serde_json::from_str(text).expect("an event")
}

fn with_path(path: &str) -> Value {
    let mut event = event(FUNCTION_URL_POST);
    event["rawPath"] = json!(path);
    event["requestContext"]["http"]["path"] = json!(path);
    event
}

fn answered(outcome: Outcome) -> Value {
    match outcome {
        Outcome::Answer(answer) => answer,
        Outcome::Error(error) => panic!("an error instead of an answer: {error}"),
    }
}

/// What the echoing route saw.
fn echo(answer: &Value) -> Value {
    assert_eq!(answer["statusCode"], 200, "{answer}");
    assert_eq!(answer["isBase64Encoded"], false);
    serde_json::from_str(answer["body"].as_str().expect("a text")).expect("an echo")
}

#[tokio::test]
async fn an_event_of_api_gateway_is_a_request() {
    let mut runtime = Runtime::start(function::command()).await;
    let answer = answered(runtime.invoke("id-1", &event(API_GATEWAY_POST)).await);
    assert_eq!(
        answer["headers"]["content-type"],
        "application/graphql-response+json"
    );
    let seen = echo(&answer);
    assert_eq!(seen["method"], "POST");
    assert_eq!(seen["target"], "/graphql");
    assert_eq!(seen["body"], r#"{"query":"zürich + 😀"}"#);
    assert_eq!(seen["headers"]["authorization"], "Bearer trk_secret");
    assert_eq!(seen["headers"]["content-type"], "application/json");
    assert_eq!(seen["headers"]["cookie"], "session=abc; theme=dark");
    assert_eq!(seen["headers"]["x-request-id"], "id-1", "Lambda's own");
}

#[tokio::test]
async fn a_stages_name_is_not_part_of_the_path() {
    let mut runtime = Runtime::start(function::command()).await;
    let seen = echo(&answered(
        runtime.invoke("id-1", &event(API_GATEWAY_STAGE_GET)).await,
    ));
    assert_eq!(seen["method"], "GET");
    assert_eq!(
        seen["target"],
        "/job-board/graphql?query=%7B__typename%7D&operationName=A&operationName=B&empty="
    );
    assert_eq!(seen["body"], "");
    assert_eq!(seen["headers"]["x-request-id"], "from-the-caller");

    for (stage, path, expected) in [
        ("prod", "/prod", "/"),
        ("prod", "/prod/", "/"),
        ("prod", "/prod/graphql", "/graphql"),
        ("prod", "/graphql", "/graphql"),
        ("prod", "/production/graphql", "/production/graphql"),
        ("$default", "/prod/graphql", "/prod/graphql"),
    ] {
        let mut event = with_path(path);
        event["requestContext"]["stage"] = json!(stage);
        let answer = answered(runtime.invoke("id-2", &event).await);
        assert_eq!(answer["statusCode"], 200, "{stage} {path}");
        let seen = echo(&answer);
        assert_eq!(seen["target"], expected, "{stage} {path}");
    }
}

#[tokio::test]
async fn an_event_of_a_function_url_is_a_request() {
    let mut runtime = Runtime::start(function::command()).await;
    let seen = echo(&answered(
        runtime.invoke("id-1", &event(FUNCTION_URL_POST)).await,
    ));
    assert_eq!(seen["method"], "POST");
    assert_eq!(seen["target"], "/graphql");
    assert_eq!(seen["body"], r#"{"query":"{ __typename }"}"#);
    assert_eq!(seen["headers"]["x-forwarded-for"], "203.0.113.7");
}

#[tokio::test]
async fn answers_go_back_whole() {
    let mut runtime = Runtime::start(function::command()).await;
    let binary = answered(runtime.invoke("id-1", &with_path("/answer/binary")).await);
    assert_eq!(binary["statusCode"], 200);
    assert_eq!(binary["isBase64Encoded"], true);
    assert_eq!(binary["body"], "H4sIAP8A");
    assert_eq!(binary["headers"]["content-encoding"], "gzip");

    let cookies = answered(runtime.invoke("id-2", &with_path("/answer/cookies")).await);
    assert_eq!(cookies["cookies"], json!(["a=1", "b=2"]));
    assert!(cookies["headers"].get("set-cookie").is_none());

    let refused = answered(runtime.invoke("id-3", &with_path("/answer/refused")).await);
    assert_eq!(refused["statusCode"], 401);
    assert_eq!(refused["headers"]["www-authenticate"], "Bearer");

    let missing = answered(runtime.invoke("id-4", &with_path("/no/such/page")).await);
    assert_eq!(missing["statusCode"], 404);

    let broken = answered(runtime.invoke("id-5", &with_path("/answer/broken")).await);
    assert_eq!(broken["statusCode"], 500);
    assert!(broken["body"].as_str().unwrap_or_default().is_empty());
}

#[tokio::test]
async fn an_event_of_something_else_is_an_error_and_the_next_one_is_served() {
    let mut runtime = Runtime::start(function::command()).await;
    let of_a_queue = json!({ "Records": [{ "eventSource": "aws:sqs", "body": "hello" }] });
    match runtime.invoke("id-1", &of_a_queue).await {
        Outcome::Error(error) => assert!(error["errorMessage"].is_string(), "{error}"),
        Outcome::Answer(answer) => panic!("{answer}"),
    }
    echo(&answered(
        runtime.invoke("id-2", &event(FUNCTION_URL_POST)).await,
    ));
}

#[tokio::test]
async fn half_of_lambdas_environment_is_refused_with_a_sentence() {
    let mut command = function::command();
    command.env("AWS_LAMBDA_RUNTIME_API", "127.0.0.1:9");
    let output = command.output().await.expect("an end");
    assert!(!output.status.success());
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(log.contains("AWS_LAMBDA_FUNCTION_NAME is not"), "{log}");
}
