//! How graph-runs is set up, from the command line.

use std::path::PathBuf;
use std::time::Duration;

use chrono::TimeDelta;
use clap::{Args, ValueEnum};

use super::model::Retention;
use super::store::{Pipeline, Settings};
use super::worker::WorkerLimits;
use crate::flags::{above_zero, at_least_one, period, time_or_seconds};

/// How graph-runs is set up.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Graph runs")]
pub struct GraphRunsArgs {
    /// Who builds the graphs
    #[arg(
        long = "graph-runs-pipeline",
        env = "TRESTLE_GRAPH_RUNS_PIPELINE",
        value_enum,
        default_value_t = PipelineArg::InProcess
    )]
    pipeline: PipelineArg,

    /// Time after which a processing run is stuck. A number without a unit is in seconds
    #[arg(
        long = "graph-runs-stuck-after",
        env = "TRESTLE_GRAPH_RUNS_STUCK_AFTER",
        value_name = "TIME",
        default_value = "15m",
        value_parser = long_time
    )]
    stuck_after: TimeDelta,

    /// Maximum size of an uploaded file, in bytes
    #[arg(
        long = "graph-runs-max-upload",
        env = "TRESTLE_GRAPH_RUNS_MAX_UPLOAD",
        value_name = "BYTES",
        default_value_t = 8 * 1024 * 1024,
        value_parser = at_least_one::<u64>
    )]
    max_upload: u64,

    /// Maximum memory of the process that analyzes a file, in bytes
    #[arg(
        long = "graph-runs-worker-memory",
        env = "TRESTLE_GRAPH_RUNS_WORKER_MEMORY",
        value_name = "BYTES",
        default_value_t = 1024 * 1024 * 1024,
        value_parser = at_least_one::<u64>
    )]
    worker_memory: u64,

    /// Maximum processor time of the process that analyzes a file. A number without a unit is in seconds
    #[arg(
        long = "graph-runs-worker-cpu",
        env = "TRESTLE_GRAPH_RUNS_WORKER_CPU",
        value_name = "TIME",
        default_value = "30s",
        value_parser = |text: &str| above_zero(time_or_seconds(text)?)
    )]
    worker_cpu: Duration,

    /// Time for which a run is kept after it started, with its files. Runs are kept for ever unless set
    #[arg(
        long = "graph-runs-retention",
        env = "TRESTLE_GRAPH_RUNS_RETENTION",
        value_name = "TIME",
        value_parser = long_time
    )]
    retention: Option<TimeDelta>,

    /// Time after which a run that was never started is deleted
    #[arg(
        long = "graph-runs-start-within",
        env = "TRESTLE_GRAPH_RUNS_START_WITHIN",
        value_name = "TIME",
        default_value = "24h",
        value_parser = long_time
    )]
    start_within: TimeDelta,

    /// How often expired runs are looked for
    #[arg(long = "graph-runs-expire-every", value_name = "TIME", default_value = "60s", hide = true, value_parser = period)]
    expire_every: Duration,

    /// How long a run stays with a server that has died
    #[arg(long = "graph-runs-lease", value_name = "TIME", default_value = "30s", hide = true, value_parser = long_time)]
    lease: TimeDelta,

    /// The program that analyzes files, if it is not this one
    #[arg(long = "graph-runs-worker-program", hide = true)]
    worker_program: Option<PathBuf>,

    /// Maximum size of a graph, in bytes
    #[arg(
        long = "graph-runs-max-graph",
        env = "TRESTLE_GRAPH_RUNS_MAX_GRAPH",
        value_name = "BYTES",
        default_value_t = 256 * 1024 * 1024,
        value_parser = at_least_one::<u64>
    )]
    max_graph: u64,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum PipelineArg {
    /// This server, in a process of its own for each file
    InProcess,
    /// Workers elsewhere, which report by mutations
    External,
}

fn long_time(text: &str) -> Result<TimeDelta, String> {
    let time = above_zero(time_or_seconds(text)?)?;
    TimeDelta::from_std(time).map_err(|_| "give a shorter time".to_owned())
}

impl GraphRunsArgs {
    /// The settings of the service.
    pub fn settings(&self) -> Settings {
        Settings {
            pipeline: match self.pipeline {
                PipelineArg::InProcess => Pipeline::InProcess,
                PipelineArg::External => Pipeline::External,
            },
            stuck_after: self.stuck_after,
            max_upload: self.max_upload,
            max_graph: self.max_graph,
            worker: WorkerLimits {
                program: self.worker_program.clone(),
                memory: self.worker_memory,
                cpu: self.worker_cpu,
            },
            retention: Retention {
                unstarted: self.start_within,
                started: self.retention,
            },
            expire_every: self.expire_every,
            lease: self.lease,
        }
    }
}
