//! The differences between the graphs of two runs: computed once, kept as an object, and read page by page.

use std::ops::Range;

use bytes::Bytes;
use futures_util::future::try_join;
use serde::{Deserialize, Serialize};

use crate::error::{RunFile, StoreError};
use crate::model::{Run, Status};
use crate::objects;
use trestle_terraform::stored::{Counts, Fingerprints, GraphChange, compare};

use super::{Runs, stream};

/// How many changes are read together.
const CHUNK: usize = 100;
/// The most bytes of an index: 8 for each chunk.
const MAX_INDEX: u64 = 16 * 1024 * 1024;

/// What is kept of a comparison beside the changes themselves.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Index {
    /// How many parts differ in which way.
    pub counts: Counts,
    /// How many parts differ.
    pub total: usize,
    /// Where each chunk of changes begins, and where the last one ends.
    offsets: Vec<u64>,
}

/// The differences from one graph to another.
#[derive(Clone, Debug)]
pub struct Differences {
    /// What is known of them without reading them.
    pub index: Index,
    key: String,
}

impl Runs {
    /// The differences from one run's graph to another's; `None` unless both are complete. Graphs with the same hash do not differ and are not
    /// read; otherwise one read of each from the object store the first time, and one read of the kept index after that.
    /// No call to the table.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn differences(
        &self,
        from: &Run,
        to: &Run,
    ) -> Result<Option<Differences>, StoreError> {
        if [from, to].iter().any(|run| run.status != Status::Complete) {
            return Ok(None);
        }
        let key = objects::difference(from, to, "changes");
        if from.graph_hash.is_some() && from.graph_hash == to.graph_hash {
            let index = Index::default();
            return Ok(Some(Differences { index, key }));
        }
        let index_key = objects::difference(from, to, "index");
        let kept = self.files().read(&index_key, MAX_INDEX).await?;
        if let Some(index) = kept.and_then(|kept| serde_json::from_slice(&kept).ok()) {
            return Ok(Some(Differences { index, key }));
        }
        let (before, after) = try_join(self.fingerprints(from), self.fingerprints(to)).await?;
        let (index, text) = written(&compare(&before, &after))?;
        let index_text = serde_json::to_vec(&index).map_err(unwritable)?;
        // The index last: where it is, everything is.
        self.files().put(&key, text).await?;
        self.files().put(&index_key, index_text).await?;
        Ok(Some(Differences { index, key }))
    }

    /// Some of the differences, by their places. One read of a part of an object.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn changes(
        &self,
        of: &Differences,
        range: Range<usize>,
    ) -> Result<Vec<GraphChange>, StoreError> {
        let Range { start, end } = range;
        let end = end.min(of.index.total);
        if start >= end {
            return Ok(Vec::new());
        }
        let (first, last) = (start / CHUNK, (end - 1) / CHUNK);
        let offset = |at: usize| {
            let offset = of.index.offsets.get(at).copied();
            offset.ok_or_else(|| StoreError::LostGraph("an index is too short".to_owned()))
        };
        let range = offset(first)?..offset(last + 1)?;
        let text: Bytes = self.files().read_range(&of.key, range).await?;
        let lines = text
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty());
        let wanted = lines.skip(start - first * CHUNK).take(end - start);
        let read = wanted.map(|line| serde_json::from_slice(line).map_err(unwritable));
        read.collect()
    }

    async fn fingerprints(&self, run: &Run) -> Result<Fingerprints, StoreError> {
        let key = run.graph_key.as_deref();
        let key = key.ok_or_else(|| RunFile::Graph.lost("", "no key"))?;
        let found = self.graph_file(key).await?;
        let parsed = stream::visit(found, Fingerprints::default(), None).await?;
        parsed.map_err(|problem| RunFile::Graph.lost(key, &problem.0))
    }
}

fn written(changes: &[GraphChange]) -> Result<(Index, Vec<u8>), StoreError> {
    let mut text = Vec::new();
    let mut offsets = vec![0];
    for chunk in changes.chunks(CHUNK) {
        for change in chunk {
            serde_json::to_writer(&mut text, change).map_err(unwritable)?;
            text.push(b'\n');
        }
        offsets.push(text.len() as u64);
    }
    let index = Index {
        counts: Counts::of(changes),
        total: changes.len(),
        offsets,
    };
    Ok((index, text))
}

fn unwritable(error: serde_json::Error) -> StoreError {
    StoreError::LostGraph(format!("kept differences: {error}"))
}
