//! What the server tells of each GraphQL request when it has ended: a record to the observer, and the
//! outcome to the operation's span. Knows no log and no metric.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use tracing::Span;

use super::documents::Operation;
use super::record::{CLIENT_GONE, MOST_NAME};
use super::span;

pub use super::record::RequestRecord;
use trestle_api::Code;
use trestle_table::{Meter, Spent};

/// Learns of every GraphQL request once, when it has ended.
pub trait Observer: Send + Sync + 'static {
    /// The request has been answered, or its client has gone away.
    fn finished(&self, record: &RequestRecord);
}

/// Tells nobody.
#[derive(Clone, Copy, Debug)]
pub struct NoopObserver;

impl Observer for NoopObserver {
    fn finished(&self, _record: &RequestRecord) {}
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
    /// When the request came.
    pub(super) fn began(&self) -> Instant {
        self.began
    }

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
            is_known: false,
            subject: None,
            status: CLIENT_GONE,
            code: None,
            cost: None,
            document: None,
            user_errors: Vec::new(),
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
