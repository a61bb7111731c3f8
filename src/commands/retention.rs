//! Which backups of a store are kept.

use std::collections::BTreeSet;
use std::time::Duration;

use chrono::{DateTime, Datelike as _, NaiveDate, TimeDelta, Utc};

/// The days and the weeks whose last backups are kept.
const DAYS: usize = 7;
const WEEKS: usize = 4;

/// A complete backup of one store.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Backup {
    /// When it was made, by the clock of then.
    pub made: DateTime<Utc>,
    /// Its name.
    pub name: String,
    /// Whether the store in it was damaged.
    pub is_damaged: bool,
}

/// How many backups are kept.
#[derive(Clone, Copy, Debug)]
pub struct Retention {
    /// How often a backup is made.
    pub every: Duration,
    /// The number of the newest backups that are kept.
    pub keep: usize,
}

impl Retention {
    /// How long to wait for the first backup: no backup is made soon after another one.
    pub fn first_after(&self, backups: &[Backup], now: DateTime<Utc>) -> Duration {
        let good = backups.iter().filter(|backup| !backup.is_damaged);
        // One from the future says nothing about the last one.
        let ages = good.filter_map(|backup| (now - backup.made).to_std().ok());
        let youngest = ages.min().unwrap_or(Duration::MAX);
        self.every.saturating_sub(youngest)
    }

    /// The backups of one store to delete after the backup `made` was made and checked: none that is younger than all that
    /// are kept by number could be, nor the last one of a day or a week. Damaged ones take the place of no good one.
    pub fn expired(&self, backups: &[Backup], made: &str, now: DateTime<Utc>) -> Vec<String> {
        let (mut damaged, mut good): (Vec<_>, Vec<_>) =
            backups.iter().partition(|backup| backup.is_damaged);
        let is_good = good.iter().any(|backup| backup.name == made);
        damaged.sort();
        damaged.truncate(damaged.len().saturating_sub(self.keep));
        damaged.retain(|backup| backup.name != made);
        let mut delete: Vec<_> = damaged.into_iter().collect();
        if is_good {
            // What a clock that was ahead made is judged when its time has come.
            good.retain(|backup| backup.made <= now || backup.name == made);
            good.sort();
            good.reverse();
            let mut kept: BTreeSet<&str> = BTreeSet::from([made]);
            kept.extend(good.iter().take(self.keep).map(|backup| &*backup.name));
            kept.extend(last_of_each(&good, DAYS, |date| date));
            kept.extend(last_of_each(&good, WEEKS, monday));
            let least = self.least_age();
            good.retain(|backup| !kept.contains(&*backup.name) && now - backup.made >= least);
            delete.extend(good);
        }
        delete.iter().map(|backup| backup.name.clone()).collect()
    }

    fn least_age(&self) -> TimeDelta {
        let keep = u32::try_from(self.keep).unwrap_or(u32::MAX);
        let least = TimeDelta::from_std(self.every.saturating_mul(keep));
        least.unwrap_or(TimeDelta::MAX)
    }
}

fn monday(date: NaiveDate) -> NaiveDate {
    let days = date.weekday().num_days_from_monday();
    date - TimeDelta::days(days.into())
}

/// The names of the newest backups of the latest periods that have one. The newest backup is the first.
fn last_of_each<'b>(
    backups: &[&'b Backup],
    periods: usize,
    period: fn(NaiveDate) -> NaiveDate,
) -> Vec<&'b str> {
    let mut seen = Vec::new();
    let mut last = Vec::new();
    for backup in backups {
        let of = period(backup.made.date_naive());
        if !seen.contains(&of) && seen.len() < periods {
            seen.push(of);
            last.push(&*backup.name);
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of a generated history.
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: i64) -> i64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            i64::try_from(self.0 >> 1).unwrap() % bound
        }
    }

    /// Servers that start again, clocks that jump, stores that are damaged for a while.
    #[test]
    fn what_is_kept_of_generated_histories() {
        for seed in 1..=300_u64 {
            let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let keep = usize::try_from(1 + random.below(6)).unwrap();
            let minutes = 1 + random.below(300);
            let every = Duration::from_secs(60 * minutes.unsigned_abs());
            let retention = Retention { every, keep };
            let mut now = DateTime::from_timestamp(1_780_000_000, 0).unwrap();
            let mut backups: Vec<Backup> = Vec::new();
            // The newest good one by the order in which they were made, whatever the clock said.
            let mut newest_good = None;
            let is_clock_right = random.below(2) == 0;
            for number in 0..200 {
                now += match random.below(8) {
                    // A restart.
                    0 => TimeDelta::seconds(random.below(30)),
                    1 if !is_clock_right => TimeDelta::days(random.below(800) - 400),
                    2 => TimeDelta::hours(random.below(200)),
                    _ => TimeDelta::minutes(minutes),
                };
                let wait = retention.first_after(&backups, now);
                let is_young = backups.iter().any(|one| {
                    !one.is_damaged
                        && one.made <= now
                        && now - one.made < TimeDelta::from_std(every).unwrap()
                });
                assert_eq!(!wait.is_zero(), is_young, "{seed}");
                if is_young {
                    continue;
                }
                let is_damaged = random.below(5) == 0;
                let name = format!("{:03}", (number * 37) % 200);
                let backup = Backup {
                    made: now,
                    name,
                    is_damaged,
                };
                let made = backup.name.clone();
                if !is_damaged {
                    newest_good = Some(made.clone());
                }
                backups.push(backup);
                let before = backups.clone();
                let delete = retention.expired(&backups, &made, now);
                backups.retain(|one| !delete.contains(&one.name));
                let is_there = |name: &String| backups.iter().any(|one| one.name == *name);
                assert!(is_there(&made), "{seed}: the one just made");
                assert!(
                    newest_good.iter().all(is_there),
                    "{seed}: the newest good one"
                );
                let deleted = || before.iter().filter(|one| delete.contains(&one.name));
                if is_damaged {
                    assert!(
                        deleted().all(|one| one.is_damaged),
                        "{seed}: a good one for a damaged one"
                    );
                }
                for one in deleted().filter(|one| !one.is_damaged) {
                    let least = TimeDelta::from_std(every).unwrap() * i32::try_from(keep).unwrap();
                    assert!(now - one.made >= least, "{seed}: a young one");
                    let is_newer = |other: &&Backup| !other.is_damaged && *other > one;
                    let newer = backups.iter().filter(is_newer).count();
                    assert!(newer >= keep, "{seed}: one of the newest");
                    let same_day =
                        |other: &Backup| other.made.date_naive() == one.made.date_naive();
                    let days: BTreeSet<_> = backups
                        .iter()
                        .filter(is_newer)
                        .map(|other| other.made.date_naive())
                        .collect();
                    let has_later = backups.iter().filter(is_newer).any(same_day);
                    assert!(has_later || days.len() >= DAYS, "{seed}: the last of a day");
                }
                // And it does not grow without bound, once a good one was made.
                let age = |one: &Backup| now - one.made;
                let least = retention.least_age();
                let old = backups
                    .iter()
                    .filter(|one| !one.is_damaged && age(one) >= least);
                let bound = keep + DAYS + WEEKS + 1;
                assert!(is_damaged || old.count() <= bound, "{seed}");
                let damaged = backups.iter().filter(|one| one.is_damaged).count();
                assert!(damaged <= keep + 1, "{seed}");
            }
        }
    }
}
