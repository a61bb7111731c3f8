//! `trestle suggest`: makes suggestions in this process.

use std::process::ExitCode;

use clap::{Arg, ArgAction, Command};

use trestle_service::{Failure, ServiceContext};

use super::runner::Runner;
use super::{Run, Target};

/// The command.
pub fn command() -> Command {
    Command::new("suggest")
        .about("Make the job board's suggestions that are still to be made")
        .long_about(
            "Make the job board's suggestions that are still to be made: those of new jobs and changed profiles, and those \
             of active seekers that are three days old; and delete what belonged to deleted profiles. All this a server makes by itself unless it is started with --job-board-suggestions none. Can run beside servers. If \
             it is interrupted, the next one continues.",
        )
        .arg(
            Arg::new("all")
                .long("all")
                .action(ArgAction::SetTrue)
                .help("Make the suggestions of every seeker anew"),
        )
}

/// Does every run; with `--all`, those of every seeker.
pub async fn run(context: &ServiceContext<'_>) -> Result<ExitCode, Failure> {
    let tables = &context.tables;
    if context.arguments.get_flag("all") && tables.get::<Run>(&Target::Everyone).await?.is_none() {
        let mut unit = tables.unit::<()>();
        unit.put(&Run::new(Target::Everyone, tables.now()));
        unit.commit().await?;
    }
    let runner = Runner::of_command(tables.clone());
    runner.sweep().await?;
    let made = runner.drain().await?;
    let (written, deleted, seen) = (made.written, made.deleted, made.seen);
    println!(
        "{written} suggestions written, {deleted} deleted, {seen} pairs and seekers looked at"
    );
    let spent = tables.meter().spent();
    println!(
        "{} calls to DynamoDB: {} read units, {} write units",
        spent.calls, spent.read_units, spent.write_units
    );
    Ok(ExitCode::SUCCESS)
}
