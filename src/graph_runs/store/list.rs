//! A user's runs by when they were made.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue;

use crate::graph_runs::error::StoreError;
use crate::graph_runs::items::FIGURES;
use crate::graph_runs::keys::{self, Place};
use crate::graph_runs::model::{Environment, Run, Status, Timestamp};
use crate::table::{Condition, Direction, Order, Projection, Query};

use super::Runs;
use super::read::{read_run, stored_key};

/// The most points of figures over time.
pub const MAX_FIGURES: usize = 1000;

/// Which runs a list has. The empty filter has all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListFilter {
    /// Only runs of this environment.
    pub environment: Option<Environment>,
    /// Only runs that stand so; empty for all.
    pub statuses: BTreeSet<Status>,
    /// Only runs made then or later.
    pub from: Option<Timestamp>,
    /// Only runs made then or earlier.
    pub to: Option<Timestamp>,
}

/// The order of a list, by when the runs were made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListOrder {
    /// The newest first.
    #[default]
    NewestFirst,
    /// The oldest first.
    OldestFirst,
}

/// A page of a list, in the list's order.
#[derive(Clone, Debug)]
pub struct ListPage {
    /// The runs.
    pub items: Vec<Listed>,
    /// Whether the list goes on in the page's direction.
    pub more: bool,
}

/// One run of a list.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Where it stands.
    pub place: Place,
    /// The run, or what is wrong with its item.
    pub run: Result<Run, StoreError>,
}

/// The figures of complete runs over time.
#[derive(Clone, Debug)]
pub struct Figures {
    /// The runs, the oldest first.
    pub runs: Vec<Result<Run, StoreError>>,
    /// Whether there are older ones that did not fit.
    pub truncated: bool,
}

impl ListFilter {
    /// The list's name, for its cursors: two filters have the same one only if they are the same.
    pub fn name(&self, order: ListOrder) -> String {
        format!("runs {self:?} {order:?}")
    }

    /// Whether the range has no moment at all; DynamoDB refuses to look for such.
    fn is_empty_range(&self) -> bool {
        matches!((self.from, self.to), (Some(from), Some(to)) if from > to)
    }

    fn condition(&self) -> Condition {
        let text = |word: &str| AttributeValue::S(word.to_owned());
        let environment = self
            .environment
            .map(|environment| Condition::Equals("environment", text(environment.word())));
        let statuses = (!self.statuses.is_empty()).then(|| {
            let words = self.statuses.iter().map(|status| text(status.word()));
            Condition::OneOf("status", words.collect())
        });
        Condition::All(environment.into_iter().chain(statuses).collect())
    }
}

impl Runs {
    /// A page of the viewer's runs: `size` from `from` on, that way. `USER#viewer` / `RUN#`, or between two
    /// moments: one Query. With an environment or statuses, further Queries of growing size follow until the
    /// page is full or the list at its end, at most [`crate::table::MAX_CHUNK`] items past the last one.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn list(
        &self,
        filter: &ListFilter,
        order: ListOrder,
        (size, direction, from): (usize, Direction, Option<&Place>),
    ) -> Result<ListPage, StoreError> {
        if filter.is_empty_range() {
            return Ok(ListPage {
                items: Vec::new(),
                more: false,
            });
        }
        let reading = match (order, direction) {
            (ListOrder::NewestFirst, Direction::Forward)
            | (ListOrder::OldestFirst, Direction::Backward) => Order::Descending,
            _ => Order::Ascending,
        };
        let mut query = self.range(filter).order(reading);
        if let Some(place) = from {
            query = query.after(&place.primary_key(&self.user()));
        }
        let mut items = query.fill(size + 1, |_| true, &self.meter).await?;
        let more = items.len() > size;
        items.truncate(size);
        if direction == Direction::Backward {
            items.reverse();
        }
        let listed = items.into_iter().map(|item| {
            let sort_key = stored_key(&item).map(|key| key.sk);
            Listed {
                place: Place::stored(sort_key.as_ref().map_or("", |sk| sk.as_str())),
                run: read_run(item),
            }
        });
        Ok(ListPage {
            items: listed.collect(),
            more,
        })
    }

    /// The figures of the viewer's complete runs, the newest [`MAX_FIGURES`]. `USER#viewer` / `RUN#`
    /// backwards: one Query for some 1,000 runs, further ones where other runs lie between.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn figures(&self, filter: ListFilter) -> Result<Figures, StoreError> {
        let filter = ListFilter {
            statuses: BTreeSet::from([Status::Complete]),
            ..filter
        };
        let mut items = Vec::new();
        if !filter.is_empty_range() {
            let query = self
                .range(&filter)
                .order(Order::Descending)
                .project(Projection::Only(FIGURES.to_vec()));
            items = query.fill(MAX_FIGURES + 1, |_| true, &self.meter).await?;
        }
        let truncated = items.len() > MAX_FIGURES;
        items.truncate(MAX_FIGURES);
        items.reverse();
        Ok(Figures {
            runs: items.into_iter().map(read_run).collect(),
            truncated,
        })
    }

    fn range(&self, filter: &ListFilter) -> Query<'_> {
        let query = self.place.table.query(keys::partition(&self.user()));
        let query = match (filter.from, filter.to) {
            (None, None) => query.begins_with(keys::runs()),
            (from, to) => {
                let first = from.or_else(|| Timestamp::parse("0000-01-01T00:00:00Z").ok());
                let last = to.or_else(|| Timestamp::parse("9999-12-31T23:59:59Z").ok());
                match first.zip(last) {
                    Some((first, last)) => {
                        let (first, last) = keys::created_between(first, last);
                        query.between(first, last)
                    }
                    None => query.begins_with(keys::runs()),
                }
            }
        };
        query.filter(filter.condition())
    }
}
