//! `trestle graph`: the pipeline on folders, files and plans of this machine, for continuous integration. No server, no store.

mod diff;
mod revision;

use std::error::Error;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _, ValueEnum};

use super::summary::{escaped, summary};
use super::{Built, Choices, Given, Options, Severity, Unusable};

/// The command.
pub fn command() -> Command {
    let analyze = Command::new("analyze")
        .about("Find risks in a Terraform module or plan, without a server")
        .after_help("Exit codes: 0 nothing that --fail-on or --fail-on-unresolved names, 1 the input cannot be analyzed, 3 there is some of it.");
    Command::new("graph")
        .about("Work with infrastructure graphs on this machine")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(AnalyzeArgs::augment_args(analyze))
        .subcommand(diff::command())
}

/// The exit code of what `--fail-on` and `--fail-on-unresolved` name.
const FOUND: u8 = 3;

#[derive(clap::Args, Debug)]
struct AnalyzeArgs {
    /// A folder with a Terraform module, a file or an archive of one, or a plan as `terraform show -json` prints it
    #[arg(default_value = ".")]
    path: PathBuf,

    #[command(flatten)]
    input: InputArgs,

    /// A report of --format json: its findings are known, and do not fail the command
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,

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

/// What decides about an analysis besides the path.
#[derive(clap::Args, Debug)]
struct InputArgs {
    /// The folder of the root module below the path. Defaults to the path if it has a configuration, else every folder with
    /// one that no other module calls
    #[arg(long, value_name = "FOLDER")]
    root: Option<String>,

    /// A file with values of variables, as of Terraform: below the current folder, or below the root module
    #[arg(long = "var-file", value_name = "FILE")]
    var_files: Vec<PathBuf>,

    /// The value of a variable of the root module, as of Terraform. Overrides TF_VAR_NAME in the environment
    #[arg(long = "var", value_name = "NAME=VALUE")]
    vars: Vec<String>,

    /// A JSON file with `high`, `medium`, `low` or `off` by the id of a rule
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
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

/// What a command prints, and how it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// What it prints on standard output.
    pub text: String,
    /// Its exit code.
    pub code: u8,
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
    let none = || Unusable("Name a command, such as `analyze`.".to_owned());
    match arguments.subcommand().ok_or_else(none)? {
        (diff::NAME, arguments) => diff::output(arguments),
        (_, arguments) => analyze(arguments),
    }
}

fn analyze(arguments: &ArgMatches) -> Result<Output, Box<dyn Error>> {
    let args = AnalyzeArgs::from_arg_matches(arguments)?;
    let options = options(&args.input, arguments, &args.path)?;
    let mut built = analyzed(&args.path, &options)?;
    choices(args.baseline.as_deref(), &args.input)?.apply(&mut built);
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
    let mut severities = built.findings.iter().map(|finding| finding.severity);
    let fails = severities.any(|severity| args.fail_on.fails(severity))
        || args.fail_on_unresolved
            && (built.undecided_notes().next().is_some() || !built.unread.is_empty());
    let code = if fails { FOUND } else { 0 };
    Ok(Output { text, code })
}

/// The URI of the folder that paths are relative to.
fn base(path: &Path) -> Option<String> {
    let whole = path.canonicalize().ok()?;
    let folder = if whole.is_dir() {
        whole.as_path()
    } else {
        whole.parent()?
    };
    Some(url::Url::from_directory_path(folder).ok()?.into())
}

fn content(path: &Path) -> Result<Vec<u8>, Unusable> {
    std::fs::read(path).map_err(|error| {
        let text = format!("{} cannot be read: {error}.", path.display());
        Unusable(escaped(&text))
    })
}

fn choices(baseline: Option<&Path>, args: &InputArgs) -> Result<Choices, Unusable> {
    let mut choices = Choices::default();
    if let Some(path) = baseline {
        let read = choices.read_baseline(&content(path)?);
        read.map_err(|reason| unfit(path, &reason))?;
    }
    if let Some(path) = &args.rules {
        let read = choices.read_severities(&content(path)?);
        read.map_err(|reason| unfit(path, &reason))?;
    }
    Ok(choices)
}

/// A file that is not what it has to be.
fn unfit(path: &Path, reason: &str) -> Unusable {
    Unusable(escaped(&format!("{}: {reason}.", path.display())))
}

/// The places of an option on the command line.
fn places(arguments: &ArgMatches, name: &str) -> Vec<usize> {
    arguments.indices_of(name).into_iter().flatten().collect()
}

/// What is given for the analysis of a path. Of --var-file and --var the last on the command line counts.
fn options(args: &InputArgs, arguments: &ArgMatches, path: &Path) -> Result<Options, Unusable> {
    let (of_files, of_vars) = (places(arguments, "var_files"), places(arguments, "vars"));
    let mut given = Vec::new();
    let root = path.join(args.root.as_deref().unwrap_or_default());
    let mut options = Options {
        root: args.root.clone(),
        environment: environment(),
        workspace: workspace(),
        ..Options::default()
    };
    for (file, place) in args.var_files.iter().zip(of_files) {
        let there = if file.is_file() {
            file.clone()
        } else {
            root.join(file)
        };
        // Its name as in the folder that is analyzed, if it is in there.
        let name = there.strip_prefix(path).unwrap_or(&there);
        let name = name.strip_prefix(".").unwrap_or(name);
        let name = name.to_string_lossy().into_owned();
        given.push((place, Given::File(name, content(&there)?)));
    }
    for (var, place) in args.vars.iter().zip(of_vars) {
        let Some((name, value)) = var.split_once('=') else {
            return Err(Unusable("Give --var as NAME=VALUE.".to_owned()));
        };
        let value = Given::Value(name.trim().to_owned(), value.to_owned());
        given.push((place, value));
    }
    given.sort_by_key(|(place, _)| *place);
    options.given = given.into_iter().map(|(_, given)| given).collect();
    Ok(options)
}

/// The workspace that the environment selects.
fn workspace() -> Option<String> {
    let workspace = std::env::var(super::WORKSPACE).ok()?;
    (!workspace.is_empty()).then_some(workspace)
}

/// The values of variables in the environment. No variable of a configuration has a name that is not UTF-8.
fn environment() -> Vec<(String, OsString)> {
    let all = std::env::vars_os().filter_map(|(name, value)| {
        let name = name.to_str()?.strip_prefix(super::ENVIRONMENT)?;
        Some((name.to_owned(), value))
    });
    let mut all: Vec<_> = all.collect();
    all.sort();
    all
}

/// Analyzes a folder or a file.
fn analyzed(path: &Path, options: &Options) -> Result<Built, Unusable> {
    if path.is_dir() {
        return super::folder(path, options).map_err(on_one_line);
    }
    let file = content(path)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    super::file(&name, &file, options).map_err(on_one_line)
}

/// A reason as it is printed.
fn on_one_line(reason: Unusable) -> Unusable {
    Unusable(escaped(&reason.to_string()))
}
