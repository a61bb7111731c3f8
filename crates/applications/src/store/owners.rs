//! Whether a table has a part for each owner, and the registry of its owners.

use serde::Serialize;

use crate::error::{StoreError, TenancyError};
use crate::keys::{self, Scope, Tenancy};
use trestle_api::viewer::Owner;
use trestle_table::clock::Clock;
use trestle_table::{
    Condition, Consistency, Key, MAX_ITEMS, Meter, Table, TableDefinition, ToItem, Transaction,
    TransactionError, WriteError,
};

use super::Applications;

/// The item that says that a table has a part for each owner.
#[derive(Serialize)]
struct Marker {
    tenancy: &'static str,
}

impl ToItem for Marker {
    const TABLE: &'static TableDefinition = &keys::TABLE;
    const KIND: &'static str = "tenancy";

    fn primary_key(&self) -> Key {
        keys::marker()
    }
}

/// An owner in the registry.
#[derive(Serialize)]
struct Entry<'o> {
    #[serde(skip)]
    of: &'o Owner,
    owner: &'o str,
}

impl<'o> Entry<'o> {
    fn new(of: &'o Owner) -> Self {
        Self {
            of,
            owner: of.as_str(),
        }
    }
}

impl ToItem for Entry<'_> {
    const TABLE: &'static TableDefinition = &keys::TABLE;
    const KIND: &'static str = "owner";

    fn primary_key(&self) -> Key {
        keys::registered(self.of)
    }
}

/// Checks that a table has this tenancy, before something is written to it. An empty table gets it. GetItem
/// TENANCY / TENANCY; for owners of an empty table one Query for each partition of the indexes and a
/// TransactWriteItems.
///
/// # Errors
/// [`TenancyError`].
pub async fn claim(table: &Table, tenancy: Tenancy) -> Result<(), TenancyError> {
    if confirm(table, tenancy).await? || tenancy == Tenancy::Single {
        return Ok(());
    }
    let marker = Marker { tenancy: "owner" };
    let transaction = table.transaction().put_new(&marker)?;
    // The first write of a table without owners makes sure that there is no marker.
    let transaction = transaction.check_missing(&Scope::Single.meta());
    match transaction.commit(&Meter::default()).await {
        Ok(()) => Ok(()),
        Err(TransactionError::Table(error)) => Err(error.into()),
        // Another process was first.
        Err(TransactionError::Canceled(_)) => {
            if confirm(table, tenancy).await? {
                Ok(())
            } else {
                Err(TenancyError::Unclaimed(table.name().to_owned()))
            }
        }
    }
}

/// Checks that a table has this tenancy, and writes nothing. Whether the table is marked: one without applications may
/// become either. Costs as [`claim`].
///
/// # Errors
/// [`TenancyError`].
pub async fn confirm(table: &Table, tenancy: Tenancy) -> Result<bool, TenancyError> {
    let marked = has_owners(table).await?;
    match tenancy {
        Tenancy::Single if marked => Err(TenancyError::HasOwners(table.name().to_owned())),
        Tenancy::Single => Ok(false),
        Tenancy::Owner if marked => Ok(true),
        Tenancy::Owner => {
            let (meter, clock) = (Meter::default(), Clock::system());
            let single = Applications::new(table.clone(), Scope::Single, meter, clock);
            let counted = single.table.get(Scope::Single.meta());
            let counted = counted.consistency(Consistency::Strong);
            let is_used =
                counted.send(&single.meter).await?.is_some() || !single.is_surely_empty().await?;
            if is_used {
                Err(TenancyError::IsSingle(table.name().to_owned()))
            } else {
                Ok(false)
            }
        }
    }
}

/// Undoes the mark that a table has a part for each owner, which a table gets if no index leads to its applications.
/// Whether there was a mark.
///
/// # Errors
/// [`TenancyError::StillOwned`] if an owner has applications; [`TenancyError`].
pub async fn unmark(table: &Table) -> Result<bool, TenancyError> {
    let (meter, clock) = (Meter::default(), Clock::system());
    if !has_owners(table).await? {
        return Ok(false);
    }
    for owner in owners(table, &meter).await? {
        let scope = Scope::Of(owner.clone());
        let its = Applications::new(table.clone(), scope, meter.clone(), clock.clone());
        if !its.is_surely_empty().await? {
            let (table, owner) = (table.name().to_owned(), owner.as_str().to_owned());
            return Err(TenancyError::StillOwned { table, owner });
        }
    }
    let anyway = Condition::All(Vec::new());
    let transaction = table.transaction().delete(&keys::marker(), &anyway);
    match transaction.commit(&meter).await {
        Ok(()) => Ok(true),
        Err(TransactionError::Table(error)) => Err(error.into()),
        Err(TransactionError::Canceled(_)) => Err(TenancyError::Unclaimed(table.name().to_owned())),
    }
}

/// The number of items of a table that belong to no scope: its mark, its registry of owners, and the subscriptions of
/// calendars.
///
/// # Errors
/// [`StoreError`].
pub async fn items_of_no_scope(table: &Table, meter: &Meter) -> Result<u64, StoreError> {
    let mut items = u64::from(has_owners(table).await?);
    for partition in keys::registries().chain(keys::subscriptions()) {
        let query = table.query(partition).consistency(Consistency::Strong);
        items += u64::try_from(query.all(meter).await?.len()).unwrap_or(u64::MAX);
    }
    Ok(items)
}

/// Whether a table is marked to have a part for each owner. GetItem TENANCY / TENANCY.
///
/// # Errors
/// [`StoreError`].
pub async fn has_owners(table: &Table) -> Result<bool, StoreError> {
    let marker = table.get(keys::marker()).consistency(Consistency::Strong);
    Ok(marker.send(&Meter::default()).await?.is_some())
}

/// The owners in a table, by name. One Query for each partition of the registry.
///
/// # Errors
/// [`StoreError`].
pub async fn owners(table: &Table, meter: &Meter) -> Result<Vec<Owner>, StoreError> {
    let mut owners = Vec::new();
    for partition in keys::registries() {
        let query = table.query(partition).consistency(Consistency::Strong);
        let items = query.all(meter).await?;
        let keys = items.iter().filter_map(|item| keys::TABLE.key_in(item));
        owners.extend(keys.filter_map(|key| keys::owner_at(&key.sk)));
    }
    owners.sort();
    Ok(owners)
}

impl Applications {
    /// The number of items of the scope that belong to no application: its counters, and its calendar address.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn items_of_counters(&self) -> Result<u64, StoreError> {
        let mut items = 0;
        let partitions = [
            self.scope.meta().pk,
            self.scope.counters(),
            self.scope.calendar().pk,
        ];
        for partition in partitions {
            let query = self.table.query(partition).consistency(Consistency::Strong);
            items += u64::try_from(query.all(&self.meter).await?.len()).unwrap_or(u64::MAX);
        }
        Ok(items)
    }

    /// Writes the owner into the registry. PutItem, if the scope is an owner's.
    pub(super) async fn register(&self) -> Result<(), StoreError> {
        let Some(owner) = self.scope.owner() else {
            return Ok(());
        };
        match self.table.put_new(&Entry::new(owner), &self.meter).await {
            Ok(()) | Err(WriteError::ConditionFailed(_)) => Ok(()),
            Err(WriteError::Table(error)) => Err(error.into()),
        }
    }

    /// What the first write of a scope adds to its transaction: an owner's is noted in the registry, and one of a
    /// table without owners makes sure that the table has none. If the transaction is full, this is done before it, by
    /// PutItem or GetItem.
    ///
    /// # Errors
    /// [`StoreError::HasOwners`]; [`StoreError`].
    pub(super) async fn add_first<'t>(
        &self,
        transaction: Transaction<'t>,
    ) -> Result<Transaction<'t>, StoreError> {
        let is_full = transaction.len() == MAX_ITEMS;
        Ok(match self.scope.owner() {
            Some(_) if is_full => {
                self.register().await?;
                transaction
            }
            Some(owner) => transaction.put(&Entry::new(owner))?,
            None if is_full && has_owners(&self.table).await? => return Err(StoreError::HasOwners),
            None if is_full => transaction,
            None => transaction.check_missing(&keys::marker()),
        })
    }
}
