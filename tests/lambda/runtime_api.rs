//! An emulation of Lambda's runtime API: hands out events and takes the answers. Source: AWS Lambda,
//! "Using the Lambda runtime API for custom runtimes", version 2018-06-01.

use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::Value;
use tokio::process::{Child, Command};
use tokio::sync::{Mutex, mpsc};

/// What a function did with an event.
pub enum Outcome {
    Answer(Value),
    Error(Value),
}

type Event = (String, Value);

struct Api {
    events: Mutex<mpsc::Receiver<Event>>,
    outcomes: mpsc::Sender<(String, Outcome)>,
    /// When the function first asked for an event.
    ready: mpsc::Sender<Instant>,
}

/// A function in a process of its own.
pub struct Runtime {
    events: mpsc::Sender<Event>,
    outcomes: mpsc::Receiver<(String, Outcome)>,
    _child: Child,
}

impl Runtime {
    /// Starts the function and waits until it asks for its first event. Prints how long that took.
    pub async fn start(mut command: Command) -> Self {
        let (events, next) = mpsc::channel(1);
        let (answers, outcomes) = mpsc::channel(1);
        let (ready, mut first) = mpsc::channel(1);
        let api = Api {
            events: Mutex::new(next),
            outcomes: answers,
            ready,
        };
        let router = Router::new()
            .route("/2018-06-01/runtime/invocation/next", get(hand_out))
            .route(
                "/2018-06-01/runtime/invocation/{id}/response",
                post(take_answer),
            )
            .route(
                "/2018-06-01/runtime/invocation/{id}/error",
                post(take_error),
            )
            .with_state(Arc::new(api));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        tokio::spawn(async move { axum::serve(listener, router).await });

        let begun = Instant::now();
        let child = command
            .env("AWS_LAMBDA_RUNTIME_API", address)
            .env("AWS_LAMBDA_FUNCTION_NAME", "trestle")
            .env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256")
            .env("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a function");
        let ready = first.recv().await.expect("the function asks for an event");
        println!(
            "cold start, from spawn to the first event: {:?}",
            ready - begun
        );
        Self {
            events,
            outcomes,
            _child: child,
        }
    }

    pub async fn invoke(&mut self, id: &str, event: &Value) -> Outcome {
        self.events
            .send((id.to_owned(), event.clone()))
            .await
            .expect("the function runs");
        let (answered, outcome) = self.outcomes.recv().await.expect("the function answers");
        assert_eq!(answered, id);
        outcome
    }
}

async fn hand_out(State(api): State<Arc<Api>>) -> impl IntoResponse {
    // Only the first time counts: the channel holds one.
    let _ = api.ready.try_send(Instant::now());
    let Some((id, event)) = api.events.lock().await.recv().await else {
        return StatusCode::GONE.into_response();
    };
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("after 1970");
    let headers = [
        ("lambda-runtime-aws-request-id", id),
        (
            "lambda-runtime-deadline-ms",
            (now + Duration::from_secs(30)).as_millis().to_string(),
        ),
        (
            "lambda-runtime-invoked-function-arn",
            "arn:aws:lambda:eu-west-1:123456789012:function:trestle".to_owned(),
        ),
        (
            "lambda-runtime-trace-id",
            "Root=1-69680f00-0123456789abcdef01234567".to_owned(),
        ),
    ];
    (headers, Json(event)).into_response()
}

async fn take_answer(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
    body: String,
) -> StatusCode {
    take(&api, id, Outcome::Answer(parse(&body))).await
}

async fn take_error(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
    body: String,
) -> StatusCode {
    take(&api, id, Outcome::Error(parse(&body))).await
}

async fn take(api: &Api, id: String, outcome: Outcome) -> StatusCode {
    api.outcomes
        .send((id, outcome))
        .await
        .expect("the test listens");
    StatusCode::ACCEPTED
}

fn parse(body: &str) -> Value {
    serde_json::from_str(body).expect("JSON")
}
