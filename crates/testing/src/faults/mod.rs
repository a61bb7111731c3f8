//! A store that fails as DynamoDB does: a connector between the SDK and the store that throttles, cancels,
//! loses requests and answers. What fails is told call by call, or drawn from a seed that is printed and
//! that `TRESTLE_SEED` replays.

mod connector;
mod seeded;

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

use aws_credential_types::provider::error::CredentialsError;
use aws_credential_types::provider::{ProvideCredentials, future};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::{RetryConfig, RetryPartition, TokenBucket};
use aws_sdk_dynamodb::config::{
    BehaviorVersion, Config, Credentials, IdentityCache, Region, StalledStreamProtectionConfig,
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
    /// The store does what was asked, and answers a fault of its own.
    DoneThenInternal,
    /// Refused with this status and this code.
    Refused(u16, &'static str),
    /// A transaction that is cancelled because its first item has this reason.
    CanceledFor(&'static str),
    /// A transaction that is cancelled because its last item has this reason.
    CanceledForLast(&'static str),
    /// This status, with a body that is not of the store.
    Garbled(u16),
    /// Nobody listens.
    Unreachable,
    /// The connection ends before the store sees the request.
    Reset,
    /// The store is asked, and does not know what it was asked before.
    Forgotten,
    /// There are no credentials to sign the request with. Only after another try of the same request.
    NoCredentials,
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

/// What the first try of a write meets: done or not, answered or not.
pub const FIRST: [Option<Fault>; 6] = [
    None,
    Some(Fault::LostRequest),
    Some(Fault::LostAnswer),
    Some(Fault::CutAnswer),
    Some(Fault::Internal),
    Some(Fault::DoneThenInternal),
];

/// What a later try of a write meets. Sources: "Error handling with DynamoDB" in the Developer Guide, the errors of each
/// operation in the API reference, what is between a client and a server, and the embedded store on a disk that is full now
/// and then.
pub const LATER: [Fault; 35] = [
    Fault::Refused(400, "ThrottlingException"),
    Fault::Refused(400, "ProvisionedThroughputExceededException"),
    Fault::Refused(400, "RequestLimitExceeded"),
    Fault::Refused(400, "ExpiredTokenException"),
    Fault::Refused(400, "UnrecognizedClientException"),
    Fault::Refused(400, "InvalidSignatureException"),
    Fault::Refused(400, "IncompleteSignatureException"),
    Fault::Refused(400, "MissingAuthenticationTokenException"),
    Fault::Refused(400, "AccessDeniedException"),
    Fault::Refused(400, "ResourceNotFoundException"),
    Fault::Refused(400, "ValidationException"),
    Fault::Refused(400, "ItemCollectionSizeLimitExceededException"),
    Fault::Refused(400, "IdempotentParameterMismatchException"),
    Fault::Refused(400, "TransactionInProgressException"),
    Fault::Refused(400, "TransactionConflictException"),
    Fault::Refused(400, "ReplicatedWriteConflictException"),
    Fault::Refused(400, "LimitExceededException"),
    Fault::Refused(400, "DiskFullException"),
    Fault::Refused(413, "RequestEntityTooLarge"),
    Fault::Refused(500, "InternalServerError"),
    Fault::Refused(503, "ServiceUnavailable"),
    Fault::CanceledFor("TransactionConflict"),
    Fault::CanceledFor("ThrottlingError"),
    Fault::CanceledFor("ProvisionedThroughputExceeded"),
    Fault::CanceledFor("ItemCollectionSizeLimitExceeded"),
    Fault::CanceledFor("ValidationError"),
    Fault::Garbled(200),
    Fault::Garbled(403),
    Fault::Garbled(502),
    Fault::Unreachable,
    Fault::Reset,
    Fault::LostRequest,
    Fault::LostAnswer,
    Fault::Forgotten,
    Fault::NoCredentials,
];

/// The operations that write.
pub const WRITES: [&str; 5] = [
    "PutItem",
    "UpdateItem",
    "DeleteItem",
    "BatchWriteItem",
    "TransactWriteItems",
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

/// One write of those to come.
struct Write {
    /// How many others come before it.
    passing: u64,
    /// The write before it.
    before: Option<String>,
    /// What its tries meet.
    tries: Vec<Fault>,
    /// Whether every write after it meets what its last try did.
    persists: Persists,
    /// The id of its tries, once it has come.
    is: Option<String>,
}

/// What writes meet after the one that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Persists {
    Yes,
    No,
}

struct Plan {
    next: HashMap<String, VecDeque<Option<Fault>>>,
    always: HashMap<String, Fault>,
    random: Option<(Seeded, u64)>,
    /// Whether what is drawn is followed by a later answer.
    are_followed: bool,
    /// What the next tries of requests meet, by the id that the SDK gives all tries of one.
    tries: HashMap<String, VecDeque<Fault>>,
    write: Option<Write>,
    tokens: Tokens,
    hold: Option<(String, u64)>,
    injected: u64,
    followed: u64,
    attempts: HashMap<String, u64>,
}

impl Faults {
    /// Nothing fails until it is told to.
    pub fn none() -> Self {
        let plan = Plan {
            next: HashMap::new(),
            always: HashMap::new(),
            random: None,
            are_followed: false,
            tries: HashMap::new(),
            write: None,
            tokens: Tokens::Kept,
            hold: None,
            injected: 0,
            followed: 0,
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

    /// As [`Faults::draw`]. A write whose answer is lost meets one of [`LATER`] when it is sent again.
    pub fn draw_followed(&self, random: Seeded, percent: u64) {
        self.draw(random, percent);
        self.plan().are_followed = true;
    }

    /// After so many writes, one whose tries meet these faults, one after another.
    pub fn write(&self, passing: u64, tries: Vec<Fault>, persists: Persists) {
        self.plan().write = Some(Write {
            passing,
            before: None,
            tries,
            persists,
            is: None,
        });
    }

    /// Whether the write of [`Faults::write`] has come.
    pub fn has_met_write(&self) -> bool {
        self.plan()
            .write
            .as_ref()
            .is_some_and(|write| write.is.is_some())
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
        plan.tries.clear();
        plan.write = None;
    }

    /// How many requests failed.
    pub fn injected(&self) -> u64 {
        self.plan().injected
    }

    /// How many lost answers of writes are followed by another one.
    pub fn followed(&self) -> u64 {
        self.plan().followed
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
            .credentials_provider(Provider(self.clone()))
            .endpoint_url("http://localhost")
            .retry_config(retries)
            // The SDK stops retrying when much fails in a partition. Tests do not share theirs, and go on.
            .retry_partition(
                RetryPartition::custom(uuid::Uuid::new_v4().to_string())
                    .token_bucket(TokenBucket::unlimited())
                    .build(),
            )
            .identity_cache(IdentityCache::no_cache())
            // As the embedded store's own client: what is handed over in process never streams.
            .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
            .http_client(http_client_fn(move |_, _| connector.clone()))
            .build();
        Client::from_conf(config)
    }

    fn fate(&self, operation: &str, invocation: &str) -> (Option<Fault>, u64, Tokens) {
        let mut guard = self.plan();
        let plan = &mut *guard;
        *plan.attempts.entry(operation.to_owned()).or_default() += 1;
        if WRITES.contains(&operation)
            && let Some(write) = &mut plan.write
        {
            write.comes(invocation, &mut plan.tries);
        }
        let tries = plan.tries.get_mut(invocation);
        let told = match tries.and_then(VecDeque::pop_front) {
            Some(fault) => Some(Some(fault)),
            None => plan.next.get_mut(operation).and_then(VecDeque::pop_front),
        };
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
        if plan.are_followed
            && told.is_none()
            && WRITES.contains(&operation)
            && let Some(Fault::LostAnswer | Fault::CutAnswer) = fault
            && let Some((random, _)) = &mut plan.random
        {
            let later = LATER[random.below(LATER.len() as u64) as usize];
            plan.followed += 1;
            plan.tries
                .insert(invocation.to_owned(), VecDeque::from([later, later]));
        }
        let draw = plan
            .random
            .as_mut()
            .map_or(7, |(random, _)| random.below(1 << 32));
        (fault, draw, plan.tokens)
    }
}

impl Write {
    /// A try of a write comes: it may be the one that fails, or follow it.
    fn comes(&mut self, invocation: &str, tries: &mut HashMap<String, VecDeque<Fault>>) {
        if let Some(is) = &self.is {
            let last = self.tries.last().filter(|_| self.persists == Persists::Yes);
            if let Some(last) = last
                && is != invocation
            {
                tries.insert(invocation.to_owned(), VecDeque::from([*last; 3]));
            }
            return;
        }
        let is_new = self.before.as_deref() != Some(invocation);
        if is_new && self.passing == 0 {
            self.is = Some(invocation.to_owned());
            tries.insert(invocation.to_owned(), self.tries.iter().copied().collect());
        } else if is_new {
            self.passing -= 1;
            self.before = Some(invocation.to_owned());
        }
    }
}

/// Credentials, until the next try of a write is to have none.
#[derive(Clone)]
struct Provider(Faults);

impl std::fmt::Debug for Provider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Provider")
    }
}

impl ProvideCredentials for Provider {
    fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        let mut plan = self.0.plan();
        let mut tries = plan.tries.values_mut();
        let is_missing = tries.any(|tries| {
            let is_next = tries.front() == Some(&Fault::NoCredentials);
            if is_next {
                tries.clear();
            }
            is_next
        });
        future::ProvideCredentials::ready(if is_missing {
            Err(CredentialsError::provider_error("a fault of the test's"))
        } else {
            Ok(Credentials::new("test", "test", None, None, "test"))
        })
    }
}

/// Whether the store can fail so when asked for this.
fn fits(fault: Fault, operation: &str) -> bool {
    match fault {
        Fault::CanceledFor(_) | Fault::CanceledForLast(_) | Fault::Canceled => {
            operation == "TransactWriteItems"
        }
        Fault::Unprocessed => operation.starts_with("Batch"),
        _ => true,
    }
}
