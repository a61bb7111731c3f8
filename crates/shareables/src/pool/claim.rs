//! Creating a shareable under a short id that nothing else ever had.

use std::io;

use super::{BUCKETS, Free, bucket, free};
use crate::checklist::ChecklistItem;
use crate::guesses::Guesses;
use crate::invitation::Invitation;
use crate::poll::PollOption;
use crate::shareable::Shareable;
use crate::short_id::{IssuedShortId, ShortId};
use trestle_service::random_bytes;
use trestle_table::{
    ChangeError, Condition, Entity, TableError, Tables, TransactionBuilder, UnitError, item_of,
};

/// Buckets that are read for a free short id, before one is made.
const READS: usize = 4;
/// Free short ids that are read of a bucket: those who claim at once seldom want the same.
const CHOICE: usize = 8;
/// How many short ids are tried.
const TRIES: usize = 16;
/// The most parts that are created in one transaction with their shareable.
const TOGETHER: usize = 90;

/// The items or options of a shareable to create.
pub enum NewParts {
    Items(Vec<ChecklistItem>),
    Options(Vec<PollOption>),
}

/// What is created with a shareable.
pub struct Belongings {
    pub parts: NewParts,
    /// Who is known to have opened it.
    pub known: Vec<Guesses>,
    pub invitations: Vec<Invitation>,
}

/// A short id, and where in the pool it was found.
pub struct Claim {
    pub id: ShortId,
    entry: Option<Free>,
}

/// Why a shareable was not created.
#[derive(Debug, thiserror::Error)]
pub enum NotCreated {
    /// The store failed.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The system has no randomness.
    #[error("no short id could be made")]
    Random(#[from] io::Error),
    /// Others claimed each short id first.
    #[error("every short id that was tried was claimed by others")]
    Contended,
}

/// Why a claim was refused.
enum Refused {
    /// The short id was given before.
    AlreadyIssued,
    /// Somebody else has claimed the pool's entry.
    Gone,
}

/// A number below `below`.
fn random(below: usize) -> io::Result<usize> {
    let number = usize::try_from(u64::from_le_bytes(random_bytes()?) >> 1).unwrap_or_default();
    Ok(number.checked_rem(below).unwrap_or_default())
}

impl Claim {
    /// A short id of a random bucket; one that is made where the buckets are empty. One Query, up to [`READS`].
    async fn next(tables: &Tables, is_low: impl FnOnce()) -> Result<Self, NotCreated> {
        for _ in 0..READS {
            let at = u32::try_from(random(BUCKETS as usize)?).unwrap_or_default();
            let found = bucket(tables, at)?
                .limit(CHOICE)
                .page(tables.meter())
                .await?;
            let readable = found.items.into_iter().filter_map(|item| free(item).ok());
            let mut found: Vec<_> = readable.collect();
            if !found.is_empty() {
                let entry = found.swap_remove(random(found.len())?);
                return Ok(Self {
                    id: entry.id.clone(),
                    entry: Some(entry),
                });
            }
        }
        is_low();
        Ok(Self {
            id: ShortId::random()?,
            entry: None,
        })
    }

    /// Adds what makes the short id its claimer's for good.
    fn add_to(&self, unit: &mut TransactionBuilder<Refused>) {
        let given = IssuedShortId {
            short_id: self.id.clone(),
        };
        unit.put_new(&given).or(Refused::AlreadyIssued);
        if let Some(entry) = &self.entry {
            let same = Condition::is("id", &entry.id);
            unit.delete::<Free>(&entry.identity(), same)
                .or(Refused::Gone);
        }
    }

    /// Removes the pool's entry of a short id that was given before.
    async fn retire(&self, tables: &Tables) -> Result<(), TableError> {
        let Some(entry) = &self.entry else {
            return Ok(());
        };
        let mut unit = tables.unit::<()>();
        let same = Condition::is("id", &entry.id);
        unit.delete::<Free>(&entry.identity(), same);
        match unit.commit().await {
            Ok(()) | Err(UnitError::Canceled(_)) => Ok(()),
            Err(UnitError::Table(error)) => Err(error),
        }
    }
}

impl Belongings {
    fn len(&self) -> usize {
        self.parts.len() + self.invitations.len()
    }

    /// Adds all but the parts.
    fn add_to(&self, unit: &mut TransactionBuilder<Refused>) {
        put_all(unit, &self.known);
        put_all(unit, &self.invitations);
    }
}

impl NewParts {
    fn len(&self) -> usize {
        match self {
            NewParts::Items(items) => items.len(),
            NewParts::Options(options) => options.len(),
        }
    }

    fn add_to(&self, unit: &mut TransactionBuilder<Refused>) {
        match self {
            NewParts::Items(items) => put_all(unit, items),
            NewParts::Options(options) => put_all(unit, options),
        }
    }

    /// Writes them under a short id that is claimed, where nobody can read them yet.
    async fn write(&self, tables: &Tables) -> Result<(), TableError> {
        let items: Result<Vec<_>, _> = match self {
            NewParts::Items(parts) => parts.iter().map(item_of).collect(),
            NewParts::Options(parts) => parts.iter().map(item_of).collect(),
        };
        tables
            .of::<ChecklistItem>()?
            .batch_put(items?, tables.meter())
            .await
    }
}

fn put_all<E: Entity>(unit: &mut TransactionBuilder<Refused>, parts: &[E]) {
    for part in parts {
        unit.put_new(part);
    }
}

/// Creates a shareable with what belongs to it, as `make` makes it of a short id. One Query of the pool and one
/// TransactWriteItems over both tables; more than 90 parts are written before it, by BatchWriteItem. A shareable that
/// is not created leaves at most parts that nobody can read, and that expire.
pub async fn create(
    tables: &Tables,
    make: impl Fn(&ShortId) -> (Shareable, Belongings),
    is_low: impl Fn(),
) -> Result<Shareable, NotCreated> {
    for _ in 0..TRIES {
        let claim = Claim::next(tables, &is_low).await?;
        let (shareable, belongings) = make(&claim.id);
        let created = match belongings.len() {
            ..=TOGETHER => {
                let created = tables.create(shareable, |unit| {
                    claim.add_to(unit);
                    belongings.add_to(unit);
                    belongings.parts.add_to(unit);
                });
                created.await
            }
            _ => create_large(tables, &claim, shareable, &belongings).await,
        };
        match created {
            Ok(created) => return Ok(created.entity),
            Err(ChangeError::Table(error)) => return Err(error.into()),
            Err(ChangeError::Taken | ChangeError::Refused(Refused::AlreadyIssued)) => {
                claim.retire(tables).await?;
            }
            Err(
                ChangeError::Refused(Refused::Gone)
                | ChangeError::Contended
                | ChangeError::NotFound
                | ChangeError::LastVersion
                | ChangeError::Conflict { .. },
            ) => {}
        }
    }
    Err(NotCreated::Contended)
}

/// Claims first, so that the parts are written under a short id that is nobody else's.
async fn create_large(
    tables: &Tables,
    claim: &Claim,
    shareable: Shareable,
    belongings: &Belongings,
) -> Result<trestle_table::Changed<Shareable>, ChangeError<Refused>> {
    let mut unit = tables.unit();
    claim.add_to(&mut unit);
    belongings.add_to(&mut unit);
    match unit.commit().await {
        Ok(()) => {}
        Err(UnitError::Table(error)) => return Err(error.into()),
        Err(UnitError::Canceled(mut canceled)) => {
            let refusal = canceled.refusal();
            return Err(refusal.map_or(ChangeError::Contended, ChangeError::Refused));
        }
    }
    belongings.parts.write(tables).await?;
    tables.create(shareable, |_| {}).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_random_number_is_below_its_bound() {
        assert!((0..1000).all(|_| random(7).unwrap() < 7));
        assert_eq!(random(0).unwrap(), 0);
    }
}
