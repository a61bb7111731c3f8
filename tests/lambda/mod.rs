//! The real binary as a Lambda function: events in, answers out, through an emulation of Lambda's runtime
//! API. The events have the shapes that AWS documents for payload 2.0.

mod deployed;
#[allow(dead_code, reason = "a part of it is used here")]
mod runtime_api;
mod template;

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;
use tokio::process::Command;

use crate::collector::Collector;
use crate::database::{Database, variables};
use crate::lambda::runtime_api::{Outcome, Runtime};
use crate::process::{command, ended};

const API_GATEWAY_POST: &str = include_str!("events/api-gateway-post.json");
const API_GATEWAY_STAGE_GET: &str = include_str!("events/api-gateway-stage-get.json");
const FUNCTION_URL_POST: &str = include_str!("events/function-url-post.json");
/// The API key in the events.
const KEY: &str = "trk_secret";

fn event(text: &str) -> Value {
    serde_json::from_str(text).expect("an event")
}

/// An event of a function URL with this document.
fn asking(document: &str) -> Value {
    let mut event = event(FUNCTION_URL_POST);
    event["body"] = json!(json!({ "query": document }).to_string());
    event
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

/// An answer's GraphQL.
fn body(answer: &Value) -> Value {
    assert_eq!(answer["isBase64Encoded"], false);
    serde_json::from_str(answer["body"].as_str().expect("a text")).expect("JSON")
}

/// A file that holds the events' key.
fn key_file() -> NamedTempFile {
    let mut file = NamedTempFile::new().expect("a file");
    let hash: Vec<String> = Sha256::digest(KEY)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    writeln!(file, "caller write {}", hash.concat()).expect("a line");
    file
}

/// The function with a store in memory, and the key file that it reads when it starts.
fn function() -> (Command, NamedTempFile) {
    let keys = key_file();
    let mut command = command(&["serve"]);
    command
        .env("TRESTLE_MEMORY", "true")
        .env("TRESTLE_API_KEYS", keys.path());
    (command, keys)
}

async fn started() -> Runtime {
    let (command, _keys) = function();
    Runtime::start(command).await
}

#[tokio::test]
async fn an_event_of_api_gateway_is_a_request() {
    let mut runtime = started().await;
    let answer = answered(runtime.invoke("id-1", &event(API_GATEWAY_POST)).await);
    assert_eq!(answer["statusCode"], 200, "{answer}");
    let headers = &answer["headers"];
    let media = "application/graphql-response+json; charset=utf-8";
    assert_eq!(headers["content-type"], media);
    assert_eq!(headers["x-request-id"], "id-1", "Lambda's own");
    let application = json!({ "companyName": "Zürich 😀" });
    let expected = json!({ "data": { "createApplication": { "application": application } } });
    assert_eq!(body(&answer), expected);
}

#[tokio::test]
async fn a_stages_name_is_not_part_of_the_path() {
    let mut runtime = started().await;
    let answer = answered(runtime.invoke("id-1", &event(API_GATEWAY_STAGE_GET)).await);
    assert_eq!(body(&answer), json!({ "data": { "b": "Query" } }));
    assert_eq!(answer["headers"]["x-request-id"], "from-the-caller");

    for (stage, path, status) in [
        ("prod", "/prod", 404),
        ("prod", "/prod/graphql", 200),
        ("prod", "/prod/livez", 405),
        ("prod", "/graphql", 200),
        ("prod", "/production/graphql", 404),
        ("$default", "/graphql", 200),
        ("$default", "/prod/graphql", 404),
    ] {
        let mut event = with_path(path);
        event["requestContext"]["stage"] = json!(stage);
        let answer = answered(runtime.invoke("id-2", &event).await);
        assert_eq!(answer["statusCode"], status, "{stage} {path}: {answer}");
    }
}

#[tokio::test]
async fn an_event_of_a_function_url_is_a_request() {
    let mut runtime = started().await;
    let answer = answered(runtime.invoke("id-1", &event(FUNCTION_URL_POST)).await);
    assert_eq!(answer["statusCode"], 200);
    assert_eq!(body(&answer), json!({ "data": { "__typename": "Query" } }));
}

#[tokio::test]
async fn a_compressed_answer_goes_back_whole() {
    let mut runtime = started().await;
    let mut get = asking("");
    get["rawPath"] = json!("/graphql");
    get["requestContext"]["http"]["method"] = json!("GET");
    get["headers"] = json!({ "accept": "text/html", "accept-encoding": "gzip" });
    let page = answered(runtime.invoke("id-1", &get).await);
    assert_eq!(page["headers"]["content-encoding"], "gzip");
    assert_eq!(page["isBase64Encoded"], true);
    let bytes = STANDARD.decode(page["body"].as_str().expect("a text"));
    let bytes = bytes.expect("base 64");
    assert_eq!(bytes[..2], [0x1f, 0x8b], "gzip's own first bytes");

    get["headers"] = json!({ "accept": "text/html" });
    let page = answered(runtime.invoke("id-2", &get).await);
    let text = page["body"].as_str().expect("a text");
    assert!(text.starts_with("<!doctype html>"), "{text}");
    assert!(bytes.len() < text.len());
}

#[tokio::test]
async fn a_function_is_as_closed_as_any_address_that_others_reach() {
    let mut runtime = started().await;
    let mut unknown = event(FUNCTION_URL_POST);
    unknown["headers"]["authorization"] = json!("Bearer trk_other");
    let answer = answered(runtime.invoke("id-1", &unknown).await);
    assert_eq!(answer["statusCode"], 401);
    assert_eq!(answer["headers"]["www-authenticate"], "Bearer");

    let schema = asking("{ __schema { queryType { name } } }");
    let answer = answered(runtime.invoke("id-2", &schema).await);
    let error = &body(&answer)["errors"][0];
    assert_eq!(error["extensions"]["code"], "GRAPHQL_VALIDATION_FAILED");
    let (mut command, _keys) = function();
    command.env("TRESTLE_INTROSPECTION", "on");
    let mut runtime = Runtime::start(command).await;
    let answer = answered(runtime.invoke("id-3", &schema).await);
    assert!(body(&answer)["data"]["__schema"].is_object());

    let (mut command, _keys) = function();
    command
        .env_remove("TRESTLE_API_KEYS")
        .env("AWS_LAMBDA_RUNTIME_API", "127.0.0.1:9");
    let ended = ended(command).await;
    assert!(!ended.success);
    assert!(ended.log.contains("TRESTLE_INSECURE"), "{}", ended.log);
}

#[tokio::test]
async fn an_event_of_something_else_is_an_error_and_the_next_one_is_served() {
    let mut runtime = started().await;
    let of_a_queue = json!({ "Records": [{ "eventSource": "aws:sqs", "body": "hello" }] });
    match runtime.invoke("id-1", &of_a_queue).await {
        Outcome::Error(error) => assert!(error["errorMessage"].is_string(), "{error}"),
        Outcome::Answer(answer) => panic!("{answer}"),
    }
    let answer = answered(runtime.invoke("id-2", &event(FUNCTION_URL_POST)).await);
    assert_eq!(answer["statusCode"], 200);
}

#[tokio::test]
async fn functions_share_a_table_in_dynamodb() {
    let database = Database::start().await;
    let url = database.url();
    let keys = key_file();
    let start = async || {
        let mut command = command(&["serve"]);
        command
            .envs(variables(&url))
            .env("TRESTLE_API_KEYS", keys.path());
        Runtime::start(command).await
    };
    let (mut one, mut other) = (start().await, start().await);
    answered(one.invoke("id-1", &event(API_GATEWAY_POST)).await);
    let count = asking("{ applications { totalCount } }");
    let answer = answered(other.invoke("id-2", &count).await);
    let expected = json!({ "data": { "applications": { "totalCount": 1 } } });
    assert_eq!(body(&answer), expected);
}

#[tokio::test]
async fn spans_are_sent_before_the_answer() {
    let collector = Collector::start().await;
    let (mut command, _keys) = function();
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url);
    let mut runtime = Runtime::start(command).await;
    for requests in 1..=2 {
        answered(runtime.invoke("id", &event(FUNCTION_URL_POST)).await);
        // Of HTTP and of the operation: it asks DynamoDB nothing.
        assert_eq!(collector.spans().len(), 2 * requests);
    }
}

#[tokio::test]
async fn half_of_lambdas_environment_is_refused_with_a_sentence() {
    let (mut command, _keys) = function();
    command.env("AWS_LAMBDA_RUNTIME_API", "127.0.0.1:9");
    let ended = ended(command).await;
    assert!(!ended.success);
    let log = ended.log;
    assert!(log.contains("AWS_LAMBDA_FUNCTION_NAME is not"), "{log}");
}
