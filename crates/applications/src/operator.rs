//! What an operator is told: options that do not fit the server's credentials, and counters that are incomplete.

use tokio::time::sleep;
use trestle_api::FinishedDeletes;
use trestle_service::{AcceptedCredentials, Failure};
use trestle_table::clock::Clock;
use trestle_table::{Meter, Table};

use crate::error::{ChangeError, StoreError};
use crate::keys::{Scope, Tenancy};
use crate::objects::Objects;
use crate::store::{Applications, has_owners, owners};

const UNDECIDED: &str = "Tokens are accepted, so say whose applications the table has. With --tenancy single, everyone \
    with an accepted token sees all applications: they are one person's, or a team's that shares one list. With --tenancy \
    owner, each owner sees their own applications and nothing else: the owner is the token's claim sub, or the claim that \
    --tenant-claim names, such as org_id. Give one of them.";

const SEVERAL_KEYS: &str = "Several API keys may read or write, so say whose applications the table has. With --tenancy single, \
    every key sees and changes all applications, as without this setting before. With --tenancy owner, each owner sees their own \
    applications and nothing else, and each key names its owner (`trestle api-key NAME --owner OWNER`). Give one of them.";

/// Refuses a choice of whose applications the table has that is missing, or does not fit the credentials.
pub fn check_tenancy(
    tenancy: Option<Tenancy>,
    credentials: &AcceptedCredentials,
) -> Result<(), Failure> {
    let message = match tenancy {
        None if credentials.are_tokens => UNDECIDED,
        Some(Tenancy::Owner) if !credentials.are_tokens && !credentials.have_keys_of_owners => {
            "--tenancy owner needs credentials that name an owner. Set up tokens with --jwt-issuer, or API keys with \
             --api-keys (`trestle api-key NAME --owner OWNER` makes one), or give --tenancy single."
        }
        None | Some(Tenancy::Single) if credentials.have_tenant_claim => {
            "--tenant-claim names the owners of --tenancy owner. Give --tenancy owner too, or leave out --tenant-claim."
        }
        None if credentials.have_keys_of_owners => {
            "API keys name owners, so say whose applications the table has. With --tenancy owner, each owner sees their \
             own applications and nothing else. With --tenancy single, every key sees all applications. Give one of them."
        }
        None if credentials.have_several_keys => SEVERAL_KEYS,
        _ => return Ok(()),
    };
    Err(Failure::new(message))
}

/// What an operator should know of the tables, which can be used nevertheless: counters that do not count every
/// application, and deletes and imports that have not ended.
pub async fn notes_of(tables: &[Table]) -> Result<Vec<String>, Failure> {
    let mut notes = Vec::new();
    for table in tables {
        if !has_owners(table).await? {
            notes.extend(notes_of_scope(table, Scope::Single).await?);
            continue;
        }
        for owner in owners(table, &Meter::default()).await? {
            notes.extend(notes_of_scope(table, Scope::Of(owner)).await?);
        }
    }
    Ok(notes)
}

/// Finishes deletes that were interrupted; how many. It looks once more after the lag of the indexes: a process may start right
/// after another one was killed.
pub async fn finish_deletes(
    table: &Table,
    tenancy: Tenancy,
    clock: &Clock,
    objects: &Objects,
) -> Result<usize, ChangeError> {
    let meter = Meter::default();
    let scopes = match tenancy {
        Tenancy::Single => vec![Scope::Single],
        Tenancy::Owner => {
            let owners = owners(table, &meter).await?;
            owners.into_iter().map(Scope::Of).collect()
        }
    };
    let parts = scopes.into_iter().map(|scope| {
        let part = Applications::new(table.clone(), scope, meter.clone(), clock.clone());
        part.keeping(objects.clone())
    });
    let parts: Vec<_> = parts.collect();
    let mut finished = FinishedDeletes::default();
    for part in &parts {
        finished.add(part.finish_deletes().await);
    }
    let lag = table.index_lag();
    if !lag.is_zero() {
        sleep(lag).await;
        for part in &parts {
            finished.add(part.finish_deletes().await);
        }
    }
    finished.count()
}

async fn notes_of_scope(table: &Table, scope: Scope) -> Result<Vec<String>, StoreError> {
    let name = table.name();
    let whose = scope.of_owner();
    let option = scope.owner().map_or("", |_| " --owner NAME");
    let applications = Applications::new(table.clone(), scope, Meter::default(), Clock::system());
    let mut notes = Vec::new();
    if !applications.stats().await?.is_known() {
        notes.push(format!(
            "{name}: the counters{whose} are incomplete, so totals are unknown. Run `trestle table recount{option}`."
        ));
    }
    for id in applications.unfinished().await? {
        notes.push(format!(
            "{name}: the delete or import of the application {id}{whose} was interrupted, or is in progress. `trestle serve` \
             finishes a delete when it starts. Import the application again, or delete it, to finish an import."
        ));
    }
    Ok(notes)
}
