//! What `table check` says of applications beside their counters: partitions that have items without their application, and
//! applications whose keys in the indexes contradict their attributes.

use trestle_applications::{
    ApplicationId, Applications, PartitionSearch, Partitions, SERVICE, Scope, Tenancy, has_owners,
    owners,
};
use trestle_dynamodb::Embedded;
use trestle_service::{Failure, Registered};
use trestle_table::clock::Clock;
use trestle_table::{Meter, Table};

use super::store::table_of;
use crate::commands::store::Store;

/// How many applications with contradicting keys are named.
const NAMED: usize = 10;

/// What to do with keys in the indexes that contradict the attributes of their application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexKeys {
    /// Report them.
    Report,
    /// Write them again.
    Fix,
}

/// Prints what is wrong with applications, and corrects their keys in the indexes if asked to. The partitions of DynamoDB
/// without an application, and applications that no index has, are found only by a Scan: they are not looked for there.
pub async fn check_applications(
    store: &Store,
    service: &Registered,
    keys: IndexKeys,
) -> Result<(), Failure> {
    if service.name != SERVICE.name {
        return Ok(());
    }
    let table = table_of(store);
    let mut partitions = partitions(store, &table).await?;
    for (scope, id) in std::mem::take(&mut partitions.leftovers) {
        let part = Applications::new(table.clone(), scope, Meter::default(), Clock::system());
        if let Some(leftovers) = part.leftovers(&id).await? {
            println!(
                "{}: items without an application are stored under the id {id}{}: {leftovers}. Another program may \
                 have stored them or deleted their application. `trestle table delete-leftovers` deletes them.",
                table.name(),
                part.scope().of_owner(),
            );
        }
    }
    for (scope, known) in partitions.applications {
        let part = Applications::new(table.clone(), scope, Meter::default(), Clock::system());
        check_index_keys(&table, &part, &known, keys).await?;
    }
    Ok(())
}

/// The partitions of a store on disk; of another one, its scopes.
async fn partitions(store: &Store, table: &Table) -> Result<Partitions, Failure> {
    let tenancy = if has_owners(table).await? {
        Tenancy::Owner
    } else {
        Tenancy::Single
    };
    let mut search = PartitionSearch::new(tenancy);
    if let Some(folder) = store.folder() {
        Embedded::keys(folder, table.name(), &mut |partition_key, sort_key| {
            search.look(partition_key, sort_key);
        })?;
    }
    let mut partitions = search.found();
    let scopes = match tenancy {
        Tenancy::Single => vec![Scope::Single],
        Tenancy::Owner => {
            let owners = owners(table, &Meter::default()).await?;
            owners.into_iter().map(Scope::Of).collect()
        }
    };
    for scope in scopes {
        partitions.applications.entry(scope).or_default();
    }
    Ok(partitions)
}

async fn check_index_keys(
    table: &Table,
    part: &Applications,
    known: &[ApplicationId],
    keys: IndexKeys,
) -> Result<(), Failure> {
    let (name, whose) = (table.name(), part.scope().of_owner());
    let misplaced = part.misplaced(known).await?;
    if keys == IndexKeys::Fix {
        let mut fixed = 0;
        for id in &misplaced {
            fixed += usize::from(part.place_again(id).await?);
        }
        println!(
            "{name}: the index keys of {fixed} applications{whose} are corrected. Run `trestle table recount`."
        );
        return Ok(());
    }
    for id in misplaced.iter().take(NAMED) {
        println!(
            "{name}: the index keys of the application {id}{whose} contradict its status, `isArchived` or `updatedAt`, so \
             lists miss it or read it in vain. `trestle table check --fix` corrects them."
        );
    }
    if misplaced.len() > NAMED {
        println!("{name}: so do those of {} more", misplaced.len() - NAMED);
    }
    Ok(())
}
