//! Lists that no index sorts: every matching application is read, and sorted here.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use futures_util::future::try_join_all;

use crate::error::StoreError;
use crate::items;
use crate::keys::Partition;
use crate::model::Application;
use trestle_table::{Direction, Item, Projection};

use super::filter::ListFilter;
use super::order::{ListOrder, ListPlace, SortedPlace};
use super::{ListPage, Listed, report};
use crate::store::{Applications, Wanted};

/// The most applications that are read for one list or count.
pub const MAX_SORTED: usize = 10_000;

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
        (size, direction, from): (usize, Direction, Option<&SortedPlace>),
        wanted: &Wanted,
    ) -> Result<ListPage<ListPlace>, StoreError> {
        let mut attributes = wanted.projection();
        attributes.extend(order.by.attributes());
        let found = self.matching(filter, attributes).await?;
        let total = Some(found.len());
        let mut found: Vec<_> = found
            .into_iter()
            .map(|application| (SortedPlace::of(order.by, &application), application))
            .collect();
        let is_backward = direction == Direction::Backward;
        let compare = |a: &SortedPlace, b: &SortedPlace| {
            let compared = a.compare(b, order.is_descending);
            if is_backward {
                compared.reverse()
            } else {
                compared
            }
        };
        if let Some(from) = from {
            found.retain(|(place, _)| compare(place, from) == Ordering::Greater);
        }
        found.sort_by(|(a, _), (b, _)| compare(a, b));
        let more = found.len() > size;
        found.truncate(size);
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
        Ok(self.matching(filter, attributes).await?.len())
    }

    /// Every application that matches, with these attributes: every page of each partition, at most [`MAX_SORTED`]
    /// applications read.
    ///
    /// # Errors
    /// [`StoreError::TooMany`]; [`StoreError`].
    pub(in crate::store) async fn matching(
        &self,
        filter: &ListFilter,
        mut attributes: Vec<&'static str>,
    ) -> Result<Vec<Application>, StoreError> {
        attributes.extend(filter.attributes());
        let read = AtomicUsize::new(0);
        let partitions = filter.partitions().into_iter();
        let parts =
            partitions.map(|partition| self.matching_in(filter, partition, &attributes, &read));
        let found = try_join_all(parts).await?.into_iter().flatten();
        let mut seen = HashSet::new();
        // Until the indexes reflect a change of status, an application can be in two partitions.
        Ok(found
            .filter(|application| seen.insert(application.id.clone()))
            .collect())
    }

    async fn matching_in(
        &self,
        filter: &ListFilter,
        partition: Partition,
        attributes: &[&'static str],
        scanned: &AtomicUsize,
    ) -> Result<Vec<Application>, StoreError> {
        let matcher = filter.matcher();
        let mut query = self
            .table
            .query_index(partition.index(), self.scope.listed(partition))
            .project(Projection::Only(attributes.to_vec()))
            .filter(filter.condition());
        let mut found = Vec::new();
        let mut misplaced = 0;
        loop {
            let page = query.page(&self.meter).await?;
            let read = |item: Item| items::application(&self.scope, item);
            let read = page.items.into_iter().filter_map(read);
            let read = read.filter(|application| {
                let fits = filter.fits(application.details.status.get(), application.is_archived());
                misplaced += usize::from(!fits);
                fits && matcher.matches(application)
            });
            found.extend(read);
            let before = scanned.fetch_add(page.scanned, Relaxed);
            match page.last_evaluated_key {
                _ if before + page.scanned > MAX_SORTED => return Err(StoreError::TooMany),
                Some(key) => query = query.continue_from(key),
                None => {
                    report(misplaced, partition.index());
                    return Ok(found);
                }
            }
        }
    }
}
