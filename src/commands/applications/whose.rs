//! Whose applications a command reads and writes.

use clap::Args;

use trestle_api::viewer::Owner;
use trestle_applications::{Scope, Tenancy, claim, confirm, owners};
use trestle_service::Failure;
use trestle_table::{Meter, Table};

use crate::commands::api_key::owner;

/// Whose applications, in a table with a part for each owner.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Owners")]
pub struct WhoseArgs {
    /// The applications of one owner, in a table with a part for each owner (`serve --tenancy owner`)
    #[arg(long, value_name = "NAME", value_parser = owner)]
    owner: Option<Owner>,

    /// The applications of all owners, in a table with a part for each owner
    #[arg(long, conflicts_with = "owner")]
    all_owners: bool,
}

/// Whose applications.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whose {
    /// All of a table without owners.
    Single,
    /// Those of one owner.
    Owner(Owner),
    /// Those of every owner.
    AllOwners,
}

impl From<&WhoseArgs> for Whose {
    fn from(args: &WhoseArgs) -> Self {
        match &args.owner {
            Some(owner) => Whose::Owner(owner.clone()),
            None if args.all_owners => Whose::AllOwners,
            None => Whose::Single,
        }
    }
}

impl Whose {
    fn tenancy(&self) -> Tenancy {
        match self {
            Whose::Single => Tenancy::Single,
            Whose::Owner(_) | Whose::AllOwners => Tenancy::Owner,
        }
    }

    /// Checks that the table is of this kind, before something is written to it. An empty table becomes of this kind.
    ///
    /// # Errors
    /// The table is of the other kind, or the store does not answer.
    pub async fn claim(&self, table: &Table) -> Result<(), Failure> {
        Ok(claim(table, self.tenancy()).await?)
    }

    /// Checks that the table is of this kind.
    ///
    /// # Errors
    /// As of [`Whose::claim`].
    pub async fn confirm(&self, table: &Table) -> Result<(), Failure> {
        Ok(confirm(table, self.tenancy()).await.map(drop)?)
    }

    /// The scopes of the applications that are there, in a table of this kind.
    ///
    /// # Errors
    /// The table has no such owner, or the store does not answer.
    pub async fn scopes(&self, table: &Table, meter: &Meter) -> Result<Vec<Scope>, Failure> {
        let one = match self {
            Whose::Single => return Ok(vec![Scope::Single]),
            Whose::Owner(owner) => Some(owner),
            Whose::AllOwners => None,
        };
        let mut owners = owners(table, meter).await?;
        owners.retain(|owner| one.is_none_or(|one| one == owner));
        match one {
            Some(one) if owners.is_empty() => Err(Failure::new(format!(
                "The table {} has no applications of the owner \"{one}\". Give the name exactly as in the token's claim or \
                 the API key's line.",
                table.name()
            ))),
            _ => Ok(owners.into_iter().map(Scope::Of).collect()),
        }
    }
}
