//! `trestle graph`: the pipeline on folders, files and plans of this machine, for continuous integration. No server, no store.

mod diff;
mod draw;
mod input;
mod inventory;
pub(crate) mod revision;

use std::error::Error;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _, ValueEnum};

use super::Unusable;
use super::finding::Severity;
use super::graph::Built;
use super::summary::{escaped, summary};
use input::{FailOn, InputArgs, RulesArgs, add_report, analyzed, base, choices, code, options};

pub use input::Output;

/// The command.
pub fn command() -> Command {
    let analyze = Command::new("analyze")
        .about("Find risks in a Terraform module or plan, without a server")
        .after_help("Exit codes: 0 nothing that --fail-on or --fail-on-unresolved names, 1 the input or one of its root modules cannot be analyzed, 3 there is some of it.");
    Command::new("graph")
        .about("Work with infrastructure graphs on this machine")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(AnalyzeArgs::augment_args(analyze))
        .subcommand(diff::command())
        .subcommand(draw::command())
        .subcommand(inventory::command())
}

#[derive(clap::Args, Debug)]
struct AnalyzeArgs {
    /// A folder with a Terraform module, a file or an archive of one, or a plan as `terraform show -json` prints it
    #[arg(default_value = ".")]
    path: PathBuf,

    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    rules: RulesArgs,

    /// A report of --format json: its findings are known, and do not fail the command
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,

    /// A report of another program about the same files, in SARIF 2.1.0 or as checkov and trivy print it in JSON. Its findings stand beside those of the rules
    #[arg(long = "import", value_name = "FILE")]
    imports: Vec<PathBuf>,

    /// Write SARIF to a file as well
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,

    /// The least severity of findings that fail the command
    #[arg(long, value_enum, default_value_t = FailOn::High)]
    fail_on: FailOn,

    /// Fail as well if a rule is not decided for a node, or if a file cannot be read
    #[arg(long)]
    fail_on_unresolved: bool,

    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
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

/// Runs the command with its arguments, and prints what it answers.
///
/// # Errors
/// Why the input cannot be analyzed.
pub fn run(arguments: &ArgMatches) -> Result<ExitCode, Box<dyn Error>> {
    let output = output(arguments)?;
    writeln!(std::io::stdout().lock(), "{}", output.text)?;
    Ok(ExitCode::from(output.code))
}

/// Runs the command with its arguments.
///
/// # Errors
/// As [`run`].
pub fn output(arguments: &ArgMatches) -> Result<Output, Box<dyn Error>> {
    match arguments.subcommand() {
        Some((diff::NAME, arguments)) => diff::output(arguments),
        Some((draw::NAME, arguments)) => draw::output(arguments),
        Some((inventory::NAME, arguments)) => inventory::output(arguments),
        Some((_, arguments)) => analyze(arguments),
        None => Err(Unusable("Name a command, such as `analyze`.".to_owned()).into()),
    }
}

fn analyze(arguments: &ArgMatches) -> Result<Output, Box<dyn Error>> {
    let args = AnalyzeArgs::from_arg_matches(arguments)?;
    let options = options(&args.input, arguments, &args.path)?;
    let mut built = analyzed(&args.path, &options)?;
    for path in &args.imports {
        add_report(&mut built, path, &args.path)?;
    }
    choices(args.baseline.as_deref(), &args.rules)?.apply(&mut built);
    let base = base(&args.path);
    if let Some(path) = &args.sarif {
        let sarif = super::sarif(&built, base.as_deref());
        let written = std::fs::write(path, serde_json::to_string_pretty(&sarif)?);
        written.map_err(|error| {
            let text = format!("{} cannot be written: {error}.", path.display());
            Unusable(escaped(&text))
        })?;
    }
    let text = match args.format {
        Format::Text => summary(&built),
        Format::Json => serde_json::to_string_pretty(&super::report(&built))?,
        Format::Sarif => serde_json::to_string_pretty(&super::sarif(&built, base.as_deref()))?,
        Format::Graph => serde_json::to_string_pretty(&built.graph())?,
    };
    let fails = fails(&args, &built);
    let code = code(fails, &built);
    Ok(Output { text, code })
}

/// Whether there is something that `--fail-on` or `--fail-on-unresolved` names.
fn fails(args: &AnalyzeArgs, built: &Built) -> bool {
    let mut own = built.findings.iter().map(|finding| finding.severity);
    let is_unknown = built.imported_findings().any(|one| one.severity.is_none());
    // How severe something is that has no severity is not known, but not less than the least one.
    let mut imported = built
        .imported_findings()
        .map(|one| one.severity.unwrap_or(Severity::Low));
    let is_unresolved =
        built.undecided_notes().next().is_some() || !built.unread.is_empty() || is_unknown;
    own.any(|severity| args.fail_on.fails(severity))
        || imported.any(|severity| args.fail_on.fails(severity))
        || args.fail_on_unresolved && is_unresolved
}
