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
            .after_help("Exit codes: 0 nothing that --fail-on or --fail-on-unresolved names, 1 the input cannot be analyzed, 3 there is some of it.");
        Command::new("graph")
            .about("Work with infrastructure graphs on this machine")
            .subcommand_required(true)
            .arg_required_else_help(true)
            .subcommand(AnalyzeArgs::augment_args(analyze))
    },
    run,
};

/// The exit code of what `--fail-on` and `--fail-on-unresolved` name.
const FOUND: u8 = 3;

#[derive(clap::Args, Debug)]
struct AnalyzeArgs {
    /// A folder with a Terraform module, a file or an archive of one, or a plan as `terraform show -json` prints it
    path: PathBuf,

    /// The least severity of findings that fail the command
    #[arg(long, value_enum, default_value_t = FailOn::High)]
    fail_on: FailOn,

    /// Fail as well if it is not decided for a node whether the internet reaches it
    #[arg(long)]
    fail_on_unresolved: bool,

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
    /// One line for each finding, and for each node that is not decided
    Text,
    /// The risk report
    Json,
    /// SARIF 2.1.0, as code hosts read it; what is not decided as notes
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
        Format::Sarif => {
            serde_json::to_string_pretty(&pipeline::sarif(&built, base(&args.path).as_deref()))?
        }
        Format::Graph => serde_json::to_string_pretty(&built.graph())?,
    };
    writeln!(std::io::stdout().lock(), "{text}")?;
    let mut severities = built.findings.iter().map(|finding| finding.severity);
    let fails = severities.any(|severity| args.fail_on.fails(severity))
        || args.fail_on_unresolved && !built.unresolved.is_empty();
    Ok(match fails {
        true => ExitCode::from(FOUND),
        false => ExitCode::SUCCESS,
    })
}

/// The URI of the folder that paths are relative to.
fn base(path: &Path) -> Option<String> {
    let whole = path.canonicalize().ok()?;
    let folder = match whole.is_dir() {
        true => whole.as_path(),
        false => whole.parent()?,
    };
    Some(url::Url::from_directory_path(folder).ok()?.into())
}

fn analyzed(path: &Path) -> Result<Built, Failure> {
    if path.is_dir() {
        return pipeline::folder(path).map_err(|reason| Failure::new(escaped(&reason.to_string())));
    }
    let file = std::fs::read(path).map_err(|error| {
        let text = format!("{} cannot be read: {error}.", path.display());
        Failure::new(escaped(&text))
    })?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    pipeline::file(&name, &file).map_err(|reason| Failure::new(escaped(&reason.to_string())))
}

/// A text on one line, which cannot move the cursor or look like another line.
fn escaped(text: &str) -> String {
    let is_odd = |c: char| {
        c.is_control()
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut shown = String::new();
    for c in text.chars() {
        match is_odd(c) {
            true => shown.extend(c.escape_default()),
            false => shown.push(c),
        }
    }
    shown
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
    let files = &built.value_files;
    for (what, files) in [("used", &files.used), ("not used", &files.ignored)] {
        if !files.is_empty() {
            lines.push(format!("Values {what}: {}", files.join(", ")));
        }
    }
    lines.push(format!(
        "{} nodes, {} findings, {} unresolved",
        built.nodes.len(),
        built.findings.len(),
        built.unresolved_nodes().len()
    ));
    let lines: Vec<_> = lines.iter().map(|line| escaped(line)).collect();
    lines.join("\n")
}
