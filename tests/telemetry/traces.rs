//! Traces, as a collector receives them.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode as SpanStatus;

use crate::collector::{Collector, attributes};
use crate::server::{FLUSH, Server, refused};

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

#[tokio::test]
async fn a_request_is_a_tree_of_spans_in_its_callers_trace() {
    let collector = Collector::start().await;
    let environment = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url.as_str()),
        ("OTEL_SERVICE_NAME", "jobs"),
    ];
    let server = Server::start("", &environment).await;
    let traceparent = format!("00-{TRACE}-{CALLER}-01");
    let headers = [
        ("traceparent", traceparent.as_str()),
        ("user-agent", "check/1"),
    ];
    let path = "/applications/graphql?operationName=Board&variables=SECRET";
    assert_eq!(server.get(path, &headers).await.0, 200);
    let remains = server.stop().await;
    assert!(remains.success, "{}", remains.log);

    let spans = collector.spans();
    let get = "GetItem lambda_api_applications";
    let write = "TransactWriteItems lambda_api_applications";
    let http = "GET /{service}/graphql";
    assert_eq!(names(&spans), [http, get, write, "query"]);
    assert!(spans.iter().all(|span| hex(&span.trace_id) == TRACE));
    assert!(spans.iter().all(|span| span.events.is_empty()));
    assert!(!format!("{spans:?}").contains("SECRET"));

    let http = named(&spans, http);
    assert_eq!(hex(&http.parent_span_id), CALLER);
    assert_eq!(http.kind(), SpanKind::Server);
    assert_eq!(status(http), SpanStatus::Unset);
    let expected = map([
        ("http.request.method", "GET"),
        ("http.response.status_code", "200"),
        ("http.route", "/{service}/graphql"),
        ("network.protocol.version", "1.1"),
        ("url.path", "/applications/graphql"),
        ("url.scheme", "http"),
        ("user_agent.original", "check/1"),
    ]);
    assert_eq!(attributes(&http.attributes), expected);

    let operation = named(&spans, "query");
    assert_eq!(operation.parent_span_id, http.span_id);
    let expected = map([
        ("graphql.operation.name", "Board"),
        ("graphql.operation.type", "query"),
        ("trestle.dynamodb.calls", "2"),
        ("trestle.dynamodb.conflicts", "1"),
        ("trestle.dynamodb.read_units", "0.5"),
        ("trestle.dynamodb.retries", "0"),
        ("trestle.dynamodb.write_units", "4"),
        ("trestle.service", "applications"),
    ]);
    assert_eq!(attributes(&operation.attributes), expected);

    for (name, call, consumed) in [
        (
            get,
            "GetItem",
            Some(r#"[{"TableName":"lambda_api_applications","CapacityUnits":0.5}]"#),
        ),
        (write, "TransactWriteItems", None),
    ] {
        let span = named(&spans, name);
        assert_eq!(span.parent_span_id, operation.span_id);
        assert_eq!(span.kind(), SpanKind::Client);
        let mut expected = map([
            ("aws.dynamodb.table_names", "[lambda_api_applications]"),
            ("db.collection.name", "lambda_api_applications"),
            ("db.operation.name", call),
            ("db.system.name", "aws.dynamodb"),
        ]);
        if let Some(consumed) = consumed {
            expected.insert("aws.dynamodb.consumed_capacity".into(), consumed.into());
        }
        assert_eq!(attributes(&span.attributes), expected);
    }

    let resource = collector.resource();
    assert_eq!(resource["service.name"], "jobs");
    assert_eq!(resource["service.version"], env!("CARGO_PKG_VERSION"));
    let line = &remains.lines()[0];
    assert_eq!(line["trace_id"], TRACE);
}

#[tokio::test]
async fn faults_of_ours_are_errors_and_others_are_not() {
    for (code, http_status, is_error) in [
        ("INTERNAL_SERVER_ERROR", 500, true),
        ("FORBIDDEN", 200, false),
    ] {
        let collector = Collector::start().await;
        let server = Server::start("", &[("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url)]).await;
        let path = format!("/graphql?fail={code}");
        assert_eq!(server.get(&path, &[]).await.0, http_status);
        assert!(server.stop().await.success);
        let spans = collector.spans();
        let expected = if is_error {
            SpanStatus::Error
        } else {
            SpanStatus::Unset
        };
        let http = named(&spans, "GET /graphql");
        assert_eq!(status(http), expected);
        assert!(http.parent_span_id.is_empty(), "a trace of its own");
        let operation = named(&spans, "query");
        assert_eq!(status(operation), expected);
        assert_eq!(attributes(&operation.attributes)["error.type"], code);
        assert_eq!(collector.resource()["service.name"], "trestle");
    }
}

#[tokio::test]
async fn health_checks_leave_no_spans() {
    let collector = Collector::start().await;
    let server = Server::start("", &[("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url)]).await;
    server.get("/livez", &[]).await;
    server.get("/metrics", &[]).await;
    server.get("/graphql", &[]).await;
    assert!(server.stop().await.success);
    let spans = collector.spans();
    assert_eq!(
        spans
            .iter()
            .filter(|span| span.kind() == SpanKind::Server)
            .count(),
        1
    );
    named(&spans, "GET /graphql");
}

#[tokio::test]
async fn the_standard_variables_decide_what_is_sent() {
    let collector = Collector::start().await;
    let url = collector.url.as_str();
    let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", url);
    let unsampled = format!("00-{TRACE}-{CALLER}-00");
    let sampled = format!("00-{TRACE}-{CALLER}-01");
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
        let server = Server::start("", &environment).await;
        let headers = [("traceparent", traceparent.as_str())];
        assert_eq!(server.get("/graphql", &headers).await.0, 200);
        assert!(server.stop().await.success);
        assert_eq!(collector.requests(), [], "{environment:?}");
    }
    let traces = format!("{url}/v1/traces");
    let server = Server::start("", &[("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", &traces)]).await;
    server.get("/graphql", &[]).await;
    server.stop().await;
    assert_eq!(collector.spans().len(), 4);
}

#[tokio::test]
async fn what_the_server_cannot_do_is_refused_at_start() {
    let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9");
    for (more, says) in [
        (("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"), "http/protobuf"),
        (("OTEL_TRACES_EXPORTER", "zipkin"), "use `otlp` or `none`"),
        (("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "no url"), "no url"),
    ] {
        let remains = refused("", &[endpoint, more]).await;
        assert!(!remains.success, "{more:?}");
        assert!(remains.log.contains(says), "{more:?}: {}", remains.log);
    }
}

#[tokio::test]
async fn a_collector_that_refuses_hinders_nothing_and_is_said_once() {
    let collector = Collector::answering(StatusCode::BAD_REQUEST).await;
    let environment = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url.as_str()),
        ("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "1"),
    ];
    let server = Server::start("", &environment).await;
    for _ in 0..5 {
        assert_eq!(server.get("/graphql", &[]).await.0, 200);
    }
    let remains = server.stop().await;
    assert!(remains.success);
    assert!(collector.requests().len() > 1);
    let lines = remains.lines();
    let said = |line: &&serde_json::Value| line["message"] == "the collector does not take traces";
    assert_eq!(lines.iter().filter(said).count(), 1, "{}", remains.log);
}

#[tokio::test]
async fn spans_can_be_sent_before_the_answer() {
    let collector = Collector::start().await;
    let environment = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url.as_str()),
        (FLUSH, "1"),
    ];
    let server = Server::start("", &environment).await;
    for requests in 1..=2 {
        server.get("/graphql", &[]).await;
        assert_eq!(collector.spans().len(), 4 * requests);
    }
    assert!(server.stop().await.success);
    assert_eq!(collector.spans().len(), 8);
}
