//! Partitions that have items without their application: `table check` lists them, `table delete-leftovers` deletes them.

use trestle_applications::{
    ApplicationId, Applications, LeftoversSearch, SERVICE, Tenancy, has_owners,
};
use trestle_dynamodb::Embedded;
use trestle_service::{Failure, Registered};
use trestle_table::Meter;
use trestle_table::clock::Clock;

use super::store::table_of;
use super::whose::Whose;
use crate::commands::store::Store;

/// Prints the partitions of a store on disk that have items and no application. DynamoDB finds them only by a Scan.
pub async fn report_leftovers(store: &Store, service: &Registered) -> Result<(), Failure> {
    let Some(folder) = store.folder().filter(|_| service.name == SERVICE.name) else {
        return Ok(());
    };
    let table = table_of(store);
    let tenancy = if has_owners(&table).await? {
        Tenancy::Owner
    } else {
        Tenancy::Single
    };
    let mut search = LeftoversSearch::new(tenancy);
    Embedded::keys(folder, table.name(), &mut |partition_key, sort_key| {
        search.look(partition_key, sort_key);
    })?;
    for (scope, id) in search.found() {
        let owner = scope
            .owner()
            .map(|owner| format!(" of the owner \"{}\"", owner.as_str()));
        let owner = owner.unwrap_or_default();
        let part = Applications::new(table.clone(), scope, Meter::default(), Clock::system());
        if let Some(leftovers) = part.leftovers(&id).await? {
            println!(
                "{}: items without an application are stored under the id {id}{owner}: {leftovers}. Another program may \
                 have stored them or deleted their application. `trestle table delete-leftovers` deletes them.",
                table.name()
            );
        }
    }
    Ok(())
}

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
