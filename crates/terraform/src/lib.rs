//! Terraform files in, a graph, findings and what is not decided out.
#![doc = include_str!("../README.md")]

mod address;
mod archive;
mod attributes;
mod build;
mod choices;
#[cfg(feature = "command")]
pub mod command;
mod comments;
mod connect;
mod difference;
pub mod drawing;
mod elements;
mod evaluate;
mod finding;
mod folder;
mod format;
mod functions;
mod graph;
mod hash_key;
mod import;
mod imported;
mod instances;
mod inventory;
#[cfg(test)]
mod literals;
mod module;
mod names;
mod options;
mod plan;
mod printable;
mod providers;
mod quote;
mod references;
mod report;
mod rules;
mod sarif;
mod secret;
pub mod stored;
mod summary;
mod suppress;
mod terraform;
mod terragrunt;
mod text;
mod texts;
mod unit;
mod unusable;
mod value;
mod value_files;
mod variables;
mod versions;
mod warning;

pub use archive::Files;
pub use difference::{AttributeChange, Difference, changed_attributes, difference};
pub use finding::{Finding, Severity};
pub use folder::{ReadablePaths, readable};
pub use format::Format;
pub use graph::{Built, Node, Note, Values};
pub use hash_key::HashKey;
pub use import::{MAX_BYTES as MAX_REPORT_BYTES, import};
pub use imported::{Import, Imported};
pub use inventory::{Entry, Inventory, Verdict, inventory};
pub use options::{Given, Options};
pub use report::report;
pub use sarif::sarif;
pub use summary::summary;
pub use suppress::Choices;
pub use texts::MAX_BYTES as MAX_TEXT_BYTES;
pub use unusable::Unusable;
pub use value_files::{ENVIRONMENT, ValueFiles, WORKSPACE};
pub use warning::Warning;

use std::path::Path;

use folder::in_folder;
use module::Modules;

/// The stack of the thread that processes a file: expressions nest, in bounds.
const STACK: usize = 64 * 1024 * 1024;

/// What was made of a file: canonical JSON both.
#[derive(Debug)]
pub struct Made {
    /// The graph.
    pub graph: Vec<u8>,
    /// The risk report.
    pub report: Vec<u8>,
}

/// Makes a graph and a risk report of a file. Takes a processor for a while: not for an async thread.
///
/// # Errors
/// [`Unusable`] for a file that is not of its format.
pub fn run(file: &[u8], format: Format, options: &Options) -> Result<Made, Unusable> {
    with_stack(|| {
        let built = built(format.file_name(), file, format, options)?;
        // One after the other: both take as much memory as the text.
        let graph = canonical(&built.graph())?;
        let report = canonical(&report::report(&built))?;
        Ok(Made { graph, report })
    })
}

fn canonical(value: &serde_json::Value) -> Result<Vec<u8>, Unusable> {
    serde_json_canonicalizer::to_vec(value)
        .map_err(|error| Unusable(format!("The result is not JSON: {error}.")))
}

/// The graph of the modules below a folder of this machine, and of those elsewhere on it that they call.
///
/// # Errors
/// As [`run`].
pub fn folder(root: &Path, options: &Options) -> Result<Built, Unusable> {
    with_stack(|| build::build(&in_folder(root, options)?))
}

/// The graph of the modules in these files, by their paths.
///
/// # Errors
/// As [`run`].
pub fn files(files: &Files, options: &Options) -> Result<Built, Unusable> {
    with_stack(|| build::build(&Modules::read(files, options)?))
}

/// The graph of the modules below a folder in a revision of its Git repository, and of those elsewhere in it that they call.
///
/// # Errors
/// As [`run`].
#[cfg(feature = "command")]
pub fn revision(folder: &Path, revision: &str, options: &Options) -> Result<Built, Unusable> {
    with_stack(|| build::build(&command::revision::modules(folder, revision, options)?))
}

/// The graph of a file, by its name: a configuration, an archive, or a plan.
///
/// # Errors
/// As [`run`].
pub fn file(name: &str, file: &[u8], options: &Options) -> Result<Built, Unusable> {
    with_stack(|| built(name, file, Format::of_name(name), options))
}

fn built(name: &str, file: &[u8], format: Format, options: &Options) -> Result<Built, Unusable> {
    if file.iter().all(u8::is_ascii_whitespace) {
        return Err(Unusable(
            "The file is empty. Expected is a Terraform configuration.".to_owned(),
        ));
    }
    let files = match format {
        Format::Hcl | Format::Json => Files::from([(name.to_owned(), file.to_vec())]),
        Format::Zip => archive::unzip(file)?,
        Format::TarGz => archive::untar(file)?,
        Format::Plan if !options.given.is_empty() => {
            return Err(Unusable(
                "A plan has the values of its variables: leave out --var and --var-file, or plan again with them."
                    .to_owned(),
            ));
        }
        Format::Plan => return plan::build(file, &options.hash_key),
    };
    build::build(&Modules::read(&files, options)?)
}

fn with_stack<T: Send>(work: impl FnOnce() -> Result<T, Unusable> + Send) -> Result<T, Unusable> {
    let done = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        // Neither a thread that does not start nor one that panics gives a result.
        thread.spawn_scoped(scope, work).ok()?.join().ok()
    });
    done.unwrap_or_else(|| Err(Unusable("The file could not be processed.".to_owned())))
}
