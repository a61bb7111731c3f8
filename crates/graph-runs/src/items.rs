//! The stored shape: attribute names, types and words exactly as every program that reads the table expects
//! them. Reading accepts that another program has left attributes out.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use trestle_table::{
    Condition, Entity, IndexKey, Key, KeyedAttributes, TableDefinition, Versioned,
};

use super::keys;
use super::model::{
    Digest, Environment, Expiry, GraphHash, IacFormat, Job, Pointer, Provenance, Run, RunId,
    Status, Summary, Text, Timestamp, Upload, UserId,
};

/// A run as it is stored.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunItem {
    run_id: RunId,
    /// Also in the partition key; written for readers that list by attributes.
    user_id: Option<UserId>,
    status: Status,
    environment: Environment,
    created_at: Timestamp,
    updated_at: Timestamp,
    #[serde(default)]
    attempt: u32,
    processing_at: Option<Timestamp>,
    #[serde(rename = "iacS3Key")]
    iac_key: String,
    iac_format: Option<IacFormat>,
    iac_root: Option<String>,
    iac_bytes: Option<u64>,
    iac_sha256: Option<Digest>,
    #[serde(rename = "graphS3Key")]
    graph_key: Option<String>,
    #[serde(rename = "analysisS3Key")]
    report_key: Option<String>,
    node_count: Option<u64>,
    edge_count: Option<u64>,
    internet_exposed_count: Option<u64>,
    datastore_count: Option<u64>,
    unresolved_count: Option<u64>,
    #[serde(default, deserialize_with = "stored_hash")]
    graph_hash: Option<GraphHash>,
    failure_reason: Option<String>,
    iac_commit_sha: Option<String>,
    terraform_workspace: Option<String>,
    account_id: Option<String>,
    region: Option<String>,
    /// In seconds after 1970, as DynamoDB expects of items that it deletes.
    expires_at: Option<i64>,
}

fn stored_hash<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<GraphHash>, D::Error> {
    let text = Option::<String>::deserialize(from)?;
    let hash = text.map(|text| GraphHash::stored(&text)).transpose();
    hash.map_err(serde::de::Error::custom)
}

/// The attributes that a list of figures over time needs.
pub const FIGURES: [&str; 12] = [
    "runId",
    "status",
    "environment",
    "createdAt",
    "updatedAt",
    "iacS3Key",
    "nodeCount",
    "edgeCount",
    "internetExposedCount",
    "datastoreCount",
    "unresolvedCount",
    "graphHash",
];

impl Entity for Run {
    const TABLE: &'static TableDefinition = &keys::TABLE;
    const KIND: &'static str = "run";
    const KEYED: KeyedAttributes = &[("PK", &["", "userId"]), ("SK", &["", "createdAt", "runId"])];
    type Id = (UserId, Timestamp, RunId);

    fn key_of((user, at, id): &Self::Id) -> Key {
        keys::run(user, *at, id)
    }

    fn identity(&self) -> Self::Id {
        (self.user.clone(), self.created_at, self.id.clone())
    }

    fn index_keys(&self) -> Vec<IndexKey> {
        vec![keys::GSI1.at(keys::by_id(&self.id), keys::owner(&self.user))]
    }

    fn expires(&self) -> Option<i64> {
        self.expires_at.map(Timestamp::seconds)
    }
}

/// A move made twice is made once, so that no changes need to be remembered.
impl Versioned for Run {
    const REMEMBERED: usize = 0;

    fn version(&self) -> u32 {
        self.attempt
    }

    fn advance(&mut self, now: DateTime<Utc>) {
        self.updated_at = Timestamp::new(now).max(self.updated_at);
    }

    fn unchanged(&self) -> Condition {
        // Another program may have left the attempt out.
        let same_attempt = match self.attempt {
            0 => Condition::is("updatedAt", &self.updated_at),
            attempt => Condition::is("attempt", &attempt),
        };
        let same_status = Condition::is("status", &self.status);
        Condition::All(vec![Condition::Exists, same_status, same_attempt])
    }
}

impl Entity for Job {
    const TABLE: &'static TableDefinition = &keys::TABLE;
    const KIND: &'static str = "job";
    type Id = (UserId, Timestamp, RunId);

    fn key_of((_, at, id): &Self::Id) -> Key {
        keys::job(*at, id)
    }

    fn identity(&self) -> Self::Id {
        (self.user_id.clone(), self.created_at, self.run_id.clone())
    }
}

impl Entity for Expiry {
    const TABLE: &'static TableDefinition = &keys::TABLE;
    const KIND: &'static str = "expiry";
    type Id = (Timestamp, RunId);

    fn key_of((due, id): &Self::Id) -> Key {
        keys::due(*due, id)
    }

    fn identity(&self) -> Self::Id {
        (self.due, self.run_id.clone())
    }
}

impl Entity for Pointer {
    const TABLE: &'static TableDefinition = &keys::TABLE;
    const KIND: &'static str = "pointer";
    type Id = RunId;

    fn key_of(id: &Self::Id) -> Key {
        keys::pointer(id)
    }

    fn identity(&self) -> Self::Id {
        self.run_id.clone()
    }
}

/// A lease taken twice by one worker is taken once, so that no changes need to be remembered.
impl Versioned for Job {
    const REMEMBERED: usize = 0;

    fn version(&self) -> u32 {
        self.version
    }

    fn advance(&mut self, _: DateTime<Utc>) {
        self.version = self.version.saturating_add(1);
    }
}

impl<'de> Deserialize<'de> for Run {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        RunItem::deserialize(deserializer).map(Run::from)
    }
}

impl Serialize for Run {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RunItem::from(self.clone()).serialize(serializer)
    }
}

impl From<RunItem> for Run {
    fn from(item: RunItem) -> Self {
        let format = item
            .iac_format
            .unwrap_or(if item.iac_key.ends_with(".json") {
                IacFormat::Json
            } else {
                IacFormat::Hcl
            });
        let summary = item
            .node_count
            .zip(item.edge_count)
            .map(|(nodes, edges)| Summary {
                nodes,
                edges,
                internet_exposed: item.internet_exposed_count.unwrap_or_default(),
                datastores: item.datastore_count.unwrap_or_default(),
                unresolved: item.unresolved_count.unwrap_or_default(),
            });
        Run {
            id: item.run_id,
            user: item.user_id.unwrap_or_else(|| UserId::new("")),
            status: item.status,
            environment: item.environment,
            created_at: item.created_at,
            updated_at: item.updated_at,
            attempt: item.attempt,
            processing_at: item.processing_at,
            upload: Upload {
                key: item.iac_key,
                format,
                root: item.iac_root.as_deref().and_then(Text::cut),
                bytes: item.iac_bytes,
                sha256: item.iac_sha256,
            },
            graph_key: item.graph_key,
            report_key: item.report_key,
            summary,
            graph_hash: item.graph_hash,
            failure: item.failure_reason.as_deref().and_then(Text::cut),
            provenance: Provenance {
                commit_sha: item.iac_commit_sha.as_deref().and_then(Text::cut),
                workspace: item.terraform_workspace.as_deref().and_then(Text::cut),
                account_id: item.account_id.as_deref().and_then(Text::cut),
                region: item.region.as_deref().and_then(Text::cut),
            },
            expires_at: item.expires_at.and_then(Timestamp::from_seconds),
        }
    }
}

impl From<Run> for RunItem {
    fn from(run: Run) -> Self {
        fn text<const MAX: usize>(text: Option<Text<MAX>>) -> Option<String> {
            text.map(|text| text.to_string())
        }
        Self {
            run_id: run.id,
            user_id: Some(run.user),
            status: run.status,
            environment: run.environment,
            created_at: run.created_at,
            updated_at: run.updated_at,
            attempt: run.attempt,
            processing_at: run.processing_at,
            iac_key: run.upload.key,
            iac_format: Some(run.upload.format),
            iac_root: text(run.upload.root),
            iac_bytes: run.upload.bytes,
            iac_sha256: run.upload.sha256,
            graph_key: run.graph_key,
            report_key: run.report_key,
            node_count: run.summary.map(|summary| summary.nodes),
            edge_count: run.summary.map(|summary| summary.edges),
            internet_exposed_count: run.summary.map(|summary| summary.internet_exposed),
            datastore_count: run.summary.map(|summary| summary.datastores),
            unresolved_count: run.summary.map(|summary| summary.unresolved),
            graph_hash: run.graph_hash,
            failure_reason: text(run.failure),
            iac_commit_sha: text(run.provenance.commit_sha),
            terraform_workspace: text(run.provenance.workspace),
            account_id: text(run.provenance.account_id),
            region: text(run.provenance.region),
            expires_at: run.expires_at.map(Timestamp::seconds),
        }
    }
}
