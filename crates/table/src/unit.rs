//! A unit of work: writes and checks over any tables, of which all happen or none. Each step has a token, by which
//! its failure is found, and may carry the refusal for a condition that does not hold.

use super::addition::Addition;
use super::canceled::{Canceled, Step, UnitError};
use super::entity::item_of;
use super::spelling::Reading;
use super::step::{Planned, Work, fault};
use super::transaction::transact;
use super::{
    Condition, Entity, Item, Key, Meter, Reason, TableError, Tables, TransactionError, Update,
    WriteError,
};

/// Writes and checks that are committed together: at most 100 items with 4 MB, each item once. `R` is the refusal
/// for a step whose condition does not hold. A step that cannot be built fails the commit.
#[derive(Debug)]
pub struct TransactionBuilder<R> {
    tables: Tables,
    steps: Vec<Planned>,
    refusals: Vec<Option<R>>,
    broken: Option<TableError>,
}

/// A step that was just added.
#[derive(Debug)]
pub struct StepHandle<'u, R> {
    refusal: Option<&'u mut Option<R>>,
    step: Step,
}

impl<R> StepHandle<'_, R> {
    /// The refusal of the unit if the step's condition does not hold.
    pub fn or(self, refusal: R) -> Step {
        if let Some(place) = self.refusal {
            *place = Some(refusal);
        }
        self.step
    }

    /// The step's token.
    pub fn step(self) -> Step {
        self.step
    }
}

impl Tables {
    /// An empty unit.
    pub fn unit<R>(&self) -> TransactionBuilder<R> {
        TransactionBuilder {
            tables: self.clone(),
            steps: Vec::new(),
            refusals: Vec::new(),
            broken: None,
        }
    }
}

impl<R> TransactionBuilder<R> {
    fn add_step<E: Entity>(
        &mut self,
        key: Key,
        work: Result<Work, TableError>,
        condition: Condition,
    ) -> StepHandle<'_, R> {
        let step = Step(self.steps.len());
        match self
            .tables
            .of::<E>()
            .and_then(|table| Ok((table.clone(), work?)))
        {
            Ok((table, work)) => {
                self.steps.push(Planned {
                    table,
                    key,
                    work,
                    condition,
                    reading: Some(Reading::of::<E>()),
                });
                self.refusals.push(None);
            }
            Err(error) => self.broken = self.broken.take().or(Some(error)),
        }
        StepHandle {
            refusal: self.refusals.get_mut(step.0),
            step,
        }
    }

    /// Writes an item if its key is free.
    pub fn put_new<E: Entity>(&mut self, entity: &E) -> StepHandle<'_, R> {
        self.put_item::<E>(entity.key(), item_of(entity), Condition::Missing)
    }

    /// Writes an item, and replaces the item that has its key.
    pub fn put<E: Entity>(&mut self, entity: &E) -> StepHandle<'_, R> {
        self.put_item::<E>(entity.key(), item_of(entity), Condition::ALWAYS)
    }

    pub(super) fn put_item<E: Entity>(
        &mut self,
        key: Key,
        item: Result<Item, TableError>,
        condition: Condition,
    ) -> StepHandle<'_, R> {
        self.add_step::<E>(key, item.map(Work::Put), condition)
    }

    /// Writes the difference between `before` and `after`, if `condition` holds for the stored item. Attributes that
    /// the entity does not know are kept. If they do not differ, it only checks the condition.
    pub fn update<E: Entity>(
        &mut self,
        before: &E,
        after: &E,
        condition: Condition,
    ) -> StepHandle<'_, R> {
        let table = self.tables.of::<E>();
        let update = table.and_then(|t| t.update_of(Some(before), after, condition.clone()));
        self.apply::<E>(update)
    }

    /// As [`TransactionBuilder::update`], for an item that was read from a list: another program may have stored it at a
    /// key that its attributes do not name.
    pub fn update_at<E: Entity>(
        &mut self,
        key: &Key,
        before: &E,
        after: &E,
        condition: Condition,
    ) -> StepHandle<'_, R> {
        let table = self.tables.of::<E>();
        let update = table.and_then(|t| t.update_of(Some(before), after, condition));
        let key = key.clone();
        self.apply::<E>(update.map(|update| Update { key, ..update }))
    }

    pub(super) fn apply<E: Entity>(
        &mut self,
        update: Result<Update, TableError>,
    ) -> StepHandle<'_, R> {
        match update {
            // DynamoDB refuses an update that changes nothing: what is left of it is its condition.
            Ok(update) if update.is_empty() => {
                let condition = update.condition.and(Condition::anything());
                self.add_step::<E>(update.key, Ok(Work::Check), condition)
            }
            Ok(update) => {
                let work = Work::Update(update.set, update.remove, update.add);
                self.add_step::<E>(update.key, Ok(work), update.condition)
            }
            Err(error) => {
                self.broken = self.broken.take().or(Some(error));
                StepHandle {
                    refusal: None,
                    step: Step(self.steps.len()),
                }
            }
        }
    }

    /// As [`TransactionBuilder::update`], and adds to a number of the item.
    pub fn update_and_add<E: Entity>(
        &mut self,
        before: &E,
        after: &E,
        addition: impl Into<Addition>,
        condition: Condition,
    ) -> StepHandle<'_, R> {
        let table = self.tables.of::<E>();
        let update = table.and_then(|t| t.update_of(Some(before), after, condition));
        self.apply::<E>(update.map(|update| update.adding(addition.into())))
    }

    /// Adds to a number of an item, if `condition` holds for it.
    pub fn adding<E: Entity>(
        &mut self,
        id: &E::Id,
        addition: Addition,
        condition: Condition,
    ) -> StepHandle<'_, R> {
        let update = Update::new(E::key_of(id), condition);
        self.apply::<E>(Ok(update.adding(addition)))
    }

    /// Adds to a number of an item, if `condition` holds for it. The number starts from 0 if the attribute or the item
    /// does not exist.
    pub fn add<E: Entity>(
        &mut self,
        id: &E::Id,
        attribute: &'static str,
        by: i64,
        condition: Condition,
    ) -> StepHandle<'_, R> {
        self.add_each::<E>(id, &[(attribute, by)], condition)
    }

    /// As [`TransactionBuilder::add`], for an item that may not exist yet. The attributes of `entity` are written each
    /// time; the number is not one of them.
    pub fn count<E: Entity>(
        &mut self,
        entity: &E,
        addition: impl Into<Addition>,
        condition: Condition,
    ) -> StepHandle<'_, R> {
        let table = self.tables.of::<E>();
        let update = table.and_then(|t| t.update_of(None, entity, condition));
        self.apply::<E>(update.map(|update| update.adding(addition.into())))
    }

    /// As [`TransactionBuilder::add`], and sets an attribute.
    pub fn add_and_set<E: Entity>(
        &mut self,
        id: &E::Id,
        addition: impl Into<Addition>,
        attribute: &'static str,
        value: &impl serde::Serialize,
        condition: Condition,
    ) -> StepHandle<'_, R> {
        let update = Update::new(E::key_of(id), condition);
        self.apply::<E>(Ok(update.adding(addition.into()).set(attribute, value)))
    }

    /// As [`TransactionBuilder::add`], for several numbers of one item.
    pub fn add_each<E: Entity>(
        &mut self,
        id: &E::Id,
        numbers: &[(&'static str, i64)],
        condition: Condition,
    ) -> StepHandle<'_, R> {
        let update = Update::new(E::key_of(id), condition);
        let update = numbers.iter().fold(update, |update, (attribute, by)| {
            update.add(*attribute, *by)
        });
        self.apply::<E>(Ok(update))
    }

    /// Deletes an item, if `condition` holds for it.
    pub fn delete<E: Entity>(&mut self, id: &E::Id, condition: Condition) -> StepHandle<'_, R> {
        self.add_step::<E>(E::key_of(id), Ok(Work::Delete), condition)
    }

    /// As [`TransactionBuilder::delete`], for an item that was read from a list: its attributes may not name its key.
    pub fn delete_at<E: Entity>(&mut self, key: &Key, condition: Condition) -> StepHandle<'_, R> {
        self.add_step::<E>(key.clone(), Ok(Work::Delete), condition)
    }

    /// Refuses the whole unit if `condition` does not hold for an item.
    pub fn check<E: Entity>(&mut self, id: &E::Id, condition: Condition) -> StepHandle<'_, R> {
        self.add_step::<E>(E::key_of(id), Ok(Work::Check), condition)
    }

    /// Moves the last step to the front.
    pub(super) fn last_first(&mut self) -> Step {
        self.steps.rotate_right(1);
        self.refusals.rotate_right(1);
        Step(0)
    }

    /// The steps that only check.
    pub(super) fn checks(&self) -> Vec<Step> {
        let steps = self.steps.iter().enumerate();
        steps
            .filter(|(_, step)| matches!(step.work, Work::Check))
            .map(|(at, _)| Step(at))
            .collect()
    }

    /// Whether it writes nothing.
    pub(super) fn only_checks(&self) -> bool {
        self.steps
            .iter()
            .all(|step| matches!(step.work, Work::Check))
    }

    /// How many steps it has.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether it has no step.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Commits all steps in one call: one TransactWriteItems, or one PutItem or UpdateItem, at half the price, for a
    /// single one. One call more if a condition fails only for the spelling of what another program stored.
    ///
    /// # Errors
    /// [`UnitError`]. Nothing was written, unless the error is that a write is unconfirmed.
    pub async fn commit(self) -> Result<(), UnitError<R>> {
        if let Some(error) = self.broken {
            return Err(error.into());
        }
        if let Some(fault) = fault(&self.steps) {
            return Err(TableError::Built(fault.into()).into());
        }
        let mut steps = self.steps;
        loop {
            match send(&steps, self.tables.meter()).await {
                Ok(()) => return Ok(()),
                Err(TransactionError::Table(error)) => return Err(error.into()),
                Err(TransactionError::Canceled(reasons)) if respell(&mut steps, &reasons) => {}
                Err(TransactionError::Canceled(reasons)) => {
                    return Err(UnitError::Canceled(Canceled {
                        steps,
                        reasons,
                        refusals: self.refusals,
                    }));
                }
            }
        }
    }
}

async fn send(steps: &[Planned], meter: &Meter) -> Result<(), TransactionError> {
    match steps {
        [] => Ok(()),
        [only] if only.stands_alone() => match only.send(meter).await {
            Ok(()) => Ok(()),
            Err(WriteError::Table(TableError::Malformed(malformed))) => {
                let mistyped = format!("{}: {}", only.place(), malformed.reason);
                Err(TableError::mistyped(mistyped).into())
            }
            Err(WriteError::Table(error)) => Err(error.into()),
            Err(WriteError::ConditionFailed(item)) => {
                let reason = Reason::ConditionFailed { item };
                Err(TransactionError::Canceled(vec![Some(reason)]))
            }
        },
        [first, ..] => {
            let mut sent = transact(&first.table, steps, meter).await;
            if let Err(TransactionError::Canceled(reasons)) = &mut sent {
                for (step, reason) in steps.iter().zip(reasons) {
                    if let Some(Reason::Mistyped(why)) = reason {
                        *why = format!("{}: {why}", step.place());
                    }
                }
            }
            sent
        }
    }
}

/// Makes the steps that failed hold, if they fail only for the spelling of what is stored. False, and nothing is changed, if
/// one of them fails for its meaning.
fn respell(steps: &mut [Planned], reasons: &[Option<Reason>]) -> bool {
    let failed = reasons.iter().enumerate();
    let failed = failed.filter_map(|(at, reason)| Some((at, reason.as_ref()?)));
    let respelled = failed.map(|(at, reason)| match reason {
        Reason::ConditionFailed { item: Some(stored) } => {
            let step = steps.get(at)?;
            let respelled = step.reading?.respelled(&step.condition, stored)?;
            Some((at, respelled))
        }
        _ => None,
    });
    let Some(respelled) = respelled.collect::<Option<Vec<_>>>() else {
        return false;
    };
    let is_any = !respelled.is_empty();
    for (at, condition) in respelled {
        if let Some(step) = steps.get_mut(at) {
            step.condition = condition;
        }
    }
    is_any
}
