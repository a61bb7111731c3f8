//! Counts the instructions of each hot path with callgrind, and compares them with those that the
//! repository keeps, so that a change of cost is seen in review. Unlike times, they are the same on a
//! busy machine.
//!
//! A path is taken N times in one process and 2N times in another, both under valgrind: the difference,
//! divided by N, is one request without what surrounds it.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a measurement that cannot go on stops"
)]

#[path = "../support/mod.rs"]
mod support;

mod count;
mod kept;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use tokio::runtime::Builder;

use support::paths::Paths;

/// What is counted.
#[derive(Parser)]
struct Options {
    /// Keep what is counted, instead of comparing with it
    #[arg(long)]
    bless: bool,

    /// How often each path is taken; twice that in the second process
    #[arg(long, default_value_t = 100)]
    times: usize,

    /// Take this path and nothing else: what runs under valgrind
    #[arg(long, hide = true)]
    path: Option<String>,

    /// The counts that are kept
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/instructions.json"))]
    kept: PathBuf,

    /// `cargo bench` says it
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let mut runtime = Builder::new_current_thread();
    // One thread for the embedded store, so that none is started between.
    let runtime = runtime.enable_all().max_blocking_threads(1).build();
    let runtime = runtime.expect("a runtime");
    let paths = runtime.block_on(Paths::new());
    if let Some(name) = &options.path {
        let path = paths.named(name);
        for turn in 0..options.times {
            runtime.block_on(path.take(&paths.api, turn));
        }
        return ExitCode::SUCCESS;
    }
    let names: Vec<_> = paths.all.iter().map(|path| path.name).collect();
    let counts = match count::all(&names, options.times) {
        Ok(counts) => counts,
        Err(reason) => {
            eprintln!("{reason}");
            return ExitCode::FAILURE;
        }
    };
    if options.bless {
        kept::write(&options.kept, &counts);
    } else {
        kept::compare(&options.kept, &counts);
    }
    ExitCode::SUCCESS
}
