//! Who sees which startup, and what belongs to it. Every list, relation and look-up asks here.

use std::collections::HashMap;

use crate::api::{ApiError, Session};
use crate::domain::{Id, Moment};
use crate::table::{Entity, Gate, MalformedItem, TableError};

use super::access_requests::{AccessLevel, Grant};
use super::member::{Member, member};
use super::startups::{Startup, StartupStatus, Visibility};
use super::users::UserRole;

/// Something that belongs to a startup.
pub trait OfStartup {
    /// The startup.
    fn startup(&self) -> Id<Startup>;
}

/// Whether a viewer sees a startup, as far as the startup itself decides.
enum Sight {
    Seen,
    Hidden,
    /// Seen with an approved access request.
    ByGrant,
}

fn sight(member: &Member, startup: &Startup) -> Sight {
    if startup.founder_id == member.id || member.role == UserRole::Admin {
        return Sight::Seen;
    }
    let is_investor = member.role == UserRole::Investor;
    match (startup.status, startup.visibility) {
        (StartupStatus::Active, Visibility::Public) => Sight::Seen,
        (StartupStatus::Active, Visibility::InvestorsOnly) if is_investor => Sight::Seen,
        (StartupStatus::Active, Visibility::Private) if is_investor => Sight::ByGrant,
        (StartupStatus::Active, Visibility::InvestorsOnly | Visibility::Private) => Sight::Hidden,
        (StartupStatus::Draft | StartupStatus::PendingReview | StartupStatus::Suspended, _) => {
            Sight::Hidden
        }
    }
}

/// Visibilities whose active startups a member sees without approved access.
pub fn shelves(member: &Member) -> &'static [Visibility] {
    match member.role {
        UserRole::Founder | UserRole::Talent => &[Visibility::Public],
        UserRole::Investor => &[Visibility::Public, Visibility::InvestorsOnly],
        UserRole::Admin => Visibility::ALL,
    }
}

/// Whether the viewer sees a startup. At most one read, of the investor's grant for a private startup.
///
/// # Errors
/// The store does not answer.
pub async fn sees(session: &Session, startup: &Startup) -> Result<bool, ApiError> {
    let Some(member) = member(session).await? else {
        return Ok(false);
    };
    match sight(&member, startup) {
        Sight::Seen => Ok(true),
        Sight::Hidden => Ok(false),
        Sight::ByGrant => has_access(session, startup, &member, AccessLevel::ViewProfile).await,
    }
}

/// Whether the viewer may read the pitch deck: the founder, and investors with access. At most one read.
///
/// # Errors
/// The store does not answer.
pub async fn reads_deck(session: &Session, startup: &Startup) -> Result<bool, ApiError> {
    let Some(member) = member(session).await? else {
        return Ok(false);
    };
    if startup.founder_id == member.id {
        return Ok(true);
    }
    let may_have_access =
        member.role == UserRole::Investor && startup.status == StartupStatus::Active;
    match may_have_access {
        true => has_access(session, startup, &member, AccessLevel::ViewDeck).await,
        false => Ok(false),
    }
}

async fn has_access(
    session: &Session,
    startup: &Startup,
    member: &Member,
    level: AccessLevel,
) -> Result<bool, ApiError> {
    let id = (startup.startup_id, member.id.clone());
    let grant = session.load::<Grant>(&id).await?;
    Ok(grant.is_some_and(|grant| grant.allows(level, session.now())))
}

/// Lets through what belongs to a startup that the viewer sees. One BatchGetItem for the startups of a page, and one
/// for an investor's grants if there are private ones.
pub struct OfSeenStartups<'s> {
    session: &'s Session,
    member: Option<Member>,
}

impl<'s> OfSeenStartups<'s> {
    /// The gate for the session's viewer.
    ///
    /// # Errors
    /// The store does not answer.
    pub async fn of(session: &'s Session) -> Result<Self, ApiError> {
        let member = member(session).await?;
        Ok(Self { session, member })
    }

    async fn seen(&self, ids: Vec<Id<Startup>>) -> Result<HashMap<Id<Startup>, bool>, TableError> {
        let Some(member) = &self.member else {
            return Ok(HashMap::new());
        };
        let found = self.session.tables.batch::<Startup>(&ids).await?;
        let (mut seen, mut by_grant) = (HashMap::new(), Vec::new());
        for startup in found.into_iter().flatten().flatten() {
            match sight(member, &startup) {
                Sight::Seen => drop(seen.insert(startup.startup_id, true)),
                Sight::Hidden => {}
                Sight::ByGrant => by_grant.push((startup.startup_id, member.id.clone())),
            }
        }
        let grants = self.session.tables.batch::<Grant>(&by_grant).await?;
        let now = self.session.now();
        seen.extend(
            grants
                .into_iter()
                .flatten()
                .filter_map(|grant| allowed(grant, now)),
        );
        Ok(seen)
    }
}

fn allowed(grant: Result<Grant, MalformedItem>, now: Moment) -> Option<(Id<Startup>, bool)> {
    let grant = grant.ok()?;
    Some((
        grant.startup_id,
        grant.allows(AccessLevel::ViewProfile, now),
    ))
}

impl<E: Entity + OfStartup + Sync> Gate<E> for OfSeenStartups<'_> {
    async fn admit(&self, entities: &[&E]) -> Result<Vec<bool>, TableError> {
        let mut ids: Vec<_> = entities.iter().map(|entity| entity.startup()).collect();
        ids.sort_unstable();
        ids.dedup();
        let seen = self.seen(ids).await?;
        let admit = |entity: &&E| seen.get(&entity.startup()) == Some(&true);
        Ok(entities.iter().map(admit).collect())
    }
}
