//! The program itself, as an operator starts it.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::graph_runs::server::{CREATE, RUN};

/// How long a run may take before the test gives up on it.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// A running `trestle serve`. It ends when this is dropped.
pub struct Program {
    child: Child,
    pub origin: String,
    pub http: reqwest::Client,
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The command, without whatever the machine is set up with.
pub fn trestle() -> Command {
    trestle_at(env!("CARGO_BIN_EXE_trestle").as_ref())
}

/// The command, under another path.
fn trestle_at(path: &std::path::Path) -> Command {
    let mut command = Command::new(path);
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("AWS_") || text.starts_with("TRESTLE_") || text.starts_with("OTEL_") {
            command.env_remove(&name);
        }
    }
    command
}

/// What `trestle graph analyze` prints of a folder or a plan, and its exit code.
pub fn analyze(path: &Path, options: &[&str]) -> (Option<i32>, String) {
    let mut command = trestle();
    command.args(["graph", "analyze"]).args(options).arg(path);
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let problem = String::from_utf8(output.stderr).unwrap();
    (output.status.code(), text + &problem)
}

/// The nodes of a graph with a flag.
pub fn flagged<'g>(graph: &'g Value, flag: &str) -> BTreeSet<&'g str> {
    let nodes = graph["nodes"].as_array().unwrap().iter();
    let flagged = nodes.filter(|node| node[flag] == json!(true));
    flagged.map(|node| node["id"].as_str().unwrap()).collect()
}

impl Program {
    /// The number of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Starts the server with these flags, and waits until it answers.
    pub fn serve(flags: &[&str], environment: &[(&str, &str)]) -> Self {
        Self::start(trestle(), flags, environment, Stdio::inherit())
    }

    /// Starts the server with these flags, and its log in a file.
    pub fn serve_logging(flags: &[&str], log: &std::path::Path) -> Self {
        let log = std::fs::File::create(log).expect("a file");
        Self::start(trestle(), flags, &[], log.into())
    }

    /// Starts the server from another path.
    pub fn serve_at(path: &std::path::Path, flags: &[&str]) -> Self {
        Self::start(trestle_at(path), flags, &[], Stdio::inherit())
    }

    fn start(
        mut command: Command,
        flags: &[&str],
        environment: &[(&str, &str)],
        log: Stdio,
    ) -> Self {
        let mut child = command
            .arg("serve")
            .args(["--listen", "127.0.0.1:0"])
            .args(flags)
            .envs(environment.iter().copied())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("its output");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let url = line.trim().rsplit(' ').next().expect("a URL");
        let origin = url.trim_end_matches("/graphql").to_owned();
        assert!(origin.starts_with("http://"), "{line}");
        Self {
            child,
            origin,
            http: reqwest::Client::builder()
                .no_proxy()
                .build()
                .expect("a client"),
        }
    }

    /// The first field of a request that has to succeed.
    pub async fn field(&self, path: &str, query: &str, variables: Value) -> Value {
        let request = self
            .http
            .post(format!("{}{path}", self.origin))
            .json(&json!({ "query": query, "variables": variables }));
        let answer = request.send().await.expect("an answer");
        let body: Value = answer.json().await.expect("JSON");
        assert!(body.get("errors").is_none(), "{body:#}");
        let data = body["data"].as_object().expect("data");
        data.values().next().expect("a field").clone()
    }

    pub async fn runs(&self, query: &str, variables: Value) -> Value {
        self.field("/graph-runs/graphql", query, variables).await
    }

    pub async fn mutate(&self, name: &str, input: Value) -> Value {
        let kind = format!("{}{}Input", name[..1].to_uppercase(), &name[1..]);
        let query = format!(
            "mutation($input: {kind}!) {{ {name}(input: $input) {{ run {{ {RUN} }} userErrors {{ message }} }} }}"
        );
        self.runs(&query, json!({ "input": input })).await
    }

    pub async fn put(&self, signed: &Value, body: impl Into<reqwest::Body>) -> reqwest::Response {
        let mut request = self.http.put(signed["url"].as_str().expect("a URL"));
        for header in signed["headers"].as_array().into_iter().flatten() {
            let (name, value) = (header["name"].as_str(), header["value"].as_str());
            request = request.header(name.expect("a name"), value.expect("a value"));
        }
        request.body(body).send().await.expect("an answer")
    }

    pub async fn get(&self, signed: &Value) -> reqwest::Response {
        let url = signed["url"].as_str().expect("a URL");
        self.http.get(url).send().await.expect("an answer")
    }

    pub async fn create(&self, more: Value) -> (String, Value) {
        let mut input = json!({ "environment": "PROD", "iacFormat": "HCL" });
        input
            .as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        let created = self.runs(CREATE, json!({ "input": input })).await;
        assert_eq!(created["userErrors"], json!([]));
        let id = created["run"]["runId"].as_str().expect("an id");
        (id.to_owned(), created["upload"].clone())
    }

    pub async fn ended(&self, id: &str) -> Value {
        let query = format!(
            "query($id: String!) {{ run(runId: $id) {{ {RUN} graphDownload {{ url }} reportDownload {{ url }} }} }}"
        );
        let ended = async {
            loop {
                let run = self.runs(&query, json!({ "id": id })).await;
                if run["status"] != "PROCESSING" {
                    return run;
                }
            }
        };
        tokio::time::timeout(PATIENCE, ended)
            .await
            .expect("the run ends")
    }
}

#[tokio::test]
async fn both_services_are_served_from_one_folder_and_outlive_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let flags = ["--data", data, "--service", "applications,graph-runs"];
    let server = Program::serve(&flags, &[]);
    let stats = "query { applicationStats { active } }";
    for path in ["/graphql", "/applications/graphql"] {
        assert_eq!(server.field(path, stats, json!({})).await["active"], 0);
    }
    let (id, upload) = server.create(json!({})).await;
    let file = include_str!("terraform/service.tf");
    assert_eq!(server.put(&upload, file).await.status(), 200);
    server.mutate("startRun", json!({ "runId": id })).await;
    let run = server.ended(&id).await;
    assert_eq!(run["status"], "COMPLETE", "{run:#}");
    drop(server);

    let server = Program::serve(&["--data", data, "--service", "graph-runs"], &[]);
    let query =
        "query { latestRun { runId graphHash graphDownload { url } reportDownload { url } } }";
    let again = server.field("/graphql", query, json!({})).await;
    assert_eq!(
        (&again["runId"], &again["graphHash"]),
        (&json!(id), &run["graphHash"])
    );
    let text = server
        .get(&again["graphDownload"])
        .await
        .text()
        .await
        .unwrap();
    assert_eq!(
        crate::graph_runs::server::hash(&text),
        run["graphHash"].as_str().unwrap()
    );
    assert_eq!(server.get(&again["reportDownload"]).await.status(), 200);
}

#[test]
fn tables_are_created_and_checked_by_service() {
    let folder = tempfile::tempdir().unwrap();
    let table = |what: &str, services: &str| {
        let mut command = trestle();
        command
            .args(["table", what, "--service", services, "--data"])
            .arg(folder.path());
        let output = command.output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    let missing = table("check", "applications,graph-runs");
    assert_eq!(missing.0, Some(1));
    assert!(
        missing.1.contains("applens-graph-metadata: missing"),
        "{}",
        missing.1
    );
    let created = table("create", "applications,graph-runs");
    let good = "lambda_api_applications: good\napplens-graph-metadata: good\n";
    assert_eq!(created, (Some(0), good.to_owned()));
    assert_eq!(
        table("check", "graph-runs"),
        (Some(0), "applens-graph-metadata: good\n".to_owned())
    );
}

/// The peak of a process's memory, in bytes.
#[cfg(target_os = "linux")]
pub fn peak(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    let kilobytes: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kilobytes * 1024
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_graph_of_100_000_nodes_and_300_000_edges_is_completed_in_under_200_mb() {
    const NODES: usize = 100_000;
    const EDGES: usize = 300_000;
    // Made first: a connection that waits for it is closed for being idle.
    let name = |n: usize| format!("module.service-{}.aws_instance.web-{n}", n % 1000);
    let node = |n: usize| {
        let flag = n.is_multiple_of(10);
        format!(
            r#"{{"id":"{}","type":"aws_instance","kind":"resource","datastore":{flag},"internetExposed":false}}"#,
            name(n)
        )
    };
    let edge = |n: usize| {
        let (from, to) = (name(n % NODES), name((n * 7 + n / NODES + 1) % NODES));
        format!(
            r#"{{"from":"{from}","to":"{to}","kind":"reference-{}"}}"#,
            n / NODES
        )
    };
    let nodes: Vec<_> = (0..NODES).map(node).collect();
    let edges: Vec<_> = (0..EDGES).map(edge).collect();
    let graph = format!(
        r#"{{"nodes":[{}],"edges":[{}]}}"#,
        nodes.join(","),
        edges.join(",")
    );
    let hash = crate::graph_runs::server::hash(&graph);

    let folder = tempfile::tempdir().unwrap();
    let flags = [
        "--data",
        folder.path().to_str().unwrap(),
        "--service",
        "graph-runs",
        "--graph-runs-pipeline",
        "external",
        "--request-timeout",
        "300s",
    ];
    let server = Program::serve(&flags, &[]);
    let (id, upload) = server.create(json!({})).await;
    server.put(&upload, "").await;
    server.mutate("startRun", json!({ "runId": id })).await;
    let query = "query($id: String!) { run(runId: $id) { workerUploads { graph { url } } } }";
    let run = server.runs(query, json!({ "id": id })).await;
    let put = server.put(&run["workerUploads"]["graph"], graph).await;
    assert_eq!(put.status(), 200);
    let claims = json!({ "runId": id, "nodeCount": NODES, "edgeCount": EDGES, "graphHash": hash, "datastoreCount": NODES / 10 });
    let done = server.mutate("completeRun", claims).await;
    assert_eq!(done["userErrors"], json!([]));
    assert_eq!(done["run"]["status"], "COMPLETE");
    let peak = peak(server.id());
    assert!(peak < 200_000_000, "{peak} bytes");
    eprintln!("peak: {peak} bytes");
}

#[tokio::test]
async fn a_workers_key_has_its_role_and_a_users_key_has_not() {
    use sha2::Digest as _;
    let folder = tempfile::tempdir().unwrap();
    let line = |name: &str, access: &str| {
        let digest = sha2::Sha256::digest(format!("secret of {name}"));
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{name} {access} {hex}\n")
    };
    let keys = folder.path().join("keys");
    let lines = [
        line("ann", "write"),
        line("worker", "write,graph-runs-worker"),
    ];
    std::fs::write(&keys, lines.concat()).unwrap();
    let flags = [
        "--memory",
        "--service",
        "graph-runs",
        "--api-keys",
        keys.to_str().unwrap(),
    ];
    let server = Program::serve(&flags, &[]);
    for (name, code) in [("ann", json!("FORBIDDEN")), ("worker", json!(null))] {
        let query = "mutation { completeRun(input: { runId: \"r\" }) { userErrors { code } } }";
        let request = server
            .http
            .post(format!("{}/graphql", server.origin))
            .header("x-api-key", format!("secret of {name}"))
            .json(&json!({ "query": query }));
        let body: Value = request.send().await.unwrap().json().await.unwrap();
        assert_eq!(body["errors"][0]["extensions"]["code"], code, "{body:#}");
    }
}

#[tokio::test]
async fn a_run_whose_worker_died_is_processed_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let data = ["--data", folder.path().to_str().unwrap()];
    let service = ["--service", "graph-runs"];
    let external = [
        "--graph-runs-pipeline",
        "external",
        "--graph-runs-stuck-after",
        "1s",
    ];
    let server = Program::serve(&[&data[..], &service, &external].concat(), &[]);
    let (id, upload) = server.create(json!({})).await;
    let file = include_str!("terraform/service.tf");
    assert_eq!(server.put(&upload, file).await.status(), 200);
    server
        .mutate("startRun", json!({ "runId": id, "workerId": "w" }))
        .await;
    // Killed, as is the worker that had the run.
    drop(server);
    let server = Program::serve(&[&data[..], &service].concat(), &[]);
    let run = server.ended(&id).await;
    assert_eq!(
        (&run["status"], &run["attempt"]),
        (&json!("COMPLETE"), &json!(2)),
        "{run:#}"
    );
    let text = server
        .get(&run["graphDownload"])
        .await
        .text()
        .await
        .unwrap();
    assert_eq!(
        crate::graph_runs::server::hash(&text),
        run["graphHash"].as_str().unwrap()
    );
}
