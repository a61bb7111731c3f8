//! Partitions that have items without their application, which `table check` lists.

use trestle_applications::{ApplicationId, Applications};
use trestle_service::Failure;
use trestle_table::Meter;
use trestle_table::clock::Clock;

use super::store::table_of;
use super::whose::Whose;
use crate::commands::store::Store;

/// Deletes what is stored under these ids without an application.
pub async fn delete_leftovers(
    store: &Store,
    whose: &Whose,
    ids: &[ApplicationId],
) -> Result<(), Failure> {
    let table = table_of(store);
    store.require(&table).await?;
    whose.confirm(&table).await?;
    let meter = Meter::default();
    for scope in whose.scopes(&table, &meter).await? {
        let part = Applications::new(table.clone(), scope, meter.clone(), Clock::system());
        for id in ids {
            match part.delete_leftovers(id).await? {
                Some(leftovers) => println!("{id}: deleted {leftovers}"),
                None => println!("{id}: nothing to delete"),
            }
        }
    }
    Ok(())
}

/// An id of the command line.
pub fn id(text: &str) -> Result<ApplicationId, String> {
    ApplicationId::stored(text).ok_or_else(|| "an id has 1 to 1,000 bytes".to_owned())
}
