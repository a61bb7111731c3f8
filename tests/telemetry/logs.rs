//! The log, as it stands on the standard error stream.

use crate::server::{Server, refused};

#[tokio::test]
async fn a_request_is_one_line_of_json() {
    let server = Server::start("", &[]).await;
    server
        .get("/graphql?operationName=Board&variables=SECRET", &[])
        .await;
    server.get("/graphql", &[]).await;
    server.get("/livez", &[]).await;
    let remains = server.stop().await;
    let lines = remains.lines();
    assert_eq!(lines.len(), 2, "{}", remains.log);
    let mut line = lines[0].clone();
    let fields = line.as_object_mut().expect("an object");
    assert!(
        fields
            .remove("timestamp")
            .is_some_and(|at| at.as_str().is_some_and(|at| at.ends_with('Z')))
    );
    let expected = serde_json::json!({
        "level": "INFO",
        "message": "request",
        "request_id": "req-1",
        "service": "applications",
        "subject": "ada",
        "cost": 7,
        "operation": "Board",
        "operation_type": "query",
        "code": "OK",
        "status": 200,
        "calls": 2,
        "retries": 0,
        "conflicts": 1,
        "read_units": 0.5,
        "write_units": 4.0,
        "duration_ms": 12.345,
        "target": "trestle::request",
    });
    assert_eq!(line, expected);
    assert!(lines[1].get("operation").is_none(), "{}", lines[1]);
    assert!(!remains.log.contains("SECRET"));
}

#[tokio::test]
async fn faults_of_ours_are_warnings() {
    let server = Server::start("--log warn", &[]).await;
    server.get("/graphql", &[]).await;
    server.get("/graphql?fail=FORBIDDEN", &[]).await;
    server.get("/graphql?fail=INTERNAL_SERVER_ERROR", &[]).await;
    let remains = server.stop().await;
    let lines = remains.lines();
    assert_eq!(lines.len(), 1, "{}", remains.log);
    assert_eq!(lines[0]["level"], "WARN");
    assert_eq!(lines[0]["code"], "INTERNAL_SERVER_ERROR");
    assert_eq!(lines[0]["status"], 500);
}

#[tokio::test]
async fn the_filter_comes_from_the_flag_else_the_variables() {
    for (flags, environment, shown) in [
        ("", vec![], true),
        ("", vec![("RUST_LOG", "off")], false),
        ("", vec![("TRESTLE_LOG", "off")], false),
        ("", vec![("TRESTLE_LOG", "")], true),
        ("", vec![("TRESTLE_LOG", "info"), ("RUST_LOG", "off")], true),
        ("--log info", vec![("TRESTLE_LOG", "off")], true),
        ("--log off,trestle::request=info", vec![], true),
        ("--log info,trestle::request=off", vec![], false),
    ] {
        let server = Server::start(flags, &environment).await;
        server.get("/graphql", &[]).await;
        let remains = server.stop().await;
        assert_eq!(
            !remains.log.is_empty(),
            shown,
            "{flags} {environment:?}: {}",
            remains.log
        );
    }
}

#[tokio::test]
async fn text_is_for_people() {
    let server = Server::start("--log-format text", &[]).await;
    server.get("/graphql?operationName=Board", &[]).await;
    let log = server.stop().await.log;
    assert_eq!(log.lines().count(), 1, "{log}");
    assert!(log.contains("INFO"), "{log}");
    assert!(log.contains("request"), "{log}");
    assert!(log.contains("Board"), "{log}");
    assert!(!log.contains('{'), "{log}");
}

#[tokio::test]
async fn a_filter_that_is_none_is_refused_with_a_sentence() {
    let remains = refused("--log trestle=loud", &[]).await;
    assert!(!remains.success);
    assert!(remains.log.contains("trestle=loud"), "{}", remains.log);
    assert!(remains.log.contains("Try"), "{}", remains.log);
}
