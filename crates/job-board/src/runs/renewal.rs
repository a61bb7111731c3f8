//! When the suggestions of a seeker were last made, and when they are due again: so that whoever comes back sees some.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use trestle_domain::{Day, Moment, UserId};
use trestle_table::{Entity, IndexKey, Key, Listing, Pk, Sk, TableDefinition, TableError, Tables};

use super::{Run, Target};
use crate::table::{self, GSI1, TABLE};

/// After so long, a look at the list starts a run.
const STALE: TimeDelta = TimeDelta::days(1);
/// The same for a list that is empty.
const STALE_IF_EMPTY: TimeDelta = TimeDelta::minutes(10);
/// After so long, the suggestions of active seekers are renewed.
const DUE: TimeDelta = TimeDelta::days(3);
/// Seekers who looked at their list within so many days are active.
const ACTIVE_DAYS: i64 = 30;

/// The last run of a seeker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Renewal {
    pub seeker_id: UserId,
    /// When the suggestions were last made; `None` if they are still to be.
    pub made_at: Option<Moment>,
    /// The day when the seeker last looked at them, or saved the profile.
    pub seen_on: Day,
    /// Whether the seeker is active.
    pub is_active: bool,
}

impl Entity for Renewal {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "renewal";
    type Id = UserId;

    fn key_of(seeker: &UserId) -> Key {
        Key::new(table::seeker(seeker), Sk::word("renewal"))
    }

    fn identity(&self) -> UserId {
        self.seeker_id.clone()
    }

    fn index_keys(&self) -> Vec<IndexKey> {
        let made = self.made_at.map(|made| made.to_string());
        let sk = Sk::of("r", made.unwrap_or_default().as_str()).then(&self.seeker_id);
        vec![
            GSI1.at(partition(), sk)
                .only_if(self.is_active && self.made_at.is_some()),
        ]
    }
}

/// `renewals#`
fn partition() -> Pk {
    Pk::word("renewals").closed()
}

/// The active seekers whose suggestions are due at a moment. GSI1 `renewals#` / `r#<madeAt>#<seekerId>`, one Query.
pub fn due(now: DateTime<Utc>) -> Listing<Renewal> {
    let last: Moment = Moment::new(now - DUE);
    let last = last.to_string();
    Listing::on("renewals", &GSI1, partition()).between(Sk::word("r"), Sk::of("r", last.as_str()))
}

impl Renewal {
    /// Of someone who has no profile: there is nothing to renew.
    pub fn without_profile(seeker: UserId, now: DateTime<Utc>) -> Self {
        Self {
            seeker_id: seeker,
            made_at: Some(Moment::new(now)),
            seen_on: Day::of(now),
            is_active: false,
        }
    }

    /// After a run that was done now.
    pub fn done(seeker: UserId, before: Option<&Self>, now: DateTime<Utc>) -> Self {
        let today = Day::of(now);
        let seen_on = before.map_or(today, |before| before.seen_on);
        Self {
            seeker_id: seeker,
            made_at: Some(Moment::new(now)),
            seen_on,
            is_active: today.days_since(seen_on) <= ACTIVE_DAYS,
        }
    }
}

/// What a look at the list of suggestions finds.
#[derive(Clone, Debug, PartialEq)]
pub enum Look {
    /// The suggestions are young enough.
    Fresh,
    /// A run was started.
    Started(Target),
    /// A run is waiting or under way.
    Waiting,
}

/// Starts a run for a seeker who looks at the list of suggestions, if the last one, made at `made_at`, is too old. One
/// TransactWriteItems if a run starts.
pub async fn look(
    tables: &Tables,
    seeker: &UserId,
    made_at: Option<Moment>,
    is_empty: impl Future<Output = Result<bool, TableError>>,
) -> Result<Look, TableError> {
    let now = tables.now();
    let is_younger =
        |limit: TimeDelta| made_at.is_some_and(|made| made.is_within(limit, Moment::new(now)));
    // Whether the list is empty is asked only if it matters.
    if is_younger(STALE_IF_EMPTY) || (is_younger(STALE) && !is_empty.await?) {
        return Ok(Look::Fresh);
    }
    let target = Target::Seeker(seeker.clone());
    let seen = Renewal {
        seeker_id: seeker.clone(),
        made_at,
        seen_on: Day::of(now),
        is_active: true,
    };
    let mut unit = tables.unit::<()>();
    unit.put_new(&Run::new(target.clone(), now));
    unit.put(&seen);
    match unit.commit().await {
        Ok(()) => Ok(Look::Started(target)),
        Err(trestle_table::UnitError::Canceled(_)) => Ok(Look::Waiting),
        Err(trestle_table::UnitError::Table(error)) => Err(error),
    }
}
