//! The log, as it stands on the standard error stream.

use serde_json::json;

use crate::database::{Database, variables};
use crate::process::{Process, command, ended};
use crate::telemetry::{APPLY, BOARD, REFUSED};

#[tokio::test]
async fn a_request_is_one_line_of_json() {
    let server = Process::start(&[]).await;
    let id = [("x-request-id", "req-1")];
    server.post(&json!({ "query": BOARD }), &id).await;
    server.query(APPLY).await;
    server.query("{ __typename }").await;
    server.get("/livez").await;
    let ended = server.stop().await;
    let lines = ended.requests();
    assert_eq!(lines.len(), 3, "{}", ended.log);
    let mut line = lines[0].clone();
    let fields = line.as_object_mut().expect("an object");
    let at = fields.remove("timestamp").expect("a time");
    assert!(at.as_str().is_some_and(|at| at.ends_with('Z')));
    let duration = fields.remove("duration_ms").expect("a duration");
    assert!(duration.as_f64().is_some_and(|duration| duration > 0.0));
    let cost = fields.remove("cost").expect("a cost");
    assert!(cost.as_u64().is_some_and(|cost| cost > 0));
    let expected = json!({
        "level": "INFO",
        "message": "request",
        "request_id": "req-1",
        "service": "applications",
        "subject": "local",
        "operation": "Board",
        "operation_type": "query",
        "code": "OK",
        "status": 200,
        "calls": 1,
        "retries": 0,
        "conflicts": 0,
        "read_units": 0.5,
        "write_units": 0.0,
        "target": "trestle::request",
    });
    assert_eq!(line, expected);
    assert!(
        lines[1]["write_units"]
            .as_f64()
            .is_some_and(|units| units > 0.0)
    );
    assert!(lines[2].get("operation").is_none(), "{}", lines[2]);
    assert!(!ended.log.contains("SECRET"));
}

#[tokio::test]
async fn a_dependency_says_nothing_unless_something_is_wrong() {
    let database = Database::start().await;
    let server = Process::start_with(&[], &variables(&database.url())).await;
    server.query(BOARD).await;
    server.query(APPLY).await;
    let ended = server.stop().await;
    let ours = |line: &serde_json::Value| {
        line["target"]
            .as_str()
            .is_some_and(|target| target.starts_with("trestle::") || target.starts_with("trestle_"))
    };
    assert!(ended.lines().iter().all(ours), "{}", ended.log);
    assert_eq!(ended.requests().len(), 2);
    let mut output = ended.output.lines();
    assert!(
        output.all(|line| line.starts_with("  ")),
        "the log is not the output: {}",
        ended.output
    );
}

#[tokio::test]
async fn faults_of_ours_are_warnings() {
    let mut database = Database::start().await;
    let server = Process::start_with(&["--log", "warn"], &variables(&database.url())).await;
    server.query(BOARD).await;
    server.query(REFUSED).await;
    database.refuse().await;
    let answer = server.query(BOARD).await;
    let ended = server.stop().await;
    let lines = ended.requests();
    assert_eq!(lines.len(), 1, "{}", ended.log);
    assert_eq!(lines[0]["level"], "WARN");
    assert_eq!(lines[0]["code"], "SERVICE_UNAVAILABLE");
    // The cause, which the client does not learn, stands under the same id.
    let id = answer.header("x-request-id").expect("an id");
    let causes: Vec<_> = ended
        .lines()
        .into_iter()
        .filter(|line| line["request_id"] == id && line["cause"].is_string())
        .collect();
    assert_eq!(causes.len(), 1, "{}", ended.log);
    assert!(!answer.text.contains(&database.address.to_string()));
}

#[tokio::test]
async fn the_filter_comes_from_the_flag_else_the_variables() {
    for (flags, variables, shown) in [
        (&[][..], vec![], true),
        (&[], vec![("RUST_LOG", "off")], false),
        (&[], vec![("TRESTLE_LOG", "off")], false),
        (&[], vec![("TRESTLE_LOG", "")], true),
        (
            &[],
            vec![("TRESTLE_LOG", "info"), ("RUST_LOG", "off")],
            true,
        ),
        (&["--log", "info"], vec![("TRESTLE_LOG", "off")], true),
        (&["--log", "off,trestle::request=info"], vec![], true),
        (&["--log", "info,trestle::request=off"], vec![], false),
    ] {
        let arguments = [&["--memory", "--drain-grace", "0s"], flags].concat();
        let server = Process::start_with(&arguments, &variables).await;
        server.query(BOARD).await;
        let ended = server.stop().await;
        assert_eq!(
            ended.requests().len() == 1,
            shown,
            "{flags:?} {variables:?}: {}",
            ended.log
        );
    }
}

#[tokio::test]
async fn text_is_for_people() {
    let flags = ["--log-format", "text", "--log", "trestle::request=info"];
    let server = Process::start(&flags).await;
    server.query(BOARD).await;
    let log = server.stop().await.log;
    assert_eq!(log.lines().count(), 1, "{log}");
    assert!(log.contains("INFO"), "{log}");
    assert!(log.contains("request"), "{log}");
    assert!(log.contains("Board"), "{log}");
    assert!(!log.contains('{') && !log.contains('\u{1b}'), "{log}");
}

#[tokio::test]
async fn a_filter_that_is_none_is_refused_with_a_sentence() {
    let ended = ended(command(&["serve", "--memory", "--log", "trestle=loud"])).await;
    assert!(!ended.success);
    assert!(ended.log.contains("trestle=loud"), "{}", ended.log);
    assert!(ended.log.contains("Try"), "{}", ended.log);
}
