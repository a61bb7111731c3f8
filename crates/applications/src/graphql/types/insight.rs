//! Statistics of applications over time.

use async_graphql::{Object, SimpleObject};

use crate::graphql::selection;
use crate::model::{self, Status};
use crate::store;
use trestle_api::{ApiError, Date, semantic_non_null};

/// Statistics of applications over time.
pub struct ApplicationInsight(pub store::Insight);

/// Statistics of the applications over time. They come from counters that every change updates, so their cost does
/// not depend on the number of applications.
#[Object]
impl ApplicationInsight {
    /// The number of applications, archived or not, that were sent in each week (their `dateApplied`), up to the
    /// current week (UTC), oldest first. Weeks without applications are included. Changes that did not go
    /// through this API may be missing.
    #[graphql(directive = semantic_non_null::apply(None))]
    async fn weeks(
        &self,
        #[graphql(
            desc = "Number of weeks, 1 to 104. Defaults to 26.",
            default_with = "Some(selection::DEFAULT_WEEKS)"
        )]
        last: Option<i32>,
    ) -> Option<Result<Vec<WeekCount>, ApiError>> {
        Some(selection::weeks(last).map(|count| {
            let weeks = self.0.weeks(count).into_iter();
            weeks
                .map(|(monday, applied)| WeekCount {
                    monday: Date(monday.to_string()),
                    applied,
                })
                .collect()
        }))
    }

    /// The time that applications spent in each status before leaving it, for every status that an application has
    /// left. Time spent by applications that were deleted later is included. A status that was left within an hour is
    /// taken for a mistake and not counted. Changes that did not go through this API are not counted.
    async fn stays(&self) -> Vec<StatusStays> {
        let statuses = Status::ALL.iter();
        statuses
            .filter_map(|status| StatusStays::of(*status, self.0.stays(*status)))
            .collect()
    }
}

/// The applications of one week.
#[derive(SimpleObject)]
pub struct WeekCount {
    /// The week's Monday.
    monday: Date,
    /// The number of applications that were sent in the week.
    applied: i32,
}

/// The time that applications spent in one status before leaving it.
#[derive(SimpleObject)]
pub struct StatusStays {
    /// The status that was left.
    status: Status,
    /// The number of times that an application left the status.
    count: i32,
    /// The median in days, estimated as if the values of a bucket were spread evenly. Null if it lies in the last
    /// bucket, which has no upper bound.
    median_days: Option<f64>,
    /// The values by their length, shortest first. Empty buckets are included.
    buckets: Vec<StayBucket>,
}

/// A range of lengths. It begins where the bucket before it ends.
#[derive(SimpleObject)]
pub struct StayBucket {
    /// The upper bound in days, exclusive. Null for the last bucket, which has no upper bound.
    less_than_days: Option<u32>,
    /// The number of values in the bucket.
    count: i32,
}

impl StatusStays {
    /// The values of a status; `None` if it has none.
    fn of(status: Status, stays: Vec<(model::StayLength, i32)>) -> Option<Self> {
        let count = stays
            .iter()
            .fold(0_i32, |sum, (_, count)| sum.saturating_add(*count));
        let median_days = model::median_days(stays.iter().copied());
        let buckets = stays.into_iter().map(|(length, count)| StayBucket {
            less_than_days: length.less_than_days(),
            count,
        });
        (count > 0).then(|| Self {
            status,
            count,
            median_days,
            buckets: buckets.collect(),
        })
    }
}
