//! A service with fields that succeed, fail, panic and wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

use async_graphql::{
    Context, Enum, InputObject, Interface, MaybeUndefined, Object, OneofObject, Request, Response,
    Schema, SimpleObject, Subscription,
};
use futures_util::future::{BoxFuture, ready};
use futures_util::stream::{BoxStream, Stream, StreamExt as _, once};
use tokio::sync::{Notify, Semaphore};
use trestle_api::viewer::Viewer;
use trestle_api::{ApiError, DateTime, Service};
use trestle_table::Meter;

/// What a test sees and steers of the service.
#[derive(Clone)]
pub struct Probe(Arc<State>);

struct State {
    /// Requests that have reached `wait`.
    waiting: Semaphore,
    /// Lets one of them go on for each permit.
    released: Semaphore,
    /// Requests that ended in `wait` without being released.
    cancelled: Notify,
    bumps: AtomicUsize,
    ready: AtomicBool,
    asked_ready: AtomicUsize,
}

impl Default for Probe {
    fn default() -> Self {
        Self(Arc::new(State {
            waiting: Semaphore::new(0),
            released: Semaphore::new(0),
            cancelled: Notify::new(),
            bumps: AtomicUsize::new(0),
            ready: AtomicBool::new(true),
            asked_ready: AtomicUsize::new(0),
        }))
    }
}

impl Probe {
    /// Returns when another `count` requests have reached `wait`.
    pub async fn waiting(&self, count: u32) {
        self.0
            .waiting
            .acquire_many(count)
            .await
            .expect("it stays open")
            .forget();
    }

    pub fn release(&self, count: usize) {
        self.0.released.add_permits(count);
    }

    /// Returns when a waiting request has been cancelled.
    pub async fn cancelled(&self) {
        self.0.cancelled.notified().await;
    }

    pub fn bumps(&self) -> usize {
        self.0.bumps.load(SeqCst)
    }

    pub fn set_ready(&self, ready: bool) {
        self.0.ready.store(ready, SeqCst);
    }

    pub fn asked_ready(&self) -> usize {
        self.0.asked_ready.load(SeqCst)
    }
}

/// Tells the probe unless it is disarmed.
struct Cancelled<'a>(Option<&'a State>);

impl Drop for Cancelled<'_> {
    fn drop(&mut self) {
        if let Some(state) = self.0 {
            state.cancelled.notify_one();
        }
    }
}

struct Query(Probe);
struct Mutation(Probe);

/// A thing in a list.
struct Item;

#[derive(SimpleObject)]
struct NoItem {
    name: String,
}

/// Anything with a name.
#[derive(Interface)]
#[graphql(field(name = "name", ty = "String"))]
enum Thing {
    Item(Item),
    NoItem(NoItem),
}

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
enum ThingKind {
    Item,
    NoItem,
}

#[derive(SimpleObject)]
struct Edge {
    cursor: String,
    node: Item,
}

#[derive(SimpleObject)]
struct Connection {
    edges: Vec<Edge>,
}

#[derive(InputObject)]
struct Patch {
    note: MaybeUndefined<String>,
}

#[derive(OneofObject)]
enum By {
    Id(i32),
    Name(String),
}

#[derive(Debug, thiserror::Error)]
#[error("table secret-table is gone")]
struct StoreError;

#[Object]
impl Item {
    async fn name(&self) -> String {
        "item".to_owned()
    }

    async fn items(&self, first: Option<i32>, last: Option<i32>) -> Connection {
        connection(first, last)
    }
}

fn connection(first: Option<i32>, last: Option<i32>) -> Connection {
    let size = first.or(last).unwrap_or(20).clamp(0, 3);
    Connection {
        edges: (0..size)
            .map(|n| Edge {
                cursor: n.to_string(),
                node: Item,
            })
            .collect(),
    }
}

#[Object]
impl Query {
    /// An answer with a header and a time for which it may be kept.
    #[graphql(cache_control(max_age = 60))]
    async fn kept(&self, context: &Context<'_>) -> &str {
        context.insert_http_header("x-kept", "yes");
        "kept"
    }

    async fn hello(&self, #[graphql(default = "world")] name: String) -> String {
        format!("Hello, {name}")
    }

    async fn at(&self, at: DateTime) -> DateTime {
        at
    }

    async fn thing(&self, kind: Option<ThingKind>) -> Thing {
        match kind.unwrap_or(ThingKind::Item) {
            ThingKind::Item => Thing::Item(Item),
            ThingKind::NoItem => Thing::NoItem(NoItem {
                name: "none".to_owned(),
            }),
        }
    }

    async fn long(&self) -> String {
        "long ".repeat(1000)
    }

    async fn items(&self, first: Option<i32>, last: Option<i32>) -> Connection {
        connection(first, last)
    }

    async fn all(&self) -> Vec<Item> {
        vec![Item, Item]
    }

    async fn by_ids(&self, ids: Vec<i32>) -> Vec<Item> {
        ids.into_iter().map(|_| Item).collect()
    }

    async fn patched(&self, input: Patch) -> &str {
        match input.note {
            MaybeUndefined::Undefined => "kept",
            MaybeUndefined::Null => "cleared",
            MaybeUndefined::Value(_) => "set",
        }
    }

    async fn found(&self, by: By) -> String {
        match by {
            By::Id(id) => id.to_string(),
            By::Name(name) => name,
        }
    }

    async fn broken(&self) -> Option<Result<i32, ApiError>> {
        Some(Err(ApiError::internal(StoreError)))
    }

    async fn unavailable(&self) -> Option<Result<i32, ApiError>> {
        Some(Err(ApiError::unavailable(StoreError)))
    }

    async fn uncoded(&self) -> Option<Result<i32, async_graphql::Error>> {
        Some(Err(async_graphql::Error::new("table secret-table is gone")))
    }

    async fn panics(&self) -> i32 {
        let rows: Vec<i32> = Vec::new();
        rows.into_iter()
            .next()
            .expect("secret-table has such a row")
    }

    async fn wait(&self) -> &str {
        let state = &*self.0.0;
        let mut guard = Cancelled(Some(state));
        state.waiting.add_permits(1);
        state
            .released
            .acquire()
            .await
            .expect("it stays open")
            .forget();
        guard.0 = None;
        "done"
    }
}

#[Object]
impl Mutation {
    async fn bump(&self) -> usize {
        self.0.0.bumps.fetch_add(1, SeqCst) + 1
    }
}

struct Ticks;

#[Subscription]
impl Ticks {
    /// One event.
    async fn ticks(&self) -> impl Stream<Item = i32> {
        once(ready(1))
    }
}

/// The service under test.
pub struct TestService {
    schema: Schema<Query, Mutation, Ticks>,
    sdl: String,
    probe: Probe,
}

impl TestService {
    pub fn new(probe: Probe) -> Self {
        let query = Query(probe.clone());
        let schema = Schema::build(query, Mutation(probe.clone()), Ticks)
            .validation_mode(async_graphql::ValidationMode::Fast)
            .finish();
        Self {
            sdl: schema.sdl(),
            schema,
            probe,
        }
    }
}

impl Service for TestService {
    fn name(&self) -> &'static str {
        "test"
    }

    fn sdl(&self) -> &str {
        &self.sdl
    }

    fn examples(&self) -> &'static [&'static str] {
        &["{ hello(name: \"</script>\") }"]
    }

    fn execute(&self, request: Request, _viewer: Viewer, _meter: Meter) -> BoxFuture<'_, Response> {
        Box::pin(self.schema.execute(request))
    }

    fn subscribe(
        &self,
        request: Request,
        _viewer: Viewer,
        _meter: Meter,
    ) -> BoxStream<'static, Response> {
        self.schema.execute_stream(request).boxed()
    }

    fn ready(&self) -> BoxFuture<'_, bool> {
        Box::pin(async {
            self.probe.0.asked_ready.fetch_add(1, SeqCst);
            self.probe.0.ready.load(SeqCst)
        })
    }
}
