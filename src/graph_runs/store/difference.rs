//! What differs between the graphs of two runs.

use futures_util::future::try_join;

use crate::graph_runs::error::StoreError;
use crate::graph_runs::graph::{Fingerprints, GraphChange, compare};
use crate::graph_runs::model::{Run, Status};

use super::{Runs, stream};

/// Why two runs cannot be compared.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CompareError {
    /// One of them has no graph.
    #[error("a run is not complete")]
    NotComplete,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Runs {
    /// What differs from one complete run's graph to another's. Graphs with the same hash do not differ and
    /// are not read; otherwise one read of each from the object store. No call to the table.
    ///
    /// # Errors
    /// [`CompareError`].
    pub async fn difference(&self, from: &Run, to: &Run) -> Result<Vec<GraphChange>, CompareError> {
        if [from, to].iter().any(|run| run.status != Status::Complete) {
            return Err(CompareError::NotComplete);
        }
        if from.graph_hash.is_some() && from.graph_hash == to.graph_hash {
            return Ok(Vec::new());
        }
        let (before, after) = try_join(self.fingerprints(from), self.fingerprints(to)).await?;
        Ok(compare(&before, &after))
    }

    async fn fingerprints(&self, run: &Run) -> Result<Fingerprints, StoreError> {
        let lost = |reason: &str| StoreError::LostGraph(reason.to_owned());
        let key = run.graph_key.as_deref().ok_or_else(|| lost("no key"))?;
        let found = self.artifacts().get(key, u64::MAX).await?;
        let found = found.ok_or_else(|| lost("no object"))?;
        let parsed = stream::visit(found, Fingerprints::default(), None).await?;
        parsed.map_err(|problem| StoreError::LostGraph(problem.0))
    }
}
