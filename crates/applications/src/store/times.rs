//! Times in the future, which a wrong clock wrote: they keep an application first in every list by update.

use chrono::TimeDelta;

use crate::error::{ChangeError, StoreError};
use crate::keys::{self, Partition, Place};
use crate::model::{State, Timestamp};
use trestle_table::{Direction, Order, Projection};

use super::change::ChangeOf;
use super::{Applications, ArchivedFilter, ListFilter, ListOrder, Wanted, Window};

/// Clocks of the programs that write a table differ by less.
const AHEAD: TimeDelta = TimeDelta::days(1);
/// How many applications are read together.
const PAGE: usize = 50;

impl Applications {
    fn limit(&self) -> Timestamp {
        Timestamp::new(self.clock.now() + AHEAD)
    }

    /// From where on the places of lists are in the future.
    fn future(&self) -> Place {
        Place::before(self.limit())
    }

    /// Whether an application that is not archived was updated more than a day in the future. Query GSI2 ACTIVE.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn is_ahead(&self) -> Result<bool, StoreError> {
        let query = self
            .table
            .query_index(&keys::GSI2, self.scope.listed(Partition::Active))
            .order(Order::Descending)
            .project(Projection::Only(vec!["GSI2SK"]))
            .limit(1);
        let newest = query.page(&self.meter).await?.items.pop();
        let newest = newest.and_then(|item| item.get("GSI2SK")?.as_s().ok().cloned());
        Ok(newest.is_some_and(|newest| newest.as_str() > self.future().sort_key().as_str()))
    }

    /// Sets the last update of each application that was updated more than a day in the future to now, with a
    /// history entry. GSI2 and GSI1, then for each such application as [`Applications::update`]. Answers how
    /// many were corrected.
    ///
    /// # Errors
    /// [`ChangeError`]; what was corrected by then stays corrected.
    pub async fn correct_times(&self) -> Result<usize, ChangeError> {
        let filter = ListFilter {
            archived: ArchivedFilter::Include,
            ..ListFilter::default()
        };
        let limit = self.limit();
        let mut corrected = 0;
        let mut from = self.future();
        loop {
            let window = Window::new(PAGE, Direction::Forward, Some(&from));
            let listed = self
                .list(&filter, ListOrder::OLDEST_FIRST, window, &Wanted::default())
                .await?;
            for listed in &listed.items {
                let Ok(application) = &listed.application else {
                    continue;
                };
                let because = "Time of the last update corrected".to_owned();
                let change = ChangeOf::new(self, &application.id, None, |state: &State, now| {
                    let next = state.with_time_corrected(limit, now);
                    let is_ahead = next != *state;
                    Ok((next, is_ahead))
                });
                match change.because(because).run().await {
                    Ok((_, was_ahead)) => corrected += usize::from(was_ahead),
                    // Deleted meanwhile.
                    Err(ChangeError::NotFound) => {}
                    Err(error) => return Err(error),
                }
            }
            match listed.items.into_iter().next_back() {
                Some(last) if last.place != from => from = last.place,
                Some(_) | None => return Ok(corrected),
            }
        }
    }
}
