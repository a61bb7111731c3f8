//! The agenda at a secret address, for calendars that subscribe to it and can send no credentials:
//! `GET /applications/calendar/<token>.ics`. Whoever has the address reads the agenda, and nothing else.

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use http::request::Parts;
use http::{HeaderValue, Request, Response, StatusCode, header};
use moka::sync::Cache;
use tokio::sync::Mutex;
use url::Url;

use trestle_api::{
    AddressLimit, ApiError, ClientAddress, Code, HttpBody, HttpHandler, RateLimit, network,
    request_origin,
};
use trestle_domain::Moment;
use trestle_table::clock::Clock;
use trestle_table::{Meter, Table};

use super::ics::Purpose;
use super::{AgendaFiles, failed, only_reads, refused};
use crate::keys::Tenancy;
use crate::store::{CalendarToken, subscription};

/// How often one address can be read in a minute, by all who have it.
const READS: u32 = 30;
/// How many addresses that do not exist one network can ask for in a minute.
const MISSES: u32 = 60;
/// How many addresses that led somewhere are remembered.
const KNOWN: u64 = 50_000;
/// What the name of a file ends with.
const ENDING: &str = ".ics";

/// The addresses of calendars, for clients.
#[derive(Clone, Debug, Default)]
pub struct Addresses {
    /// Where clients reach this server, once it is known.
    origin: Arc<OnceLock<Url>>,
}

impl Addresses {
    /// The route below the service's own path.
    pub const ROUTE: &str = "calendar/{token}";

    /// Addresses at the server that clients reach here, if that is configured.
    pub fn at(public: Option<Url>) -> Self {
        let origin = public.map_or_else(OnceLock::new, OnceLock::from);
        Self {
            origin: Arc::new(origin),
        }
    }

    /// Notes where the server listens, unless it is configured where clients reach it.
    pub fn on_listening(&self, origin: &Url) {
        // The first one counts: the operator's, or the first listener.
        let _ = self.origin.set(origin.clone());
    }

    /// The path of a calendar on this server.
    pub fn path(&self, token: &CalendarToken) -> String {
        let service = crate::NAME;
        format!("/{service}/calendar/{}{ENDING}", token.as_str())
    }

    /// The URL of a calendar; `None` if the server does not know where clients reach it.
    pub fn url(&self, token: &CalendarToken) -> Option<Url> {
        let mut url = self.origin.get().cloned().or_else(request_origin)?;
        let base = url.path().trim_end_matches('/').to_owned();
        url.set_path(&format!("{base}{}", self.path(token)));
        Some(url)
    }
}

/// Answers requests for calendars at their addresses.
pub struct SubscribedCalendar {
    files: Arc<AgendaFiles>,
    table: Table,
    tenancy: Tenancy,
    clock: Clock,
    reads: RateLimit<[u8; 32]>,
    misses: AddressLimit,
    /// Addresses that led somewhere when they were last asked for, by their hashes.
    known: Cache<[u8; 32], ()>,
    /// Held while an unknown address is looked up for a network that has tried too many wrong ones.
    turn: Mutex<()>,
}

impl SubscribedCalendar {
    /// The calendars of a table.
    pub fn new(files: Arc<AgendaFiles>, table: Table, tenancy: Tenancy, clock: Clock) -> Self {
        Self {
            files,
            table,
            tenancy,
            clock,
            reads: RateLimit::per_minute(READS),
            misses: AddressLimit::per_minute(MISSES),
            known: Cache::new(KNOWN),
            turn: Mutex::default(),
        }
    }

    /// The calendar; `None` if nothing has this address, or no longer.
    async fn serve(&self, request: &Parts) -> Result<Option<Response<HttpBody>>, ApiError> {
        let Some(token) = token(request.uri.path()) else {
            return Ok(None);
        };
        let now = Moment::new(self.clock.now());
        let miss = self.misses.take(client(request), now);
        // Behind a proxy a network can be everybody: who guesses makes others with a right address wait for no more than one
        // look at the table, and those whose address is known not at all.
        let _turn = if miss.is_err() && !self.known.contains_key(&token.hash()) {
            Some(self.turn.lock().await)
        } else {
            None
        };
        let found = subscription(&self.table, &token, &Meter::default()).await?;
        let Some((found, scope)) =
            found.and_then(|found| Some((found.clone(), found.scope(self.tenancy)?)))
        else {
            self.known.invalidate(&token.hash());
            miss.map_err(limited)?.keep();
            return Ok(None);
        };
        drop(miss);
        self.known.insert(token.hash(), ());
        let read = self.reads.take(token.hash(), now).map_err(limited)?;
        read.keep();
        let purpose = Purpose::Subscription {
            alarms: found.alarms,
        };
        let days = self.files.days("")?;
        let mut response = self.files.response(scope, days, purpose).await?;
        let name = HeaderValue::from_static("inline; filename=\"agenda.ics\"");
        response
            .headers_mut()
            .insert(header::CONTENT_DISPOSITION, name);
        Ok(Some(response))
    }
}

impl HttpHandler for SubscribedCalendar {
    fn answer(&self, request: Request<HttpBody>) -> BoxFuture<'_, Response<HttpBody>> {
        let (request, _) = request.into_parts();
        async move {
            if let Err(response) = only_reads(&request) {
                return *response;
            }
            match self.serve(&request).await {
                Ok(Some(response)) => response,
                Ok(None) => {
                    let message = "There is no calendar at this address.";
                    refused(ApiError::bad_input(message), StatusCode::NOT_FOUND)
                }
                Err(error) => failed(error),
            }
        }
        .boxed()
    }
}

/// The token in a path, if it has one.
fn token(path: &str) -> Option<CalendarToken> {
    let name = path.rsplit('/').next()?;
    CalendarToken::parse(name.strip_suffix(ENDING)?)
}

/// The network that a request came from.
fn client(request: &Parts) -> Option<IpAddr> {
    let address = request.extensions.get::<ClientAddress>();
    address.map(|ClientAddress(address)| network(*address))
}

fn limited(wait: Duration) -> ApiError {
    let message = "The calendar was read too often. Try again later.";
    ApiError::new(Code::RateLimited, message).retry_after(wait)
}
