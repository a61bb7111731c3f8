//! Metrics, as Prometheus scrapes them.

use std::time::Duration;

use trestle::api::Code;
use trestle::server::telemetry::{DocumentCache, FinishedRequest, Telemetry};
use trestle::table::Spent;

use crate::server::Server;

fn request(name: Option<&str>) -> FinishedRequest<'_> {
    FinishedRequest {
        request_id: "r",
        service: Some("applications"),
        operation_name: name,
        operation_type: Some("query"),
        subject: None,
        cost: None,
        status: 200,
        code: None,
        document_cache: None,
        spent: Spent::default(),
        duration: Duration::from_millis(20),
    }
}

/// The lines of a page that are samples of `metric`.
fn samples<'a>(page: &'a str, metric: &str) -> Vec<&'a str> {
    let of_metric = |line: &&str| {
        line.strip_prefix(metric)
            .is_some_and(|rest| rest.starts_with('{') || rest.starts_with(' '))
    };
    let mut lines: Vec<&str> = page.lines().filter(of_metric).collect();
    lines.sort_unstable();
    lines
}

#[test]
fn requests_are_counted_by_operation_and_code() {
    let telemetry = Telemetry::default();
    let failed = |code| FinishedRequest {
        code: Some(code),
        ..request(Some("Board"))
    };
    telemetry.finished(&request(Some("Board")));
    telemetry.finished(&request(Some("Board")));
    telemetry.finished(&request(None));
    telemetry.finished(&failed(Code::RateLimited));
    telemetry.finished(&FinishedRequest {
        status: 499,
        ..request(Some("Board"))
    });
    let unread = FinishedRequest {
        service: None,
        operation_type: None,
        code: Some(Code::Unauthenticated),
        ..request(None)
    };
    telemetry.finished(&unread);
    telemetry.finished(&FinishedRequest {
        operation_type: Some("mutation"),
        document_cache: Some(DocumentCache::Miss),
        ..request(Some("Add"))
    });
    telemetry.finished(&FinishedRequest {
        document_cache: Some(DocumentCache::Hit),
        ..request(Some("Board"))
    });

    let page = telemetry.metrics().render();
    let row = |service: &str, operation: &str, kind: &str, code: &str, count: u32| {
        format!(
            "trestle_graphql_requests_total{{service=\"{service}\",operation=\"{operation}\",\
             operation_type=\"{kind}\",code=\"{code}\"}} {count}"
        )
    };
    let mut expected = [
        row("applications", "Board", "query", "OK", 3),
        row("applications", "Board", "query", "CLIENT_GONE", 1),
        row("applications", "Board", "query", "RATE_LIMITED", 1),
        row("applications", "Add", "mutation", "OK", 1),
        row("applications", "anonymous", "query", "OK", 1),
        row("none", "none", "none", "UNAUTHENTICATED", 1),
    ];
    expected.sort_unstable();
    assert_eq!(samples(&page, "trestle_graphql_requests_total"), expected);
    assert_eq!(
        samples(&page, "trestle_graphql_request_duration_seconds_count"),
        [
            "trestle_graphql_request_duration_seconds_count{service=\"applications\",operation=\"Add\"} 1",
            "trestle_graphql_request_duration_seconds_count{service=\"applications\",operation=\"Board\"} 5",
            "trestle_graphql_request_duration_seconds_count{service=\"applications\",operation=\"anonymous\"} 1",
            "trestle_graphql_request_duration_seconds_count{service=\"none\",operation=\"none\"} 1",
        ]
    );
    let buckets = samples(&page, "trestle_graphql_request_duration_seconds_bucket");
    let below = |limit: &str| {
        let labels = format!("le=\"{limit}\",service=\"applications\",operation=\"Board\"");
        buckets
            .iter()
            .any(|line| line.contains(&labels) && line.ends_with(" 5"))
    };
    assert!(below("0.025") && !below("0.01"), "20 ms: {buckets:#?}");
    assert_eq!(
        samples(&page, "trestle_document_cache_requests_total"),
        [
            "trestle_document_cache_requests_total{service=\"applications\",result=\"hit\"} 1",
            "trestle_document_cache_requests_total{service=\"applications\",result=\"miss\"} 1",
        ]
    );
}

#[test]
fn dynamodb_is_counted_by_operation() {
    let telemetry = Telemetry::default();
    let spent = Spent {
        calls: 5,
        reads: 3,
        writes: 2,
        retries: 1,
        conflicts: 1,
        read_units: 1.5,
        write_units: 12.0,
    };
    telemetry.finished(&FinishedRequest {
        spent,
        ..request(Some("Board"))
    });
    telemetry.finished(&FinishedRequest {
        spent,
        ..request(Some("Board"))
    });
    telemetry.finished(&request(Some("Cheap")));
    let page = telemetry.metrics().render();
    let labels = "service=\"applications\",operation=\"Board\"";
    for (metric, more, value) in [
        ("calls", ",access=\"read\"", "6"),
        ("calls", ",access=\"write\"", "4"),
        ("consumed_capacity_units", ",access=\"read\"", "3.0"),
        ("consumed_capacity_units", ",access=\"write\"", "24.0"),
        ("retries", "", "2"),
        ("conflicts", "", "2"),
    ] {
        let line = format!("trestle_dynamodb_{metric}_total{{{labels}{more}}} {value}");
        assert!(page.lines().any(|found| found == line), "{line} in\n{page}");
    }
    assert!(
        !page
            .lines()
            .any(|line| line.contains("dynamodb") && line.contains("Cheap"))
    );
}

#[test]
fn invented_operation_names_do_not_grow_the_page() {
    let telemetry = Telemetry::default();
    telemetry.finished(&request(Some("First")));
    telemetry.finished(&request(Some(&"n".repeat(65))));
    for number in 0..1000 {
        telemetry.finished(&request(Some(&format!("Invented{number}"))));
    }
    telemetry.finished(&request(Some("First")));
    telemetry.finished(&request(Some("Invented0")));
    let page = telemetry.metrics().render();
    let rows = samples(&page, "trestle_graphql_requests_total");
    assert_eq!(rows.len(), 201, "200 names and `other`");
    let count = |name: &str| {
        let label = format!("operation=\"{name}\"");
        let row = rows.iter().find(|row| row.contains(&label)).expect("a row");
        row.rsplit(' ').next().expect("a count").to_owned()
    };
    assert_eq!(count("First"), "2");
    assert_eq!(count("Invented0"), "2");
    assert_eq!(count("other"), "802");
}

#[tokio::test]
async fn http_and_dynamodb_are_measured_where_they_happen() {
    let server = Server::start("--log off", &[]).await;
    server.get("/graphql?operationName=Board", &[]).await;
    server.get("/graphql?fail=INTERNAL_SERVER_ERROR", &[]).await;
    server.get("/applications/graphql", &[]).await;
    server.get("/no/such/page", &[]).await;
    server.get("/no/such/other/page", &[]).await;
    let (_, page) = server.get("/metrics", &[]).await;
    assert!(server.stop().await.success);

    let row = |route: &str, status: u16, count: u32| {
        format!(
            "trestle_http_requests_total{{method=\"GET\",route=\"{route}\",status=\"{status}\"}} {count}"
        )
    };
    let mut expected = [
        row("/graphql", 200, 1),
        row("/graphql", 500, 1),
        row("/{service}/graphql", 200, 1),
        row("none", 404, 2),
    ];
    expected.sort_unstable();
    assert_eq!(samples(&page, "trestle_http_requests_total"), expected);
    assert_eq!(
        samples(&page, "trestle_http_requests_in_flight"),
        ["trestle_http_requests_in_flight 1"],
        "this one"
    );
    for call in ["GetItem", "TransactWriteItems"] {
        let line = format!(
            "trestle_dynamodb_call_duration_seconds_count{{call=\"{call}\",\
             table=\"lambda_api_applications\"}} 3"
        );
        assert!(page.lines().any(|found| found == line), "{line} in\n{page}");
    }
    well_formed(&page);
}

/// The rules of Prometheus' naming guide, and of OpenMetrics for the page as a whole.
fn well_formed(page: &str) {
    assert!(page.ends_with("# EOF\n"), "{page}");
    let mut families = 0;
    for line in page.lines().filter(|line| line.starts_with("# TYPE ")) {
        let words: Vec<&str> = line.split(' ').collect();
        let (name, kind) = (words[2], words[3]);
        families += 1;
        assert!(name.starts_with("trestle_"), "{name}");
        assert!(
            name.chars().all(|c| c.is_ascii_lowercase() || c == '_'),
            "{name}"
        );
        match kind {
            "counter" => assert!(
                !samples(page, &format!("{name}_total")).is_empty(),
                "{name}"
            ),
            "histogram" => assert!(name.ends_with("_seconds"), "{name} has no unit"),
            "gauge" => assert!(!name.ends_with("_total"), "{name}"),
            "info" => assert_eq!(samples(page, &format!("{name}_info")).len(), 1, "{name}"),
            other => panic!("{name} is a {other}"),
        }
        let help = format!("# HELP {name} ");
        assert!(
            page.lines()
                .any(|line| line.starts_with(&help) && line.ends_with('.')),
            "{name}"
        );
    }
    assert_eq!(families, 12);
}
