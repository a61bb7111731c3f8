//! A run, and the moves that it can make. Each move takes the run as it is and answers the run as it would
//! be, that nothing changes, or why it cannot be.

use chrono::TimeDelta;

use super::{Environment, GraphHash, IacFormat, RunId, Status, Text, Timestamp, UserId};

/// A run of the pipeline over one infrastructure-as-code file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its id.
    pub id: RunId,
    /// Whose it is.
    pub user: UserId,
    /// Where it stands.
    pub status: Status,
    /// Which environment the infrastructure is of.
    pub environment: Environment,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// How often it was started: 0 before the first time.
    pub attempt: u32,
    /// When the present attempt started.
    pub processing_at: Option<Timestamp>,
    /// What is uploaded.
    pub upload: Upload,
    /// The key of the stored graph; set when the run completes, and never changed.
    pub graph_key: Option<String>,
    /// The key of the risk report.
    pub report_key: Option<String>,
    /// The figures of the graph.
    pub summary: Option<Summary>,
    /// The hash of the graph's canonical JSON; set when the run completes, and never changed.
    pub graph_hash: Option<GraphHash>,
    /// Why it failed.
    pub failure: Option<Text<1000>>,
    /// Where the file came from.
    pub provenance: Provenance,
}

/// The file that a run is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upload {
    /// Its key in the object store.
    pub key: String,
    /// Its syntax.
    pub format: IacFormat,
}

/// Where a file came from, as far as its sender says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The commit.
    pub commit_sha: Option<Text<64>>,
    /// The Terraform workspace.
    pub workspace: Option<Text<90>>,
    /// The cloud account.
    pub account_id: Option<Text<64>>,
    /// The cloud region.
    pub region: Option<Text<64>>,
}

/// The figures of a graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// How many nodes it has.
    pub nodes: u64,
    /// How many edges it has.
    pub edges: u64,
    /// How many of the nodes face the internet.
    pub internet_exposed: u64,
    /// How many of the nodes store data.
    pub datastores: u64,
}

/// What a worker says of the graph that it has stored; what it leaves out is not compared.
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

/// A run in the making.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRun {
    /// Which environment the infrastructure is of.
    pub environment: Environment,
    /// Where the file comes from.
    pub provenance: Provenance,
}

/// What a move comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// It was made before: the run stays as it is.
    Unchanged,
    /// The run as it is to be.
    Changed(Box<Run>),
}

/// Why a move cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Impossible {
    /// The run was never started.
    #[error("the run is UPLOADED: start it first")]
    NotStarted,
    /// The run has ended another way.
    #[error("the run is {} and stays so", .0.word())]
    Ended(Status),
    /// The run was started again since: another worker has it.
    #[error("the run is at attempt {current}: this one is over")]
    OldAttempt {
        /// The attempt that counts.
        current: u32,
    },
    /// Only a stuck run can be retried, or given up by its owner.
    #[error("the run is being processed, and not stuck yet")]
    NotStuck,
    /// The run is complete with other figures.
    #[error("the run is complete, and not with these figures")]
    OtherGraph(Vec<Difference>),
}

impl NewRun {
    /// The run, made `now`.
    pub fn make(self, id: RunId, user: UserId, upload: Upload, now: Timestamp) -> Run {
        Run {
            id,
            user,
            status: Status::Uploaded,
            environment: self.environment,
            created_at: now,
            updated_at: now,
            attempt: 0,
            processing_at: None,
            upload,
            graph_key: None,
            report_key: None,
            summary: None,
            graph_hash: None,
            failure: None,
            provenance: self.provenance,
        }
    }
}

impl Run {
    /// Whether it has been processing for longer than `limit`.
    pub fn is_stuck(&self, now: Timestamp, limit: TimeDelta) -> bool {
        let started = self.processing_at.unwrap_or(self.updated_at);
        self.status == Status::Processing && now.seconds() - started.seconds() > limit.num_seconds()
    }

    /// The pipeline begins. One that has begun, or ended since, has begun.
    ///
    /// # Errors
    /// [`Impossible::Ended`] for a run that failed before it was ever started.
    pub fn start(&self, now: Timestamp) -> Result<Step, Impossible> {
        match self.status {
            Status::Uploaded => Ok(self.begun(now)),
            Status::Processing | Status::Complete => Ok(Step::Unchanged),
            Status::Failed if self.attempt > 0 => Ok(Step::Unchanged),
            Status::Failed => Err(Impossible::Ended(Status::Failed)),
        }
    }

    /// The pipeline begins again, because it has been at it for longer than `limit`.
    ///
    /// # Errors
    /// [`Impossible::NotStuck`], [`Impossible::NotStarted`], [`Impossible::Ended`].
    pub fn retry(&self, now: Timestamp, limit: TimeDelta) -> Result<Step, Impossible> {
        match self.status {
            Status::Processing if self.is_stuck(now, limit) => Ok(self.begun(now)),
            Status::Processing => Err(Impossible::NotStuck),
            Status::Uploaded => Err(Impossible::NotStarted),
            ended => Err(Impossible::Ended(ended)),
        }
    }

    fn begun(&self, now: Timestamp) -> Step {
        Step::Changed(Box::new(Run {
            status: Status::Processing,
            attempt: self.attempt.saturating_add(1),
            processing_at: Some(now),
            ..self.changed(now)
        }))
    }

    /// Whether a worker's `attempt` may still complete the run: `Unchanged` where it is complete.
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

    /// The graph is there. A complete run stays as it is if the claims are true of it.
    ///
    /// # Errors
    /// As [`Run::may_complete`], and [`Impossible::OtherGraph`].
    pub fn complete(
        &self,
        attempt: Option<u32>,
        (graph_key, report_key): (String, Option<String>),
        (summary, hash): (Summary, GraphHash),
        now: Timestamp,
    ) -> Result<Step, Impossible> {
        match self.may_complete(attempt)? {
            Status::Complete => Ok(Step::Unchanged),
            _ => Ok(Step::Changed(Box::new(Run {
                status: Status::Complete,
                graph_key: Some(graph_key),
                report_key,
                summary: Some(summary),
                graph_hash: Some(hash),
                ..self.changed(now)
            }))),
        }
    }

    /// The run ends without a graph; one that has failed keeps its first reason.
    ///
    /// # Errors
    /// [`Impossible::Ended`] for a complete run, [`Impossible::OldAttempt`].
    pub fn fail(
        &self,
        attempt: Option<u32>,
        reason: Text<1000>,
        now: Timestamp,
    ) -> Result<Step, Impossible> {
        match self.status {
            Status::Complete => return Err(Impossible::Ended(Status::Complete)),
            Status::Failed => return Ok(Step::Unchanged),
            Status::Uploaded | Status::Processing => self.check_attempt(attempt)?,
        }
        Ok(Step::Changed(Box::new(Run {
            status: Status::Failed,
            failure: Some(reason),
            ..self.changed(now)
        })))
    }

    /// Whether its owner may give it up: before it starts, or when it is stuck.
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
    /// What is claimed and not so.
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
