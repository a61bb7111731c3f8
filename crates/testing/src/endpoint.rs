//! A store's connector on a port, for programs that reach it by `AWS_ENDPOINT_URL_DYNAMODB`. What the connector loses is
//! lost on the connection, too.

use std::net::SocketAddr;

use aws_smithy_runtime_api::client::http::{HttpConnector as _, SharedHttpConnector};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_types::body::SdkBody;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use http_body_util::BodyExt as _;
use tokio::net::TcpListener;

/// The most that DynamoDB takes in one request.
const LARGEST: usize = 16 * 1024 * 1024;

/// Serves the connector as long as the test runs.
pub async fn serve(connector: SharedHttpConnector) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let router = Router::new().fallback(answer).with_state(connector);
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

async fn answer(State(connector): State<SharedHttpConnector>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let Ok(body) = to_bytes(body, LARGEST).await else {
        return broken();
    };
    let mut asked = HttpRequest::new(SdkBody::from(body));
    for (name, value) in &head.headers {
        if let Ok(value) = value.to_str() {
            asked
                .headers_mut()
                .insert(name.as_str().to_owned(), value.to_owned());
        }
    }
    let Ok(answered) = connector.call(asked).await else {
        return broken();
    };
    let status = answered.status().as_u16();
    let Ok(body) = answered.into_body().collect().await else {
        return broken();
    };
    let response = Response::builder()
        .status(status)
        .header("content-type", "application/x-amz-json-1.0");
    response
        .body(Body::from(body.to_bytes()))
        .expect("a response")
}

/// An answer that ends before it began.
fn broken() -> Response {
    let lost = std::io::Error::other("lost, by the test");
    let body = futures_util::stream::once(async { Err::<Vec<u8>, _>(lost) });
    Response::new(Body::from_stream(body))
}
