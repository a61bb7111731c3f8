//! The pipeline: one Terraform file in, a graph and a risk report out. Knows no run and no store. What it
//! cannot resolve it says in the report; it guesses nothing, reads no other file and asks no provider.

mod aws;
mod build;
mod evaluate;
mod references;
mod report;
mod terraform;

use super::model::IacFormat;

/// The stack of the thread that a file is processed on: expressions nest, the parser bounds how deep.
const STACK: usize = 32 * 1024 * 1024;

/// What was made of a file: canonical JSON both.
#[derive(Debug)]
pub struct Made {
    /// The graph.
    pub graph: Vec<u8>,
    /// The risk report.
    pub report: Vec<u8>,
}

/// Why nothing can be made of a file: a sentence for whoever wrote it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unusable(pub String);

/// Makes a graph and a risk report of a file. Takes a processor for a while: not for an async thread.
///
/// # Errors
/// [`Unusable`] for a file that is not Terraform.
pub fn run(file: &[u8], format: IacFormat) -> Result<Made, Unusable> {
    let failed = |_| Unusable("The file could not be processed.".to_owned());
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        let made = thread.spawn_scoped(scope, || make(file, format));
        match made.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(made)) => made,
            Ok(Err(panic)) => Err(failed(panic)),
            Err(_) => Err(Unusable(
                "There is no thread to process the file.".to_owned(),
            )),
        }
    })
}

fn make(file: &[u8], format: IacFormat) -> Result<Made, Unusable> {
    let text = std::str::from_utf8(file)
        .map_err(|_| Unusable("The file is not text in UTF-8.".to_owned()))?;
    let configuration = match format {
        IacFormat::Hcl => terraform::read_hcl(text)?,
        IacFormat::Json => terraform::read_json(text)?,
    };
    let built = build::build(&configuration);
    let canonical = |value: &serde_json::Value| {
        serde_json_canonicalizer::to_vec(value)
            .map_err(|error| Unusable(format!("The result is no JSON: {error}.")))
    };
    Ok(Made {
        graph: canonical(&built.graph())?,
        report: canonical(&report::report(&built))?,
    })
}
