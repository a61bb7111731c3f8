//! What the server tells of each GraphQL request when it has ended: a record to the observer, and the
//! outcome to the operation's span. Knows no log and no metric.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use tracing::Span;

use super::documents::{Kind, Lookup, Operation};
use super::span;
use crate::api::Code;
use crate::table::{Meter, Spent};

/// Learns of every GraphQL request once, when it has ended.
pub trait Observer: Send + Sync + 'static {
    /// The request has been answered, or its client has gone away.
    fn finished(&self, record: &RequestRecord);
}

/// Tells nobody.
#[derive(Clone, Copy, Debug)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn finished(&self, _record: &RequestRecord) {}
}

/// A GraphQL request that has ended.
#[derive(Clone, Debug)]
pub struct RequestRecord {
    /// The client's `x-request-id`, or one made here.
    pub request_id: String,
    /// The service that was asked.
    pub service: &'static str,
    /// The operation's name, at most 128 bytes of it. Clients choose it: there is no end of names.
    pub operation_name: Option<String>,
    /// What the operation does, once that is known.
    pub operation_kind: Option<Kind>,
    /// The viewer's subject, once authenticated.
    pub subject: Option<String>,
    /// The HTTP status: 499 when the client went away before the answer.
    pub status: u16,
    /// The first error's code.
    pub code: Option<Code>,
    /// The estimated cost, once known.
    pub cost: Option<u64>,
    /// Whether the document was remembered, once looked up.
    pub document: Option<Lookup>,
    /// What the operation asked of DynamoDB.
    pub spent: Spent,
    /// From the headers' arrival to the answer's being ready.
    pub duration: Duration,
}

/// The status of a request whose client did not wait for the answer, as nginx logs it.
const CLIENT_GONE: u16 = 499;
/// The most bytes of an operation's name that are kept.
const MOST_NAME: usize = 128;

impl RequestRecord {
    /// How the request ended, in one word: its first error's code, `OK`, or `CLIENT_GONE`.
    pub fn outcome(&self) -> &'static str {
        match (self.code, self.status) {
            (Some(code), _) => code.as_str(),
            (None, CLIENT_GONE) => "CLIENT_GONE",
            (None, _) => "OK",
        }
    }
}

/// A request while it runs. Its record goes to the observer when it is dropped, which happens too when
/// the client goes away and when something panics.
pub(super) struct Recording {
    pub(super) record: RequestRecord,
    pub(super) meter: Meter,
    span: Span,
    began: Instant,
    observer: Arc<dyn Observer>,
}

impl Recording {
    pub(super) fn begin(
        observer: Arc<dyn Observer>,
        request_id: String,
        service: &'static str,
        began: Instant,
    ) -> Self {
        let record = RequestRecord {
            request_id,
            service,
            operation_name: None,
            operation_kind: None,
            subject: None,
            status: CLIENT_GONE,
            code: None,
            cost: None,
            document: None,
            spent: Spent::default(),
            duration: Duration::ZERO,
        };
        Self {
            record,
            meter: Meter::default(),
            span: Span::none(),
            began,
            observer,
        }
    }

    /// The operation that was asked for.
    pub(super) fn chosen(&mut self, operation: &Operation) {
        let name = operation.name();
        self.record.operation_name =
            name.map(|name| name[..name.floor_char_boundary(MOST_NAME)].to_owned());
        self.record.operation_kind = Some(operation.kind());
    }

    /// The span to run the chosen operation in. It gets the outcome when this is dropped.
    pub(super) fn operation_span(&mut self) -> Span {
        self.span = span::operation(&self.record);
        self.span.clone()
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.record.status = StatusCode::INTERNAL_SERVER_ERROR.as_u16();
            self.record.code = Some(Code::InternalServerError);
        }
        self.record.spent = self.meter.spent();
        self.record.duration = self.began.elapsed();
        span::end(&self.span, &self.record);
        self.observer.finished(&self.record);
    }
}
