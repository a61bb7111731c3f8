//! The agenda as an .ics file, over plain HTTP: `GET /applications/agenda.ics?from=2026-11-01&to=2026-12-31` with
//! credentials, and at a secret address for calendars that subscribe.

mod ics;
mod subscribed;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use chrono::{Days, NaiveDate};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use http::request::Parts;
use http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode, header};
use serde_json::json;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use trestle_api::{ApiError, Code, Fault, HttpBody, HttpHandler, Viewers, http_response};
use trestle_table::clock::Clock;
use trestle_table::{Meter, Table};

use super::keys::{Scope, Tenancy};
use super::model::date;
use super::store::{Applications, MAX_DAYS, Range, Wanted};
use ics::Purpose;

pub use subscribed::{Addresses, SubscribedCalendar};

/// The path below the service's own.
pub const PATH: &str = "agenda.ics";
/// The days before today, if no days are given.
const PAST: u64 = 30;
/// How many files are made at the same time. Each reads all applications that are not archived.
const AT_ONCE: usize = 2;
/// How long a request may take, waiting for others included.
const PATIENCE: Duration = Duration::from_secs(30);

/// Makes the files of a table's agendas, few at the same time.
pub struct AgendaFiles {
    table: Table,
    clock: Clock,
    places: Semaphore,
}

impl AgendaFiles {
    /// The agendas of the applications in `table`.
    pub fn new(table: Table, clock: Clock) -> Self {
        Self {
            table,
            clock,
            places: Semaphore::new(AT_ONCE),
        }
    }

    /// The file of these days, as a response.
    async fn response(
        &self,
        scope: Scope,
        days: Range<NaiveDate>,
        purpose: Purpose,
    ) -> Result<Response<HttpBody>, ApiError> {
        let Ok(calendar) = timeout(PATIENCE, self.calendar(scope, days, purpose)).await else {
            let busy = "Other requests for the agenda are in progress. Try again shortly.";
            return Err(ApiError::new(Code::ServiceUnavailable, busy).retry_after(PATIENCE));
        };
        let calendar = calendar?;
        let mut response = http_response(StatusCode::OK, "text/calendar; charset=utf-8", calendar);
        let private = HeaderValue::from_static("private, no-cache");
        response
            .headers_mut()
            .insert(header::CACHE_CONTROL, private);
        Ok(response)
    }

    async fn calendar(
        &self,
        scope: Scope,
        days: Range<NaiveDate>,
        purpose: Purpose,
    ) -> Result<String, ApiError> {
        let _place = self.places.acquire().await;
        let (table, clock) = (self.table.clone(), self.clock.clone());
        let store = Applications::new(table, scope, Meter::default(), clock);
        let wanted = Wanted {
            attributes: vec!["jobPostingUrl"],
            ..Wanted::default()
        };
        let entries = store.agenda(days, &wanted).await?;
        Ok(ics::calendar(&entries, purpose))
    }

    /// The days of a query: from 30 days ago, and as many as an agenda may have, unless it gives others.
    fn days(&self, query: &str) -> Result<Range<NaiveDate>, ApiError> {
        let from = date_in(query, "from")?;
        let to = date_in(query, "to")?;
        let span = Days::new(MAX_DAYS.unsigned_abs() - 1);
        let from = from
            .or_else(|| to?.checked_sub_days(span))
            .or_else(|| {
                self.clock
                    .now()
                    .date_naive()
                    .checked_sub_days(Days::new(PAST))
            })
            .unwrap_or_default();
        let to = to.or(from.checked_add_days(span)).unwrap_or(from);
        agenda_days(from, to)
    }
}

fn date_in(query: &str, name: &str) -> Result<Option<NaiveDate>, ApiError> {
    let mut pairs = url::form_urlencoded::parse(query.as_bytes());
    let value = pairs.find(|(key, _)| key == name);
    value.map(|(_, value)| day(name, &value)).transpose()
}

/// The day in an argument.
///
/// # Errors
/// [`ApiError`] if it is not a date.
pub fn day(argument: &str, text: &str) -> Result<NaiveDate, ApiError> {
    let message = format!("`{argument}` must be a date such as 2026-11-20.");
    date(text).map_err(|_| ApiError::bad_input(message))
}

/// The days of an agenda.
///
/// # Errors
/// [`ApiError`] if they are more than an agenda has, or none.
pub fn agenda_days(from: NaiveDate, to: NaiveDate) -> Result<Range<NaiveDate>, ApiError> {
    if !(0..MAX_DAYS).contains(&(to - from).num_days()) {
        let message = format!("`to` must be from 0 to {} days after `from`.", MAX_DAYS - 1);
        return Err(ApiError::bad_input(message));
    }
    Ok(Range {
        from: Some(from),
        to: Some(to),
    })
}

/// Answers requests for the file with credentials.
pub struct AgendaFile {
    files: Arc<AgendaFiles>,
    tenancy: Tenancy,
    viewers: OnceLock<Arc<dyn Viewers>>,
}

impl AgendaFile {
    /// These files, to viewers of their table's tenancy.
    pub fn new(files: Arc<AgendaFiles>, tenancy: Tenancy) -> Self {
        Self {
            files,
            tenancy,
            viewers: OnceLock::new(),
        }
    }

    async fn serve(&self, request: &Parts) -> Result<Response<HttpBody>, ApiError> {
        let viewer = match self.viewers.get() {
            Some(viewers) => viewers.viewer(&request.headers).await,
            None => None,
        };
        let Some(viewer) = viewer else {
            let message = "Send valid credentials in the header `Authorization: Bearer ...`, or an API key in \
                           `x-api-key`.";
            return Err(ApiError::new(Code::Unauthenticated, message));
        };
        let scope = self.tenancy.scope(&viewer).filter(|_| viewer.may_read());
        let Some(scope) = scope else {
            let message = "These credentials do not allow reading applications.";
            return Err(ApiError::new(Code::Forbidden, message));
        };
        let days = self.files.days(request.uri.query().unwrap_or_default())?;
        let mut response = self.files.response(scope, days, Purpose::File).await?;
        let name = HeaderValue::from_static("attachment; filename=\"agenda.ics\"");
        response
            .headers_mut()
            .insert(header::CONTENT_DISPOSITION, name);
        Ok(response)
    }
}

impl HttpHandler for AgendaFile {
    fn set_authenticator(&self, viewers: Arc<dyn Viewers>) {
        // Only the first ones are kept.
        self.viewers.set(viewers).ok();
    }

    fn answer(&self, request: Request<HttpBody>) -> BoxFuture<'_, Response<HttpBody>> {
        let (request, _) = request.into_parts();
        async move {
            match only_reads(&request) {
                Ok(()) => self.serve(&request).await.unwrap_or_else(failed),
                Err(response) => *response,
            }
        }
        .boxed()
    }
}

/// Refuses methods that do not read.
fn only_reads(request: &Parts) -> Result<(), Box<Response<HttpBody>>> {
    if matches!(request.method, Method::GET | Method::HEAD) {
        return Ok(());
    }
    let error = ApiError::bad_input("This URL accepts GET only.");
    let mut response = refused(error, StatusCode::METHOD_NOT_ALLOWED);
    let allowed = HeaderValue::from_static("GET, HEAD");
    response.headers_mut().insert(header::ALLOW, allowed);
    Err(Box::new(response))
}

fn failed(error: ApiError) -> Response<HttpBody> {
    let status = match error.code() {
        Code::BadUserInput => StatusCode::BAD_REQUEST,
        Code::Unauthenticated => StatusCode::UNAUTHORIZED,
        Code::Forbidden => StatusCode::FORBIDDEN,
        Code::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        Code::ServiceUnavailable => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    refused(error, status)
}

/// An error, in the form of GraphQL's.
fn refused(error: ApiError, status: StatusCode) -> Response<HttpBody> {
    let code = error.code();
    let error = async_graphql::Error::from(error);
    let wait = error.extensions.as_ref();
    let wait = wait.and_then(|extensions| extensions.get("retryAfter"));
    let wait = wait.map(ToString::to_string);
    let source = error.source.as_ref();
    if let Some(Fault(cause)) = source.and_then(|source| source.downcast_ref()) {
        tracing::error!(%cause, "the agenda was not served");
    }
    let message = error.message;
    let body =
        json!({ "errors": [{ "message": message, "extensions": { "code": code.as_str() } }] });
    let mut response = http_response(status, "application/json", body.to_string());
    let header: Option<(HeaderName, &str)> = match status {
        StatusCode::UNAUTHORIZED => Some((header::WWW_AUTHENTICATE, "Bearer")),
        StatusCode::SERVICE_UNAVAILABLE => Some((header::RETRY_AFTER, "1")),
        StatusCode::TOO_MANY_REQUESTS => wait
            .as_deref()
            .map(|seconds| (header::RETRY_AFTER, seconds)),
        _ => None,
    };
    if let Some((name, value)) = header
        && let Ok(value) = HeaderValue::from_str(value)
    {
        response.headers_mut().insert(name, value);
    }
    response
}
