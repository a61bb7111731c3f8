//! The function under test: this test program once more, serving routes that echo. The only place that
//! names the program, so that another can take its place.

use axum::Json;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE, SET_COOKIE, WWW_AUTHENTICATE};
use axum::response::{AppendHeaders, IntoResponse};
use axum::routing::{any, post};
use serde_json::{Map, Value, json};
use tokio::process::Command;
use trestle::server::lambda;

/// Makes a run of [`child`] a function.
const CHILD: &str = "TRESTLE_TEST_FUNCTION";

/// The function's program, without Lambda's variables.
pub fn command() -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command
        .args(["--exact", "function::child", "--ignored", "--nocapture"])
        .env(CHILD, "1");
    command
}

#[tokio::test]
#[ignore = "the function that the other tests run as a child process"]
async fn child() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    assert!(lambda::is_lambda());
    let router = Router::new()
        .route("/", any(echo))
        .route("/graphql", any(echo))
        .route("/{a}/graphql", any(echo))
        .route(
            "/answer/binary",
            post(async || ([(CONTENT_ENCODING, "gzip")], BINARY)),
        )
        .route(
            "/answer/cookies",
            post(async || AppendHeaders([(SET_COOKIE, "a=1"), (SET_COOKIE, "b=2")])),
        )
        .route(
            "/answer/refused",
            post(async || {
                (
                    StatusCode::UNAUTHORIZED,
                    [(WWW_AUTHENTICATE, "Bearer")],
                    "no",
                )
            }),
        )
        .route("/answer/broken", post(broken));
    if let Err(error) = lambda::run(router).await {
        eprintln!("{error}");
        std::process::exit(2);
    }
}

const BINARY: [u8; 6] = [0x1f, 0x8b, 0x08, 0x00, 0xff, 0x00];

async fn broken() -> Body {
    let begun = Ok("begun and ");
    Body::from_stream(futures_util::stream::iter([begun, Err("broken off")]))
}

async fn echo(request: Request) -> impl IntoResponse {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, 1 << 20).await.expect("a body");
    let headers: Map<String, Value> = parts
        .headers
        .iter()
        .map(|(name, value)| (name.to_string(), json!(value.to_str().expect("a text"))))
        .collect();
    let seen = json!({
        "method": parts.method.as_str(),
        "target": parts.uri.to_string(),
        "headers": headers,
        "body": String::from_utf8(body.to_vec()).expect("UTF-8"),
    });
    (
        [(CONTENT_TYPE, "application/graphql-response+json")],
        Json(seen),
    )
}
