//! Deletes uploads that were not attached within a day, where this server has the files. On S3 a lifecycle rule does.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::StreamExt as _;

use trestle_api::Scalar as _;
use trestle_domain::Id;
use trestle_files::{Files, FilesError};
use trestle_table::clock::Clock;

use super::{Object, UploadName};

/// How long an upload waits to be attached.
const WAIT: TimeDelta = TimeDelta::days(1);
/// Time between two sweeps.
const PERIOD: Duration = Duration::from_secs(60 * 60);

/// Sweeps now and every hour. A failure is logged, and the next sweep tries again.
pub async fn run(files: Files, clock: Clock) {
    let mut ticks = tokio::time::interval(PERIOD);
    loop {
        ticks.tick().await;
        if let Err(error) = sweep(&files, clock.now()).await {
            tracing::warn!(%error, "Old uploads were not deleted");
        }
    }
}

async fn sweep(files: &Files, now: DateTime<Utc>) -> Result<(), FilesError> {
    let mut keys = files.keys("uploads");
    while let Some(key) = keys.next().await {
        let key = key?;
        if is_old(&key, now) {
            files.delete(&key).await?;
        }
    }
    Ok(())
}

/// Whether the upload with a key, whose last part begins with a ULID of its time, has waited long enough. Nothing else is.
fn is_old(key: &str, now: DateTime<Utc>) -> bool {
    let name = key.rsplit('/').next().unwrap_or_default().to_owned();
    let id: Option<Id<Object>> = UploadName::read(name).ok().map(|name| name.id);
    let made = id.and_then(|id| id.raw().moment());
    made.is_some_and(|made| now - made > WAIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_uploads_of_an_earlier_day_are_old() {
        let made = DateTime::from_timestamp(1_771_787_531, 0).unwrap();
        let upload = UploadName::new(Id::new(made), "image/png");
        let key = format!("uploads/logos/x/{upload}");
        assert!(!is_old(&key, made + TimeDelta::hours(24)));
        assert!(is_old(&key, made + TimeDelta::hours(25)));
        let export = format!("uploads/exports/x/{}.json", upload.id);
        assert!(is_old(&export, made + TimeDelta::hours(25)));
        assert!(!is_old(
            "uploads/logos/x/notes.txt",
            made + TimeDelta::days(9)
        ));
    }
}
