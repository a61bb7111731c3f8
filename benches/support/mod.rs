//! The applications service in process for measurements: what the binary serves, without a socket. A
//! measurement that cannot go on stops with a panic.

#![allow(dead_code, reason = "each measurement uses a part of it")]

pub mod documents;
pub mod fill;
pub mod paths;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use aws_sdk_dynamodb::Client;
use axum::Router;
use axum::body::Body;
use bytes::Bytes;
use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use clap::Parser;
use http::Request;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;
use trestle_applications::{Applications, ApplicationsService, Counters, Scope};
use trestle_server::{Access, NoopObserver, Open, Parts, Server, ServerArgs};
use trestle_table::clock::Clock;
use trestle_table::{Meter, Table};

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    server: ServerArgs,
}

/// The service on a table of its own.
pub struct Api {
    pub table: Table,
    pub clock: Clock,
    counters: Counters,
    router: Router,
}

/// A request's body, made once and sent many times.
#[derive(Clone)]
pub struct Question(Bytes);

/// What one request asked of DynamoDB.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    pub calls: u64,
    /// Read and write request units.
    pub units: f64,
}

impl Question {
    pub fn new(document: &str, variables: &Value) -> Self {
        let body = json!({ "query": document, "variables": variables });
        Self(body.to_string().into())
    }

    /// One operation of several in a document, without variables.
    pub fn operation(document: &str, name: &str) -> Self {
        let body = json!({ "query": document, "operationName": name });
        Self(body.to_string().into())
    }
}

impl Api {
    /// On whatever answers `client`. The table is made.
    pub async fn new(client: Client, clock: Clock) -> Self {
        let table = Table::new(client, &trestle_applications::TABLE, "applications");
        table.open_or_create().await.expect("the table is made");
        let service = ApplicationsService::new(table.clone(), clock.clone()).hosted();
        let parts = Parts {
            services: vec![Arc::new(service)],
            authenticate: Arc::new(Open),
            access: Access::Open,
            observer: Arc::new(NoopObserver),
            metrics: Arc::new(String::new),
        };
        let args = Cli::parse_from(["measured", "--expose-cost"]).server;
        let server = Server::new(args, parts).expect("the settings are fine");
        Self {
            table,
            clock,
            counters: Counters::default(),
            router: server.router(),
        }
    }

    /// A store of one process, as the service makes one for each request, its calls counted into `meter`.
    pub fn store(&self, meter: &Meter) -> Applications {
        let clock = self.clock.clone();
        Applications::new(self.table.clone(), Scope::Single, meter.clone(), clock)
            .counting(&self.counters)
    }

    /// Sends a request and answers the body, as a client would get it.
    pub async fn send(&self, question: &Question) -> Bytes {
        let answer = self.router.clone().oneshot(post(question, None)).await;
        collected(answer.expect("the router answers")).await
    }

    /// Sends a request that has to succeed; its data, and what it cost.
    pub async fn ask(&self, question: &Question) -> (Value, Cost) {
        let request = post(question, Some("1"));
        let answer = self.router.clone().oneshot(request).await;
        let body = collected(answer.expect("the router answers")).await;
        let body: Value = serde_json::from_slice(&body).expect("the answer is JSON");
        assert!(body.get("errors").is_none(), "{body:#}");
        let cost = &body["extensions"]["cost"];
        let units = |name: &str| cost[name].as_f64().expect("a number");
        let cost = Cost {
            calls: cost["calls"].as_u64().expect("a count"),
            units: units("readUnits") + units("writeUnits"),
        };
        (body["data"].clone(), cost)
    }

    /// Sends a mutation that has to be done, and answers its payload.
    pub async fn done(&self, document: &str, input: Value) -> Value {
        let question = Question::new(document, &json!({ "input": input }));
        let (data, _) = self.ask(&question).await;
        let payload = data.as_object().and_then(|data| data.values().next());
        let payload = payload.expect("the mutation's payload").clone();
        assert_eq!(payload["userErrors"], json!([]), "{document}");
        payload
    }
}

fn post(question: &Question, cost: Option<&str>) -> Request<Body> {
    let mut request = Request::post("/graphql").header("content-type", "application/json");
    if let Some(cost) = cost {
        request = request.header("x-trestle-cost", cost);
    }
    let body = Body::from(question.0.clone());
    request.body(body).expect("the request is well-formed")
}

async fn collected(answer: axum::response::Response) -> Bytes {
    assert!(answer.status().is_success(), "{}", answer.status());
    let body = answer.into_body().collect().await;
    body.expect("the answer is whole").to_bytes()
}

/// A clock that goes one millisecond on whenever it is read, from the start of `year`: every run is the
/// same.
pub fn stepping(year: i32) -> Clock {
    let day = NaiveDate::from_yo_opt(year, 1).unwrap_or_default();
    let first = day.and_time(NaiveTime::MIN).and_utc().timestamp_millis();
    let next = Arc::new(AtomicI64::new(first));
    Clock::new(move || {
        let now = next.fetch_add(1, Relaxed);
        DateTime::<Utc>::from_timestamp_millis(now).unwrap_or_default()
    })
}
