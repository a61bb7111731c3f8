//! One operation, from its parameters to all of its answers. A query or mutation has one; a subscription
//! holds its place, pays for each event, and ends at its first answer without data. Knows no transport.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;

use async_graphql::{Response, ServerError, Value};
use axum::http::{Method, StatusCode};
use futures_util::future::{FutureExt as _, ready};
use futures_util::stream::{BoxStream, Stream, StreamExt as _, once, unfold};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout_at;
use tracing::{Instrument as _, Span};

use crate::api::{Allowance, Code};
use crate::server::documents::OperationType;
use crate::server::errors::{code_of, internal, passing, sift};
use crate::server::http::Arrived;
use crate::server::http::execution::{self, Answers, Caller, Permitted, panic_text};
use crate::server::http::json;
use crate::server::http::refusal::Refusal;
use crate::server::observe::Recording;
use crate::server::overload::{Admission, Payer};
use crate::server::state::{App, Endpoint};

/// One answer of an operation.
#[derive(Debug)]
pub(super) enum Answer {
    /// Its result or the next one, as JSON.
    Next(Vec<u8>),
    /// It did not run, or cannot go on. Nothing comes after this.
    Failed(Vec<ServerError>),
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
        method: &Method::POST,
        deadline: arrived.deadline,
        answers: Answers::Many,
    };
    let params = &arrived.params;
    let permitted = match execution::permitted(endpoint, params, &caller, &mut recording) {
        Ok(permitted) => permitted,
        Err(refusal) => return Err((refusal, recording)),
    };
    if permitted.kind == OperationType::Subscription {
        return match endpoint.app.subscriptions.place() {
            Some(place) => Ok(subscribe(endpoint, permitted, caller, (place, recording))),
            None => Err((Refusal::overloaded(Admission::COME_BACK), recording)),
        };
    }
    match run(endpoint, permitted, caller, &mut recording).await {
        Ok(response) => {
            recording.record.status = StatusCode::OK.as_u16();
            recording.record.code = response.errors.first().and_then(code_of);
            match json::bytes(&response, endpoint.app.args.max_answer_bytes) {
                Ok(answer) => Ok(once(ready(Answer::Next(answer))).boxed()),
                Err(_) => Err((too_large(&endpoint.app), recording)),
            }
        }
        Err(refusal) => Err((refusal, recording)),
    }
}

async fn run(
    endpoint: &Endpoint,
    permitted: Permitted,
    caller: Caller<'_>,
    recording: &mut Recording,
) -> Result<Response, Refusal> {
    let overloaded = || Refusal::overloaded(Admission::COME_BACK);
    let entered = timeout_at(caller.deadline, endpoint.app.admission.enter())
        .await
        .map_err(|_| overloaded())?;
    let _place = entered.map_err(|_| overloaded())?;
    execution::run(endpoint, permitted, caller, recording).await
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
    payer: Payer,
    span: Span,
    recording: Recording,
    _place: OwnedSemaphorePermit,
}

fn subscribe(
    endpoint: &Endpoint,
    permitted: Permitted,
    caller: Caller<'_>,
    (place, mut recording): (OwnedSemaphorePermit, Recording),
) -> Answered {
    // Most subscriptions end because the client goes: that is how they are meant to.
    recording.record.status = StatusCode::OK.as_u16();
    let payer = Payer::from(&caller.identity.viewer);
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
        span: recording.operation_span(),
        recording,
        _place: place,
    };
    let answers = unfold(Some(running), |running| async move {
        let mut running = running?;
        match running.next().await? {
            answer @ Answer::Next(_) => Some((answer, Some(running))),
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
        let mut response = match next.await? {
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
            Ok(answer) => Answer::Next(answer),
            Err(_) => self.failed(too_large(&self.app).into_errors()),
        })
    }

    fn failed(&mut self, errors: Vec<ServerError>) -> Answer {
        self.recording.record.code = errors.first().and_then(code_of);
        Answer::Failed(errors)
    }
}
