//! GraphQL over HTTP: from a request to an answer, step by step, each of which may refuse.
//! Source: <https://graphql.github.io/graphql-over-http/draft/>.

mod accept;
mod body;
mod execution;
mod params;
mod refusal;

use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use tokio::time::{Instant as Deadline, timeout_at};

use self::accept::Media;
use self::execution::Caller;
use self::params::Params;
use self::refusal::Refusal;
use super::errors::code_of;
use super::observe::Recording;
use super::overload::Admission;
use super::request_id::RequestId;
use super::state::Endpoint;
use super::{config, playground};

/// Answers one request to a service's path.
pub async fn graphql(State(endpoint): State<Endpoint>, request: Request) -> Response {
    let began = Instant::now();
    let (parts, body) = request.into_parts();
    if asks_for_page(&endpoint, &parts) {
        return playground::page(parts.uri.path(), endpoint.service.examples());
    }
    let id = parts
        .extensions
        .get::<RequestId>()
        .map(|id| id.0.clone())
        .unwrap_or_default();
    let observer = Arc::clone(&endpoint.app.observer);
    let mut recording = Recording::begin(observer, id, endpoint.service.name(), began);

    let media = accept::negotiate(&parts.headers);
    let answer = match media {
        Some(_) => answer(&endpoint, &parts, body, &mut recording, began).await,
        None => Err(Refusal::not_acceptable()),
    };
    let media = media.unwrap_or(Media::Json);
    let mut answer = match answer {
        Ok(answer) => {
            recording.record.code = answer.errors.first().and_then(code_of);
            refusal::json(StatusCode::OK, media, &answer)
        }
        Err(refusal) => {
            recording.record.code = refusal.code();
            refusal.answer(media)
        }
    };
    recording.record.status = answer.status().as_u16();
    answer
        .headers_mut()
        .append(header::VARY, HeaderValue::from_static("accept"));
    answer
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

async fn answer(
    endpoint: &Endpoint,
    parts: &Parts,
    body: Body,
    recording: &mut Recording,
    began: Instant,
) -> Result<async_graphql::Response, Refusal> {
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
    };
    let mut answer = execution::run(endpoint, params, caller, recording).await?;
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
