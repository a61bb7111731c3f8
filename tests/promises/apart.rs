//! The real binary with a clock that libfaketime sets wrong.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::process::Process;

/// The library; `None` where it is not installed: then the test is skipped, which in CI is a failure.
pub fn library() -> Option<PathBuf> {
    let folders = std::fs::read_dir("/usr/lib").ok()?.flatten();
    let mut found = folders.map(|folder| folder.path().join("faketime/libfaketimeMT.so.1"));
    let found = found.find(|path| path.exists());
    if found.is_none() {
        let ci = std::env::var("CI").is_ok_and(|ci| ci == "true");
        assert!(
            !ci,
            "libfaketime must be installed: the Debian package faketime"
        );
        eprintln!("skipped: needs libfaketime (the Debian package faketime)");
    }
    found
}

pub struct Server(pub Process);

impl Server {
    /// With these arguments, and a clock that is so far ahead.
    pub async fn start(arguments: &[&str], ahead: Option<(&PathBuf, i64)>) -> Self {
        let (offset, library) = match ahead {
            Some((library, ahead)) => (format!("{ahead:+}"), library.to_str().unwrap()),
            None => (String::new(), ""),
        };
        let faked = [
            ("LD_PRELOAD", library),
            ("FAKETIME", offset.as_str()),
            // Timers go on, and files have the times that the file system gives them.
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
            ("DONT_FAKE_MONOTONIC", "1"),
            ("NO_FAKE_STAT", "1"),
        ];
        let variables = if library.is_empty() {
            &[][..]
        } else {
            &faked[..]
        };
        Self(Process::start_with(arguments, variables).await)
    }

    /// `data` of a request to a service, which must succeed.
    pub async fn ask(&self, service: &str, token: &str, document: &str, variables: Value) -> Value {
        let path = self.0.url.find("/graphql").unwrap();
        let url = format!("{}/{service}/graphql", &self.0.url[..path]);
        let request = self
            .0
            .client
            .post(url)
            .json(&json!({ "query": document, "variables": variables }));
        let request = match token {
            "" => request,
            token => request.bearer_auth(token),
        };
        let answer: Value = request.send().await.unwrap().json().await.unwrap();
        assert!(answer.get("errors").is_none(), "{document}: {answer}");
        answer["data"].clone()
    }

    /// The payload of a mutation with one input, which must succeed.
    pub async fn make(&self, service: &str, name: &str, input: Value, selection: &str) -> Value {
        let (first, rest) = name.split_at(1);
        let kind = format!("{}{rest}Input", first.to_uppercase());
        let document = format!(
            "mutation($input: {kind}!) {{ {name}(input: $input) {{ {selection} userErrors {{ code field message }} }} }}"
        );
        let payload = self
            .ask(service, "", &document, json!({ "input": input }))
            .await[name]
            .clone();
        assert_eq!(payload["userErrors"], json!([]), "{name}: {payload}");
        payload
    }
}
