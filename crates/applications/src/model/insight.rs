//! What applications tell over time: the weeks in which they were sent, and how long they stayed in a
//! status before they left it. Pure functions; nothing here knows where the figures are kept.

use chrono::{Datelike, Days, NaiveDate, Weekday};

use super::{Application, HistoryEntry, Status, Timestamp};

const HOUR: i64 = 60 * 60 * 1000;
const DAY: i64 = 24 * HOUR;

/// A week of ISO 8601, from Monday to Sunday: it belongs to the year that has its Thursday.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Week {
    /// The week's year, which is not always that of its days.
    pub year: i32,
    /// Its number in that year: 1 to 53.
    pub number: u32,
}

impl Week {
    /// The highest number that a week has.
    pub const MAX: u32 = 53;

    /// The week of this number in a year; in some years, the last one is not there.
    pub fn new(year: i32, number: u32) -> Self {
        Self { year, number }
    }

    /// The week of a day.
    pub fn of(day: NaiveDate) -> Self {
        let week = day.iso_week();
        Self {
            year: week.year(),
            number: week.week(),
        }
    }

    /// So many weeks with their Mondays, the oldest first, that of `day` the last.
    pub fn until(day: NaiveDate, count: u32) -> Vec<(NaiveDate, Week)> {
        let monday = day.checked_sub_days(Days::new(day.weekday().days_since(Weekday::Mon).into()));
        let before = |weeks: u32| monday?.checked_sub_days(Days::new(7 * u64::from(weeks)));
        let mondays = (0..count).rev().filter_map(before);
        mondays.map(|monday| (monday, Week::of(monday))).collect()
    }
}

/// How long a stay in a status was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StayLength(usize);

/// The lengths that are told apart, in days: each stay is below one of these and not below the one before,
/// or not below any.
const BOUNDS: [u32; 7] = [1, 3, 7, 14, 30, 60, 90];

impl StayLength {
    /// Every length, the shortest first.
    pub const ALL: [Self; BOUNDS.len() + 1] = {
        let mut all = [Self(0); BOUNDS.len() + 1];
        let mut i = 0;
        while i < all.len() {
            all[i] = Self(i);
            i += 1;
        }
        all
    };

    /// The length of a stay; `None` if it does not count.
    fn between(since: Timestamp, until: Timestamp) -> Option<Self> {
        if is_mistake(since, until) {
            return None;
        }
        let days = (until.millis() - since.millis()) / DAY;
        let bounds = BOUNDS.iter();
        let shorter = bounds.take_while(|bound| i64::from(**bound) <= days);
        Some(Self(shorter.count()))
    }

    /// The days that such a stay is below; `None` where it has no bound.
    pub fn less_than_days(self) -> Option<u32> {
        BOUNDS.get(self.0).copied()
    }

    /// The days that such a stay has at least.
    fn at_least_days(self) -> u32 {
        let before = self.0.checked_sub(1);
        before.map_or(0, |before| BOUNDS[before])
    }
}

/// Whether a status that an application had from `since` until `until` was a mistake, so that it counts nowhere.
pub fn is_mistake(since: Timestamp, until: Timestamp) -> bool {
    until.millis() - since.millis() < HOUR
}

/// A stay in a status that ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stay {
    /// The status that was left.
    pub status: Status,
    /// How long it lasted.
    pub length: StayLength,
}

impl Stay {
    /// The stay that a change of an application ended; `None` if the status stays, if it is unknown since when
    /// it was, and if the change corrects a slip.
    pub fn ended(before: &Application, after: &Application) -> Option<Self> {
        Self::between(before, before.stay_since()?, after)
    }

    /// The status that a change of an application left; `None` if it stays, or if it was a mistake.
    pub fn left(before: &Application, after: &Application) -> Option<Status> {
        let status = before.details.status.get()?;
        if Some(status) == after.details.status.get() {
            return None;
        }
        let stay = before.stay_since().zip(began(after));
        if stay.is_some_and(|(since, until)| is_mistake(since, until)) {
            return None;
        }
        Some(status)
    }

    /// The statuses that were left in a history, which is sorted.
    pub fn all_left(history: &[HistoryEntry]) -> impl Iterator<Item = Status> {
        let neighbours = history.iter().zip(history.iter().skip(1));
        neighbours.filter_map(|(before, after)| {
            Self::left(&before.snapshot.application, &after.snapshot.application)
        })
    }

    /// The statuses that began in a history, which is sorted, each with the moment if it is known. Not being submitted is
    /// none, and neither is a mistake nor the status that goes on after one.
    pub fn all_begun(history: &[HistoryEntry]) -> Vec<(Status, Option<Timestamp>)> {
        let mut begun: Vec<(Status, Option<Timestamp>)> = Vec::new();
        for entry in history {
            let after = &entry.snapshot.application;
            let Some(status) = after.details.status.get() else {
                continue;
            };
            let now = began(after);
            if let Some((last, since)) = begun.last_mut() {
                if *last == status {
                    // A date that was corrected or given later.
                    *since = after.stay_since().or(*since);
                    continue;
                }
                let stay = since.zip(now);
                if stay.is_some_and(|(since, until)| is_mistake(since, until)) {
                    begun.pop();
                }
            }
            if begun.last().is_none_or(|(last, _)| *last != status) {
                begun.push((status, now));
            }
        }
        begun.retain(|(status, _)| *status != Status::Unsubmitted);
        begun
    }

    /// The stay that goes on because a change undid the mistake that had ended it.
    pub fn resumed(before: &Application, after: &Application) -> Option<Self> {
        let status = after.details.status.get()?;
        let past = before.past_statuses.get().unwrap_or_default();
        if before.details.status.get() == Some(status) || !past.has(status) {
            return None;
        }
        let length = StayLength::between(after.stay_since()?, before.stay_since()?);
        length.map(|length| Self { status, length })
    }

    /// The stays that ended in a history, which is sorted. What a snapshot does not say follows from the
    /// entries before it, if they begin with the application's creation.
    pub fn told(history: &[HistoryEntry]) -> Vec<Self> {
        let mut stays = Vec::new();
        let mut before: Option<(&Application, Option<Timestamp>)> = None;
        for entry in history {
            let after = &entry.snapshot.application;
            let followed = match before {
                None => (after.version() == 1)
                    .then(|| after.created_at.get())
                    .flatten(),
                Some((before, since)) if before.details.status == after.details.status => since,
                Some(_) => after.moment(),
            };
            if let Some((before, Some(since))) = before {
                stays.extend(Self::between(before, since, after));
            }
            let resumed = before.and_then(|(before, _)| Self::resumed(before, after));
            let counted = stays.iter().rposition(|stay| Some(*stay) == resumed);
            if let Some(counted) = counted {
                stays.remove(counted);
            }
            before = Some((after, after.stay_since().or(followed)));
        }
        stays
    }

    fn between(before: &Application, since: Timestamp, after: &Application) -> Option<Self> {
        let status = before.details.status.get()?;
        if Some(status) == after.details.status.get() {
            return None;
        }
        StayLength::between(since, began(after)?).map(|length| Self { status, length })
    }
}

/// When a change began the status that an application has after it.
fn began(after: &Application) -> Option<Timestamp> {
    after.stay_since().or_else(|| after.moment())
}

/// The median of stays of which only the lengths' counts are known, in days: what it would be if the stays
/// of a length were spread evenly. `None` without stays, and where it lies among those without a bound.
pub fn median_days(counts: impl IntoIterator<Item = (StayLength, i32)>) -> Option<f64> {
    let counts: Vec<_> = counts.into_iter().collect();
    let half = counts
        .iter()
        .map(|(_, count)| f64::from(*count))
        .sum::<f64>()
        / 2.0;
    let mut below = 0.0;
    for (length, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
        let count = f64::from(count);
        if below + count >= half {
            let (from, to) = (length.at_least_days(), length.less_than_days()?);
            let within = f64::from(to - from) * (half - below) / count;
            return Some(f64::from(from) + within);
        }
        below += count;
    }
    None
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use crate::model::{ApplicationId, Change, DetailsChange, Field, State};

    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    fn at(hours: i64) -> Timestamp {
        Timestamp::from_millis(1_800_000_000_000 + hours * HOUR).unwrap()
    }

    #[test]
    fn weeks_go_over_the_end_of_a_year_without_a_gap() {
        let week = Week::new;
        assert_eq!(Week::of(day("2026-12-31")), week(2026, 53));
        assert_eq!(Week::of(day("2027-01-01")), week(2026, 53));
        assert_eq!(Week::of(day("2024-12-30")), week(2025, 1));
        let expected = [
            (day("2026-12-21"), week(2026, 52)),
            (day("2026-12-28"), week(2026, 53)),
            (day("2027-01-04"), week(2027, 1)),
        ];
        assert_eq!(Week::until(day("2027-01-10"), 3), expected);
        assert_eq!(Week::until(day("2027-01-04"), 3), expected);
        assert_eq!(Week::until(NaiveDate::MIN, 3), []);
    }

    #[test]
    fn a_length_begins_where_the_one_before_ends() {
        let of = |hours: i64| StayLength::between(at(0), at(hours));
        assert_eq!((of(0), of(-5)), (None, None));
        for (hours, less_than) in [
            (1, Some(1)),
            (23, Some(1)),
            (24, Some(3)),
            (24 * 7 - 1, Some(7)),
            (24 * 7, Some(14)),
            (24 * 90 - 1, Some(90)),
            (24 * 90, None),
            (24 * 9000, None),
        ] {
            assert_eq!(of(hours).unwrap().less_than_days(), less_than, "{hours}");
        }
        let ends: Vec<_> = StayLength::ALL.map(StayLength::less_than_days).into();
        let begins: Vec<_> = StayLength::ALL.map(StayLength::at_least_days).into();
        for (end, begin) in ends.iter().zip(&begins[1..]) {
            assert_eq!(*end, Some(*begin));
        }
    }

    /// A history of changes: the hour, and the status from then on.
    fn history(changes: &[(i64, Status)]) -> Vec<HistoryEntry> {
        let to = |status| DetailsChange {
            company_name: Change::Set("Visa".to_owned()),
            position_title: Change::Set("Engineer".to_owned()),
            notes: Change::Set(Uuid::new_v4().to_string()),
            status: Change::Set(status),
            ..DetailsChange::default()
        };
        let mut entries: Vec<HistoryEntry> = Vec::new();
        for (hour, status) in changes {
            let (change, now) = (to(*status), at(*hour));
            let entry = match entries.last() {
                None => State::create(ApplicationId::new(Uuid::nil()), change, Uuid::nil(), now)
                    .unwrap(),
                Some(last) => {
                    let next = last.snapshot.update(change, now).unwrap();
                    last.snapshot.commit(next, None, Uuid::nil(), now).unwrap()
                }
            };
            entries.push(entry);
        }
        entries
    }

    fn stay(status: Status, hours: i64) -> Stay {
        let length = StayLength::between(at(0), at(hours)).unwrap();
        Stay { status, length }
    }

    #[test]
    fn a_history_tells_the_stays_that_its_changes_ended() {
        use Status::{Applied, Interviewing, Rejected, Unsubmitted};
        let mut entries = history(&[
            (0, Unsubmitted),
            (30, Applied),
            (40, Applied),
            (30 + 24 * 8, Interviewing),
            (30 + 24 * 8, Rejected),
            (30 + 24 * 8, Interviewing),
            (30 + 24 * 108, Rejected),
        ]);
        let expected = [
            stay(Unsubmitted, 30),
            stay(Applied, 24 * 8),
            stay(Interviewing, 24 * 100),
        ];
        assert_eq!(Stay::told(&entries), expected);
        let begun = Stay::all_begun(&entries).into_iter();
        let begun: Vec<_> = begun.map(|(status, _)| status).collect();
        assert_eq!(begun, [Applied, Interviewing, Rejected]);
        let neighbours = entries.windows(2).filter_map(|pair| {
            Stay::ended(&pair[0].snapshot.application, &pair[1].snapshot.application)
        });
        assert_eq!(neighbours.collect::<Vec<_>>(), expected);

        // Snapshots of a time before they said it.
        for entry in &mut entries {
            entry.snapshot.application.status_since = Field::default();
            entry.snapshot.application.details.date_applied = Field::default();
        }
        assert_eq!(Stay::told(&entries), expected);
        // Without its beginning, nobody knows since when the first status was.
        assert_eq!(Stay::told(&entries[1..]), expected[2..]);
        assert_eq!(Stay::told(&[]), []);
    }

    #[test]
    fn a_status_keeps_its_moment_until_another_comes() {
        use Status::{Applied, Unsubmitted};
        let entries = history(&[
            (0, Unsubmitted),
            (1, Unsubmitted),
            (2, Applied),
            (3, Applied),
        ]);
        let since = entries
            .iter()
            .map(|entry| entry.snapshot.application.status_since().unwrap());
        assert_eq!(since.collect::<Vec<_>>(), [at(0), at(0), at(2), at(2)]);
    }

    #[test]
    fn a_median_lies_within_its_length() {
        let of = |counts: [i32; 8]| median_days(StayLength::ALL.into_iter().zip(counts));
        assert_eq!(of([0; 8]), None);
        assert_eq!(of([4, 0, 0, 0, 0, 0, 0, 0]), Some(0.5));
        assert_eq!(of([0, 0, 0, 2, 0, 0, 0, 0]), Some(10.5));
        assert_eq!(of([1, 0, 0, 0, 3, 0, 0, 0]), Some(14.0 + 16.0 / 3.0));
        assert_eq!(of([1, 0, 0, 0, 0, 0, 0, 1]), Some(1.0));
        assert_eq!(of([1, 0, 0, 0, 0, 0, 0, 2]), None);
    }
}
