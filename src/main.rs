//! The command line's entry.

use std::process::ExitCode;

/// Returns memory to the system after a burst; the system's own allocator keeps it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    trestle::commands::run()
}
