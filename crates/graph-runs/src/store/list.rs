//! A user's runs by when they were made.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue;

use crate::error::StoreError;
use crate::items::FIGURES;
use crate::keys;
use crate::model::{Environment, Job, Run, Status, Timestamp};
use trestle_table::{Condition, Listing, MalformedItem, Order, PageAsk, Sk};

use super::Runs;

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

/// The figures of complete runs over time.
#[derive(Clone, Debug)]
pub struct Figures {
    /// The runs, the oldest first.
    pub runs: Vec<Result<Run, MalformedItem>>,
    /// Whether there are older ones that did not fit.
    pub truncated: bool,
}

impl ListFilter {
    fn condition(&self) -> Condition {
        let environment = self.environment.map(|e| Condition::is("environment", &e));
        let statuses = (!self.statuses.is_empty()).then(|| {
            let words = self.statuses.iter().map(|status| status.word().to_owned());
            Condition::OneOf("status", words.map(AttributeValue::S).collect())
        });
        Condition::All(environment.into_iter().chain(statuses).collect())
    }
}

impl Runs {
    /// The viewer's runs, or some of them. `USER#viewer` / `RUN#`, or between two moments: one Query. With an
    /// environment or statuses, further Queries of growing size follow until the page is full or the list at its
    /// end, at most [`trestle_table::MAX_CHUNK`] items past the last one.
    pub fn list(&self, filter: &ListFilter, order: Order) -> Listing<Run> {
        let runs = Listing::of("runs", keys::partition(&self.user()));
        let runs = runs.ordered(order).filtered(filter.condition());
        match (filter.from, filter.to) {
            (None, None) => runs.begins_with(keys::runs()),
            (from, to) => {
                let end = |at: Option<Timestamp>, unless: &'static str| match at {
                    Some(at) => Sk::of("RUN", at),
                    None => Sk::of("RUN", unless),
                };
                runs.between(end(from, "0"), end(to, "9"))
            }
        }
    }

    /// The runs that wait for a worker and those that workers have. `WORK` / `RUN#`, one Query.
    pub fn work_list(&self) -> Listing<Job> {
        Listing::of("work", keys::work()).begins_with(keys::runs())
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
        let newest = self.list(&filter, Order::Descending).only(&FIGURES);
        let ask = PageAsk::first(MAX_FIGURES);
        let mut found = self.session.tables.page(&newest, &ask, &()).await?;
        found.rows.reverse();
        Ok(Figures {
            runs: found.rows.into_iter().map(|row| row.entity).collect(),
            truncated: found.more,
        })
    }
}
