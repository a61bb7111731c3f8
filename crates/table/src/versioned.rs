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
    ChangeError, Changed, Condition, Entity, Exhausted, Item, Reason, Retries, TableError, Tables,
    TransactionBuilder, UnitError, Update, from_item,
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
/// How often a write that met others is tried again.
const RETRIES: usize = 24;

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

/// A try that was refused, though it may have been done when it was first sent.
struct Attempt<E> {
    /// The version that it started from.
    version: u32,
    after: E,
    is_gone: bool,
}

impl<E: Versioned> Attempt<E> {
    /// Whether it was done, as the item remembers.
    ///
    /// # Errors
    /// The item has changed so often since that it does not.
    fn was_done(&self, item: &Item, token: [u8; TOKEN]) -> Result<bool, TableError> {
        if bytes(item, CHANGES)
            .chunks(TOKEN)
            .any(|other| other == token)
        {
            return Ok(true);
        }
        let now: E = from_item(item.clone())?;
        let since = now.version().saturating_sub(self.version) as usize;
        if E::REMEMBERED > 0 && since > E::REMEMBERED {
            Err(TableError::Unknown)
        } else {
            Ok(false)
        }
    }
}

/// What is to become of an entity.
enum Next<E> {
    Changed(Box<E>),
    Gone,
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
        let mut item = item_of(&entity)?;
        let made_of = digest_of(&entity, &item);
        if E::REMEMBERED > 0 {
            item.insert(MADE_OF.to_owned(), made_of.clone());
        }
        let mut retries = Retries::new(RETRIES, self.meter());
        loop {
            let mut unit = self.unit();
            let made = unit
                .put_item::<E>(entity.key(), Ok(item.clone()), Condition::Missing)
                .step();
            with(&mut unit);
            let checks = unit.checks();
            let mut canceled = match unit.commit().await {
                Ok(()) => return Ok(Changed::now(entity)),
                Err(UnitError::Table(error)) => return Err(error.into()),
                Err(UnitError::Canceled(canceled)) => canceled,
            };
            if canceled.fails_one_of(&checks) {
                let refusal = canceled.refusal_of(&checks);
                return Err(refusal.map_or_else(|| canceled.fault().into(), ChangeError::Refused));
            }
            // A check that met another write is neither passed nor failed.
            let are_passed = checks.iter().all(|check| canceled.at(*check).is_none());
            if let Some(Reason::ConditionFailed { item: there }) =
                canceled.at(made).filter(|_| are_passed)
            {
                let is_ours = |there: &&Item| {
                    **there == item || there.get(MADE_OF).is_some_and(|digest| *digest == made_of)
                };
                let there = there.as_ref().filter(is_ours).ok_or(ChangeError::Taken)?;
                return Ok(Changed::before(from_item(there.clone())?));
            }
            let is_met = canceled.at(made).is_some();
            if let Some(refusal) = canceled.refusal().filter(|_| !is_met) {
                return Err(ChangeError::Refused(refusal));
            }
            if let Some(lasting) = canceled.lasting() {
                return Err(lasting.into());
            }
            if !is_met && !canceled.will_pass() {
                return Err(canceled.fault().into());
            }
            retries
                .pause()
                .await
                .map_err(|Exhausted| ChangeError::Contended)?;
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
        self.alter(id, None, expected, |entity, unit| {
            Ok(Next::Changed(Box::new(plan(entity, unit)?)))
        })
        .await
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
        self.alter(&id, seen, None, |entity, unit| {
            Ok(Next::Changed(Box::new(plan(entity, unit)?)))
        })
        .await
    }

    /// Deletes an entity, and with it does what `with` adds. As [`Tables::change`]; answers what is gone.
    pub async fn delete<E: Versioned, R>(
        &self,
        id: &E::Id,
        expected: Option<u32>,
        with: impl Fn(&E, &mut TransactionBuilder<R>) -> Result<(), R>,
    ) -> Result<Changed<E>, ChangeError<R>> {
        self.alter(id, None, expected, |entity, unit| {
            with(entity, unit)?;
            Ok(Next::Gone)
        })
        .await
    }

    async fn alter<E: Versioned, R>(
        &self,
        id: &E::Id,
        seen: Option<E>,
        expected: Option<u32>,
        plan: impl Fn(&E, &mut TransactionBuilder<R>) -> Result<Next<E>, R>,
    ) -> Result<Changed<E>, ChangeError<R>> {
        // The same for every try, so that each is known for ours.
        let token = new_token();
        let mut tried: Option<Attempt<E>> = None;
        let mut retries = Retries::new(RETRIES, self.meter());
        let mut is_seen = seen.is_some();
        let mut at_hand = seen.map(|seen| item_of(&seen)).transpose()?;
        let mut has_met = false;
        loop {
            let item = match at_hand.take() {
                Some(item) => Some(item),
                None => self.item::<E>(id).await?,
            };
            let Some(item) = item else {
                let gone = tried.filter(|tried| tried.is_gone);
                return gone.map_or(Err(ChangeError::NotFound), |tried| {
                    Ok(Changed::now(tried.after))
                });
            };
            if let Some(tried) = tried.take()
                && tried.was_done(&item, token)?
            {
                return Ok(Changed::now(tried.after));
            }
            let remembered = bytes(&item, CHANGES).to_vec();
            let before: E = from_item(item)?;
            let version = before.version();
            if expected.is_some_and(|expected| expected != version) {
                return Err(ChangeError::Conflict { current: version });
            }
            let mut unit = self.unit();
            let planned = match plan(&before, &mut unit) {
                Err(_) if std::mem::take(&mut is_seen) => continue,
                planned => planned.map_err(ChangeError::Refused)?,
            };
            let is_gone = matches!(planned, Next::Gone);
            let (after, this) = match planned {
                // Nothing to write; what was to be checked still is.
                Next::Changed(after) if *after == before && unit.only_checks() => (*after, None),
                Next::Changed(_) if version >= LAST_VERSION => {
                    return Err(ChangeError::LastVersion);
                }
                Next::Changed(mut after) => {
                    after.advance(self.now());
                    let mut update = self.update_of(&before, &after, &remembered, token)?;
                    // The attributes of another program's item may name another one.
                    update.key = E::key_of(id);
                    unit.apply::<E>(Ok(update)).step();
                    (*after, Some(unit.last_first()))
                }
                Next::Gone => {
                    unit.delete::<E>(id, before.unchanged()).step();
                    (before, Some(unit.last_first()))
                }
            };
            let mut canceled = match unit.commit().await {
                Ok(()) => {
                    return Ok(Changed {
                        entity: after,
                        is_written: this.is_some(),
                    });
                }
                Err(UnitError::Table(error)) => return Err(error.into()),
                Err(UnitError::Canceled(canceled)) => canceled,
            };
            let this_try = Attempt {
                version,
                after,
                is_gone,
            };
            // It stands first, because not every store tells more than the first reason.
            match this.and_then(|this| canceled.at(this)) {
                Some(Reason::ConditionFailed { item: None }) if is_gone => {
                    return Ok(Changed::now(this_try.after));
                }
                Some(Reason::ConditionFailed { item: None }) => return Err(ChangeError::NotFound),
                Some(Reason::ConditionFailed { item: Some(item) }) => {
                    if this_try.was_done(item, token)? {
                        return Ok(Changed::now(this_try.after));
                    }
                    is_seen = false;
                    if !std::mem::replace(&mut has_met, true) {
                        at_hand = Some(item.clone());
                        continue;
                    }
                }
                reason => {
                    // While others are at work on it, what the other steps say may be of this very change.
                    let is_met = reason.is_some();
                    if let Some(refusal) = canceled.refusal().filter(|_| !is_met) {
                        return Err(ChangeError::Refused(refusal));
                    }
                    if let Some(lasting) = canceled.lasting() {
                        return Err(lasting.into());
                    }
                    if !is_met && !canceled.will_pass() {
                        return Err(canceled.fault().into());
                    }
                    tried = this.map(|_| this_try);
                }
            }
            if let Err(Exhausted) = retries.pause().await {
                if let Some(tried) = tried
                    && let Some(item) = self.item::<E>(id).await?
                    && tried.was_done(&item, token)?
                {
                    return Ok(Changed::now(tried.after));
                }
                return Err(if canceled.is_throttled() {
                    ChangeError::Table(TableError::Throttled)
                } else {
                    ChangeError::Contended
                });
            }
        }
    }

    /// What differs, if the item still is what was read, and that this change was made.
    fn update_of<E: Versioned>(
        &self,
        before: &E,
        after: &E,
        remembered: &[u8],
        token: [u8; TOKEN],
    ) -> Result<Update, TableError> {
        let table = self.of::<E>()?;
        let mut update = table.update_of(Some(before), after, before.unchanged())?;
        if E::REMEMBERED > 0 {
            let kept = remembered.len().min((E::REMEMBERED - 1) * TOKEN);
            let kept = remembered.get(remembered.len() - kept..);
            let changes = [kept.unwrap_or_default(), &token].concat();
            update
                .set
                .insert(CHANGES.to_owned(), AttributeValue::B(Blob::new(changes)));
        }
        Ok(update)
    }
}
