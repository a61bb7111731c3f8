//! GraphQL over HTTP: from a request to an answer, step by step, each of which may refuse.
//! Source: <https://graphql.github.io/graphql-over-http/draft/>.

pub(super) mod accept;
mod body;
pub(super) mod execution;
pub(super) mod json;
pub(super) mod json_size;
pub(super) mod params;
pub(super) mod refusal;

use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::response::Response;
use tokio::time::{Instant as Deadline, timeout_at};

use self::accept::Media;
pub(super) use self::body::is_json;
use self::execution::{Caller, Permitted, Rights};
use self::params::Params;
use self::refusal::Refusal;
use super::connections::InUse;
use super::documents::OperationType;
use super::errors::code_of;
use super::identify::{Identity, address, identify, ticket};
use super::observe::Recording;
use super::overload::{Admission, RateLimitKey};
use super::pending_response::PendingResponse;
use super::state::Endpoint;

/// What a request is answered with.
pub(super) enum Answered {
    /// One answer.
    Whole(Response),
    /// Answers that follow, of a client that takes them.
    Subscription(Box<Subscription>),
}

/// A subscription that may run.
pub(super) struct Subscription {
    pub(super) permitted: Permitted,
    pub(super) caller: Caller,
    pub(super) recording: Recording,
}

/// Answers one request with one answer.
pub(super) async fn answered(
    endpoint: &Endpoint,
    parts: &Parts,
    media: Media,
    rights: Rights,
    body: &mut Body,
    mut recording: Recording,
) -> Answered {
    let answer = match arrived(endpoint, parts, rights, body, &mut recording).await {
        // Apart, so that a request whose body has not arrived takes no memory for what follows.
        Ok(arrived) => Box::pin(run(endpoint, arrived, parts, media, &mut recording)).await,
        Err(refusal) => Err(refusal),
    };
    match answer {
        Ok(Ran::Answer(answer)) => Answered::Whole(finished(answer, &mut recording)),
        Ok(Ran::Subscription(subscription)) => {
            let (permitted, caller) = *subscription;
            Answered::Subscription(Box::new(Subscription {
                permitted,
                caller,
                recording,
            }))
        }
        Err(refusal) => Answered::Whole(refused_early(refusal, parts, body, recording).await),
    }
}

/// What has become of a request that was read.
enum Ran {
    Answer(Response),
    /// It has more than one answer, and has not begun.
    Subscription(Box<(Permitted, Caller)>),
}

/// Refuses a request whose body may not have been read yet.
pub(super) async fn refused_early(
    refusal: Refusal,
    parts: &Parts,
    body: &mut Body,
    mut recording: Recording,
) -> Response {
    body::read_on(&parts.headers, body).await;
    let media = accept::negotiate(&parts.headers).unwrap_or(Media::Json);
    let answer = refused(refusal, media, &mut recording);
    finished(answer, &mut recording)
}

fn finished(mut answer: Response, recording: &mut Recording) -> Response {
    recording.record.status = answer.status().as_u16();
    let headers = answer.headers_mut();
    headers.append(header::VARY, VARY);
    // Shared caches keep what was asked for with a key unless they are told not to.
    headers.entry(header::CACHE_CONTROL).or_insert(PERSONAL);
    answer
}

/// The headers on which an answer depends: its media type, and who asks.
const VARY: HeaderValue = HeaderValue::from_static("accept, authorization, x-api-key");
/// How an answer is kept unless a resolver says otherwise.
const PERSONAL: HeaderValue = HeaderValue::from_static("private, no-store");

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
    making: PendingResponse,
    parts: &Parts,
    media: Media,
    deadline: Deadline,
    recording: &mut Recording,
) -> Result<Response, Refusal> {
    let app = &endpoint.app;
    let most = app.args.max_answer_bytes;
    let body = json::bytes(&answer, most).map_err(|_| Refusal::answer_too_large(most))?;
    recording.record.code = answer.errors.first().and_then(code_of);
    let caching = answer.cache_control.value().filter(|_| answer.is_ok());
    let asked = answer.http_headers.clone();
    // The tree is as large as the JSON: nothing but that may be held while it waits.
    drop(answer);
    let connection = parts.extensions.get::<InUse>().cloned();
    let room = timeout_at(deadline, making.send(body.len(), connection)).await;
    let room = room.map_err(|_| execution::late(endpoint, recording, true))?;
    let mut response = Response::new(Body::from(body));
    if let Some(room) = room {
        response.extensions_mut().insert(room);
    }
    let headers = response.headers_mut();
    let content_type = HeaderValue::from_static(media.content_type());
    headers.insert(header::CONTENT_TYPE, content_type);
    if let Some(caching) = caching.and_then(|value| HeaderValue::from_str(&value).ok()) {
        headers.insert(header::CACHE_CONTROL, caching);
    }
    headers.extend(asked);
    Ok(response)
}

/// A request that was read, from someone who may ask.
pub(super) struct Arrived {
    pub(super) identity: Identity,
    pub(super) rights: Rights,
    pub(super) params: Params,
    pub(super) deadline: Deadline,
}

/// Authenticates a request, then reads it.
pub(super) async fn arrived(
    endpoint: &Endpoint,
    parts: &Parts,
    rights: Rights,
    body: &mut Body,
    recording: &mut Recording,
) -> Result<Arrived, Refusal> {
    let app = &endpoint.app;
    let limit = app.args.request_timeout;
    let deadline = Deadline::from_std(recording.began()) + limit;
    let address = address(parts, app.args.trusted_proxies);
    let identity = timeout_at(deadline, identify(endpoint, &parts.headers, address)).await;
    let identity = identity.map_err(|_| Refusal::timed_out(limit))?;
    let mut identity = identity.map_err(|_| Refusal::unauthenticated())?;
    if let Some(presented) = &mut identity.presented {
        presented.ticket = ticket(parts);
    }
    recording.record.subject = Some(identity.viewer.subject().to_owned());
    app.rates
        .request(&RateLimitKey::from(&identity.viewer))
        .map_err(|too_much| Refusal::rate_limited(too_much.wait))?;

    let most_values = app.args.max_values();
    // What has arrived keeps its room until it has been read and has room as parameters.
    let mut arrived = None;
    let params = if parts.method != Method::POST {
        Params::from_query(parts.uri.query().unwrap_or_default(), most_values)
    } else {
        let most = app.args.max_body_bytes;
        let arriving = body::read(&parts.headers, body, most, &app.body_budget, address);
        let read = timeout_at(deadline, arriving).await;
        let (bytes, room) = read.map_err(|_| Refusal::body_time_out())??;
        arrived = room;
        let length = bytes.len();
        let reading = app
            .checks
            .read(length, move || Params::from_body(&bytes, most_values));
        let read = timeout_at(deadline, reading).await;
        read.map_err(|_| Refusal::overloaded(Admission::COME_BACK))?
    };
    let params = params?
        .held_in(&app.params_budget, address, deadline)
        .await?;
    drop(arrived);
    Ok(Arrived {
        identity,
        rights,
        params,
        deadline,
    })
}

/// Runs a request that was read.
async fn run(
    endpoint: &Endpoint,
    arrived: Arrived,
    parts: &Parts,
    media: Media,
    recording: &mut Recording,
) -> Result<Ran, Refusal> {
    let app = &endpoint.app;
    let Arrived {
        identity,
        rights,
        params,
        deadline,
    } = arrived;
    // A request whose time has passed in the queue was never begun: it may safely be repeated.
    let Ok(Ok(place)) = timeout_at(deadline, app.admission.enter()).await else {
        return Err(Refusal::overloaded(Admission::COME_BACK));
    };

    let exposes_cost = app.args.expose_cost && asks_for_cost(&parts.headers);
    let caller = Caller {
        identity,
        rights,
        deadline,
    };
    let permitted = execution::permitted(endpoint, params, &caller, recording).await?;
    if permitted.kind == OperationType::Subscription {
        return Ok(Ran::Subscription(Box::new((permitted, caller))));
    }
    let (mut answer, making) =
        execution::run(endpoint, permitted, caller, &place, recording).await?;
    if exposes_cost {
        let spent = execution::spent(&recording.meter);
        answer.extensions.insert("cost".to_owned(), spent);
    }
    // What is left is to be written and sent.
    drop(place);
    let answer = executed(endpoint, answer, making, parts, media, deadline, recording).await?;
    Ok(Ran::Answer(answer))
}

fn asks_for_cost(headers: &HeaderMap) -> bool {
    headers
        .get("x-trestle-cost")
        .is_some_and(|value| value == "1")
}
