//! The span of a GraphQL operation. Source of the names: OpenTelemetry's semantic conventions for GraphQL
//! servers; the document stays out, it holds what clients ask for.

use tracing::Span;
use tracing::field::Empty;

use crate::api::Code;
use crate::table::Spent;

use super::names;

/// The span to run one operation in. `operation_type` is `query`, `mutation` or `subscription`.
pub fn operation_span(
    service: &'static str,
    name: Option<&str>,
    operation_type: &'static str,
) -> Span {
    tracing::info_span!(
        "graphql",
        // The type alone: a name that clients choose would make endlessly many span names.
        otel.name = operation_type,
        "graphql.operation.name" = name.map(names::operation_name),
        "graphql.operation.type" = operation_type,
        "trestle.service" = service,
        "trestle.dynamodb.calls" = Empty,
        "trestle.dynamodb.retries" = Empty,
        "trestle.dynamodb.conflicts" = Empty,
        "trestle.dynamodb.read_units" = Empty,
        "trestle.dynamodb.write_units" = Empty,
        "error.type" = Empty,
        otel.status_code = Empty,
    )
}

/// Writes onto an operation's span what it took and how it ended: `code` is that of its first error. Only
/// faults of ours make the span one of an error, as for HTTP.
pub fn record_outcome(span: &Span, spent: &Spent, code: Option<Code>) {
    span.record("trestle.dynamodb.calls", spent.calls);
    span.record("trestle.dynamodb.retries", spent.retries);
    span.record("trestle.dynamodb.conflicts", spent.conflicts);
    span.record("trestle.dynamodb.read_units", spent.read_units);
    span.record("trestle.dynamodb.write_units", spent.write_units);
    if let Some(code) = code {
        span.record("error.type", code.as_str());
        if matches!(code, Code::InternalServerError | Code::ServiceUnavailable) {
            span.record("otel.status_code", "error");
        }
    }
}
