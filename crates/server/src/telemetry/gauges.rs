//! What the server has to do, as gauges, and what has happened beside requests.

use std::sync::atomic::AtomicU64;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
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
        ready: Gauge = Gauge::default(), "ready", "1 if /readyz answers 200, else 0";
        reloads: Family<Reload, Counter> = Family::default(),
            "file_reloads", "Files of settings that were read again, by result: changed or refused";
        unusable_files: Gauge = Gauge::default(),
            "files_unusable", "Files of settings that cannot be used: what was read before stays in use";
        free_bytes: Family<Store, Gauge> = Family::default(),
            "store_free_bytes", "Bytes that can still be written to the disk of the data folder";
        log_bytes: Family<Store, Gauge> = Family::default(),
            "store_log_bytes", "Bytes of the embedded store's log: a reader that does not end keeps it growing";
        last_backup: Family<Store, Gauge> = Family::default(),
            "last_backup_timestamp_seconds", "When the last backup was made, in seconds after 1970, 0 if there is none";
    }
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Reload {
    result: &'static str,
}

/// The label of what only servers with an embedded store have.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Store {
    store: &'static str,
}

impl Gauges {
    pub(super) fn set(&self, load: &Load) {
        for (gauge, value) in [
            (&self.running, load.running),
            (&self.queued, load.queued),
            (&self.subscriptions, load.subscriptions),
            (&self.websockets, load.websockets),
            (&self.unusable_files, load.unusable_files),
        ] {
            set(gauge, value as u64);
        }
        self.ready.set(i64::from(load.is_ready));
        raise(&self.failed_key_fetches, load.failed_key_fetches);
        for (result, count) in [("changed", load.reloads), ("refused", load.refused_reloads)] {
            raise(&self.reloads.get_or_create(&Reload { result }), count);
        }
        let store = Store { store: "embedded" };
        for (family, value) in [
            (&self.free_bytes, load.free_bytes),
            (&self.log_bytes, load.log_bytes),
            (&self.last_backup, load.last_backup),
        ] {
            if let Some(value) = value {
                set(&family.get_or_create(&store), value);
            }
        }
    }
}

fn set(gauge: &Gauge, value: u64) {
    gauge.set(i64::try_from(value).unwrap_or(i64::MAX));
}

fn raise(counter: &Counter, count: u64) {
    counter.inc_by(count.saturating_sub(counter.get()));
}
