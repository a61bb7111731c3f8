//! The graph-runs service, through its API over HTTP.

mod server;

mod authorization;
mod changes;
mod command;
mod completion;
mod contents;
mod deletion;
mod files;
mod guide;
#[cfg(target_os = "linux")]
mod hostile;
mod immutable;
mod inputs;
#[cfg(target_os = "linux")]
mod killed;
mod lagging;
mod life;
mod lists;
mod literals;
mod live;
mod lost;
mod memory;
mod odd;
mod pictures;
mod pipeline;
mod program;
mod s3;
#[path = "../../crates/terraform/tests/terraform/setups.rs"]
mod setups;
mod warnings;
