//! A reader of server-sent events.

use std::time::Duration;

use reqwest::Response;
use serde_json::Value;
use tokio::time::timeout;

use crate::live::board::Board;

/// A bound on waiting for what has to come, so that a test which fails ends.
const PATIENCE: Duration = Duration::from_secs(30);

/// The answer to one operation, event by event.
pub struct Events {
    response: Response,
    read: Vec<u8>,
}

impl Events {
    /// Asks for events; the answer may be something else.
    pub async fn ask(board: &Board, query: &str, variables: Value, key: &str) -> Response {
        let request = board
            .post(query, variables)
            .header("accept", "text/event-stream")
            .header("accept-encoding", "gzip")
            .bearer_auth(key);
        request.send().await.expect("it answers")
    }

    /// Asks for events and gets them.
    pub async fn open(board: &Board, query: &str, variables: Value) -> Self {
        Self::of(Self::ask(board, query, variables, "").await)
    }

    /// Those of an answer.
    pub fn of(response: Response) -> Self {
        let headers = response.headers();
        let kind = headers.get("content-type").expect("a type");
        assert_eq!(response.status(), 200);
        assert_eq!(kind, "text/event-stream; charset=utf-8");
        assert!(!headers.contains_key("content-encoding"));
        Self {
            response,
            read: Vec::new(),
        }
    }

    /// The next event's name and data; `None` at the end.
    pub async fn event(&mut self) -> Option<(String, Value)> {
        loop {
            while let Some(end) = self.read.windows(2).position(|two| two == b"\n\n") {
                let rest = self.read.split_off(end + 2);
                let block = String::from_utf8(std::mem::replace(&mut self.read, rest)).unwrap();
                let line = |name: &str| {
                    let found = block.lines().find_map(|line| line.strip_prefix(name));
                    found.map(|text| text.trim_start().to_owned())
                };
                if let Some(name) = line("event:") {
                    let data = line("data:").unwrap_or_default();
                    return Some((name, serde_json::from_str(&data).unwrap_or(Value::Null)));
                }
            }
            let chunk = timeout(PATIENCE, self.response.chunk()).await;
            self.read
                .extend_from_slice(&chunk.expect("it comes").ok().flatten()?);
        }
    }

    /// The answer that is the next event.
    pub async fn next(&mut self) -> Value {
        let (name, data) = self.event().await.expect("an event");
        assert_eq!(name, "next", "{data:#}");
        data
    }

    /// Checks that nothing follows but the last event.
    pub async fn completes(&mut self) {
        let complete = Some(("complete".to_owned(), Value::Null));
        assert_eq!(self.event().await, complete);
        assert_eq!(self.event().await, None);
    }
}
