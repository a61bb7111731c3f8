//! Deleting shareables.

use crate::request_context::failed;
use async_graphql::ID;

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
use trestle_table::{Entity, TransactionBuilder};

/// Deletes a shareable, then what belongs to it: what [`confirming::confirm`] costs, one GetItem, one TransactWriteItems, one Query of each kind of part and
/// one BatchWriteItem for each 25. If that is interrupted, the rest can no longer be read, and expires.
pub async fn delete(
    context: RequestContext<'_>,
    short_id: &ShortId,
    passcode: Passcode,
    expected: Option<u32>,
) -> Made<ID> {
    let claims = context.admin_claims()?;
    confirming::confirm(context, short_id, passcode).await?;
    let with = |shareable: &Shareable, _: &mut TransactionBuilder<Refused>| {
        if context.opens(&claims, shareable) {
            Ok(())
        } else {
            Err(Refused::Unopened)
        }
    };
    let deleted = context
        .tables()
        .delete::<Shareable, _>(short_id, expected, with);
    let deleted = deleted.await.map_err(failed)?;
    context.announce(short_id, EventKind::Deleted);
    let kinds = match claims.kind {
        ShareableKind::Checklist => vec![ChecklistItem::KIND, DeletedItem::KIND],
        ShareableKind::Poll => vec![PollOption::KIND, PollVote::KIND, Invitation::KIND],
    };
    let kinds = kinds.into_iter().chain([Guesses::KIND, Device::KIND]);
    let tables = context.tables();
    for kind in kinds {
        let keys = keys(tables, kind, short_id).await?;
        tables
            .by(&TABLE)?
            .batch_delete(keys, tables.meter())
            .await?;
    }
    Ok(deleted.map(|_| Named::Shareable(short_id.clone()).to_id()))
}
