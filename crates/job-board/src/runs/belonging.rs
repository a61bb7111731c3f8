//! What belongs to a profile is gone from the moment when the profile is deleted, although it is deleted in the background.

use chrono::DateTime;

use crate::access::Party;
use crate::seekers::Seeker;
use trestle_domain::{Moment, UserId, Violations};
use trestle_table::{Condition, TransactionBuilder, item_of};

use super::{Run, Target};

/// Refuses unless the seeker has a profile.
pub fn must_have_profile(
    unit: &mut TransactionBuilder<Violations>,
    seeker: &UserId,
    refused: Violations,
) {
    unit.check::<Seeker>(seeker, Condition::Exists).or(refused);
}

/// Refuses what was made at this moment if it belongs to a profile that is still being deleted. What other programs or
/// earlier releases made without a profile goes on.
pub fn must_belong(
    unit: &mut TransactionBuilder<Violations>,
    (seeker, made_at): (&UserId, Moment),
    refused: &Violations,
) {
    let target = Target::Deletion(Party::Seeker, seeker.clone());
    // What was made at the moment of the deletion is deleted.
    let before = made_at
        .millis()
        .checked_sub(1)
        .and_then(DateTime::from_timestamp_millis);
    let latest = before.map(|before| Run::new(target.clone(), before));
    let latest = latest.and_then(|run| item_of(&run).ok()?.remove("requestedAt"));
    let earlier = latest.map(|moment| Condition::AtMost("requestedAt", moment));
    let is_done = Condition::Any([Condition::Missing].into_iter().chain(earlier).collect());
    unit.check::<Run>(&target, is_done).or(refused.clone());
}
