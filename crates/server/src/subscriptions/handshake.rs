//! How a WebSocket connection is opened. Source: RFC 6455 section 4.

use axum::http::{HeaderMap, header};
use base64::prelude::{BASE64_STANDARD, Engine as _};

use crate::http::refusal::Refusal;

/// Whether a request asks for a WebSocket connection.
pub(crate) fn is_upgrade(headers: &HeaderMap) -> bool {
    headers
        .get(header::UPGRADE)
        .is_some_and(|upgrade| upgrade.as_bytes().eq_ignore_ascii_case(b"websocket"))
}

/// Refuses what is no handshake of the protocol's version 13, which the library does not check in full.
pub(super) fn check(headers: &HeaderMap) -> Result<(), Refusal> {
    let version = headers.get(header::SEC_WEBSOCKET_VERSION);
    if version.is_none_or(|version| version != "13") {
        return Err(Refusal::websocket_version());
    }
    let mut keys = headers.get_all(header::SEC_WEBSOCKET_KEY).iter();
    let key = keys.next().and_then(|key| BASE64_STANDARD.decode(key).ok());
    if key.is_some_and(|key| key.len() == 16) && keys.next().is_none() {
        Ok(())
    } else {
        Err(Refusal::websocket_key())
    }
}
