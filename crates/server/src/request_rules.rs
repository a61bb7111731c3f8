//! What a request to a service's path may do and how it is answered, decided by its head alone, before anything of it is
//! read: by its method, where it comes from, its content type and what it accepts. No transport decides this for itself.

use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, header};

use super::config::{Playground, ServerArgs};
use super::http::accept::{self, Media};
use super::http::execution::{Answers, Effects, Rights};
use super::http::is_json;
use super::http::refusal::Refusal;
use super::subscriptions::{Framing, is_upgrade};

/// How a request is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transport {
    /// With the page of the playground.
    Page,
    /// With a WebSocket connection, on which operations follow.
    WebSocket,
    /// With a stream of answers.
    Stream(Framing),
    /// With one answer.
    Single(Media),
}

/// Decides how a request is answered and what its operation may do.
///
/// # Errors
/// A request that may do nothing.
pub(super) fn decide(
    parts: &Parts,
    args: &ServerArgs,
) -> Result<(Transport, Rights), Box<Refusal>> {
    let headers = &parts.headers;
    let reads = Rights {
        effects: Effects::Reads,
        answers: Answers::One,
    };
    if asks_for_page(parts, args.playground) {
        return Ok((Transport::Page, reads));
    }
    if is_upgrade(headers) {
        if !is_of_own_page(headers, &args.cors_origins) {
            return Err(Box::new(Refusal::origin()));
        }
        return Ok((Transport::WebSocket, Rights::ALL));
    }
    let is_post = parts.method == Method::POST;
    let framing = Framing::accepted(headers);
    let transport = match (framing, accept::negotiate(headers)) {
        // Pages send GET for an `EventSource`.
        (Some(framing), _) if is_post || parts.method == Method::GET => Transport::Stream(framing),
        (_, Some(media)) => Transport::Single(media),
        (_, None) => return Err(Box::new(Refusal::not_acceptable())),
    };
    if !is_post && !matches!(parts.method, Method::GET | Method::HEAD) {
        return Err(Box::new(Refusal::method()));
    }
    // Browsers let pages send these everywhere, and ask nobody before.
    if !is_post && is_of_another_page(headers, &args.cors_origins) {
        return Err(Box::new(Refusal::another_page()));
    }
    // They ask the server before they let a page of another origin send JSON.
    if is_post && !is_json(headers) {
        return Err(Box::new(Refusal::media_type()));
    }
    let rights = Rights {
        effects: if is_post {
            Effects::Writes
        } else {
            Effects::Reads
        },
        answers: match transport {
            Transport::Stream(_) => Answers::Many,
            _ => Answers::One,
        },
    };
    Ok((transport, rights))
}

/// Whether a browser opens the path, rather than a program asking it something.
fn asks_for_page(parts: &Parts, playground: Playground) -> bool {
    playground == Playground::On
        && parts.method != Method::POST
        && parts.uri.query().is_none_or(|query| !asks_something(query))
        && accept::prefers_html(&parts.headers)
}

fn asks_something(query: &str) -> bool {
    url::form_urlencoded::parse(query.as_bytes())
        .any(|(name, _)| matches!(&*name, "query" | "documentId" | "extensions"))
}

/// Whether a page of another origin makes a browser send this request, which may then reach what only the browser's
/// network can. Another port is another origin, and the same site. Whoever sends credentials in a header was allowed to
/// by the server.
fn is_of_another_page(headers: &HeaderMap, allowed: &[HeaderValue]) -> bool {
    let has_credentials =
        headers.contains_key(header::AUTHORIZATION) || headers.contains_key("x-api-key");
    let origin = headers.get(header::ORIGIN);
    if has_credentials || origin.is_some_and(|origin| allowed.contains(origin)) {
        return false;
    }
    match headers.get("sec-fetch-site") {
        Some(site) => site != "same-origin" && site != "none",
        // Browsers leave it out where the connection is not encrypted.
        None => !is_of_own_page(headers, allowed),
    }
}

/// Whether whoever sends a request is no page, a page of this server, or one of the `allowed` origins. Browsers let any page
/// open a WebSocket connection, ask nobody before, and send along what the network lets them reach.
fn is_of_own_page(headers: &HeaderMap, allowed: &[HeaderValue]) -> bool {
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
        is_of_own_page(&headers, &allowed)
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
