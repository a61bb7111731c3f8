//! The command line's entry.

use std::process::ExitCode;

use trestle::commands::{self, Cli};

/// Returns memory to the system after a burst; the system's own allocator keeps it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    commands::run(Cli::read())
}
