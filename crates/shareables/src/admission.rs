//! Whether a passcode is checked, and in which budgets it counts if it is wrong.

use std::time::Duration;

use chrono::{DateTime, Utc};

use super::budget::{OWN, OWN_OF_ALL};
use super::guesses::{Group, Guesses, GuessesId};
use super::known::Seals;
use super::passcode::{Hashes, PasscodeHash};
use super::request_context::RequestContext;
use super::shareable::Shareable;
use super::token::ShareableRole;
use trestle_api::ApiError;

/// The wrong passcodes of a source or a group, as they were read.
pub type Read = (GuessesId, Option<Guesses>);

/// What was read of the sources of an attempt, and of those who are not known.
pub struct Budgets {
    pub sources: Vec<Read>,
    pub strangers: Read,
}

/// Whether a passcode is checked for a role.
pub enum Admission {
    /// It is. If it is wrong, it counts in these budgets.
    Checked(Vec<Read>),
    /// For so long, it is checked only against one that the server made.
    Paused(Duration),
}

/// The admissions of the roles that a passcode is meant for.
pub struct Admissions(Vec<(ShareableRole, Admission)>);

impl Budgets {
    /// The admissions of the role that a passcode is meant for, or of both. As [`Budgets::admission`] of each.
    pub async fn admissions(
        &self,
        context: RequestContext<'_>,
        seals: &Seals,
        role: Option<ShareableRole>,
    ) -> Result<Admissions, ApiError> {
        if let Some(role) = role {
            let admission = self.admission(context, seals, role).await?;
            return Ok(Admissions(vec![(role, admission)]));
        }
        let view = self.admission(context, seals, ShareableRole::View).await?;
        // Compared with the admin passcode alone, the right view passcode would count as a guess at it. If it did not count,
        // that would show which one is right, for the budget of the other passcode.
        let admin = match view {
            Admission::Paused(wait) => Admission::Paused(wait),
            Admission::Checked(_) => self.admission(context, seals, ShareableRole::Admin).await?,
        };
        let both = vec![(ShareableRole::View, view), (ShareableRole::Admin, admin)];
        Ok(Admissions(both))
    }

    /// Whether a passcode is checked for a role. One GetItem of those who were known before if the sources were, and one of
    /// the tries of newcomers while the shared budget pauses.
    async fn admission(
        &self,
        context: RequestContext<'_>,
        seals: &Seals,
        role: ShareableRole,
    ) -> Result<Admission, ApiError> {
        let now = context.session.now();
        let mut sources = self.sources.iter();
        if let Some(own) = sources.find(|(_, guesses)| seals.are_known(guesses.as_ref(), role)) {
            return Ok(match pause_of(own, context, role) {
                Some(wait) => Admission::Paused(wait),
                None => Admission::Checked(vec![own.clone()]),
            });
        }
        let short_id = &self.strangers.0.0;
        let mut sources = self.sources.iter();
        // They share one budget: each voter's id that once opened it would be another one.
        let shared = if sources.any(|(_, guesses)| seals.were_known(guesses.as_ref(), role)) {
            read(context, Group::Former.of(short_id)).await?
        } else {
            self.strangers.clone()
        };
        let Some(wait) = pause_of(&shared, context, role) else {
            return Ok(Admission::Checked(vec![shared]));
        };
        let Some(address) = context.address_hash(short_id) else {
            return Ok(Admission::Paused(wait));
        };
        let newcomers = read(context, Group::Newcomers.of(short_id)).await?;
        let budgets = [&shared, &newcomers].map(|(_, guesses)| guesses.as_ref());
        let budgets = budgets
            .into_iter()
            .flatten()
            .map(|guesses| guesses.budget(role));
        let own: usize = budgets.map(|budget| budget.count_of(&address, now)).sum();
        let all = newcomers.1.as_ref().map(|guesses| guesses.budget(role));
        let has_room = all.is_none_or(|budget| budget.has_room(now, OWN_OF_ALL));
        if own < OWN && has_room {
            Ok(Admission::Checked(vec![newcomers]))
        } else {
            Ok(Admission::Paused(wait))
        }
    }
}

async fn read(context: RequestContext<'_>, id: GuessesId) -> Result<Read, ApiError> {
    let guesses = context.tables().get::<Guesses>(&id).await?;
    Ok((id, guesses))
}

fn pause_of(
    (_, guesses): &Read,
    context: RequestContext<'_>,
    role: ShareableRole,
) -> Option<Duration> {
    guesses.as_ref()?.pause(role, context.session.now())
}

impl Admissions {
    /// The roles.
    pub fn roles(&self) -> Vec<ShareableRole> {
        self.0.iter().map(|(role, _)| *role).collect()
    }

    /// How long the first role is paused that is.
    pub fn wait(&self) -> Option<Duration> {
        let waits = self.0.iter().filter_map(|(_, admission)| match admission {
            Admission::Paused(wait) => Some(*wait),
            Admission::Checked(_) => None,
        });
        waits.min()
    }

    /// Whether no role is checked as usual.
    pub fn are_paused(&self) -> bool {
        let mut admissions = self.0.iter();
        admissions.all(|(_, admission)| matches!(admission, Admission::Paused(_)))
    }

    /// The budgets in which a wrong passcode counts, each once with its roles.
    pub fn budgets(&self) -> Vec<(GuessesId, Option<Guesses>, Vec<ShareableRole>)> {
        let mut budgets: Vec<(GuessesId, Option<Guesses>, Vec<ShareableRole>)> = Vec::new();
        for (role, admission) in &self.0 {
            let Admission::Checked(counted) = admission else {
                continue;
            };
            for (id, guesses) in counted {
                match budgets.iter_mut().find(|(other, ..)| other == id) {
                    Some((.., roles)) => roles.push(*role),
                    None => budgets.push((id.clone(), guesses.clone(), vec![*role])),
                }
            }
        }
        budgets
    }

    /// The hashes that a passcode is compared with, of which `pick` picks one for each role. That of a paused role counts
    /// only if the server made the passcode; `dummy` stands for what is not there.
    fn hashes<'s>(
        &self,
        found: Option<&'s Shareable>,
        dummy: &Hashes,
        pick: impl Fn(&'s Shareable, ShareableRole) -> Option<&'s PasscodeHash>,
    ) -> Hashes {
        let mut hashes = dummy.clone();
        for (role, admission) in &self.0 {
            let Some(hash) = found.and_then(|found| pick(found, *role)) else {
                continue;
            };
            let is_checked = matches!(admission, Admission::Checked(_));
            if !is_checked && !found.is_some_and(|found| found.is_made(hash)) {
                continue;
            }
            match role {
                ShareableRole::View => hashes.view = hash.clone(),
                ShareableRole::Admin => hashes.admin = hash.clone(),
            }
        }
        hashes
    }

    /// The hashes of the present passcodes.
    pub fn present(&self, found: Option<&Shareable>, dummy: &Hashes) -> Hashes {
        self.hashes(found, dummy, |found, role| Some(found.hash_of(role)))
    }

    /// The hashes of the passcodes before.
    pub fn earlier(&self, found: Option<&Shareable>, dummy: &Hashes, now: DateTime<Utc>) -> Hashes {
        self.hashes(found, dummy, |found, role| found.earlier_hash_of(role, now))
    }
}
