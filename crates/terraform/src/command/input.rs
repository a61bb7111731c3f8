//! What the commands share: what they analyze, how, and when they fail.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, ValueEnum};

use crate::summary::escaped;
use crate::{Built, Choices, Given, MAX_REPORT_BYTES, Options, Severity, Unusable};

/// The exit code of what `--fail-on` and `--fail-on-unresolved` name.
const FOUND: u8 = 3;
/// The exit code of a root module that cannot be analyzed, among others that can.
const NOT_ANALYZED: u8 = 1;

// What decides about an analysis besides the path. As a doc comment, it would be what the commands say that they do.
#[derive(clap::Args, Debug)]
pub struct InputArgs {
    /// The folder of the root module below the path. Defaults to the path if it has a configuration, else every folder with
    /// one that no other module calls
    #[arg(long, value_name = "FOLDER")]
    pub root: Option<String>,

    /// A file with values of variables, as of Terraform: below the current folder, or below the root module
    #[arg(long = "var-file", value_name = "FILE")]
    pub var_files: Vec<PathBuf>,

    /// The value of a variable of the root module, as of Terraform. Overrides TF_VAR_NAME in the environment
    #[arg(long = "var", value_name = "NAME=VALUE")]
    pub vars: Vec<String>,
}

// What decides which findings count.
#[derive(clap::Args, Debug)]
pub struct RulesArgs {
    /// A JSON file with `high`, `medium`, `low` or `off` by the id of a rule
    #[arg(long, value_name = "FILE")]
    pub rules: Option<PathBuf>,
}

/// From which severity on findings fail a command.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailOn {
    High,
    Medium,
    Low,
    Never,
}

impl FailOn {
    /// Whether a finding of this severity fails the command.
    pub fn fails(self, severity: Severity) -> bool {
        match self {
            FailOn::High => severity <= Severity::High,
            FailOn::Medium => severity <= Severity::Medium,
            FailOn::Low => severity <= Severity::Low,
            FailOn::Never => false,
        }
    }
}

/// The exit code of a command that has analyzed something, and fails or not.
pub fn code(fails: bool, built: &Built) -> u8 {
    if fails {
        FOUND
    } else if built.refused.is_empty() {
        0
    } else {
        NOT_ANALYZED
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

/// The URI of the folder that paths are relative to.
pub fn base(path: &Path) -> Option<String> {
    let whole = path.canonicalize().ok()?;
    let folder = if whole.is_dir() {
        whole.as_path()
    } else {
        whole.parent()?
    };
    Some(url::Url::from_directory_path(folder).ok()?.into())
}

fn content(path: &Path) -> Result<Vec<u8>, Unusable> {
    content_up_to(path, u64::MAX)
}

/// The first bytes of a file.
fn content_up_to(path: &Path, most: u64) -> Result<Vec<u8>, Unusable> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes));
    read.map(|_| bytes).map_err(|error| {
        let text = format!("{} cannot be read: {error}.", path.display());
        Unusable(escaped(&text))
    })
}

/// Adds the findings of a report of another program about what is at a path.
pub fn add_report(built: &mut Built, report: &Path, path: &Path) -> Result<(), Unusable> {
    let bytes = content_up_to(report, MAX_REPORT_BYTES + 1)?;
    if bytes.len() as u64 > MAX_REPORT_BYTES {
        let limit = format!("it has more than {MAX_REPORT_BYTES} bytes");
        return Err(unfit(report, &limit));
    }
    let name = report.display().to_string();
    let folder = path.canonicalize().ok();
    let folder = folder.filter(|folder| folder.is_dir());
    crate::import(built, &name, &bytes, folder.as_deref()).map_err(on_one_line)
}

/// What is known or chosen of the findings: the baseline, and severities of rules.
pub fn choices(baseline: Option<&Path>, args: &RulesArgs) -> Result<Choices, Unusable> {
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
pub fn options(args: &InputArgs, arguments: &ArgMatches, path: &Path) -> Result<Options, Unusable> {
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
    let workspace = std::env::var(crate::WORKSPACE).ok()?;
    (!workspace.is_empty()).then_some(workspace)
}

/// The values of variables in the environment. No variable of a configuration has a name that is not UTF-8.
fn environment() -> Vec<(String, OsString)> {
    let all = std::env::vars_os().filter_map(|(name, value)| {
        let name = name.to_str()?.strip_prefix(crate::ENVIRONMENT)?;
        Some((name.to_owned(), value))
    });
    let mut all: Vec<_> = all.collect();
    all.sort();
    all
}

/// Analyzes a folder or a file.
pub fn analyzed(path: &Path, options: &Options) -> Result<Built, Unusable> {
    if path.is_dir() {
        return crate::folder(path, options).map_err(on_one_line);
    }
    let file = content(path)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    crate::file(&name, &file, options).map_err(on_one_line)
}

/// A reason as it is printed.
pub fn on_one_line(reason: Unusable) -> Unusable {
    Unusable(escaped(&reason.to_string()))
}
