//! A store that fails as DynamoDB does: a connector between the SDK and the store that throttles, cancels,
//! loses requests and answers. What fails is told call by call, or drawn from a seed that is printed and
//! that `TRESTLE_SEED` replays.

mod connector;
mod seeded;

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::{RetryConfig, RetryPartition};
use aws_sdk_dynamodb::config::{
    BehaviorVersion, Config, Credentials, Region, StalledStreamProtectionConfig,
};
use aws_smithy_runtime_api::client::http::{SharedHttpConnector, http_client_fn};
use tokio::sync::Notify;

use connector::Faulty;
pub use seeded::Seeded;

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

    /// A store's connector behind these faults.
    pub fn connector(&self, inner: SharedHttpConnector) -> SharedHttpConnector {
        SharedHttpConnector::new(Faulty {
            inner,
            faults: self.clone(),
        })
    }

    /// A client of a store behind these faults. The SDK sends a request so often, with hardly a pause.
    pub fn client(&self, inner: SharedHttpConnector, attempts: u32) -> Client {
        let connector = self.connector(inner);
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
            // As the embedded store's own client: what is handed over in process never streams.
            .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
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
