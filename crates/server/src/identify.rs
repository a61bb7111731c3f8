//! Who sent a request: the viewer by the server's own rules, or a guest of a service that authenticates requests itself.

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::Ordering::Relaxed;

use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, header};
use url::Url;

use super::authenticate::Unauthenticated;
use super::config::{self, Listener};
use super::http::accept::wants_events;
use super::state::{App, Endpoint};
use trestle_api::viewer::{Access, Viewer};
use trestle_api::{Authentication, Bearer, PresentedCredentials};

/// The most bytes of a bearer token that is passed on.
const MAX_TOKEN: usize = 4 * 1024;
const FORWARDED_FOR: &str = "x-forwarded-for";
const FORWARDED_PROTO: &str = "x-forwarded-proto";

/// The address that a connection comes from, in a request's extensions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peer(pub(super) IpAddr);

/// The most bytes of a user agent that are passed on.
const MAX_AGENT: usize = 500;

/// Who sent a request.
#[derive(Clone, Debug)]
pub(super) struct Identity {
    pub(super) viewer: Viewer,
    /// What a service that authenticates requests itself gets.
    pub(super) presented: Option<PresentedCredentials>,
    /// Where the request reached the server, if nothing else says it.
    pub(super) origin: Option<Url>,
}

impl Identity {
    /// Whether credentials said who this is, rather than the address that they come from.
    pub(super) fn is_authenticated(&self, app: &App) -> bool {
        app.access == config::Access::Authenticated && self.presented.is_none()
    }

    /// Whether this can be no stranger: credentials said who it is, or only programs of this machine reach the server.
    pub(super) fn is_known(&self, app: &App) -> bool {
        let is_local = app.args.is_private(app.access);
        self.presented.is_none() && (is_local || self.is_authenticated(app))
    }
}

/// Who sent these headers from this address.
///
/// # Errors
/// The server authenticates requests to this service, and the credentials are missing or wrong.
pub(super) async fn identify(
    endpoint: &Endpoint,
    headers: &HeaderMap,
    address: Option<IpAddr>,
) -> Result<Identity, Unauthenticated> {
    let origin = named_origin(&endpoint.app, headers);
    match endpoint.service.authentication() {
        Authentication::ByServer => {
            let viewer = endpoint.app.authenticate.authenticate(headers).await?;
            let address = address.map(|address| address.to_string());
            Ok(Identity {
                viewer: viewer.with_client(address, agent(headers)),
                presented: None,
                origin,
            })
        }
        Authentication::ByService => {
            let presented = PresentedCredentials {
                bearer: bearer(headers),
                ticket: None,
                address,
            };
            Ok(Identity {
                viewer: guest(&presented),
                presented: Some(presented),
                origin,
            })
        }
    }
}

/// The origin that a request names, by its Host and by what a trusted proxy says of its scheme.
fn named_origin(app: &App, headers: &HeaderMap) -> Option<Url> {
    if !app.is_named_by_requests.load(Relaxed) {
        return None;
    }
    let has_proxy = app.args.trusted_proxies > 0 || app.args.entrance == Listener::Lambda;
    let is_encrypted = headers
        .get(FORWARDED_PROTO)
        .is_some_and(|scheme| scheme == "https");
    let scheme = if has_proxy && is_encrypted {
        "https"
    } else {
        "http"
    };
    let host = headers.get(header::HOST)?.to_str().ok()?;
    let url = Url::parse(&format!("{scheme}://{host}")).ok()?;
    let is_origin = url.username().is_empty() && url.path() == "/" && url.query().is_none();
    is_origin.then_some(url)
}

/// The client's address: the connection's, or behind proxies the one that the outermost trusted proxy added.
pub(super) fn address(parts: &Parts, trusted_proxies: u8) -> Option<IpAddr> {
    let peer = parts.extensions.get::<Peer>().map(|peer| peer.0);
    let Some(back) = usize::from(trusted_proxies).checked_sub(1) else {
        return peer;
    };
    let lines = parts.headers.get_all(FORWARDED_FOR).iter();
    let lines = lines.filter_map(|line| line.to_str().ok());
    let hops: Vec<_> = lines.flat_map(|line| line.split(',')).collect();
    let hop = hops.iter().rev().nth(back);
    hop.and_then(|hop| hop_address(hop.trim())).or(peer)
}

/// The address in a hop as proxies write it: alone or in brackets, with or without the port.
fn hop_address(hop: &str) -> Option<IpAddr> {
    if let Ok(with_port) = hop.parse::<SocketAddr>() {
        return Some(with_port.ip());
    }
    let inner = hop.strip_prefix('[').and_then(|hop| hop.strip_suffix(']'));
    inner.unwrap_or(hop).parse().ok()
}

/// Reports the first request that a proxy has passed on although none is trusted: limits by address count all of its clients as
/// one then.
pub(super) fn report_proxy(app: &App, headers: &HeaderMap) {
    let is_forwarded =
        headers.contains_key(FORWARDED_FOR) || headers.contains_key(header::FORWARDED);
    if app.args.trusted_proxies > 0 || !is_forwarded || app.reported_proxy.swap(true, Relaxed) {
        return;
    }
    tracing::warn!(
        "a request has X-Forwarded-For or Forwarded, and --trusted-proxies is 0: limits by address count everybody behind a \
         proxy as one client. Set it to the number of proxies, if these headers are theirs"
    );
}

/// The program that sent a request, as it names itself: the printable beginning of its header.
fn agent(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::USER_AGENT)?.to_str().ok()?.trim();
    let bounded = value.get(..value.len().min(MAX_AGENT))?;
    (!bounded.is_empty()).then(|| bounded.to_owned())
}

/// The viewer of a request that needs no credentials.
pub(super) fn stranger(address: Option<IpAddr>) -> Viewer {
    guest(&PresentedCredentials {
        bearer: None,
        ticket: None,
        address,
    })
}

/// Requests of guests are limited by their network.
fn guest(presented: &PresentedCredentials) -> Viewer {
    let subject = presented.network().map(|network| network.to_string());
    Viewer::new(subject.unwrap_or_else(|| "guest".to_owned()), Access::Write)
}

/// The one ticket in the query string of a request that may answer as a stream.
pub(super) fn ticket(parts: &Parts) -> Option<Bearer> {
    let is_stream = parts.method == Method::GET && wants_events(&parts.headers) > 0;
    let query = parts.uri.query().filter(|_| is_stream)?;
    let pairs = url::form_urlencoded::parse(query.as_bytes());
    let mut tickets = pairs.filter(|(name, _)| name == "ticket");
    let (_, ticket) = tickets.next().filter(|_| tickets.next().is_none())?;
    (ticket.len() <= MAX_TOKEN).then(|| Bearer::new(&ticket))
}

/// The one bearer token of a request; `None` if there is none, or more than one.
fn bearer(headers: &HeaderMap) -> Option<Bearer> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let value = values.next().filter(|_| values.next().is_none())?;
    let (scheme, token) = value.to_str().ok()?.trim().split_once(' ')?;
    let token = token.trim_start();
    let is_bearer = scheme.eq_ignore_ascii_case("bearer") && token.len() <= MAX_TOKEN;
    is_bearer.then(|| Bearer::new(token))
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    fn parts(headers: &[(&str, &str)]) -> Parts {
        let request = Request::builder().extension(Peer(IpAddr::from([10, 0, 0, 1])));
        let request = headers.iter().fold(request, |request, (name, value)| {
            request.header(*name, *value)
        });
        request.body(()).unwrap().into_parts().0
    }

    #[test]
    fn the_address_is_the_one_that_the_outermost_trusted_proxy_added() {
        let forwarded = parts(&[
            ("x-forwarded-for", "1.1.1.1, 2.2.2.2"),
            ("x-forwarded-for", "3.3.3.3"),
        ]);
        let seen = |proxies| address(&forwarded, proxies).unwrap().to_string();
        assert_eq!(seen(0), "10.0.0.1");
        assert_eq!(seen(1), "3.3.3.3");
        assert_eq!(seen(2), "2.2.2.2");
        assert_eq!(seen(9), "10.0.0.1");
        for (hop, expected) in [
            ("2001:db8::1", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("[2001:db8::1]:5000", "2001:db8::1"),
            ("[::ffff:1.2.3.4]:80", "::ffff:1.2.3.4"),
            ("1.2.3.4:5000", "1.2.3.4"),
            ("[1.2.3.4", "10.0.0.1"),
            ("2001:db8::1]:5000", "10.0.0.1"),
            ("1.2.3.4:99999", "10.0.0.1"),
            ("_hidden", "10.0.0.1"),
        ] {
            let forwarded = parts(&[("x-forwarded-for", &format!("9.9.9.9, {hop}"))]);
            assert_eq!(
                address(&forwarded, 1).unwrap().to_string(),
                expected,
                "{hop}"
            );
        }
        let forged = parts(&[("x-forwarded-for", "me")]);
        assert_eq!(address(&forged, 1).unwrap().to_string(), "10.0.0.1");
    }

    #[test]
    fn a_user_agent_is_bounded_and_printable() {
        let seen = |value: &str| agent(&parts(&[("user-agent", value)]).headers);
        assert_eq!(seen(" curl/8 ").as_deref(), Some("curl/8"));
        assert_eq!(seen(""), None);
        assert_eq!(seen("caf\u{e9}"), None);
        assert_eq!(seen(&"a".repeat(2000)).map(|agent| agent.len()), Some(500));
    }

    #[test]
    fn only_one_bearer_token_is_passed_on() {
        let token = |headers: &[(&str, &str)]| {
            bearer(&parts(headers).headers).map(|bearer| bearer.as_str().to_owned())
        };
        assert_eq!(
            token(&[("authorization", "bEARER  a.b")]).as_deref(),
            Some("a.b")
        );
        assert_eq!(token(&[]), None);
        assert_eq!(token(&[("authorization", "Basic a")]), None);
        let two = [("authorization", "Bearer a"), ("authorization", "Bearer b")];
        assert_eq!(token(&two), None);
        let long = format!("Bearer {}", "a".repeat(MAX_TOKEN + 1));
        assert_eq!(token(&[("authorization", &long)]), None);
    }
}
