//! Metrics, as Prometheus scrapes them.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::time::Duration;

use serde_json::json;
use trestle_api::Code;
use trestle_server::telemetry::Telemetry;
use trestle_server::{Lookup, Observer, OperationType, RequestRecord};
use trestle_table::Spent;

use crate::process::{Answer, Process};
use crate::telemetry::{APPLY, BOARD, REFUSED};

fn request(name: Option<&str>) -> RequestRecord {
    RequestRecord {
        request_id: "r".to_owned(),
        service: "applications",
        operation_name: name.map(str::to_owned),
        operation_kind: Some(OperationType::Query),
        is_known: true,
        subject: None,
        cost: None,
        status: 200,
        code: None,
        document: None,
        user_errors: Vec::new(),
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
fn names_of_strangers_have_no_label_and_use_up_none() {
    let telemetry = Telemetry::default();
    for number in 0..250 {
        telemetry.finished(&RequestRecord {
            is_known: false,
            ..request(Some(&format!("Stranger{number}")))
        });
    }
    telemetry.finished(&request(Some("Known")));
    let other = RequestRecord {
        service: "shareables",
        ..request(Some("Elsewhere"))
    };
    telemetry.finished(&other);
    let metrics = telemetry.metrics().render();
    assert!(!metrics.contains("Stranger"), "{metrics}");
    for name in ["other", "Known", "Elsewhere"] {
        assert!(
            metrics.contains(&format!("operation=\"{name}\"")),
            "{name}: {metrics}"
        );
    }
}

#[test]
fn requests_are_counted_by_operation_and_code() {
    let telemetry = Telemetry::default();
    let failed = |code| RequestRecord {
        code: Some(code),
        ..request(Some("Board"))
    };
    telemetry.finished(&request(Some("Board")));
    telemetry.finished(&request(Some("Board")));
    telemetry.finished(&request(None));
    telemetry.finished(&failed(Code::RateLimited));
    telemetry.finished(&RequestRecord {
        status: 499,
        ..request(Some("Board"))
    });
    let unread = RequestRecord {
        operation_kind: None,
        code: Some(Code::Unauthenticated),
        ..request(None)
    };
    telemetry.finished(&unread);
    telemetry.finished(&RequestRecord {
        operation_kind: Some(OperationType::Mutation),
        document: Some(Lookup::Miss),
        ..request(Some("Add"))
    });
    telemetry.finished(&RequestRecord {
        document: Some(Lookup::Hit),
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
        row("applications", "none", "none", "UNAUTHENTICATED", 1),
    ];
    expected.sort_unstable();
    assert_eq!(samples(&page, "trestle_graphql_requests_total"), expected);
    assert_eq!(
        samples(&page, "trestle_graphql_request_duration_seconds_count"),
        [
            "trestle_graphql_request_duration_seconds_count{service=\"applications\",operation=\"Add\"} 1",
            "trestle_graphql_request_duration_seconds_count{service=\"applications\",operation=\"Board\"} 5",
            "trestle_graphql_request_duration_seconds_count{service=\"applications\",operation=\"anonymous\"} 1",
            "trestle_graphql_request_duration_seconds_count{service=\"applications\",operation=\"none\"} 1",
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
    telemetry.finished(&RequestRecord {
        spent,
        ..request(Some("Board"))
    });
    telemetry.finished(&RequestRecord {
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
async fn what_happens_is_measured_where_it_happens() {
    let server = Process::start(&[]).await;
    server.query(BOARD).await;
    server.query(APPLY).await;
    let strict = [("accept", "application/graphql-response+json")];
    let refused = serde_json::json!({ "query": REFUSED });
    server.post(&refused, &strict).await;
    server.get("/applications/graphql").await;
    server.get("/no/such/page").await;
    server.get("/no/such/other/page").await;
    let page = page(
        &server,
        "application/openmetrics-text;version=1.0.0,text/plain;q=0.5",
    )
    .await;
    assert_eq!(
        page.header("content-type"),
        Some("application/openmetrics-text; version=1.0.0; charset=utf-8")
    );
    let page = page.text;
    let row = |method: &str, route: &str, status: u16, count: u32| {
        format!(
            "trestle_http_requests_total{{method=\"{method}\",route=\"{route}\",\
             status=\"{status}\"}} {count}"
        )
    };
    let mut expected = [
        row("POST", "/graphql", 200, 2),
        row("POST", "/graphql", 400, 1),
        row("GET", "/applications/graphql", 400, 1),
        row("GET", "none", 404, 2),
    ];
    expected.sort_unstable();
    assert_eq!(samples(&page, "trestle_http_requests_total"), expected);
    assert_eq!(
        samples(&page, "trestle_http_requests_in_flight"),
        ["trestle_http_requests_in_flight 1"],
        "this one"
    );
    let calls = "trestle_dynamodb_call_duration_seconds_count";
    // The first write looks whether the table is empty: in the 16 partitions of GSI1 and the one of GSI2.
    for (call, count) in [("Query", 1 + 17), ("TransactWriteItems", 2)] {
        let line = format!("{calls}{{call=\"{call}\",table=\"lambda_api_applications\"}} {count}");
        assert!(page.lines().any(|found| found == line), "{line} in\n{page}");
    }
    let names = "operation=\"Apply\",operation_type=\"mutation\",code=\"OK\"";
    let line = format!("trestle_graphql_requests_total{{service=\"applications\",{names}}} 1");
    assert!(page.lines().any(|found| found == line), "{line} in\n{page}");
    well_formed(&page);
}

/// `/metrics` for a client with this `Accept`.
async fn page(server: &Process, accept: &str) -> Answer {
    let request = server.client.get(server.at("/metrics"));
    Answer::read(request.header("accept", accept)).await
}

/// The family that a sample belongs to in the text format, by its name and the types of the families.
fn family<'n>(name: &'n str, types: &BTreeMap<&str, &str>) -> &'n str {
    let parts = ["_bucket", "_sum", "_count"];
    let stem = parts.iter().find_map(|part| name.strip_suffix(part));
    stem.filter(|stem| types.get(stem) == Some(&"histogram"))
        .unwrap_or(name)
}

#[tokio::test]
async fn both_formats_have_the_same_samples_and_describe_each() {
    let server = Process::start(&[]).await;
    server.query(BOARD).await;
    server.query(APPLY).await;
    server.query(GONE).await;
    let names = |page: &str| {
        let samples = page.lines().filter(|line| !line.starts_with('#'));
        let names = samples.map(|line| line.split(['{', ' ']).next().expect("a name").to_owned());
        names.collect::<BTreeSet<_>>()
    };
    let open = page(&server, "application/openmetrics-text").await.text;
    for accept in [
        "*/*",
        "text/plain",
        "text/plain;version=0.0.4",
        "application/openmetrics-text;q=0, */*",
    ] {
        let plain = page(&server, accept).await;
        let content_type = plain.header("content-type");
        assert_eq!(
            content_type,
            Some("text/plain; version=0.0.4; charset=utf-8"),
            "{accept}"
        );
        let plain = plain.text;
        assert_eq!(names(&plain), names(&open));
        let described = plain
            .lines()
            .filter_map(|line| line.strip_prefix("# TYPE "));
        let types: BTreeMap<_, _> = described.filter_map(|line| line.split_once(' ')).collect();
        for (name, kind) in &types {
            assert!(
                ["counter", "gauge", "histogram"].contains(kind),
                "{name} {kind}"
            );
            assert!(plain.contains(&format!("# HELP {name} ")), "{name}");
            assert_eq!(name.ends_with("_total"), *kind == "counter", "{name}");
        }
        for name in names(&plain) {
            assert!(types.contains_key(family(&name, &types)), "{name}");
        }
        accepted_by_promtool(&plain);
    }
}

/// Prometheus' own check, where it is installed.
fn accepted_by_promtool(page: &str) {
    let mut check = std::process::Command::new("promtool");
    check
        .args(["check", "metrics"])
        .stdin(std::process::Stdio::piped());
    check
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let Ok(mut check) = check.spawn() else {
        return;
    };
    check
        .stdin
        .take()
        .expect("a pipe")
        .write_all(page.as_bytes())
        .expect("it reads");
    let checked = check.wait_with_output().expect("an end");
    let report = [checked.stdout, checked.stderr].concat();
    assert!(
        checked.status.success() && report.is_empty(),
        "{}",
        String::from_utf8_lossy(&report)
    );
}

/// The rules of Prometheus' naming guide, and of OpenMetrics for the page as a whole.
fn well_formed(page: &str) {
    assert!(page.ends_with("# EOF\n"), "{page}");
    let mut families = 0;
    for line in page.lines().filter(|line| line.starts_with("# TYPE ")) {
        let words: Vec<&str> = line.split(' ').collect();
        let (name, kind) = (words[2], words[3]);
        families += 1;
        // Figures of the process have the names that Prometheus' own libraries give them.
        let is_named = name.starts_with("trestle_") || name.starts_with("process_");
        assert!(is_named, "{name}");
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
    assert_eq!(families, 23);
}

/// A mutation whose answer has a user error.
const GONE: &str =
    "mutation { deleteApplication(input: { id: \"00000000-0000-4000-8000-000000000000\" }) {
    userErrors { code } } }";

/// The names of metrics in a text, without what the library and PromQL append.
fn metrics_in(text: &str) -> BTreeSet<String> {
    let words = text.split(|char: char| !char.is_ascii_alphanumeric() && char != '_');
    let names = words.filter(|word| word.starts_with("trestle_") || word.starts_with("process_"));
    let stems = names.map(|name| {
        let ends = ["_total", "_bucket", "_sum", "_count", "_info"];
        let stem = ends.iter().find_map(|end| name.strip_suffix(end));
        stem.unwrap_or(name).to_owned()
    });
    stems.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_dashboard_and_the_alerts_name_metrics_that_exist() {
    let folder = tempfile::tempdir().expect("a folder");
    let [data, backups] = ["data", "backups"].map(|name| folder.path().join(name));
    let data = ["--data", data.to_str().expect("a path")];
    let backups = [
        "--backup-every",
        "1h",
        "--backup-to",
        backups.to_str().expect("a path"),
    ];
    let process = Process::start_with(&[&data[..], &backups].concat(), &[]).await;
    process
        .post(
            &json!({ "query": APPLY, "variables": { "name": "Metrics" } }),
            &[],
        )
        .await;
    process.query(GONE).await;
    let page = page(&process, "application/openmetrics-text").await.text;
    let described = page.lines().filter(|line| line.starts_with("# TYPE "));
    let exist = metrics_in(&described.collect::<Vec<_>>().join("\n"));
    for metric in [
        "trestle_requests_queued",
        "trestle_subscriptions",
        "trestle_jwks_failures",
    ] {
        assert!(exist.contains(metric), "{metric}: {page}");
    }
    if cfg!(target_os = "linux") {
        assert!(exist.contains("process_resident_memory_bytes"), "{page}");
    }
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy");
    for file in ["grafana/trestle.json", "prometheus/alerts.yaml"] {
        let text = std::fs::read_to_string(folder.join(file)).expect("the file");
        let named = metrics_in(&text);
        assert!(named.len() > 5, "{file}: {named:?}");
        let missing: Vec<_> = named.difference(&exist).collect();
        assert!(missing.is_empty(), "{file}: {missing:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_makes_backups_reports_the_last_one_and_the_free_disk() {
    let folder = tempfile::tempdir().expect("a folder");
    let [data, backups] = ["data", "backups"].map(|name| folder.path().join(name));
    let arguments = [
        "--data",
        data.to_str().expect("a path"),
        "--backup-every",
        "1h",
        "--backup-to",
        backups.to_str().expect("a path"),
    ];
    let last = async |process: &Process| loop {
        let page = process.get("/metrics").await.text;
        assert_eq!(value(&page, "trestle_ready"), Some(1.0));
        let free = value(&page, "trestle_store_free_bytes{store=\"embedded\"}");
        assert!(free.is_some_and(|free| free > 0.0), "{page}");
        let log = value(&page, "trestle_store_log_bytes{store=\"embedded\"}");
        assert!(log.is_some_and(|log| log > 0.0), "{page}");
        let last = value(
            &page,
            "trestle_last_backup_timestamp_seconds{store=\"embedded\"}",
        );
        let last = last.expect("a sample");
        if last > 0.0 {
            return last;
        }
    };
    let process = Process::start_with(&arguments, &[]).await;
    let made = last(&process).await;
    process.stop().await;
    let again = Process::start_with(&arguments, &[]).await;
    assert_eq!(last(&again).await, made, "the backup of the former process");
    let without = Process::start(&[]).await.get("/metrics").await.text;
    assert!(!without.contains("store=\"embedded\""), "{without}");
}

fn value(page: &str, sample: &str) -> Option<f64> {
    let mut lines = page.lines();
    let value = lines.find_map(|line| line.strip_prefix(sample)?.strip_prefix(' '));
    value.and_then(|value| value.parse().ok())
}

#[tokio::test(flavor = "multi_thread")]
async fn user_errors_are_counted_by_code() {
    let process = Process::start(&[]).await;
    process.query(GONE).await;
    let page = process.get("/metrics").await.text;
    let rows = samples(&page, "trestle_graphql_user_errors_total");
    assert_eq!(
        rows,
        ["trestle_graphql_user_errors_total{service=\"applications\",code=\"NOT_FOUND\"} 1"]
    );
}
