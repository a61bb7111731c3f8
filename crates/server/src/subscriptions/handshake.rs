//! Who may open a WebSocket connection, and how. Source: RFC 6455 sections 4 and 10.2.

use axum::http::{HeaderMap, HeaderValue, header};
use base64::prelude::{BASE64_STANDARD, Engine as _};

use crate::http::refusal::Refusal;

/// Whether a request asks for a WebSocket connection.
pub(crate) fn is_upgrade(headers: &HeaderMap) -> bool {
    headers
        .get(header::UPGRADE)
        .is_some_and(|upgrade| upgrade.as_bytes().eq_ignore_ascii_case(b"websocket"))
}

/// Refuses what is no handshake of the protocol's version 13, which the library does not check in full, and pages that
/// may not connect.
pub(super) fn check(headers: &HeaderMap, allowed: &[HeaderValue]) -> Result<(), Refusal> {
    if !may_connect(headers, allowed) {
        return Err(Refusal::origin());
    }
    let version = headers.get(header::SEC_WEBSOCKET_VERSION);
    if version.is_none_or(|version| version != "13") {
        return Err(Refusal::websocket_version());
    }
    let mut keys = headers.get_all(header::SEC_WEBSOCKET_KEY).iter();
    let key = keys.next().and_then(|key| BASE64_STANDARD.decode(key).ok());
    match key.is_some_and(|key| key.len() == 16) && keys.next().is_none() {
        true => Ok(()),
        false => Err(Refusal::websocket_key()),
    }
}

/// Whether whoever connects is no page, a page of this server, or one of the `allowed` origins. Browsers let any page
/// try, ask nobody before, and send along what the network lets them reach.
fn may_connect(headers: &HeaderMap, allowed: &[HeaderValue]) -> bool {
    let Some(origin) = headers.get(header::ORIGIN) else {
        return true;
    };
    allowed.contains(origin) || is_own(origin, headers.get(header::HOST))
}

/// Whether the page came from the host that it connects to. The scheme is left out: behind a proxy the
/// server does not know its own.
fn is_own(origin: &HeaderValue, host: Option<&HeaderValue>) -> bool {
    let host_of = |origin: &HeaderValue| {
        let (scheme, host) = origin.to_str().ok()?.split_once("://")?;
        matches!(scheme, "http" | "https").then(|| host.to_owned())
    };
    let host = host.and_then(|host| host.to_str().ok());
    match (host_of(origin), host) {
        (Some(origin), Some(host)) => origin.eq_ignore_ascii_case(host),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connects(origin: Option<&'static str>, host: &'static str) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_static(host));
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, HeaderValue::from_static(origin));
        }
        let allowed = [HeaderValue::from_static("https://board.example")];
        may_connect(&headers, &allowed)
    }

    #[test]
    fn programs_own_pages_and_allowed_pages_connect() {
        assert!(connects(None, "api.example"));
        assert!(connects(Some("https://api.example"), "api.example"));
        assert!(connects(Some("http://localhost:8000"), "LOCALHOST:8000"));
        assert!(connects(Some("https://board.example"), "api.example"));
    }

    #[test]
    fn other_pages_do_not() {
        for origin in [
            "https://evil.example",
            "https://board.example.evil.example",
            "https://api.example:8443",
            "http://board.example",
            "null",
            "",
            "file://api.example",
        ] {
            assert!(!connects(Some(origin), "api.example"), "{origin}");
        }
    }
}
