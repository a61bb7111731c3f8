//! GraphQL over a WebSocket: who may connect, and one connection from its first message to its last. All
//! of a connection runs in one task: while the client does not read, none of its operations goes on.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant as Began};

use axum::extract::FromRequestParts as _;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::http::request::Parts;
use axum::response::{IntoResponse as _, Response};
use futures_util::SinkExt as _;
use futures_util::future::{OptionFuture, ready};
use futures_util::stream::{AbortHandle, BoxStream, SelectAll, StreamExt as _, abortable, once};
use tokio::time::{Instant, interval_at, sleep_until, timeout, timeout_at};

use super::credentials::Credentials;
use super::operation::{self, Answer};
use super::protocol::{Close, NAME, Received, Sent, message, next};
use super::{handshake, refusals};
use crate::connections::InUse;
use crate::fair_limiter::{FairPermit, Holder};
use crate::http::Arrived;
use crate::http::accept::Media;
use crate::http::execution::Rights;
use crate::http::params::Params;
use crate::http::refusal::Refusal;
use crate::identify::Identity;
use crate::observe::Recording;
use crate::overload::{Admission, RateLimitKey};
use crate::state::Endpoint;

/// How long a client may take to answer that the connection closes.
const FAREWELL: Duration = Duration::from_secs(1);

/// Bytes of a connection's read buffer, and of its write buffer as far as the client reads.
const BUFFER: usize = 8 * 1024;
/// Bytes that may be written besides an answer: its message, errors, and the frames that the library sends by itself.
const BESIDE_ANSWER: usize = 1024 * 1024;
/// The largest message: clients that have not authenticated yet can make each connection hold one.
const MOST_MESSAGE: usize = 128 * 1024;

/// Answers a request for a WebSocket connection.
pub(crate) async fn upgrade(
    endpoint: Endpoint,
    mut parts: Parts,
    request_id: String,
    rights: Rights,
) -> Response {
    let app = Arc::clone(&endpoint.app);
    if let Err(refusal) = handshake::check(&parts.headers) {
        return refusal.answer(Media::Json);
    }
    let upgrade = match WebSocketUpgrade::from_request_parts(&mut parts, &()).await {
        Ok(upgrade) => upgrade.protocols([NAME]),
        Err(rejection) => return rejection.into_response(),
    };
    if upgrade.selected_protocol().is_none() {
        return Refusal::protocol().answer(Media::Json);
    }
    let credentials = Credentials::of_request(&parts, app.args.trusted_proxies);
    let mut holder = credentials.holder();
    if !credentials.is_empty() {
        match credentials.identity(&endpoint).await {
            Some(identity) if identity.is_authenticated(&app) => {
                holder = Holder::RateLimitKey(RateLimitKey::from(&identity.viewer));
            }
            Some(_) => {}
            None => return Refusal::unauthenticated().answer(Media::Json),
        }
    }
    // While the server stops, answers close their connection: this one would be closed as it opens.
    let place = app.subscriptions.socket(endpoint.number, holder);
    let Some(place) = place.filter(|_| !app.draining.load(Relaxed)) else {
        return Refusal::overloaded(Admission::COME_BACK).answer(Media::Json);
    };
    let most = app.args.max_body_bytes.min(MOST_MESSAGE);
    let in_use = parts.extensions.remove::<InUse>();
    upgrade
        .read_buffer_size(BUFFER)
        .write_buffer_size(BUFFER)
        .max_write_buffer_size(app.args.max_answer_bytes.saturating_add(BESIDE_ANSWER))
        .max_message_size(most)
        .max_frame_size(most)
        .on_upgrade(move |socket| async move {
            let connection = Connection {
                endpoint,
                request_id,
                rights,
                in_use,
                credentials,
                identity: None,
                operations: SelectAll::new(),
                running: HashMap::new(),
            };
            connection.run(socket, &place).await;
        })
}

/// One connection.
struct Connection {
    endpoint: Endpoint,
    request_id: String,
    rights: Rights,
    in_use: Option<InUse>,
    credentials: Credentials,
    /// Who it is, once that was said.
    identity: Option<Identity>,
    /// Each operation's id and next answer; without one it has ended.
    operations: SelectAll<BoxStream<'static, (Arc<str>, Option<Answer>)>>,
    running: HashMap<Arc<str>, AbortHandle>,
}

impl Connection {
    async fn run(mut self, mut socket: WebSocket, place: &FairPermit) {
        let ended = self.talk(&mut socket, place).await;
        // The operations end before the farewell, which may take a while.
        let _in_use = self.in_use.take();
        drop(self);
        let close = match ended {
            Ok(Ended::Disconnected) => return,
            // The answer to the client's frame is queued; reading on sends it.
            Ok(Ended::Client) => None,
            Err(Close(code, reason)) => Some(Message::Close(Some(CloseFrame {
                code,
                reason: reason.into(),
            }))),
        };
        let farewell = async {
            if let Some(frame) = close
                && socket.send(frame).await.is_err()
            {
                return;
            }
            // Closing with something unread would reset the connection and lose the reason.
            while let Some(Ok(_)) = socket.recv().await {}
        };
        let _ = timeout(FAREWELL, farewell).await;
    }

    /// Talks until the client goes, or until there is a reason to close.
    async fn talk(&mut self, socket: &mut WebSocket, place: &FairPermit) -> Result<Ended, Close> {
        let app = Arc::clone(&self.endpoint.app);
        let args = &app.args.subscriptions;
        let mut ending = pin!(app.subscriptions.ending());
        let now = Instant::now();
        let init_by = now + args.connection_init_timeout;
        let mut pings = interval_at(now + args.keep_alive, args.keep_alive);
        let mut rechecks = interval_at(now + args.recheck_credentials, args.recheck_credentials);
        let mut changed = app.subscriptions.rechecks();
        let mut heard = now;
        loop {
            let mut made = None;
            let mut replies = false;
            let answer = tokio::select! {
                biased;
                () = &mut ending => return Err(Close::STOPPING),
                () = place.withdrawn() => return Err(Close::WITHDRAWN),
                Ok(()) = changed.changed(), if self.identity.is_some() => {
                    self.recheck().await?;
                    None
                }
                () = sleep_until(init_by), if self.identity.is_none() => {
                    return Err(Close::INIT_TIMEOUT);
                }
                _ = rechecks.tick(), if self.identity.is_some() => {
                    self.recheck().await?;
                    None
                }
                _ = pings.tick() => {
                    if heard.elapsed() > args.keep_alive * 2 {
                        return Ok(Ended::Disconnected);
                    }
                    Some(Message::Ping(bytes::Bytes::new()))
                }
                Some((id, answer)) = self.operations.next(), if !self.operations.is_empty() => {
                    let message = self.tell(&id, answer.as_ref())?;
                    if let Some(Answer::Next(_, making)) = answer {
                        made = Some(making);
                    }
                    message
                }
                received = socket.recv() => {
                    heard = Instant::now();
                    match received {
                        Some(Ok(Message::Text(text))) => {
                            let answer = self.hear(text).await?;
                            if let Some(identity) = &self.identity
                                && identity.is_authenticated(&app)
                            {
                                place.is_of(Holder::RateLimitKey(RateLimitKey::from(&identity.viewer)));
                            }
                            answer
                        }
                        Some(Ok(Message::Binary(_))) => return Err(Close::BINARY),
                        // The library has answered it, and keeps the answer until it can be sent.
                        Some(Ok(Message::Ping(_))) => {
                            replies = true;
                            None
                        }
                        Some(Ok(Message::Pong(_))) => None,
                        Some(Ok(Message::Close(_))) => return Ok(Ended::Client),
                        Some(Err(error)) => return broken(error),
                        None => return Ok(Ended::Disconnected),
                    }
                }
            };
            // Nothing more is read before it is taken, so that a client that does not read cannot make answers pile up.
            if answer.is_some() || replies {
                let sending = async {
                    let Some(message) = answer else {
                        return socket.flush().await;
                    };
                    let size = message.to_text().map_or(0, str::len);
                    let _room = match made {
                        Some(made) => made.send(size, self.in_use.clone()).await,
                        None => None,
                    };
                    socket.send(message).await
                };
                let abandoned = self.in_use.as_ref().map(InUse::abandoned);
                tokio::select! {
                    biased;
                    Some(()) = OptionFuture::from(abandoned) => return Ok(Ended::Disconnected),
                    sent = timeout(args.keep_alive * 2, sending) => match sent {
                        Ok(Ok(())) => {}
                        _ => return Ok(Ended::Disconnected),
                    },
                }
            }
        }
    }

    /// Asks again who this is: keys are withdrawn and tokens expire while connections stay.
    async fn recheck(&mut self) -> Result<(), Close> {
        let now = self.credentials.identity(&self.endpoint).await;
        // A connection stays with the viewer who opened it.
        match (now, &self.identity) {
            (Some(now), Some(before)) if now.viewer == before.viewer => Ok(()),
            _ => Err(Close::FORBIDDEN),
        }
    }

    /// Does what a message says, and answers it where it is answered at once.
    async fn hear(&mut self, text: Utf8Bytes) -> Result<Option<Message>, Close> {
        let app = Arc::clone(&self.endpoint.app);
        let deadline = Instant::now() + app.args.request_timeout;
        let most_values = app.args.max_values();
        let length = text.len();
        let reading = app
            .checks
            .read(length, move || Received::read(&text, most_values));
        let read = timeout_at(deadline, reading).await;
        match read.map_err(|_| Close::OVERLOADED)?? {
            Received::ConnectionInit { .. } if self.identity.is_some() => Err(Close::SECOND_INIT),
            Received::ConnectionInit { payload } => {
                let told = payload
                    .as_ref()
                    .map(|payload| self.credentials.of_payload(payload));
                if let Some(told) = told.filter(|told| !told.is_empty()) {
                    self.credentials = told;
                }
                self.identity = self.credentials.identity(&self.endpoint).await;
                match self.identity {
                    Some(_) => message(&Sent::ConnectionAck),
                    None => Err(Close::FORBIDDEN),
                }
            }
            Received::Subscribe { id, params } => {
                let identity = self.identity.clone().ok_or(Close::UNAUTHORIZED)?;
                let from = self.credentials.address();
                // Nothing more is read meanwhile: one message waits for each connection.
                match params.held_in(&app.params_budget, from, deadline).await {
                    Ok(params) => self.subscribe(id.into(), identity, params),
                    Err(refusal) => message(&Sent::Error {
                        id: &id,
                        payload: &refusal.into_errors(),
                    }),
                }
            }
            Received::Complete { id } => {
                if let Some(operation) = self.running.remove(&*id) {
                    operation.abort();
                }
                Ok(None)
            }
            Received::Ping => message(&Sent::Pong),
            Received::Pong => Ok(None),
        }
    }

    fn subscribe(
        &mut self,
        id: Arc<str>,
        identity: Identity,
        params: Params,
    ) -> Result<Option<Message>, Close> {
        if self.running.contains_key(&id) {
            return Err(Close::DUPLICATE);
        }
        let most = self
            .endpoint
            .app
            .args
            .subscriptions
            .max_connection_operations;
        if self.running.len() >= most.get() as usize {
            let payload = &[refusals::too_many(most.get())];
            return message(&Sent::Error { id: &id, payload });
        }
        let arrived = Arrived {
            identity,
            rights: self.rights,
            params,
            deadline: Instant::now() + self.endpoint.app.args.request_timeout,
        };
        let answers = answers(self.endpoint.clone(), self.request_id.clone(), arrived);
        let answers = answers.map(Some).chain(once(ready(None)));
        let (answers, handle) = abortable(answers);
        let named = Arc::clone(&id);
        self.operations.push(
            answers
                .map(move |answer| (Arc::clone(&named), answer))
                .boxed(),
        );
        self.running.insert(id, handle);
        Ok(None)
    }

    /// The message of an operation's next answer, or of its end.
    fn tell(&mut self, id: &Arc<str>, answer: Option<&Answer>) -> Result<Option<Message>, Close> {
        match answer {
            Some(Answer::Next(payload, _)) => next(id, payload),
            // After an error the protocol has no `complete`.
            Some(Answer::Failed(errors)) => {
                if let Some(operation) = self.running.remove(id) {
                    operation.abort();
                }
                message(&Sent::Error {
                    id,
                    payload: errors,
                })
            }
            None => {
                self.running.remove(id);
                message(&Sent::Complete { id })
            }
        }
    }
}

/// Runs one operation of a connection.
fn answers(endpoint: Endpoint, request_id: String, arrived: Arrived) -> BoxStream<'static, Answer> {
    let began = async move {
        let app = Arc::clone(&endpoint.app);
        let observer = Arc::clone(&app.observer);
        let name = endpoint.service.name();
        let mut recording = Recording::begin(observer, request_id, name, Began::now());
        let viewer = &arrived.identity.viewer;
        recording.record.subject = Some(viewer.subject().to_owned());
        let asked = app.rates.request(&RateLimitKey::from(viewer));
        let begun = match asked {
            Ok(()) => operation::begin(&endpoint, arrived, recording).await,
            Err(too_much) => Err((Refusal::rate_limited(too_much.wait), recording)),
        };
        let (refusal, mut recording) = match begun {
            Ok(answers) => return answers,
            Err(refused) => refused,
        };
        recording.record.code = refusal.code();
        recording.record.status = refusal.status();
        once(ready(Answer::Failed(refusal.into_errors()))).boxed()
    };
    once(began).flatten().boxed()
}

/// How a conversation ended, unless the server closed it.
enum Ended {
    /// The client has closed the connection.
    Client,
    /// The connection broke.
    Disconnected,
}

/// The end of a conversation in which the client broke the protocol, or which broke itself.
fn broken(error: axum::Error) -> Result<Ended, Close> {
    match error.into_inner().downcast_ref::<tungstenite::Error>() {
        Some(tungstenite::Error::Capacity(_)) => Err(Close::TOO_LARGE),
        Some(tungstenite::Error::Utf8(_)) => Err(Close::NOT_UTF8),
        Some(tungstenite::Error::Protocol(error)) if !is_reset(error) => Err(Close::PROTOCOL),
        _ => Ok(Ended::Disconnected),
    }
}

fn is_reset(error: &tungstenite::error::ProtocolError) -> bool {
    matches!(
        error,
        tungstenite::error::ProtocolError::ResetWithoutClosingHandshake
    )
}
