//! Making and changing entities that count their versions: each change once, whatever gets lost on the way.
//!
//! A change is written if the item is still the one that was read. Where it is not, either someone else was faster,
//! or this very change was written before and its answer lost. Each item remembers its last changes, so the two are
//! told apart; a create is known by a digest of what it was made of.

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::entity::item_of;
use super::expression::canonical;
use super::{
    Canceled, ChangeError, Changed, Condition, Entity, Exhausted, Item, Reason, Step, TableError,
    Tables, TransactionBuilder, UnitError, Update, from_item,
};

/// An entity that counts its changes.
pub trait Versioned: Entity + Clone + PartialEq {
    /// How many of its last changes an item remembers. None where a change that was made twice is made once anyway.
    const REMEMBERED: usize = 16;
    /// The attributes in which two creates of the same input differ.
    const MOMENTS: &'static [&'static str] = &["createdAt", "updatedAt"];

    /// Its version, as clients expect it.
    fn version(&self) -> u32;

    /// Makes it the next version, changed `now`.
    fn advance(&mut self, now: DateTime<Utc>);

    /// What holds of the stored item as long as it is this one.
    fn unchanged(&self) -> Condition {
        Condition::version("version", self.version())
    }
}

/// Where an item remembers its last changes: tokens of 8 bytes, the newest last.
const CHANGES: &str = "lastChanges";
const TOKEN: usize = 8;
/// Where an item keeps the digest of what it was made of.
const MADE_OF: &str = "madeOf";
/// The largest version: GraphQL's `Int` has no larger number.
const LAST_VERSION: u32 = i32::MAX.unsigned_abs();

fn bytes<'i>(item: &'i Item, attribute: &str) -> &'i [u8] {
    let value = item.get(attribute).and_then(|value| value.as_b().ok());
    value.map_or(&[], Blob::as_ref)
}

fn new_token() -> [u8; TOKEN] {
    let (high, low) = Uuid::new_v4().as_u64_pair();
    (high ^ low.rotate_left(32)).to_be_bytes()
}

/// What an item is made of, without its moments.
fn digest_of<E: Versioned>(entity: &E, item: &Item) -> AttributeValue {
    // They may have moments in them, and say nothing that the other attributes do not.
    let index_keys = entity.index_keys();
    let is_index_key = |attribute: &str| {
        let mut names = index_keys.iter().flat_map(|key| key.index.attributes());
        names.any(|name| name == attribute)
    };
    let mut attributes: Vec<_> = item.iter().collect();
    attributes.sort_unstable_by_key(|(name, _)| *name);
    let mut digest = Sha256::new();
    for (name, value) in attributes {
        if !E::MOMENTS.contains(&name.as_str()) && !is_index_key(name) {
            digest.update(format!("{name:?}:{}\n", canonical(value)));
        }
    }
    let digest = digest.finalize();
    AttributeValue::B(Blob::new(digest.get(..16).unwrap_or_default().to_vec()))
}

/// What a plan makes of an entity.
enum Edit<E> {
    Replace(E),
    Delete,
}

/// A change of one entity, over all of its attempts. `F` is its plan.
struct Change<'c, E: Entity, F> {
    tables: &'c Tables,
    id: &'c E::Id,
    expected: Option<u32>,
    /// The same for every attempt, so that each is known for ours.
    token: [u8; TOKEN],
    plan: F,
}

/// What an attempt starts from.
enum State<E, T> {
    /// An entity of a list, which may be out of date.
    Seen(E),
    /// The item is to be read.
    Unread,
    /// The item that another change left.
    Read(Item),
    /// An attempt met other writes. It may have been applied when it was first sent.
    Unclear(Attempt<E, T>),
}

/// How an attempt ended, unless by an error.
enum Outcome<E, T> {
    /// It is written, or there is nothing to write.
    Done(Changed<E>, T),
    /// The plan refuses an entity that may be out of date.
    OutOfDate,
    /// Another change was first. The item is as that left it.
    Overtaken(Item),
    /// Other writes were in progress, or DynamoDB throttles.
    Met {
        /// `None` if the attempt only checks.
        attempt: Option<Attempt<E, T>>,
        is_throttled: bool,
    },
}

/// A write that was sent.
struct Attempt<E, T> {
    /// The version that it started from.
    version: u32,
    after: E,
    value: T,
    is_gone: bool,
}

impl<E: Versioned, T> Attempt<E, T> {
    fn done<R>(self) -> Result<Outcome<E, T>, ChangeError<R>> {
        Ok(Outcome::Done(Changed::now(self.after), self.value))
    }

    /// Whether it was applied, as the item remembers.
    ///
    /// # Errors
    /// The item has changed so often since that it does not.
    fn was_done(&self, item: &Item, token: [u8; TOKEN]) -> Result<bool, TableError> {
        let mut remembered = bytes(item, CHANGES).chunks(TOKEN);
        if remembered.any(|other| other == token) {
            return Ok(true);
        }
        let now: E = from_item(item.clone())?;
        let since = now.version().saturating_sub(self.version) as usize;
        if E::REMEMBERED > 0 && since > E::REMEMBERED {
            return Err(TableError::Unknown);
        }
        Ok(false)
    }
}

impl<E: Versioned, F> Change<'_, E, F> {
    /// Attempts the change until it is done, refused, or no attempt is left.
    async fn run<R, T>(self, seen: Option<E>) -> Result<(Changed<E>, T), ChangeError<R>>
    where
        F: Fn(&E, &mut TransactionBuilder<R>) -> Result<(Edit<E>, T), R>,
    {
        let mut retries = self.tables.retries();
        let mut state = seen.map_or(State::Unread, State::Seen);
        let mut was_overtaken = false;
        loop {
            let mut exhausted = ChangeError::Contended;
            state = match self.attempt(state).await? {
                Outcome::Done(changed, value) => return Ok((changed, value)),
                Outcome::OutOfDate => {
                    state = State::Unread;
                    continue;
                }
                // The first time, the item at hand saves a pause and a read.
                Outcome::Overtaken(item) if !was_overtaken => {
                    was_overtaken = true;
                    state = State::Read(item);
                    continue;
                }
                Outcome::Overtaken(_) => State::Unread,
                Outcome::Met {
                    attempt,
                    is_throttled,
                } => {
                    if is_throttled {
                        exhausted = TableError::Throttled.into();
                    }
                    attempt.map_or(State::Unread, State::Unclear)
                }
            };
            if let Err(Exhausted) = retries.pause().await {
                return match state {
                    State::Unclear(last) if self.look_up(&last).await?.is_ok() => {
                        Ok((Changed::now(last.after), last.value))
                    }
                    _ => Err(exhausted),
                };
            }
        }
    }

    /// One attempt: the entity as it is, the plan for it, and one write.
    async fn attempt<R, T>(&self, state: State<E, T>) -> Result<Outcome<E, T>, ChangeError<R>>
    where
        F: Fn(&E, &mut TransactionBuilder<R>) -> Result<(Edit<E>, T), R>,
    {
        let is_seen = matches!(state, State::Seen(_));
        let item = match state {
            State::Seen(seen) => Some(item_of(&seen)?),
            State::Unread => self.tables.item::<E>(self.id).await?,
            State::Read(item) => Some(item),
            State::Unclear(last) => match self.look_up(&last).await? {
                Ok(()) => return last.done(),
                Err(item) => item,
            },
        };
        let item = item.ok_or(ChangeError::NotFound)?;
        let remembered = bytes(&item, CHANGES).to_vec();
        let before: E = from_item(item)?;
        let version = before.version();
        if self.expected.is_some_and(|expected| expected != version) {
            return Err(ChangeError::Conflict { current: version });
        }
        let mut unit = self.tables.unit();
        let (edit, value) = match (self.plan)(&before, &mut unit) {
            Ok(planned) => planned,
            // The entity was read some time ago, and the stored one may allow the change.
            Err(_) if is_seen => return Ok(Outcome::OutOfDate),
            Err(refusal) => return Err(ChangeError::Refused(refusal)),
        };
        let mut attempt = Attempt {
            version,
            is_gone: matches!(edit, Edit::Delete),
            after: before.clone(),
            value,
        };
        match edit {
            // What was to be checked still is.
            Edit::Replace(after) if after == before && unit.only_checks() => {
                return match unit.commit().await {
                    Ok(()) => Ok(Outcome::Done(Changed::before(after), attempt.value)),
                    Err(UnitError::Table(error)) => Err(error.into()),
                    Err(UnitError::Canceled(canceled)) => met(canceled, None, None),
                };
            }
            Edit::Replace(_) if version >= LAST_VERSION => return Err(ChangeError::LastVersion),
            Edit::Replace(mut after) => {
                after.advance(self.tables.now());
                let update = self.update_of(&before, &after, &remembered)?;
                unit.apply::<E>(Ok(update)).step();
                attempt.after = after;
            }
            Edit::Delete => {
                unit.delete::<E>(self.id, before.unchanged()).step();
            }
        }
        // It stands first, because not every store reports more than the first reason.
        let own = unit.last_first();
        match unit.commit().await {
            Ok(()) => attempt.done(),
            Err(UnitError::Table(error)) => Err(error.into()),
            Err(UnitError::Canceled(canceled)) => self.canceled(canceled, own, attempt),
        }
    }

    /// What it means that a write of the entity was refused.
    fn canceled<R, T>(
        &self,
        canceled: Canceled<R>,
        own: Step,
        attempt: Attempt<E, T>,
    ) -> Result<Outcome<E, T>, ChangeError<R>> {
        match canceled.at(own) {
            // Deleted by an earlier try of this delete, or by another one: both are done.
            Some(Reason::ConditionFailed { item: None }) if attempt.is_gone => attempt.done(),
            Some(Reason::ConditionFailed { item: None }) => Err(ChangeError::NotFound),
            Some(Reason::ConditionFailed { item: Some(item) }) => {
                if attempt.was_done(item, self.token)? {
                    attempt.done()
                } else {
                    Ok(Outcome::Overtaken(item.clone()))
                }
            }
            _ => met(canceled, Some(own), Some(attempt)),
        }
    }

    /// Whether an attempt was applied; if not, the item as it is now.
    async fn look_up<T>(
        &self,
        attempt: &Attempt<E, T>,
    ) -> Result<Result<(), Option<Item>>, TableError> {
        let Some(item) = self.tables.item::<E>(self.id).await? else {
            return Ok(if attempt.is_gone { Ok(()) } else { Err(None) });
        };
        if attempt.was_done(&item, self.token)? {
            return Ok(Ok(()));
        }
        Ok(Err(Some(item)))
    }

    /// What differs, if the item still is what was read, and that this change was made.
    fn update_of(&self, before: &E, after: &E, remembered: &[u8]) -> Result<Update, TableError> {
        let table = self.tables.of::<E>()?;
        let mut update = table.update_of(Some(before), after, before.unchanged())?;
        // The attributes of another program's item may name another one.
        update.key = E::key_of(self.id);
        if E::REMEMBERED > 0 {
            let kept = remembered.len().min((E::REMEMBERED - 1) * TOKEN);
            let kept = remembered.get(remembered.len() - kept..);
            let changes = [kept.unwrap_or_default(), &self.token].concat();
            let changes = AttributeValue::B(Blob::new(changes));
            update.set.insert(CHANGES.to_owned(), changes);
        }
        Ok(update)
    }
}

impl Tables {
    /// Makes an entity, and with it what `with` adds. The same create sent again answers what the first one made, as
    /// it is now, unless a check of `with` fails: who may not create it learns neither what is stored nor that it is.
    /// One PutItem, or one TransactWriteItems.
    pub async fn create<E: Versioned, R>(
        &self,
        entity: E,
        with: impl Fn(&mut TransactionBuilder<R>),
    ) -> Result<Changed<E>, ChangeError<R>> {
        Ok(self.create_with(entity, with).await?.0)
    }

    /// As [`Tables::create`], with the value that `with` returned in the last attempt.
    pub async fn create_with<E: Versioned, R, T>(
        &self,
        entity: E,
        with: impl Fn(&mut TransactionBuilder<R>) -> T,
    ) -> Result<(Changed<E>, T), ChangeError<R>> {
        let mut item = item_of(&entity)?;
        let made_of = digest_of(&entity, &item);
        if E::REMEMBERED > 0 {
            item.insert(MADE_OF.to_owned(), made_of.clone());
        }
        let mut retries = self.retries();
        loop {
            let mut unit = self.unit();
            let made = unit
                .put_item::<E>(entity.key(), Ok(item.clone()), Condition::Missing)
                .step();
            let value = with(&mut unit);
            let checks = unit.checks();
            let canceled = match unit.commit().await {
                Ok(()) => return Ok((Changed::now(entity), value)),
                Err(UnitError::Table(error)) => return Err(error.into()),
                Err(UnitError::Canceled(canceled)) => canceled,
            };
            if let Some(there) = not_created(canceled, made, &checks)? {
                if there != item && there.get(MADE_OF) != Some(&made_of) {
                    return Err(ChangeError::Taken);
                }
                return Ok((Changed::before(from_item(there)?), value));
            }
            retries.pause().await?;
        }
    }

    /// Changes an entity by `plan`, and with it what that adds; what changes nothing writes nothing. Tried again while
    /// others get there first, unless the caller expects a version. One GetItem, then one UpdateItem or one
    /// TransactWriteItems; each other try one more.
    pub async fn change<E: Versioned, R>(
        &self,
        id: &E::Id,
        expected: Option<u32>,
        plan: impl Fn(&E, &mut TransactionBuilder<R>) -> Result<E, R>,
    ) -> Result<Changed<E>, ChangeError<R>> {
        let changed = self.change_with(id, expected, |entity: &E, unit| {
            Ok((plan(entity, unit)?, ()))
        });
        Ok(changed.await?.0)
    }

    /// As [`Tables::change`], with a value of the plan: that of the attempt which was done.
    pub async fn change_with<E: Versioned, R, T>(
        &self,
        id: &E::Id,
        expected: Option<u32>,
        plan: impl Fn(&E, &mut TransactionBuilder<R>) -> Result<(E, T), R>,
    ) -> Result<(Changed<E>, T), ChangeError<R>> {
        let alteration = self.alteration(id, expected, |entity: &E, unit| {
            let (next, value) = plan(entity, unit)?;
            Ok((Edit::Replace(next), value))
        });
        alteration.run(None).await
    }

    /// As [`Tables::change`], beginning with an entity that was just seen, be it in an index that is behind: what is
    /// refused of it is tried again on the one that is stored. One call less, for entities that remember no changes.
    pub async fn change_seen<E: Versioned, R>(
        &self,
        seen: E,
        plan: impl Fn(&E, &mut TransactionBuilder<R>) -> Result<E, R>,
    ) -> Result<Changed<E>, ChangeError<R>> {
        let id = seen.identity();
        let seen = (E::REMEMBERED == 0).then_some(seen);
        let alteration = self.alteration(&id, None, |entity: &E, unit| {
            Ok((Edit::Replace(plan(entity, unit)?), ()))
        });
        Ok(alteration.run(seen).await?.0)
    }

    /// Deletes an entity, and with it does what `with` adds. As [`Tables::change`]; answers what is gone.
    pub async fn delete<E: Versioned, R>(
        &self,
        id: &E::Id,
        expected: Option<u32>,
        with: impl Fn(&E, &mut TransactionBuilder<R>) -> Result<(), R>,
    ) -> Result<Changed<E>, ChangeError<R>> {
        let plan =
            |entity: &E, unit: &mut TransactionBuilder<R>| Ok((Edit::Delete, with(entity, unit)?));
        Ok(self.alteration(id, expected, plan).run(None).await?.0)
    }

    fn alteration<'c, E: Versioned, R, T, F>(
        &'c self,
        id: &'c E::Id,
        expected: Option<u32>,
        plan: F,
    ) -> Change<'c, E, F>
    where
        F: Fn(&E, &mut TransactionBuilder<R>) -> Result<(Edit<E>, T), R>,
    {
        Change {
            tables: self,
            id,
            expected,
            token: new_token(),
            plan,
        }
    }
}

/// Why an entity was not created: the item that has its key, or `None` if another attempt may succeed.
fn not_created<R>(
    mut canceled: Canceled<R>,
    made: Step,
    checks: &[Step],
) -> Result<Option<Item>, ChangeError<R>> {
    if canceled.fails_one_of(checks) {
        let refusal = canceled.refusal_of(checks);
        return Err(refusal.map_or_else(|| canceled.fault().into(), ChangeError::Refused));
    }
    // A check that met another write is neither passed nor failed.
    let are_passed = checks.iter().all(|check| canceled.at(*check).is_none());
    if are_passed && let Some(Reason::ConditionFailed { item }) = canceled.at(made) {
        return item.clone().map(Some).ok_or(ChangeError::Taken);
    }
    canceled.final_error(Some(made)).map_or(Ok(None), Err)
}

/// Another attempt, if it may succeed.
fn met<E, R, T>(
    mut canceled: Canceled<R>,
    own: Option<Step>,
    attempt: Option<Attempt<E, T>>,
) -> Result<Outcome<E, T>, ChangeError<R>> {
    if let Some(error) = canceled.final_error(own) {
        return Err(error);
    }
    Ok(Outcome::Met {
        attempt,
        is_throttled: canceled.is_throttled(),
    })
}
