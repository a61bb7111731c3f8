//! Which path is answered by what, and what all answers have in common.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{Extensions, HeaderMap, HeaderValue, Method, StatusCode, Version, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::{any, get};
use axum::{Extension, Json, Router};
use bytes::Bytes;
use serde_json::json;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};
use tower_http::set_header::SetResponseHeaderLayer;

use super::errors::{coded, internal_without_id};
use super::http::accept::{self, Media};
use super::http::refusal::Refusal;
use super::identify::report_proxy;
use super::mounted::Mounted;
use super::overload::Admission;
use super::state::{App, Endpoint};
use super::unsent::{Compressed, SharedBytes};
use super::{
    answer_room, docs, graphql, health, index, mounted, origins, playground, request_id,
    unread_body,
};
use trestle_api::Code;

/// How long browsers remember that an origin may ask.
const PREFLIGHT: Duration = Duration::from_secs(600);

pub(super) fn router(app: &Arc<App>, endpoints: &[Endpoint]) -> Router {
    let mut router = Router::new()
        .route("/livez", get(health::live))
        .route("/readyz", get(health::ready))
        .route("/metrics", get(health::metrics))
        .with_state(Arc::clone(app))
        .route(playground::ASSETS, get(playground::asset))
        .merge(docs::routes());
    for (place, endpoint) in endpoints.iter().enumerate() {
        let path = format!("/{}/graphql", endpoint.service.name());
        router = router.route(&path, any(graphql::graphql).with_state(endpoint.clone()));
        if place == 0 {
            router = router.route(
                "/graphql",
                any(graphql::graphql).with_state(endpoint.clone()),
            );
        }
        if app.shows_schemas() {
            let path = format!("/{}/schema.graphql", endpoint.service.name());
            let sdl = Bytes::copy_from_slice(endpoint.service.sdl().as_bytes());
            router = router.route(&path, get(shared_text).with_state(sdl));
        }
        for mount in endpoint.service.mounts() {
            let path = format!("/{}/{}", endpoint.service.name(), mount.path);
            let mounted = Mounted {
                handler: mount.handler,
                app: Arc::clone(app),
            };
            router = router.route(&path, any(mounted::mounted).with_state(mounted));
        }
    }
    for front_end in &app.front_ends {
        router = router.merge(front_end.routes(app.args.page_sign_in.as_ref()));
    }
    let page = Bytes::from(index::page(app, endpoints));
    let text = Bytes::from(index::text(app, endpoints));
    // Where one service runs, its page is the product.
    let product = match (endpoints, app.front_ends.as_slice()) {
        ([_], [page]) => Some(page.path),
        _ => None,
    };
    let index = get(async move |headers: HeaderMap| {
        if accept::prefers_html(&headers) {
            match product {
                Some(path) => Redirect::temporary(path).into_response(),
                None => index::response(page.clone()),
            }
        } else if accept::takes_text(&headers) {
            shared_text(State(text.clone())).await
        } else {
            not_found().await
        }
    });
    router = router.route("/", index.fallback(not_found));
    let nosniff = SetResponseHeaderLayer::overriding(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    router = router
        .fallback(not_found)
        .layer(from_fn_with_state(Arc::clone(app), answer_room::bound))
        .layer(CompressionLayer::new().compress_when(has_place));
    let router = router
        .layer(nosniff)
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(Arc::clone(app), guard))
        .layer(from_fn(unread_body::drop_rest));
    for_other_origins(router, app).layer(from_fn(request_id::identify))
}

/// What is answered on connections beyond the limit: health, and that the server is busy.
pub(super) fn crowded(app: &Arc<App>) -> Router {
    let router = Router::new()
        .route("/livez", get(health::live))
        .route("/readyz", get(health::ready))
        .route("/metrics", get(health::metrics))
        .with_state(Arc::clone(app))
        .fallback(async || Refusal::overloaded(Admission::COME_BACK).answer(Media::Json))
        .layer(from_fn_with_state(Arc::clone(app), answer_room::bound))
        .layer(from_fn_with_state(Arc::clone(app), guard))
        .layer(from_fn(unread_body::drop_rest));
    for_other_origins(router, app).layer(from_fn(request_id::identify))
}

/// Whether an answer has a place to be compressed.
fn has_place(_: StatusCode, _: Version, _: &HeaderMap, extensions: &Extensions) -> bool {
    extensions.get::<Compressed>().is_some()
}

/// The answer with a text that is there once for all who ask for it.
async fn shared_text(State(text): State<Bytes>) -> Response {
    let headers = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
    (headers, Extension(SharedBytes), text).into_response()
}

/// Lets pages of the allowed origins ask, with all headers that their libraries add, and read every answer, also those that
/// refuse.
fn for_other_origins(router: Router, app: &App) -> Router {
    let origins = app.args.cors_origins.clone();
    if origins.is_empty() {
        return router;
    }
    let cors = CorsLayer::new()
        .allow_origin(AllowOrigin::predicate(move |origin, _| {
            origins::allow(&origins, origin)
        }))
        .allow_methods([Method::GET, Method::POST, Method::PUT])
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers([
            header::RETRY_AFTER,
            graphql::ANSWERED_BY,
            request_id::HEADER,
        ])
        .max_age(PREFLIGHT);
    router.layer(cors)
}

async fn not_found() -> Response {
    let message = "There is nothing at this path: try /graphql.";
    let body = json!({ "errors": [coded(Code::BadUserInput, message, None)] });
    (StatusCode::NOT_FOUND, Json(body)).into_response()
}

/// The answer to a request whose handling panicked outside a resolver. The panic hook has logged it.
fn panicked(_cause: Box<dyn Any + Send>) -> Response {
    let body = json!({ "errors": [internal_without_id()] });
    (StatusCode::INTERNAL_SERVER_ERROR, Json(body)).into_response()
}

/// Refuses a request whose head was found wrong, or that accepts no encoding of the server, before anything is done for it.
///
/// While the server stops, clients are told to open no further request on their connection: it is about
/// to close, and a request sent just then would be lost.
async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    // HTTP/2 has a frame for it instead, which hyper sends.
    let has_header = request.version() <= Version::HTTP_11;
    let head = request.extensions().get::<Refusal>();
    if head.is_none() {
        report_proxy(&app, request.headers());
    }
    let mut response = if let Some(refusal) = head {
        refusal.clone().answer(Media::Json)
    } else if accept::takes_a_coding(request.headers()) {
        next.run(request).await
    } else {
        Refusal::coding().answer(Media::Json)
    };
    if has_header && app.draining.load(Relaxed) {
        response
            .headers_mut()
            .insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}
