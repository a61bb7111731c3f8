//! What an orchestrator asks: is the process alive, does it take requests, what does it count.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};

use super::authenticate::Unauthenticated;
use super::http::accept;
use super::metrics_text::{OPEN_METRICS, TEXT, in_text_format};
use super::state::App;

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
            "the database does not answer or cannot be written: see the log\n",
        )
    }
}

/// `/metrics`, for those who have its role: the names of operations are nobody else's business.
pub(super) async fn metrics(State(app): State<Arc<App>>, request: Request) -> Response {
    let (parts, _body) = request.into_parts();
    let Ok(viewer) = app.authenticate.authenticate(&parts.headers).await else {
        let body = format!("{}\n", Unauthenticated::MESSAGE);
        let challenge = [(header::WWW_AUTHENTICATE, "Bearer")];
        return (StatusCode::UNAUTHORIZED, challenge, body).into_response();
    };
    let role = &app.args.metrics_role;
    if !viewer.has_role(role) {
        let body = format!("Use credentials with the role {role}.\n");
        return (StatusCode::FORBIDDEN, body).into_response();
    }
    // Noted for the page, which reports it.
    app.readiness.is_ready().await;
    let page = (app.metrics)();
    let (content_type, page) = if accept::names_openmetrics(&parts.headers) {
        (OPEN_METRICS, page)
    } else {
        (TEXT, in_text_format(&page))
    };
    ([(header::CONTENT_TYPE, content_type)], page).into_response()
}

fn text(status: StatusCode, body: &'static str) -> Response {
    (status, body).into_response()
}
