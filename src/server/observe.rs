//! What the server tells of each GraphQL request when it has ended. Knows no log and no metric.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::StatusCode;

use super::documents::{Kind, Lookup};
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
    /// The operation's name, from a document that passed its checks: its number is not bounded.
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

/// A request while it runs. Its record goes to the observer when it is dropped, which happens too when
/// the client goes away and when something panics.
pub(super) struct Recording {
    pub(super) record: RequestRecord,
    pub(super) meter: Meter,
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
            began,
            observer,
        }
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
        self.observer.finished(&self.record);
    }
}
