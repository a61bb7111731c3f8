//! What services do beside requests, as metrics. A service knows nothing of metrics: it emits events with the target
//! [`TARGET`]: `waiting` and `taken` for how much there is to do, `outcome` and `seconds` for what has ended.

use std::fmt;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use super::declared::declared;

/// The target of the events.
pub(super) const TARGET: &str = "trestle::work";

/// Upper bounds of the durations, in seconds.
const SECONDS: [f64; 8] = [1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0];

declared! {
    /// The metrics of work.
    WorkMetrics {
        queued: Family<Of, Gauge> = Family::default(),
            "work_queued", "Work that waits, such as runs for a worker";
        running: Family<Of, Gauge> = Family::default(), "work_running", "Work that is being done";
        durations: Family<Ended, Histogram, fn() -> Histogram>
            = Family::new_with_constructor(|| Histogram::new(SECONDS)),
            "work_duration_seconds", "Time from the start of work to its end, by outcome";
    }
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Of {
    service: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Ended {
    service: String,
    outcome: String,
}

impl WorkMetrics {
    fn note(&self, said: Said) {
        let service = said.service;
        let of = Of {
            service: service.clone(),
        };
        for (family, value) in [(&self.queued, said.waiting), (&self.running, said.taken)] {
            if let Some(value) = value {
                family.get_or_create(&of).set(value);
            }
        }
        if let Some((outcome, seconds)) = said.outcome.zip(said.seconds) {
            let ended = self.durations.get_or_create(&Ended { service, outcome });
            ended.observe(seconds as f64);
        }
    }
}

/// What an event says.
#[derive(Default)]
struct Said {
    service: String,
    waiting: Option<i64>,
    taken: Option<i64>,
    outcome: Option<String>,
    seconds: Option<i64>,
}

impl Visit for Said {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "service" => self.service = value.to_owned(),
            "outcome" => self.outcome = Some(value.to_owned()),
            _ => {}
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.record_i64(field, i64::try_from(value).unwrap_or(i64::MAX));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        match field.name() {
            "waiting" => self.waiting = Some(value),
            "taken" => self.taken = Some(value),
            "seconds" => self.seconds = Some(value),
            _ => {}
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn fmt::Debug) {}
}

/// Counts the events.
pub(super) struct WorkEvents(WorkMetrics);

impl WorkEvents {
    /// As a layer that sees these events alone, whatever the log's filter says.
    pub(super) fn boxed<S>(metrics: WorkMetrics) -> Box<dyn Layer<S> + Send + Sync>
    where
        S: Subscriber + for<'span> LookupSpan<'span>,
    {
        let events = filter_fn(|metadata| metadata.is_event() && metadata.target() == TARGET);
        Box::new(Self(metrics).with_filter(events))
    }
}

impl<S: Subscriber + for<'span> LookupSpan<'span>> Layer<S> for WorkEvents {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut said = Said::default();
        event.record(&mut said);
        self.0.note(said);
    }
}
