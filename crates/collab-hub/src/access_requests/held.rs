//! Which request an investor's grant for a startup is of, and how a decision changes it.

use trestle_api::Session;
use trestle_domain::{Moment, Rule, Violations};
use trestle_table::{ChangeError, Condition, Entity as _, TableError, TransactionBuilder};

use super::earlier::{Earlier, end, withdraw};
use super::{AccessLevel, AccessRequest, AccessStatus, Grant, OPEN, Place, Upgrade};

pub const REPLACED: Rule =
    Rule::Conflict("names a request that a newer one has replaced: decide that one");

/// What the stored grant is to the request that is decided.
pub enum Held {
    /// The grant is its own, and no request for a higher level waits beside it.
    ByThis,
    /// There is no grant.
    ByNone,
    /// There is a grant of a newer request, which has given nothing yet, and the access is one that another program has
    /// approved without a grant.
    BesideNewer(Grant),
    /// The grant is its own, and a request for a higher level is beside it.
    WithUpgrade(Grant),
    /// The request is for a higher level than the grant, whose own request this is.
    AsUpgrade(Grant, Box<Option<AccessRequest>>),
}

impl Held {
    /// Whether a change was refused because the grant may be something else to the request: another program may have written
    /// the request, without a grant; a revoked one is approved again; or there is a request for a higher level.
    pub fn may_differ(&self, error: &ChangeError<Violations>) -> bool {
        let is_replaced =
            matches!(error, ChangeError::Refused(refusal) if *refusal == REPLACED.at("id"));
        is_replaced && matches!(self, Self::ByThis)
    }

    /// What the grant is to a request, once a decision by [`Held::ByThis`] was refused. Two or three GetItems; `None` if a
    /// newer request has taken its place.
    ///
    /// # Errors
    /// The store does not answer.
    pub async fn find(
        session: &Session,
        id: &<AccessRequest as trestle_table::Entity>::Id,
    ) -> Result<Option<Self>, TableError> {
        let Some(request) = session.tables.get::<AccessRequest>(id).await? else {
            return Ok(None);
        };
        let grant = request.grant().identity();
        let Some(grant) = session.tables.get::<Grant>(&grant).await? else {
            return Ok(Some(Self::ByNone));
        };
        let is_upgrade = grant.upgrade.as_ref().map(|upgrade| upgrade.access_id) == Some(*id);
        Ok(match (grant.access_id == *id, is_upgrade) {
            (true, _) => Some(Self::WithUpgrade(grant)),
            (false, true) => {
                let own = session
                    .tables
                    .get::<AccessRequest>(&grant.access_id)
                    .await?;
                Some(Self::AsUpgrade(grant, Box::new(own)))
            }
            (false, false) => {
                let has_access = request.status_at(session.now()) == AccessStatus::Approved;
                let is_beside = has_access && grant.leaves_earlier_access();
                is_beside.then_some(Self::BesideNewer(grant))
            }
        })
    }

    /// Writes the grant as the next state of its request needs it, unless a newer request has it.
    pub fn keep(
        &self,
        unit: &mut TransactionBuilder<Violations>,
        now: &AccessRequest,
        next: &AccessRequest,
        session: &Session,
    ) {
        let mut grant = next.grant();
        grant.stamp.advance(session.tables.now());
        let same = Condition::is("accessId", &now.access_id);
        let key = grant.key();
        let step = match (self, next.status.has_grant()) {
            (Self::ByThis, true) => unit.update(&now.grant(), &grant, same),
            (Self::ByThis, false) => {
                let alone = same.and(Condition::Lacks("upgrade".into()));
                unit.delete::<Grant>(&grant.identity(), alone)
            }
            (Self::ByNone, true) => unit.put_new(&grant),
            (Self::ByNone, false) => unit.check::<Grant>(&grant.identity(), Condition::Missing),
            (Self::BesideNewer(held), has_grant) => {
                let same = held
                    .is_unchanged()
                    .and(Condition::is("status", &held.status));
                if has_grant {
                    let beside = Grant {
                        upgrade: held.status.has_grant().then(|| held.as_upgrade()),
                        ..grant
                    };
                    unit.update_at(&key, held, &beside, same)
                } else {
                    unit.check::<Grant>(&grant.identity(), same)
                }
            }
            (Self::WithUpgrade(held), true) => {
                let upgrade = held.upgrade.clone();
                unit.update_at(&key, held, &Grant { upgrade, ..grant }, held.is_unchanged())
            }
            (Self::WithUpgrade(held), false) => match held.promoted(session.now()) {
                Some(promoted) => unit.update_at(&key, held, &promoted, held.is_unchanged()),
                None => unit.delete::<Grant>(&grant.identity(), held.is_unchanged()),
            },
            (Self::AsUpgrade(held, own), _) => {
                let at = session.now();
                if next.status != AccessStatus::Approved {
                    let upgrade = next.status.has_grant().then(|| next.upgrade(at));
                    let waiting = Grant {
                        upgrade,
                        ..held.clone()
                    };
                    unit.update_at(&key, held, &waiting, held.is_unchanged())
                } else {
                    if let Some(own) = own.as_ref()
                        && own.status_at(at) == AccessStatus::Approved
                    {
                        end(unit, own, session);
                    }
                    unit.update(held, &grant, held.is_unchanged())
                }
            }
        };
        step.or(REPLACED.at("id"));
    }
}

impl Grant {
    /// The condition that neither the request nor the one for a higher level has changed.
    fn is_unchanged(&self) -> Condition {
        let upgrade = match &self.upgrade {
            Some(upgrade) => Condition::is("upgrade", upgrade),
            None => Condition::Lacks("upgrade".into()),
        };
        Condition::is("accessId", &self.access_id).and(upgrade)
    }

    /// The request of this grant beside the access of another one.
    fn as_upgrade(&self) -> Upgrade {
        Upgrade {
            access_id: self.access_id,
            status: self.status,
            access_level: self.access_level,
            decided_at: self.stamp.updated_at,
        }
    }

    /// The grant of the request for a higher level, which waits on when the access beside it has ended.
    fn promoted(&self, now: Moment) -> Option<Self> {
        let upgrade = self.upgrade.as_ref();
        let upgrade = upgrade.filter(|upgrade| upgrade.status == AccessStatus::Pending)?;
        let mut stamp = self.stamp.clone();
        stamp.updated_at = now.max(stamp.updated_at);
        Some(Self {
            access_id: upgrade.access_id,
            status: upgrade.status,
            access_level: upgrade.access_level,
            expires_at: None,
            upgrade: None,
            stamp,
            ..self.clone()
        })
    }
}

/// What the investor of an accepted invitation has for its startup, and the access takes the place of.
pub struct Replaced {
    earlier: Earlier,
    /// The request of the grant, if that is open or gives access.
    own: Option<AccessRequest>,
    /// The request for a higher level beside it, if that is open.
    upgrade: Option<AccessRequest>,
    /// The request for a higher level than the invitation's, which waits on beside the access.
    kept: Option<Upgrade>,
}

const CHANGED: Rule = Rule::Conflict("meets another change of your access. Repeat the mutation");
const HAVE_MORE: Rule =
    Rule::Conflict("gives no more than the access that you have: ask for more by `requestAccess`");

impl Replaced {
    /// What a grant is of. One GetItem for each request that is replaced.
    ///
    /// # Errors
    /// The store does not answer.
    pub async fn find(
        session: &Session,
        earlier: Earlier,
        request: &AccessRequest,
    ) -> Result<Self, TableError> {
        let (tables, now) = (&session.tables, session.now());
        let kept = earlier.kept_by(request);
        let is_kept = |id| kept.as_ref().is_some_and(|kept| kept.access_id == id);
        let (mut own, mut upgrade) = (None, None);
        if let Some(grant) = &earlier.grant {
            if grant.is_open_at(now) && !is_kept(grant.access_id) {
                own = tables.get::<AccessRequest>(&grant.access_id).await?;
            }
            let beside = grant.upgrade.as_ref();
            let beside = beside.filter(|beside| !is_kept(beside.access_id));
            if let Some(beside) = beside.filter(|beside| beside.status == AccessStatus::Pending) {
                upgrade = tables.get::<AccessRequest>(&beside.access_id).await?;
            }
        }
        Ok(Self {
            earlier,
            own,
            upgrade,
            kept,
        })
    }

    /// Gives an approved request the grant, and ends what was before.
    ///
    /// # Errors
    /// The investor has as much access already.
    pub fn replace(
        &self,
        unit: &mut TransactionBuilder<Violations>,
        request: &AccessRequest,
        session: &Session,
    ) -> Result<(), Violations> {
        self.earlier
            .end_others_but(self.kept.as_ref(), unit, session);
        let Some(grant) = &self.earlier.grant else {
            unit.put_new(&request.grant()).or(CHANGED.at("id"));
            return Ok(());
        };
        let now = session.now();
        if grant.allows(AccessLevel::ViewProfile, now) && !request.exceeds(grant) {
            return Err(HAVE_MORE.at("id"));
        }
        for open in self.own.iter().chain(&self.upgrade) {
            if open.status == AccessStatus::Pending {
                withdraw(unit, open, session);
            } else if open.status_at(now) == AccessStatus::Approved {
                end(unit, open, session);
            }
        }
        if let Some(kept) = &self.kept {
            let same = Condition::is("status", &kept.status);
            unit.check::<AccessRequest>(&kept.access_id, same)
                .or(CHANGED.at("id"));
        }
        let next = Grant {
            upgrade: self.kept.clone(),
            ..request.grant()
        };
        let key = next.key();
        let kept = if self.earlier.is_stored {
            unit.update_at(&key, grant, &next, grant.is_unchanged())
        } else {
            unit.put_new(&next)
        };
        kept.or(CHANGED.at("id"));
        Ok(())
    }
}

impl Earlier {
    /// The request that waits on beside the access of an accepted invitation: it is for a higher level, whether it waits by
    /// itself, beside lower access, or without a grant, as another program has written it.
    fn kept_by(&self, request: &AccessRequest) -> Option<Upgrade> {
        let grant = self.grant.as_ref()?;
        let own = (grant.status == AccessStatus::Pending).then(|| grant.as_upgrade());
        let waiting = own.into_iter().chain(self.waiting());
        let mut candidates: Vec<_> = waiting.chain(grant.upgrade.clone()).collect();
        candidates.retain(|one| one.access_level > request.access_level);
        candidates.into_iter().max_by_key(|one| one.access_level)
    }
}

impl AccessRequest {
    /// Whether it gives more than a grant: a higher level, or the same one for longer.
    fn exceeds(&self, grant: &Grant) -> bool {
        if self.access_level != grant.access_level {
            return self.access_level > grant.access_level;
        }
        match (self.expires_at, grant.expires_at) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(end), Some(earlier)) => end > earlier,
        }
    }
}

/// Takes the place of the investor's open request, in which an expired or a rejected one may still be, or a place beside
/// access of a lower level. What another program has written gets the grant that it has not.
pub fn hold(
    unit: &mut TransactionBuilder<Violations>,
    request: &AccessRequest,
    earlier: &Earlier,
    session: &Session,
) {
    let now = session.now();
    let grant = earlier.grant.as_ref();
    let place = grant.map(|grant| (grant, grant.place_of(request.access_level, now)));
    earlier.end_others(unit, session);
    let (added, refusal) = match place {
        None => (unit.put_new(&request.grant()), OPEN),
        Some((_, Place::Own)) if !earlier.is_stored => (unit.put_new(&request.grant()), OPEN),
        Some((grant, Place::Own)) => {
            let held = unit.update(grant, &request.grant(), grant.is_unchanged());
            (held, OPEN)
        }
        Some((grant, Place::Waiting)) => {
            let upgrade = Some(request.upgrade(now));
            let beside = Grant {
                upgrade,
                ..grant.clone()
            };
            let still = Condition::is("status", &AccessStatus::Approved);
            let same = grant.is_unchanged().and(still);
            let key = request.grant().key();
            let kept = if earlier.is_stored {
                unit.update_at(&key, grant, &beside, same)
            } else {
                unit.put_new(&beside)
            };
            (kept, OPEN)
        }
        // The request is there, so that this is refused.
        Some((grant, Place::Held(rule))) => {
            let missing = Condition::Missing;
            (unit.check::<AccessRequest>(&grant.access_id, missing), rule)
        }
    };
    added.or(refusal.at("startupId"));
}
