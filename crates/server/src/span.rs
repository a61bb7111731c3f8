//! The span of a GraphQL operation. Source of the names: OpenTelemetry's semantic conventions for GraphQL
//! servers; the document stays out, it holds what clients ask for.

use tracing::Span;
use tracing::field::Empty;

use super::documents::OperationType;
use super::record::RequestRecord;
use trestle_api::Code;

/// The span to run the operation of `record` in.
pub(super) fn operation(record: &RequestRecord) -> Span {
    let kind = record
        .operation_kind
        .map_or("operation", OperationType::name);
    tracing::info_span!(
        "graphql",
        // The type alone: a name that clients choose would make endlessly many span names.
        otel.name = kind,
        "graphql.operation.name" = record.operation_name,
        "graphql.operation.type" = kind,
        "trestle.service" = record.service,
        "trestle.request_id" = record.request_id,
        "trestle.dynamodb.calls" = Empty,
        "trestle.dynamodb.retries" = Empty,
        "trestle.dynamodb.conflicts" = Empty,
        "trestle.dynamodb.read_units" = Empty,
        "trestle.dynamodb.write_units" = Empty,
        "error.type" = Empty,
        otel.status_code = Empty,
    )
}

/// Writes onto an operation's span what it took and how it ended. Only faults of ours make the span one
/// of an error, as for HTTP.
pub(super) fn end(span: &Span, record: &RequestRecord) {
    let spent = &record.spent;
    span.record("trestle.dynamodb.calls", spent.calls);
    span.record("trestle.dynamodb.retries", spent.retries);
    span.record("trestle.dynamodb.conflicts", spent.conflicts);
    span.record("trestle.dynamodb.read_units", spent.read_units);
    span.record("trestle.dynamodb.write_units", spent.write_units);
    if let Some(code) = record.code {
        span.record("error.type", code.as_str());
        if matches!(code, Code::InternalServerError | Code::ServiceUnavailable) {
            span.record("otel.status_code", "error");
        }
    }
}
