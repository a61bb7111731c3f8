//! One operation, from its parameters to all of its answers. A query or mutation has one; a subscription
//! holds its place, pays for each event, and ends at its first answer without data. Knows no transport.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;

use async_graphql::{Response, ServerError, Value};
use axum::http::StatusCode;
use futures_util::future::{FutureExt as _, ready};
use futures_util::stream::{BoxStream, Stream, StreamExt as _, once, unfold};
use tokio::time::{Instant, timeout_at};
use tracing::{Instrument as _, Span};

use crate::connections::InUse;
use crate::documents::OperationType;
use crate::errors::{code_of, internal, passing, sift};
use crate::fair_limiter::{FairPermit, Holder};
use crate::http::Arrived;
use crate::http::execution::{self, Caller, Permitted, panic_text};
use crate::http::json;
use crate::http::refusal::Refusal;
use crate::observe::Recording;
use crate::overload::{Admission, RateLimitKey, RequestPermit};
use crate::pending_response::PendingResponse;
use crate::response_budget::ResponsePermit;
use crate::state::{App, Endpoint};
use trestle_api::{Allowance, Code, named_by_request};
use url::Url;

use super::refusals;

/// One answer of an operation.
#[derive(Debug)]
pub(super) enum Answer {
    /// Its result or the next one, as JSON.
    Next(Vec<u8>, Made),
    /// It did not run, or cannot go on. Nothing comes after this.
    Failed(Vec<ServerError>),
}

/// The memory that an answer took while it was made, until it is sent.
pub(super) struct Made(PendingResponse);

impl std::fmt::Debug for Made {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Made")
    }
}

impl Made {
    /// Waits for room for the bytes that are sent; `None` if they need none.
    pub(super) async fn send(
        self,
        bytes: usize,
        connection: Option<InUse>,
    ) -> Option<Arc<ResponsePermit>> {
        self.0.send(bytes, connection).await
    }
}

/// The answers of an operation, until it ends.
pub(super) type Answered = BoxStream<'static, Answer>;

/// Checks an operation as every other request is checked, and begins it.
///
/// # Errors
/// Why it may not run, with its record.
pub(super) async fn begin(
    endpoint: &Endpoint,
    arrived: Arrived,
    mut recording: Recording,
) -> Result<Answered, (Refusal, Recording)> {
    let caller = Caller {
        identity: arrived.identity,
        rights: arrived.rights,
        deadline: arrived.deadline,
    };
    let place = match enter(endpoint, caller.deadline).await {
        Ok(place) => place,
        Err(refusal) => return Err((refusal, recording)),
    };
    let permitted =
        match execution::permitted(endpoint, arrived.params, &caller, &mut recording).await {
            Ok(permitted) => permitted,
            Err(refusal) => return Err((refusal, recording)),
        };
    if permitted.kind == OperationType::Subscription {
        // It has a place among the subscriptions.
        drop(place);
        return subscribed(endpoint, permitted, caller, recording).map_err(|refused| *refused);
    }
    let ran = execution::run(endpoint, permitted, caller, &place, &mut recording).await;
    drop(place);
    match ran {
        Ok((response, making)) => {
            recording.record.status = StatusCode::OK.as_u16();
            recording.record.code = response.errors.first().and_then(code_of);
            match json::bytes(&response, endpoint.app.args.max_answer_bytes) {
                Ok(answer) => Ok(once(ready(Answer::Next(answer, Made(making)))).boxed()),
                Err(_) => Err((too_large(&endpoint.app), recording)),
            }
        }
        Err(refusal) => Err((refusal, recording)),
    }
}

/// Begins a subscription that may run.
///
/// # Errors
/// Why it may not begin now, with its record.
pub(super) fn subscribed(
    endpoint: &Endpoint,
    permitted: Permitted,
    caller: Caller,
    recording: Recording,
) -> Result<Answered, Box<(Refusal, Recording)>> {
    let holder = Holder::RateLimitKey(RateLimitKey::from(&caller.identity.viewer));
    match endpoint.app.subscriptions.place(endpoint.number, holder) {
        Some(place) => Ok(subscribe(endpoint, permitted, caller, (place, recording))),
        None => {
            let refusal = Refusal::overloaded(Admission::COME_BACK);
            Err(Box::new((refusal, recording)))
        }
    }
}

/// Waits for a place among the requests that run.
async fn enter(endpoint: &Endpoint, deadline: Instant) -> Result<Arc<RequestPermit>, Refusal> {
    match timeout_at(deadline, endpoint.app.admission.enter()).await {
        Ok(Ok(place)) => Ok(place),
        _ => Err(Refusal::overloaded(Admission::COME_BACK)),
    }
}

fn too_large(app: &App) -> Refusal {
    Refusal::answer_too_large(app.args.max_answer_bytes)
}

/// A subscription that runs. Dropping it ends it and completes its record.
struct Running<S> {
    responses: S,
    app: Arc<App>,
    /// Its estimated cost, paid again for each event.
    cost: u64,
    /// What is left of the bytes of the next answer.
    allowance: Allowance,
    payer: RateLimitKey,
    /// Where the request reached the server, if nothing else says it.
    origin: Option<Url>,
    span: Span,
    recording: Recording,
    place: FairPermit,
}

fn subscribe(
    endpoint: &Endpoint,
    permitted: Permitted,
    caller: Caller,
    (place, mut recording): (FairPermit, Recording),
) -> Answered {
    // Most subscriptions end because the client goes: that is how they are meant to.
    recording.record.status = StatusCode::OK.as_u16();
    let payer = RateLimitKey::from(&caller.identity.viewer);
    let meter = recording.meter.clone();
    let responses = endpoint
        .service
        .subscribe(permitted.request, caller.identity.viewer, meter);
    let running = Running {
        responses: AssertUnwindSafe(responses).catch_unwind(),
        app: Arc::clone(&endpoint.app),
        cost: permitted.cost,
        allowance: permitted.allowance,
        payer,
        origin: caller.identity.origin,
        span: recording.operation_span(),
        recording,
        place,
    };
    let answers = unfold(Some(running), |running| async move {
        let mut running = running?;
        match running.next().await? {
            answer @ Answer::Next(..) => Some((answer, Some(running))),
            answer @ Answer::Failed(_) => Some((answer, None)),
        }
    });
    // Begun before the client hears that it is: what changes from then on is not missed.
    let mut answers = answers.boxed().peekable();
    let _ = Pin::new(&mut answers).peek().now_or_never();
    answers.boxed()
}

impl<S> Running<S>
where
    S: Stream<Item = std::thread::Result<Response>> + Unpin,
{
    async fn next(&mut self) -> Option<Answer> {
        let request_id = &self.recording.record.request_id;
        let next = self.responses.next().instrument(self.span.clone());
        let next = named_by_request(self.origin.clone(), next);
        let next = tokio::select! {
            next = next => next,
            () = self.place.withdrawn() => {
                return Some(self.failed(vec![refusals::withdrawn()]));
            }
        };
        let mut response = match next? {
            Ok(response) => response,
            Err(panic) => {
                let cause = panic_text(&*panic);
                tracing::error!(request_id, cause, "a resolver panicked");
                let error = internal(request_id);
                return Some(self.failed(vec![error]));
            }
        };
        sift(&mut response, request_id);
        let most = self.app.args.max_answer_bytes;
        if self.allowance.is_exceeded() {
            return Some(self.failed(too_large(&self.app).into_errors()));
        }
        self.allowance.renew(most);
        if response.data == Value::Null && !response.errors.is_empty() {
            return Some(self.failed(response.errors));
        }
        if let Err(too_much) = self.app.rates.cost(&self.payer, self.cost) {
            let message = "Too much was asked for in the last minute.";
            let error = passing(Code::RateLimited, message, too_much.wait);
            return Some(self.failed(vec![error]));
        }
        Some(match json::bytes(&response, most) {
            Ok(answer) => {
                let making = PendingResponse::begin(
                    &self.app.response_budget,
                    self.payer.clone(),
                    answer.len() as u64,
                );
                Answer::Next(answer, Made(making))
            }
            Err(_) => self.failed(too_large(&self.app).into_errors()),
        })
    }

    fn failed(&mut self, errors: Vec<ServerError>) -> Answer {
        self.recording.record.code = errors.first().and_then(code_of);
        Answer::Failed(errors)
    }
}
