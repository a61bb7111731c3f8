//! Lists that an application has beside its own item: each in one item of the application's partition, after all that
//! other programs know of, so that whoever does not ask for it does not read it. One item holds the whole list, so it is
//! bounded, and lists of many applications are read together. Deleting the application deletes it.

use std::collections::HashMap;

use dataloader::BatchFn;
use dataloader::non_cached::Loader;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::changes::Change;
use crate::error::{ChangeError, StoreError};
use crate::items;
use crate::keys::{Annex, TABLE};
use crate::model::{ApplicationId, Contact, Violations};
use trestle_table::{
    Condition, Consistency, Item, Key, Projection, Reason, TableDefinition, ToItem,
    TransactionError, item_of,
};

use super::Applications;
use super::canceled::Attempts;

/// An entry of such a list.
pub trait Entry: Clone + PartialEq + Serialize + DeserializeOwned {
    /// Which list it is in.
    const ANNEX: Annex;
    /// The attribute of the list.
    const ATTRIBUTE: &'static str;
    /// The most entries.
    const MAX: usize;
}

impl Entry for Contact {
    const ANNEX: Annex = Annex::Contacts;
    const ATTRIBUTE: &'static str = "contacts";
    const MAX: usize = 20;
}

/// A list as it is stored. The revision tells it from every other state of the list.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Stored<E> {
    revision: Uuid,
    entries: Vec<E>,
}

/// A list with the key that it has here.
#[derive(Serialize)]
#[serde(transparent)]
struct At<'e, E> {
    #[serde(skip)]
    key: Key,
    list: &'e Stored<E>,
}

impl<E: Serialize> ToItem for At<'_, E> {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "list beside an application";

    fn primary_key(&self) -> Key {
        self.key.clone()
    }
}

/// What a change of a list left: the whole list.
type Changed<E> = Result<Vec<E>, ChangeError>;

impl Applications {
    /// A list of an application. GetItem APP#id / TRESTLE#list.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn list_beside<E: Entry>(
        &self,
        id: &ApplicationId,
    ) -> Result<Option<Stored<E>>, StoreError> {
        let key = self.scope.annex(id, E::ANNEX);
        let item = self.item(key, Projection::All).await?;
        item.map(|item| read(id, item)).transpose()
    }

    /// The entries of a list. As [`Self::list_beside`].
    ///
    /// # Errors
    /// [`StoreError`].
    pub(super) async fn listed_beside<E: Entry>(
        &self,
        id: &ApplicationId,
    ) -> Result<Vec<E>, StoreError> {
        let list = self.list_beside(id).await?;
        Ok(list.map_or_else(Vec::new, |list: Stored<E>| list.entries))
    }

    /// Changes a list of an application as `plan` says, and answers it. GetItem APP#id / TRESTLE#list, and
    /// TransactWriteItems: the list, and a check that the application is there. Nothing is written if nothing changes.
    ///
    /// # Errors
    /// [`ChangeError::NotFound`] without the application; [`ChangeError`].
    pub async fn change_list<E: Entry>(
        &self,
        id: &ApplicationId,
        plan: impl Fn(&mut Vec<E>) -> Result<(), Violations>,
    ) -> Changed<E> {
        let changed = self.change_list_with(id, plan).await;
        changed.map(|(entries, ())| entries)
    }

    /// As [`Applications::change_list`], with the value of the plan.
    ///
    /// # Errors
    /// [`ChangeError`].
    pub async fn change_list_with<E: Entry, T>(
        &self,
        id: &ApplicationId,
        plan: impl Fn(&mut Vec<E>) -> Result<T, Violations>,
    ) -> Result<(Vec<E>, T), ChangeError> {
        let mut attempts = Attempts::new(&self.meter);
        loop {
            let stored = self.list_beside::<E>(id).await?;
            let (before, same) = match stored {
                Some(stored) => {
                    let same = Condition::is("revision", &stored.revision);
                    (stored.entries, same)
                }
                None => (Vec::new(), Condition::Missing),
            };
            let mut entries = before.clone();
            let value = plan(&mut entries)?;
            if entries == before {
                return Ok((entries, value));
            }
            let after = Stored {
                revision: Uuid::new_v4(),
                entries,
            };
            match self.write_list(id, &after, &same).await? {
                Ok(()) => {
                    self.announce(|| Change::beside(id.clone()));
                    return Ok((after.entries, value));
                }
                Err(reasons) => match reasons.as_slice() {
                    [Some(Reason::ConditionFailed { .. }), ..] => {
                        return Err(ChangeError::NotFound);
                    }
                    [_, Some(Reason::ConditionFailed { item })] => {
                        // The SDK repeated the write.
                        if is_revision(item.as_ref(), after.revision) {
                            self.announce(|| Change::beside(id.clone()));
                            return Ok((after.entries, value));
                        }
                    }
                    _ => attempts.met(reasons)?,
                },
            }
            attempts.pause().await?;
        }
    }

    /// Writes a list whose former state `same` tells; an empty list leaves no item. The reasons if others were first.
    async fn write_list<E: Entry>(
        &self,
        id: &ApplicationId,
        list: &Stored<E>,
        same: &Condition,
    ) -> Result<Result<(), Vec<Option<Reason>>>, ChangeError> {
        let key = self.scope.annex(id, E::ANNEX);
        let transaction = self.table.transaction();
        let transaction = transaction.check(&self.scope.application(id), &Condition::Exists);
        let transaction = if list.entries.is_empty() {
            transaction.delete(&key, same)
        } else {
            transaction.put_item(item_of(&At { key, list })?, Some(same))?
        };
        match transaction.commit(&self.meter).await {
            Ok(()) => Ok(Ok(())),
            Err(TransactionError::Table(error)) => Err(error.into()),
            Err(TransactionError::Canceled(reasons)) => Ok(Err(reasons)),
        }
    }
}

fn is_revision(item: Option<&Item>, revision: Uuid) -> bool {
    let stored = item.and_then(|item| item.get("revision")?.as_s().ok());
    stored.is_some_and(|stored| *stored == revision.to_string())
}

/// The list in an item.
fn read<E: Entry>(id: &ApplicationId, item: Item) -> Result<Stored<E>, StoreError> {
    serde_json::from_value(items::json(item)).map_err(|error| {
        tracing::warn!(application = %id, list = E::ATTRIBUTE, %error, "a list cannot be read");
        StoreError::Unreadable {
            application: id.clone(),
            entity: "list",
            attribute: E::ATTRIBUTE,
        }
    })
}

/// The entries of a list in its item; none without an item.
///
/// # Errors
/// [`StoreError::Unreadable`].
pub(super) fn attached<E: Entry>(
    id: &ApplicationId,
    item: Option<Item>,
) -> Result<Vec<E>, StoreError> {
    let list = item.map(|item| read(id, item)).transpose()?;
    Ok(list.map_or_else(Vec::new, |list: Stored<E>| list.entries))
}

/// Which list of which application.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Place {
    application: ApplicationId,
    annex: Annex,
}

type Found = Result<Option<Item>, StoreError>;

/// Lists of applications, read together: BatchGetItem APP#id / TRESTLE#list, one call for each 100. Made for each
/// request. Nothing is kept between loads, so that nothing is answered that a mutation has changed since.
#[derive(Clone)]
pub struct AttachedLists(Loader<Place, Found, Fetch>);

#[derive(Clone)]
struct Fetch(Applications);

impl AttachedLists {
    /// A loader of one viewer's lists.
    pub fn new(applications: Applications) -> Self {
        Self(Loader::new(Fetch(applications)))
    }

    /// A list of an application.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn list<E: Entry>(&self, id: &ApplicationId) -> Result<Vec<E>, StoreError> {
        let place = Place {
            application: id.clone(),
            annex: E::ANNEX,
        };
        attached(id, self.0.load(place).await?)
    }
}

impl BatchFn<Place, Found> for Fetch {
    async fn load(&mut self, places: &[Place]) -> HashMap<Place, Found> {
        let Fetch(applications) = self;
        let key = |place: &Place| applications.scope.annex(&place.application, place.annex);
        let (all, strong) = (Projection::All, Consistency::Strong);
        let found = applications
            .table
            .batch_get(places.iter().map(key), &all, strong, &applications.meter)
            .await
            .map_err(StoreError::from);
        let found = found.map(|items| {
            let items = items.into_iter();
            let keyed = items.filter_map(|item| Some((TABLE.key_in(&item)?, item)));
            keyed.collect::<HashMap<_, _>>()
        });
        let places = places.iter().map(|place| {
            let found = found.as_ref().map_err(Clone::clone);
            let found = found.map(|items| items.get(&key(place)).cloned());
            (place.clone(), found)
        });
        places.collect()
    }
}
