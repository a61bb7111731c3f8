//! The real binary on a port of its own and an empty store in memory. Knows no script.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use libtest_mimic::Failed;

/// How long the binary may take until it names its URL: a generous bound for a busy machine.
const START_LIMIT: Duration = Duration::from_secs(60);

/// A running server; dropping it ends the process.
pub struct Server {
    process: Child,
    url: String,
    log: Option<JoinHandle<String>>,
}

impl Server {
    /// Starts the binary with these arguments more and waits for the line with its URL.
    ///
    /// # Errors
    /// It ended without one, or took longer than a minute.
    pub fn start(arguments: &[&str]) -> Result<Self, Failed> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_trestle"));
        command.args(["serve", "--memory", "--listen", "127.0.0.1:0"]);
        command.args(arguments);
        // What the developer's own shell configures must not reach the test.
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("TRESTLE_") {
                command.env_remove(name);
            }
        }
        let mut process = command
            .current_dir(env!("CARGO_TARGET_TMPDIR"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;

        let (found, url) = mpsc::channel();
        if let Some(stdout) = process.stdout.take() {
            thread::spawn(move || {
                // Reads on after the URL, so that the server never waits for a full pipe.
                for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                    if let Some(url) = first_url(&line) {
                        let _ = found.send(url.to_owned());
                    }
                }
            });
        }
        let log = process.stderr.take().map(|mut stderr| {
            thread::spawn(move || {
                let mut bytes = Vec::new();
                let _ = stderr.read_to_end(&mut bytes);
                String::from_utf8_lossy(&bytes).into_owned()
            })
        });

        let mut server = Self {
            process,
            url: String::new(),
            log,
        };
        match url.recv_timeout(START_LIMIT) {
            Ok(url) => {
                server.url = url;
                Ok(server)
            }
            Err(_) => Err(format!("the server named no URL; its log:\n{}", server.stop()).into()),
        }
    }

    /// Why a script failed on this server: what it said stands last, where a cut log still has it.
    pub fn failed(self, said: &str) -> Failed {
        format!(
            "--- the server's log ---\n{}\n--- the script ---\n{said}",
            self.stop()
        )
        .into()
    }

    /// The GraphQL endpoint.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Ends the process and answers what it wrote to its log.
    pub fn stop(mut self) -> String {
        self.end();
        self.log
            .take()
            .and_then(|log| log.join().ok())
            .unwrap_or_default()
    }

    fn end(&mut self) {
        // Fails only where the process has ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

fn first_url(line: &str) -> Option<&str> {
    let start = line.find("http://")?;
    let url = line[start..].split_whitespace().next()?;
    Some(url.trim_end_matches(['.', ',', ';', ')']))
}
