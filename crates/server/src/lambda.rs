//! The same server as an AWS Lambda function behind API Gateway (HTTP API, payload 2.0) or a function URL.
//! Owns the way from an event to a request and back; does not know what is served.

use std::convert::Infallible;
use std::net::IpAddr;

use axum::Router;
use axum::body::Body;
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderName, HeaderValue, Request, Response, StatusCode, Uri};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use lambda_http::RequestExt as _;
use lambda_http::request::RequestContext;
use tower::ServiceExt as _;

use super::identify::Peer;

/// Which variable Lambda sets and nobody else does. Source: AWS Lambda, custom runtimes.
const RUNTIME_API: &str = "AWS_LAMBDA_RUNTIME_API";
/// What Lambda sets beside it, and the runtime cannot do without.
const REQUIRED: [&str; 3] = [
    "AWS_LAMBDA_FUNCTION_NAME",
    "AWS_LAMBDA_FUNCTION_MEMORY_SIZE",
    "AWS_LAMBDA_FUNCTION_VERSION",
];
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The stage that leaves no trace in the path.
const DEFAULT_STAGE: &str = "$default";

/// Why serving Lambda events ended.
#[derive(Debug, thiserror::Error)]
pub enum LambdaError {
    /// The process is told that it runs on Lambda, but not all of what Lambda tells.
    #[error("{RUNTIME_API} is set, but {0} is not: unset the one or set the other.")]
    Environment(&'static str),
    /// The runtime API failed.
    #[error("The Lambda runtime API failed: {0}")]
    Runtime(lambda_http::Error),
}

/// Whether the process runs on Lambda, so that [`run`] is to serve instead of a socket.
pub fn is_lambda() -> bool {
    std::env::var_os(RUNTIME_API).is_some_and(|value| !value.is_empty())
}

/// Answers events, one at a time as Lambda sends them, until Lambda ends the process.
///
/// # Errors
/// When Lambda's environment is incomplete or its runtime API fails.
pub async fn run(router: Router) -> Result<(), LambdaError> {
    if let Some(missing) = REQUIRED
        .into_iter()
        .find(|name| std::env::var_os(name).is_none())
    {
        return Err(LambdaError::Environment(missing));
    }
    let handler = lambda_http::service_fn(move |event| answer(router.clone(), event));
    lambda_http::run(handler)
        .await
        .map_err(LambdaError::Runtime)
}

async fn answer(
    router: Router,
    event: lambda_http::Request,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let response = match request(event) {
        Some(request) => router.oneshot(request).await?,
        None => status(StatusCode::BAD_REQUEST).map(Body::new),
    };
    let (parts, body) = response.into_parts();
    // Collected here because the runtime, which would do it next, panics at a body that breaks off.
    Ok(match body.collect().await {
        Ok(body) => Response::from_parts(parts, Full::new(body.to_bytes())),
        Err(error) => {
            tracing::error!(%error, "an answer broke off");
            status(StatusCode::INTERNAL_SERVER_ERROR)
        }
    })
}

fn status(status: StatusCode) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = status;
    response
}

/// The request as it would have come over a socket; `None` when its path cannot be one.
fn request(event: lambda_http::Request) -> Option<Request<Body>> {
    let path = without_stage(&event).to_owned();
    let target = match event.uri().query() {
        Some(query) => format!("{path}?{query}"),
        None => path,
    };
    let target: PathAndQuery = target.parse().ok()?;
    // Lambda's own id, when the caller brought none: it stands in Lambda's log lines too.
    let id = event
        .lambda_context_ref()
        .map(|context| context.request_id.clone());
    let address = caller(&event);
    let (mut parts, body) = event.into_parts();
    parts.uri = Uri::from(target);
    if let Some(address) = address {
        parts.extensions.insert(Peer(address));
    }
    if let Some(Ok(id)) = id.map(HeaderValue::try_from) {
        parts.headers.entry(REQUEST_ID).or_insert(id);
    }
    Some(Request::from_parts(parts, Body::new(body)))
}

/// The address that Lambda's front end was called from.
fn caller(event: &lambda_http::Request) -> Option<IpAddr> {
    match event.request_context_ref()? {
        RequestContext::ApiGatewayV2(context) => context.http.source_ip.as_deref()?.parse().ok(),
        _ => None,
    }
}

/// The path as the routes know it. Behind a stage with a name, API Gateway puts that name in front of
/// the path, and the library does where API Gateway did not.
fn without_stage(event: &lambda_http::Request) -> &str {
    let path = event.uri().path();
    let stage = match event.request_context_ref() {
        Some(RequestContext::ApiGatewayV2(context)) => context.stage.as_deref(),
        _ => None,
    };
    let Some(stage) = stage.filter(|stage| *stage != DEFAULT_STAGE) else {
        return path;
    };
    // The library takes the bare stage for a path and puts the stage in front once more.
    if event.raw_http_path().strip_prefix('/') == Some(stage) {
        return "/";
    }
    match path
        .strip_prefix('/')
        .and_then(|path| path.strip_prefix(stage))
    {
        Some("") => "/",
        Some(rest) if rest.starts_with('/') => rest,
        _ => path,
    }
}
