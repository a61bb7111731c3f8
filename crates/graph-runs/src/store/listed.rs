//! The contents of complete runs, to be listed page by page.

use std::sync::Arc;

use object_store::GetResult;

use crate::error::{RunFile, StoreError};
use crate::model::Run;
use trestle_files::FilesError;
use trestle_terraform::stored::{ReportRows, Rows};

use super::contents::MAX_GRAPHS;
use super::{Runs, stream};

/// The most bytes of a report whose findings are listed.
const MAX_REPORT: u64 = 32 * 1024 * 1024;

impl Runs {
    /// The graph of a run; `None` unless it is complete. The first time, one read of the object store.
    ///
    /// # Errors
    /// [`StoreError::TooLargeToList`], [`StoreError`].
    pub async fn rows(&self, run: &Run) -> Result<Option<Arc<Rows>>, StoreError> {
        let Some(key) = &run.graph_key else {
            return Ok(None);
        };
        let contents = &self.place.contents;
        if let Some(rows) = contents.graphs.get(key) {
            return Ok(Some(rows));
        }
        let _reading = contents.reading.lock().await;
        if let Some(rows) = contents.graphs.get(key) {
            return Ok(Some(rows));
        }
        let found = self.graph_file(key).await?;
        let rows = match stream::visit(found, Rows::new(MAX_GRAPHS), None).await? {
            Ok(rows) => Arc::new(rows.finish()),
            Err(problem) if problem == Rows::too_large() => return Err(StoreError::TooLargeToList),
            Err(problem) => return Err(RunFile::Graph.lost(key, &problem.0)),
        };
        contents.graphs.insert(key.clone(), Arc::clone(&rows));
        Ok(Some(rows))
    }

    /// The file of a graph.
    ///
    /// # Errors
    /// [`StoreError::LostFile`], [`StoreError`].
    pub(super) async fn graph_file(&self, key: &str) -> Result<GetResult, StoreError> {
        match self.files().get(key, u64::MAX).await {
            Err(FilesError::Malformed) => Err(RunFile::Graph.lost(key, "no key")),
            found => found?.ok_or_else(|| RunFile::Graph.lost(key, "no object")),
        }
    }

    /// What is listed of a run's report; `None` unless it is complete and has a report. As [`Runs::rows`].
    ///
    /// # Errors
    /// [`StoreError::Report`] if another program wrote the report in a form of its own, [`StoreError`].
    pub async fn report(&self, run: &Run) -> Result<Option<Arc<ReportRows>>, StoreError> {
        let Some(key) = &run.report_key else {
            return Ok(None);
        };
        let contents = &self.place.contents;
        if let Some(rows) = contents.reports.get(key) {
            return Ok(Some(rows));
        }
        let _reading = contents.reading.lock().await;
        if let Some(rows) = contents.reports.get(key) {
            return Ok(Some(rows));
        }
        let report = match self.files().read(key, MAX_REPORT).await {
            Err(FilesError::TooLarge(_)) => return Err(StoreError::TooLargeToList),
            Err(FilesError::Malformed) => return Err(RunFile::Report.lost(key, "no key")),
            report => report?.ok_or_else(|| RunFile::Report.lost(key, "no object"))?,
        };
        let rows =
            ReportRows::of(&report).map_err(|error| StoreError::Report(error.to_string()))?;
        let rows = Arc::new(rows);
        contents.reports.insert(key.clone(), Arc::clone(&rows));
        Ok(Some(rows))
    }
}
