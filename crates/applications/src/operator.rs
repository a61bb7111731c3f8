//! What an operator is told: options that do not fit the server's credentials, and counters that are incomplete.

use trestle_service::{AcceptedCredentials, Failure};
use trestle_table::clock::Clock;
use trestle_table::{Meter, Table};

use crate::error::StoreError;
use crate::keys::{Scope, Tenancy};
use crate::store::{Applications, has_owners, owners};

const UNDECIDED: &str = "Tokens are accepted, so say whose applications the table has. With --tenancy single, everyone \
    with an accepted token sees all applications: they are one person's, or a team's that shares one list. With --tenancy \
    owner, each owner sees their own applications and nothing else: the owner is the token's claim sub, or the claim that \
    --tenant-claim names, such as org_id. Give one of them.";

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
        _ => return Ok(()),
    };
    Err(Failure::new(message))
}

/// The counters that do not count every application. The tables can be used nevertheless.
pub async fn counters_of(tables: &[Table]) -> Result<Vec<String>, Failure> {
    let mut incomplete = Vec::new();
    for table in tables {
        let name = table.name();
        if !has_owners(table).await? {
            if !are_known(table, Scope::Single).await? {
                incomplete.push(format!(
                    "{name}: the counters are incomplete, so totals are unknown. Run `trestle table recount`."
                ));
            }
            continue;
        }
        for owner in owners(table, &Meter::default()).await? {
            if !are_known(table, Scope::Of(owner.clone())).await? {
                incomplete.push(format!(
                    "{name}: the counters of the owner \"{owner}\" are incomplete, so totals are unknown. Run \
                     `trestle table recount --owner NAME`."
                ));
            }
        }
    }
    Ok(incomplete)
}

/// Whether the counters of a scope count every application.
async fn are_known(table: &Table, scope: Scope) -> Result<bool, StoreError> {
    let applications = Applications::new(table.clone(), scope, Meter::default(), Clock::system());
    Ok(applications.stats().await?.is_known())
}
