//! What the server has to do, as gauges.

use std::sync::atomic::AtomicU64;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use crate::server::load::Load;

/// The gauges, set whenever they are shown.
#[derive(Debug, Default)]
pub(super) struct Gauges {
    running: Gauge,
    queued: Gauge,
    subscriptions: Gauge,
    websockets: Gauge,
    failed_key_fetches: Counter<u64, AtomicU64>,
}

impl Gauges {
    pub(super) fn register(&self, registry: &mut Registry) {
        for (name, help, gauge) in [
            (
                "requests_running",
                "GraphQL requests that run",
                &self.running,
            ),
            (
                "requests_queued",
                "GraphQL requests that wait for a place",
                &self.queued,
            ),
            (
                "subscriptions",
                "Subscriptions that run",
                &self.subscriptions,
            ),
            (
                "websocket_connections",
                "WebSocket connections",
                &self.websockets,
            ),
        ] {
            registry.register(name, help, gauge.clone());
        }
        registry.register(
            "jwks_failures",
            "Failed requests for the token issuer's keys",
            self.failed_key_fetches.clone(),
        );
    }

    pub(super) fn set(&self, load: &Load) {
        for (gauge, value) in [
            (&self.running, load.running),
            (&self.queued, load.queued),
            (&self.subscriptions, load.subscriptions),
            (&self.websockets, load.websockets),
        ] {
            gauge.set(i64::try_from(value).unwrap_or(i64::MAX));
        }
        let counted = self.failed_key_fetches.get();
        let new = load.failed_key_fetches.saturating_sub(counted);
        self.failed_key_fetches.inc_by(new);
    }
}
