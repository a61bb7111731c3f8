//! Plain HTTP handlers of services, at paths of their own.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::response::Response;
use http_body_util::BodyExt as _;
use tokio::time::sleep;

use super::graphql::ANSWERED_BY;
use super::http::accept::Media;
use super::http::refusal::Refusal;
use super::identify::address;
use super::request_rules::check_plain;
use super::state::App;
use super::timed_body::{Arrival, TimedBody};
use trestle_api::{ClientAddress, HttpBody, HttpHandler};

/// What these handlers answer with.
const FILE: HeaderValue = HeaderValue::from_static("file");

/// A handler, and the server that it belongs to.
#[derive(Clone)]
pub(super) struct Mounted {
    pub(super) handler: Arc<dyn HttpHandler>,
    pub(super) app: Arc<App>,
}

/// Passes a request to its handler, with the client's address.
pub(super) async fn mounted(State(mounted): State<Mounted>, request: Request) -> Response {
    let (mut parts, body) = request.into_parts();
    if let Err(refusal) = check_plain(&parts, &mounted.app) {
        return refusal.answer(Media::Json);
    }
    if let Some(address) = address(&parts, mounted.app.args.trusted_proxies) {
        parts.extensions.insert(ClientAddress(address));
    }
    let arrival = Arc::new(Arrival::default());
    let body = TimedBody::new(
        body,
        mounted.app.args.connections.send_timeout,
        Arc::clone(&arrival),
    );
    let request = Request::from_parts(parts, body.boxed_unsync());
    let mut response = match answer(&mounted, request, &arrival).await {
        Ok(response) => response.map(Body::new),
        Err(refusal) => refusal.answer(Media::Json),
    };
    response.headers_mut().insert(ANSWERED_BY, FILE);
    response
}

/// The answer of the handler, which has the time of a request for it after each part of the body that it has read.
async fn answer(
    mounted: &Mounted,
    request: Request<HttpBody>,
    arrival: &Arrival,
) -> Result<Response<HttpBody>, Refusal> {
    let limit = mounted.app.args.request_timeout;
    let is_safe = request.method().is_safe();
    let mut answering = mounted.handler.answer(request);
    loop {
        tokio::select! {
            response = &mut answering => {
                return if arrival.is_late() { Err(Refusal::body_time_out()) } else { Ok(response) };
            }
            () = arrival.progress() => {}
            // While the body is awaited, its own time counts.
            () = sleep(limit), if !arrival.is_awaited() => {
                return Err(if is_safe {
                    Refusal::timed_out(limit)
                } else {
                    Refusal::outcome_unknown(limit)
                });
            }
        }
    }
}
