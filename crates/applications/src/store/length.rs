//! How long a history is: as its application's version says, unless another program left entries out.

use crate::error::StoreError;
use crate::keys::FIRST_ENTRY;
use crate::model::{ApplicationId, MAX_VERSION};
use trestle_table::{Direction, Projection};

use super::Applications;
use super::history::{HistoryPage, HistoryRange, is_entry};

impl HistoryPage {
    /// Whether the page shows that the history does not have an entry for each version of an application.
    pub fn contradicts(&self, version: u32, range: &HistoryRange) -> bool {
        let sequences: Vec<_> = self.lines.iter().map(|line| line.sequence).collect();
        let has_gaps = sequences
            .windows(2)
            .any(|pair| matches!(pair, [newer, older] if newer.saturating_sub(*older) != 1));
        let (newest, oldest) = (sequences.first().copied(), sequences.last().copied());
        let is_first_page = range.cursor.is_none();
        let (has_newest, has_oldest) = match range.direction {
            Direction::Forward => (is_first_page, !self.more),
            Direction::Backward => (!self.more, is_first_page),
        };
        has_gaps
            || (has_newest && newest.unwrap_or(0) != version)
            || (has_oldest && oldest.is_some_and(|oldest| oldest != FIRST_ENTRY))
    }
}

impl Applications {
    /// The number of entries in a history whose entries do not follow from the version. Query APP#id / HIST# (all).
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn history_length(&self, id: &ApplicationId) -> Result<u32, StoreError> {
        let mut query = self
            .table
            .query(self.scope.partition(id))
            .between(
                self.scope.history_entry(id, 0).sk,
                self.scope.history_entry(id, MAX_VERSION).sk,
            )
            .project(Projection::Only(vec!["SK"]));
        let mut length: u32 = 0;
        loop {
            let page = query.page(&self.meter).await?;
            let entries = page.items.iter().filter(|item| is_entry(item)).count();
            length = length.saturating_add(u32::try_from(entries).unwrap_or(u32::MAX));
            match page.last_evaluated_key {
                Some(rest) => query = query.continue_from(rest),
                None => return Ok(length),
            }
        }
    }
}
