//! The inputs of the mutations, read into values that cannot be wrong.

use async_graphql::InputObject;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::graph_runs::artifacts::Expected;
use crate::graph_runs::model::{
    Claims, GraphHash, NewRun, Provenance, Rule, RunId, Text, Violation, Violations,
};
use crate::graph_runs::store::NewUpload;

use super::enums::{Environment, IacFormat};

/// A run to make.
#[derive(InputObject)]
pub struct CreateRunInput {
    /// Which environment the infrastructure is of.
    environment: Environment,
    /// The syntax of the file.
    iac_format: IacFormat,
    /// How many bytes the file has: the server's own URLs take no other size then. S3 holds to `iacSha256` alone.
    iac_bytes: Option<i64>,
    /// SHA-256 of the file, in base64 or 64 hexadecimal digits: no other file is taken then.
    iac_sha256: Option<String>,
    /// The commit that the file is of: at most 64 characters.
    iac_commit_sha: Option<String>,
    /// The Terraform workspace: at most 90 characters.
    terraform_workspace: Option<String>,
    /// The cloud account: at most 64 characters.
    account_id: Option<String>,
    /// The cloud region: at most 64 characters.
    region: Option<String>,
}

/// Which run to start.
#[derive(InputObject)]
pub struct StartRunInput {
    /// The run's `runId`.
    pub(super) run_id: String,
}

/// Which stuck run to start again.
#[derive(InputObject)]
pub struct RetryRunInput {
    /// The run's `runId`.
    pub(super) run_id: String,
}

/// Which run ends without a graph, and why.
#[derive(InputObject)]
pub struct FailRunInput {
    /// The run's `runId`.
    pub(super) run_id: String,
    /// The attempt that failed; the present one unless said. One that is over fails nothing.
    pub(super) attempt: Option<i32>,
    /// Why, for a person to read: at most 1000 characters.
    reason: String,
}

/// Which run has a graph now, and what its worker says of it. What is left out is not compared.
#[derive(InputObject)]
pub struct CompleteRunInput {
    /// The run's `runId`.
    pub(super) run_id: String,
    /// The attempt that is done; the present one unless said. One that is over completes nothing.
    pub(super) attempt: Option<i32>,
    /// `sha256:` and the SHA-256 of the graph's canonical JSON.
    graph_hash: Option<String>,
    /// How many nodes the graph has.
    node_count: Option<i64>,
    /// How many edges the graph has.
    edge_count: Option<i64>,
    /// How many of the nodes face the internet.
    internet_exposed_count: Option<i64>,
    /// How many of the nodes store data.
    datastore_count: Option<i64>,
}

/// Collects every rule that an input breaks.
#[derive(Default)]
struct Reading(Violations);

impl Reading {
    fn read<T>(&mut self, field: &'static str, parsed: Result<T, Rule>) -> Option<T> {
        parsed
            .map_err(|rule| self.0.push(Violation { field, rule }))
            .ok()
    }

    fn read_opt<T>(
        &mut self,
        field: &'static str,
        text: Option<String>,
        parse: impl FnOnce(&str) -> Result<T, Rule>,
    ) -> Option<T> {
        self.read(field, text.as_deref().map(parse).transpose())
            .flatten()
    }

    fn count(&mut self, field: &'static str, number: Option<i64>) -> Option<u64> {
        const FORM: Rule = Rule::Invalid("0 or more");
        let parsed = number.map(|number| u64::try_from(number).map_err(|_| FORM));
        self.read(field, parsed.transpose()).flatten()
    }
}

/// An attempt from outside. There is none below 1.
pub fn attempt(number: Option<i32>) -> Option<u32> {
    number.map(|number| u32::try_from(number).unwrap_or(0))
}

/// A run's id from outside: text that is none names nothing.
pub fn run_id(text: &str) -> Option<RunId> {
    RunId::parse(text).ok()
}

impl CreateRunInput {
    /// The run and its upload.
    ///
    /// # Errors
    /// Every rule that the input breaks.
    pub fn parse(self) -> Result<(NewRun, NewUpload), Violations> {
        let mut reading = Reading::default();
        let provenance = Provenance {
            commit_sha: reading.read_opt("iacCommitSha", self.iac_commit_sha, Text::parse),
            workspace: reading.read_opt(
                "terraformWorkspace",
                self.terraform_workspace,
                Text::parse,
            ),
            account_id: reading.read_opt("accountId", self.account_id, Text::parse),
            region: reading.read_opt("region", self.region, Text::parse),
        };
        let sha256 = reading.read_opt("iacSha256", self.iac_sha256, sha256);
        let upload = NewUpload {
            format: self.iac_format.into(),
            expected: Expected {
                // As one of 0 bytes, which the store refuses with the size that it takes.
                bytes: self
                    .iac_bytes
                    .map(|bytes| u64::try_from(bytes).unwrap_or(0)),
                sha256,
            },
        };
        let run = NewRun {
            environment: self.environment.into(),
            provenance,
        };
        match reading.0 {
            violations if violations.is_empty() => Ok((run, upload)),
            violations => Err(violations),
        }
    }
}

fn sha256(text: &str) -> Result<[u8; 32], Rule> {
    const FORM: Rule = Rule::Invalid("a SHA-256 in base64 or 64 hexadecimal digits");
    if text.len() == 64 && text.is_ascii() {
        let mut bytes = [0; 32];
        for (place, byte) in bytes.iter_mut().enumerate() {
            let digits = text.get(2 * place..2 * place + 2).ok_or(FORM)?;
            *byte = u8::from_str_radix(digits, 16).map_err(|_| FORM)?;
        }
        return Ok(bytes);
    }
    let bytes = STANDARD.decode(text).map_err(|_| FORM)?;
    bytes.try_into().map_err(|_| FORM)
}

impl FailRunInput {
    /// Why.
    ///
    /// # Errors
    /// The rule that the reason breaks.
    pub fn reason(&self) -> Result<Text<1000>, Violations> {
        Text::parse(&self.reason).map_err(|rule| {
            vec![Violation {
                field: "reason",
                rule,
            }]
        })
    }
}

impl CompleteRunInput {
    /// What the worker says.
    ///
    /// # Errors
    /// Every rule that the input breaks.
    pub fn claims(self) -> Result<Claims, Violations> {
        let mut reading = Reading::default();
        let claims = Claims {
            graph_hash: reading.read_opt("graphHash", self.graph_hash, GraphHash::parse),
            nodes: reading.count("nodeCount", self.node_count),
            edges: reading.count("edgeCount", self.edge_count),
            internet_exposed: reading.count("internetExposedCount", self.internet_exposed_count),
            datastores: reading.count("datastoreCount", self.datastore_count),
        };
        match reading.0 {
            violations if violations.is_empty() => Ok(claims),
            violations => Err(violations),
        }
    }
}
