//! Counters and histograms for Prometheus. Source of names, units and labels: Prometheus' guides on metric
//! naming and instrumentation. Owns them all; knows nothing of how they are scraped.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;

use super::declared::declared;
use super::gauges::Gauges;
use super::names::{ANONYMOUS, BoundedNames, NONE, OTHER};
use super::process;
use super::work::WorkMetrics;
use crate::documents::{Lookup, OperationType};
use crate::load::Load;
use crate::record::RequestRecord;

/// Upper bounds of the latency histograms, in seconds. From a look-up in memory to the request timeout.
const SECONDS: [f64; 13] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];

/// The server's metrics. Clones count into the same ones.
#[derive(Clone, Debug)]
pub struct Metrics(Arc<Inner>);

/// Reports what there is to do.
struct LoadReader(Box<dyn Fn() -> Load + Send + Sync>);

impl std::fmt::Debug for LoadReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LoadReader")
    }
}

#[derive(Debug)]
struct Inner {
    registry: Registry,
    process: Registry,
    load: OnceLock<LoadReader>,
    gauges: Gauges,
    work: WorkMetrics,
    names: BoundedNames,
    counted: Counted,
}

/// A family of latency histograms.
type Latencies<L> = Family<L, Histogram, fn() -> Histogram>;

fn latencies<L: Clone + std::hash::Hash + Eq>() -> Latencies<L> {
    Family::new_with_constructor(|| Histogram::new(SECONDS))
}

declared! {
    /// What is counted and timed.
    Counted {
        http_requests: Family<HttpAnswer, Counter> = Family::default(), "http_requests", "HTTP requests answered";
        http_durations: Latencies<HttpRoute> = latencies(),
            "http_request_duration_seconds", "Time from a request's head to its answer's head";
        http_in_flight: Gauge = Gauge::default(), "http_requests_in_flight", "HTTP requests being worked on";
        requests: Family<Answer, Counter> = Family::default(),
            "graphql_requests", "GraphQL requests by the code of their first error, OK without one";
        durations: Latencies<Operation> = latencies(),
            "graphql_request_duration_seconds", "Time to answer a GraphQL request";
        user_errors: Family<UserErrors, Counter> = Family::default(),
            "graphql_user_errors", "User errors in the answers of mutations, by code";
        documents: Family<Document, Counter> = Family::default(),
            "document_cache_requests", "Documents looked up in the cache of validated ones";
        calls: Family<Access, Counter> = Family::default(),
            "dynamodb_calls", "Requests to DynamoDB by the GraphQL operation that they were made for";
        retries: Family<Operation, Counter> = Family::default(),
            "dynamodb_retries", "Requests to DynamoDB that repeated another";
        conflicts: Family<Operation, Counter> = Family::default(),
            "dynamodb_conflicts", "Writes that a condition or another transaction refused";
        consumed: Family<Access, Counter<f64, AtomicU64>> = Family::default(),
            "dynamodb_consumed_capacity_units", "Request units that DynamoDB charged";
        call_durations: Latencies<Call> = latencies(),
            "dynamodb_call_duration_seconds", "Time of a request to DynamoDB";
    }
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct UserErrors {
    service: &'static str,
    code: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct HttpAnswer {
    method: &'static str,
    route: String,
    status: u16,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct HttpRoute {
    method: &'static str,
    route: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Answer {
    service: &'static str,
    operation: Arc<str>,
    operation_type: &'static str,
    code: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Operation {
    service: &'static str,
    operation: Arc<str>,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Access {
    service: &'static str,
    operation: Arc<str>,
    access: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Document {
    service: &'static str,
    result: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Call {
    call: String,
    table: String,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("trestle");
        let build = Info::new(vec![("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "The version that runs", build);
        let (gauges, work, counted) = (
            Gauges::default(),
            WorkMetrics::default(),
            Counted::default(),
        );
        gauges.register(&mut registry);
        work.register(&mut registry);
        counted.register(&mut registry);
        Self(Arc::new(Inner {
            registry,
            process: process::registry(),
            load: OnceLock::new(),
            gauges,
            work,
            names: BoundedNames::default(),
            counted,
        }))
    }
}

impl Metrics {
    /// All metrics as OpenMetrics text, for `/metrics`.
    pub fn render(&self) -> String {
        if let Some(LoadReader(load)) = self.0.load.get() {
            self.0.gauges.set(&load());
        }
        let mut page = String::new();
        let encoded = text::encode_registry(&mut page, &self.0.registry)
            .and_then(|()| text::encode_registry(&mut page, &self.0.process))
            .and_then(|()| text::encode_eof(&mut page));
        // Writing to a String does not fail, and the labels are plain values that encode.
        if let Err(error) = encoded {
            tracing::error!(%error, "metrics cannot be shown");
        }
        page
    }

    /// Shows what `load` reports, from now on. Only the first is shown.
    pub fn watch(&self, load: impl Fn() -> Load + Send + Sync + 'static) {
        // A second server of the same process would need metrics of its own.
        let _ = self.0.load.set(LoadReader(Box::new(load)));
    }

    /// Counts an answered GraphQL request.
    pub(super) fn finished(&self, request: &RequestRecord) {
        let counted = &self.0.counted;
        let service = request.service;
        let operation = match (request.operation_kind, request.operation_name.as_deref()) {
            (None, _) => NONE.into(),
            (Some(_), None) => ANONYMOUS.into(),
            (Some(_), Some(name)) if request.is_known => self.0.names.label(service, name),
            // Strangers could use up all labels.
            (Some(_), Some(_)) => OTHER.into(),
        };
        let labels = Operation {
            service,
            operation: Arc::clone(&operation),
        };
        let answer = Answer {
            service,
            operation: Arc::clone(&operation),
            operation_type: request.operation_kind.map_or(NONE, OperationType::name),
            code: request.outcome(),
        };
        counted.requests.get_or_create(&answer).inc();
        counted
            .durations
            .get_or_create(&labels)
            .observe(request.duration.as_secs_f64());
        if let Some(lookup) = request.document {
            let result = match lookup {
                Lookup::Hit => "hit",
                Lookup::Miss => "miss",
            };
            counted
                .documents
                .get_or_create(&Document { service, result })
                .inc();
        }
        for code in &request.user_errors {
            let code = code.to_string();
            let labels = UserErrors { service, code };
            counted.user_errors.get_or_create(&labels).inc();
        }
        // Families without a request to DynamoDB would only be rows of zeros.
        let spent = &request.spent;
        if spent.calls == 0 {
            return;
        }
        for (access, calls, units) in [
            ("read", spent.reads, spent.read_units),
            ("write", spent.writes, spent.write_units),
        ] {
            let labels = Access {
                service,
                operation: Arc::clone(&operation),
                access,
            };
            counted.calls.get_or_create(&labels).inc_by(calls);
            counted.consumed.get_or_create(&labels).inc_by(units);
        }
        counted.retries.get_or_create(&labels).inc_by(spent.retries);
        counted
            .conflicts
            .get_or_create(&labels)
            .inc_by(spent.conflicts);
    }

    /// What services do beside requests.
    pub(super) fn work(&self) -> &WorkMetrics {
        &self.0.work
    }

    /// Counts an HTTP request as being worked on until the guard is dropped.
    pub(super) fn in_flight(&self) -> InFlight {
        self.0.counted.http_in_flight.inc();
        InFlight(self.0.counted.http_in_flight.clone())
    }

    /// Counts an answered HTTP request.
    pub(super) fn answered(
        &self,
        method: &'static str,
        route: &str,
        status: u16,
        duration: Duration,
    ) {
        let route = route.to_owned();
        let labels = HttpAnswer {
            method,
            route: route.clone(),
            status,
        };
        self.0.counted.http_requests.get_or_create(&labels).inc();
        let labels = HttpRoute { method, route };
        self.0
            .counted
            .http_durations
            .get_or_create(&labels)
            .observe(duration.as_secs_f64());
    }

    /// Counts a request to DynamoDB.
    pub(super) fn called(&self, call: &str, table: &str, duration: Duration) {
        let labels = Call {
            call: call.to_owned(),
            table: table.to_owned(),
        };
        self.0
            .counted
            .call_durations
            .get_or_create(&labels)
            .observe(duration.as_secs_f64());
    }
}

/// Takes its request off the gauge, also when the client went away and the work was cancelled.
#[derive(Debug)]
pub(super) struct InFlight(Gauge);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.dec();
    }
}
