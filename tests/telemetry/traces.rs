//! Traces, as a collector receives them.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode as SpanStatus;
use serde_json::{Value, json};

use crate::collector::{Collector, attributes};
use crate::database::{Database, variables};
use crate::process::{Process, command, ended};
use crate::telemetry::{APPLY, BOARD, REFUSED};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn map<const N: usize>(pairs: [(&str, &str); N]) -> BTreeMap<String, String> {
    pairs
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

fn named<'a>(spans: &'a [Span], name: &str) -> &'a Span {
    let found: Vec<_> = spans.iter().filter(|span| span.name == name).collect();
    assert_eq!(found.len(), 1, "{name} among {:?}", names(spans));
    found[0]
}

fn names(spans: &[Span]) -> Vec<&str> {
    let mut names: Vec<&str> = spans.iter().map(|span| span.name.as_str()).collect();
    names.sort_unstable();
    names
}

fn status(span: &Span) -> SpanStatus {
    span.status
        .as_ref()
        .map_or(SpanStatus::Unset, |status| status.code())
}

const MEMORY: [&str; 3] = ["--memory", "--drain-grace", "0s"];

#[tokio::test]
async fn a_request_is_a_tree_of_spans_in_its_callers_trace() {
    let collector = Collector::start().await;
    let variables = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url.as_str()),
        ("OTEL_SERVICE_NAME", "jobs"),
    ];
    let server = Process::start_with(&MEMORY, &variables).await;
    let traceparent = format!("00-{TRACE}-{CALLER}-01");
    let headers = [
        ("traceparent", traceparent.as_str()),
        ("user-agent", "check/1"),
        ("x-request-id", "req-1"),
    ];
    // The first write into an empty table does more than others; its caller does not want it traced.
    let unsampled = format!("00-{TRACE}-{CALLER}-00");
    let first = [("traceparent", unsampled.as_str())];
    assert_eq!(
        server.post(&json!({ "query": APPLY }), &first).await.status,
        200
    );
    let answer = server.post(&json!({ "query": APPLY }), &headers).await;
    assert_eq!(answer.status, 200);
    let ended = server.stop().await;
    assert!(ended.success, "{}", ended.log);

    let spans = collector.spans();
    assert!(spans.iter().all(|span| hex(&span.trace_id) == TRACE));
    assert!(spans.iter().all(|span| span.events.is_empty()));
    assert!(!format!("{spans:?}").contains("SECRET"));

    let http = named(&spans, "POST /graphql");
    assert_eq!(hex(&http.parent_span_id), CALLER);
    assert_eq!(http.kind(), SpanKind::Server);
    assert_eq!(status(http), SpanStatus::Unset);
    let expected = map([
        ("http.request.method", "POST"),
        ("http.response.status_code", "200"),
        ("http.route", "/graphql"),
        ("network.protocol.version", "1.1"),
        ("url.path", "/graphql"),
        ("url.scheme", "http"),
        ("user_agent.original", "check/1"),
    ]);
    assert_eq!(attributes(&http.attributes), expected);

    let operation = named(&spans, "mutation");
    assert_eq!(operation.parent_span_id, http.span_id);
    let calls: Vec<&Span> = spans
        .iter()
        .filter(|span| span.parent_span_id == operation.span_id)
        .collect();
    assert_eq!(calls.len(), spans.len() - 2, "{:?}", names(&spans));
    let (reads, writes) = units(&calls);
    let line = &ended.requests()[1];
    let expected = map([
        ("graphql.operation.name", "Apply"),
        ("graphql.operation.type", "mutation"),
        ("trestle.dynamodb.calls", &calls.len().to_string()),
        ("trestle.dynamodb.conflicts", "0"),
        ("trestle.dynamodb.read_units", &reads.to_string()),
        ("trestle.dynamodb.retries", "0"),
        ("trestle.dynamodb.write_units", &writes.to_string()),
        ("trestle.request_id", "req-1"),
        ("trestle.service", "applications"),
    ]);
    assert_eq!(attributes(&operation.attributes), expected);
    assert_eq!(line["calls"], calls.len());
    assert_eq!(line["write_units"], writes);
    assert_eq!(line["trace_id"], TRACE);

    let resource = collector.resource();
    assert_eq!(resource["service.name"], "jobs");
    assert_eq!(resource["service.version"], env!("CARGO_PKG_VERSION"));
}

/// What DynamoDB charged for these calls, each of which says what it is: for reads, and for writes.
fn units(calls: &[&Span]) -> (f64, f64) {
    let (mut reads, mut writes) = (0.0, 0.0);
    for call in calls {
        let mut found = attributes(&call.attributes);
        let operation = found.remove("db.operation.name").expect("an operation");
        assert_eq!(call.name, format!("{operation} lambda_api_applications"));
        assert_eq!(call.kind(), SpanKind::Client);
        let consumed = found
            .remove("aws.dynamodb.consumed_capacity")
            .expect("what it consumed");
        let consumed: Value = serde_json::from_str(&consumed).expect("JSON");
        assert_eq!(consumed[0]["TableName"], "lambda_api_applications");
        let units = consumed[0]["CapacityUnits"].as_f64().expect("a number");
        match operation.as_str() {
            "GetItem" | "Query" | "BatchGetItem" => reads += units,
            _ => writes += units,
        }
        let rest = map([
            ("aws.dynamodb.table_names", "[lambda_api_applications]"),
            ("db.collection.name", "lambda_api_applications"),
            ("db.system.name", "aws.dynamodb"),
        ]);
        assert_eq!(found, rest);
    }
    assert!(writes > 0.0);
    (reads, writes)
}

#[tokio::test]
async fn faults_of_ours_are_errors_and_others_are_not() {
    let mut database = Database::start().await;
    let collector = Collector::start().await;
    let url = database.url();
    let mut environment = variables(&url).to_vec();
    environment.push(("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url));
    let server = Process::start_with(&["--drain-grace", "0s"], &environment).await;
    let introspection = "query Other { applications(first: 1000) { totalCount } }";
    server.query(introspection).await;
    database.refuse().await;
    server.query(BOARD).await;
    assert!(server.stop().await.success);
    let spans = collector.spans();
    let operation = |name: &str| {
        let of_name = |span: &&Span| {
            attributes(&span.attributes)
                .get("graphql.operation.name")
                .is_some_and(|found| found == name)
        };
        spans.iter().find(of_name).expect("an operation")
    };
    for (name, code, expected) in [
        ("Other", "BAD_USER_INPUT", SpanStatus::Unset),
        ("Board", "SERVICE_UNAVAILABLE", SpanStatus::Error),
    ] {
        let span = operation(name);
        assert_eq!(status(span), expected);
        assert_eq!(attributes(&span.attributes)["error.type"], code);
    }
    let of_http = spans.iter().filter(|span| span.name == "POST /graphql");
    assert!(of_http.clone().all(|span| span.parent_span_id.is_empty()));
    assert_eq!(of_http.count(), 2);
    assert_eq!(collector.resource()["service.name"], "trestle");
}

#[tokio::test]
async fn health_checks_leave_no_spans() {
    let collector = Collector::start().await;
    let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url.as_str());
    let server = Process::start_with(&MEMORY, &[endpoint]).await;
    for path in ["/livez", "/readyz", "/metrics"] {
        assert_eq!(server.get(path).await.status, 200, "{path}");
    }
    server.query(REFUSED).await;
    assert!(server.stop().await.success);
    let spans = collector.spans();
    let of_http = spans.iter().filter(|span| span.kind() == SpanKind::Server);
    assert_eq!(of_http.count(), 1);
    named(&spans, "POST /graphql");
}

#[tokio::test]
async fn the_standard_variables_decide_what_is_sent() {
    let collector = Collector::start().await;
    let url = collector.url.as_str();
    let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", url);
    let unsampled = format!("00-{TRACE}-{CALLER}-00");
    let sampled = format!("00-{TRACE}-{CALLER}-01");
    let board = json!({ "query": BOARD });
    for (environment, traceparent) in [
        (vec![], &sampled),
        (vec![endpoint], &unsampled),
        (
            vec![endpoint, ("OTEL_TRACES_SAMPLER", "always_off")],
            &sampled,
        ),
        (vec![endpoint, ("OTEL_SDK_DISABLED", "true")], &sampled),
        (vec![endpoint, ("OTEL_TRACES_EXPORTER", "none")], &sampled),
    ] {
        let server = Process::start_with(&MEMORY, &environment).await;
        let headers = [("traceparent", traceparent.as_str())];
        assert_eq!(server.post(&board, &headers).await.status, 200);
        assert!(server.stop().await.success);
        assert_eq!(collector.requests(), [], "{environment:?}");
    }
    let traces = format!("{url}/v1/traces");
    let variable = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", traces.as_str());
    let server = Process::start_with(&MEMORY, &[variable]).await;
    server.query(BOARD).await;
    server.stop().await;
    let call = "Query lambda_api_applications";
    assert_eq!(names(&collector.spans()), ["POST /graphql", call, "query"]);
}

#[tokio::test]
async fn what_the_server_cannot_do_is_refused_at_start() {
    let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9");
    for (more, says) in [
        (("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"), "http/protobuf"),
        (("OTEL_TRACES_EXPORTER", "zipkin"), "use `otlp` or `none`"),
        (("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "no url"), "no url"),
    ] {
        let mut command = command(&["serve", "--memory", "--listen", "127.0.0.1:0"]);
        command.envs([endpoint, more]);
        let ended = ended(command).await;
        assert!(!ended.success, "{more:?}");
        assert!(ended.log.contains(says), "{more:?}: {}", ended.log);
    }
}

#[tokio::test]
async fn a_collector_that_refuses_hinders_nothing_and_is_said_once() {
    let collector = Collector::answering(StatusCode::BAD_REQUEST).await;
    let environment = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url.as_str()),
        ("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "1"),
    ];
    let server = Process::start_with(&MEMORY, &environment).await;
    for _ in 0..5 {
        assert_eq!(server.query(BOARD).await.status, 200);
    }
    let ended = server.stop().await;
    assert!(ended.success);
    assert!(collector.requests().len() > 1);
    let said = |line: &&Value| line["message"] == "the collector does not take traces";
    assert_eq!(
        ended.lines().iter().filter(said).count(),
        1,
        "{}",
        ended.log
    );
}
