//! The audit log: who changed what, when and from where.
//!
//! All entries of a day are in one partition. DynamoDB writes at most 1,000 units a second to a partition, and an entry
//! takes one unit, so beyond about 500 changes a second [`day`] must spread a day over several partitions and
//! [`of_day`] must merge them. Nothing else knows the key.

pub mod graphql;

use std::collections::BTreeMap;

use async_graphql::SimpleObject;
use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use trestle_api::{Listed, Revision};
use trestle_domain::{Id, Moment, Text, UserId};
use trestle_table::{
    Condition, Entity, IndexKey, Key, KeyedAttributes, Listing, Pk, Sk, TableDefinition,
};

use super::table::{GSI1, TABLE};

/// Something that is known of a change, besides what was changed.
#[derive(Clone, Debug, SimpleObject)]
pub struct AuditDetail {
    /// What it is, such as `from` or `reason`.
    pub name: String,
    /// Its value. JSON if it is not text.
    pub value: String,
}

/// An entry of the audit log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct AuditLog {
    #[graphql(skip)]
    pub audit_id: Id<AuditLog>,
    /// The user who made the change.
    pub user_id: UserId,
    /// The change, such as STARTUP_CREATED.
    pub action: Text<1, 100>,
    /// The type of the changed entity, such as STARTUP.
    pub resource_type: Text<1, 100>,
    /// The stored id of the changed entity.
    pub resource_id: Text<1, 600>,
    /// The network address that the request came from.
    pub ip_address: Option<Text<1, 100>>,
    /// The program that sent the request.
    pub user_agent: Option<Text<1, 500>>,
    #[graphql(skip)]
    pub metadata: Option<BTreeMap<String, Value>>,
    #[serde(flatten)]
    #[graphql(flatten)]
    pub stamp: Revision,
}

impl AuditLog {
    /// What is known of the change, by name.
    pub fn details_by_name(&self) -> Vec<AuditDetail> {
        let metadata = self.metadata.iter().flatten();
        let detail = |(name, value): (&String, &Value)| AuditDetail {
            name: name.clone(),
            value: match value {
                Value::String(text) => text.clone(),
                value => value.to_string(),
            },
        };
        metadata.map(detail).collect()
    }

    /// An entry about an entity, without the address and the program of a request. Text that is too long is cut; `None` if
    /// one is empty.
    pub fn about<E: Entity>(
        now: DateTime<Utc>,
        user_id: UserId,
        action: &str,
        resource: &str,
    ) -> Option<Self> {
        Some(Self {
            audit_id: Id::new(now),
            user_id,
            action: Text::cut(action)?,
            resource_type: Text::cut(E::KIND)?,
            resource_id: Text::cut(resource)?,
            ip_address: None,
            user_agent: None,
            metadata: None,
            stamp: Revision::new(Moment::new(now)),
        })
    }
}

impl Entity for AuditLog {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "AUDIT_LOG";
    const KEYED: KeyedAttributes = &[
        ("SK", &["createdAt", "auditId"]),
        ("GSI1PK", &["", "userId"]),
    ];
    type Id = (Moment, Id<AuditLog>);

    fn key_of((at, id): &Self::Id) -> Key {
        Key::new(day(at.date()), Sk::value(*at).then(*id))
    }

    fn identity(&self) -> Self::Id {
        (self.stamp.created_at, self.audit_id)
    }

    fn index_keys(&self) -> Vec<IndexKey> {
        let place = Sk::of("AUDIT", self.stamp.created_at);
        vec![GSI1.at(Pk::of("USER", &self.user_id), place)]
    }
}

impl Listed for AuditLog {
    const PAGE: &'static str = "A page of the audit log.";
    const EDGE: &'static str = "An entry in the audit log.";
}

/// The partition of a day: the one place that names it.
fn day(date: NaiveDate) -> Pk {
    Pk::of("AUDIT", date.to_string())
}

/// Entries of a day in UTC, newest first. `AUDIT#date`, one Query.
pub fn of_day(date: NaiveDate) -> Listing<AuditLog> {
    Listing::of("audit/day", day(date)).newest_first()
}

/// Entries of a user, newest first. GSI1 `USER#user`, one Query.
pub fn of_user(user: &UserId) -> Listing<AuditLog> {
    Listing::on("audit/user", &GSI1, Pk::of("USER", user))
        .begins_with(Sk::word("AUDIT").below())
        .newest_first()
}

/// The action of a user who leaves a conversation.
pub const LEFT: &str = "CONVERSATION_LEFT";

/// Entries of the conversations that a user has left until then, oldest first. GSI1 `USER#user`, one Query; further ones while
/// too few of the entries are of this kind.
pub fn departures(user: &UserId, until: Moment) -> Listing<AuditLog> {
    let first = Moment::from_millis(0).unwrap_or(until);
    Listing::on("audit/departures", &GSI1, Pk::of("USER", user))
        .between(Sk::of("AUDIT", first), Sk::of("AUDIT", until))
        .filtered(Condition::is("action", &LEFT))
}
