//! Whether the services can read.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::future::{BoxFuture, join_all};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use trestle_api::Service;

/// How long an answer of the services counts.
const REMEMBERED: Duration = Duration::from_secs(1);
/// How long a service may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whether the store is sound.
pub(super) type HealthCheck = Box<dyn Fn() -> BoxFuture<'static, bool> + Send + Sync>;

/// Whether the services can read, asked no more than once a second.
pub(super) struct Readiness {
    services: Vec<Arc<dyn Service>>,
    store: OnceLock<HealthCheck>,
    last: Mutex<Option<(Instant, bool)>>,
    was_ready: AtomicBool,
}

impl Readiness {
    pub(super) fn new(services: Vec<Arc<dyn Service>>) -> Self {
        Self {
            services,
            store: OnceLock::new(),
            last: Mutex::new(None),
            was_ready: AtomicBool::new(false),
        }
    }

    /// Asks the store as well. Only the first one given is asked.
    pub(super) fn ask(&self, store: HealthCheck) {
        self.store.get_or_init(|| store);
    }

    /// The last answer, without asking.
    pub(super) fn was_ready(&self) -> bool {
        self.was_ready.load(Relaxed)
    }

    /// Those who ask at the same time wait for the same answer.
    pub(super) async fn is_ready(&self) -> bool {
        let mut last = self.last.lock().await;
        if let Some((at, ready)) = *last
            && at.elapsed() < REMEMBERED
        {
            return ready;
        }
        let asked = self
            .services
            .iter()
            .map(|service| timeout(PATIENCE, service.ready()));
        let sound = async {
            match self.store.get() {
                Some(store) => timeout(PATIENCE, store()).await.unwrap_or(false),
                None => true,
            }
        };
        let (answers, sound) = tokio::join!(join_all(asked), sound);
        let ready = sound && answers.into_iter().all(|answer| answer.unwrap_or(false));
        *last = Some((Instant::now(), ready));
        self.was_ready.store(ready, Relaxed);
        ready
    }
}
