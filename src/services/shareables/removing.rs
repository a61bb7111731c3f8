//! Deleting shareables.

use async_graphql::ID;

use super::checklist::ChecklistItem;
use super::desk::{Desk, Made, NOT_THERE, Refused, refused};
use super::live::Happened;
use super::part::{Named, keys};
use super::poll::{PollOption, PollVote};
use super::shareable::Shareable;
use super::short_id::ShortId;
use super::table::TABLE;
use crate::table::{Entity, Unit};

/// Deletes a shareable, then what belongs to it: one GetItem, one TransactWriteItems, one Query of each kind of part and
/// one BatchWriteItem for each 25. If that is interrupted, the rest can no longer be read, and expires.
pub async fn delete(desk: Desk<'_>, short_id: &ShortId, expected: Option<u32>) -> Made<ID> {
    let claims = desk.admin_claims()?;
    if claims.short_id != *short_id {
        return refused(NOT_THERE, "shortId");
    }
    let with = |shareable: &Shareable, _: &mut Unit<Refused>| match desk.opens(&claims, shareable) {
        true => Ok(()),
        false => Err(Refused::Unopened),
    };
    let deleted = desk
        .tables()
        .delete::<Shareable, _>(short_id, expected, with);
    let deleted = deleted.await?;
    desk.announce(short_id, Happened::Deleted);
    let kinds = match claims.kind {
        super::token::ShareableKind::Checklist => vec![ChecklistItem::KIND],
        super::token::ShareableKind::Poll => vec![PollOption::KIND, PollVote::KIND],
    };
    let tables = desk.tables();
    for kind in kinds {
        let keys = keys(tables, kind, short_id).await?;
        tables
            .by(&TABLE)?
            .batch_delete(keys, tables.meter())
            .await?;
    }
    Ok(deleted.map(|_| Named::Shareable(short_id.clone()).to_id()))
}
