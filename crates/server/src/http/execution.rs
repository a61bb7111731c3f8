//! One admitted request: its document looked up, what may not run refused, the rest executed within its
//! time. A panic ends this request and no other.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use async_graphql::{Name, Request, Response, ServerError, Value, value};
use futures_util::FutureExt as _;
use tokio::time::{Instant as Deadline, timeout_at};
use tracing::Instrument as _;

use super::params::Params;
use super::refusal::Refusal;
use crate::body_budget::BodyPermit;
use crate::documents::{Checked, Document, Estimated, Operation, OperationType, Prepared};
use crate::errors::{coded, sift};
use crate::identify::Identity;
use crate::observe::Recording;
use crate::overload::{Admission, RateLimitKey, RequestPermit};
use crate::pending_response::PendingResponse;
use crate::persisted::PersistedQueryRef;
use crate::state::Endpoint;
use trestle_api::viewer::Viewer;
use trestle_api::{Allowance, Code, named_by_request};
use trestle_table::Meter;

/// Who asks, what the way lets them do, and until when.
pub(crate) struct Caller {
    pub(crate) identity: Identity,
    pub(crate) rights: Rights,
    pub(crate) deadline: Deadline,
}

/// What a request may do because of the way that it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rights {
    pub(crate) effects: Effects,
    pub(crate) answers: Answers,
}

impl Rights {
    /// Every operation.
    pub(crate) const ALL: Self = Self {
        effects: Effects::Writes,
        answers: Answers::Many,
    };
}

/// What an operation may have as its effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effects {
    /// None: caches, crawlers and pages send such requests, and repeat them.
    Reads,
    /// Changes.
    Writes,
}

/// How many answers the way back has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answers {
    /// One.
    One,
    /// As many as come.
    Many,
}

/// An operation that may run.
pub(crate) struct Permitted {
    pub(crate) kind: OperationType,
    pub(crate) cost: u64,
    pub(crate) request: Request,
    /// What is left of the answer's bytes.
    pub(crate) allowance: Allowance,
    /// The memory that the answer takes.
    pub(crate) making: PendingResponse,
    /// Room for the variables while it runs.
    room: Option<BodyPermit>,
}

/// Answers of fewer estimated bytes are not counted field by field while they are made: what is read for them is
/// counted anyway, and bounds them.
pub(crate) const UNCOUNTED: usize = 2 * 1024 * 1024;

/// The most bytes that the variables of a subscription take: there may be many subscriptions, for a long time.
const MOST_LASTING: usize = 64 * 1024;

/// Looks up the operation that `params` mean, and refuses what may not run.
pub(crate) async fn permitted(
    endpoint: &Endpoint,
    mut params: Params,
    caller: &Caller,
    recording: &mut Recording,
) -> Result<Permitted, Refusal> {
    let wanted = std::mem::take(&mut params.wanted);
    let looked_up = timeout_at(caller.deadline, look_up(endpoint, wanted, recording)).await;
    // It has waited for its turn and was never begun.
    let looked_up = looked_up.map_err(|_| Refusal::overloaded(Admission::COME_BACK))?;
    let (checked, is_trusted) = looked_up?;
    recording.record.is_known = is_trusted || caller.identity.is_known(&endpoint.app);
    let document = match &*checked {
        Ok(document) => document,
        Err(errors) => return Err(Refusal::request(errors.clone())),
    };
    let operation = choose(document, &params, recording)?;
    let may_introspect = endpoint.app.introspection_allowed;
    permit(
        operation,
        &caller.identity.viewer,
        caller.rights,
        may_introspect,
    )?;
    let is_lasting = operation.kind() == OperationType::Subscription;
    if is_lasting && params.variable_bytes() > MOST_LASTING {
        return Err(Refusal::lasting_variables(MOST_LASTING));
    }
    let preparing = prepare(endpoint, Arc::clone(&checked), params);
    let prepared = timeout_at(caller.deadline, preparing).await;
    let prepared = prepared.map_err(|_| Refusal::overloaded(Admission::COME_BACK))?;
    let (prepared, room) = prepared?;
    let estimated = prepared.estimated;
    afford(endpoint, estimated, caller, recording)?;
    let most_bytes = endpoint.app.args.max_answer_bytes;
    let owner = RateLimitKey::from(&caller.identity.viewer);
    let making = PendingResponse::begin(&endpoint.app.response_budget, owner, estimated.bytes);
    let allowance = match operation.kind() {
        // Its events are small, and it lasts.
        OperationType::Subscription => Allowance::new(most_bytes),
        _ => Allowance::new(most_bytes).within(making.fields()),
    };
    let request = operation.request(prepared, most_bytes.min(UNCOUNTED), &allowance);
    let request = match endpoint.documents.subgraph() {
        Some(subgraph) => request.data(subgraph.clone()),
        None => request,
    };
    Ok(Permitted {
        kind: operation.kind(),
        cost: estimated.cost,
        request: match &caller.identity.presented {
            Some(presented) => request.data(presented.clone()),
            None => request,
        },
        allowance,
        making,
        room,
    })
}

/// Runs a query or mutation.
pub(crate) async fn run(
    endpoint: &Endpoint,
    permitted: Permitted,
    caller: Caller,
    place: &Arc<RequestPermit>,
    recording: &mut Recording,
) -> Result<(Response, PendingResponse), Refusal> {
    let Permitted {
        kind,
        request,
        allowance,
        making,
        room: _room,
        ..
    } = permitted;
    making.leaves(place);
    let meter = recording.meter.within(making.reads());
    let span = recording.operation_span();
    let executing = async {
        endpoint
            .service
            .execute(request, caller.identity.viewer, meter)
            .await
    };
    let executing = named_by_request(caller.identity.origin, executing.instrument(span));
    let guarded = AssertUnwindSafe(executing).catch_unwind();
    let request_id = &recording.record.request_id;
    match timeout_at(caller.deadline, guarded).await {
        Ok(Ok(_)) if allowance.is_exceeded() => Err(Refusal::answer_too_large(
            endpoint.app.args.max_answer_bytes,
        )),
        Ok(Ok(mut response)) => {
            sift(&mut response, request_id);
            if kind == OperationType::Mutation {
                recording.record.user_errors = user_errors(&response.data);
            }
            Ok((response, making))
        }
        Ok(Err(panic)) => {
            tracing::error!(
                request_id,
                cause = panic_text(&*panic),
                "a resolver panicked"
            );
            Err(Refusal::fault(request_id))
        }
        Err(_elapsed) => Err(late(endpoint, recording, making.is_waiting())),
    }
}

/// The refusal of an operation that did not end in its time, perhaps because it waited for memory.
pub(super) fn late(endpoint: &Endpoint, recording: &Recording, is_waiting: bool) -> Refusal {
    let limit = endpoint.app.args.request_timeout;
    match recording.meter.spent().writes {
        // Nothing was sent that writes.
        0 if is_waiting => Refusal::overloaded(Admission::COME_BACK),
        0 => Refusal::timed_out(limit),
        _ => Refusal::outcome_unknown(limit),
    }
}

/// The codes in `userErrors` of each root field.
fn user_errors(data: &Value) -> Vec<Name> {
    let Value::Object(payloads) = data else {
        return Vec::new();
    };
    let mut codes = Vec::new();
    for payload in payloads.values() {
        let Some(Value::List(errors)) = field(payload, "userErrors") else {
            continue;
        };
        for error in errors {
            if let Some(Value::Enum(code)) = field(error, "code") {
                codes.push(code.clone());
            }
        }
    }
    codes
}

fn field<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    match value {
        Value::Object(fields) => fields.get(name),
        _ => None,
    }
}

/// What an operation asked of DynamoDB, for `extensions.cost`.
pub(super) fn spent(meter: &Meter) -> Value {
    let spent = meter.spent();
    value!({
        "calls": spent.calls,
        "reads": spent.reads,
        "writes": spent.writes,
        "retries": spent.retries,
        "readUnits": spent.read_units,
        "writeUnits": spent.write_units,
    })
}

async fn look_up(
    endpoint: &Endpoint,
    wanted: PersistedQueryRef,
    recording: &mut Recording,
) -> Result<(Arc<Checked>, bool), Refusal> {
    let persisted = &endpoint.app.persisted;
    let (text, is_trusted) = persisted.document(endpoint.number, wanted).map_err(one)?;
    let checks = &endpoint.app.checks;
    let (checked, lookup) = checks.document(&endpoint.documents, &text).await;
    recording.record.document = Some(lookup);
    Ok((checked, is_trusted))
}

fn choose<'a>(
    document: &'a Document,
    params: &Params,
    recording: &mut Recording,
) -> Result<&'a Operation, Refusal> {
    let operation = document
        .operation(params.operation_name.as_deref())
        .map_err(one)?;
    recording.chosen(operation);
    Ok(operation)
}

/// Refuses what may not run this way, or for this viewer.
pub(crate) fn permit(
    operation: &Operation,
    viewer: &Viewer,
    rights: Rights,
    may_introspect: bool,
) -> Result<(), Refusal> {
    if !viewer.may_read() {
        let message = "These credentials allow no operation. Use credentials with a role that allows reading or writing.";
        return Err(refusal(Code::Forbidden, message));
    }
    match operation.kind() {
        OperationType::Query => {}
        OperationType::Mutation if rights.effects == Effects::Reads => {
            return Err(Refusal::mutation_over_get());
        }
        OperationType::Mutation if viewer.may_write() => {}
        OperationType::Mutation => {
            let message = "These credentials may only read.";
            return Err(refusal(Code::Forbidden, message));
        }
        OperationType::Subscription if rights.answers == Answers::Many => {}
        OperationType::Subscription => {
            let message = "Subscriptions answer more than once: ask over WebSocket \
                           (graphql-transport-ws), or by POST with Accept: text/event-stream.";
            return Err(refusal(Code::OperationResolutionFailure, message));
        }
    }
    if operation.introspects() && !may_introspect {
        let message = "Introspection is disabled on this server.";
        return Err(refusal(Code::GraphqlValidationFailed, message));
    }
    Ok(())
}

/// The variables as the operation's types read them, and the room that they have. The trees of values from which they are
/// made are there only meanwhile.
async fn prepare(
    endpoint: &Endpoint,
    checked: Arc<Checked>,
    mut params: Params,
) -> Result<(Prepared, Option<BodyPermit>), Refusal> {
    let documents = Arc::clone(&endpoint.documents);
    let most_cost = endpoint.app.args.documents.max_cost;
    let bytes = params.variable_bytes();
    let (given, room) = params.take_variables();
    let prepare = move || {
        let document = checked.as_ref().as_ref();
        let document = document.map_err(|errors| Refusal::request(errors.clone()))?;
        let name = params.operation_name.as_deref();
        let operation = document.operation(name).map_err(one)?;
        let prepared = operation.prepare(documents.schema(), given.read()?, most_cost);
        // The work may go on when its request has ended.
        Ok((prepared.map_err(one)?, room))
    };
    endpoint.app.checks.read(bytes, prepare).await
}

/// Counts what the operation may cost against what its viewer may spend.
fn afford(
    endpoint: &Endpoint,
    estimated: Estimated,
    caller: &Caller,
    recording: &mut Recording,
) -> Result<(), Refusal> {
    recording.record.cost = Some(estimated.cost);
    endpoint
        .app
        .rates
        .cost(&RateLimitKey::from(&caller.identity.viewer), estimated.cost)
        .map_err(|too_much| Refusal::rate_limited(too_much.wait))
}

fn refusal(code: Code, message: &str) -> Refusal {
    one(coded(code, message, None))
}

fn one(error: ServerError) -> Refusal {
    Refusal::request(vec![error])
}

pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
