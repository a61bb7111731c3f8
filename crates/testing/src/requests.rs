//! Requests to a store and its answers, as the connectors of tests read and make them.

use std::future::Future;

use aws_smithy_runtime_api::client::http::HttpConnectorFuture;
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::http::StatusCode;
use aws_smithy_types::body::SdkBody;
use http_body_util::BodyExt as _;
use serde_json::Value;

/// A request of `operation`.
pub fn request(operation: &str, body: &Value) -> HttpRequest {
    let mut request = HttpRequest::new(SdkBody::from(body.to_string()));
    let target = format!("DynamoDB_20120810.{operation}");
    request.headers_mut().insert("x-amz-target", target);
    request
}

/// The operation that a request names.
pub fn operation(request: &HttpRequest) -> String {
    let target = request.headers().get("x-amz-target").unwrap_or_default();
    let operation = target.rsplit('.').next().unwrap_or_default();
    operation.to_owned()
}

pub fn body(request: &HttpRequest) -> Value {
    serde_json::from_slice(request.body().bytes().unwrap_or_default()).unwrap_or_default()
}

pub fn answer(status: u16, body: &Value) -> HttpResponse {
    let status = StatusCode::try_from(status).expect("a status");
    let mut response = HttpResponse::new(status, SdkBody::from(body.to_string()));
    response
        .headers_mut()
        .insert("content-type", "application/x-amz-json-1.0");
    response
}

pub async fn read(response: HttpResponse) -> Result<Vec<u8>, ConnectorError> {
    let body = response.into_body().collect().await;
    let body = body.map_err(ConnectorError::io)?;
    Ok(body.to_bytes().to_vec())
}

/// Goes on if whoever asked is killed: the store does what it was asked, and what follows from that is done, too.
pub fn to_the_end(
    answer: impl Future<Output = Result<HttpResponse, ConnectorError>> + Send + 'static,
) -> HttpConnectorFuture {
    HttpConnectorFuture::new(async {
        let answered = tokio::spawn(answer).await;
        answered.map_err(|error| ConnectorError::other(error.into(), None))?
    })
}
