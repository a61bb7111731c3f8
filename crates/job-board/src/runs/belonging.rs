//! What belongs to a profile is gone from the moment when the profile is deleted, although it is deleted in the background.

use std::collections::HashSet;

use chrono::DateTime;

use crate::access::Party;
use crate::seekers::Seeker;
use trestle_api::{ApiError, Session};
use trestle_domain::{Moment, UserId, Violations};
use trestle_table::{Condition, Entity, TableError, TransactionBuilder, VisibilityFilter, item_of};

use super::{Run, Target};

/// Refuses unless the seeker has a profile.
pub fn must_have_profile(
    unit: &mut TransactionBuilder<Violations>,
    seeker: &UserId,
    refused: Violations,
) {
    unit.check::<Seeker>(seeker, Condition::Exists).or(refused);
}

/// Refuses what readers no longer see because a profile is being deleted, as of [`Deletions::spare`].
pub fn must_be_kept<E: Belonging>(
    unit: &mut TransactionBuilder<Violations>,
    of: &E,
    refused: &Violations,
) {
    for (party, user) in of.sides() {
        if let Some(user) = user {
            must_belong_to(unit, party, user, of.made_at(), refused.clone());
        }
    }
}

/// Refuses what was made at this moment if it belongs to a profile that is still being deleted. What other programs or
/// earlier releases made without a profile is not refused.
pub fn must_belong_to(
    unit: &mut TransactionBuilder<Violations>,
    party: Party,
    user: &UserId,
    made_at: Moment,
    refused: Violations,
) {
    let target = Target::Deletion(party, user.clone());
    // What was made at the moment of the deletion is deleted.
    let before = made_at
        .millis()
        .checked_sub(1)
        .and_then(DateTime::from_timestamp_millis);
    let latest = before.map(|before| Run::new(target.clone(), before));
    let latest = latest.and_then(|run| item_of(&run).ok()?.remove("requestedAt"));
    let earlier = latest.map(|moment| Condition::AtMost("requestedAt", moment));
    let is_done = Condition::Any([Condition::Missing].into_iter().chain(earlier).collect());
    unit.check::<Run>(&target, is_done).or(refused);
}

/// What is deleted with the profiles of the two between whom it is.
pub trait Belonging {
    /// The seeker and the employer; a side with which it is not deleted is `None`.
    fn sides(&self) -> [(Party, Option<&UserId>); 2];

    /// When it was made.
    fn made_at(&self) -> Moment;
}

/// The deletions with which something can be deleted.
fn deletions<E: Belonging>(of: &E) -> impl Iterator<Item = Target> {
    let sides = of.sides().into_iter();
    sides.filter_map(|(party, user)| Some(Target::Deletion(party, user?.clone())))
}

impl Run {
    /// Whether this deletion deletes what was made at a moment.
    fn takes(&self, made_at: Moment) -> bool {
        self.requested_at.is_none_or(|since| made_at <= since)
    }
}

/// The deletions of profiles with which something may go.
#[derive(Debug)]
pub struct Deletions(Vec<Run>);

impl Deletions {
    /// Those of these two. Asked at the same time as the thing itself, they share its BatchGetItem.
    ///
    /// # Errors
    /// The store does not answer; an item cannot be read.
    pub async fn of(
        session: &Session,
        sides: [(Party, Option<&UserId>); 2],
    ) -> Result<Self, ApiError> {
        let [one, other] = sides.map(|(party, user)| async move {
            match user {
                Some(user) => {
                    let target = Target::Deletion(party, user.clone());
                    session.load::<Run>(&target).await
                }
                None => Ok(None),
            }
        });
        let (one, other) = tokio::try_join!(one, other)?;
        Ok(Self(one.into_iter().chain(other).collect()))
    }

    /// Whether something is still there for readers: neither of the two deletes the profile that they had then.
    pub fn spare<E: Belonging>(&self, of: &E) -> bool {
        let made_at = of.made_at();
        !deletions(of).any(|target| {
            let mut own = self.0.iter().filter(|run| run.target == target);
            own.any(|run| run.takes(made_at))
        })
    }
}

/// Whether something is still there for readers. Loads of the same time share a BatchGetItem.
///
/// # Errors
/// As [`Deletions::of`].
pub async fn is_kept<E: Belonging>(session: &Session, of: &E) -> Result<bool, ApiError> {
    Ok(Deletions::of(session, of.sides()).await?.spare(of))
}

/// Lets through what is still there for readers. One BatchGetItem for a page.
pub struct OfKept<'s>(pub &'s Session);

impl<E: Entity + Belonging + Sync> VisibilityFilter<E> for OfKept<'_> {
    async fn admit(&self, entities: &[&E]) -> Result<Vec<bool>, TableError> {
        let mut targets: Vec<Target> = Vec::new();
        let mut seen = HashSet::new();
        for target in entities.iter().flat_map(|entity| deletions(*entity)) {
            if seen.insert(Run::key_of(&target)) {
                targets.push(target);
            }
        }
        let runs = self.0.tables.batch::<Run>(&targets).await?;
        let mut going = Vec::new();
        for run in runs.into_iter().flatten() {
            going.push(run.map_err(TableError::from)?);
        }
        let going = Deletions(going);
        Ok(entities.iter().map(|entity| going.spare(*entity)).collect())
    }
}
