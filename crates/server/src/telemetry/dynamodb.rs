//! What the table layer's spans say, as metrics. The layer knows nothing of metrics: it opens a span named
//! `dynamodb` around each call, with the fields `operation` and `table`.

use std::fmt;
use std::time::Instant;

use tracing::Subscriber;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use super::metrics::Metrics;

/// The name of the span around a call to DynamoDB.
pub(super) const SPAN: &str = "dynamodb";

/// Measures each span of that name from its beginning to its end.
pub(super) struct CallDurations(Metrics);

impl CallDurations {
    pub(super) fn new(metrics: Metrics) -> Self {
        Self(metrics)
    }

    /// As a layer that sees these spans alone, whatever the log's filter says.
    pub(super) fn boxed<S>(self) -> Box<dyn Layer<S> + Send + Sync>
    where
        S: Subscriber + for<'span> LookupSpan<'span>,
    {
        let calls = filter_fn(|metadata| metadata.is_span() && metadata.name() == SPAN);
        Box::new(self.with_filter(calls))
    }
}

struct Begun {
    at: Instant,
    names: Names,
}

#[derive(Default)]
struct Names {
    operation: String,
    table: String,
}

impl Visit for Names {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "operation" => self.operation = value.to_owned(),
            "table" => self.table = value.to_owned(),
            _ => {}
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn fmt::Debug) {}
}

impl<S: Subscriber + for<'span> LookupSpan<'span>> Layer<S> for CallDurations {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut names = Names::default();
        attributes.record(&mut names);
        span.extensions_mut().insert(Begun {
            at: Instant::now(),
            names,
        });
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else {
            return;
        };
        let begun = span.extensions_mut().remove::<Begun>();
        if let Some(Begun { at, names }) = begun {
            self.0.called(&names.operation, &names.table, at.elapsed());
        }
    }
}
