//! A store that fails as DynamoDB does: a connector between the SDK and the store that throttles, cancels,
//! loses requests and answers. What fails is told call by call, or drawn from a seed that is printed and
//! that `TRESTLE_SEED` replays.

#![allow(dead_code, reason = "each test target uses a part of it")]

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::{RetryConfig, RetryPartition};
use aws_sdk_dynamodb::config::{BehaviorVersion, Config, Credentials, Region};
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, SharedHttpConnector, http_client_fn,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::http::StatusCode;
use aws_smithy_types::body::SdkBody;
use serde_json::{Value, json};
use tokio::sync::Notify;

/// What goes wrong with one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Refused for its rate.
    Throttled,
    /// Refused with a fault of the store's own.
    Internal,
    /// A transaction that is cancelled for several reasons at once, none of them a condition.
    Canceled,
    /// Time runs out before the store sees the request.
    LostRequest,
    /// Time runs out after the store did what was asked.
    LostAnswer,
    /// The store does what was asked, and the connection ends in the middle of its answer.
    CutAnswer,
    /// The store does a part of a batch.
    Unprocessed,
    /// The store answers, after others had their turn.
    Slow,
}

const ALL: [Fault; 8] = [
    Fault::Throttled,
    Fault::Internal,
    Fault::Canceled,
    Fault::LostRequest,
    Fault::LostAnswer,
    Fault::CutAnswer,
    Fault::Unprocessed,
    Fault::Slow,
];

/// Whether the store remembers what it was asked, as DynamoDB does for ten minutes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tokens {
    Kept,
    Stripped,
}

/// What is to fail, and what came through. Clones steer the same connector.
#[derive(Clone)]
pub struct Faults {
    plan: Arc<Mutex<Plan>>,
    gate: Arc<Gate>,
}

/// Holds one request back until something else has happened.
#[derive(Default)]
struct Gate {
    held: Notify,
    released: Notify,
}

struct Plan {
    next: HashMap<String, VecDeque<Option<Fault>>>,
    always: HashMap<String, Fault>,
    random: Option<(Seeded, u64)>,
    tokens: Tokens,
    hold: Option<(String, u64)>,
    injected: u64,
    attempts: HashMap<String, u64>,
}

impl Faults {
    /// Nothing fails until it is told to.
    pub fn none() -> Self {
        let plan = Plan {
            next: HashMap::new(),
            always: HashMap::new(),
            random: None,
            tokens: Tokens::Kept,
            hold: None,
            injected: 0,
            attempts: HashMap::new(),
        };
        Self {
            plan: Arc::new(Mutex::new(plan)),
            gate: Arc::default(),
        }
    }

    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().expect("no panic while planning")
    }

    /// The next requests of `operation` fail so, one after another; `None` comes through.
    pub fn next(&self, operation: &str, faults: impl IntoIterator<Item = Option<Fault>>) {
        let mut plan = self.plan();
        plan.next
            .entry(operation.to_owned())
            .or_default()
            .extend(faults);
    }

    /// Every request of `operation` fails so.
    pub fn always(&self, operation: &str, fault: Fault) {
        self.plan().always.insert(operation.to_owned(), fault);
    }

    /// So many of a hundred requests fail, as `random` draws.
    pub fn draw(&self, random: Seeded, percent: u64) {
        self.plan().random = Some((random, percent));
    }

    /// What becomes of the idempotency tokens.
    pub fn tokens(&self, tokens: Tokens) {
        self.plan().tokens = tokens;
    }

    /// Lets so many requests of `operation` pass, and holds the one after them.
    pub fn hold_after(&self, operation: &str, passing: u64) {
        self.plan().hold = Some((operation.to_owned(), passing));
    }

    /// Waits until that request has come.
    pub async fn held(&self) {
        self.gate.held.notified().await;
    }

    /// Lets that request go on.
    pub fn release(&self) {
        self.gate.released.notify_one();
    }

    /// Whether this request is the one to hold.
    fn holds(&self, operation: &str) -> bool {
        let mut plan = self.plan();
        match &mut plan.hold {
            Some((held, passing)) if held == operation && *passing > 0 => {
                *passing -= 1;
                false
            }
            Some((held, _)) if held == operation => {
                plan.hold = None;
                true
            }
            _ => false,
        }
    }

    /// Nothing fails any more.
    pub fn stop(&self) {
        let mut plan = self.plan();
        plan.next.clear();
        plan.always.clear();
        plan.random = None;
    }

    /// How many requests failed.
    pub fn injected(&self) -> u64 {
        self.plan().injected
    }

    /// How often `operation` was sent, the SDK's own retries included.
    pub fn attempts(&self, operation: &str) -> u64 {
        self.plan().attempts.get(operation).copied().unwrap_or(0)
    }

    /// A client of a store behind these faults. The SDK sends a request so often, with hardly a pause.
    pub fn client(&self, inner: SharedHttpConnector, attempts: u32) -> Client {
        let connector = SharedHttpConnector::new(Faulty {
            inner,
            faults: self.clone(),
        });
        let pause = std::time::Duration::from_millis(1);
        let retries = RetryConfig::standard()
            .with_max_attempts(attempts)
            .with_initial_backoff(pause)
            .with_max_backoff(pause);
        let config = Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static("local"))
            .credentials_provider(Credentials::new("test", "test", None, None, "test"))
            .endpoint_url("http://localhost")
            .retry_config(retries)
            // The SDK stops retrying when much fails in a partition; tests do not share theirs.
            .retry_partition(RetryPartition::new(uuid::Uuid::new_v4().to_string()))
            .http_client(http_client_fn(move |_, _| connector.clone()))
            .build();
        Client::from_conf(config)
    }

    fn fate(&self, operation: &str) -> (Option<Fault>, u64, Tokens) {
        let mut plan = self.plan();
        *plan.attempts.entry(operation.to_owned()).or_default() += 1;
        let told = plan.next.get_mut(operation).and_then(VecDeque::pop_front);
        let fault = match told {
            Some(told) => told,
            None => match plan.always.get(operation) {
                Some(fault) => Some(*fault),
                None => plan.random.as_mut().and_then(|(random, percent)| {
                    (random.below(100) < *percent).then(|| ALL[random.below(8) as usize])
                }),
            },
        };
        let fault = fault.filter(|fault| fits(*fault, operation));
        plan.injected += u64::from(fault.is_some());
        let draw = plan
            .random
            .as_mut()
            .map_or(7, |(random, _)| random.below(1 << 32));
        (fault, draw, plan.tokens)
    }
}

/// Whether the store can fail so when asked for this.
fn fits(fault: Fault, operation: &str) -> bool {
    match fault {
        Fault::Canceled => operation == "TransactWriteItems",
        Fault::Unprocessed => operation.starts_with("Batch"),
        _ => true,
    }
}

/// SplitMix64: small, and the same everywhere.
#[derive(Clone, Debug)]
pub struct Seeded(u64);

impl Seeded {
    /// From `TRESTLE_SEED`, or else `seed`; printed, so that the run can be had again.
    pub fn printed(seed: u64) -> Self {
        let seed = std::env::var("TRESTLE_SEED")
            .ok()
            .and_then(|seed| seed.parse().ok())
            .unwrap_or(seed);
        eprintln!("TRESTLE_SEED={seed}");
        Self(seed)
    }

    /// Another sequence that follows from this one.
    pub fn split(&mut self) -> Self {
        Self(self.draw())
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.draw() % bound
    }

    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

struct Faulty {
    inner: SharedHttpConnector,
    faults: Faults,
}

impl fmt::Debug for Faulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Faulty")
    }
}

fn body(request: &HttpRequest) -> Value {
    serde_json::from_slice(request.body().bytes().unwrap_or_default()).unwrap_or_default()
}

fn set_body(request: &mut HttpRequest, body: &Value) {
    let text = body.to_string();
    if request.headers().get("content-length").is_some() {
        let length = text.len().to_string();
        request.headers_mut().insert("content-length", length);
    }
    *request.body_mut() = SdkBody::from(text);
}

fn answer(status: u16, body: &Value) -> HttpResponse {
    let status = StatusCode::try_from(status).expect("a status");
    let mut response = HttpResponse::new(status, SdkBody::from(body.to_string()));
    response
        .headers_mut()
        .insert("content-type", "application/x-amz-json-1.0");
    response
}

fn refused(status: u16, code: &str, more: Value) -> HttpConnectorFuture {
    let mut body = json!({
        "__type": format!("com.amazonaws.dynamodb.v20120810#{code}"),
        "message": "a fault of the test's",
    });
    if let (Some(body), Value::Object(more)) = (body.as_object_mut(), more) {
        body.extend(more);
    }
    HttpConnectorFuture::ready(Ok(answer(status, &body)))
}

fn lost() -> ConnectorError {
    ConnectorError::timeout("lost, by the test".into())
}

/// A reason for each item of a transaction, at least one of them not `None`.
fn reasons(request: &HttpRequest, draw: u64) -> Value {
    let items = body(request)["TransactItems"]
        .as_array()
        .map_or(1, Vec::len);
    let mut random = Seeded(draw);
    let sure = random.below(items as u64) as usize;
    let reasons: Vec<_> = (0..items)
        .map(|i| match random.below(3) {
            0 if i != sure => json!({ "Code": "None" }),
            1 => json!({ "Code": "ThrottlingError", "Message": "slower" }),
            _ => json!({ "Code": "TransactionConflict", "Message": "busy" }),
        })
        .collect();
    json!({ "CancellationReasons": reasons })
}

/// Takes the second half of a batch out of a request: what is left of it, and what goes unprocessed.
fn halve(request: &Value) -> (Value, Value) {
    let mut kept = request.clone();
    let mut left = json!({});
    let Some(tables) = kept["RequestItems"].as_object_mut() else {
        return (kept, left);
    };
    for (table, asked) in tables.iter_mut() {
        let list = match asked.get_mut("Keys") {
            Some(keys) => keys.as_array_mut(),
            None => asked.as_array_mut(),
        };
        let rest = list.map(|list| list.split_off(list.len() / 2));
        let rest = json!(rest.unwrap_or_default());
        left[table] = match asked.get("Keys") {
            Some(_) => {
                let mut whole = asked.clone();
                whole["Keys"] = rest;
                whole
            }
            None => rest,
        };
    }
    tables.retain(|_, asked| {
        let list = asked.get("Keys").unwrap_or(asked);
        list.as_array().is_some_and(|list| !list.is_empty())
    });
    (kept, left)
}

async fn unprocessed(
    inner: SharedHttpConnector,
    mut request: HttpRequest,
    operation: &str,
) -> Result<HttpResponse, ConnectorError> {
    let (kept, left) = halve(&body(&request));
    let nothing = kept["RequestItems"]
        .as_object()
        .is_none_or(|tables| tables.is_empty());
    let mut answered = if nothing {
        json!({ "Responses": {} })
    } else {
        set_body(&mut request, &kept);
        let response = inner.call(request).await?;
        let bytes = read(response).await?;
        serde_json::from_slice(&bytes).expect("the store answers JSON")
    };
    let name = match operation {
        "BatchGetItem" => "UnprocessedKeys",
        _ => "UnprocessedItems",
    };
    answered[name] = left;
    Ok(answer(200, &answered))
}

async fn read(response: HttpResponse) -> Result<Vec<u8>, ConnectorError> {
    use http_body_util::BodyExt;
    let body = response.into_body().collect().await;
    let body = body.map_err(ConnectorError::io)?;
    Ok(body.to_bytes().to_vec())
}

impl HttpConnector for Faulty {
    fn call(&self, mut request: HttpRequest) -> HttpConnectorFuture {
        let target = request.headers().get("x-amz-target").unwrap_or_default();
        let operation = target.rsplit('.').next().unwrap_or_default().to_owned();
        let (fault, draw, tokens) = self.faults.fate(&operation);
        if tokens == Tokens::Stripped && operation == "TransactWriteItems" {
            let mut body = body(&request);
            if let Some(body) = body.as_object_mut() {
                body.remove("ClientRequestToken");
            }
            set_body(&mut request, &body);
        }
        let inner = self.inner.clone();
        if self.faults.holds(&operation) {
            let gate = Arc::clone(&self.faults.gate);
            return HttpConnectorFuture::new(async move {
                gate.held.notify_one();
                gate.released.notified().await;
                inner.call(request).await
            });
        }
        match fault {
            None => inner.call(request),
            Some(Fault::Throttled) => refused(400, "ThrottlingException", json!({})),
            Some(Fault::Internal) => refused(500, "InternalServerError", json!({})),
            Some(Fault::Canceled) => {
                let reasons = reasons(&request, draw);
                refused(400, "TransactionCanceledException", reasons)
            }
            Some(Fault::LostRequest) => HttpConnectorFuture::ready(Err(lost())),
            Some(Fault::LostAnswer) => HttpConnectorFuture::new(async move {
                inner.call(request).await?;
                Err(lost())
            }),
            Some(Fault::CutAnswer) => HttpConnectorFuture::new(async move {
                let response = inner.call(request).await?;
                let bytes = read(response).await?;
                let half = bytes.get(..bytes.len() / 2).unwrap_or_default().to_vec();
                let mut cut = answer(200, &json!({}));
                *cut.body_mut() = SdkBody::from(half);
                Ok(cut)
            }),
            Some(Fault::Unprocessed) => {
                HttpConnectorFuture::new(
                    async move { unprocessed(inner, request, &operation).await },
                )
            }
            Some(Fault::Slow) => HttpConnectorFuture::new(async move {
                for _ in 0..draw % 50 {
                    tokio::task::yield_now().await;
                }
                inner.call(request).await
            }),
        }
    }
}
