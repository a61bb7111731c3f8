//! The real binary in a process of its own, as its operator starts, watches and stops it. Knows nothing of
//! what is asked.

#![allow(dead_code, reason = "each test target uses a part of it")]

use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;

/// A server that has named its URL. Dropping it ends the process at once.
pub struct Process {
    child: Child,
    /// Of the GraphQL endpoint.
    pub url: String,
    pub client: reqwest::Client,
    output: JoinHandle<String>,
    log: JoinHandle<String>,
}

/// What is left of a process.
#[derive(Debug)]
pub struct Ended {
    pub success: bool,
    /// What it wrote to its standard output, after the line with its URL.
    pub output: String,
    pub log: String,
}

/// An HTTP answer, read to its end.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    pub text: String,
}

/// The binary with `arguments`, without what the developer's own shell configures.
pub fn command(arguments: &[&str]) -> Command {
    command_of(env!("CARGO_BIN_EXE_trestle").as_ref(), arguments)
}

/// Another binary, the same way.
pub fn command_of(binary: &std::ffi::OsStr, arguments: &[&str]) -> Command {
    let mut command = Command::new(binary);
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if ["TRESTLE_", "OTEL_", "AWS_", "RUST_LOG"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
        {
            command.env_remove(&*name);
        }
    }
    command
        .args(arguments)
        .current_dir(env!("CARGO_TARGET_TMPDIR"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

/// The end of a process that is expected to end by itself.
pub async fn ended(mut command: Command) -> Ended {
    let output = command.output().await.expect("the binary runs");
    Ended {
        success: output.status.success(),
        output: String::from_utf8(output.stdout).expect("UTF-8"),
        log: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

impl Process {
    /// `trestle serve` on a free port, on a store in memory.
    pub async fn start(arguments: &[&str]) -> Self {
        Self::start_with(&[&["--memory"], arguments].concat(), &[]).await
    }

    /// `trestle serve` on a free port with these arguments and variables.
    pub async fn start_with(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = command(&["serve", "--listen", "127.0.0.1:0"]);
        command.args(arguments).envs(variables.iter().copied());
        Self::run(command).await
    }

    /// A command that ends in `trestle serve`.
    pub async fn run(mut command: Command) -> Self {
        let mut child = command.spawn().expect("the binary runs");
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        let log = tokio::spawn(read(child.stderr.take().expect("a pipe")));
        let mut line = String::new();
        output.read_line(&mut line).await.expect("a line");
        let Some(url) = line
            .split_whitespace()
            .find(|word| word.starts_with("http"))
        else {
            panic!("it names no URL: {line:?}\n{}", log.await.expect("a log"));
        };
        Self {
            child,
            url: url.to_owned(),
            client: reqwest::Client::builder()
                .no_proxy()
                .build()
                .expect("a client"),
            output: tokio::spawn(read(output)),
            log,
        }
    }

    /// The URL of another path.
    pub fn at(&self, path: &str) -> String {
        self.url.replace("/graphql", path)
    }

    /// Sends one GraphQL request.
    pub async fn query(&self, document: &str) -> Answer {
        self.post(&json!({ "query": document }), &[]).await
    }

    /// Sends one GraphQL request with these parameters and headers.
    pub async fn post(&self, body: &Value, headers: &[(&str, &str)]) -> Answer {
        let mut request = self.client.post(&self.url).json(body);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        Answer::read(request).await
    }

    /// Asks for another path.
    pub async fn get(&self, path: &str) -> Answer {
        Answer::read(self.client.get(self.at(path))).await
    }

    /// The process's id.
    pub fn id(&self) -> u32 {
        self.child.id().expect("it runs")
    }

    /// Sends SIGTERM. Answers at once.
    pub fn terminate(&self) {
        self.signal("-TERM");
    }

    /// Sends SIGKILL. Answers at once.
    pub fn kill(&self) {
        self.signal("-KILL");
    }

    /// Sends SIGSTOP: the process stands still until it is told to go on.
    pub fn pause(&self) {
        self.signal("-STOP");
    }

    /// Sends SIGCONT.
    pub fn go_on(&self) {
        self.signal("-CONT");
    }

    fn signal(&self, signal: &str) {
        let id = self.id().to_string();
        let told = std::process::Command::new("kill")
            .args([signal, &id])
            .status();
        assert!(told.is_ok_and(|status| status.success()));
    }

    /// Waits for the end of a process that was told to.
    pub async fn ended(mut self) -> Ended {
        let status = self.child.wait().await.expect("an end");
        Ended {
            success: status.success(),
            output: self.output.await.expect("an output"),
            log: self.log.await.expect("a log"),
        }
    }

    /// Sends SIGTERM and waits for the end.
    pub async fn stop(self) -> Ended {
        self.terminate();
        self.ended().await
    }
}

impl Answer {
    pub async fn read(request: reqwest::RequestBuilder) -> Self {
        let response = request.send().await.expect("an answer");
        Self {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            text: response.text().await.expect("a body"),
        }
    }

    pub fn body(&self) -> Value {
        serde_json::from_str(&self.text).expect("JSON")
    }

    /// The first error's code.
    pub fn code(&self) -> Option<String> {
        let body = self.body();
        let code = &body["errors"][0]["extensions"]["code"];
        code.as_str().map(str::to_owned)
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

impl Ended {
    /// The log's lines as JSON.
    pub fn lines(&self) -> Vec<Value> {
        let parse = |line| serde_json::from_str(line).expect("a line of JSON");
        self.log.lines().map(parse).collect()
    }

    /// The log's lines about GraphQL requests.
    pub fn requests(&self) -> Vec<Value> {
        let mut lines = self.lines();
        lines.retain(|line| line["target"] == "trestle::request");
        lines
    }
}

async fn read(mut pipe: impl AsyncRead + Unpin) -> String {
    let mut bytes = Vec::new();
    pipe.read_to_end(&mut bytes).await.expect("a pipe");
    String::from_utf8(bytes).expect("UTF-8")
}
