//! An OpenTelemetry collector that keeps what it is sent.

#![allow(dead_code, reason = "each test target uses a part of it")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use axum::routing::post;
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;

type Received = Arc<Mutex<Vec<ExportTraceServiceRequest>>>;

pub struct Collector {
    pub url: String,
    received: Received,
}

impl Collector {
    /// Takes spans.
    pub async fn start() -> Self {
        Self::answering(StatusCode::OK).await
    }

    /// Answers every request with `status`.
    pub async fn answering(status: StatusCode) -> Self {
        let received = Received::default();
        let router = Router::new()
            .route("/v1/traces", post(take))
            .with_state((status, received.clone()));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, received }
    }

    pub fn requests(&self) -> Vec<ExportTraceServiceRequest> {
        self.received.lock().expect("no panic").clone()
    }

    pub fn spans(&self) -> Vec<Span> {
        let of_resource = self
            .requests()
            .into_iter()
            .flat_map(|request| request.resource_spans);
        let of_scope = of_resource.flat_map(|resource| resource.scope_spans);
        of_scope.flat_map(|scope| scope.spans).collect()
    }

    /// What is said of the server that the spans are from.
    pub fn resource(&self) -> BTreeMap<String, String> {
        let requests = self.requests();
        let resource = requests[0].resource_spans[0]
            .resource
            .as_ref()
            .expect("a resource");
        attributes(&resource.attributes)
    }
}

async fn take(
    State((status, received)): State<(StatusCode, Received)>,
    headers: HeaderMap,
    body: Bytes,
) -> impl IntoResponse {
    assert_eq!(headers[CONTENT_TYPE], "application/x-protobuf");
    let request = ExportTraceServiceRequest::decode(body).expect("OTLP in protobuf");
    received.lock().expect("no panic").push(request);
    let answer = ExportTraceServiceResponse::default().encode_to_vec();
    (status, [(CONTENT_TYPE, "application/x-protobuf")], answer)
}

/// Attributes as text by name.
pub fn attributes(list: &[KeyValue]) -> BTreeMap<String, String> {
    list.iter()
        .map(|attribute| (attribute.key.clone(), text(attribute.value.as_ref())))
        .collect()
}

fn text(value: Option<&AnyValue>) -> String {
    match value.and_then(|value| value.value.as_ref()) {
        Some(Value::StringValue(text)) => text.clone(),
        Some(Value::IntValue(number)) => number.to_string(),
        Some(Value::DoubleValue(number)) => number.to_string(),
        Some(Value::BoolValue(flag)) => flag.to_string(),
        Some(Value::ArrayValue(list)) => {
            let items: Vec<String> = list.values.iter().map(|item| text(Some(item))).collect();
            format!("[{}]", items.join(", "))
        }
        other => format!("{other:?}"),
    }
}
