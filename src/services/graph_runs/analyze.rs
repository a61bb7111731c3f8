//! `trestle graph analyze`: the pipeline on a folder, a file or a plan of this machine, for continuous integration. No
//! server, no store.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _, ValueEnum};

use crate::services::registered::{Failure, Tool};

use super::pipeline::{self, Built, Severity};

/// The command, for the registry.
pub const TOOL: Tool = Tool {
    command: || {
        let analyze = Command::new("analyze")
            .about("Find risks in a Terraform module or plan, without a server")
            .after_help("Exit codes: 0 no finding that --fail-on names, 1 the input cannot be analyzed, 3 there are such findings.");
        Command::new("graph")
            .about("Work with infrastructure graphs on this machine")
            .subcommand_required(true)
            .arg_required_else_help(true)
            .subcommand(AnalyzeArgs::augment_args(analyze))
    },
    run,
};

/// The exit code of findings that `--fail-on` names.
const FOUND: u8 = 3;

#[derive(clap::Args, Debug)]
struct AnalyzeArgs {
    /// A folder with a Terraform module, or a plan as `terraform show -json` prints it
    path: PathBuf,

    /// The least severity of findings that fail the command
    #[arg(long, value_enum, default_value_t = FailOn::High)]
    fail_on: FailOn,

    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum FailOn {
    High,
    Medium,
    Low,
    Never,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// One line for each finding
    Text,
    /// The risk report
    Json,
    /// SARIF 2.1.0, as code hosts read it
    Sarif,
    /// The graph
    Graph,
}

impl FailOn {
    fn fails(self, severity: Severity) -> bool {
        match self {
            FailOn::High => severity <= Severity::High,
            FailOn::Medium => severity <= Severity::Medium,
            FailOn::Low => severity <= Severity::Low,
            FailOn::Never => false,
        }
    }
}

fn run(arguments: &ArgMatches) -> Result<ExitCode, Failure> {
    let none = || Failure::new("Name a command, such as `analyze`.");
    let (_, arguments) = arguments.subcommand().ok_or_else(none)?;
    let args = AnalyzeArgs::from_arg_matches(arguments)?;
    let built = analyzed(&args.path)?;
    let text = match args.format {
        Format::Text => lines(&built),
        Format::Json => serde_json::to_string_pretty(&pipeline::report(&built))?,
        Format::Sarif => serde_json::to_string_pretty(&pipeline::sarif(&built))?,
        Format::Graph => serde_json::to_string_pretty(&built.graph())?,
    };
    writeln!(std::io::stdout().lock(), "{text}")?;
    let mut severities = built.findings.iter().map(|finding| finding.severity);
    Ok(
        match severities.any(|severity| args.fail_on.fails(severity)) {
            true => ExitCode::from(FOUND),
            false => ExitCode::SUCCESS,
        },
    )
}

fn analyzed(path: &Path) -> Result<Built, Failure> {
    if path.is_dir() {
        let files = pipeline::in_folder(path)?;
        return Ok(pipeline::folder(&files)?);
    }
    let file = std::fs::read(path)
        .map_err(|error| Failure::new(format!("{} cannot be read: {error}.", path.display())))?;
    Ok(pipeline::plan(&file)?)
}

fn lines(built: &Built) -> String {
    let mut lines = Vec::new();
    for finding in &built.findings {
        let node = built.nodes.get(&finding.node);
        let place = node.and_then(|node| Some(format!("{}:{}: ", node.file.as_ref()?, node.line?)));
        lines.push(format!(
            "{}{} {} {}: {}",
            place.unwrap_or_default(),
            finding.severity.word(),
            finding.rule,
            finding.node,
            finding.message
        ));
    }
    for note in &built.unresolved {
        lines.push(format!("UNRESOLVED {}: {}", note.node, note.message));
    }
    lines.push(format!(
        "{} nodes, {} findings, {} unresolved",
        built.nodes.len(),
        built.findings.len(),
        built.unresolved_nodes().len()
    ));
    lines.join("\n")
}
