//! GraphQL over one HTTP answer, one operation for each request. A task takes the answers one by one as the client
//! reads them, so that a client which stops reading loses its place and keeps nothing.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;

use async_graphql::ServerError;
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderName, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use futures_util::future::ready;
use futures_util::stream::{Stream, StreamExt as _, iter, once, unfold};
use tokio::sync::mpsc;
use tokio::time::{Instant, interval_at, timeout};

use super::credentials::Credentials;
use super::framing::Framing;
use super::operation::{self, Answer, Answered};
use super::refusals;
use crate::connections::InUse;
use crate::http::accept::Media;
use crate::http::refusal::Refusal;
use crate::http::{Arrived, Subscription, refused};
use crate::observe::Recording;
use crate::response_budget::ResponsePermit;
use crate::state::Endpoint;
use trestle_api::viewer::Viewer;

/// Answers one request as a stream of events.
pub(crate) async fn events(
    endpoint: Endpoint,
    framing: Framing,
    parts: &Parts,
    arrived: Arrived,
    recording: Recording,
) -> Response {
    let viewer = arrived.identity.viewer.clone();
    let began = operation::begin(&endpoint, arrived, recording).await;
    answered(endpoint, framing, parts, viewer, began)
}

/// Answers a request whose operation turned out to be a subscription.
pub(crate) async fn subscription(
    endpoint: Endpoint,
    parts: &Parts,
    subscription: Subscription,
) -> Response {
    let viewer = subscription.caller.identity.viewer.clone();
    let Subscription {
        permitted,
        caller,
        recording,
    } = subscription;
    let began = operation::subscribed(&endpoint, permitted, caller, recording);
    let began = began.map_err(|refused| *refused);
    answered(endpoint, Framing::Events, parts, viewer, began)
}

/// The stream of an operation's answers.
fn answered(
    endpoint: Endpoint,
    framing: Framing,
    parts: &Parts,
    viewer: Viewer,
    began: Result<Answered, (Refusal, Recording)>,
) -> Response {
    let credentials = Credentials::of_request(parts, endpoint.app.args.trusted_proxies);
    let answers = match began {
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
        framing,
        connection: parts.extensions.get::<InUse>().cloned(),
        endpoint,
        credentials,
        viewer,
        frames,
    };
    tokio::spawn(stream.run(answers));
    let opening = Bytes::from_static(framing.opening());
    let opening = iter((!opening.is_empty()).then_some(Ok(opening)));
    // The room of a frame is free when the next one is asked for.
    let frames = unfold((taken, None), |(mut taken, room)| async move {
        drop(room);
        let (frame, room): (Bytes, Option<Arc<ResponsePermit>>) = taken.recv().await?;
        Some((Ok(frame), (taken, room)))
    });
    respond(framing, opening.chain(frames))
}

fn respond(
    framing: Framing,
    frames: impl Stream<Item = Result<Bytes, Infallible>> + Send + 'static,
) -> Response {
    let headers = [
        (header::CONTENT_TYPE, framing.content_type()),
        (header::CACHE_CONTROL, "no-store"),
        (header::VARY, "accept, authorization, x-api-key"),
        // nginx would keep events back until its buffer is full.
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    (headers, Body::from_stream(frames)).into_response()
}

/// The way from an operation's answers to the client.
struct EventStream {
    framing: Framing,
    endpoint: Endpoint,
    credentials: Credentials,
    viewer: Viewer,
    connection: Option<InUse>,
    frames: mpsc::Sender<(Bytes, Option<Arc<ResponsePermit>>)>,
}

/// Ends with the first of two.
async fn either<A, B>(one: impl Future<Output = A>, other: impl Future<Output = B>) {
    tokio::select! {
        _ = one => {}
        _ = other => {}
    }
}

/// What is sent next, and whether anything comes after it.
enum Frame {
    More(Vec<u8>),
    Last(Vec<u8>),
}

impl EventStream {
    async fn run(self, mut answers: Answered) {
        let app = &self.endpoint.app;
        let args = &app.args.subscriptions;
        let mut ending = pin!(app.subscriptions.ending());
        let now = Instant::now();
        let mut signs = interval_at(now + args.keep_alive, args.keep_alive);
        let mut rechecks = interval_at(now + args.recheck_credentials, args.recheck_credentials);
        let mut changed = app.subscriptions.rechecks();
        loop {
            let mut made = None;
            let frame = tokio::select! {
                biased;
                () = self.frames.closed() => return,
                () = &mut ending => self.ended(&[refusals::stopping()]),
                () = either(rechecks.tick(), changed.changed()) => {
                    match self.credentials.identity(&self.endpoint).await {
                        Some(identity) if identity.viewer == self.viewer => continue,
                        _ => self.ended(&[refusals::unauthenticated()]),
                    }
                }
                answer = answers.next() => match answer {
                    Some(Answer::Next(response, making)) => {
                        made = Some(making);
                        Frame::More(self.framing.next(&response))
                    }
                    Some(Answer::Failed(errors)) => self.last(&errors),
                    None => Frame::Last(self.framing.complete().to_vec()),
                },
                _ = signs.tick() => Frame::More(self.framing.alive()),
            };
            let is_last = matches!(frame, Frame::Last(_));
            let (Frame::More(bytes) | Frame::Last(bytes)) = frame;
            let sending = async {
                let connection = self.connection.clone();
                let room = match made {
                    Some(made) => made.send(bytes.len(), connection).await,
                    None => None,
                };
                self.frames.send((bytes.into(), room)).await
            };
            let taken = matches!(timeout(args.keep_alive * 2, sending).await, Ok(Ok(())));
            if !taken || is_last {
                return;
            }
        }
    }

    fn ended(&self, errors: &[ServerError]) -> Frame {
        Frame::Last(self.framing.ended(errors))
    }

    fn last(&self, errors: &[ServerError]) -> Frame {
        Frame::Last(self.framing.failed(errors))
    }
}
