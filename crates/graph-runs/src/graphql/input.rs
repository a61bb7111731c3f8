//! The inputs of the mutations, read into values that cannot be wrong.

use async_graphql::InputObject;

use crate::error::ChangeError;
use crate::model::{
    Claims, Digest, Environment, GraphHash, IacFormat, NewRun, Provenance, Rule, RunId, Text,
    Violations,
};
use trestle_api::Input;
use trestle_domain::{Change, Check};

#[derive(InputObject)]
pub struct CreateRunInput {
    /// The environment of the infrastructure.
    environment: Environment,
    /// The format of the file.
    iac_format: IacFormat,
    /// The folder of the root module in an archive, such as `envs/prod`: at most 200 characters. Defaults to the top of the
    /// archive if it has a configuration, else every folder with one that no other module calls.
    root: Option<Input<Text<200>>>,
    /// The file's size in bytes. If set, the run only starts with a file of this size.
    iac_bytes: Option<i64>,
    /// The file's SHA-256, in base64 or 64 hexadecimal digits. If set, the run only starts with this file.
    iac_sha256: Option<String>,
    /// The commit of the file: at most 64 characters.
    iac_commit_sha: Option<Input<Text<64>>>,
    /// The Terraform workspace: at most 90 characters.
    terraform_workspace: Option<Input<Text<90>>>,
    /// The cloud account: at most 64 characters.
    account_id: Option<Input<Text<64>>>,
    /// The cloud region: at most 64 characters.
    region: Option<Input<Text<64>>>,
}

#[derive(InputObject)]
pub struct StartRunInput {
    /// The run's `runId`.
    pub(super) run_id: String,
    /// For workers: a name that is unique among them, at most 100 characters. A worker that repeats a request passes the
    /// same one.
    pub(super) worker_id: Option<Input<Text<100>>>,
}

#[derive(InputObject)]
pub struct RetryRunInput {
    /// The run's `runId`.
    pub(super) run_id: String,
    /// For workers: as in `StartRunInput`.
    pub(super) worker_id: Option<Input<Text<100>>>,
}

/// The name of a worker, if one was given.
///
/// # Errors
/// The rule that it breaks.
pub fn worker(given: Option<Input<Text<100>>>) -> Result<Option<Text<100>>, Violations> {
    let mut check = Check::default();
    let worker = check.if_given("workerId", given);
    check.finish(|| Some(worker))
}

#[derive(InputObject)]
pub struct FailRunInput {
    /// The run's `runId`.
    pub(super) run_id: String,
    /// The attempt that failed. Defaults to the present one. An attempt that has ended is refused.
    pub(super) attempt: Option<i32>,
    /// The reason, for people: at most 1000 characters.
    reason: String,
}

/// The run, and the worker's figures of the graph. Figures that are left out are not compared.
#[derive(InputObject)]
pub struct CompleteRunInput {
    /// The run's `runId`.
    pub(super) run_id: String,
    /// The attempt that is done. Defaults to the present one. An attempt that has ended is refused.
    pub(super) attempt: Option<i32>,
    /// `sha256:` and the SHA-256 of the graph's canonical JSON.
    graph_hash: Option<String>,
    /// Number of nodes.
    node_count: Option<i64>,
    /// Number of edges.
    edge_count: Option<i64>,
    /// Number of nodes that the internet reaches.
    internet_exposed_count: Option<i64>,
    /// Number of nodes that store data.
    datastore_count: Option<i64>,
    /// Number of nodes whose exposure could not be decided.
    unresolved_count: Option<i64>,
}

/// A number that is counted.
fn count(given: Option<i64>) -> Change<Result<u64, Rule>> {
    const FORM: Rule = Rule::Invalid("0 or more");
    given.map_or(Change::Unchanged, |number| {
        Change::Set(u64::try_from(number).map_err(|_| FORM))
    })
}

fn parsed<T>(given: Option<String>, parse: fn(&str) -> Result<T, Rule>) -> Change<Result<T, Rule>> {
    given.map_or(Change::Unchanged, |text| Change::Set(parse(&text)))
}

/// An attempt from outside. There is none below 1.
pub fn attempt(number: Option<i32>) -> Option<u32> {
    number.map(|number| u32::try_from(number).unwrap_or(0))
}

/// A run's id from outside: text that is none names nothing.
pub fn run_id(text: &str) -> Option<RunId> {
    RunId::parse(text).ok()
}

/// The run that an input names.
///
/// # Errors
/// [`ChangeError::NotFound`] for text that is no id.
pub fn named(text: &str) -> Result<RunId, ChangeError> {
    run_id(text).ok_or(ChangeError::NotFound)
}

impl CreateRunInput {
    /// The run.
    ///
    /// # Errors
    /// Every rule that the input breaks.
    pub fn parse(self) -> Result<NewRun, Violations> {
        let mut check = Check::default();
        let provenance = Provenance {
            commit_sha: check.if_given("iacCommitSha", self.iac_commit_sha),
            workspace: check.if_given("terraformWorkspace", self.terraform_workspace),
            account_id: check.if_given("accountId", self.account_id),
            region: check.if_given("region", self.region),
        };
        let sha256 = check.may("iacSha256", parsed(self.iac_sha256, Digest::parse));
        let run = NewRun {
            environment: self.environment,
            provenance,
            format: self.iac_format,
            root: check.if_given("root", self.root),
            // One of 0 bytes, which the store refuses with the sizes that it takes.
            bytes: self
                .iac_bytes
                .map(|bytes| u64::try_from(bytes).unwrap_or(0)),
            sha256,
        };
        check.finish(|| Some(run))
    }
}

impl FailRunInput {
    /// Why.
    ///
    /// # Errors
    /// The rule that the reason breaks.
    pub fn reason(&self) -> Result<Text<1000>, Violations> {
        Text::parse(&self.reason).map_err(|rule| rule.at("reason"))
    }
}

impl CompleteRunInput {
    /// What the worker says.
    ///
    /// # Errors
    /// Every rule that the input breaks.
    pub fn claims(self) -> Result<Claims, Violations> {
        let mut check = Check::default();
        let claims = Claims {
            graph_hash: check.may("graphHash", parsed(self.graph_hash, GraphHash::parse)),
            nodes: check.may("nodeCount", count(self.node_count)),
            edges: check.may("edgeCount", count(self.edge_count)),
            internet_exposed: check.may("internetExposedCount", count(self.internet_exposed_count)),
            datastores: check.may("datastoreCount", count(self.datastore_count)),
            unresolved: check.may("unresolvedCount", count(self.unresolved_count)),
        };
        check.finish(|| Some(claims))
    }
}
