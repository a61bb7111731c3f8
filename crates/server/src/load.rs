//! How much the server has to do at a moment.

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
}
