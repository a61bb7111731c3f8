//! A request to a service's path, handed to the transport that answers it.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;

use super::http::Answered;
use super::observe::Recording;
use super::request_id::RequestId;
use super::request_rules::{self, Transport};
use super::state::Endpoint;
use super::{http, playground, subscriptions};

/// Says that an answer is this server's, and not that of something between it and the client: a proxy whose server is
/// gone, the sign-in page of a network. Their answers can have any status and any media type.
pub(super) const ANSWERED_BY: HeaderName = HeaderName::from_static("x-trestle-answer");
const GRAPHQL: HeaderValue = HeaderValue::from_static("graphql");

/// Answers one request to a service's path.
pub(super) async fn graphql(State(endpoint): State<Endpoint>, request: Request) -> Response {
    let mut response = answer(endpoint, request).await;
    response.headers_mut().insert(ANSWERED_BY, GRAPHQL);
    response
}

/// The answer in the protocol that the request speaks.
async fn answer(endpoint: Endpoint, request: Request) -> Response {
    let began = Instant::now();
    let (parts, mut body) = request.into_parts();
    let id = parts.extensions.get::<RequestId>();
    let id = id.map(|id| id.0.clone()).unwrap_or_default();
    let observer = Arc::clone(&endpoint.app.observer);
    let begin = |id| Recording::begin(observer, id, endpoint.service.name(), began);
    let (transport, rights) = match request_rules::decide(&parts, &endpoint.app) {
        Ok(decided) => decided,
        Err(refusal) => {
            return http::refused_early(*refusal, &parts, &mut body, begin(id)).await;
        }
    };
    match transport {
        Transport::Page => playground::page(parts.uri.path(), endpoint.service.examples()),
        // Each of its operations has a recording of its own.
        Transport::WebSocket => Box::pin(subscriptions::upgrade(endpoint, parts, id, rights)).await,
        Transport::Single(media) => {
            let recording = begin(id);
            match http::answered(&endpoint, &parts, media, rights, &mut body, recording).await {
                Answered::Whole(response) => response,
                Answered::Subscription(subscription) => {
                    Box::pin(subscriptions::subscription(endpoint, &parts, *subscription)).await
                }
            }
        }
        Transport::Stream(framing) => {
            let mut recording = begin(id);
            match http::arrived(&endpoint, &parts, rights, &mut body, &mut recording).await {
                Ok(arrived) => {
                    let events =
                        subscriptions::events(endpoint, framing, &parts, arrived, recording);
                    Box::pin(events).await
                }
                Err(refusal) => http::refused_early(refusal, &parts, &mut body, recording).await,
            }
        }
    }
}
