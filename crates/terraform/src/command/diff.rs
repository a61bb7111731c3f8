//! `trestle graph diff`: what changes from one version of the files to another.

use std::error::Error;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _, ValueEnum};

use super::input::{
    FailOn, InputArgs, Output, RulesArgs, analyzed, base, choices, code, on_one_line, options,
};
use crate::difference::{difference, follow};
use crate::{Built, Options, Unusable};

/// The name of the command.
pub const NAME: &str = "diff";

/// The command.
pub fn command() -> Command {
    let diff = Command::new(NAME)
        .about("Show what a change of Terraform files changes: findings, what decides them, and ways from the internet")
        .after_help("Exit codes: 0 nothing new that --fail-on or --fail-on-unresolved names, 1 an input or a root module of what is now cannot be analyzed, 3 there is some of it.");
    DiffArgs::augment_args(diff)
}

#[derive(clap::Args, Debug)]
struct DiffArgs {
    /// What was before: a folder, a file, an archive or a plan, or else a revision of the Git repository of the current folder
    base: PathBuf,

    /// What is now, in the same forms
    #[arg(default_value = ".")]
    head: PathBuf,

    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    rules: RulesArgs,

    /// The least severity of new findings that fail the command
    #[arg(long, value_enum, default_value_t = FailOn::High)]
    fail_on: FailOn,

    /// Fail as well if a rule is newly undecided for a node, or if a file cannot be read any more
    #[arg(long)]
    fail_on_unresolved: bool,

    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Markdown)]
    format: Format,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// Markdown, for a comment on a pull request
    Markdown,
    /// JSON
    Json,
    /// SARIF 2.1.0, each result with its `baselineState`
    Sarif,
}

/// Runs the command with its arguments.
///
/// # Errors
/// Why an input cannot be analyzed.
pub fn output(arguments: &ArgMatches) -> Result<Output, Box<dyn Error>> {
    let args = DiffArgs::from_arg_matches(arguments)?;
    let choices = choices(None, &args.rules)?;
    // Both are hashed with the same key, so that equal values have equal hashes.
    let of_head = options(&args.input, arguments, &args.head)?;
    let of_base = Options {
        hash_key: of_head.hash_key.clone(),
        ..options(&args.input, arguments, &args.base)?
    };
    let mut before = version(&args.base, &of_base)?;
    let mut after = version(&args.head, &of_head)?;
    follow(&mut before, &after);
    choices.apply(&mut before);
    choices.apply(&mut after);
    let difference = difference(&before, &after);
    let text = match args.format {
        Format::Markdown => difference.markdown().trim_end().to_owned(),
        Format::Json => serde_json::to_string_pretty(&difference.json())?,
        Format::Sarif => {
            let root = base(&args.head);
            serde_json::to_string_pretty(&difference.sarif(root.as_deref()))?
        }
    };
    let mut severities = difference.new.iter().map(|change| change.finding.severity);
    let fails = severities.any(|severity| args.fail_on.fails(severity));
    let is_unresolved = !difference.undecided.is_empty() || !difference.unread.is_empty();
    let code = code(fails || args.fail_on_unresolved && is_unresolved, &after);
    Ok(Output { text, code })
}

/// Analyzes one of the two versions: a path, or a revision if there is no such path.
fn version(path: &Path, options: &Options) -> Result<Built, Unusable> {
    if path.exists() {
        return analyzed(path, options);
    }
    crate::revision(Path::new("."), &path.to_string_lossy(), options).map_err(on_one_line)
}
