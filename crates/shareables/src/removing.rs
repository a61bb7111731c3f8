//! Deleting shareables.

use crate::request_context::failed;
use async_graphql::ID;
use serde::{Deserialize, Serialize};

use super::checklist::ChecklistItem;
use super::confirming;
use super::deleted::DeletedItem;
use super::devices::Device;
use super::guesses::Guesses;
use super::invitation::Invitation;
use super::live::EventKind;
use super::part::{Named, keys};
use super::passcode::Passcode;
use super::poll::{PollOption, PollVote};
use super::request_context::{Made, Refused, RequestContext};
use super::shareable::Shareable;
use super::short_id::ShortId;
use super::table::TABLE;
use super::token::ShareableKind;
use trestle_api::FinishedDeletes;
use trestle_table::{
    Entity, Key, Listing, Pk, Sk, TableDefinition, TableError, Tables, TransactionBuilder,
};

/// A delete that is not finished: `deletion#` / `01#abcdef12345#`. It is written with the delete of the shareable, and deleted
/// after everything that belonged to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Deletion {
    short_id: ShortId,
    kind: ShareableKind,
    /// When what belonged to the shareable expires.
    ttl: i64,
}

impl Entity for Deletion {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "deletion";
    type Id = ShortId;

    fn key_of(short_id: &ShortId) -> Key {
        Key::new(deletions(), Sk::of("01", short_id).closed())
    }

    fn identity(&self) -> ShortId {
        self.short_id.clone()
    }

    fn expires(&self) -> Option<i64> {
        Some(self.ttl)
    }
}

fn deletions() -> Pk {
    Pk::word(Deletion::KIND).closed()
}

/// Every delete that is not finished. One Query.
fn unfinished() -> Listing<Deletion> {
    Listing::of("deletions", deletions())
}

/// The number of deletes that are not finished. One Query.
///
/// # Errors
/// The store does not answer.
pub async fn count_unfinished(tables: &Tables) -> Result<usize, TableError> {
    Ok(tables.all(&unfinished()).await?.len())
}

/// Finishes every delete that was interrupted; how many. One Query, and for each delete one GetItem and what
/// [`Deletion::finish`] costs.
///
/// # Errors
/// The store does not answer: the others are finished.
pub async fn finish_all(tables: &Tables) -> Result<usize, TableError> {
    let mut finished = FinishedDeletes::default();
    for deletion in tables.all(&unfinished()).await?.into_iter().flatten() {
        let done = deletion.finish_now(tables).await;
        finished.add(done.map(|()| 1));
    }
    finished.count()
}

impl Deletion {
    fn of(shareable: &Shareable) -> Self {
        Self {
            short_id: shareable.short_id.clone(),
            kind: shareable.kind(),
            ttl: shareable.ttl(),
        }
    }

    /// Deletes what belonged to a deleted shareable. One Query of each kind of part, and one BatchWriteItem for each 25 and
    /// one for this item, which goes last: as long as it is there, the next start goes on.
    async fn finish(&self, tables: &Tables) -> Result<(), TableError> {
        let kinds = match self.kind {
            ShareableKind::Checklist => vec![ChecklistItem::KIND, DeletedItem::KIND],
            ShareableKind::Poll => vec![PollOption::KIND, PollVote::KIND, Invitation::KIND],
        };
        let table = tables.by(&TABLE)?;
        for kind in kinds.into_iter().chain([Guesses::KIND, Device::KIND]) {
            let keys = keys(tables, kind, &self.short_id).await?;
            table.batch_delete(keys, tables.meter()).await?;
        }
        self.end(tables).await
    }

    /// As [`Deletion::finish`], unless another shareable has the short id by now.
    async fn finish_now(&self, tables: &Tables) -> Result<(), TableError> {
        if tables.get::<Shareable>(&self.short_id).await?.is_some() {
            self.end(tables).await
        } else {
            self.finish(tables).await
        }
    }

    async fn end(&self, tables: &Tables) -> Result<(), TableError> {
        let table = tables.by(&TABLE)?;
        table.batch_delete([self.key()], tables.meter()).await
    }
}

/// Deletes a shareable, then what belongs to it: what [`confirming::confirm`] costs, one GetItem, one TransactWriteItems, one Query of each kind of part and
/// one BatchWriteItem for each 25. If that is interrupted, the rest can no longer be read, and the next start deletes it.
pub async fn delete(
    context: RequestContext<'_>,
    short_id: &ShortId,
    passcode: Passcode,
    expected: Option<u32>,
) -> Made<ID> {
    let claims = context.admin_claims()?;
    confirming::confirm(context, short_id, passcode).await?;
    let with = |shareable: &Shareable, unit: &mut TransactionBuilder<Refused>| {
        if !context.opens(&claims, shareable) {
            return Err(Refused::Unopened);
        }
        unit.put(&Deletion::of(shareable));
        Ok(())
    };
    let deleted = context
        .tables()
        .delete::<Shareable, _>(short_id, expected, with);
    let deleted = deleted.await.map_err(failed)?;
    context.announce(short_id, EventKind::Deleted);
    // The shareable is deleted, whatever happens to what belonged to it.
    if let Err(error) = Deletion::of(&deleted.entity).finish(context.tables()).await {
        tracing::error!(%error, %short_id, "what belonged to a deleted shareable is not deleted: the next start deletes it");
    }
    Ok(deleted.map(|_| Named::Shareable(short_id.clone()).to_id()))
}
