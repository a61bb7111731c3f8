//! What the sender of a request presents to a service that authenticates requests itself.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

/// Who authenticates the requests to a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Authentication {
    /// The server, by its own rules. The service gets the viewer.
    ByServer,
    /// The service, by tokens that it issues. The server lets every request in as a guest's and puts [`PresentedCredentials`] into
    /// the request's data. `Authorization` and `connectionParams` are the service's own; the server reads no API key
    /// and no JWT from them.
    ByService,
}

/// A bearer token, not yet checked. It has no `Display`, and its `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct Bearer(Arc<str>);

impl Bearer {
    /// The token of a header `Authorization: Bearer ...`.
    pub fn new(token: &str) -> Self {
        Self(token.into())
    }

    /// The token.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Bearer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Bearer(..)")
    }
}

/// The token and the address that a request came with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PresentedCredentials {
    /// The bearer token, if exactly one was sent.
    pub bearer: Option<Bearer>,
    /// The ticket in the address of a stream that a page opens as an `EventSource`, which can send no token.
    pub ticket: Option<Bearer>,
    /// The client's address, if known.
    pub address: Option<IpAddr>,
}

impl PresentedCredentials {
    /// The address that limits are counted for.
    pub fn network(&self) -> Option<IpAddr> {
        self.address.map(network)
    }
}

/// The address that limits of an address are counted for: all of an IPv6 network of 64 bits counts as one, because one
/// client can use any address of it.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let network = u128::from(address) >> 64 << 64;
            IpAddr::V6(Ipv6Addr::from(network))
        }
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_network_count_as_one() {
        let network = |text: &str| {
            let address = Some(text.parse().unwrap());
            let presented = PresentedCredentials {
                bearer: None,
                ticket: None,
                address,
            };
            presented.network().unwrap().to_string()
        };
        assert_eq!(network("203.0.113.7"), "203.0.113.7");
        assert_eq!(network("::ffff:203.0.113.7"), "203.0.113.7");
        assert_eq!(network("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
    }

    #[test]
    fn a_token_is_not_shown_in_debug_output() {
        assert_eq!(format!("{:?}", Bearer::new("abc")), "Bearer(..)");
    }
}
