//! Entities such as the services have, in the small: their keys, indexes, guards and times of expiry.

use aws_smithy_runtime_api::client::http::SharedHttpConnector;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use trestle_domain::{Moment, Text, UserId};
use trestle_dynamodb::Embedded;
use trestle_table::clock::Clock;
use trestle_table::{
    Entity, IndexDefinition, IndexKey, Key, Pk, Segment, Sk, Table, TableDefinition, Tables,
    Versioned,
};

use trestle_testing::faults::Faults;

pub static HUB: TableDefinition = TableDefinition::new("hub", "PK", "SK")
    .typed("entityType")
    .indexed(&[&GSI1, &GSI3, &GSI4]);
pub static GSI1: IndexDefinition = IndexDefinition::new("GSI1", "GSI1PK", "GSI1SK");
pub static GSI3: IndexDefinition = IndexDefinition::new("GSI3", "entityType", "createdAt");
pub static GSI4: IndexDefinition = IndexDefinition::unsorted("GSI4", "email");
pub static JOBS: TableDefinition = TableDefinition::new("jobs", "pk", "sk")
    .typed("entityType")
    .expiring("ttl")
    .indexed(&[&JOBS1]);
pub static JOBS1: IndexDefinition = IndexDefinition::new("GSI1", "GSI1PK", "GSI1SK");
pub static POOL: TableDefinition = TableDefinition::new("pool", "pk", "sk").numbered();
pub static SHARED: TableDefinition = TableDefinition::new("shared", "pk", "sk").typed("entity");

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Jar {
    pub name: String,
    pub log: Vec<String>,
    pub count: u32,
    pub version: u32,
    pub created_at: Moment,
    pub updated_at: Moment,
}

impl Entity for Jar {
    const TABLE: &'static TableDefinition = &HUB;
    const KIND: &'static str = "JAR";
    type Id = String;
    fn key_of(id: &String) -> Key {
        Key::new(Pk::of("JAR", id.as_str()), Sk::word("METADATA"))
    }
    fn identity(&self) -> String {
        self.name.clone()
    }
}

impl Versioned for Jar {
    fn version(&self) -> u32 {
        self.version
    }
    fn advance(&mut self, now: DateTime<Utc>) {
        self.version += 1;
        self.updated_at = Moment::new(now).after(self.updated_at);
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct User {
    pub user_id: UserId,
    pub email: Option<String>,
    pub version: u32,
    pub created_at: Moment,
    pub updated_at: Moment,
}

impl Entity for User {
    const TABLE: &'static TableDefinition = &HUB;
    const KIND: &'static str = "USER";
    type Id = UserId;
    fn key_of(id: &UserId) -> Key {
        Key::new(Pk::of("USER", id), Sk::word("PROFILE"))
    }
    fn identity(&self) -> UserId {
        self.user_id.clone()
    }
}

impl Versioned for User {
    fn version(&self) -> u32 {
        self.version
    }
    fn advance(&mut self, now: DateTime<Utc>) {
        self.version += 1;
        self.updated_at = Moment::new(now).after(self.updated_at);
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EmailGuard {
    pub address: String,
    pub owner: UserId,
}

impl Entity for EmailGuard {
    const TABLE: &'static TableDefinition = &HUB;
    const KIND: &'static str = "EMAIL";
    type Id = String;
    fn key_of(id: &String) -> Key {
        Key::new(Pk::of("EMAIL", id.as_str()), Sk::word("GUARD"))
    }
    fn identity(&self) -> String {
        self.address.clone()
    }
}

/// A participant beside the conversation, whose index key moves with each message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Participant {
    pub conversation: String,
    pub user: UserId,
    pub last_message_at: Moment,
}

impl Entity for Participant {
    const TABLE: &'static TableDefinition = &HUB;
    const KIND: &'static str = "PARTICIPANT";
    type Id = (String, UserId);
    fn key_of((c, u): &Self::Id) -> Key {
        Key::new(Pk::of("CONVERSATION", c.as_str()), Sk::of("PARTICIPANT", u))
    }
    fn identity(&self) -> Self::Id {
        (self.conversation.clone(), self.user.clone())
    }
    fn index_keys(&self) -> Vec<IndexKey> {
        vec![GSI1.at(
            Pk::of("PARTICIPANT", &self.user),
            Sk::of("CONVERSATION", self.last_message_at).then(self.conversation.as_str()),
        )]
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    pub city: String,
    pub date: String,
    pub zip: String,
    pub id: String,
    pub employer: String,
}

impl Job {
    fn place(&self) -> Sk {
        Sk::of("j", self.date.as_str())
            .then(self.zip.as_str())
            .then(self.id.as_str())
    }
}

impl Entity for Job {
    const TABLE: &'static TableDefinition = &JOBS;
    const KIND: &'static str = "job";
    type Id = (String, String, String, String);
    fn key_of((city, date, zip, id): &Self::Id) -> Key {
        Key::new(
            Pk::of("job", city.as_str()).closed(),
            Sk::of("j", date.as_str())
                .then(zip.as_str())
                .then(id.as_str()),
        )
    }
    fn identity(&self) -> Self::Id {
        (
            self.city.clone(),
            self.date.clone(),
            self.zip.clone(),
            self.id.clone(),
        )
    }
    fn index_keys(&self) -> Vec<IndexKey> {
        vec![JOBS1.at(Pk::of("employer", self.employer.as_str()), self.place())]
    }
    fn expires(&self) -> Option<i64> {
        Some(2_000_000_000)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PoolEntry {
    #[serde(rename = "pk")]
    pub bucket: u32,
    #[serde(rename = "sk")]
    pub marker: String,
    pub id: String,
}

impl Entity for PoolEntry {
    const TABLE: &'static TableDefinition = &POOL;
    const KIND: &'static str = "pool entry";
    type Id = (u32, u32);
    fn key_of((bucket, n): &Self::Id) -> Key {
        Key::new(Pk::value(*bucket), Sk::of("available", format!("{n:02}")))
    }
    fn identity(&self) -> Self::Id {
        (
            self.bucket,
            self.marker.rsplit('#').next().unwrap().parse().unwrap(),
        )
    }
}

/// In keys without hyphens, in lower case.
pub struct ShortId<'a>(pub &'a str);
impl Segment for ShortId<'_> {
    fn text(&self) -> std::borrow::Cow<'_, str> {
        self.0.replace('-', "").to_lowercase().into()
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Shareable {
    pub short_id: String,
    pub name: Text<1, 100>,
}

impl Entity for Shareable {
    const TABLE: &'static TableDefinition = &SHARED;
    const KIND: &'static str = "checklist";
    type Id = String;
    fn key_of(id: &String) -> Key {
        Key::new(Pk::of("shareable", ShortId(id)), Sk::word("01").closed())
    }
    fn identity(&self) -> String {
        self.short_id.clone()
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChecklistItem {
    pub short_id: String,
    pub checklist_item_id: uuid::Uuid,
    pub order: u32,
    pub note: Option<String>,
}

impl Entity for ChecklistItem {
    const TABLE: &'static TableDefinition = &SHARED;
    const KIND: &'static str = "checklist_item";
    type Id = (String, uuid::Uuid);
    fn key_of((id, item): &Self::Id) -> Key {
        Key::new(
            Pk::of("checklist_item", ShortId(id)),
            Sk::of("01", item.simple().to_string()).closed(),
        )
    }
    fn identity(&self) -> Self::Id {
        (self.short_id.clone(), self.checklist_item_id)
    }
}

/// The tables through a client that tries so often, its faults, and a client without faults.
pub async fn tables(attempts: u32) -> (Tables, Faults, aws_sdk_dynamodb::Client) {
    let store = Embedded::memory().unwrap();
    let (faults, plain) = (Faults::none(), store.client());
    let client = faults.client(SharedHttpConnector::new(store), attempts);
    let mut all = Vec::new();
    for definition in [&HUB, &JOBS, &POOL, &SHARED] {
        Table::new(plain.clone(), definition, definition.default_name)
            .create()
            .await
            .unwrap();
        all.push(Table::new(
            client.clone(),
            definition,
            definition.default_name,
        ));
    }
    (Tables::new(all, Clock::system()), faults, plain)
}

pub fn jar(name: &str, now: DateTime<Utc>) -> Jar {
    let at = Moment::new(now);
    Jar {
        name: name.into(),
        log: vec![],
        count: 0,
        version: 1,
        created_at: at,
        updated_at: at,
    }
}
