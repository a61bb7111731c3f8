//! Stripe's webhook: checks the signature of an event, and answers with what was done with it.

use std::fmt;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use http::{Method, Request, Response, StatusCode};
use http_body_util::BodyExt as _;

use trestle_api::{EventBus, HttpBody, HttpHandler, http_response};
use trestle_table::Tables;

use super::super::events::Event;
use super::apply::{Ledger, Outcome};
use super::event::{Read, read};
use super::signature::is_signed;

/// The header of the signature.
const SIGNATURE: &str = "stripe-signature";
/// Number of bytes of an event, at most.
const MAX_EVENT: usize = 256 * 1024;

/// The secret of the webhook's endpoint. It is never shown.
#[derive(Clone)]
pub struct Secret(Arc<str>);

impl Secret {
    /// A secret from the operator.
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// Answers Stripe's requests.
pub struct Webhook {
    secret: Secret,
    ledger: Ledger,
}

/// A status, and a short reason for whoever reads Stripe's log of deliveries.
type Reply = (StatusCode, &'static str);

const BAD_SIGNATURE: Reply = (
    StatusCode::BAD_REQUEST,
    "The signature is missing, wrong or older than five minutes.",
);
/// Stripe sends an event again unless the status is 2xx, and disables an endpoint that goes on refusing. So what cannot
/// succeed later either is answered with 2xx, and logged.
const MALFORMED: Reply = (
    StatusCode::OK,
    "Ignored: the event does not have the form that Stripe documents.",
);
const KEPT: Reply = (
    StatusCode::OK,
    "The subscription belongs to no registered user: see metadata.userId. It is kept for 90 days.",
);
const FAILED: Reply = (
    StatusCode::SERVICE_UNAVAILABLE,
    "The event was not applied. Send it again.",
);

impl Webhook {
    /// The webhook with this secret.
    pub fn new(secret: Secret, tables: Tables, live: EventBus<Event>) -> Self {
        let ledger = Ledger { tables, live };
        Self { secret, ledger }
    }

    async fn receive(&self, request: Request<HttpBody>) -> Reply {
        if request.method() != Method::POST {
            return (StatusCode::METHOD_NOT_ALLOWED, "Use POST.");
        }
        let header = request
            .headers()
            .get(SIGNATURE)
            .and_then(|value| value.to_str().ok());
        let Some(header) = header.map(str::to_owned) else {
            return BAD_SIGNATURE;
        };
        let Some(body) = bytes(request.into_body()).await else {
            return (StatusCode::PAYLOAD_TOO_LARGE, "The event is too large.");
        };
        let now = self.ledger.tables.now().timestamp();
        if !is_signed(&self.secret.0, &header, &body, now) {
            return BAD_SIGNATURE;
        }
        match read(&body) {
            Read::Malformed => {
                tracing::error!("A signed event of Stripe cannot be read, and is ignored");
                MALFORMED
            }
            Read::Other => (StatusCode::OK, ""),
            Read::Report(report) => match self.ledger.apply(&report).await {
                Ok(outcome) => {
                    tracing::info!(event = report.event.as_str(), ?outcome, "Stripe event");
                    match outcome {
                        Outcome::Applied | Outcome::PassedOver => (StatusCode::OK, ""),
                        Outcome::Kept => KEPT,
                    }
                }
                Err(error) => {
                    tracing::error!(event = report.event.as_str(), %error, "Stripe event failed");
                    FAILED
                }
            },
        }
    }
}

/// The bytes of a body; `None` if they are too many or do not arrive.
async fn bytes(mut body: HttpBody) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame.ok()?.into_data() {
            bytes.extend_from_slice(&data);
        }
        if bytes.len() > MAX_EVENT {
            return None;
        }
    }
    Some(bytes)
}

impl HttpHandler for Webhook {
    fn answer(&self, request: Request<HttpBody>) -> BoxFuture<'_, Response<HttpBody>> {
        async move {
            let (status, reason) = self.receive(request).await;
            http_response(status, "text/plain; charset=utf-8", reason)
        }
        .boxed()
    }
}
