//! The log: where it goes, how it looks, and the one line that each GraphQL request gets.

use std::io::IsTerminal as _;
use std::time::Duration;

#[cfg(feature = "telemetry")]
use opentelemetry::trace::TraceContextExt as _;
use tracing::{Level, Metadata};
#[cfg(feature = "telemetry")]
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::filter::{FilterExt as _, filter_fn};
use tracing_subscriber::{Layer, Registry, fmt};

use super::arguments::{TelemetryArgs, TelemetryError};
use crate::documents::OperationType;
use crate::observe::RequestRecord;
use trestle_api::Code;

/// What the lines of requests are called in a filter: `--log info,trestle::request=off`.
const REQUESTS: &str = "trestle::request";

/// Writes events to the standard error stream. Spans are for traces: their fields would repeat on every
/// line.
pub(super) fn layer(
    args: &TelemetryArgs,
) -> Result<Box<dyn Layer<Registry> + Send + Sync>, TelemetryError> {
    let filter = args.filter()?.and(filter_fn(|event: &Metadata<'_>| {
        event.is_event() && !is_traffic(event)
    }));
    let lines = fmt::layer().with_writer(std::io::stderr);
    let colours = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    Ok(if args.as_json() {
        let lines = lines.json().flatten_event(true).with_current_span(false);
        lines.with_span_list(false).with_filter(filter).boxed()
    } else {
        lines.with_ansi(colours).with_filter(filter).boxed()
    })
}

/// Whether an event is of a library at level `trace`: those show whole requests and answers, secrets included.
fn is_traffic(event: &Metadata<'_>) -> bool {
    *event.level() == Level::TRACE && !event.target().starts_with("trestle")
}

/// The line of one request: at level `warn` when the fault is ours, else `info`.
pub(super) fn write(request: &RequestRecord) {
    #[cfg(feature = "telemetry")]
    let context = tracing::Span::current().context();
    #[cfg(feature = "telemetry")]
    let span = context.span();
    #[cfg(feature = "telemetry")]
    let trace_id = span
        .span_context()
        .is_valid()
        .then(|| span.span_context().trace_id());
    #[cfg(not(feature = "telemetry"))]
    let trace_id: Option<&str> = None;
    let spent = &request.spent;
    macro_rules! line {
        ($level:ident) => {
            tracing::$level!(
                target: REQUESTS,
                request_id = request.request_id,
                trace_id = trace_id.map(tracing::field::display),
                service = request.service,
                subject = request.subject,
                operation = request.operation_name,
                operation_type = request.operation_kind.map(OperationType::name),
                code = request.outcome(),
                status = request.status,
                cost = request.cost,
                calls = spent.calls,
                retries = spent.retries,
                conflicts = spent.conflicts,
                read_units = spent.read_units,
                write_units = spent.write_units,
                duration_ms = milliseconds(request.duration),
                "request"
            )
        };
    }
    match request.code {
        Some(Code::InternalServerError | Code::ServiceUnavailable) => line!(warn),
        _ => line!(info),
    }
}

/// With microseconds as the fraction.
fn milliseconds(duration: Duration) -> f64 {
    duration.as_micros() as f64 / 1000.0
}
