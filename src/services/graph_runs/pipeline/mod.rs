//! The pipeline: a Terraform file, module or plan in, a graph and a risk report out. Knows no run and no store. What it
//! cannot resolve is in the report; it guesses nothing, reads no other file and asks no provider.

mod archive;
mod attributes;
mod build;
mod elements;
mod evaluate;
mod functions;
mod graph;
mod module;
mod plan;
mod quote;
mod references;
mod report;
mod rules;
mod terraform;
mod unusable;
mod value;

pub use graph::Built;
pub use module::in_folder;
pub use report::{report, sarif};
pub use rules::Severity;
pub use unusable::Unusable;

use super::model::IacFormat;
use archive::Files;
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
pub fn run(file: &[u8], format: IacFormat) -> Result<Made, Unusable> {
    with_stack(|| {
        let built = built(file, format)?;
        let canonical = |value: &serde_json::Value| {
            serde_json_canonicalizer::to_vec(value)
                .map_err(|error| Unusable(format!("The result is not JSON: {error}.")))
        };
        Ok(Made {
            graph: canonical(&built.graph())?,
            report: canonical(&report::report(&built))?,
        })
    })
}

/// The graph of the modules below a folder.
///
/// # Errors
/// As [`run`].
pub fn folder(files: &Files) -> Result<Built, Unusable> {
    with_stack(|| build::build(&Modules::read(files)?))
}

/// The graph of a plan.
///
/// # Errors
/// As [`run`].
pub fn plan(file: &[u8]) -> Result<Built, Unusable> {
    with_stack(|| built(file, IacFormat::Plan))
}

fn built(file: &[u8], format: IacFormat) -> Result<Built, Unusable> {
    if file.iter().all(u8::is_ascii_whitespace) {
        return Err(Unusable(
            "The file is empty. Expected is a Terraform configuration.".to_owned(),
        ));
    }
    let one = |name: &str| Files::from([(name.to_owned(), file.to_vec())]);
    let files = match format {
        IacFormat::Hcl => one("main.tf"),
        IacFormat::Json => one("main.tf.json"),
        IacFormat::Zip => archive::unzip(file)?,
        IacFormat::TarGz => archive::untar(file)?,
        IacFormat::Plan => return plan::build(file),
    };
    build::build(&Modules::read(&files)?)
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
