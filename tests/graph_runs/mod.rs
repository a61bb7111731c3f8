//! The graph-runs service, through its API over HTTP.

mod server;

mod analyzed;
mod authorization;
mod changes;
mod command;
mod completion;
mod contents;
mod decided;
mod deletion;
mod files;
mod forms;
mod functions;
mod guide;
#[cfg(target_os = "linux")]
mod hostile;
mod immutable;
mod inputs;
mod instances;
mod judged;
#[cfg(target_os = "linux")]
mod killed;
mod life;
mod lists;
mod literals;
mod live;
mod lost;
mod odd;
mod open_cases;
mod pictures;
mod pipeline;
mod plans;
mod program;
mod protected;
mod s3;
mod secrets;
mod setups;
mod suppressions;
