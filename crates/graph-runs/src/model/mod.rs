//! The rules of infrastructure-graph runs: what a run is, how it moves on, what a graph consists of. Knows
//! nothing of storage, Terraform or the clock: moments come as arguments.

mod change;
mod expiry;
mod job;
mod new_run;
mod pointer;
mod run;
mod values;

pub use change::{RunChange, RunChangeKind};
pub use expiry::{Expiry, later};
pub use job::{Claim, Claimant, Holder, Job, MAX_ATTEMPTS, MAX_TRIES, WorkerKind};
pub use new_run::NewRun;
pub use pointer::Pointer;
pub use run::{Claims, Difference, Impossible, Provenance, Results, Run, Summary, Upload};
pub use trestle_domain::{Rule, UserId, Violations};
pub use values::{Digest, Environment, GraphHash, IacFormat, RunId, Status, Text, Timestamp};
