//! What the counters tell over time: weeks of a few years, and stays.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use crate::error::StoreError;
use crate::items::CountersItem;
use crate::keys;
use crate::model::{Status, Stay, StayLength, Week};
use trestle_table::{Consistency, Projection};

use super::Applications;

/// What of the insight is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InsightWanted {
    /// So many weeks up to this one.
    pub weeks: Option<u32>,
    /// The stays in each status.
    pub stays: bool,
}

/// What the counters tell over time, as far as it was asked for.
#[derive(Clone, Debug)]
pub struct Insight {
    today: NaiveDate,
    years: BTreeMap<i32, CountersItem>,
    stays: CountersItem,
}

impl Insight {
    /// So many weeks up to this one, the oldest first: the Monday, and how many applications that are there
    /// were sent in the week.
    pub fn weeks(&self, count: u32) -> Vec<(NaiveDate, i32)> {
        let weeks = Week::until(self.today, count).into_iter();
        weeks
            .map(|(monday, week)| {
                let year = self.years.get(&week.year);
                (monday, to_int(year.map_or(0, |year| year.week(week))))
            })
            .collect()
    }

    /// How many stays in a status ended, by their length, the shortest first.
    pub fn stays(&self, status: Status) -> Vec<(StayLength, i32)> {
        let lengths = StayLength::ALL.into_iter();
        lengths
            .map(|length| (length, to_int(self.stays.stay(Stay { status, length }))))
            .collect()
    }
}

/// A count as the API has it, whatever is stored.
fn to_int(stored: i64) -> i32 {
    i32::try_from(stored.max(0)).unwrap_or(i32::MAX)
}

impl Applications {
    /// What is wanted of the insight. BatchGetItem INSIGHT / APPLIED#year, for each year that the weeks touch,
    /// and INSIGHT / STAYS. No call where nothing is wanted.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn insight(&self, wanted: InsightWanted) -> Result<Insight, StoreError> {
        let today = self.now().date();
        let weeks = Week::until(today, wanted.weeks.unwrap_or(0));
        let years = weeks
            .into_iter()
            .map(|(_, week)| self.scope.applied(week.year));
        let stays = wanted.stays.then(|| self.scope.stays());
        let items = self
            .table
            .batch_get(
                years.chain(stays),
                &Projection::All,
                Consistency::Eventual,
                &self.meter,
            )
            .await?;
        let mut insight = Insight {
            today,
            years: BTreeMap::new(),
            stays: CountersItem::default(),
        };
        for item in items {
            let Some(key) = keys::TABLE.key_in(&item) else {
                continue;
            };
            match keys::year(&key.sk) {
                Some(year) => drop(insight.years.insert(year, item.into())),
                None => insight.stays = item.into(),
            }
        }
        Ok(insight)
    }
}
