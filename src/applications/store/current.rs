//! What an application is before a change: from its newest history entry, or the slow way.

use uuid::Uuid;

use crate::applications::error::StoreError;
use crate::applications::items::HistoryItem;
use crate::applications::keys;
use crate::applications::model::{Application, ApplicationId, HistoryEntry, State};
use crate::table::{Consistency, Item, Order, from_item};

use super::canceled::{Lost, overtaken};
use super::detail::read_application;
use super::node::stored_key;
use super::{Applications, Wanted};

/// What is known of an application before a change.
pub(super) struct Current {
    pub(super) state: State,
    /// What the stored application has as its version, which a foreign program may have left behind its
    /// history. It is what callers read, and so what they expect.
    pub(super) stored_version: u32,
    pub(super) source: Source,
    /// The newest history entry's id, where that is what was read.
    newest: Option<Uuid>,
}

impl Current {
    /// Whether the history may have the entry with this id at this sequence.
    pub(super) fn may_have(&self, sequence: u32, id: Uuid) -> bool {
        let version = self.state.application.version;
        match self.newest {
            Some(newest) if version == sequence => newest == id,
            _ => version >= sequence,
        }
    }
}

/// The end of a history.
struct Newest {
    /// The sequence that its key has.
    sequence: u32,
    /// The entry, if it can be read and says the same.
    entry: Option<HistoryEntry>,
}

/// Where a state was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The newest history entry: the application agrees with it, unless another program wrote that.
    Snapshot,
    /// The application and then its stages.
    Items,
}

impl Applications {
    /// The state to change, from the newest history entry or, where asked for or needed, from the items: also
    /// where the history does not reach the version that is `known`.
    pub(super) async fn read_current(
        &self,
        id: ApplicationId,
        source: Source,
        known: u32,
    ) -> Result<Option<Current>, StoreError> {
        let newest = self.newest_entry(id).await?;
        let mut last = newest.as_ref().map_or(0, |newest| newest.sequence);
        let entry = newest.and_then(|newest| newest.entry);
        let entry = match (source, entry) {
            (Source::Snapshot, Some(entry)) if last >= known => {
                return Ok(Some(Current {
                    newest: Some(entry.id),
                    state: entry.snapshot,
                    stored_version: last,
                    source,
                }));
            }
            (_, entry) => entry,
        };
        let item = self
            .table
            .get(keys::application(id))
            .consistency(Consistency::Strong)
            .send(&self.meter)
            .await?;
        let Some(mut application) = item.map(read_application).transpose()? else {
            return Ok(None);
        };
        let stages = self.stages(&application).await?;
        let stored_version = application.version;
        if last > stored_version {
            // Either it lags its history, or that was of another application, deleted since.
            let newest = self.newest_entry(id).await?;
            last = newest.map_or(0, |newest| newest.sequence);
        }
        if entry.is_some_and(|entry| brought_by_others(&application, &entry.snapshot.application)) {
            application.status_since = None;
        }
        application.version = stored_version.max(last);
        let state = State::new(application, stages);
        Ok(Some(Current {
            state,
            stored_version,
            source: Source::Items,
            newest: None,
        }))
    }

    /// The newest history entry. Query APP#id / HIST#, backwards, one.
    async fn newest_entry(&self, id: ApplicationId) -> Result<Option<Newest>, StoreError> {
        let page = self
            .table
            .query(keys::partition(id))
            .begins_with(keys::history())
            .order(Order::Descending)
            .limit(1)
            .consistency(Consistency::Strong)
            .page(&self.meter)
            .await?;
        let newest = page.items.into_iter().next().map(|item| {
            let sequence = stored_key(&item).and_then(|key| keys::sequence(&key.sk));
            let sequence = sequence.unwrap_or_default();
            let entry = read_entry(item).filter(|entry| entry.sequence() == sequence);
            Newest { sequence, entry }
        });
        Ok(newest)
    }

    /// One history entry; `None` also where it cannot be read. GetItem APP#id / HIST#sequence.
    pub(super) async fn entry(
        &self,
        id: ApplicationId,
        sequence: u32,
    ) -> Result<Option<HistoryEntry>, StoreError> {
        let item = self
            .table
            .get(keys::history_entry(id, sequence))
            .consistency(Consistency::Strong)
            .send(&self.meter)
            .await?;
        Ok(item.and_then(read_entry))
    }

    /// What is wrong with what was read, where no transaction's condition will tell: the application is
    /// read again, and has moved on or does not agree.
    ///
    /// # Errors
    /// [`StoreError`].
    pub(super) async fn outdated(&self, current: &Current) -> Result<Option<Lost>, StoreError> {
        let known = &current.state.application;
        let stored = self.application_alone(known.id, &Wanted::default()).await?;
        let same = |stored: &Application| {
            (stored.version, stored.updated_at) == (current.stored_version, known.updated_at)
        };
        Ok(match stored {
            Some(stored) if same(&stored) => None,
            Some(stored) => Some(overtaken(current, &stored)),
            None => Some(Lost::Disagreement),
        })
    }
}

/// Whether another program gave the application its status after `newest`, its newest snapshot, and left
/// the moment of the status before: what it does not know, it does not move.
fn brought_by_others(application: &Application, newest: &Application) -> bool {
    newest.version >= application.version
        && newest.details.status != application.details.status
        && newest.status_since == application.status_since
}

fn read_entry(item: Item) -> Option<HistoryEntry> {
    from_item::<HistoryItem>(item).ok()?.try_into().ok()
}
