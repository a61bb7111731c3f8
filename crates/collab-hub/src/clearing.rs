//! Deleting what a list has.

use trestle_api::Session;
use trestle_domain::Violations;
use trestle_table::{
    ChangeError, Condition, Entity, Exhausted, Key, Listing, PageAsk, Retries, Row, UnitError,
};

/// Number of items that one transaction deletes.
const AT_ONCE: usize = 90;
/// How often a transaction is tried that meets other changes.
const RETRIES: usize = 24;

/// Deletes the entities of a list, whatever their state is: a Query and one TransactWriteItems for each 90. Items that
/// cannot be read stay. Returns how many were deleted.
///
/// # Errors
/// The store does not answer.
pub async fn clear<E: Entity + Send + Sync>(
    session: &Session,
    list: &Listing<E>,
) -> Result<usize, ChangeError<Violations>> {
    let (mut ask, mut cleared) = (PageAsk::first(AT_ONCE), 0);
    loop {
        let page = session.tables.page(list, &ask, &()).await?;
        // An index may still have what was deleted, so the next page begins after this one.
        let last = page.rows.last().map(|row| row.place.clone());
        let found = page.rows.into_iter().filter_map(Row::keyed);
        let keys: Vec<_> = found.map(|(key, _)| key).collect();
        delete::<E>(session, &keys).await?;
        cleared += keys.len();
        match last {
            Some(last) if page.more => ask.place = Some(last),
            _ => return Ok(cleared),
        }
    }
}

async fn delete<E: Entity>(session: &Session, keys: &[Key]) -> Result<(), ChangeError<Violations>> {
    let mut retries = Retries::new(RETRIES, session.tables.meter());
    loop {
        let mut unit = session.tables.unit::<Violations>();
        for key in keys {
            unit.delete_at::<E>(key, Condition::All(Vec::new()));
        }
        match unit.commit().await {
            Ok(()) => return Ok(()),
            Err(UnitError::Table(error)) => return Err(error.into()),
            Err(UnitError::Canceled(canceled)) if canceled.will_pass() => {
                let exhausted = |Exhausted| ChangeError::Contended;
                retries.pause().await.map_err(exhausted)?;
            }
            Err(UnitError::Canceled(canceled)) => return Err(canceled.fault().into()),
        }
    }
}
