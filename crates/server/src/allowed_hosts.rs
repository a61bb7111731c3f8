//! What every HTTP request must have before it is looked at: one host, which the server answers for, and a transfer
//! encoding that it knows. Sources: RFC 9112 sections 3.2 and 6.1. The host also keeps pages out that reach a
//! server without authentication by a name of their own (DNS rebinding). Such a server on a loopback address is for the
//! programs of its machine, so what a proxy passes on is refused as well: the proxy may have a public address.

use std::net::IpAddr;

use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Uri, Version, header};

use super::config::{Access, Listener, ServerArgs};
use super::http::refusal::Refusal;
use super::origins;

/// The paths of probes, which know no name: they tell nothing.
const PROBES: [&str; 2] = ["/livez", "/readyz"];

/// Words in the names of headers that say where a request came from before, or through what: `Forwarded`, `Via`,
/// `CDN-Loop`, `X-Real-IP`, `X-Original-Host`. Programs on this machine have nothing to say of that.
const FORWARDING_WORDS: [&str; 13] = [
    "addr",
    "address",
    "forwarded",
    "forwarding",
    "hops",
    "ip",
    "ipv4",
    "ipv6",
    "loop",
    "original",
    "proxied",
    "proxy",
    "via",
];

/// How the names of headers begin that proxies and networks add as their own.
const PROXY_PREFIXES: [&str; 18] = [
    "akamai-",
    "cdn-",
    "cf-",
    "cloudfront-",
    "fastly-",
    "fly-",
    "ngrok-",
    "x-akamai-",
    "x-amz-cf-",
    "x-amzn-",
    "x-appengine-",
    "x-arr-",
    "x-azure-",
    "x-envoy-",
    "x-nf-",
    "x-railway-",
    "x-varnish",
    "x-vercel-",
];

/// The hosts that requests may name.
#[derive(Clone, Debug)]
pub(super) struct AllowedHosts {
    allowed: Vec<String>,
    others: Others,
    /// Origins whose pages may send requests, if those of proxies are refused.
    local: Option<Vec<HeaderValue>>,
}

/// Which hosts may be named besides those that are allowed and this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Others {
    /// Every host.
    All,
    /// Addresses. A page cannot make its own name one.
    Addresses,
    /// None.
    None,
}

impl AllowedHosts {
    /// As configured.
    pub(super) fn new(args: &ServerArgs, access: Access) -> Self {
        let allowed: Vec<_> = args
            .connections
            .allowed_hosts
            .iter()
            .filter(|host| !host.is_empty())
            .cloned()
            .collect();
        // What the gateway in front of a function passes on names the gateway.
        let is_open = access == Access::Open && args.entrance == Listener::Socket;
        let others = if is_open && !args.listen.ip().is_loopback() {
            Others::Addresses
        } else if !is_open && allowed.is_empty() {
            Others::All
        } else {
            Others::None
        };
        let local = args.is_private(access).then(|| args.cors_origins.clone());
        Self {
            allowed,
            others,
            local,
        }
    }

    /// Refuses a request by its head.
    pub(super) fn check(
        &self,
        version: Version,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<(), Refusal> {
        let mut encodings = headers.get_all(header::TRANSFER_ENCODING).iter();
        let is_chunked =
            |encoding: &HeaderValue| encoding.as_bytes().eq_ignore_ascii_case(b"chunked");
        if encodings
            .next()
            .is_some_and(|encoding| !is_chunked(encoding))
        {
            return Err(Refusal::transfer_encoding());
        }
        // Chunked twice: proxies differ in where such a body ends.
        if encodings.next().is_some() {
            return Err(Refusal::unreadable("Send one Transfer-Encoding.").closing());
        }
        let mut hosts = headers.get_all(header::HOST).iter();
        let (host, second) = (hosts.next(), hosts.next());
        if second.is_some() || (host.is_none() && version == Version::HTTP_11) {
            return Err(Refusal::unreadable("Send exactly one Host header.").closing());
        }
        if headers.get_all(header::ORIGIN).iter().nth(1).is_some() {
            return Err(Refusal::unreadable("Send at most one Origin header.").closing());
        }
        if !is_one_authority(uri, host) {
            let message = "The target of the request and its Host header must name the same host.";
            return Err(Refusal::unreadable(message).closing());
        }
        if PROBES.contains(&uri.path()) {
            return Ok(());
        }
        if let Some(origins) = &self.local
            && (is_forwarded(version, headers) || self.is_of_foreign_page(headers, origins))
        {
            return Err(Refusal::forwarded());
        }
        if self.others == Others::All {
            return Ok(());
        }
        if authority(uri, headers).is_some_and(|named| self.allows(named)) {
            Ok(())
        } else {
            Err(Refusal::host())
        }
    }

    /// Whether a page of a host that this is not sent a request. A browser asks before, unless it believes that this is
    /// its own server: a proxy has another name.
    fn is_of_foreign_page(&self, headers: &HeaderMap, origins: &[HeaderValue]) -> bool {
        let Some(origin) = headers.get(header::ORIGIN) else {
            return false;
        };
        let host = origin.to_str().ok();
        let host = host.and_then(|origin| Some(origin.split_once("://")?.1));
        !origins::allow(origins, origin) && host.is_some_and(|host| !self.allows(host))
    }

    fn allows(&self, authority: &str) -> bool {
        let authority = authority.to_ascii_lowercase();
        let host = without_port(&authority);
        let is_allowed = self
            .allowed
            .iter()
            .any(|allowed| *allowed == authority || allowed == host);
        is_allowed
            || is_loopback(host)
            || (self.others == Others::Addresses && address(host).is_some())
    }
}

/// Whether a proxy has passed a request on, as far as its head says so. Proxies add these headers, and some speak HTTP/1.0
/// to servers unless they are told otherwise, which programs have not done for long.
fn is_forwarded(version: Version, headers: &HeaderMap) -> bool {
    version < Version::HTTP_11
        || headers
            .keys()
            .any(|name| is_added_by_proxies(name.as_str()))
}

/// Whether a header's name, which is in lower case, is one of those that proxies add.
fn is_added_by_proxies(name: &str) -> bool {
    let mut words = name.split(['-', '_']);
    words.any(|word| FORWARDING_WORDS.contains(&word))
        || PROXY_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// The authority that a request is for: [`AllowedHosts::check`] refuses one that names two. HTTP/2 names it in the target.
pub(super) fn authority<'a>(uri: &'a Uri, headers: &'a HeaderMap) -> Option<&'a str> {
    let target = uri.authority().map(Authority::as_str);
    target.or_else(|| headers.get(header::HOST)?.to_str().ok())
}

/// Whether the target and the header name the same authority, as far as both name one, without credentials. Sources:
/// RFC 9110 section 4.2.4, RFC 9112 section 3.2.2, RFC 9113 section 8.3.1.
fn is_one_authority(uri: &Uri, host: Option<&HeaderValue>) -> bool {
    let Some(target) = uri.authority() else {
        return true;
    };
    if target.as_str().contains('@') {
        return false;
    }
    let Some(host) = host else {
        return true;
    };
    let scheme = uri.scheme_str().unwrap_or("http");
    host.to_str().is_ok_and(|host| {
        let target = without_default_port(scheme, target.as_str());
        target.eq_ignore_ascii_case(without_default_port(scheme, host))
    })
}

/// An authority without the port that its scheme implies.
pub(super) fn without_default_port<'a>(scheme: &str, authority: &'a str) -> &'a str {
    let port = if scheme == "https" { ":443" } else { ":80" };
    authority.strip_suffix(port).unwrap_or(authority)
}

fn without_port(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    }
}

fn is_loopback(host: &str) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host);
    host == "localhost"
        || host.ends_with(".localhost")
        || address(host).is_some_and(|ip| ip.is_loopback())
}

fn address(host: &str) -> Option<IpAddr> {
    let host = host.strip_suffix('.').unwrap_or(host);
    let bare = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    bare.unwrap_or(host).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed_hosts(allowed: &[&str]) -> AllowedHosts {
        AllowedHosts {
            allowed: allowed.iter().map(|host| (*host).to_owned()).collect(),
            others: Others::None,
            local: None,
        }
    }

    #[test]
    fn loopback_names_and_addresses_are_allowed() {
        for host in [
            "localhost",
            "LOCALHOST:8000",
            "localhost.:8000",
            "board.localhost",
            "127.0.0.1:8000",
            "127.1.2.3",
            "[::1]:8000",
            "[::1]",
        ] {
            assert!(allowed_hosts(&[]).allows(host), "{host}");
        }
    }

    #[test]
    fn other_hosts_are_refused_unless_listed() {
        for host in [
            "evil.example",
            "127.0.0.1.evil.example:8000",
            "localhost.evil.example",
            "notlocalhost",
            "10.0.0.1",
            "",
            "[::2]",
        ] {
            assert!(!allowed_hosts(&["api.example"]).allows(host), "{host}");
        }
        assert!(allowed_hosts(&["api.example"]).allows("API.example:443"));
    }

    #[test]
    fn an_open_server_that_others_reach_answers_to_addresses_and_listed_names() {
        let allowed_hosts = AllowedHosts {
            others: Others::Addresses,
            ..allowed_hosts(&["api.example"])
        };
        for host in [
            "10.0.0.1:8000",
            "[2001:db8::1]:8000",
            "192.168.1.7",
            "localhost",
            "api.example",
        ] {
            assert!(allowed_hosts.allows(host), "{host}");
        }
        for host in [
            "evil.example:8000",
            "10.0.0.1.evil.example",
            "[::1].evil.example",
            "trestle",
            "",
        ] {
            assert!(!allowed_hosts.allows(host), "{host}");
        }
    }
}
