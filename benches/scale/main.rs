//! What grows with the data and what does not: the same pages and details on tables of 1,000, 10,000 and
//! 100,000 applications and on histories of 1 to 10,000 entries, and writers that meet. In process,
//! on the embedded store in a temporary folder. Prints Markdown; fails where calls or capacity differ.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a measurement that cannot go on stops"
)]

#[path = "../support/mod.rs"]
mod support;

mod conflicts;
#[path = "../support/machine.rs"]
mod machine;
mod reading;
mod writing;

use std::process::ExitCode;

use clap::Parser;

/// What is measured, and for how long.
#[derive(Parser)]
struct Options {
    /// How often each question is asked of each size
    #[arg(long, default_value_t = 400)]
    rounds: usize,

    /// How long each group of writers writes, in seconds
    #[arg(long, default_value_t = 3)]
    seconds: u64,

    /// The sizes of the tables, the smallest first
    #[arg(long, value_delimiter = ',', default_values_t = [1_000, 10_000, 100_000])]
    tables: Vec<usize>,

    /// Measure the writers only
    #[arg(long)]
    only_writers: bool,

    /// `cargo bench` says it
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        println!("{}\n", machine::describe());
        let equal = options.only_writers || reading::run(&options.tables, options.rounds).await;
        writing::run(options.seconds).await;
        if equal {
            ExitCode::SUCCESS
        } else {
            eprintln!("calls or capacity grow with the data");
            ExitCode::FAILURE
        }
    })
}
