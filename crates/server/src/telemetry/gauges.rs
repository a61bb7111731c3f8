//! What the server has to do, as gauges.

use std::sync::atomic::AtomicU64;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;

use super::declared::declared;
use crate::load::Load;

declared! {
    /// The gauges, set whenever they are shown.
    Gauges {
        running: Gauge = Gauge::default(), "requests_running", "GraphQL requests that run";
        queued: Gauge = Gauge::default(), "requests_queued", "GraphQL requests that wait for a place";
        subscriptions: Gauge = Gauge::default(), "subscriptions", "Subscriptions that run";
        websockets: Gauge = Gauge::default(), "websocket_connections", "WebSocket connections";
        failed_key_fetches: Counter<u64, AtomicU64> = Counter::default(),
            "jwks_failures", "Failed requests for the token issuer's keys";
    }
}

impl Gauges {
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
