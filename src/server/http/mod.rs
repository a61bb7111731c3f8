//! GraphQL over HTTP: from a request to an answer, step by step, each of which may refuse.
//! Source: <https://graphql.github.io/graphql-over-http/draft/>.

pub(super) mod accept;
mod body;
pub(super) mod execution;
pub(super) mod params;
pub(super) mod refusal;

use std::sync::Arc;
use std::time::Instant;

use async_graphql_axum::GraphQLResponse;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::response::{IntoResponse as _, Response};
use tokio::time::{Instant as Deadline, timeout_at};

use self::accept::Media;
use self::execution::{Answers, Caller};
use self::params::Params;
use self::refusal::Refusal;
use super::errors::code_of;
use super::observe::Recording;
use super::overload::Admission;
use super::request_id::RequestId;
use super::state::Endpoint;
use super::{config, playground, subscriptions};
use crate::viewer::Viewer;

/// Answers one request to a service's path.
pub async fn graphql(State(endpoint): State<Endpoint>, request: Request) -> Response {
    let began = Instant::now();
    let (parts, mut body) = request.into_parts();
    if asks_for_page(&endpoint, &parts) {
        return playground::page(parts.uri.path(), endpoint.service.examples());
    }
    let id = parts
        .extensions
        .get::<RequestId>()
        .map(|id| id.0.clone())
        .unwrap_or_default();
    if subscriptions::is_upgrade(&parts.headers) {
        return subscriptions::upgrade(endpoint, parts, id).await;
    }
    let observer = Arc::clone(&endpoint.app.observer);
    let mut recording = Recording::begin(observer, id, endpoint.service.name(), began);
    if accept::wants_events(&parts.headers) && parts.method == Method::POST {
        return match arrived(&endpoint, &parts, &mut body, &mut recording, began).await {
            Ok(arrived) => subscriptions::events(endpoint, parts.headers, arrived, recording).await,
            Err(refusal) => {
                body::read_on(&mut body).await;
                refused(refusal, Media::Json, &mut recording)
            }
        };
    }

    let media = accept::negotiate(&parts.headers);
    let answer = match media {
        Some(_) => answer(&endpoint, &parts, &mut body, &mut recording, began).await,
        None => Err(Refusal::not_acceptable()),
    };
    let media = media.unwrap_or(Media::Json);
    let mut answer = match answer {
        Ok(answer) => {
            recording.record.code = answer.errors.first().and_then(code_of);
            executed(answer, media)
        }
        Err(refusal) => {
            body::read_on(&mut body).await;
            refused(refusal, media, &mut recording)
        }
    };
    recording.record.status = answer.status().as_u16();
    answer
        .headers_mut()
        .append(header::VARY, HeaderValue::from_static("accept"));
    answer
}

pub(super) fn refused(refusal: Refusal, media: Media, recording: &mut Recording) -> Response {
    recording.record.code = refusal.code();
    let answer = refusal.answer(media);
    recording.record.status = answer.status().as_u16();
    answer
}

/// The answer to an operation that ran, with the headers and the caching that its resolvers asked for.
fn executed(answer: async_graphql::Response, media: Media) -> Response {
    let mut response = GraphQLResponse::from(answer).into_response();
    let content_type = HeaderValue::from_static(media.content_type());
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, content_type);
    response
}

/// Whether a browser opens the path, rather than a program asking it something.
fn asks_for_page(endpoint: &Endpoint, parts: &Parts) -> bool {
    endpoint.app.args.playground == config::Playground::On
        && parts.method == Method::GET
        && parts.uri.query().is_none_or(|query| !asks_something(query))
        && accept::prefers_html(&parts.headers)
}

fn asks_something(query: &str) -> bool {
    url::form_urlencoded::parse(query.as_bytes())
        .any(|(name, _)| matches!(&*name, "query" | "documentId" | "extensions"))
}

/// A request that was read, from someone who may ask.
pub(super) struct Arrived {
    pub(super) viewer: Viewer,
    pub(super) params: Params,
    pub(super) deadline: Deadline,
}

async fn arrived(
    endpoint: &Endpoint,
    parts: &Parts,
    body: &mut Body,
    recording: &mut Recording,
    began: Instant,
) -> Result<Arrived, Refusal> {
    let app = &endpoint.app;
    let limit = app.args.request_timeout;
    let deadline = Deadline::from_std(began) + limit;
    if parts.method != Method::GET && parts.method != Method::POST {
        return Err(Refusal::method());
    }
    let viewer = timeout_at(deadline, app.authenticate.authenticate(&parts.headers)).await;
    let viewer = viewer.map_err(|_| Refusal::timed_out(limit))?;
    let viewer = viewer.map_err(|_| Refusal::unauthenticated())?;
    recording.record.subject = Some(viewer.subject().to_owned());
    app.rates
        .request(viewer.subject())
        .map_err(|too_much| Refusal::rate_limited(too_much.wait))?;

    let params = if parts.method == Method::GET {
        Params::from_query(parts.uri.query().unwrap_or_default())
    } else {
        let arriving = body::read(&parts.headers, body, app.args.max_body_bytes);
        let bytes = timeout_at(deadline, arriving).await;
        Params::from_body(&bytes.map_err(|_| Refusal::body_time_out())??)
    };
    let params = params.map_err(|unreadable| Refusal::unreadable(unreadable.0))?;
    Ok(Arrived {
        viewer,
        params,
        deadline,
    })
}

async fn answer(
    endpoint: &Endpoint,
    parts: &Parts,
    body: &mut Body,
    recording: &mut Recording,
    began: Instant,
) -> Result<async_graphql::Response, Refusal> {
    let app = &endpoint.app;
    let Arrived {
        viewer,
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
        viewer,
        method: &parts.method,
        deadline,
        answers: Answers::One,
    };
    let permitted = execution::permitted(endpoint, &params, &caller, recording)?;
    let mut answer = execution::run(endpoint, permitted.request, caller, recording).await?;
    if exposes_cost {
        let spent = execution::spent(&recording.meter);
        answer.extensions.insert("cost".to_owned(), spent);
    }
    Ok(answer)
}

fn asks_for_cost(headers: &HeaderMap) -> bool {
    headers
        .get("x-trestle-cost")
        .is_some_and(|value| value == "1")
}
