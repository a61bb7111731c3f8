//! Subscriptions over real sockets: clients in step over WebSocket and server-sent events, slow ones,
//! limits, credentials, stopping, and changes that other processes made.

mod board;
mod connecting;
mod credentials;
mod events;
pub mod events_client;
mod limits;
mod parts;
mod protocol;
mod shards;
mod slow;
mod step;
mod stopping;
mod stream;
