//! Deleting what a list has.

use trestle_api::Session;
use trestle_domain::Violations;
use trestle_table::{ChangeError, Condition, Entity, Listing, PageAsk, Row};

use super::retrying::commit;

/// Number of items that one transaction deletes.
const AT_ONCE: usize = 90;

/// Deletes the entities of a list, whatever their state is: a Query and one TransactWriteItems for each 90. Items that
/// cannot be read stay. Returns those that were deleted.
///
/// # Errors
/// The store does not answer.
pub async fn clear<E: Entity + Send + Sync>(
    session: &Session,
    list: &Listing<E>,
) -> Result<Vec<E>, ChangeError<Violations>> {
    let (mut ask, mut cleared) = (PageAsk::first(AT_ONCE), Vec::new());
    loop {
        let page = session.tables.page(list, &ask, &()).await?;
        // An index may still have what was deleted, so the next page begins after this one.
        let last = page.rows.last().map(|row| row.place.clone());
        let found = page.rows.into_iter().filter_map(Row::keyed);
        let (keys, entities): (Vec<_>, Vec<_>) = found.unzip();
        cleared.extend(entities);
        commit(session, |unit| {
            for key in &keys {
                unit.delete_at::<E>(key, Condition::ALWAYS);
            }
        })
        .await?;
        match last {
            Some(last) if page.more => ask.place = Some(last),
            _ => return Ok(cleared),
        }
    }
}
