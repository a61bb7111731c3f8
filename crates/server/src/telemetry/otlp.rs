//! Traces, to an OpenTelemetry collector by OTLP over HTTP. Configured by the standard `OTEL_*` variables,
//! which the SDK reads; off unless they name an endpoint. Owns what leaves: this crate's spans alone,
//! without events, so that no dependency's idea of a useful detail carries data out.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use opentelemetry::trace::{SpanKind, TracerProvider as _};
use opentelemetry::{Array, KeyValue, Value};
use opentelemetry_otlp::SpanExporter as OtlpExporter;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::{OTelSdkError, OTelSdkResult};
use opentelemetry_sdk::trace::{SdkTracerProvider, SpanData, SpanExporter};
use tokio::runtime::Handle;
use tracing::{Level, Metadata};
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::{Layer, Registry};

use super::arguments::TelemetryError;
use super::dynamodb::SPAN as DYNAMODB;

const SERVICE_NAME: &str = "service.name";

/// What makes and sends spans; `None` when `environment` names no endpoint or turns traces off.
pub(super) fn provider(
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<SdkTracerProvider>, TelemetryError> {
    if !wanted(environment)? {
        return Ok(None);
    }
    let exporter = Exporter {
        inner: Arc::new(OtlpExporter::builder().with_http().build()?),
        runtime: Handle::try_current()?,
        failing: Arc::default(),
    };
    Ok(Some(
        SdkTracerProvider::builder()
            .with_resource(resource())
            .with_batch_exporter(exporter)
            .build(),
    ))
}

/// The layer that turns this crate's spans into the provider's.
pub(super) fn layer(provider: &SdkTracerProvider) -> Box<dyn Layer<Registry> + Send + Sync> {
    tracing_opentelemetry::layer()
        .with_tracer(provider.tracer("trestle"))
        .with_location(false)
        .with_threads(false)
        .with_target(false)
        .with_tracked_inactivity(false)
        .with_filter(filter_fn(is_ours))
        .boxed()
}

fn is_our_crate(name: &str) -> bool {
    name == "trestle" || name.starts_with("trestle_")
}

fn is_ours(metadata: &Metadata<'_>) -> bool {
    let root = metadata.target().split("::").next();
    metadata.is_span() && *metadata.level() <= Level::INFO && root.is_some_and(is_our_crate)
}

/// Whether the variables ask for traces.
fn wanted(environment: &dyn Fn(&str) -> Option<String>) -> Result<bool, TelemetryError> {
    let given = |name: &str| environment(name).filter(|value| !value.trim().is_empty());
    if given("OTEL_SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
        return Ok(false);
    }
    match given("OTEL_TRACES_EXPORTER").as_deref() {
        Some("none") => return Ok(false),
        None | Some("otlp") => {}
        Some(other) => {
            return Err(TelemetryError::Unsupported {
                variable: "OTEL_TRACES_EXPORTER",
                value: other.to_owned(),
                instead: "use `otlp` or `none`",
            });
        }
    }
    let endpoints = [
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
        "OTEL_EXPORTER_OTLP_ENDPOINT",
    ];
    if endpoints.into_iter().find_map(given).is_none() {
        return Ok(false);
    }
    for variable in [
        "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
        "OTEL_EXPORTER_OTLP_PROTOCOL",
    ] {
        let Some(value) = given(variable) else {
            continue;
        };
        if value != "http/protobuf" {
            let instead = "use `http/protobuf`, which collectors take on port 4318";
            return Err(TelemetryError::Unsupported {
                variable,
                value,
                instead,
            });
        }
        // The first one that is set counts.
        break;
    }
    Ok(true)
}

/// Who the spans are from: as the variables say, else `trestle`.
fn resource() -> Resource {
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let named = Resource::builder().with_attribute(version.clone()).build();
    let name = named.get(&SERVICE_NAME.into());
    // What the SDK falls back to, which says nothing that the host's name would not.
    if name.is_none_or(|name| name.as_str().starts_with("unknown_service")) {
        return Resource::builder()
            .with_attribute(version)
            .with_service_name("trestle")
            .build();
    }
    named
}

/// Sends batches on the server's runtime: the SDK calls it from a thread of its own, without one.
#[derive(Debug)]
struct Exporter {
    inner: Arc<OtlpExporter>,
    runtime: Handle,
    failing: Arc<AtomicBool>,
}

impl SpanExporter for Exporter {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let inner = Arc::clone(&self.inner);
        let batch = batch.into_iter().map(conventional).collect();
        let sent = self.runtime.spawn(async move { inner.export(batch).await });
        let result = sent
            .await
            .unwrap_or_else(|error| Err(OTelSdkError::InternalFailure(error.to_string())));
        self.report(&result);
        result
    }

    fn set_resource(&mut self, resource: &Resource) {
        // The SDK calls this before it exports anything, when nobody else holds the exporter.
        if let Some(inner) = Arc::get_mut(&mut self.inner) {
            inner.set_resource(resource);
        }
    }
}

impl Exporter {
    /// One line when sending begins to fail and one when it works again, not one a batch.
    fn report(&self, result: &OTelSdkResult) {
        match (result, self.failing.swap(result.is_err(), Relaxed)) {
            (Err(error), false) => tracing::warn!(%error, "the collector does not take traces"),
            (Ok(()), true) => tracing::info!("the collector takes traces again"),
            _ => {}
        }
    }
}

/// Gives the table layer's spans the names of the semantic conventions for DynamoDB. Done here, behind the
/// requests, and so that the table layer need not know them.
fn conventional(mut span: SpanData) -> SpanData {
    if span.name != DYNAMODB {
        return span;
    }
    let operation = text(&span, "operation");
    let table = text(&span, "table");
    let mut attributes = vec![
        KeyValue::new("db.system.name", "aws.dynamodb"),
        KeyValue::new("db.operation.name", operation.clone()),
        KeyValue::new("db.collection.name", table.clone()),
        KeyValue::new("aws.dynamodb.table_names", strings(table.clone())),
    ];
    for attribute in span.attributes {
        match (attribute.key.as_str(), &attribute.value) {
            ("consumed_capacity", Value::F64(units)) => {
                let consumed = serde_json::json!({ "TableName": table, "CapacityUnits": units });
                let consumed = strings(consumed.to_string());
                attributes.push(KeyValue::new("aws.dynamodb.consumed_capacity", consumed));
            }
            ("operation" | "table" | "consumed_capacity", _) => {}
            _ => attributes.push(attribute),
        }
    }
    span.attributes = attributes;
    span.name = format!("{operation} {table}").into();
    span.span_kind = SpanKind::Client;
    span
}

fn text(span: &SpanData, name: &str) -> String {
    let mut attributes = span.attributes.iter();
    attributes
        .find(|attribute| attribute.key.as_str() == name)
        .map(|attribute| attribute.value.as_str().into_owned())
        .unwrap_or_default()
}

fn strings(one: String) -> Value {
    Value::Array(Array::String(vec![one.into()]))
}

#[cfg(test)]
mod tests {
    use super::wanted;

    #[test]
    fn an_endpoint_turns_traces_on_and_what_we_lack_is_said() {
        let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318");
        let of_traces = (
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
            "http://collector:4318/v1/traces",
        );
        let grpc = ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc");
        let http = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/protobuf");
        for (variables, expected) in [
            (vec![], Some(false)),
            (vec![("OTEL_EXPORTER_OTLP_ENDPOINT", "")], Some(false)),
            (
                vec![
                    ("OTEL_SERVICE_NAME", "x"),
                    ("OTEL_TRACES_SAMPLER", "always_on"),
                ],
                Some(false),
            ),
            (vec![endpoint], Some(true)),
            (vec![of_traces], Some(true)),
            (vec![endpoint, ("OTEL_SDK_DISABLED", "true")], Some(false)),
            (vec![endpoint, ("OTEL_SDK_DISABLED", "false")], Some(true)),
            (
                vec![endpoint, ("OTEL_TRACES_EXPORTER", "none")],
                Some(false),
            ),
            (vec![endpoint, ("OTEL_TRACES_EXPORTER", "otlp")], Some(true)),
            (vec![endpoint, ("OTEL_TRACES_EXPORTER", "zipkin")], None),
            (vec![endpoint, grpc], None),
            (vec![endpoint, grpc, http], Some(true)),
            (vec![grpc], Some(false)),
        ] {
            let environment = |name: &str| {
                let found = variables.iter().find(|(variable, _)| *variable == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(wanted(&environment).ok(), expected, "{variables:?}");
        }
    }
}
