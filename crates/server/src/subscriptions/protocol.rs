//! The messages and close codes of graphql-transport-ws. Source:
//! <https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md>.

use apollo_compiler::response::{JsonMap, JsonValue};
use async_graphql::ServerError;
use axum::extract::ws::Message;
use serde::{Deserialize, Serialize};
use serde_json::to_string;

/// The protocol's name in `Sec-WebSocket-Protocol`.
pub(super) const NAME: &str = "graphql-transport-ws";
/// The longest id of an operation, in bytes: clients choose it, and it is kept while the operation runs.
const MOST_ID: usize = 128;

/// What a client says.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Received {
    ConnectionInit {
        #[serde(default)]
        payload: Option<JsonMap>,
    },
    Subscribe {
        id: String,
        payload: JsonValue,
    },
    Complete {
        id: String,
    },
    Ping {
        #[serde(default, rename = "payload")]
        _payload: Option<JsonMap>,
    },
    Pong {
        #[serde(default, rename = "payload")]
        _payload: Option<JsonMap>,
    },
}

/// What the server says.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Sent<'a> {
    ConnectionAck,
    Error {
        id: &'a str,
        payload: &'a [ServerError],
    },
    Complete {
        id: &'a str,
    },
    Pong,
}

/// Why the server closes the connection: a code and a sentence, at most 123 bytes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Close(pub(super) u16, pub(super) &'static str);

impl Close {
    /// The endpoint goes away (RFC 6455 section 7.4.1): clients connect again.
    pub(super) const STOPPING: Self = Self(1001, "The server stops.");
    /// RFC 6455: a frame that the protocol does not allow.
    pub(super) const PROTOCOL: Self = Self(1002, "Protocol error");
    /// RFC 6455: text that is not UTF-8.
    pub(super) const NOT_UTF8: Self = Self(1007, "Send UTF-8.");
    /// RFC 6455: a message beyond the limit.
    pub(super) const TOO_LARGE: Self = Self(1009, "The message is too large.");
    /// RFC 6455's register: others want a connection, and this client has more than its share.
    pub(super) const WITHDRAWN: Self = Self(1013, "Too many connections.");
    pub(super) const FAULT: Self = Self(4500, "Internal server error");
    pub(super) const BINARY: Self = Self(1003, "Send text.");
    pub(super) const INVALID: Self = Self(4400, "Invalid message");
    pub(super) const UNAUTHORIZED: Self = Self(4401, "Unauthorized");
    pub(super) const FORBIDDEN: Self = Self(4403, "Forbidden");
    pub(super) const INIT_TIMEOUT: Self = Self(4408, "Connection initialisation timeout");
    pub(super) const DUPLICATE: Self = Self(4409, "Subscriber for this id already exists");
    pub(super) const SECOND_INIT: Self = Self(4429, "Too many initialisation requests");
}

impl Received {
    /// Reads a message.
    pub(super) fn read(text: &str) -> Result<Self, Close> {
        match serde_json::from_str(text) {
            Ok(Self::Subscribe { id, .. } | Self::Complete { id }) if id.len() > MOST_ID => {
                Err(Close::INVALID)
            }
            Ok(message) => Ok(message),
            Err(_) => Err(Close::INVALID),
        }
    }
}

/// The message of an answer, which is JSON.
pub(super) fn next(id: &str, payload: &[u8]) -> Result<Option<Message>, Close> {
    let text = to_string(id).ok().zip(str::from_utf8(payload).ok());
    let (id, payload) = text.ok_or(Close::FAULT)?;
    let text = format!("{{\"type\":\"next\",\"id\":{id},\"payload\":{payload}}}");
    Ok(Some(Message::text(text)))
}

/// A message of the server's.
pub(super) fn message(sent: &Sent<'_>) -> Result<Option<Message>, Close> {
    match to_string(sent) {
        Ok(text) => Ok(Some(Message::text(text))),
        Err(error) => {
            tracing::error!(%error, "a message could not be written as JSON");
            Err(Close::FAULT)
        }
    }
}
