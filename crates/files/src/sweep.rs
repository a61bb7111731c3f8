//! Deletes uploads that nobody attached, where this server has the files. On S3 a lifecycle rule does.

use std::collections::HashSet;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::TryStreamExt as _;

use trestle_table::clock::Clock;

use crate::{Files, FilesError};

/// Time between two sweeps.
const PERIOD: Duration = Duration::from_secs(60 * 60);

/// What is deleted after which time.
#[derive(Clone, Copy, Debug)]
pub struct Sweep {
    /// A prefix of whole segments.
    pub prefix: &'static str,
    /// How long an object may be there.
    pub wait: TimeDelta,
    /// When an object was made, by its key and the time of its last write. `None`: it is no upload, and stays.
    pub made: fn(&str, DateTime<Utc>) -> Option<DateTime<Utc>>,
}

impl Sweep {
    /// Sweeps now and every hour, for good. An object is deleted by the second sweep that finds it old, so that a clock that is
    /// ahead leaves an hour to attach it. A failure is logged, and the next sweep tries again.
    pub async fn run(self, files: Files, clock: Clock) {
        let mut ticks = tokio::time::interval(PERIOD);
        // After a laptop has slept, sweeps stay an hour apart.
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut old = HashSet::new();
        loop {
            ticks.tick().await;
            if !clock.is_trusted() {
                continue;
            }
            match self.once(&files, clock.now(), &old).await {
                Ok(found) => old = found,
                Err(error) => tracing::warn!(%error, "Old uploads were not deleted"),
            }
        }
    }

    /// Deletes what is old and was found old before. Answers what is old now and was not.
    ///
    /// # Errors
    /// [`FilesError`]; some may be deleted.
    async fn once(
        &self,
        files: &Files,
        now: DateTime<Utc>,
        before: &HashSet<String>,
    ) -> Result<HashSet<String>, FilesError> {
        let (mut old, mut found) = (Vec::new(), HashSet::new());
        let mut listed = files.listed(self.prefix);
        while let Some((key, written)) = listed.try_next().await? {
            let is_old = (self.made)(&key, written).is_some_and(|made| now - made > self.wait);
            match (is_old, before.contains(&key)) {
                (true, true) => old.push(key),
                (true, false) => {
                    found.insert(key);
                }
                (false, _) => {}
            }
        }
        for key in old {
            files.delete(&key).await?;
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use object_store::memory::InMemory;

    use super::*;
    use crate::SigningKey;

    const SWEEP: Sweep = Sweep {
        prefix: "incoming",
        wait: TimeDelta::days(1),
        made: |key, written| (!key.ends_with(".txt")).then_some(written),
    };

    #[tokio::test]
    async fn only_what_two_sweeps_find_old_is_deleted() {
        let clock = Clock::system();
        let (store, key) = (Arc::new(InMemory::new()), SigningKey::random().unwrap());
        let files = Files::served("test", store, key, None, clock.clone());
        let keys = ["incoming/1", "incoming/2.txt", "kept/1"];
        for key in keys {
            files.put(key, vec![1]).await.unwrap();
        }
        let left = async || {
            let mut left = Vec::new();
            for key in keys {
                left.extend(files.size(key).await.unwrap().map(|_| key));
            }
            left
        };
        let today = SWEEP.once(&files, clock.now(), &HashSet::new()).await;
        assert!(today.unwrap().is_empty());
        // A server whose clock is a year ahead.
        let ahead = clock.now() + TimeDelta::days(365);
        let found = SWEEP.once(&files, ahead, &HashSet::new()).await.unwrap();
        assert_eq!(found, HashSet::from(["incoming/1".to_owned()]));
        assert_eq!(left().await, keys);
        assert!(SWEEP.once(&files, ahead, &found).await.unwrap().is_empty());
        assert_eq!(left().await, ["incoming/2.txt", "kept/1"]);
    }
}
