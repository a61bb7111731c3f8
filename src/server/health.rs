//! What an orchestrator asks: is the process alive, does it take requests, what does it count.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use futures_util::future::join_all;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use super::authenticate::Unauthenticated;
use super::state::App;
use crate::api::Service;

/// How long an answer of the services counts.
const REMEMBERED: Duration = Duration::from_secs(1);
/// How long a service may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whether the services can read, asked no more than once a second.
pub(super) struct Readiness {
    services: Vec<Arc<dyn Service>>,
    last: Mutex<Option<(Instant, bool)>>,
}

impl Readiness {
    pub(super) fn new(services: Vec<Arc<dyn Service>>) -> Self {
        Self {
            services,
            last: Mutex::new(None),
        }
    }

    /// Those who ask at the same time wait for the same answer.
    async fn is_ready(&self) -> bool {
        let mut last = self.last.lock().await;
        if let Some((at, ready)) = *last
            && at.elapsed() < REMEMBERED
        {
            return ready;
        }
        let asked = self
            .services
            .iter()
            .map(|service| timeout(PATIENCE, service.ready()));
        let ready = join_all(asked)
            .await
            .into_iter()
            .all(|answer| answer.unwrap_or(false));
        *last = Some((Instant::now(), ready));
        ready
    }
}

/// `/livez`: the process answers.
pub(super) async fn live() -> Response {
    text(StatusCode::OK, "ok\n")
}

/// `/readyz`: requests may be sent here.
pub(super) async fn ready(State(app): State<Arc<App>>) -> Response {
    if app.draining.load(Relaxed) {
        text(StatusCode::SERVICE_UNAVAILABLE, "stopping\n")
    } else if app.readiness.is_ready().await {
        text(StatusCode::OK, "ok\n")
    } else {
        text(
            StatusCode::SERVICE_UNAVAILABLE,
            "the database does not answer\n",
        )
    }
}

/// `/metrics`, for those who could ask the services, too: the names of operations are nobody else's
/// business.
pub(super) async fn metrics(State(app): State<Arc<App>>, request: Request) -> Response {
    let (parts, _body) = request.into_parts();
    if app.authenticate.authenticate(&parts.headers).await.is_err() {
        let told = format!("{}\n", Unauthenticated::MESSAGE);
        return (StatusCode::UNAUTHORIZED, told).into_response();
    }
    let content_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, content_type)], (app.metrics)()).into_response()
}

fn text(status: StatusCode, body: &'static str) -> Response {
    (status, body).into_response()
}
