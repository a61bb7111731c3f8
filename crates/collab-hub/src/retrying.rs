//! Writes that are tried again while they only meet other writes.

use trestle_api::Session;
use trestle_domain::{Rule, Violations};
use trestle_table::{ChangeError, Condition, Entity, Key, TransactionBuilder, UnitError};

/// Commits what `build` adds, again while it only meets other writes or throttling.
///
/// # Errors
/// The refusal of a step whose condition does not hold; the store does not answer.
pub async fn commit(
    session: &Session,
    build: impl Fn(&mut TransactionBuilder<Violations>),
) -> Result<(), ChangeError<Violations>> {
    let mut retries = session.tables.retries();
    loop {
        let mut unit = session.tables.unit();
        build(&mut unit);
        let mut canceled = match unit.commit().await {
            Ok(()) => return Ok(()),
            Err(UnitError::Table(error)) => return Err(error.into()),
            Err(UnitError::Canceled(canceled)) => canceled,
        };
        if let Some(refusal) = canceled.refusal() {
            return Err(refusal.into());
        }
        if !canceled.will_pass() {
            return Err(canceled.fault().into());
        }
        retries.pause().await?;
    }
}

/// Rewrites an item that was read from a list, unless it is gone.
///
/// # Errors
/// The store does not answer.
pub async fn rewrite<E: Entity + Sync>(
    session: &Session,
    key: &Key,
    before: &E,
    after: &E,
) -> Result<(), ChangeError<Violations>> {
    const GONE: Rule = Rule::NotFound("names something that is gone");
    let written = commit(session, |unit| {
        unit.update_at(key, before, after, Condition::Exists)
            .or(GONE.at("id"));
    });
    match written.await {
        Ok(()) | Err(ChangeError::Refused(_)) => Ok(()),
        Err(error) => Err(error),
    }
}
