//! The messages and close codes of graphql-transport-ws. Source:
//! <https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md>.

use std::collections::HashMap;

use async_graphql::ServerError;
use axum::extract::ws::Message;
use serde::{Deserialize, Serialize};
use serde_json::to_string;
use serde_json::value::RawValue;

use crate::http::params::{Params, Unreadable};

/// The protocol's name in `Sec-WebSocket-Protocol`.
pub(super) const NAME: &str = "graphql-transport-ws";
/// The longest id of an operation, in bytes: clients choose it, and it is kept while the operation runs.
const MOST_ID: usize = 128;

/// What a client says.
#[derive(Debug)]
pub(super) enum Received {
    ConnectionInit { payload: Option<Payload> },
    Subscribe { id: String, params: Box<Params> },
    Complete { id: String },
    Ping,
    Pong,
}

/// The payload of `connection_init`.
pub(super) type Payload = HashMap<String, Box<RawValue>>;

/// A message as JSON texts.
#[derive(Deserialize)]
struct Fields<'a> {
    #[serde(rename = "type")]
    kind: Kind,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    payload: Option<&'a RawValue>,
}

/// What a message is.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    ConnectionInit,
    Subscribe,
    Complete,
    Ping,
    Pong,
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
    /// RFC 6455: a message that takes too much to read.
    pub(super) const TOO_MANY_VALUES: Self = Self(1009, "The message has too many values.");
    /// RFC 6455's register: the server is busy, and the client may connect again.
    pub(super) const OVERLOADED: Self = Self(1013, "Too many requests just now.");
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
    /// Reads a message of at most so many values.
    pub(super) fn read(text: &str, most_values: usize) -> Result<Self, Close> {
        // Structs are read from arrays, too.
        if !text.trim_ascii_start().starts_with('{') {
            return Err(Close::INVALID);
        }
        let fields: Fields<'_> = serde_json::from_str(text).map_err(|_| Close::INVALID)?;
        match fields.kind {
            Kind::ConnectionInit => Ok(Self::ConnectionInit {
                payload: fields.payload.map(credentials).transpose()?,
            }),
            Kind::Subscribe => {
                let payload = fields.payload.ok_or(Close::INVALID)?.get();
                let params = Params::from_body(payload.as_bytes(), most_values);
                Ok(Self::Subscribe {
                    id: id(fields.id)?,
                    params: Box::new(params.map_err(|unreadable| match unreadable {
                        Unreadable::Text(_) => Close::INVALID,
                        Unreadable::TooManyValues(_) => Close::TOO_MANY_VALUES,
                    })?),
                })
            }
            Kind::Complete => Ok(Self::Complete { id: id(fields.id)? }),
            Kind::Ping | Kind::Pong
                if fields.payload.is_some_and(|it| !it.get().starts_with('{')) =>
            {
                Err(Close::INVALID)
            }
            Kind::Ping => Ok(Self::Ping),
            Kind::Pong => Ok(Self::Pong),
        }
    }
}

fn credentials(payload: &RawValue) -> Result<Payload, Close> {
    serde_json::from_str(payload.get()).map_err(|_| Close::INVALID)
}

fn id(id: Option<&RawValue>) -> Result<String, Close> {
    let id: String = id
        .and_then(|id| serde_json::from_str(id.get()).ok())
        .ok_or(Close::INVALID)?;
    if id.len() > MOST_ID {
        return Err(Close::INVALID);
    }
    Ok(id)
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
