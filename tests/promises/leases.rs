//! Leases of servers and workers whose clocks differ: whoever lives keeps what it has, and whoever is gone loses it after
//! the lease's length, whatever the clocks say.

use std::path::{Path, PathBuf};
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue::S;
use chrono::{SecondsFormat, TimeDelta};
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, join_all};
use serde_json::{Value, json};
use trestle_service::{Failure, ServiceContext, Streams};
use trestle_table::{StreamReader, Table, Tables};
use trestle_testing::hosted::{TestClock, TestServer};

use crate::promises::apart::{Server, library};
use crate::promises::ask::start;
use crate::promises::clocks::{APART, DAY, two, uploaded};

const WORKER: &str = "pipeline write graph-runs-worker";
/// A bound on what a test waits for, so that one that fails ends.
const PATIENCE: Duration = Duration::from_secs(120);

/// The codes of the errors with which `startRun` refuses a worker, and the run's attempt.
async fn started(server: &TestServer, id: &str, worker: &str) -> (Vec<Value>, Value) {
    let document = "mutation($input: StartRunInput!) { startRun(input: $input) { run { attempt } userErrors { code } } }";
    let input = json!({ "input": { "runId": id, "workerId": worker } });
    let payload = server.data(WORKER, document, input).await["startRun"].clone();
    let errors = payload["userErrors"].as_array().unwrap().iter();
    let codes = errors.map(|error| error["code"].clone()).collect();
    (codes, payload["run"]["attempt"].clone())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_elsewhere_keeps_its_run_whatever_the_clock_of_another_server_says() {
    const STUCK_AFTER: i64 = 900;
    for ahead in APART {
        let options = ["--graph-runs-pipeline=external"];
        let servers = two(&trestle_graph_runs::SERVICE, ahead, &options).await;
        let id = uploaded(&servers[0]).await;
        let (none, refused) = (Vec::<Value>::new(), vec![json!("CONFLICT")]);
        assert_eq!(started(&servers[0], &id, "one").await.0, none);
        let list = "{ workList { edges { node { isFree } } } }";
        let mut attempt = 1;
        for (server, worker) in [(&servers[1], "two"), (&servers[0], "three")] {
            let seen = server.data(WORKER, list, Value::Null).await;
            let free = &seen["workList"]["edges"][0]["node"]["isFree"];
            assert_eq!(free, false, "{ahead}: {worker}");
            let early = started(server, &id, worker).await.0;
            assert_eq!(early, refused, "{ahead}: {worker}");
            server.clock.advance(STUCK_AFTER - 1);
            let early = started(server, &id, worker).await.0;
            assert_eq!(early, refused, "{ahead}: {worker}");
            server.clock.advance(1);
            attempt += 1;
            let taken = started(server, &id, worker).await;
            assert_eq!(taken, (vec![], json!(attempt)), "{ahead}: {worker}");
        }
    }
}

/// A program that analyzes a file as soon as there is a file in the folder that has the name in the first line. It ends with
/// the server that started it.
fn waiting_worker(folder: &Path) -> PathBuf {
    let program = folder.join("worker");
    let graph = r#"{"edges":[],"nodes":[]}"#;
    let script = format!(
        "#!/bin/sh\nread -r name\nwhile [ ! -e {}/$name ] && kill -0 $PPID; do sleep 0.1; done\n\
         printf 'made {} 2\\n%s{{}}' '{graph}'\n",
        folder.display(),
        graph.len()
    );
    std::fs::write(&program, script).unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&program, executable).unwrap();
    program
}

/// Starts a run whose worker waits for a file with this name, and waits until the server has it.
async fn held(server: &Server, name: &str) -> String {
    let input = json!({ "environment": "DEV", "iacFormat": "HCL" });
    let selection = "run { runId } upload { url headers { name value } }";
    let made = server
        .make("graph-runs", "createRun", input, selection)
        .await;
    let upload = &made["upload"];
    let request = server.0.client.put(upload["url"].as_str().unwrap());
    let headers = upload["headers"].as_array().unwrap().iter();
    let request = headers.fold(request, |request, header| {
        let [name, value] = ["name", "value"].map(|field| header[field].as_str().unwrap());
        request.header(name, value)
    });
    let put = request.body(format!("{name}\n")).send().await.unwrap();
    assert_eq!(put.status(), 200);
    let id = made["run"]["runId"].as_str().unwrap().to_owned();
    let input = json!({ "runId": id });
    server.make("graph-runs", "startRun", input, "").await;
    let list = "{ workList { edges { node { runId leasedUntil } } } }";
    until(async || {
        let data = server.ask("graph-runs", "", list, Value::Null).await;
        let nodes = data["workList"]["edges"].as_array().unwrap().clone();
        let mut own = nodes.iter().filter(|edge| edge["node"]["runId"] == id);
        own.any(|edge| !edge["node"]["leasedUntil"].is_null())
    })
    .await;
    id
}

/// Looks again and again, until it is so.
async fn until(mut is_so: impl AsyncFnMut() -> bool) {
    let looking = async {
        while !is_so().await {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(PATIENCE, looking).await.unwrap();
}

async fn run(server: &Server, id: &str) -> Value {
    let query = "query($id: String!) { run(runId: $id) { status attempt } }";
    let variables = json!({ "id": id });
    server.ask("graph-runs", "", query, variables).await["run"].clone()
}

/// One server that lives and one that is killed have runs of one user; a third one, whose clock is so far ahead, takes those
/// of the dead one alone.
async fn takes_runs_of_the_dead_alone((library, ahead): (&PathBuf, i64)) {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let program = waiting_worker(folder.path());
    let program = format!("--graph-runs-worker-program={}", program.display());
    let data = format!("--data={}", data.display());
    let arguments = [
        data.as_str(),
        "--service=graph-runs",
        "--graph-runs-lease=8s",
        &program,
    ];
    let live = Server::start(&arguments, None).await;
    // As many as a server processes of one user: it takes no others.
    let kept = [held(&live, "one").await, held(&live, "two").await];
    let dead = Server::start(&arguments, None).await;
    let left = held(&dead, "three").await;
    dead.0.kill();
    dead.0.ended().await;
    let other = Server::start(&arguments, Some((library, ahead))).await;
    let processing = |attempt| json!({ "status": "PROCESSING", "attempt": attempt });
    until(async || {
        for id in &kept {
            assert_eq!(run(&live, id).await, processing(1), "{ahead}");
        }
        run(&live, &left).await == processing(2)
    })
    .await;
    for name in ["one", "two", "three"] {
        std::fs::write(folder.path().join(name), "").unwrap();
    }
    for (id, attempt) in [(&kept[0], 1), (&kept[1], 1), (&left, 2)] {
        until(async || run(&live, id).await["status"] != "PROCESSING").await;
        let expected = json!({ "status": "COMPLETE", "attempt": attempt });
        assert_eq!(run(&live, id).await, expected, "{ahead}");
    }
    for server in [live, other] {
        server.0.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_with_another_clock_takes_no_run_from_a_server_that_lives() {
    let Some(library) = library() else {
        return;
    };
    let apart = [5, 60, 365 * DAY, -60, -DAY];
    join_all(apart.map(|ahead| takes_runs_of_the_dead_alone((&library, ahead)))).await;
}

struct NoStreams;

impl Streams for NoStreams {
    fn open<'s>(&'s self, _: &'s Table) -> BoxFuture<'s, Result<StreamReader, Failure>> {
        std::future::ready(Err(Failure::new("The test has no streams."))).boxed()
    }
}

/// Whether `trestle short-ids fill` takes the lease of the pool on a server's tables.
async fn fills(server: &TestServer, clock: &TestClock) -> bool {
    let service = &trestle_shareables::SERVICE;
    let command = &service.commands[0];
    let tables = service.tables.iter().map(|definition| {
        let client = server.dynamodb.clone();
        Table::new(client, definition, definition.default_name)
    });
    let context = ServiceContext {
        tables: Tables::new(tables, clock.clock()),
        arguments: &(command.command)().get_matches_from(["short-ids", "fill", "--to", "10"]),
        clock: clock.clock(),
        folder: None,
        is_in_memory: true,
        streams: &NoStreams,
    };
    (command.run)(&context).await.is_ok()
}

#[tokio::test]
async fn no_process_waits_longer_than_a_lease_for_the_pool_of_short_ids() {
    const LEASE: i64 = 60;
    let service = &trestle_shareables::SERVICE;
    // The clock of the process that is gone was so far ahead.
    for ahead in [-5, 0, 1, 59, 60, 365 * DAY] {
        let server = start(service, &["--shareables-pool=0"]).await;
        let until = server.clock.clock().now() + TimeDelta::seconds(LEASE + ahead);
        let item = [
            ("pk", "lease#short_id_pool"),
            ("sk", "01#"),
            ("entity", "lease"),
            ("holder", "00000000-0000-4000-8000-000000000000"),
            ("until", &until.to_rfc3339_opts(SecondsFormat::Millis, true)),
        ];
        let item = item.map(|(name, value)| (name.to_owned(), S(value.to_owned())));
        let put = server.dynamodb.put_item().set_item(Some(item.into()));
        let put = put.table_name(service.tables[0].default_name);
        put.send().await.unwrap();
        let clock = TestClock::default();
        // A longer one than can be taken now was taken by a clock that is wrong.
        assert_eq!(fills(&server, &clock).await, ahead > 0, "{ahead}");
        clock.advance(LEASE);
        assert!(fills(&server, &clock).await, "{ahead}");
    }
}
