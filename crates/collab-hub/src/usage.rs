//! How much of a quota a user has used, counted in the transactions that use it.

use serde::{Deserialize, Serialize};

use trestle_api::{Revision, Session};
use trestle_domain::{Text, UserId, Violations};
use trestle_table::{
    ChangeError, Condition, Entity, Key, Pk, Sk, TableDefinition, TransactionBuilder,
};

use super::member::Member;
use super::retrying::commit;
use super::table::{TABLE, after_days};
use super::tiers::Quota;

/// How much of a quota a user has used: `USAGE#user` / `quota#day`, or `quota` for what is not counted by day.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// The user.
    pub user_id: UserId,
    /// What is counted.
    pub quota: Quota,
    /// The day in UTC, if it is counted by day.
    pub day: Option<Text<10, 10>>,
    /// How much was used. Only added to.
    #[serde(default, skip_serializing)]
    pub used: i64,
    #[serde(flatten)]
    pub stamp: Revision,
}

impl Entity for Usage {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "USAGE";
    type Id = (UserId, Quota, Option<Text<10, 10>>);

    fn key_of((user, quota, day): &Self::Id) -> Key {
        let place = Sk::value(*quota);
        let place = match day {
            Some(day) => place.then(day.as_str()),
            None => place,
        };
        Key::new(Pk::of("USAGE", user), place)
    }

    fn identity(&self) -> Self::Id {
        (self.user_id.clone(), self.quota, self.day.clone())
    }

    /// The count of a day is not read after it.
    fn expires(&self) -> Option<i64> {
        self.day.as_ref()?;
        after_days(self.stamp.created_at, 2)
    }
}

impl Usage {
    fn of(session: &Session, user: &UserId, quota: Quota) -> Self {
        let now = session.now();
        let day = Text::parse(&now.date().to_string()).ok();
        Self {
            user_id: user.clone(),
            quota,
            day: day.filter(|_| quota.is_daily()),
            used: 0,
            stamp: Revision::new(now),
        }
    }

    /// Counts what a change uses, and refuses the change if the member's tier does not allow as much. `field` is the
    /// input's field that is refused: what says how much is used, or `input` if nothing does.
    pub fn spend(
        unit: &mut TransactionBuilder<Violations>,
        session: &Session,
        member: &Member,
        quota: Quota,
        by: u64,
        field: &'static str,
    ) {
        let limit = member.tier.limit(quota);
        let room = limit.checked_sub(by);
        let room = room.and_then(|room| i64::try_from(room).ok());
        let by = i64::try_from(by).unwrap_or(i64::MAX);
        let fits = match room {
            Some(room) => Condition::Any(vec![
                Condition::Lacks("used".into()),
                Condition::at_most("used", &room),
            ]),
            // More than a whole limit at once.
            None => Condition::at_most("used", &-1),
        };
        let usage = Self::of(session, &member.id, quota);
        unit.count(&usage, ("used", by), fits)
            .or(quota.exceeded(limit).at(field));
    }

    /// Counts what is used by something that is not a transaction. One UpdateItem.
    ///
    /// # Errors
    /// The member's tier does not allow as much.
    pub async fn spend_now(
        session: &Session,
        member: &Member,
        quota: Quota,
        by: u64,
        field: &'static str,
    ) -> Result<(), ChangeError<Violations>> {
        commit(session, |unit| {
            Self::spend(unit, session, member, quota, by, field);
        })
        .await
    }

    /// Gives back what was used.
    pub fn give_back(
        unit: &mut TransactionBuilder<Violations>,
        session: &Session,
        user: &UserId,
        quota: Quota,
    ) {
        let usage = Self::of(session, user, quota);
        unit.count(&usage, ("used", -1), Condition::ALWAYS);
    }
}
