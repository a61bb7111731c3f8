//! How much the server has to do at a moment, and what has happened beside requests.

use std::sync::atomic::{AtomicU64, AtomicUsize};

/// What the server has to do, and what has failed beside requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Requests that run.
    pub running: usize,
    /// Requests that wait for a place.
    pub queued: usize,
    /// Subscriptions that run.
    pub subscriptions: usize,
    /// WebSocket connections.
    pub websockets: usize,
    /// Failed requests for the token issuer's keys since the start.
    pub failed_key_fetches: u64,
    /// Whether the server was ready when that was last asked.
    pub is_ready: bool,
    /// Files of settings that were read again since the start.
    pub reloads: u64,
    /// Files of settings that were refused since the start.
    pub refused_reloads: u64,
    /// Files of settings that cannot be used at the moment.
    pub unusable_files: usize,
    /// Bytes that can still be written to the data folder; `None` without one.
    pub free_bytes: Option<u64>,
    /// Bytes of the store's log; `None` without a store on disk.
    pub log_bytes: Option<u64>,
    /// When the last backup was made, in seconds after 1970, 0 if there is none; `None` if no backups are made.
    pub last_backup: Option<u64>,
}

/// How often files were read again since the start.
#[derive(Debug, Default)]
pub(super) struct Reloads {
    /// With changes.
    pub(super) changed: AtomicU64,
    /// Without success, once for each reason.
    pub(super) refused: AtomicU64,
    /// Files that cannot be used at the moment.
    pub(super) unusable: AtomicUsize,
}
