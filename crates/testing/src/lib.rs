//! What the tests of all services share: a server in the test's process, asked over real HTTP; clocks that only the
//! test moves; stores whose calls are counted, and stores that fail as DynamoDB does.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

pub mod answers;
pub mod endpoint;
pub mod faults;
pub mod hosted;
pub mod lagging;
pub mod moto;
pub mod odd;
pub mod promise;
mod requests;
pub mod shards;
pub mod socket;
pub mod stores;
pub mod wire;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};

use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use serde::Deserialize;
use serde_json::Value;

/// What one request was answered.
#[derive(Clone, Debug)]
pub struct Answer {
    pub body: Value,
}

/// What one request asked of DynamoDB, by the service's own meter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    pub reads: u64,
    pub writes: u64,
    pub retries: u64,
    pub read_units: f64,
    pub write_units: f64,
}

impl Answer {
    /// `data`, of an answer without errors.
    pub fn data(&self) -> Value {
        assert!(self.body.get("errors").is_none(), "{:#}", self.body);
        self.body["data"].clone()
    }

    /// `extensions.code` of the first error.
    pub fn code(&self) -> &str {
        self.body["errors"][0]["extensions"]["code"]
            .as_str()
            .unwrap_or("no error")
    }

    /// What the service says that the request cost.
    pub fn cost(&self) -> Cost {
        let cost = &self.body["extensions"]["cost"];
        let count = |name: &str| cost[name].as_u64().expect("a count");
        Cost {
            reads: count("reads"),
            writes: count("writes"),
            retries: count("retries"),
            read_units: cost["readUnits"].as_f64().expect("a number"),
            write_units: cost["writeUnits"].as_f64().expect("a number"),
        }
    }
}

/// How often each DynamoDB operation reached the store, and what that says it consumed.
#[derive(Clone, Debug, Default)]
pub struct Calls(Arc<Mutex<Seen>>);

#[derive(Debug, Default)]
struct Seen {
    counts: BTreeMap<String, u64>,
    read_units: f64,
    write_units: f64,
}

/// The part of the store's answer that tells the capacity.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Answered {
    consumed_capacity: Option<Consumed>,
}

/// Of one table, or of each table that a batch or transaction asked.
#[derive(Deserialize)]
#[serde(untagged)]
enum Consumed {
    One(Capacity),
    Each(Vec<Capacity>),
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Capacity {
    capacity_units: f64,
}

impl Calls {
    /// The counts since the last reset.
    pub fn counts(&self) -> BTreeMap<String, u64> {
        self.seen().counts.clone()
    }

    /// The read and the write units since the last reset, by the embedded store's answers.
    pub fn units(&self) -> (f64, f64) {
        let seen = self.seen();
        (seen.read_units, seen.write_units)
    }

    /// Starts again from nothing.
    pub fn reset(&self) {
        *self.seen() = Seen::default();
    }

    /// Counts a request; the name of its operation.
    fn count(&self, request: &HttpRequest) -> String {
        let operation = requests::operation(request);
        *self.seen().counts.entry(operation.clone()).or_default() += 1;
        operation
    }

    /// Adds up what an answer to `operation` says of capacity.
    fn consumed(&self, operation: &str, answer: &[u8]) {
        let Ok(Answered {
            consumed_capacity: Some(consumed),
        }) = serde_json::from_slice(answer)
        else {
            return;
        };
        let units: f64 = match consumed {
            Consumed::One(capacity) => capacity.capacity_units,
            Consumed::Each(each) => each.iter().map(|capacity| capacity.capacity_units).sum(),
        };
        let mut seen = self.seen();
        match operation {
            "GetItem" | "BatchGetItem" | "Query" => seen.read_units += units,
            _ => seen.write_units += units,
        }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().expect("no panic while counting")
    }
}

struct Counting {
    inner: SharedHttpConnector,
    calls: Calls,
}

impl fmt::Debug for Counting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Counting")
    }
}

impl HttpConnector for Counting {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let operation = self.calls.count(&request);
        let calls = self.calls.clone();
        let answer = self.inner.call(request);
        HttpConnectorFuture::new(async move {
            let answer = answer.await?;
            // What lies in memory; a body that is still to come is not waited for.
            if let Some(body) = answer.body().bytes() {
                calls.consumed(&operation, body);
            }
            Ok(answer)
        })
    }
}

// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
