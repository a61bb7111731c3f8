//! How answers follow each other in one HTTP body: server-sent events, or the parts of Apollo's multipart protocol.
//!
//! Sources: <https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md> and
//! <https://www.apollographql.com/docs/graphos/routing/operations/subscriptions/multipart-protocol>.

use async_graphql::ServerError;
use axum::http::HeaderMap;
use serde::Serialize;

use crate::http::accept;
use crate::http::json;

/// How answers follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// `text/event-stream`.
    Events,
    /// `multipart/mixed` with `subscriptionSpec`.
    Parts,
}

const PART: &[u8] = b"\r\ncontent-type: application/json\r\n\r\n";
const BOUNDARY: &[u8] = b"\r\n--graphql";

#[derive(Serialize)]
struct Failed<'a> {
    errors: &'a [ServerError],
}

impl Framing {
    /// The framing that the client asks for; `None` if it asks for one answer.
    pub(crate) fn accepted(headers: &HeaderMap) -> Option<Self> {
        match (accept::wants_parts(headers), accept::wants_events(headers)) {
            (0, 0) => None,
            (parts, events) if parts >= events => Some(Self::Parts),
            _ => Some(Self::Events),
        }
    }

    pub(super) fn content_type(self) -> &'static str {
        match self {
            Self::Events => "text/event-stream; charset=utf-8",
            Self::Parts => "multipart/mixed; boundary=\"graphql\"; subscriptionSpec=1.0",
        }
    }

    /// What the body begins with.
    pub(super) fn opening(self) -> &'static [u8] {
        match self {
            Self::Events => b"",
            Self::Parts => BOUNDARY,
        }
    }

    /// One answer. JSON has no line breaks, which would end an event.
    pub(super) fn next(self, answer: &[u8]) -> Vec<u8> {
        match self {
            Self::Events => [b"event: next\ndata: ", answer, b"\n\n"].concat(),
            Self::Parts => [PART, b"{\"payload\":", answer, b"}", BOUNDARY].concat(),
        }
    }

    /// The errors after which nothing follows.
    pub(super) fn failed(self, errors: &[ServerError]) -> Vec<u8> {
        let errors = json::bytes(&Failed { errors }, usize::MAX).unwrap_or_default();
        let mut bytes = self.next(&errors);
        bytes.extend_from_slice(self.complete());
        bytes
    }

    /// The errors with which the server ends the stream: in Apollo's protocol, transport errors.
    pub(super) fn ended(self, errors: &[ServerError]) -> Vec<u8> {
        match self {
            Self::Events => self.failed(errors),
            Self::Parts => {
                let ended = serde_json::json!({ "payload": null, "errors": errors });
                let errors = json::bytes(&ended, usize::MAX).unwrap_or_default();
                [PART, &errors, BOUNDARY, self.complete()].concat()
            }
        }
    }

    /// A sign of life: proxies close connections on which nothing is sent.
    pub(super) fn alive(self) -> Vec<u8> {
        match self {
            Self::Events => b":\n\n".to_vec(),
            Self::Parts => [PART, b"{}", BOUNDARY].concat(),
        }
    }

    pub(super) fn complete(self) -> &'static [u8] {
        match self {
            Self::Events => b"event: complete\ndata:\n\n",
            Self::Parts => b"--\r\n",
        }
    }
}
