//! What a complete run's files have in them, read once and kept for the next pages in a bounded size. The objects never
//! change, so that what is kept is never stale.

use std::sync::Arc;

use moka::sync::Cache;
use tokio::sync::Mutex;

use trestle_terraform::stored::{ReportRows, Rows};

/// The most bytes of all graphs that are kept, and of one.
pub const MAX_GRAPHS: usize = 64 * 1024 * 1024;
/// The most bytes of what is kept of all reports.
const MAX_REPORTS: u64 = 16 * 1024 * 1024;

/// Contents of files, by the files' keys. Shared by all requests.
#[derive(Debug)]
pub struct Contents {
    /// Graphs.
    pub graphs: Cache<String, Arc<Rows>>,
    /// What is listed of reports.
    pub reports: Cache<String, Arc<ReportRows>>,
    /// One file is read at a time, so that requests for the same one read it once and others take no memory meanwhile.
    pub reading: Mutex<()>,
}

fn weight(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

impl Default for Contents {
    fn default() -> Self {
        Self {
            graphs: Cache::builder()
                .max_capacity(MAX_GRAPHS as u64)
                .weigher(|key: &String, rows: &Arc<Rows>| weight(key.len() + rows.bytes()))
                .build(),
            reports: Cache::builder()
                .max_capacity(MAX_REPORTS)
                .weigher(|key: &String, rows: &Arc<ReportRows>| weight(key.len() + rows.bytes()))
                .build(),
            reading: Mutex::default(),
        }
    }
}
