//! What a request to a service's path may do and how it is answered, decided by its head alone, before anything of it is
//! read: by its method, where it comes from, its content type and what it accepts. No transport decides this for itself.

use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, header};

use super::allowed_hosts::{authority, without_default_port};
use super::config::Playground;
use super::http::accept::{self, Media};
use super::http::execution::{Answers, Effects, Rights};
use super::http::is_json;
use super::http::refusal::Refusal;
use super::origins;
use super::state::App;
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
    /// With one answer. A subscription is answered with events, if the client takes these.
    Single(Media),
}

/// Decides how a request is answered and what its operation may do.
///
/// # Errors
/// A request that may do nothing.
pub(super) fn decide(parts: &Parts, app: &App) -> Result<(Transport, Rights), Box<Refusal>> {
    let headers = &parts.headers;
    let pages = OwnPages::of(parts, app);
    let reads = Rights {
        effects: Effects::Reads,
        answers: Answers::One,
    };
    if asks_for_page(parts, app.args.playground) {
        return Ok((Transport::Page, reads));
    }
    if is_upgrade(headers) {
        if !pages.sent(headers) {
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
    if pages.are_foreign_to(headers) {
        return Err(Box::new(Refusal::another_page()));
    }
    // Browsers ask the server before they let a page of another origin send JSON, and send everything else.
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
            _ if parts.method != Method::HEAD && accept::takes_events(headers) => Answers::Many,
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

/// Refuses a request for a plain file or handler that a page of another origin makes a browser send. What browsers fetch for
/// such a page to show it, or open in its place, has no Origin: only a server for the programs of its machine refuses the
/// former.
///
/// # Errors
/// The request is such a one.
pub(super) fn check_plain(parts: &Parts, app: &App) -> Result<(), Refusal> {
    let headers = &parts.headers;
    let is_opened = headers
        .get("sec-fetch-mode")
        .is_some_and(|mode| mode == "navigate");
    let is_shown = !app.args.is_private(app.access) || is_opened;
    if is_shown && !headers.contains_key(header::ORIGIN) {
        return Ok(());
    }
    if OwnPages::of(parts, app).are_foreign_to(headers) {
        return Err(Refusal::another_page());
    }
    Ok(())
}

/// The pages that may send requests: those of this server, which came from the host that they ask, and those of the
/// origins that it allows.
struct OwnPages<'a> {
    host: Option<&'a str>,
    /// The schemes by which they may have come. Behind a proxy, the server does not know its own.
    schemes: &'static [&'static str],
    allowed: &'a [HeaderValue],
}

impl<'a> OwnPages<'a> {
    fn of(parts: &'a Parts, app: &'a App) -> Self {
        let has_proxy = !app.args.is_private(app.access);
        Self {
            host: authority(&parts.uri, &parts.headers),
            schemes: if has_proxy {
                &["http", "https"]
            } else {
                &["http"]
            },
            allowed: &app.args.cors_origins,
        }
    }

    /// Whether a page of another origin makes a browser send this request, which may then reach what only the browser's
    /// network can. Another port is another origin, and the same site. Whoever sends credentials in a header was allowed
    /// to by the server.
    fn are_foreign_to(&self, headers: &HeaderMap) -> bool {
        let has_credentials =
            headers.contains_key(header::AUTHORIZATION) || headers.contains_key("x-api-key");
        let origin = headers.get(header::ORIGIN);
        if has_credentials || origin.is_some_and(|origin| origins::allow(self.allowed, origin)) {
            return false;
        }
        match headers.get("sec-fetch-site") {
            Some(site) => site != "same-origin" && site != "none",
            // Browsers leave it out where the connection is not encrypted.
            None => !self.sent(headers),
        }
    }

    /// Whether whoever sends a request is no page, or one of these. Browsers let any page open a WebSocket connection, ask
    /// nobody before, and send along what the network lets them reach.
    fn sent(&self, headers: &HeaderMap) -> bool {
        let Some(origin) = headers.get(header::ORIGIN) else {
            return true;
        };
        origins::allow(self.allowed, origin) || self.is_own(origin)
    }

    fn is_own(&self, origin: &HeaderValue) -> bool {
        let origin = origin.to_str().ok();
        let origin = origin.and_then(|origin| origin.split_once("://"));
        let (Some((scheme, page)), Some(host)) = (origin, self.host) else {
            return false;
        };
        let page = without_default_port(scheme, page);
        self.schemes.contains(&scheme)
            && page.eq_ignore_ascii_case(without_default_port(scheme, host))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connects(origin: Option<&'static str>, host: &'static str) -> bool {
        let mut headers = HeaderMap::new();
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, HeaderValue::from_static(origin));
        }
        let allowed = [HeaderValue::from_static("https://board.example")];
        let pages = OwnPages {
            host: Some(host),
            schemes: &["http", "https"],
            allowed: &allowed,
        };
        pages.sent(&headers)
    }

    #[test]
    fn programs_own_pages_and_allowed_pages_connect() {
        assert!(connects(None, "api.example"));
        assert!(connects(Some("https://api.example"), "api.example"));
        assert!(connects(Some("http://localhost:8000"), "LOCALHOST:8000"));
        assert!(connects(Some("https://board.example"), "api.example"));
        assert!(connects(Some("https://api.example"), "api.example:443"));
        assert!(connects(Some("http://api.example:80"), "api.example"));
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
