//! The stored shape: attribute names, types and words exactly as every program that reads the table expects
//! them. Converts from and to the model; knows nothing of requests.

use serde::{Deserialize, Serialize};

use crate::table::{Entity, IndexKey, Key, MalformedItem};

use super::keys;
use super::model::{
    Environment, GraphHash, IacFormat, Provenance, Rule, Run, RunId, Status, Summary, Text,
    Timestamp, Upload, UserId,
};

/// A run. Attributes without a value are left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunItem {
    run_id: String,
    /// Also in the partition key; written for readers that list by attributes.
    user_id: Option<String>,
    status: String,
    environment: String,
    created_at: String,
    updated_at: String,
    #[serde(default)]
    attempt: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    processing_at: Option<String>,
    #[serde(rename = "iacS3Key")]
    iac_key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    iac_format: Option<String>,
    #[serde(rename = "graphS3Key", skip_serializing_if = "Option::is_none")]
    graph_key: Option<String>,
    #[serde(rename = "analysisS3Key", skip_serializing_if = "Option::is_none")]
    report_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    node_count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    edge_count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    internet_exposed_count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    datastore_count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    graph_hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    iac_commit_sha: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    terraform_workspace: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    account_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<String>,
    #[serde(rename = "PK", skip_serializing)]
    partition_key: Option<String>,
}

/// The attributes that a list of figures over time needs.
pub const FIGURES: [&str; 12] = [
    "PK",
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
    "graphHash",
];

impl Entity for RunItem {
    const NAME: &'static str = "run";
    type Id = (UserId, Timestamp, RunId);

    fn key_of((user, at, id): &Self::Id) -> Key {
        keys::run(user, *at, id)
    }

    fn key(&self) -> Key {
        let user = UserId::new(self.user());
        Key::new(
            keys::partition(&user),
            crate::table::Sk::of("RUN", self.created_at.as_str()).then(self.run_id.as_str()),
        )
    }

    fn index_keys(&self) -> Vec<IndexKey> {
        let key = RunId::parse(&self.run_id).ok().map(|id| {
            let user = UserId::new(self.user());
            Key::new(keys::by_id(&id), keys::owner(&user))
        });
        vec![IndexKey {
            index: keys::gsi1(),
            key,
        }]
    }
}

impl RunItem {
    /// The user: the attribute, or what the partition key says where another program left it out.
    fn user(&self) -> String {
        let from_key = || {
            let mut segments = crate::table::segments(self.partition_key.as_deref()?);
            (segments.len() == 2).then(|| segments.pop()).flatten()
        };
        self.user_id.clone().or_else(from_key).unwrap_or_default()
    }
}

fn read<T>(attribute: &str, parsed: Result<T, Rule>) -> Result<T, MalformedItem> {
    parsed.map_err(|rule| MalformedItem {
        entity: RunItem::NAME,
        reason: format!("attribute {attribute}: {rule:?}"),
    })
}

fn word<T>(known: Option<T>) -> Result<T, Rule> {
    known.ok_or(Rule::Invalid("one of the stored words"))
}

fn read_opt<T>(
    attribute: &str,
    text: Option<String>,
    parse: impl FnOnce(&str) -> Result<T, Rule>,
) -> Result<Option<T>, MalformedItem> {
    read(attribute, text.as_deref().map(parse).transpose())
}

impl TryFrom<RunItem> for Run {
    type Error = MalformedItem;

    fn try_from(item: RunItem) -> Result<Self, MalformedItem> {
        let user = UserId::new(item.user());
        let format = match item.iac_format.as_deref() {
            Some(format) => read("iacFormat", word(IacFormat::from_word(format)))?,
            None if item.iac_key.ends_with(".json") => IacFormat::Json,
            None => IacFormat::Hcl,
        };
        let figures = (
            item.node_count,
            item.edge_count,
            item.internet_exposed_count,
            item.datastore_count,
        );
        Ok(Run {
            id: read("runId", RunId::parse(&item.run_id))?,
            user,
            status: read("status", word(Status::from_word(&item.status)))?,
            environment: read(
                "environment",
                word(Environment::from_word(&item.environment)),
            )?,
            created_at: read("createdAt", Timestamp::parse(&item.created_at))?,
            updated_at: read("updatedAt", Timestamp::parse(&item.updated_at))?,
            attempt: item.attempt,
            processing_at: read_opt("processingAt", item.processing_at, Timestamp::parse)?,
            upload: Upload {
                key: item.iac_key,
                format,
            },
            graph_key: item.graph_key,
            report_key: item.report_key,
            summary: match figures {
                (Some(nodes), Some(edges), exposed, datastores) => Some(Summary {
                    nodes,
                    edges,
                    internet_exposed: exposed.unwrap_or_default(),
                    datastores: datastores.unwrap_or_default(),
                }),
                _ => None,
            },
            graph_hash: read_opt("graphHash", item.graph_hash, GraphHash::parse)?,
            failure: item.failure_reason.as_deref().and_then(Text::cut),
            provenance: Provenance {
                commit_sha: item.iac_commit_sha.as_deref().and_then(Text::cut),
                workspace: item.terraform_workspace.as_deref().and_then(Text::cut),
                account_id: item.account_id.as_deref().and_then(Text::cut),
                region: item.region.as_deref().and_then(Text::cut),
            },
        })
    }
}

impl From<&Run> for RunItem {
    fn from(run: &Run) -> Self {
        fn text<const MAX: usize>(text: &Option<Text<MAX>>) -> Option<String> {
            text.as_ref().map(|text| text.as_str().to_owned())
        }
        Self {
            run_id: run.id.as_str().to_owned(),
            user_id: Some(run.user.as_str().to_owned()),
            status: run.status.word().to_owned(),
            environment: run.environment.word().to_owned(),
            created_at: run.created_at.to_string(),
            updated_at: run.updated_at.to_string(),
            attempt: run.attempt,
            processing_at: run.processing_at.map(|at| at.to_string()),
            iac_key: run.upload.key.clone(),
            iac_format: Some(run.upload.format.word().to_owned()),
            graph_key: run.graph_key.clone(),
            report_key: run.report_key.clone(),
            node_count: run.summary.map(|summary| summary.nodes),
            edge_count: run.summary.map(|summary| summary.edges),
            internet_exposed_count: run.summary.map(|summary| summary.internet_exposed),
            datastore_count: run.summary.map(|summary| summary.datastores),
            graph_hash: run.graph_hash.as_ref().map(|hash| hash.as_str().to_owned()),
            failure_reason: text(&run.failure),
            iac_commit_sha: text(&run.provenance.commit_sha),
            terraform_workspace: text(&run.provenance.workspace),
            account_id: text(&run.provenance.account_id),
            region: text(&run.provenance.region),
            partition_key: None,
        }
    }
}
