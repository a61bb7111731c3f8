//! Changing many applications at once: as few transactions as fit. An application whose part of a transaction is
//! refused is changed on its own.

use std::collections::{HashMap, HashSet};

use futures_util::future::join_all;
use uuid::Uuid;

use crate::changes::Change;
use crate::error::{ChangeError, StoreError};
use crate::model::{
    Application, ApplicationChange, ApplicationId, DetailsChange, HistoryEntry, State, Timestamp,
    Violations,
};
use trestle_table::{Consistency, MAX_ITEMS, Projection};

use super::Applications;
use super::batches::{OTHERS, ROWS, batches, entry_size, json_size, year, years};
use super::change::ChangeOf;
use super::counters::Counting;
use super::create::Committed;
use super::current::{Current, Source};
use super::unfinished::{Mark, Work};

/// How many applications are read at the same time.
const READERS: usize = 10;
/// How many changed or deleted applications fit into one transaction beside the counters: two items each.
const CHANGES: usize = (MAX_ITEMS - OTHERS) / 2;

/// The change of one application of a batch.
#[derive(Clone, Debug)]
pub struct Patched {
    /// The application.
    pub id: ApplicationId,
    /// The version that the caller expects.
    pub expected: Option<u32>,
    /// The change.
    pub patch: Patch,
}

/// Where new applications come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A person adds them.
    Person,
    /// They are rows of a list.
    Import,
}

/// What is changed of an application of a batch.
#[derive(Clone, Debug)]
pub enum Patch {
    /// Its fields and its stages.
    Change(Box<ApplicationChange>),
    /// Archives or unarchives it.
    Archived(bool),
}

impl Patch {
    fn plan(&self, state: &State, now: Timestamp) -> Result<(State, ()), ChangeError> {
        let next = match self {
            Patch::Change(change) => state.change(ApplicationChange::clone(change), now)?,
            Patch::Archived(is_archived) => state.archived(*is_archived),
        };
        Ok((next, ()))
    }
}

type Results<T> = Vec<Result<T, ChangeError>>;

/// A change that is ready to be written.
struct Planned {
    at: usize,
    current: Current,
    entry: HistoryEntry,
}

impl Planned {
    fn size(&self) -> (usize, usize) {
        let stages = self.entry.snapshot.stages().iter();
        let stages =
            stages.map(|stage| json_size(stage) + json_size(&stage.exact.others_as_json()));
        let (parts, application) = entry_size(&self.entry);
        (parts, application + stages.sum::<usize>())
    }
}

impl Applications {
    /// Creates applications, each as [`Applications::create`]. A Query for each that has an id, and one
    /// TransactWriteItems for each 47.
    pub async fn create_many(
        &self,
        wanted: Vec<Result<(Option<ApplicationId>, DetailsChange), Violations>>,
        origin: Origin,
    ) -> Results<State> {
        let given = wanted.iter().flatten().filter_map(|(id, _)| id.as_ref());
        let not_ours = match self.not_ours(given).await {
            Ok(found) => found,
            Err(error) => return wanted.iter().map(|_| Err(error.clone().into())).collect(),
        };
        let mut results: Vec<Option<Result<State, ChangeError>>> = Vec::new();
        let mut entries = Vec::new();
        let mut seen = HashSet::new();
        let mut alone = Vec::new();
        for (at, wanted) in wanted.into_iter().enumerate() {
            results.push(None);
            let made = wanted.and_then(|(id, change)| {
                let id = id.unwrap_or_else(|| ApplicationId::new(Uuid::new_v4()));
                let change = self.with_defaults(&change);
                let entry = State::create(id.clone(), change.clone(), Uuid::new_v4(), self.now())?;
                let entry = match origin {
                    Origin::Person => entry,
                    Origin::Import => entry.imported(),
                };
                Ok((id, change, self.signed(entry)))
            });
            match made {
                Err(violations) => results[at] = Some(Err(violations.into())),
                Ok((id, ..)) if not_ours.contains_key(&id) => {
                    let leftovers = not_ours.get(&id).cloned();
                    results[at] = leftovers.map(|found| Err(ChangeError::Leftovers(found)));
                }
                // A transaction has no item twice: the second one with an id is alone.
                Ok((id, change, entry)) if seen.insert(id.clone()) => {
                    entries.push((at, change, entry))
                }
                Ok((id, change, _)) => alone.push((at, id, change)),
            }
        }
        let batches = batches(
            entries,
            ROWS,
            |(_, _, entry)| entry_size(entry),
            |(_, _, entry)| years(None, entry),
        );
        let mut refused = Vec::new();
        for batch in batches {
            let new: Vec<_> = batch.iter().map(|(_, _, entry)| entry.clone()).collect();
            match self.write_new(&new).await {
                Ok(Ok(())) => {
                    for (at, _, entry) in batch {
                        results[at] = Some(Ok(entry.snapshot));
                    }
                }
                Ok(Err(_)) => refused.extend(
                    batch
                        .into_iter()
                        .map(|(at, change, entry)| (at, entry.snapshot.application.id, change)),
                ),
                Err(error) => {
                    for (at, ..) in batch {
                        results[at] = Some(Err(error.clone()));
                    }
                }
            }
        }
        // The applications that others are waiting for come first.
        for (at, id, change) in refused.into_iter().chain(alone) {
            results[at] = Some(self.create(Some(id), &change).await);
        }
        settled(results)
    }

    /// Changes applications, each as [`Applications::update`]. Query APP#id / HIST# for each, and one
    /// TransactWriteItems for each 46.
    pub async fn change_many(&self, mut patches: Vec<Option<Patched>>) -> Results<State> {
        for patched in patches.iter_mut().flatten() {
            if let Patch::Change(change) = &mut patched.patch {
                change.details = self.with_defaults(&change.details);
            }
        }
        let mut results: Vec<Option<Result<State, ChangeError>>> = Vec::new();
        let mut seen = HashSet::new();
        let (mut together, mut alone) = (Vec::new(), Vec::new());
        for (at, patched) in patches.iter().enumerate() {
            results.push(match patched {
                // A transaction has no item twice: the second change of an application is alone.
                Some(patched) if seen.insert(&patched.id) => {
                    together.push((at, patched));
                    None
                }
                Some(patched) => {
                    alone.push((at, patched, None));
                    None
                }
                None => Some(Err(ChangeError::NotFound)),
            });
        }
        let mut planned = Vec::new();
        let mut first = Vec::new();
        for part in together.chunks(READERS) {
            let read = part.iter().map(|(at, patched)| self.planned(*at, patched));
            for (plan, (at, patched)) in join_all(read).await.into_iter().zip(part) {
                match plan {
                    Some(plan) => planned.push(plan),
                    None => first.push((*at, *patched, None)),
                }
            }
        }
        let batches = batches(planned, CHANGES, Planned::size, |plan| {
            years(Some(&plan.current), &plan.entry)
        });
        for batch in batches {
            match self.write_changes(&batch).await {
                Ok(true) => {
                    for plan in batch {
                        results[plan.at] = Some(Ok(self.updated(plan.entry)));
                    }
                }
                Ok(false) => first.extend(batch.into_iter().filter_map(|plan| {
                    Some((plan.at, patches[plan.at].as_ref()?, Some(plan.entry)))
                })),
                Err(error) => {
                    for plan in batch {
                        results[plan.at] = Some(Err(error.clone()));
                    }
                }
            }
        }
        for (at, patched, attempted) in first.into_iter().chain(alone) {
            let change =
                ChangeOf::new(self, &patched.id, patched.expected, |state: &State, now| {
                    patched.patch.plan(state, now)
                });
            let changed = match attempted {
                Some(entry) => change.run_after(&entry, ()).await,
                None => change.run().await,
            };
            results[at] = Some(changed.map(|(state, ())| state));
        }
        settled(results)
    }

    /// The change of one application, if it can be part of a transaction with others.
    async fn planned(&self, at: usize, patched: &Patched) -> Option<Planned> {
        // One with stages writes up to 62 items, so it has a transaction of its own.
        if matches!(&patched.patch, Patch::Change(change) if change.has_stages()) {
            return None;
        }
        let current = self
            .read_current(&patched.id, Source::Snapshot, 0)
            .await
            .ok()??;
        let is_full = current.state.application.is_at_the_last_version();
        if is_full || !current.has_version(patched.expected) {
            return None;
        }
        let now = self.now();
        let (next, ()) = patched.patch.plan(&current.state, now).ok()?;
        let resumed = Box::pin(self.resumed(&current.state, next, now));
        let next = resumed.await.ok()?;
        let entry = current.state.commit(next, None, Uuid::new_v4(), now)?;
        let entry = self.signed(entry);
        Some(Planned { at, current, entry })
    }

    /// One transaction of many changes; whether it was committed.
    async fn write_changes(&self, batch: &[Planned]) -> Result<bool, ChangeError> {
        let mut transaction = self.table.transaction();
        let mut counting = Counting::default();
        for plan in batch {
            let after = &plan.entry.snapshot.application;
            counting.change(&plan.current.state.application, after);
            transaction = self.add_change(transaction, &plan.current, &plan.entry)?;
        }
        let committed = self.commit_counted(transaction, counting).await?;
        Ok(matches!(committed, Committed::Yes))
    }

    /// Deletes applications, each as [`Applications::delete`]. BatchGetItem, one TransactWriteItems for each 46, and
    /// then for each application Query APP#id and a TransactWriteItems for each 99 of its other items.
    pub async fn delete_many(&self, ids: &[Option<ApplicationId>]) -> Results<ApplicationId> {
        let mut seen = HashSet::new();
        let distinct = ids.iter().flatten().filter(|id| seen.insert(*id));
        let distinct: Vec<_> = distinct.collect();
        let found = match self.applications_alone(&distinct).await {
            Ok(found) => found,
            Err(error) => return ids.iter().map(|_| Err(error.clone().into())).collect(),
        };
        let mut deleted = HashMap::new();
        let batches = batches(found, CHANGES, |found| (1, json_size(found)), year);
        for batch in batches {
            let batch = batch.into_iter().map(|application| {
                let mark = self.mark(&application.id, Work::Delete);
                (application, mark)
            });
            let batch: Vec<_> = batch.collect();
            // If that fails, each is deleted on its own below.
            if self.delete_together(&batch).await.is_ok_and(|done| done) {
                for (application, mark) in batch {
                    self.announce(|| Change::deleted(&application));
                    deleted.insert(application.id, mark);
                }
            }
        }
        let mut results = Vec::new();
        for id in ids {
            let Some(id) = id else {
                results.push(Err(ChangeError::NotFound));
                continue;
            };
            let result = match deleted.remove(id) {
                Some(mark) => self.delete_children(id, &mark).await,
                None => self.delete(id, None).await,
            };
            results.push(result.map(|()| id.clone()));
        }
        results
    }

    /// Those of these applications that are there. BatchGetItem.
    pub(super) async fn applications_alone(
        &self,
        ids: &[&ApplicationId],
    ) -> Result<Vec<Application>, StoreError> {
        let keys = ids.iter().map(|id| self.scope.application(id));
        let items = self
            .table
            .batch_get(keys, &Projection::All, Consistency::Strong, &self.meter)
            .await?;
        let items = items.into_iter();
        items.map(|item| self.read_application(item)).collect()
    }

    /// One application without its stages. GetItem.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn alone(&self, id: &ApplicationId) -> Result<Option<Application>, StoreError> {
        let item = self
            .item(self.scope.application(id), Projection::All)
            .await?;
        item.map(|item| self.read_application(item)).transpose()
    }

    async fn delete_together(&self, batch: &[(Application, Mark)]) -> Result<bool, ChangeError> {
        let mut transaction = self.table.transaction();
        let mut counting = Counting::default();
        for (application, mark) in batch {
            transaction = self.add_delete(transaction, application, mark)?;
            counting.remove(application);
        }
        let committed = self.commit_counted(transaction, counting).await?;
        Ok(matches!(committed, Committed::Yes))
    }
}

/// The results, of which none is missing.
fn settled<T>(results: Vec<Option<Result<T, ChangeError>>>) -> Results<T> {
    let results = results.into_iter();
    results
        .map(|result| result.unwrap_or_else(|| Err(StoreError::LostKey.into())))
        .collect()
}
