//! The pipeline: a Terraform file, module or plan in, a graph and a risk report out. Knows no run and no store. What it
//! cannot resolve is in the report; it guesses nothing, reads no other file and asks no provider.

mod address;
mod archive;
mod attributes;
mod build;
mod choices;
mod comments;
mod connect;
mod elements;
mod evaluate;
mod finding;
mod folder;
mod functions;
#[cfg(test)]
mod golden;
mod graph;
mod hash_key;
mod instances;
#[cfg(test)]
mod literals;
mod module;
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
mod suppress;
mod terraform;
mod text;
mod texts;
#[cfg(test)]
mod unclear;
#[cfg(test)]
mod unclear_clouds;
#[cfg(test)]
mod unclear_computed;
#[cfg(test)]
mod unclear_denials;
#[cfg(test)]
mod unclear_instances;
#[cfg(test)]
mod unclear_plans;
#[cfg(test)]
mod unclear_values;
mod unusable;
mod value;
mod value_files;
mod variables;
mod warning;

pub use finding::Severity;
pub use folder::readable;
pub use graph::Built;
pub use hash_key::HashKey;
pub use options::{Given, Options};
pub use report::report;
pub use sarif::sarif;
pub use suppress::Choices;
pub use texts::MAX_BYTES as MAX_TEXT_BYTES;
pub use unusable::Unusable;
pub use value_files::ENVIRONMENT;

use std::path::Path;

use super::model::IacFormat;
use super::objects::file_name;
use archive::Files;
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
pub fn run(file: &[u8], format: IacFormat, options: &Options) -> Result<Made, Unusable> {
    with_stack(|| {
        let built = built(file_name(format), file, format, options)?;
        let canonical = |value: &serde_json::Value| {
            serde_json_canonicalizer::to_vec(value)
                .map_err(|error| Unusable(format!("The result is not JSON: {error}.")))
        };
        // One after the other: both take as much memory as the text.
        let graph = canonical(&built.graph())?;
        let report = canonical(&report::report(&built))?;
        Ok(Made { graph, report })
    })
}

/// The graph of the modules below a folder of this machine, and of those elsewhere on it that they call.
///
/// # Errors
/// As [`run`].
pub fn folder(root: &Path, options: &Options) -> Result<Built, Unusable> {
    with_stack(|| build::build(&in_folder(root, options)?))
}

/// The graph of a file, by its name: a configuration, an archive, or a plan.
///
/// # Errors
/// As [`run`].
pub fn file(name: &str, file: &[u8], options: &Options) -> Result<Built, Unusable> {
    let formats = [
        (".tf", IacFormat::Hcl),
        (".tf.json", IacFormat::Json),
        (".zip", IacFormat::Zip),
        (".tar.gz", IacFormat::TarGz),
        (".tgz", IacFormat::TarGz),
    ];
    let format = formats.iter().find(|(ending, _)| name.ends_with(ending));
    let format = format.map_or(IacFormat::Plan, |(_, format)| *format);
    with_stack(|| built(name, file, format, options))
}

fn built(name: &str, file: &[u8], format: IacFormat, options: &Options) -> Result<Built, Unusable> {
    if file.iter().all(u8::is_ascii_whitespace) {
        return Err(Unusable(
            "The file is empty. Expected is a Terraform configuration.".to_owned(),
        ));
    }
    let files = match format {
        IacFormat::Hcl | IacFormat::Json => Files::from([(name.to_owned(), file.to_vec())]),
        IacFormat::Zip => archive::unzip(file)?,
        IacFormat::TarGz => archive::untar(file)?,
        IacFormat::Plan if !options.given.is_empty() => {
            return Err(Unusable(
                "A plan has the values of its variables: leave out --var and --var-file, or plan again with them."
                    .to_owned(),
            ));
        }
        IacFormat::Plan => return plan::build(file, &options.hash_key),
    };
    build::build(&Modules::read(&files, options)?)
}

fn with_stack<T: Send>(work: impl FnOnce() -> Result<T, Unusable> + Send) -> Result<T, Unusable> {
    let failed = || Unusable("The file could not be processed.".to_owned());
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        match thread.spawn_scoped(scope, work) {
            Ok(thread) => thread.join().map_err(|_| failed())?,
            Err(_) => Err(failed()),
        }
    })
}
