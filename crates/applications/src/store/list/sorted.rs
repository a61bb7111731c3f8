//! Lists that no index sorts: every matching application is read, and sorted here.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use futures_util::future::try_join_all;

use crate::error::StoreError;
use crate::items;
use crate::keys::Partition;
use crate::model::Application;
use trestle_table::{Condition, Direction, Page, Projection};

use super::filter::ListFilter;
use super::order::{ListOrder, ListPlace, SortedPlace};
use super::{ListPage, Listed, Window, report};
use crate::store::{Applications, Wanted};

/// The most applications that are read for one list or count.
const MAX_SORTED: usize = 10_000;
/// The most applications that DynamoDB looks through for one list or count.
const MAX_SCANNED: usize = 100_000;

/// A list that is read whole.
#[derive(Clone, Copy)]
pub(in crate::store) struct WholeList<'l> {
    /// Which applications it has.
    pub filter: &'l ListFilter,
    /// Only applications that meet this, too. The others are read and not counted.
    pub only: Option<&'l Condition>,
    /// What a caller can do if it is too long.
    pub too_many: &'static str,
}

impl<'l> WholeList<'l> {
    /// The applications that match a filter.
    fn of(filter: &'l ListFilter) -> Self {
        // The statuses of `stale` are not the caller's choice.
        let too_many = if filter.added.stale.is_some() {
            "More than 10,000 applications have the status APPLIED or INTERVIEWING. Archive applications with \
             `archiveApplications`, or set the status of those without an answer to NO_OFFER."
        } else {
            "More than 10,000 applications must be read. Filter by `statuses` or `archived`, or sort by `updatedAt` \
             without `totalCount`."
        };
        Self {
            filter,
            only: None,
            too_many,
        }
    }

    /// What DynamoDB filters by.
    fn condition(&self) -> Condition {
        let filter = self.filter.condition();
        match self.only {
            Some(only) => filter.and(only.clone()),
            None => filter,
        }
    }
}

/// How many applications of a list were read so far.
#[derive(Default)]
struct Read {
    counted: AtomicUsize,
    scanned: AtomicUsize,
}

impl Read {
    /// Adds a page of a list.
    fn add(&self, page: &Page, list: &WholeList<'_>) -> Result<(), StoreError> {
        let counts = if list.only.is_none() {
            page.scanned
        } else {
            page.items.len()
        };
        let counted = self.counted.fetch_add(counts, Relaxed) + counts;
        let scanned = self.scanned.fetch_add(page.scanned, Relaxed) + page.scanned;
        if counted > MAX_SORTED || scanned > MAX_SCANNED {
            return Err(StoreError::TooMany(list.too_many));
        }
        Ok(())
    }
}

impl Applications {
    /// A page of a list that no index sorts. GSI2 ACTIVE, or GSI1 STATUS#status#ARCHIVED#flag: every page of
    /// each partition, at most [`MAX_SORTED`] applications.
    ///
    /// # Errors
    /// [`StoreError::TooMany`]; [`StoreError`].
    pub(super) async fn sorted(
        &self,
        filter: &ListFilter,
        order: ListOrder,
        window: Window<'_, SortedPlace>,
        wanted: &Wanted,
    ) -> Result<ListPage<ListPlace>, StoreError> {
        let mut attributes = wanted.projection();
        attributes.extend(order.by.attributes());
        let found = self.matching(WholeList::of(filter), attributes).await?;
        let total = Some(found.len());
        let mut found: Vec<_> = found
            .into_iter()
            .map(|application| (SortedPlace::of(order.by, &application), application))
            .collect();
        let is_backward = window.direction == Direction::Backward;
        let compare = |a: &SortedPlace, b: &SortedPlace| {
            let compared = a.compare(b, order.is_descending);
            if is_backward {
                compared.reverse()
            } else {
                compared
            }
        };
        if let Some(from) = window.from {
            found.retain(|(place, _)| compare(place, from) == Ordering::Greater);
        }
        found.sort_by(|(a, _), (b, _)| compare(a, b));
        let more = found.len() > window.size;
        found.truncate(window.size);
        if is_backward {
            found.reverse();
        }
        let listed = found.into_iter().map(|(place, application)| Listed {
            place: ListPlace::Sorted(place),
            application: Ok(application),
        });
        Ok(ListPage {
            items: listed.collect(),
            more,
            total,
        })
    }

    /// The number of applications that match. As [`Applications::matching`].
    ///
    /// # Errors
    /// [`StoreError::TooMany`]; [`StoreError`].
    pub async fn count(&self, filter: &ListFilter) -> Result<usize, StoreError> {
        let attributes = Wanted::default().projection();
        let list = WholeList::of(filter);
        Ok(self.matching(list, attributes).await?.len())
    }

    /// Every application of a list, with these attributes: every page of each partition, at most [`MAX_SORTED`]
    /// applications.
    ///
    /// # Errors
    /// [`StoreError::TooMany`]; [`StoreError`].
    pub(in crate::store) async fn matching(
        &self,
        list: WholeList<'_>,
        mut attributes: Vec<&'static str>,
    ) -> Result<Vec<Application>, StoreError> {
        attributes.extend(list.filter.attributes());
        let read = Read::default();
        let partitions = list.filter.partitions().into_iter();
        let parts =
            partitions.map(|partition| self.matching_in(list, partition, &attributes, &read));
        let found = try_join_all(parts).await?.into_iter().flatten();
        let mut seen = HashSet::new();
        // Until the indexes reflect a change of status, an application can be in two partitions.
        Ok(found
            .filter(|application| seen.insert(application.id.clone()))
            .collect())
    }

    async fn matching_in(
        &self,
        list: WholeList<'_>,
        partition: Partition,
        attributes: &[&'static str],
        all_read: &Read,
    ) -> Result<Vec<Application>, StoreError> {
        let filter = list.filter;
        let matcher = filter.matcher();
        let mut query = self
            .table
            .query_index(partition.index(), self.scope.listed(partition))
            .project(Projection::Only(attributes.to_vec()))
            .filter(list.condition());
        let mut found = Vec::new();
        let mut misplaced = 0;
        loop {
            let page = query.page(&self.meter).await?;
            all_read.add(&page, &list)?;
            let read = page.items.into_iter();
            let read = read.filter_map(|item| items::application(&self.scope, item));
            let read = read.filter(|application| {
                let fits = filter.fits(application.details.status.get(), application.is_archived());
                misplaced += usize::from(!fits);
                fits && matcher.matches(application)
            });
            found.extend(read);
            let Some(key) = page.last_evaluated_key else {
                report(misplaced, partition.index());
                return Ok(found);
            };
            query = query.continue_from(key);
        }
    }
}
