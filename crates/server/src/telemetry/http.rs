//! Around every HTTP request: its span, which goes on where the caller's trace left off, and its metrics.
//! Source of the names: OpenTelemetry's semantic conventions for HTTP servers.

use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
#[cfg(feature = "telemetry")]
use axum::http::HeaderMap;
use axum::http::header::USER_AGENT;
use axum::http::{Method, Version};
use axum::middleware::Next;
use axum::response::Response;
#[cfg(feature = "telemetry")]
use opentelemetry::propagation::{Extractor, TextMapPropagator as _};
#[cfg(feature = "telemetry")]
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::field::Empty;
use tracing::{Instrument as _, Span};
#[cfg(feature = "telemetry")]
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

use super::Telemetry;
use super::names::NONE;

/// What the conventions say for methods that are not well known, so that they stay few.
const OTHER_METHOD: &str = "_OTHER";
/// What is asked for so often and tells so little that it has no spans.
const UNTRACED: [&str; 3] = ["/livez", "/readyz", "/metrics"];
/// The most bytes of a user agent or a path on a span.
const MAX_TEXT: usize = 256;

/// Middleware for `axum::middleware::from_fn_with_state`. As a layer of the routes, so that it sees which
/// one was matched; outside of everything that may answer in the handler's place.
pub async fn observe(State(telemetry): State<Telemetry>, request: Request, next: Next) -> Response {
    let metrics = telemetry.metrics();
    let _in_flight = metrics.in_flight();
    let begun = Instant::now();
    let method = method_name(request.method());
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map(MatchedPath::as_str);
    let span = request_span(&request, method, route);
    let response = next.run(request).instrument(span.clone()).await;
    let status = response.status().as_u16();
    span.record("http.response.status_code", status);
    if response.status().is_server_error() {
        span.record("error.type", response.status().as_str());
        span.record("otel.status_code", "error");
    }
    metrics.answered(method, route.unwrap_or(NONE), status, begun.elapsed());
    response
}

/// Middleware for where the process is frozen between requests, as on Lambda: sends the spans before the
/// answer is. A layer around [`observe`], whose span has ended then.
pub async fn flush_after(
    State(telemetry): State<Telemetry>,
    request: Request,
    next: Next,
) -> Response {
    let response = next.run(request).await;
    telemetry.flush().await;
    response
}

fn request_span(request: &Request, method: &'static str, route: Option<&str>) -> Span {
    if route.is_some_and(|route| UNTRACED.contains(&route)) {
        return Span::none();
    }
    let name = route.map_or_else(|| method.to_owned(), |route| format!("{method} {route}"));
    let agent = request
        .headers()
        .get(USER_AGENT)
        .and_then(|value| value.to_str().ok());
    let span = tracing::info_span!(
        "http",
        otel.name = name,
        otel.kind = "server",
        "http.request.method" = method,
        "http.route" = route,
        // The query stays out: over GET it carries a document and its variables.
        "url.path" = clipped(path(request, route)),
        "url.scheme" = request.uri().scheme_str().unwrap_or("http"),
        "network.protocol.version" = protocol(request.version()),
        "user_agent.original" = agent.map(clipped),
        "http.response.status_code" = Empty,
        "error.type" = Empty,
        otel.status_code = Empty,
    );
    #[cfg(feature = "telemetry")]
    {
        let caller = TraceContextPropagator::new().extract(&Headers(request.headers()));
        // Fails where there is no tracing to take a trace over, which is no loss.
        let _ = span.set_parent(caller);
    }
    span
}

/// The path of a request. A parameter in it may be a secret, so its name stands for it.
fn path<'r>(request: &'r Request, route: Option<&'r str>) -> &'r str {
    let route = route.filter(|route| route.contains('{') && !route.contains("{*"));
    route.unwrap_or_else(|| request.uri().path())
}

fn clipped(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_TEXT)]
}

fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::CONNECT => "CONNECT",
        Method::OPTIONS => "OPTIONS",
        Method::TRACE => "TRACE",
        Method::PATCH => "PATCH",
        _ => OTHER_METHOD,
    }
}

fn protocol(version: Version) -> &'static str {
    match version {
        Version::HTTP_2 => "2",
        Version::HTTP_3 => "3",
        Version::HTTP_10 => "1.0",
        _ => "1.1",
    }
}

#[cfg(feature = "telemetry")]
/// Lets the propagator read `traceparent` and `tracestate`. Source: W3C Trace Context.
struct Headers<'a>(&'a HeaderMap);

#[cfg(feature = "telemetry")]
impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).and_then(|value| value.to_str().ok())
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(|name| name.as_str()).collect()
    }
}
