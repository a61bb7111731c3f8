//! moto, an implementation of DynamoDB by others, as a process of the test's own.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A running moto, stopped when this is dropped.
pub struct Moto {
    child: Child,
    pub endpoint: String,
}

impl Drop for Moto {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

impl Moto {
    /// A server with nothing in it. None where `TRESTLE_MOTO_SERVER` names no program: then the test is
    /// skipped, which in CI is a failure.
    pub fn start() -> Option<Self> {
        let Ok(program) = std::env::var("TRESTLE_MOTO_SERVER") else {
            let ci = std::env::var("CI").is_ok_and(|ci| ci == "true");
            assert!(!ci, "TRESTLE_MOTO_SERVER must name moto_server");
            eprintln!("skipped: needs moto (TRESTLE_MOTO_SERVER names no moto_server)");
            return None;
        };
        let mut child = Command::new(program)
            .args(["-H", "127.0.0.1", "-p", "0"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("TRESTLE_MOTO_SERVER names moto_server");
        let mut lines = BufReader::new(child.stderr.take().expect("it is piped")).lines();
        let endpoint = lines
            .find_map(|line| Some(line.ok()?.split_once("Running on ")?.1.trim().to_owned()))
            .expect("moto says where it listens");
        // It writes a line for each request, and stops when nobody reads them.
        std::thread::spawn(move || lines.for_each(drop));
        Some(Self { child, endpoint })
    }
}
