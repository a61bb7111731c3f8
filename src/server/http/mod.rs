//! GraphQL over HTTP: from a request to an answer, step by step, each of which may refuse.
//! Source: <https://graphql.github.io/graphql-over-http/draft/>.

pub(super) mod accept;
mod body;
pub(super) mod execution;
pub(super) mod json;
pub(super) mod params;
pub(super) mod refusal;

use std::time::Instant;

use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::response::Response;
use tokio::time::{Instant as Deadline, timeout_at};

use self::accept::Media;
use self::execution::{Answers, Caller};
use self::params::Params;
use self::refusal::Refusal;
use super::connections::InUse;
use super::errors::code_of;
use super::identify::{Identity, address, identify};
use super::observe::Recording;
use super::overload::{Admission, Payer};
use super::state::Endpoint;

/// Answers one request with one answer.
pub(super) async fn answered(
    endpoint: &Endpoint,
    parts: &Parts,
    body: &mut Body,
    mut recording: Recording,
    began: Instant,
) -> Response {
    let media = accept::negotiate(&parts.headers);
    let answer = match media {
        Some(media) => answer(endpoint, (parts, media), body, &mut recording, began).await,
        None => Err(Refusal::not_acceptable()),
    };
    let media = media.unwrap_or(Media::Json);
    let mut answer = match answer {
        Ok(answer) => answer,
        Err(refusal) => {
            body::read_on(&parts.headers, body).await;
            refused(refusal, media, &mut recording)
        }
    };
    recording.record.status = answer.status().as_u16();
    answer
        .headers_mut()
        .append(header::VARY, HeaderValue::from_static("accept"));
    answer
}

/// Refuses a request whose answer would have been a stream.
pub(super) async fn refused_stream(
    refusal: Refusal,
    parts: &Parts,
    body: &mut Body,
    mut recording: Recording,
) -> Response {
    body::read_on(&parts.headers, body).await;
    refused(refusal, Media::Json, &mut recording)
}

pub(super) fn refused(refusal: Refusal, media: Media, recording: &mut Recording) -> Response {
    recording.record.code = refusal.code();
    let answer = refusal.answer(media);
    recording.record.status = answer.status().as_u16();
    answer
}

/// The answer to an operation that ran, with the headers and the caching that its resolvers asked for.
async fn executed(
    endpoint: &Endpoint,
    answer: async_graphql::Response,
    (parts, media): (&Parts, Media),
    deadline: Deadline,
    recording: &mut Recording,
) -> Result<Response, Refusal> {
    let app = &endpoint.app;
    let most = app.args.max_answer_bytes;
    let body = json::bytes(&answer, most).map_err(|_| Refusal::answer_too_large(most))?;
    let connection = parts.extensions.get::<InUse>().cloned();
    let room = timeout_at(deadline, app.sending.room(body.len(), connection)).await;
    let room = room.map_err(|_| execution::late(endpoint, recording))?;
    recording.record.code = answer.errors.first().and_then(code_of);
    let mut response = Response::new(Body::from(body));
    if let Some(room) = room {
        response.extensions_mut().insert(room);
    }
    let headers = response.headers_mut();
    let content_type = HeaderValue::from_static(media.content_type());
    headers.insert(header::CONTENT_TYPE, content_type);
    let caching = answer.cache_control.value().filter(|_| answer.is_ok());
    if let Some(caching) = caching.and_then(|value| HeaderValue::from_str(&value).ok()) {
        headers.insert(header::CACHE_CONTROL, caching);
    }
    headers.extend(answer.http_headers);
    Ok(response)
}

/// A request that was read, from someone who may ask.
pub(super) struct Arrived {
    pub(super) identity: Identity,
    pub(super) params: Params,
    pub(super) deadline: Deadline,
}

/// Authenticates a request, then reads it.
pub(super) async fn arrived(
    endpoint: &Endpoint,
    parts: &Parts,
    body: &mut Body,
    recording: &mut Recording,
    began: Instant,
) -> Result<Arrived, Refusal> {
    let app = &endpoint.app;
    let limit = app.args.request_timeout;
    let deadline = Deadline::from_std(began) + limit;
    if !matches!(parts.method, Method::GET | Method::HEAD | Method::POST) {
        return Err(Refusal::method());
    }
    let address = address(parts, app.args.trusted_proxies);
    let identity = timeout_at(deadline, identify(endpoint, &parts.headers, address)).await;
    let identity = identity.map_err(|_| Refusal::timed_out(limit))?;
    let identity = identity.map_err(|_| Refusal::unauthenticated())?;
    recording.record.subject = Some(identity.viewer.subject().to_owned());
    app.rates
        .request(&Payer::from(&identity.viewer))
        .map_err(|too_much| Refusal::rate_limited(too_much.wait))?;

    let params = if parts.method != Method::POST {
        Params::from_query(parts.uri.query().unwrap_or_default())
    } else {
        let most = app.args.max_body_bytes;
        let arriving = body::read(&parts.headers, body, most, &app.arriving);
        let bytes = timeout_at(deadline, arriving).await;
        Params::from_body(&bytes.map_err(|_| Refusal::body_time_out())??)
    };
    let params = params.map_err(|unreadable| Refusal::unreadable(unreadable.0))?;
    Ok(Arrived {
        identity,
        params,
        deadline,
    })
}

async fn answer(
    endpoint: &Endpoint,
    (parts, media): (&Parts, Media),
    body: &mut Body,
    recording: &mut Recording,
    began: Instant,
) -> Result<Response, Refusal> {
    let app = &endpoint.app;
    let Arrived {
        identity,
        params,
        deadline,
    } = arrived(endpoint, parts, body, recording, began).await?;

    // A request whose time has passed in the queue was never begun: it may safely be repeated.
    let overloaded = || Refusal::overloaded(Admission::COME_BACK);
    let entered = timeout_at(deadline, app.admission.enter())
        .await
        .map_err(|_| overloaded())?;
    let _place = entered.map_err(|_| overloaded())?;

    let exposes_cost = app.args.expose_cost && asks_for_cost(&parts.headers);
    let caller = Caller {
        identity,
        method: &parts.method,
        deadline,
        answers: Answers::One,
    };
    let permitted = execution::permitted(endpoint, &params, &caller, recording)?;
    let mut answer = execution::run(endpoint, permitted, caller, recording).await?;
    if exposes_cost {
        let spent = execution::spent(&recording.meter);
        answer.extensions.insert("cost".to_owned(), spent);
    }
    executed(endpoint, answer, (parts, media), deadline, recording).await
}

fn asks_for_cost(headers: &HeaderMap) -> bool {
    headers
        .get("x-trestle-cost")
        .is_some_and(|value| value == "1")
}
