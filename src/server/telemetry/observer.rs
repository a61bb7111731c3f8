//! What the server tells of each request, as a log line and as metrics.

use crate::server::documents::Lookup;
use crate::server::observe::{Observer, RequestRecord};

use super::{DocumentCache, FinishedRequest, Telemetry};

impl Observer for Telemetry {
    fn finished(&self, record: &RequestRecord) {
        self.finished(&FinishedRequest {
            request_id: &record.request_id,
            service: Some(record.service),
            operation_name: record.operation_name.as_deref(),
            operation_type: record.operation_kind.map(|kind| kind.as_str()),
            subject: record.subject.as_deref(),
            cost: record.cost,
            status: record.status,
            code: record.code,
            document_cache: record.document.map(|lookup| match lookup {
                Lookup::Hit => DocumentCache::Hit,
                Lookup::Miss => DocumentCache::Miss,
            }),
            spent: record.spent,
            duration: record.duration,
        });
    }
}
