//! Who sees which startup, and what belongs to it. Every list, relation and look-up asks here.

use std::collections::HashMap;

use trestle_api::{ApiError, Session};
use trestle_domain::{Id, UserId};
use trestle_table::{Condition, Entity, PageAsk, TableError, VisibilityFilter};

use super::access_requests::earlier::READ_AT_MOST;
use super::access_requests::{AccessLevel, AccessRequest, AccessStatus, Grant, of_requester};
use super::member::{Member, member};
use super::startups::{Startup, StartupStatus, Visibility};
use super::users::{User, UserRole, UserStatus};

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
        (StartupStatus::Active, Visibility::InvestorsOnly) if member.is_admitted_investor => {
            Sight::Seen
        }
        // An investor who was invited, or has access from before.
        (StartupStatus::Active, Visibility::Private | Visibility::InvestorsOnly) if is_investor => {
            Sight::ByGrant
        }
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
        UserRole::Investor if member.is_admitted_investor => {
            &[Visibility::Public, Visibility::InvestorsOnly]
        }
        UserRole::Investor => &[Visibility::Public],
        UserRole::Admin => Visibility::ALL,
    }
}

/// Whether a founder's startups are shown to others: not while the founder is banned, or after they have left.
pub fn is_listed(founder: Option<&User>) -> bool {
    founder.is_some_and(|founder| UserStatus::LISTED.contains(&founder.status))
}

/// Whether the viewer is the founder or an admin, whom nothing hides a startup from.
fn is_insider(member: &Member, startup: &Startup) -> bool {
    startup.founder_id == member.id || member.role == UserRole::Admin
}

/// Whether the viewer sees a startup. One read, of the founder, and of the investor's grant for a private startup; none
/// for the founder and admins.
///
/// # Errors
/// The store does not answer.
pub async fn sees(session: &Session, startup: &Startup) -> Result<bool, ApiError> {
    let Some(member) = member(session).await? else {
        return Ok(false);
    };
    if is_insider(&member, startup) {
        return Ok(true);
    }
    let listed = async {
        let founder = session.load::<User>(&startup.founder_id).await?;
        Ok::<_, ApiError>(is_listed(founder.as_ref()))
    };
    match sight(&member, startup) {
        Sight::Seen => listed.await,
        Sight::Hidden => Ok(false),
        Sight::ByGrant => {
            let access = has_access(session, startup, &member, AccessLevel::ViewProfile);
            let (is_listed, has_access) = tokio::try_join!(listed, access)?;
            Ok(is_listed && has_access)
        }
    }
}

/// Whether the viewer, who sees the startup, may read its figures: everyone, except of a private startup, whose figures
/// need FULL_ACCESS. At most one read.
///
/// # Errors
/// The store does not answer.
pub async fn reads_figures(session: &Session, startup: &Startup) -> Result<bool, ApiError> {
    let Some(member) = member(session).await? else {
        return Ok(false);
    };
    match sight(&member, startup) {
        Sight::Seen => Ok(true),
        Sight::Hidden => Ok(false),
        Sight::ByGrant => has_access(session, startup, &member, AccessLevel::FullAccess).await,
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
    if may_have_access {
        has_access(session, startup, &member, AccessLevel::ViewDeck).await
    } else {
        Ok(false)
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
    let grant = or_ungranted(session, member, startup.startup_id, grant).await?;
    Ok(grant.is_some_and(|grant| grant.allows(level, session.now())))
}

/// Approved requests of the viewer, as an index lists them.
struct Approved(Vec<AccessRequest>);

/// The grant that decides: the investor's own, or the access that another program has approved if that has given none.
async fn or_ungranted(
    session: &Session,
    member: &Member,
    startup: Id<Startup>,
    grant: Option<Grant>,
) -> Result<Option<Grant>, TableError> {
    match grant {
        Some(grant) if !grant.leaves_earlier_access() => Ok(Some(grant)),
        Some(_) | None => ungranted(session, member, startup).await,
    }
}

/// The access that another program has approved, which writes no grants. One Query for each request to the API, and a GetItem
/// if the index has such an access, because it may be behind.
async fn ungranted(
    session: &Session,
    member: &Member,
    startup: Id<Startup>,
) -> Result<Option<Grant>, TableError> {
    let load = async {
        let is_approved = Condition::is("status", &AccessStatus::Approved);
        let list = of_requester(&member.id).filtered(is_approved);
        let ask = PageAsk::first(READ_AT_MOST);
        let page = session.tables.page(&list, &ask, &()).await?;
        let requests = page.rows.into_iter().filter_map(|row| row.entity.ok());
        Ok::<_, TableError>(Approved(requests.collect()))
    };
    let approved = session.once(load).await?;
    let Some(listed) = approved.0.iter().find(|one| one.startup_id == startup) else {
        return Ok(None);
    };
    let request = session
        .tables
        .get::<AccessRequest>(&listed.access_id)
        .await?;
    let request = request.filter(|now| {
        now.requester_id == member.id
            && now.startup_id == startup
            && now.status == AccessStatus::Approved
    });
    Ok(request.map(|request| request.grant()))
}

/// Lets through startups that the viewer sees, and what belongs to them.
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
        let found: Vec<_> = found
            .into_iter()
            .flatten()
            .flatten()
            .filter(|startup| !matches!(sight(member, startup), Sight::Hidden))
            .collect();
        let shown: Vec<&Startup> = found.iter().collect();
        let shown = self.admit(&shown).await?;
        for (startup, _) in found
            .into_iter()
            .zip(shown)
            .filter(|(_, is_shown)| *is_shown)
        {
            match sight(member, &startup) {
                Sight::Seen => drop(seen.insert(startup.startup_id, true)),
                Sight::Hidden => {}
                Sight::ByGrant => by_grant.push((startup.startup_id, member.id.clone())),
            }
        }
        let grants = self.session.tables.batch::<Grant>(&by_grant).await?;
        let now = self.session.now();
        for ((startup, _), grant) in by_grant.into_iter().zip(grants) {
            let grant = match grant {
                // One that cannot be read gives nothing.
                Some(Err(_)) => None,
                Some(Ok(grant)) => or_ungranted(self.session, member, startup, Some(grant)).await?,
                None => or_ungranted(self.session, member, startup, None).await?,
            };
            let is_seen = grant.is_some_and(|grant| grant.allows(AccessLevel::ViewProfile, now));
            seen.insert(startup, is_seen);
        }
        Ok(seen)
    }
}

/// Lets through the startups whose founders are not banned, of a list that has only what the viewer sees otherwise. One
/// BatchGetItem for the founders of a page; none for admins.
impl VisibilityFilter<Startup> for OfSeenStartups<'_> {
    async fn admit(&self, startups: &[&Startup]) -> Result<Vec<bool>, TableError> {
        let Some(member) = &self.member else {
            return Ok(vec![false; startups.len()]);
        };
        let others = startups
            .iter()
            .filter(|startup| !is_insider(member, startup));
        let founders: Vec<_> = others.map(|startup| startup.founder_id.clone()).collect();
        let listed = if founders.is_empty() {
            HashMap::new()
        } else {
            listed(self.session, founders).await?
        };
        let admit = |startup: &&Startup| {
            is_insider(member, startup) || listed.get(&startup.founder_id) == Some(&true)
        };
        Ok(startups.iter().map(admit).collect())
    }
}

/// One BatchGetItem for the startups of a page, one for their founders, and one for an investor's grants if there are
/// private ones.
impl<E: Entity + OfStartup + Sync> VisibilityFilter<E> for OfSeenStartups<'_> {
    async fn admit(&self, entities: &[&E]) -> Result<Vec<bool>, TableError> {
        let mut ids: Vec<_> = entities.iter().map(|entity| entity.startup()).collect();
        ids.sort_unstable();
        ids.dedup();
        let seen = self.seen(ids).await?;
        let admit = |entity: &&E| seen.get(&entity.startup()) == Some(&true);
        Ok(entities.iter().map(admit).collect())
    }
}

/// Which of these founders' startups are shown. One BatchGetItem.
async fn listed(
    session: &Session,
    mut founders: Vec<UserId>,
) -> Result<HashMap<UserId, bool>, TableError> {
    founders.sort_unstable();
    founders.dedup();
    let found = session.tables.batch::<User>(&founders).await?;
    let mut listed = HashMap::new();
    for (id, user) in founders.into_iter().zip(found) {
        let user = user.transpose().map_err(TableError::from)?;
        listed.insert(id, is_listed(user.as_ref()));
    }
    Ok(listed)
}
