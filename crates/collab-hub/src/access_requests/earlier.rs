//! What an investor has for a startup already: the grant, or requests of another program, which writes no grants.

use trestle_api::Session;
use trestle_domain::{Id, Moment, UserId, Violations};
use trestle_table::{Condition, PageAsk, TableError, TransactionBuilder, Versioned as _};

use super::{AccessRequest, AccessStatus, Grant, Upgrade, of_requester};
use crate::startups::Startup;

/// Number of requests of an investor that are looked at, at most: the newest ones.
pub const READ_AT_MOST: usize = 500;

/// Number of requests of other programs that one change ends, at most.
const ENDED_AT_MOST: usize = 20;

/// What is known of an investor and a startup before a change.
pub struct Earlier {
    /// The grant that decides. Of another program, it is made of its request, and not stored.
    pub grant: Option<Grant>,
    pub is_stored: bool,
    /// Other requests of other programs that are open or give access.
    others: Vec<AccessRequest>,
}

impl Earlier {
    /// A GetItem of the grant. Without one, a Query of the investor's requests, and a BatchGetItem of those for the startup.
    ///
    /// # Errors
    /// The store does not answer.
    pub async fn find(
        session: &Session,
        startup: Id<Startup>,
        investor: &UserId,
    ) -> Result<Self, TableError> {
        let grant = (startup, investor.clone());
        if let Some(grant) = session.tables.get::<Grant>(&grant).await? {
            return Ok(Self {
                grant: Some(grant),
                is_stored: true,
                others: Vec::new(),
            });
        }
        let now = session.now();
        let mut others = undecided(session, startup, investor).await?;
        others.sort_by_key(|request| request.rank(now));
        let deciding = others.pop();
        others.retain(|request| request.is_open_at(now));
        Ok(Self {
            grant: deciding.map(|request| request.grant()),
            is_stored: false,
            others,
        })
    }

    /// The open requests that do not decide.
    pub fn waiting(&self) -> impl Iterator<Item = Upgrade> {
        let others = self.others.iter();
        let waiting = others.filter(|request| request.status == AccessStatus::Pending);
        waiting.map(|request| request.upgrade(request.stamp.updated_at))
    }

    /// Ends what does not decide.
    pub fn end_others(&self, unit: &mut TransactionBuilder<Violations>, session: &Session) {
        self.end_others_but(None, unit, session);
    }

    /// As [`Earlier::end_others`], without a request that waits on.
    pub fn end_others_but(
        &self,
        kept: Option<&Upgrade>,
        unit: &mut TransactionBuilder<Violations>,
        session: &Session,
    ) {
        let others = self.others.iter();
        let others =
            others.filter(|request| kept.is_none_or(|kept| kept.access_id != request.access_id));
        for request in others {
            if request.status == AccessStatus::Pending {
                withdraw(unit, request, session);
            } else {
                end(unit, request, session);
            }
        }
    }
}

/// Withdraws a request that another one takes the place of.
pub fn withdraw(
    unit: &mut TransactionBuilder<Violations>,
    request: &AccessRequest,
    session: &Session,
) {
    let mut withdrawn = request.withdrawn();
    withdrawn.advance(session.tables.now());
    unit.update(request, &withdrawn, request.unchanged());
}

/// Ends the access of a request that a higher level takes the place of.
pub fn end(unit: &mut TransactionBuilder<Violations>, own: &AccessRequest, session: &Session) {
    let mut ended = AccessRequest {
        expires_at: Some(session.now()),
        ..own.clone()
    };
    ended.advance(session.tables.now());
    unit.update(own, &ended, own.unchanged());
}

/// Requests of an investor for a startup that are open, give access or were rejected. One Query, and a BatchGetItem if there
/// are some, because the index may be behind.
async fn undecided(
    session: &Session,
    startup: Id<Startup>,
    investor: &UserId,
) -> Result<Vec<AccessRequest>, TableError> {
    use AccessStatus::{Approved, Pending, Rejected};
    const STATUSES: [AccessStatus; 3] = [Pending, Approved, Rejected];
    let has_status = Condition::is_one_of("status", STATUSES);
    let list = of_requester(investor).filtered(has_status);
    let page = session
        .tables
        .page(&list, &PageAsk::first(READ_AT_MOST), &())
        .await?;
    let listed = page.rows.into_iter().filter_map(|row| row.entity.ok());
    let listed = listed.filter(|request| request.startup_id == startup);
    let ids: Vec<_> = listed
        .map(|request| request.access_id)
        .take(ENDED_AT_MOST)
        .collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let found = session.tables.batch::<AccessRequest>(&ids).await?;
    let found = found.into_iter().flatten().filter_map(Result::ok);
    let is_own = |request: &AccessRequest| {
        request.requester_id == *investor
            && request.startup_id == startup
            && STATUSES.contains(&request.status)
    };
    Ok(found.filter(is_own).collect())
}

/// Access that another program has approved beside a request that is revoked. As [`Earlier::find`], and a GetItem of the
/// request.
///
/// # Errors
/// The store does not answer.
pub async fn beside(
    session: &Session,
    revoked: Id<AccessRequest>,
) -> Result<Vec<AccessRequest>, TableError> {
    let Some(request) = session.tables.get::<AccessRequest>(&revoked).await? else {
        return Ok(Vec::new());
    };
    let found = undecided(session, request.startup_id, &request.requester_id).await?;
    let gives_access = |other: &AccessRequest| {
        other.access_id != revoked && other.status_at(session.now()) == AccessStatus::Approved
    };
    Ok(found.into_iter().filter(gives_access).collect())
}

impl AccessRequest {
    /// Which of several decides: what gives access, the highest level first, before what is open and what was rejected.
    fn rank(&self, now: Moment) -> (u8, super::AccessLevel, Moment) {
        let status = match self.status_at(now) {
            AccessStatus::Approved => 3,
            AccessStatus::Pending => 2,
            AccessStatus::Rejected => 1,
            AccessStatus::Revoked | AccessStatus::Withdrawn | AccessStatus::Expired => 0,
        };
        (status, self.access_level, self.stamp.updated_at)
    }
}
