//! What every HTTP request must have before it is looked at: one host, which the server answers for, and a transfer
//! encoding that it knows. Sources: RFC 9112 sections 3.2 and 6.1. The host also keeps pages out that reach a
//! loopback address by a name of their own (DNS rebinding).

use std::net::IpAddr;

use axum::http::{HeaderMap, Uri, Version, header};

use super::config::{Access, Entrance, ServerArgs};
use super::http::refusal::Refusal;

/// The paths of probes, which know no name: they tell nothing.
const PROBES: [&str; 2] = ["/livez", "/readyz"];

/// The hosts that requests may name.
#[derive(Clone, Debug)]
pub(super) struct Door {
    allowed: Vec<String>,
    /// Whether hosts are checked at all.
    checks: bool,
}

impl Door {
    /// As configured.
    pub(super) fn new(args: &ServerArgs, access: Access) -> Self {
        let allowed: Vec<_> = args
            .connections
            .allowed_hosts
            .iter()
            .filter(|host| !host.is_empty())
            .cloned()
            .collect();
        let is_local = args.entrance == Entrance::Socket && args.listen.ip().is_loopback();
        Self {
            checks: (access == Access::Open && is_local) || !allowed.is_empty(),
            allowed,
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
        if encodings.any(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"chunked")) {
            return Err(Refusal::transfer_encoding());
        }
        let mut hosts = headers.get_all(header::HOST).iter();
        let (host, second) = (hosts.next(), hosts.next());
        if second.is_some() || (host.is_none() && version == Version::HTTP_11) {
            return Err(Refusal::unreadable("Send exactly one Host header.").closing());
        }
        if !self.checks || PROBES.contains(&uri.path()) {
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
        is_allowed || is_loopback(host)
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
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host.ends_with(".localhost")
        || address.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn door(allowed: &[&str]) -> Door {
        Door {
            allowed: allowed.iter().map(|host| (*host).to_owned()).collect(),
            checks: true,
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
            assert!(door(&[]).allows(host), "{host}");
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
            assert!(!door(&["api.example"]).allows(host), "{host}");
        }
        assert!(door(&["api.example"]).allows("API.example:443"));
    }
}
