//! What every HTTP request must have before it is looked at: one host, which the server answers for, and a transfer
//! encoding that it knows. Sources: RFC 9112 sections 3.2 and 6.1. The host also keeps pages out that reach a
//! server without authentication by a name of their own (DNS rebinding).

use std::net::IpAddr;

use axum::http::{HeaderMap, HeaderValue, Uri, Version, header};

use super::config::{Access, Listener, ServerArgs};
use super::http::refusal::Refusal;

/// The paths of probes, which know no name: they tell nothing.
const PROBES: [&str; 2] = ["/livez", "/readyz"];

/// The hosts that requests may name.
#[derive(Clone, Debug)]
pub(super) struct AllowedHosts {
    allowed: Vec<String>,
    others: Others,
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
        let others = match is_open {
            true if args.listen.ip().is_loopback() => Others::None,
            true => Others::Addresses,
            false if allowed.is_empty() => Others::All,
            false => Others::None,
        };
        Self { allowed, others }
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
        if self.others == Others::All || PROBES.contains(&uri.path()) {
            return Ok(());
        }
        // The target's own authority counts before the header.
        let named = uri.authority().map(|authority| authority.as_str());
        let named = named.or_else(|| host.and_then(|host| host.to_str().ok()));
        match named.is_some_and(|named| self.allows(named)) {
            true => Ok(()),
            false => Err(Refusal::host()),
        }
    }

    fn allows(&self, authority: &str) -> bool {
        let authority = authority.to_ascii_lowercase();
        let host = without_port(&authority);
        let is_allowed = self
            .allowed
            .iter()
            .any(|allowed| *allowed == authority || allowed == host);
        let is_address = || self.others == Others::Addresses && address(host).is_some();
        is_allowed || is_loopback(host) || is_address()
    }
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
