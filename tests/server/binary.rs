//! `trestle serve` itself: how it starts, what it is without its database, and how it stops.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::database::{Database, variables};
use crate::process::{Process, command, ended};

const APPLY: &str = "mutation Apply($name: String!) { createApplication(input: { \
    companyName: $name, positionTitle: \"t\", status: APPLIED }) { \
    application { companyName } userErrors { message } } }";
const COUNT: &str = "{ applications { totalCount } }";

#[tokio::test]
async fn it_says_where_everything_is_and_how_to_stop() {
    let server = Process::start(&["--log", "off"]).await;
    let port = reqwest::Url::parse(&server.url)
        .expect("a URL")
        .port()
        .expect("the port that it found");
    assert_eq!(server.url, format!("http://127.0.0.1:{port}/graphql"));
    assert_eq!(server.query(COUNT).await.status, 200);
    let server_url = server.url.clone();
    let ended = server.stop().await;
    assert!(ended.success);
    assert_eq!(ended.log, "");
    let lines: Vec<_> = ended.output.lines().collect();
    let [.., pages, playground, data, stop] = &lines[..] else {
        panic!("{lines:?}");
    };
    assert!(
        pages.ends_with(&format!("http://127.0.0.1:{port}/board/"))
            || pages.starts_with("  this build has no pages"),
        "{pages}"
    );
    assert!(playground.contains(&server_url), "{playground}");
    assert_eq!(
        [*data, *stop],
        [
            "  the data is in memory, and lost when the server stops",
            "  stop with Ctrl+C"
        ]
    );
}

#[tokio::test]
async fn a_demo_has_a_season_of_applications_with_a_past() {
    let server = Process::start_with(&["--demo"], &[]).await;
    let answer = server
        .query(
            "{ applications(first: 100) { totalCount edges { node { status createdAt updatedAt \
             history { edges { node { createdAt } } } interviewStages { isCompleted scheduledAt } } } } }",
        )
        .await;
    let body: serde_json::Value = serde_json::from_str(&answer.text).unwrap();
    let list = &body["data"]["applications"];
    let all = list["edges"].as_array().unwrap_or_else(|| panic!("{body}"));
    assert!(all.len() > 40, "{}", all.len());
    let now = chrono::Utc::now();
    let mut oldest = now;
    for edge in all {
        for entry in edge["node"]["history"]["edges"].as_array().unwrap() {
            let at: chrono::DateTime<chrono::Utc> = entry["node"]["createdAt"]
                .as_str()
                .unwrap()
                .parse()
                .unwrap();
            assert!(at <= now, "{edge}");
            oldest = oldest.min(at);
        }
    }
    assert!(now - oldest > chrono::TimeDelta::days(60), "{oldest}");
    for status in [
        "UNSUBMITTED",
        "APPLIED",
        "INTERVIEWING",
        "GIVEN_OFFER",
        "REJECTED",
    ] {
        let is_there = all.iter().any(|edge| edge["node"]["status"] == status);
        assert!(is_there, "{status}");
    }
}

#[tokio::test]
async fn a_demo_is_of_nobody_and_in_no_store() {
    let folder = tempfile::tempdir().unwrap();
    let keys = folder.path().join("keys");
    let key = ended(command(&["api-key", "someone"])).await;
    std::fs::write(&keys, key.output).unwrap();
    let keys = keys.to_str().unwrap();
    for (flags, says) in [
        (
            &["--api-keys", keys][..],
            "leave out the settings of authentication",
        ),
        (&["--aws"], "cannot be used with"),
        (&["--data", keys], "cannot be used with"),
        (&["--artifacts", "files"], "leave out --artifacts"),
    ] {
        let mut command = command(&["serve", "--demo", "--listen", "127.0.0.1:0"]);
        command.args(flags);
        let ended = ended(command).await;
        assert!(!ended.success, "{flags:?}");
        assert!(ended.log.contains(says), "{flags:?}: {}", ended.log);
    }
}

#[tokio::test]
async fn what_would_be_unsafe_or_useless_is_refused_with_a_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let data = data.to_str().expect("a path");
    let taken = Process::start(&[]).await;
    let taken = taken.url.split('/').nth(2).expect("an address");
    for (arguments, variables, says) in [
        (&["--listen", "0.0.0.0:0"][..], vec![], "--insecure"),
        (&[], vec![("TRESTLE_LISTEN", "0.0.0.0:0")], "--insecure"),
        (&["--api-keys", "/no/such/file"], vec![], "/no/such/file"),
        (
            &["--only-trusted-documents", "--no-pages"],
            vec![],
            "--trusted-documents FILE",
        ),
        (&[], vec![("TRESTLE_SERVICE", "nothing")], "applications"),
        (&["--service", "applications,applications"], vec![], "twice"),
        (&["--listen", taken, "--memory"], vec![], "--listen"),
        (&["--data", data, "--memory"], vec![], "--data"),
        (&["--data", data], vec![("TRESTLE_MEMORY", "1")], "--memory"),
        (&[], vec![("TRESTLE_MEMORY", "1")], "TRESTLE_MEMORY"),
        (&["--public-url", "ftp://x"], vec![], "--public-url"),
        (&["--public-url", "x"], vec![], "https://api.example.com"),
        (&["--graph-runs-max-upload", "0"], vec![], "1 or more"),
        (&["--graph-runs-max-graph", "0"], vec![], "1 or more"),
        (
            &["--graph-runs-stuck-after", "0s"],
            vec![],
            "greater than 0",
        ),
        (&["--graph-runs-stuck-after", "soon"], vec![], "like 10s"),
    ] {
        let mut command = command(&["serve"]);
        command.envs([("TRESTLE_DATA", data), ("TRESTLE_LISTEN", "127.0.0.1:0")]);
        command.args(arguments).envs(variables);
        let ended = ended(command).await;
        assert!(!ended.success, "{arguments:?}");
        assert!(ended.log.contains(says), "{arguments:?}: {}", ended.log);
        assert_eq!(ended.output, "", "{arguments:?}");
    }
}

#[tokio::test]
async fn a_switch_is_on_or_off_and_anything_else_is_refused_with_its_name() {
    // It ends in any case: the flag needs documents that are not there.
    let serve = &["serve", "--only-trusted-documents", "--no-pages"][..];
    for (arguments, name) in [
        (serve, "TRESTLE_MEMORY"),
        (serve, "TRESTLE_AWS"),
        (serve, "TRESTLE_INSECURE"),
        (&["serve"], "TRESTLE_NO_PAGES"),
        (serve, "TRESTLE_DEMO"),
        (serve, "TRESTLE_EXPOSE_COST"),
        (&["serve", "--no-pages"], "TRESTLE_ONLY_TRUSTED_DOCUMENTS"),
        (&["export"], "TRESTLE_MEMORY"),
    ] {
        for value in ["none", "disabled", "maybe"] {
            let mut command = command(arguments);
            command.env(name, value);
            let ended = ended(command).await;
            assert!(!ended.success, "{name}={value}");
            let says = format!("{name} is \"{value}\"");
            assert!(ended.log.contains(&says), "{name}={value}: {}", ended.log);
        }
    }
    for (value, says) in [
        ("true", "--trusted-documents FILE"),
        ("1", "--trusted-documents FILE"),
        ("YES", "--trusted-documents FILE"),
        ("on", "--trusted-documents FILE"),
        ("false", "--insecure"),
        ("0", "--insecure"),
        ("No", "--insecure"),
        ("off", "--insecure"),
        ("", "--insecure"),
    ] {
        let mut command = command(serve);
        command.args(["--listen", "0.0.0.0:0"]);
        command.env("TRESTLE_INSECURE", value);
        let ended = ended(command).await;
        assert!(ended.log.contains(says), "{value}: {}", ended.log);
    }
}

#[tokio::test]
async fn a_health_check_finds_the_server_by_name() {
    let server = Process::start(&[]).await;
    let port = server.url.split([':', '/']).nth(4).expect("a port");
    let named = format!("localhost:{port}");
    let asked = ended(command(&["health", "--listen", &named])).await;
    assert!(asked.success, "{}", asked.log);
    for wrong in [port, &format!(":{port}")] {
        let asked = ended(command(&["health", "--listen", wrong])).await;
        assert!(asked.log.contains("like 127.0.0.1:8000"), "{}", asked.log);
    }
}

#[tokio::test]
async fn nothing_is_made_before_the_settings_are_known_to_be_safe() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let mut command = command(&["serve", "--listen", "0.0.0.0:0", "--data"]);
    command.arg(&data);
    assert!(!ended(command).await.success);
    assert!(!data.exists());
}

#[tokio::test]
async fn a_table_is_checked_in_dynamodb_and_never_made_unasked() {
    let database = Database::empty().await;
    let url = database.url();
    let mut serve = command(&["serve", "--listen", "127.0.0.1:0"]);
    serve.envs(variables(&url));
    let refused = ended(serve).await;
    assert!(!refused.success);
    let says = "There is no table lambda_api_applications. `trestle table create` makes it.";
    assert!(refused.log.contains(says), "{}", refused.log);
}

#[tokio::test]
async fn a_database_that_does_not_answer_at_the_start_is_said_with_what_to_check() {
    let mut database = Database::empty().await;
    database.refuse().await;
    let url = database.url();
    let mut serve = command(&["serve", "--listen", "127.0.0.1:0"]);
    serve.envs(variables(&url));
    let refused = ended(serve).await;
    assert!(!refused.success);
    assert!(refused.log.contains("Check the region"), "{}", refused.log);
}

#[tokio::test]
async fn too_many_requests_are_told_when_to_come_back() {
    let server = Process::start(&["--requests-per-minute", "2"]).await;
    for _ in 0..2 {
        assert_eq!(server.query(COUNT).await.status, 200);
    }
    let answer = server.query(COUNT).await;
    assert_eq!(answer.status, 429);
    assert_eq!(answer.code().as_deref(), Some("RATE_LIMITED"));
    let wait = answer.header("retry-after").expect("a time");
    let told = &answer.body()["errors"][0]["extensions"]["retryAfter"];
    assert_eq!(told.to_string(), wait);
}

#[tokio::test]
async fn a_database_that_goes_away_is_said_and_one_that_comes_back_is_used() {
    let mut database = Database::start().await;
    let url = database.url();
    let server = Process::start_with(&[], &variables(&url)).await;
    let apply = json!({ "query": APPLY, "variables": { "name": "Before" } });
    assert_eq!(server.post(&apply, &[]).await.code(), None);
    assert_eq!(server.get("/readyz").await.status, 200);

    for hangs in [false, true] {
        if hangs {
            database.hang().await
        } else {
            database.refuse().await;
            // A write on a connection that the server takes for open may have arrived.
            while server.get("/readyz").await.status != 503 {}
        }
        let count = json!({ "query": COUNT });
        let (read, write) = tokio::join!(server.post(&count, &[]), server.post(&apply, &[]));
        assert_eq!(read.code().as_deref(), Some("SERVICE_UNAVAILABLE"));
        assert_eq!(read.body()["errors"][0]["extensions"]["retryAfter"], 1);
        // A write that may have arrived must not be repeated without reading first.
        let code = write.code();
        if hangs {
            assert_eq!(code.as_deref(), Some("OUTCOME_UNKNOWN"))
        } else {
            assert_eq!(code.as_deref(), Some("SERVICE_UNAVAILABLE"))
        }
        for answer in [read, write] {
            assert!(!answer.text.contains("127.0.0.1"), "{}", answer.text);
        }
        // What was found out is remembered for a second.
        while server.get("/readyz").await.status != 503 {}
        assert_eq!(
            server.get("/livez").await.status,
            200,
            "no reason to end it"
        );
        database.come_back().await;
        while server.get("/readyz").await.status != 200 {}
        let answer = server.query(COUNT).await;
        assert_eq!(answer.body()["data"]["applications"]["totalCount"], 1);
    }
}

/// Applies under new names until no connection is taken any more. Answers the names that were answered.
async fn apply_on(server: Arc<Process>, client: usize, answered: Arc<Answered>) -> Vec<String> {
    let mut names = Vec::new();
    loop {
        let name = format!("{client}-{}", names.len());
        let apply = json!({ "query": APPLY, "variables": { "name": name } });
        match server.client.post(&server.url).json(&apply).send().await {
            Ok(response) => {
                let answer: Value = response.json().await.expect("a whole answer");
                let created = &answer["data"]["createApplication"]["application"];
                assert_eq!(created["companyName"], *name, "{answer}");
                names.push(name);
                answered.count.fetch_add(1, SeqCst);
                answered.changed.notify_one();
            }
            Err(error) => {
                assert!(error.is_connect(), "a request was dropped: {error:?}");
                return names;
            }
        }
    }
}

#[derive(Default)]
struct Answered {
    count: AtomicUsize,
    changed: Notify,
}

#[tokio::test]
async fn being_stopped_under_load_loses_no_write_and_drops_no_request() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = ["--data", folder.path().to_str().expect("a path")];
    let server = Arc::new(Process::start_with(&data, &[]).await);
    let answered = Arc::new(Answered::default());
    let clients: Vec<_> = (0..8)
        .map(|client| tokio::spawn(apply_on(server.clone(), client, answered.clone())))
        .collect();
    while answered.count.load(SeqCst) < 40 {
        answered.changed.notified().await;
    }
    server.terminate();
    let mut names = BTreeSet::new();
    for client in clients {
        names.extend(client.await.expect("no panic"));
    }
    let server = Arc::into_inner(server).expect("nobody else has it");
    let ended = server.ended().await;
    assert!(ended.success, "{}", ended.log);
    assert!(
        ended.log.contains("every request was answered"),
        "{}",
        ended.log
    );

    let server = Process::start_with(&data, &[]).await;
    assert_eq!(stored(&server).await, names);
}

/// The companies of all applications.
async fn stored(server: &Process) -> BTreeSet<String> {
    let page = "query Page($after: String) { applications(first: 100, after: $after) {
        edges { node { companyName } } pageInfo { hasNextPage endCursor } } }";
    let mut names = BTreeSet::new();
    let mut after = Value::Null;
    loop {
        let body = json!({ "query": page, "variables": { "after": after } });
        let mut answer = server.post(&body, &[]).await.body();
        let list = &mut answer["data"]["applications"];
        for edge in list["edges"].as_array().expect("edges") {
            names.insert(
                edge["node"]["companyName"]
                    .as_str()
                    .expect("a name")
                    .to_owned(),
            );
        }
        if list["pageInfo"]["hasNextPage"] != true {
            return names;
        }
        after = list["pageInfo"]["endCursor"].take();
    }
}

#[tokio::test]
async fn a_misspelt_setting_is_refused_with_the_nearest_name() {
    let mut command = command(&["serve", "--memory", "--listen", "127.0.0.1:0"]);
    command.env("TRESTLE_API_KEY", "keys");
    let ended = ended(command).await;
    assert!(!ended.success);
    assert!(
        ended.log.contains("Did you mean TRESTLE_API_KEYS?"),
        "{}",
        ended.log
    );
}

#[tokio::test]
async fn what_prints_a_text_ends_well_when_nobody_reads_it() {
    for arguments in [&["table", "template"][..], &["schema"], &["iam-policy"]] {
        let mut child = command(arguments).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().await.unwrap();
        let log = String::from_utf8(output.stderr).unwrap();
        assert!(
            output.status.success() && log.is_empty(),
            "{arguments:?}: {log}"
        );
    }
}
