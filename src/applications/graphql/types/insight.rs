//! What applications tell over time.

use async_graphql::{Object, SimpleObject};

use crate::api::{ApiError, Date};
use crate::applications::graphql::enums::ApplicationStatus;
use crate::applications::graphql::selection;
use crate::applications::model::{self, Status};
use crate::applications::store;

/// What applications tell over time.
pub struct ApplicationInsight(pub store::Insight);

/// What the applications tell over time, from counters that are kept with every change: it costs the same
/// however many applications there are.
#[Object]
impl ApplicationInsight {
    /// How many of the applications that are there, archived or not, were sent in each week (their
    /// `dateApplied`): so many weeks up to this one (UTC), the oldest first, those without any too. What
    /// another program writes counts from the next recount of the table on.
    async fn weeks(
        &self,
        #[graphql(
            desc = "How many weeks: 1 to 104.",
            default_with = "Some(selection::DEFAULT_WEEKS)"
        )]
        last: Option<i32>,
    ) -> Option<Result<Vec<WeekCount>, ApiError>> {
        let week = |(monday, applied): (chrono::NaiveDate, i32)| WeekCount {
            monday: Date(monday.to_string()),
            applied,
        };
        Some(selection::weeks(last).map(|count| {
            let weeks = self.0.weeks(count).into_iter();
            weeks.map(week).collect()
        }))
    }

    /// How long applications stayed in a status before they left it: every status that one has left. Only
    /// stays that have ended count, those of applications deleted since too; one of less than an hour corrects
    /// a slip and does not. Changes that another program makes are not counted.
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
    /// How many applications were sent in the week.
    applied: i32,
}

/// The stays in one status that ended.
#[derive(SimpleObject)]
pub struct StatusStays {
    /// The status that was left.
    status: ApplicationStatus,
    /// How many stays ended.
    count: i32,
    /// The stays' median in days, estimated as if those of a bucket were spread evenly in it; null where it
    /// lies in the last bucket, which has no bound.
    median_days: Option<f64>,
    /// The stays by their length, the shortest first: every bucket, those without any too.
    buckets: Vec<StayBucket>,
}

/// The stays of about one length: shorter than its bound, and not shorter than that of the bucket before.
#[derive(SimpleObject)]
pub struct StayBucket {
    /// The days that they are shorter than; null for the last bucket, which has all the longer ones.
    less_than_days: Option<u32>,
    /// How many stays.
    count: i32,
}

impl StatusStays {
    /// The stays of a status; `None` where it has none.
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
            status: status.into(),
            count,
            median_days,
            buckets: buckets.collect(),
        })
    }
}
