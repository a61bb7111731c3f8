//! A run and its moves. Each move returns the run after it, that nothing changes, or why it is refused.

use async_graphql::SimpleObject;
use chrono::TimeDelta;

use super::{Digest, Environment, GraphHash, IacFormat, RunId, Status, Text, Timestamp, UserId};

/// A run of the pipeline over one infrastructure-as-code file or module.
#[derive(SimpleObject, Clone, Debug, PartialEq, Eq)]
#[graphql(complex)]
pub struct Run {
    /// Unique. The ids of one user ascend.
    #[graphql(skip)]
    pub id: RunId,
    /// The owner.
    #[graphql(name = "userId")]
    pub user: UserId,
    /// How far the run is.
    pub status: Status,
    /// The environment of the infrastructure.
    pub environment: Environment,
    /// When the run was created.
    pub created_at: Timestamp,
    /// When the run last changed. Never decreases.
    pub updated_at: Timestamp,
    /// Number of times that the run was started. A worker passes it to `completeRun` and `failRun`.
    pub attempt: u32,
    /// When the present attempt started.
    pub processing_at: Option<Timestamp>,
    /// What is uploaded.
    #[graphql(skip)]
    pub upload: Upload,
    /// The key of the stored graph; set when the run completes, and never changed.
    #[graphql(skip)]
    pub graph_key: Option<String>,
    /// The key of the risk report.
    #[graphql(skip)]
    pub report_key: Option<String>,
    /// The figures of the graph. Null until the run is COMPLETE.
    pub summary: Option<Summary>,
    /// The hash of the graph's canonical JSON; set when the run completes, and never changed.
    #[graphql(skip)]
    pub graph_hash: Option<GraphHash>,
    /// Why the run failed.
    #[graphql(name = "failureReason")]
    pub failure: Option<Text<1000>>,
    /// The origin of the file.
    pub provenance: Provenance,
    /// When the run is deleted with its files. Null if it is kept.
    pub expires_at: Option<Timestamp>,
}

/// The file that a run analyzes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upload {
    /// Its key in the object store: where clients put it, and from the start on that of the copy which is analyzed.
    pub key: String,
    /// Its format.
    pub format: IacFormat,
    /// The folder of the root module in it.
    pub root: Option<Text<200>>,
    /// Its size: announced, and from the start on recorded.
    pub bytes: Option<u64>,
    /// Its SHA-256: announced, and from the start on recorded.
    pub sha256: Option<Digest>,
}

/// The origin of a file, as its sender described it.
#[derive(SimpleObject, Clone, Debug, Default, PartialEq, Eq)]
#[graphql(name = "RunProvenance")]
pub struct Provenance {
    /// The commit.
    #[graphql(name = "iacCommitSha")]
    pub commit_sha: Option<Text<64>>,
    /// The Terraform workspace.
    #[graphql(name = "terraformWorkspace")]
    pub workspace: Option<Text<90>>,
    /// The cloud account.
    pub account_id: Option<Text<64>>,
    /// The cloud region.
    pub region: Option<Text<64>>,
}

/// The figures of a graph.
#[derive(SimpleObject, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[graphql(name = "RunSummary")]
pub struct Summary {
    /// Number of nodes.
    #[graphql(name = "nodeCount")]
    pub nodes: u64,
    /// Number of edges.
    #[graphql(name = "edgeCount")]
    pub edges: u64,
    /// Number of services that the internet reaches.
    #[graphql(name = "internetExposedCount")]
    pub internet_exposed: u64,
    /// Number of nodes that store data.
    #[graphql(name = "datastoreCount")]
    pub datastores: u64,
    /// Number of nodes whose exposure could not be decided. The risk report lists the reasons.
    #[graphql(name = "unresolvedCount")]
    pub unresolved: u64,
}

/// What the worker of an attempt made of the file, as it is kept.
#[derive(Clone, Debug)]
pub struct Results {
    /// The key of the graph.
    pub graph_key: String,
    /// The key of the report, if there is one.
    pub report_key: Option<String>,
    /// The numbers of the graph.
    pub summary: Summary,
    /// The hash of the graph.
    pub hash: GraphHash,
}

/// A worker's figures of the graph that it has stored; those it leaves out are not compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    /// The hash.
    pub graph_hash: Option<GraphHash>,
    /// How many nodes.
    pub nodes: Option<u64>,
    /// How many edges.
    pub edges: Option<u64>,
    /// How many nodes face the internet.
    pub internet_exposed: Option<u64>,
    /// How many nodes store data.
    pub datastores: Option<u64>,
    /// How many nodes could not be classified.
    pub unresolved: Option<u64>,
}

/// One figure that is not what was claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The claim's field: `nodeCount`.
    pub field: &'static str,
    /// What was claimed.
    pub claimed: String,
    /// What the stored graph has.
    pub found: String,
}

/// Why a move is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Impossible {
    /// The run was never started.
    #[error("the run is UPLOADED: start it first")]
    NotStarted,
    /// The run has ended another way.
    #[error("the run is {} and stays so", .0.word())]
    Ended(Status),
    /// The file was not sealed: the run has not been started by a request that saw it.
    #[error("the run is UPLOADED and its file is not known yet")]
    NotSealed,
    /// Another worker has the run.
    #[error("another worker has the run. Pass the same `workerId` to repeat your own request")]
    Owned,
    /// The run was started again since.
    #[error("the run is at attempt {current}: this one is over")]
    OldAttempt {
        /// The attempt that counts.
        current: u32,
    },
    /// Only a stuck run can be retried, or failed by its owner.
    #[error("the run is being processed, and not stuck yet")]
    NotStuck,
    /// The run is complete with other figures.
    #[error("the run is complete, and not with these figures")]
    OtherGraph(Vec<Difference>),
}

impl Run {
    /// Whether it has been processing for longer than `limit`, or was started by a clock that is as far ahead of this one.
    pub fn is_stuck(&self, now: Timestamp, limit: TimeDelta) -> bool {
        let started = self.processing_at.unwrap_or(self.updated_at);
        let apart = now.seconds().abs_diff(started.seconds());
        self.status == Status::Processing && apart > limit.num_seconds().unsigned_abs()
    }

    /// Starts the run on the file that was sealed, and keeps it until `expires_at`. A run that has started, or ended since, stays as it is.
    ///
    /// # Errors
    /// [`Impossible::Ended`] for a run that failed before it was ever started, [`Impossible::NotSealed`].
    pub fn start(
        &self,
        sealed: Option<&Upload>,
        now: Timestamp,
        expires_at: Option<Timestamp>,
    ) -> Result<Run, Impossible> {
        match self.status {
            Status::Uploaded => {
                let upload = sealed.ok_or(Impossible::NotSealed)?.clone();
                Ok(Run {
                    upload,
                    expires_at,
                    ..self.begun(now)
                })
            }
            Status::Processing | Status::Complete => Ok(self.clone()),
            Status::Failed if self.attempt > 0 => Ok(self.clone()),
            Status::Failed => Err(Impossible::Ended(Status::Failed)),
        }
    }

    /// Starts the next attempt, because the worker of this one is gone.
    ///
    /// # Errors
    /// [`Impossible::OldAttempt`], or that it is not being processed.
    pub fn take_over(&self, attempt: u32, now: Timestamp) -> Result<Run, Impossible> {
        match self.status {
            Status::Uploaded => Err(Impossible::NotStarted),
            Status::Complete | Status::Failed => Err(Impossible::Ended(self.status)),
            Status::Processing => {
                self.check_attempt(Some(attempt))?;
                Ok(self.begun(now))
            }
        }
    }

    /// Starts the next attempt of a run that has been processing for longer than `limit`.
    ///
    /// # Errors
    /// [`Impossible::NotStuck`], [`Impossible::NotStarted`], [`Impossible::Ended`].
    pub fn retry(&self, now: Timestamp, limit: TimeDelta) -> Result<Run, Impossible> {
        match self.status {
            Status::Processing if self.is_stuck(now, limit) => Ok(self.begun(now)),
            Status::Processing => Err(Impossible::NotStuck),
            Status::Uploaded => Err(Impossible::NotStarted),
            ended => Err(Impossible::Ended(ended)),
        }
    }

    fn begun(&self, now: Timestamp) -> Run {
        Run {
            status: Status::Processing,
            attempt: self.attempt.saturating_add(1),
            processing_at: Some(now),
            ..self.changed(now)
        }
    }

    /// Whether a worker's `attempt` may still complete the run: its status, PROCESSING or COMPLETE.
    ///
    /// # Errors
    /// [`Impossible::NotStarted`], [`Impossible::Ended`], [`Impossible::OldAttempt`].
    pub fn may_complete(&self, attempt: Option<u32>) -> Result<Status, Impossible> {
        match self.status {
            Status::Uploaded => Err(Impossible::NotStarted),
            Status::Failed => Err(Impossible::Ended(Status::Failed)),
            Status::Complete => Ok(Status::Complete),
            Status::Processing => self.check_attempt(attempt).map(|()| Status::Processing),
        }
    }

    /// Completes the run with a verified graph. A complete run stays as it is.
    ///
    /// # Errors
    /// As [`Run::may_complete`].
    pub fn complete(
        &self,
        attempt: Option<u32>,
        results: Results,
        now: Timestamp,
    ) -> Result<Run, Impossible> {
        match self.may_complete(attempt)? {
            Status::Complete => Ok(self.clone()),
            _ => Ok(Run {
                status: Status::Complete,
                graph_key: Some(results.graph_key),
                report_key: results.report_key,
                summary: Some(results.summary),
                graph_hash: Some(results.hash),
                ..self.changed(now)
            }),
        }
    }

    /// Ends the run without a graph. A failed run keeps its first reason.
    ///
    /// # Errors
    /// [`Impossible::Ended`] for a complete run, [`Impossible::OldAttempt`].
    pub fn fail(
        &self,
        attempt: Option<u32>,
        reason: Text<1000>,
        now: Timestamp,
    ) -> Result<Run, Impossible> {
        match self.status {
            Status::Complete => return Err(Impossible::Ended(Status::Complete)),
            Status::Failed => return Ok(self.clone()),
            Status::Uploaded | Status::Processing => self.check_attempt(attempt)?,
        }
        Ok(Run {
            status: Status::Failed,
            failure: Some(reason),
            ..self.changed(now)
        })
    }

    /// Whether its owner may fail it: before it starts, or when it is stuck.
    ///
    /// # Errors
    /// [`Impossible::NotStuck`].
    pub fn may_give_up(&self, now: Timestamp, limit: TimeDelta) -> Result<(), Impossible> {
        match self.status {
            Status::Processing if !self.is_stuck(now, limit) => Err(Impossible::NotStuck),
            _ => Ok(()),
        }
    }

    fn check_attempt(&self, attempt: Option<u32>) -> Result<(), Impossible> {
        match attempt {
            Some(attempt) if attempt != self.attempt => Err(Impossible::OldAttempt {
                current: self.attempt,
            }),
            _ => Ok(()),
        }
    }

    /// The same run, changed `now`; `updatedAt` never goes back.
    fn changed(&self, now: Timestamp) -> Run {
        Run {
            updated_at: now.max(self.updated_at),
            ..self.clone()
        }
    }
}

impl Claims {
    /// The claims that do not match.
    pub fn differences(&self, summary: Summary, hash: &GraphHash) -> Vec<Difference> {
        let figures = [
            ("nodeCount", self.nodes, summary.nodes),
            ("edgeCount", self.edges, summary.edges),
            (
                "internetExposedCount",
                self.internet_exposed,
                summary.internet_exposed,
            ),
            ("datastoreCount", self.datastores, summary.datastores),
            ("unresolvedCount", self.unresolved, summary.unresolved),
        ];
        let figures = figures.into_iter().filter_map(|(field, claimed, found)| {
            let claimed = claimed.filter(|claimed| *claimed != found)?;
            Some(Difference {
                field,
                claimed: claimed.to_string(),
                found: found.to_string(),
            })
        });
        let other = self.graph_hash.iter().filter(|claimed| *claimed != hash);
        let other = other.map(|claimed| Difference {
            field: "graphHash",
            claimed: claimed.as_str().to_owned(),
            found: hash.as_str().to_owned(),
        });
        figures.chain(other).collect()
    }
}
