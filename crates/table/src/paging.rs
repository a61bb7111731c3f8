//! Pages of lists, in both directions, from one partition or several merged.

use std::collections::HashSet;
use std::future::{Future, ready};

use futures_util::future::try_join_all;

use super::query::MAX_CHUNK;
use super::{
    Direction, Entity, IndexDefinition, Item, Key, Listing, MalformedItem, Order, Pk, Query,
    RowPlace, Sk, TableError, Tables, from_item,
};

/// Which page of a list to read.
#[derive(Clone, Debug)]
pub struct PageAsk {
    /// Number of rows.
    pub size: usize,
    /// The direction from the place, or from the end of the list that the direction starts at.
    pub direction: Direction,
    /// The place next to the page; it is not part of it.
    pub place: Option<RowPlace>,
}

impl PageAsk {
    /// The first rows of a list.
    pub fn first(size: usize) -> Self {
        Self {
            size,
            direction: Direction::Forward,
            place: None,
        }
    }
}

/// Rows of a list, in its order.
#[derive(Debug)]
pub struct Rows<E> {
    /// The rows.
    pub rows: Vec<Row<E>>,
    /// Whether the list continues in the page's direction.
    pub more: bool,
    /// Where the next page starts, if reading stopped before the page was full.
    pub stopped: Option<RowPlace>,
}

/// Rows that were read, in the direction of reading.
struct Part<E> {
    rows: Vec<Row<E>>,
    /// The last item that was read, if reading stopped before the end of the list and before there were enough rows.
    stopped: Option<RowPlace>,
}

/// One row of a list.
#[derive(Debug)]
pub struct Row<E> {
    /// Its place in the list.
    pub place: RowPlace,
    /// The entity, or why its item cannot be read.
    pub entity: Result<E, MalformedItem>,
}

impl<E> Row<E> {
    /// The entity with the key of its item, if it can be read. A change of another program's item goes to that key, which
    /// its attributes may not name.
    pub fn keyed(self) -> Option<(Key, E)> {
        Some((self.place.key, self.entity.ok()?))
    }
}

/// Decides which entities of a list the viewer sees, if that depends on other items.
pub trait VisibilityFilter<E>: Sync {
    /// Whether each entity is visible, in their order.
    fn admit(&self, entities: &[&E]) -> impl Future<Output = Result<Vec<bool>, TableError>> + Send;
}

impl<E: Sync> VisibilityFilter<E> for () {
    fn admit(&self, entities: &[&E]) -> impl Future<Output = Result<Vec<bool>, TableError>> + Send {
        ready(Ok(vec![true; entities.len()]))
    }
}

impl Tables {
    /// A page of a list. One Query for each partition, sent together. If a filter or the gate leaves a page short, further
    /// Queries of growing size follow, up to the end of the list.
    pub async fn page<E: Entity + Send + Sync>(
        &self,
        listing: &Listing<E>,
        ask: &PageAsk,
        gate: &impl VisibilityFilter<E>,
    ) -> Result<Rows<E>, TableError> {
        // One more tells whether the list continues.
        let Part { mut rows, stopped } = self.rows(listing, ask, ask.size + 1, gate).await?;
        let is_full = rows.len() > ask.size;
        let stopped = stopped.filter(|_| !is_full);
        rows.truncate(ask.size);
        if ask.direction == Direction::Backward {
            rows.reverse();
        }
        Ok(Rows {
            rows,
            more: is_full || stopped.is_some(),
            stopped,
        })
    }

    /// The first `wanted` rows in the direction of `ask`.
    async fn rows<E: Entity + Send + Sync>(
        &self,
        listing: &Listing<E>,
        ask: &PageAsk,
        wanted: usize,
        gate: &impl VisibilityFilter<E>,
    ) -> Result<Part<E>, TableError> {
        if listing.is_empty() {
            let (rows, stopped) = (Vec::new(), None);
            return Ok(Part { rows, stopped });
        }
        let order = match ask.direction {
            Direction::Forward => listing.order,
            Direction::Backward => listing.order.reversed(),
        };
        let place = ask.place.as_ref();
        let parts = listing.partitions.iter().map(|partition| {
            let query = self.query(listing, partition, order, place);
            async move { self.part(listing, query?, wanted, gate).await }
        });
        let mut parts = try_join_all(parts).await?;
        match parts.pop() {
            Some(only) if parts.is_empty() => Ok(only),
            last => Ok(merged(parts.into_iter().chain(last), order, wanted)),
        }
    }

    fn query<E: Entity>(
        &self,
        listing: &Listing<E>,
        partition: &Pk,
        order: Order,
        place: Option<&RowPlace>,
    ) -> Result<Query<'_>, TableError> {
        let table = self.of::<E>()?;
        let query = match listing.index {
            None => table.query(partition.clone()),
            Some(index) => table.query_index(index, partition.clone()),
        };
        let query = query
            .range(listing.range.clone())
            .order(order)
            .filter(listing.filter.clone())
            .project(listing.projection.clone());
        Ok(match (place, listing.index) {
            (None, _) => query,
            (Some(place), None) => query.after(&Key::new(partition.clone(), place.sk.clone())),
            (Some(place), Some(_)) => query.after_in_index(&place.key, &place.sk),
        })
    }

    /// The first `wanted` rows of one partition.
    async fn part<E: Entity + Send + Sync>(
        &self,
        listing: &Listing<E>,
        mut query: Query<'_>,
        wanted: usize,
        gate: &impl VisibilityFilter<E>,
    ) -> Result<Part<E>, TableError> {
        let mut rows: Vec<Row<E>> = Vec::with_capacity(wanted.min(MAX_CHUNK));
        let mut chunk = wanted.min(MAX_CHUNK);
        let mut left = listing.budget.unwrap_or(usize::MAX);
        loop {
            let page = query.clone().limit(chunk.min(left));
            let page = page.page(self.meter()).await?;
            left = left.saturating_sub(page.scanned);
            let read = page.items.into_iter();
            let mut read: Vec<_> = read.filter_map(|item| row(listing.index, item)).collect();
            if let Some((_, keep)) = &listing.keep {
                read.retain(|row| row.entity.as_ref().map_or(true, |entity| keep(entity)));
            }
            let readable = read.iter().filter_map(|row| row.entity.as_ref().ok());
            let admitted = gate.admit(&readable.collect::<Vec<_>>()).await?;
            let mut admitted = admitted.into_iter();
            read.retain(|row| row.entity.is_err() || admitted.next().unwrap_or(false));
            let has_passed_over = read.len() < page.scanned;
            rows.extend(read);
            rows.truncate(wanted);
            match page.last_evaluated_key {
                Some(key) if rows.len() < wanted && left == 0 => {
                    let mut stopped = place_in::<E>(listing.index, &key);
                    if let (Some(place), Some(veil)) = (&mut stopped, &listing.veil) {
                        place.key.pk = veil.clone();
                    }
                    return Ok(Part { rows, stopped });
                }
                Some(key) if rows.len() < wanted => query = query.continue_from(key),
                _ => {
                    let stopped = None;
                    return Ok(Part { rows, stopped });
                }
            }
            chunk = if has_passed_over {
                (chunk * 2).min(MAX_CHUNK)
            } else {
                (wanted - rows.len()).min(MAX_CHUNK)
            };
        }
    }

    /// The first entity of a list. One Query of one item, unless a filter passes over items.
    ///
    /// # Errors
    /// The item cannot be read; as every call.
    pub async fn first<E: Entity + Send + Sync>(
        &self,
        listing: &Listing<E>,
    ) -> Result<Option<E>, TableError> {
        let found = self.rows(listing, &WHOLE, 1, &()).await?;
        let first = found.rows.into_iter().next().map(|row| row.entity);
        Ok(first.transpose()?)
    }

    /// Every entity of a list that is bounded by its nature. One Query for each partition, and one more for every further
    /// 1,000 items or 1 MB.
    pub async fn all<E: Entity + Send + Sync>(
        &self,
        listing: &Listing<E>,
    ) -> Result<Vec<Result<E, MalformedItem>>, TableError> {
        let found = self.rows(listing, &WHOLE, usize::MAX, &()).await?;
        Ok(found.rows.into_iter().map(|row| row.entity).collect())
    }
}

/// A list from its start.
const WHOLE: PageAsk = PageAsk {
    size: usize::MAX,
    direction: Direction::Forward,
    place: None,
};

/// The parts of several partitions as one, in the order of reading.
fn merged<E>(parts: impl Iterator<Item = Part<E>>, order: Order, wanted: usize) -> Part<E> {
    let mut rows = Vec::new();
    let mut stopped: Option<RowPlace> = None;
    for part in parts {
        rows.extend(part.rows);
        // Up to the earliest stop, every partition was read.
        stopped = match (stopped, part.stopped) {
            (Some(a), Some(b)) => Some(match order {
                Order::Ascending => a.min(b),
                Order::Descending => a.max(b),
            }),
            (a, b) => a.or(b),
        };
    }
    if let Some(stop) = &stopped {
        rows.retain(|row: &Row<E>| match order {
            Order::Ascending => row.place <= *stop,
            Order::Descending => row.place >= *stop,
        });
    }
    rows.sort_by(|a, b| match order {
        Order::Ascending => a.place.cmp(&b.place),
        Order::Descending => b.place.cmp(&a.place),
    });
    // While an index catches up, an item can be in two of its partitions.
    let mut seen = HashSet::new();
    rows.retain(|row| seen.insert(row.place.key.clone()));
    rows.truncate(wanted);
    Part { rows, stopped }
}

/// The place of an item, or of a LastEvaluatedKey.
fn place_in<E: Entity>(index: Option<&'static IndexDefinition>, item: &Item) -> Option<RowPlace> {
    let key = E::TABLE.key_in(item)?;
    let sk = match index.map(|index| index.sort_key) {
        None => key.sk.clone(),
        Some(None) => Sk::stored(""),
        Some(Some(sort_key)) => Sk::stored(sort_key.text_in(item)?),
    };
    Some(RowPlace { sk, key })
}

fn row<E: Entity>(index: Option<&'static IndexDefinition>, item: Item) -> Option<Row<E>> {
    Some(Row {
        place: place_in::<E>(index, &item)?,
        entity: from_item(item),
    })
}
