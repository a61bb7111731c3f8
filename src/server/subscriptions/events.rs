//! GraphQL over server-sent events, one operation for each request: `next` for each answer, `complete` at
//! the end. A task takes the answers one by one as the client reads them, so that a client which stops
//! reading loses its place and keeps nothing.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;

use async_graphql::ServerError;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use futures_util::future::ready;
use futures_util::stream::{Stream, StreamExt as _, once, unfold};
use serde::Serialize;
use tokio::sync::mpsc;
use tokio::time::{Instant, interval_at, timeout};

use super::credentials::Credentials;
use super::operation::{self, Answer, Answered};
use super::refusals;
use crate::server::http::accept::Media;
use crate::server::http::{Arrived, refused};
use crate::server::observe::Recording;
use crate::server::state::{App, Endpoint};
use crate::viewer::Viewer;

/// A line that says nothing: proxies close connections on which nothing is said.
const SIGN_OF_LIFE: &[u8] = b":\n\n";
const COMPLETE: &[u8] = b"event: complete\ndata:\n\n";

#[derive(Serialize)]
struct Failed<'a> {
    errors: &'a [ServerError],
}

/// Answers one request as a stream of events.
pub(in crate::server) async fn events(
    endpoint: Endpoint,
    headers: HeaderMap,
    arrived: Arrived,
    recording: Recording,
) -> Response {
    let viewer = arrived.viewer.clone();
    let answers = match operation::begin(&endpoint, arrived, recording).await {
        Ok(answers) => answers,
        Err((refusal, mut recording)) => {
            recording.record.code = refusal.code();
            recording.record.status = StatusCode::OK.as_u16();
            match refusal.of_request() {
                Ok(errors) => once(ready(Answer::Failed(errors))).boxed(),
                Err(refusal) => return refused(refusal, Media::Json, &mut recording),
            }
        }
    };
    let (frames, taken) = mpsc::channel(1);
    let stream = EventStream {
        app: endpoint.app,
        credentials: Credentials::of_headers(&headers),
        viewer,
        frames,
    };
    tokio::spawn(stream.run(answers));
    respond(unfold(taken, |mut taken| async move {
        let frame: Bytes = taken.recv().await?;
        Some((Ok(frame), taken))
    }))
}

fn respond(frames: impl Stream<Item = Result<Bytes, Infallible>> + Send + 'static) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream; charset=utf-8"),
        (header::CACHE_CONTROL, "no-store"),
        (header::VARY, "accept"),
        // nginx would keep events back until its buffer is full.
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    (headers, Body::from_stream(frames)).into_response()
}

/// The way from an operation's answers to the client.
struct EventStream {
    app: Arc<App>,
    credentials: Credentials,
    viewer: Viewer,
    frames: mpsc::Sender<Bytes>,
}

/// What is sent next, and whether anything comes after it.
enum Frame {
    More(Vec<u8>),
    Last(Vec<u8>),
}

impl EventStream {
    async fn run(self, mut answers: Answered) {
        let args = &self.app.args.subscriptions;
        let mut ending = pin!(self.app.subscriptions.ending());
        let now = Instant::now();
        let mut signs = interval_at(now + args.keep_alive, args.keep_alive);
        let mut rechecks = interval_at(now + args.recheck_credentials, args.recheck_credentials);
        loop {
            let frame = tokio::select! {
                biased;
                () = self.frames.closed() => return,
                () = &mut ending => last(&[refusals::stopping()]),
                _ = rechecks.tick() => match self.credentials.viewer(&self.app).await {
                    Some(viewer) if viewer == self.viewer => continue,
                    _ => last(&[refusals::unauthenticated()]),
                },
                answer = answers.next() => match answer {
                    Some(Answer::Next(response)) => Frame::More(next(&response)),
                    Some(Answer::Failed(errors)) => last(&errors),
                    None => Frame::Last(COMPLETE.to_vec()),
                },
                _ = signs.tick() => Frame::More(SIGN_OF_LIFE.to_vec()),
            };
            let (Frame::More(bytes) | Frame::Last(bytes)) = &frame;
            let sending = self.frames.send(Bytes::copy_from_slice(bytes));
            let taken = matches!(timeout(args.keep_alive * 2, sending).await, Ok(Ok(())));
            if !taken || matches!(frame, Frame::Last(_)) {
                return;
            }
        }
    }
}

/// The event of one answer. JSON has no line breaks, which would end the event.
fn next(answer: &impl Serialize) -> Vec<u8> {
    let mut bytes = b"event: next\ndata: ".to_vec();
    if let Err(error) = serde_json::to_writer(&mut bytes, answer) {
        tracing::error!(%error, "an answer could not be written as JSON");
    }
    bytes.extend_from_slice(b"\n\n");
    bytes
}

fn last(errors: &[ServerError]) -> Frame {
    let mut bytes = next(&Failed { errors });
    bytes.extend_from_slice(COMPLETE);
    Frame::Last(bytes)
}
