//! Operations that answer more than once: GraphQL over WebSocket and over server-sent events, how many of
//! them there may be, and how they end when the server stops. What may run is decided where every other
//! request's is; knows no service.
//!
//! Sources: <https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md> and
//! <https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md> ("distinct connections mode").

mod credentials;
mod events;
mod framing;
mod handshake;
mod operation;
mod protocol;
mod refusals;
mod websocket;

pub(super) use self::events::{events, subscription};
pub(super) use self::framing::Framing;
pub(super) use self::handshake::is_upgrade;
pub(super) use self::websocket::upgrade;
