//! How graph-runs is set up, from the command line.

use std::path::PathBuf;
use std::time::Duration;

use chrono::TimeDelta;
use clap::{Args, ValueEnum};

use trestle_service::flags::{above_zero, at_least_one, period, time_or_seconds};

/// How graph-runs is set up.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Graph runs")]
#[group(id = "graph_runs")]
pub struct Settings {
    /// Who builds the graphs
    #[arg(
        long = "graph-runs-pipeline",
        env = "TRESTLE_GRAPH_RUNS_PIPELINE",
        value_enum,
        default_value_t = Pipeline::InProcess
    )]
    pub pipeline: Pipeline,

    /// Time after which a processing run is stuck. A number without a unit is in seconds
    #[arg(
        long = "graph-runs-stuck-after",
        env = "TRESTLE_GRAPH_RUNS_STUCK_AFTER",
        value_name = "TIME",
        default_value = "15m",
        value_parser = long_time
    )]
    pub stuck_after: TimeDelta,

    /// Maximum size of an uploaded file, in bytes
    #[arg(
        long = "graph-runs-max-upload",
        env = "TRESTLE_GRAPH_RUNS_MAX_UPLOAD",
        value_name = "BYTES",
        default_value_t = 8 * 1024 * 1024,
        value_parser = at_least_one::<u64>
    )]
    pub max_upload: u64,

    /// The limits of the process that analyzes a file
    #[command(flatten)]
    pub worker: WorkerLimits,

    /// How long runs are kept
    #[command(flatten)]
    pub retention: Retention,

    /// How often expired runs are looked for
    #[arg(long = "graph-runs-expire-every", value_name = "TIME", default_value = "60s", hide = true, value_parser = period)]
    pub expire_every: Duration,

    /// How long a run stays with a server that has died
    #[arg(long = "graph-runs-lease", value_name = "TIME", default_value = "30s", hide = true, value_parser = long_time)]
    pub lease: TimeDelta,

    /// Maximum size of a graph, in bytes
    #[arg(
        long = "graph-runs-max-graph",
        env = "TRESTLE_GRAPH_RUNS_MAX_GRAPH",
        value_name = "BYTES",
        default_value_t = 256 * 1024 * 1024,
        value_parser = at_least_one::<u64>
    )]
    pub max_graph: u64,
}

impl Settings {
    /// For how long a worker elsewhere gets a run.
    pub fn external_lease(&self) -> TimeDelta {
        self.stuck_after.max(TimeDelta::seconds(1))
    }
}

/// Who builds the graphs.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pipeline {
    /// This server, in a process of its own for each file
    InProcess,
    /// Workers elsewhere, which report by mutations
    External,
}

/// The limits of the process that analyzes a file.
#[derive(Args, Clone, Debug)]
#[group(id = "graph_runs_worker")]
pub struct WorkerLimits {
    /// Maximum memory of the process that analyzes a file, in bytes
    #[arg(
        id = "worker_memory",
        long = "graph-runs-worker-memory",
        env = "TRESTLE_GRAPH_RUNS_WORKER_MEMORY",
        value_name = "BYTES",
        default_value_t = 1024 * 1024 * 1024,
        value_parser = at_least_one::<u64>
    )]
    pub memory: u64,

    /// Maximum processor time of the process that analyzes a file. A number without a unit is in seconds
    #[arg(
        id = "worker_cpu",
        long = "graph-runs-worker-cpu",
        env = "TRESTLE_GRAPH_RUNS_WORKER_CPU",
        value_name = "TIME",
        default_value = "30s",
        value_parser = |text: &str| above_zero(time_or_seconds(text)?)
    )]
    pub cpu: Duration,

    /// The program that analyzes files, if it is not this one
    #[arg(id = "worker_program", long = "graph-runs-worker-program", hide = true)]
    pub program: Option<PathBuf>,
}

/// How long runs are kept.
#[derive(Args, Clone, Copy, Debug)]
#[group(id = "graph_runs_retention")]
pub struct Retention {
    /// Time for which a run is kept after it started, with its files. Runs are kept for ever unless set
    #[arg(
        long = "graph-runs-retention",
        env = "TRESTLE_GRAPH_RUNS_RETENTION",
        value_name = "TIME",
        value_parser = long_time
    )]
    pub started: Option<TimeDelta>,

    /// Time after which a run that was never started is deleted
    #[arg(
        long = "graph-runs-start-within",
        env = "TRESTLE_GRAPH_RUNS_START_WITHIN",
        value_name = "TIME",
        default_value = "24h",
        value_parser = long_time
    )]
    pub unstarted: TimeDelta,
}

fn long_time(text: &str) -> Result<TimeDelta, String> {
    let time = above_zero(time_or_seconds(text)?)?;
    TimeDelta::from_std(time).map_err(|_| "give a shorter time".to_owned())
}
