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

use super::gauges::Gauges;
use super::names::{ANONYMOUS, BoundedNames, NONE};
use super::process;
use super::work::WorkMetrics;
use crate::server::documents::{Kind, Lookup};
use crate::server::load::Load;
use crate::server::record::RequestRecord;

/// Upper bounds of the latency histograms, in seconds. From a look-up in memory to the request timeout.
const SECONDS: [f64; 13] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];

/// The server's metrics. Clones count into the same ones.
#[derive(Clone, Debug)]
pub struct Metrics(Arc<Inner>);

/// Reports what there is to do.
struct Watched(Box<dyn Fn() -> Load + Send + Sync>);

impl std::fmt::Debug for Watched {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Watched")
    }
}

#[derive(Debug)]
struct Inner {
    registry: Registry,
    process: Registry,
    load: OnceLock<Watched>,
    gauges: Gauges,
    work: WorkMetrics,
    user_errors: Family<UserErrors, Counter>,
    names: BoundedNames,
    http_requests: Family<HttpAnswer, Counter>,
    http_durations: Family<HttpRoute, Histogram, fn() -> Histogram>,
    http_in_flight: Gauge,
    requests: Family<Answer, Counter>,
    durations: Family<Operation, Histogram, fn() -> Histogram>,
    documents: Family<Document, Counter>,
    calls: Family<Access, Counter>,
    retries: Family<Operation, Counter>,
    conflicts: Family<Operation, Counter>,
    consumed: Family<Access, Counter<f64, AtomicU64>>,
    call_durations: Family<Call, Histogram, fn() -> Histogram>,
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
        let latency: fn() -> Histogram = || Histogram::new(SECONDS);
        let mut inner = Inner {
            registry: Registry::with_prefix("trestle"),
            process: process::registry(),
            load: OnceLock::new(),
            gauges: Gauges::default(),
            work: WorkMetrics::default(),
            user_errors: Family::default(),
            names: BoundedNames::default(),
            http_requests: Family::default(),
            http_durations: Family::new_with_constructor(latency),
            http_in_flight: Gauge::default(),
            requests: Family::default(),
            durations: Family::new_with_constructor(latency),
            documents: Family::default(),
            calls: Family::default(),
            retries: Family::default(),
            conflicts: Family::default(),
            consumed: Family::default(),
            call_durations: Family::new_with_constructor(latency),
        };
        inner.register();
        Self(Arc::new(inner))
    }
}

impl Inner {
    /// Names them. The library appends `_total` to counters, and the full stop to each help text.
    fn register(&mut self) {
        let registry = &mut self.registry;
        let build = Info::new(vec![("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "The version that runs", build);
        registry.register(
            "http_requests",
            "HTTP requests answered",
            self.http_requests.clone(),
        );
        registry.register(
            "http_request_duration_seconds",
            "Time from a request's head to its answer's head",
            self.http_durations.clone(),
        );
        registry.register(
            "http_requests_in_flight",
            "HTTP requests being worked on",
            self.http_in_flight.clone(),
        );
        registry.register(
            "graphql_requests",
            "GraphQL requests by the code of their first error, OK without one",
            self.requests.clone(),
        );
        registry.register(
            "graphql_request_duration_seconds",
            "Time to answer a GraphQL request",
            self.durations.clone(),
        );
        registry.register(
            "graphql_user_errors",
            "User errors in the answers of mutations, by code",
            self.user_errors.clone(),
        );
        self.gauges.register(registry);
        self.work.register(registry);
        registry.register(
            "document_cache_requests",
            "Documents looked up in the cache of validated ones",
            self.documents.clone(),
        );
        registry.register(
            "dynamodb_calls",
            "Requests to DynamoDB by the GraphQL operation that they were made for",
            self.calls.clone(),
        );
        registry.register(
            "dynamodb_retries",
            "Requests to DynamoDB that repeated another",
            self.retries.clone(),
        );
        registry.register(
            "dynamodb_conflicts",
            "Writes that a condition or another transaction refused",
            self.conflicts.clone(),
        );
        registry.register(
            "dynamodb_consumed_capacity_units",
            "Request units that DynamoDB charged",
            self.consumed.clone(),
        );
        registry.register(
            "dynamodb_call_duration_seconds",
            "Time of a request to DynamoDB",
            self.call_durations.clone(),
        );
    }
}

impl Metrics {
    /// The media type of [`render`](Self::render).
    pub const CONTENT_TYPE: &'static str =
        "application/openmetrics-text; version=1.0.0; charset=utf-8";

    /// All metrics as OpenMetrics text, for `/metrics`.
    pub fn render(&self) -> String {
        if let Some(Watched(load)) = self.0.load.get() {
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
        let _ = self.0.load.set(Watched(Box::new(load)));
    }

    /// Counts an answered GraphQL request.
    pub(super) fn finished(&self, request: &RequestRecord) {
        let inner = &*self.0;
        let service = request.service;
        let operation = match (request.operation_kind, request.operation_name.as_deref()) {
            (None, _) => NONE.into(),
            (Some(_), None) => ANONYMOUS.into(),
            (Some(_), Some(name)) => inner.names.label(name),
        };
        let labels = Operation {
            service,
            operation: Arc::clone(&operation),
        };
        let answer = Answer {
            service,
            operation: Arc::clone(&operation),
            operation_type: request.operation_kind.map_or(NONE, Kind::as_str),
            code: request.outcome(),
        };
        inner.requests.get_or_create(&answer).inc();
        inner
            .durations
            .get_or_create(&labels)
            .observe(request.duration.as_secs_f64());
        if let Some(lookup) = request.document {
            let result = match lookup {
                Lookup::Hit => "hit",
                Lookup::Miss => "miss",
            };
            inner
                .documents
                .get_or_create(&Document { service, result })
                .inc();
        }
        for code in &request.user_errors {
            let code = code.to_string();
            let labels = UserErrors { service, code };
            inner.user_errors.get_or_create(&labels).inc();
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
            inner.calls.get_or_create(&labels).inc_by(calls);
            inner.consumed.get_or_create(&labels).inc_by(units);
        }
        inner.retries.get_or_create(&labels).inc_by(spent.retries);
        inner
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
        self.0.http_in_flight.inc();
        InFlight(self.0.http_in_flight.clone())
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
        self.0.http_requests.get_or_create(&labels).inc();
        let labels = HttpRoute { method, route };
        self.0
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
