//! Lists of applications: sorted by an index, or read whole and sorted here.

mod added;
mod filter;
mod fold;
mod order;
mod range;
mod sorted;
mod texts;

use std::collections::HashSet;

use futures_util::future::try_join_all;

use crate::error::StoreError;
use crate::items;
use crate::keys::{Partition, Place};
use crate::model::Application;
use trestle_table::{Direction, IndexDefinition, Item, Order, Pk, Projection, TableError};

use super::{Applications, Wanted};

pub use added::{AddedFilters, Stale};
pub use filter::{ArchivedFilter, ListFilter, MoreFilters};
pub(super) use fold::fold;
pub use order::{ListOrder, ListPlace, SortField};
pub use range::Range;
pub(super) use sorted::WholeList;
pub(super) use texts::{TEXTS, texts};

/// Which page of a list to read.
#[derive(Clone, Copy, Debug)]
pub struct Window<'p, P> {
    /// Number of applications.
    pub size: usize,
    /// The direction from the place, or from the end of the list that the direction starts at.
    pub direction: Direction,
    /// The place next to the page; it is not part of it.
    pub from: Option<&'p P>,
}

impl<'p, P> Window<'p, P> {
    /// So many applications from a place on.
    pub fn new(size: usize, direction: Direction, from: Option<&'p P>) -> Self {
        Self {
            size,
            direction,
            from,
        }
    }
}

/// A page of a list, in the list's order.
#[derive(Clone, Debug)]
pub struct ListPage<P> {
    /// The applications.
    pub items: Vec<Listed<P>>,
    /// Whether the list continues in the page's direction.
    pub more: bool,
    /// The length of the list, if it was read whole.
    pub total: Option<usize>,
}

/// One application of a list.
#[derive(Clone, Debug)]
pub struct Listed<P> {
    /// Its place in the list.
    pub place: P,
    /// The application. Attributes that were not requested are empty.
    pub application: Result<Application, StoreError>,
}

impl<P> Listed<P> {
    fn at<Q>(self, place: impl FnOnce(P) -> Q) -> Listed<Q> {
        Listed {
            place: place(self.place),
            application: self.application,
        }
    }
}

/// The list's name, for its cursors: different lists have different names.
pub fn list_name(filter: &ListFilter, order: ListOrder) -> String {
    format!("{} {}", filter.name(), order.name())
}

impl Applications {
    /// A page of a list in any order. As [`Applications::list`] or [`Applications::sorted`].
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn listed(
        &self,
        filter: &ListFilter,
        order: ListOrder,
        window: Window<'_, ListPlace>,
        wanted: &Wanted,
    ) -> Result<ListPage<ListPlace>, StoreError> {
        let (size, direction) = (window.size, window.direction);
        let from = match window.from {
            Some(ListPlace::Sorted(from)) => {
                let window = Window::new(size, direction, Some(from));
                return self.sorted(filter, order, window, wanted).await;
            }
            // No index has this order.
            None if order.by != SortField::UpdatedAt => {
                let window = Window::new(size, direction, None);
                return self.sorted(filter, order, window, wanted).await;
            }
            Some(ListPlace::Indexed(from)) => Some(from),
            None => None,
        };
        let window = Window::new(size, direction, from);
        let page = self.list(filter, order, window, wanted).await?;
        let items = page.items.into_iter();
        Ok(ListPage {
            items: items.map(|listed| listed.at(ListPlace::Indexed)).collect(),
            more: page.more,
            total: None,
        })
    }

    /// A page of a list by the last change: `size` applications from `from` on, in that direction. GSI2 ACTIVE,
    /// or GSI1 STATUS#status#ARCHIVED#flag, by UPDATED#updatedAt#id: one Query for each partition, sent together.
    ///
    /// With filters beyond status and archiving, further Queries of growing size follow until the page is
    /// full or the list ends; each partition reads at most [`trestle_table::MAX_CHUNK`] items past
    /// the last one it answers.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn list(
        &self,
        filter: &ListFilter,
        order: ListOrder,
        window: Window<'_, Place>,
        wanted: &Wanted,
    ) -> Result<ListPage<Place>, StoreError> {
        let size = window.size;
        let reading = if order.is_descending == (window.direction == Direction::Forward) {
            Order::Descending
        } else {
            Order::Ascending
        };
        let parts = filter.partitions().into_iter().map(|partition| {
            // One more than a page, to know whether the list continues.
            self.list_partition(filter, partition, reading, size + 1, window.from, wanted)
        });
        let mut parts = try_join_all(parts).await?;
        let (mut items, more) = match parts.pop() {
            Some(only) if parts.is_empty() => {
                let more = only.len() > size;
                (only, more)
            }
            last => {
                let parts = parts.into_iter().chain(last);
                merge(
                    parts,
                    |place| self.scope.primary_key(place).pk,
                    reading,
                    size,
                )
            }
        };
        items.truncate(size);
        if window.direction == Direction::Backward {
            items.reverse();
        }
        Ok(ListPage {
            items,
            more,
            total: None,
        })
    }

    async fn list_partition(
        &self,
        filter: &ListFilter,
        partition: Partition,
        order: Order,
        size: usize,
        from: Option<&Place>,
        wanted: &Wanted,
    ) -> Result<Vec<Listed<Place>>, TableError> {
        let index = partition.index();
        let mut attributes = wanted.projection();
        attributes.extend(filter.attributes());
        attributes.extend(index.sort_key.map(|key| key.name));
        let mut query = self
            .table
            .query_index(index, self.scope.listed(partition))
            .order(order)
            .project(Projection::Only(attributes))
            .filter(filter.condition());
        if let Some(place) = from {
            query = query.after_in_index(&self.scope.primary_key(place), place.sort_key());
        }
        let matcher = filter.matcher();
        let is_filtered = filter.looks_into_items();
        // In ascending order, an application that changes meanwhile comes again: once is enough.
        let mut seen = HashSet::new();
        let mut misplaced = 0_usize;
        let keep = |item: &Item| {
            let (status, is_archived) = items::placing(item);
            if !filter.fits(status, is_archived) {
                misplaced += 1;
                return false;
            }
            let is_wanted = !is_filtered
                || items::application(&self.scope, item.clone())
                    .is_some_and(|found| matcher.matches(&found));
            is_wanted && seen.insert(items::text(item, "PK").map(str::to_owned))
        };
        let items = query.fill(size, keep, &self.meter).await?;
        report(misplaced, index);
        let listed = items.into_iter().map(|item| Listed {
            place: self.place(&item, index),
            application: self.read_application(item),
        });
        Ok(listed.collect())
    }

    fn place(&self, item: &Item, index: &IndexDefinition) -> Place {
        let sort_key = index.sort_key.and_then(|key| items::text(item, key.name));
        let partition_key = items::text(item, "PK");
        let (sort_key, partition_key) = (
            sort_key.unwrap_or_default(),
            partition_key.unwrap_or_default(),
        );
        self.scope.place(sort_key, partition_key)
    }
}

/// Warns of applications that an index has where they do not belong.
fn report(misplaced: usize, index: &IndexDefinition) {
    if misplaced > 0 {
        tracing::warn!(
            index = index.name,
            misplaced,
            "applications were left out of a list: their keys in the index contradict their status or `isArchived`. The \
             next change of each corrects its keys"
        );
    }
}

/// The parts of a list as one, in `order`, and whether they hold more than `size`.
fn merge(
    parts: impl Iterator<Item = Vec<Listed<Place>>>,
    identity: impl Fn(&Place) -> Pk,
    order: Order,
    size: usize,
) -> (Vec<Listed<Place>>, bool) {
    let mut items: Vec<Listed<Place>> = parts.flatten().collect();
    items.sort_by(|a, b| b.place.cmp(&a.place));
    // Until the indexes reflect a change of status, an application can be in two partitions: the newest is
    // right.
    let mut seen = HashSet::new();
    items.retain(|item| seen.insert(identity(&item.place)));
    // A part that goes on has more than `size` applications, none of them twice.
    let more = items.len() > size;
    if order == Order::Ascending {
        items.reverse();
    }
    (items, more)
}
