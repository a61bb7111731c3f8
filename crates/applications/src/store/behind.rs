//! Applications of lists that another program left behind their history: their version follows the history.

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::future::join_all;

use crate::error::StoreError;
use crate::model::{Application, Field};
use trestle_table::Item;

use super::detail::same;
use super::history::{Entries, Part};
use super::{Applications, Wanted};

impl Entries {
    /// Sets the version to the newest history entry's, if another program wrote that entry and not the
    /// application's sequence. The `newest` entries that the fields of the application need are loaded at once. If
    /// the first of them does not agree with the application, Query APP#id / HIST# (one) and GetItem APP#id / APP#id.
    pub async fn follow_history(&self, application: &mut Application, part: Part, newest: usize) {
        let version = application.version();
        let newest = u32::try_from(newest).unwrap_or(u32::MAX).max(1);
        let oldest = version.saturating_sub(newest - 1).max(1);
        let loads = (oldest..=version)
            .rev()
            .map(|sequence| self.load(&application.id, sequence, part));
        let agrees = match join_all(loads).await.into_iter().next() {
            Some(Ok(Some(entry))) => is_of(&entry, application),
            Some(Ok(None)) | None => false,
            // The fields that need the entry report it.
            Some(Err(_)) => true,
        };
        if !agrees && let Ok(Some(sequence)) = self.applications.ahead_of(application).await {
            application.history_sequence = Field::of(&sequence);
        }
    }
}

impl Applications {
    /// Sets the version of applications whose stored sequence cannot be read to the newest history entry's. Query
    /// APP#id / HIST# (one) for each of these.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn settle_versions(
        &self,
        applications: impl IntoIterator<Item = &mut Application>,
    ) -> Result<(), StoreError> {
        let odd = applications.into_iter();
        let odd = odd.filter(|application| application.history_sequence.read().is_err());
        let settled = odd.map(|application| async move {
            let newest = self.newest_entry(&application.id).await?;
            let version = newest.map_or(0, |newest| newest.sequence);
            application.history_sequence = Field::of(&version);
            Ok::<_, StoreError>(())
        });
        join_all(settled).await.into_iter().collect()
    }

    /// The sequence of the newest history entry, if the stored application is behind it: a change by this program
    /// writes both at once.
    async fn ahead_of(&self, application: &Application) -> Result<Option<u32>, StoreError> {
        let newest = self.newest_entry(&application.id).await?;
        let newest = newest.map(|newest| newest.sequence);
        let Some(newest) = newest.filter(|newest| *newest > application.version()) else {
            return Ok(None);
        };
        // Read after the entry, so that it cannot be older than that.
        let now = self
            .application_alone(&application.id, &Wanted::default())
            .await?;
        Ok(now.filter(|now| same(now, application)).map(|_| newest))
    }
}

/// Whether a history entry's snapshot is of this version of the application.
fn is_of(entry: &Item, application: &Application) -> bool {
    let snapshot = entry.get("snapshot").and_then(|value| value.as_m().ok());
    let moment = snapshot.and_then(|snapshot| snapshot.get("updatedAt"));
    let moment = moment.and_then(|value: &AttributeValue| value.as_s().ok());
    moment.map(String::as_str) == application.updated_at.stored().as_str()
}
