//! A request to a service's path: which protocol it speaks.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, Method};
use axum::response::Response;

use super::http::{self, accept};
use super::observe::Recording;
use super::request_id::RequestId;
use super::state::Endpoint;
use super::subscriptions::Framing;
use super::{config, playground, subscriptions};

/// Says that an answer is this server's, and not that of something between it and the client: a proxy whose server is
/// gone, the sign-in page of a network. Their answers can have any status and any media type.
pub(super) const ANSWERED_BY: HeaderName = HeaderName::from_static("x-trestle-answer");
const GRAPHQL: HeaderValue = HeaderValue::from_static("graphql");

/// Answers one request to a service's path.
pub(super) async fn graphql(State(endpoint): State<Endpoint>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    if asks_for_page(&endpoint, &parts) {
        return playground::page(parts.uri.path(), endpoint.service.examples());
    }
    let mut response = answer(endpoint, parts, body).await;
    response.headers_mut().insert(ANSWERED_BY, GRAPHQL);
    response
}

/// The answer in the protocol that the request speaks.
async fn answer(endpoint: Endpoint, parts: Parts, mut body: Body) -> Response {
    let began = Instant::now();
    let id = parts.extensions.get::<RequestId>();
    let id = id.map(|id| id.0.clone()).unwrap_or_default();
    if subscriptions::is_upgrade(&parts.headers) {
        return Box::pin(subscriptions::upgrade(endpoint, parts, id)).await;
    }
    let observer = Arc::clone(&endpoint.app.observer);
    let mut recording = Recording::begin(observer, id, endpoint.service.name(), began);
    // Pages send GET for an `EventSource`.
    let framing = match matches!(parts.method, Method::GET | Method::POST) {
        true => Framing::accepted(&parts.headers),
        false => None,
    };
    let Some(framing) = framing else {
        return http::answered(&endpoint, &parts, &mut body, recording, began).await;
    };
    match http::arrived(&endpoint, &parts, &mut body, &mut recording, began).await {
        Ok(arrived) => {
            Box::pin(subscriptions::events(
                endpoint,
                (framing, &parts),
                arrived,
                recording,
            ))
            .await
        }
        Err(refusal) => http::refused_stream(refusal, &parts, &mut body, recording).await,
    }
}

/// Whether a browser opens the path, rather than a program asking it something.
fn asks_for_page(endpoint: &Endpoint, parts: &Parts) -> bool {
    endpoint.app.args.playground == config::Playground::On
        && parts.method != Method::POST
        && parts.uri.query().is_none_or(|query| !asks_something(query))
        && accept::prefers_html(&parts.headers)
}

fn asks_something(query: &str) -> bool {
    url::form_urlencoded::parse(query.as_bytes())
        .any(|(name, _)| matches!(&*name, "query" | "documentId" | "extensions"))
}
