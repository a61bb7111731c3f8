//! Who is connected, asked again while they stay. Knows no protocol.

use std::net::IpAddr;

use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use tokio::time::timeout;

use super::protocol::Payload;
use crate::fair_limiter::Holder;
use crate::identify::{Identity, address, identify};
use crate::state::Endpoint;
use trestle_api::PresentedCredentials;

/// The headers that hold credentials.
const NAMES: [HeaderName; 2] = [header::AUTHORIZATION, HeaderName::from_static("x-api-key")];

/// What a client brought to say who it is.
#[derive(Clone, Debug, Default)]
pub(super) struct Credentials {
    headers: HeaderMap,
    address: Option<IpAddr>,
    agent: Option<HeaderValue>,
}

impl Credentials {
    /// Those in a request's headers, from the address that it came from.
    pub(super) fn of_request(parts: &Parts, trusted_proxies: u8) -> Self {
        let mut kept = HeaderMap::new();
        for name in NAMES {
            for value in parts.headers.get_all(&name) {
                kept.append(&name, value.clone());
            }
        }
        Self {
            headers: kept,
            address: address(parts, trusted_proxies),
            agent: parts.headers.get(header::USER_AGENT).cloned(),
        }
    }

    /// Those in the payload of `connection_init`, named as the headers are, from the same client: browsers cannot
    /// send headers when they connect.
    pub(super) fn of_payload(&self, payload: &Payload) -> Self {
        let mut kept = HeaderMap::new();
        for (name, value) in payload {
            let name = NAMES
                .into_iter()
                .find(|known| name.as_str().eq_ignore_ascii_case(known.as_str()));
            if let Some(name) = name
                && let Ok(text) = serde_json::from_str::<String>(value.get())
                && let Ok(value) = HeaderValue::from_str(&text)
            {
                kept.append(name, value);
            }
        }
        Self {
            headers: kept,
            address: self.address,
            agent: self.agent.clone(),
        }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.headers.is_empty()
    }

    /// The address that they came from.
    pub(super) fn address(&self) -> Option<IpAddr> {
        self.address
    }

    /// Who holds a connection before they are checked.
    pub(super) fn holder(&self) -> Holder {
        let presented = PresentedCredentials {
            bearer: None,
            ticket: None,
            address: self.address,
        };
        let network = presented.network().map(|network| network.to_string());
        Holder::Network(network.unwrap_or_default())
    }

    /// Whom they stand for now; `None` also if that takes longer than a request may.
    pub(super) async fn identity(&self, endpoint: &Endpoint) -> Option<Identity> {
        let mut headers = self.headers.clone();
        if let Some(agent) = &self.agent {
            headers.insert(header::USER_AGENT, agent.clone());
        }
        let asked = identify(endpoint, &headers, self.address);
        timeout(endpoint.app.args.request_timeout, asked)
            .await
            .ok()?
            .ok()
    }
}
