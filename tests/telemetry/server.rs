//! A server to observe: this test program once more, as a child process with an environment of its own. Its
//! one route does what the real ones do, with spans where the table layer has them.

use std::collections::HashMap;
use std::process::Stdio;
use std::time::Duration;

use axum::Router;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use clap::Parser;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tracing::Instrument as _;
use trestle::api::Code;
use trestle::server::telemetry::{
    DocumentCache, FinishedRequest, Telemetry, TelemetryArgs, flush_after, observe, operation_span,
    record_outcome,
};
use trestle::table::Spent;

/// The variable that makes a run of [`child`] a server, with its flags.
const FLAGS: &str = "TRESTLE_TEST_FLAGS";

/// The variable that makes the server send its spans before each answer.
pub const FLUSH: &str = "TRESTLE_TEST_FLUSH";

/// A running child and where it listens.
pub struct Server {
    child: Child,
    stdin: ChildStdin,
    url: String,
}

/// What a child leaves behind.
pub struct Remains {
    pub success: bool,
    pub log: String,
}

impl Remains {
    /// The log's lines as JSON.
    pub fn lines(&self) -> Vec<Value> {
        let parse = |line| serde_json::from_str(line).expect("a line of JSON");
        self.log.lines().map(parse).collect()
    }
}

fn spawn(flags: &str, environment: &[(&str, &str)]) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", "server::child", "--ignored", "--nocapture"]);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("OTEL_")) {
        command.env_remove(name);
    }
    command
        .env_remove("RUST_LOG")
        .env(FLAGS, flags)
        .envs(environment.iter().copied());
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.kill_on_drop(true).spawn().expect("a child process")
}

/// The end of a child that does not start.
pub async fn refused(flags: &str, environment: &[(&str, &str)]) -> Remains {
    let output = spawn(flags, environment)
        .wait_with_output()
        .await
        .expect("an end");
    let log = String::from_utf8(output.stderr).expect("UTF-8");
    Remains {
        success: output.status.success(),
        log,
    }
}

impl Server {
    pub async fn start(flags: &str, environment: &[(&str, &str)]) -> Self {
        let mut child = spawn(flags, environment);
        let stdin = child.stdin.take().expect("a pipe");
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let url = loop {
            let line = stdout
                .next_line()
                .await
                .expect("a line")
                .expect("the address");
            if let Some((_, address)) = line.split_once("LISTENING ") {
                break format!("http://{address}");
            }
        };
        // Reads on, so that the child can always write.
        tokio::spawn(async move { while let Ok(Some(_)) = stdout.next_line().await {} });
        Self { child, stdin, url }
    }

    pub async fn get(&self, path: &str, headers: &[(&str, &str)]) -> (u16, String) {
        let mut request = reqwest::Client::new().get(format!("{}{path}", self.url));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let answer = request.send().await.expect("an answer");
        (
            answer.status().as_u16(),
            answer.text().await.expect("a body"),
        )
    }

    /// Lets the server end as it would on SIGTERM.
    pub async fn stop(self) -> Remains {
        drop(self.stdin);
        let output = self.child.wait_with_output().await.expect("an end");
        let log = String::from_utf8(output.stderr).expect("UTF-8");
        Remains {
            success: output.status.success(),
            log,
        }
    }
}

#[derive(Parser)]
struct Flags {
    #[command(flatten)]
    telemetry: TelemetryArgs,
}

#[tokio::test]
#[ignore = "the server that the other tests run as a child process"]
async fn child() {
    let Ok(flags) = std::env::var(FLAGS) else {
        return;
    };
    let words = ["trestle"].into_iter().chain(flags.split_whitespace());
    let telemetry = match Telemetry::start(&Flags::parse_from(words).telemetry) {
        Ok(telemetry) => telemetry,
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(2);
        }
    };
    let router = Router::new()
        .route("/graphql", get(graphql))
        .route("/{service}/graphql", get(graphql))
        .route("/livez", get(async || "ok"))
        .route("/metrics", get(metrics))
        .layer(from_fn_with_state(telemetry.clone(), observe))
        .with_state(telemetry.clone());
    let router = match std::env::var_os(FLUSH) {
        Some(_) => router.layer(from_fn_with_state(telemetry.clone(), flush_after)),
        None => router,
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port");
    println!("LISTENING {}", listener.local_addr().expect("an address"));
    let end_of_input = async {
        let mut rest = Vec::new();
        let _ = tokio::io::stdin().read_to_end(&mut rest).await;
    };
    axum::serve(listener, router)
        .with_graceful_shutdown(end_of_input)
        .await
        .expect("a server");
    telemetry.shutdown().await;
}

async fn metrics(State(telemetry): State<Telemetry>) -> String {
    telemetry.metrics().render()
}

/// Answers like a GraphQL request with two calls to DynamoDB; `fail=CODE` makes it fail.
async fn graphql(
    State(telemetry): State<Telemetry>,
    Query(query): Query<HashMap<String, String>>,
) -> StatusCode {
    let code = match query.get("fail").map(String::as_str) {
        Some("INTERNAL_SERVER_ERROR") => Some(Code::InternalServerError),
        Some("FORBIDDEN") => Some(Code::Forbidden),
        _ => None,
    };
    let name = query.get("operationName").map(String::as_str);
    let span = operation_span("applications", name, "query");
    let spent = Spent {
        calls: 2,
        reads: 1,
        writes: 1,
        retries: 0,
        conflicts: 1,
        read_units: 0.5,
        write_units: 4.0,
    };
    async {
        call("GetItem", Some(0.5)).await;
        call("TransactWriteItems", None).await;
    }
    .instrument(span.clone())
    .await;
    record_outcome(&span, &spent, code);
    let status = match code {
        Some(Code::InternalServerError) => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::OK,
    };
    telemetry.finished(&FinishedRequest {
        request_id: "req-1",
        service: Some("applications"),
        operation_name: name,
        operation_type: Some("query"),
        subject: Some("ada"),
        cost: Some(7),
        status: status.as_u16(),
        code,
        document_cache: Some(DocumentCache::Hit),
        spent,
        duration: Duration::from_micros(12_345),
    });
    status
}

/// A call as the table layer makes one, with what a dependency might add.
async fn call(operation: &'static str, units: Option<f64>) {
    let span = tracing::info_span!(
        target: "trestle::table",
        "dynamodb",
        operation,
        table = "lambda_api_applications",
        consumed_capacity = tracing::field::Empty
    );
    let inner = tracing::info_span!(target: "aws_smithy_runtime", "invoke", key = "SECRET");
    let detail = tracing::debug_span!(target: "trestle::table", "detail", key = "SECRET");
    async { tracing::debug!(key = "SECRET", "an event") }
        .instrument(inner)
        .instrument(detail)
        .instrument(span.clone())
        .await;
    if let Some(units) = units {
        span.record("consumed_capacity", units);
    }
}
