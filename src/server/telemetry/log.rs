//! The log: where it goes, how it looks, and the one line that each GraphQL request gets.

use std::time::Duration;

use opentelemetry::trace::TraceContextExt as _;
use tracing::Metadata;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::filter::{FilterExt as _, filter_fn};
use tracing_subscriber::{Layer, Registry, fmt};

use crate::api::Code;
use crate::table::Spent;

use super::arguments::{TelemetryArgs, TelemetryError};
use super::names::operation_name;

/// What the lines of requests are called in a filter: `--log info,trestle::request=off`.
const REQUESTS: &str = "trestle::request";
/// The status that stands for none, as nginx logs it: nobody waited for the answer.
const CLIENT_GONE: u16 = 499;

/// What is known of a GraphQL request once it is answered. Names and numbers alone.
#[derive(Clone, Copy, Debug)]
pub struct FinishedRequest<'a> {
    /// Taken over from `x-request-id`, or made.
    pub request_id: &'a str,
    /// The service that was asked; `None` when the request reached none.
    pub service: Option<&'a str>,
    /// The operation's name in its document.
    pub operation_name: Option<&'a str>,
    /// `query`, `mutation` or `subscription`; `None` when no operation was found to run.
    pub operation_type: Option<&'static str>,
    /// The authenticated subject; `None` when the request was refused before.
    pub subject: Option<&'a str>,
    /// The estimated cost, once known.
    pub cost: Option<u64>,
    /// The HTTP status of the answer, or 499 when the client went away before it.
    pub status: u16,
    /// The code of the first error.
    pub code: Option<Code>,
    /// Whether the document was known; `None` when it was not looked up.
    pub document_cache: Option<DocumentCache>,
    /// What DynamoDB was asked for.
    pub spent: Spent,
    /// From the request's head to its answer.
    pub duration: Duration,
}

/// What the cache of validated documents said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentCache {
    /// The document was there.
    Hit,
    /// It had to be parsed and validated.
    Miss,
}

impl FinishedRequest<'_> {
    pub(super) fn code_name(&self) -> &'static str {
        match (self.code, self.status) {
            (Some(code), _) => code.as_str(),
            (None, CLIENT_GONE) => "CLIENT_GONE",
            (None, _) => "OK",
        }
    }
}

/// Writes events to the standard error stream. Spans are for traces: their fields would repeat on every
/// line.
pub(super) fn layer(
    args: &TelemetryArgs,
) -> Result<Box<dyn Layer<Registry> + Send + Sync>, TelemetryError> {
    let filter = args
        .filter()?
        .and(filter_fn(|event: &Metadata<'_>| event.is_event()));
    let lines = fmt::layer().with_writer(std::io::stderr);
    Ok(if args.as_json() {
        let lines = lines.json().flatten_event(true).with_current_span(false);
        lines.with_span_list(false).with_filter(filter).boxed()
    } else {
        lines.with_filter(filter).boxed()
    })
}

/// The line of one request: at level `warn` when the fault is ours, else `info`.
pub(super) fn write(request: &FinishedRequest<'_>) {
    let context = tracing::Span::current().context();
    let span = context.span();
    let trace_id = span
        .span_context()
        .is_valid()
        .then(|| span.span_context().trace_id());
    let spent = &request.spent;
    macro_rules! line {
        ($level:ident) => {
            tracing::$level!(
                target: REQUESTS,
                request_id = request.request_id,
                trace_id = trace_id.map(tracing::field::display),
                service = request.service,
                subject = request.subject,
                operation = request.operation_name.map(operation_name),
                operation_type = request.operation_type,
                code = request.code_name(),
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
