//! Documents before they run: parsed once, checked once, remembered by their hash. Knows the schema as
//! SDL and the limits; no request, no viewer, no service.

mod convert;
mod cost;
mod counted;
mod described;
mod descriptions;
mod federation;
mod inputs;
mod introspection;
mod limits;
mod merging;
mod operation;
mod places;
mod scalars;
mod schema;
mod sizes;
mod tokens;
mod variables;
mod work;

use std::sync::Arc;

use apollo_compiler::parser::Parser;
use apollo_compiler::validation::{DiagnosticList, Valid};
use apollo_compiler::{Schema, ast};
use async_graphql::{Pos, ServerError};
use moka::sync::Cache;
use sha2::{Digest, Sha256};

pub use apollo_compiler::ast::OperationType;
pub use cost::Estimated;
pub use federation::subgraph;
pub use operation::{Operation, Prepared};
use work::Work;

use super::config::DocumentArgs;
use super::errors::{coded, short};
use trestle_api::Code;
use trestle_api::federation::Subgraph;

/// The SHA-256 of a document's text.
pub type Hash = [u8; 32];

/// The result of checking a document: its operations, or why it is rejected.
pub type Checked = Result<Document, Vec<ServerError>>;

/// A document that may run.
#[derive(Debug)]
pub struct Document {
    operations: Vec<Operation>,
}

/// Whether a document was remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// It cost a look-up.
    Hit,
    /// It was parsed and checked.
    Miss,
}

/// One service's documents.
pub struct Documents {
    schema: Valid<Schema>,
    limits: DocumentArgs,
    known: Cache<Hash, Arc<Checked>>,
    /// The SDL of the subgraph, if the service is one.
    subgraph: Option<Subgraph>,
}

/// Errors that one document is told of. A long tail of them helps nobody and costs much to print.
const MOST_ERRORS: usize = 10;
/// Nested selections, lists and objects that the parser follows. Beyond the configured depth (28 at
/// most) it leaves room for lists and objects in arguments; a thread's stack holds far more.
const MOST_NESTING: usize = 60;
/// Memory of a remembered document for each byte of its text: 50 for long ones, 90 for short ones.
const WEIGHT_PER_BYTE: u32 = 96;

impl Documents {
    /// Documents for the schema `sdl`.
    ///
    /// # Errors
    /// The validator's report, when the schema is not valid.
    pub fn new(sdl: &str, limits: DocumentArgs) -> Result<Self, String> {
        let (schema, subgraph) = if limits.federation {
            let subgraph = federation::subgraph(sdl)?;
            let schema = schema::read(&federation::with_fields(sdl)?)?;
            (schema, Some(Subgraph(subgraph.into())))
        } else {
            (schema::read(sdl)?, None)
        };
        let known = Cache::builder()
            .max_capacity(limits.document_cache_bytes)
            .weigher(|_: &Hash, checked: &Arc<Checked>| weight(checked))
            .build();
        Ok(Self {
            schema,
            limits,
            known,
            subgraph,
        })
    }

    /// The document with this text, if it was checked before.
    pub fn known(&self, text: &str) -> Option<Arc<Checked>> {
        if text.len() > self.limits.max_document_bytes {
            return None;
        }
        self.known.get(&Self::hash(text))
    }

    /// Checks the document with this text.
    pub fn check(&self, text: &str) -> Arc<Checked> {
        // Refusing again is cheap, and remembering would push useful documents out.
        let counted = tokens::check_bytes(text, &self.limits)
            .and_then(|()| tokens::check_tokens(text, &self.limits));
        let tokens = match counted {
            Ok(tokens) => tokens,
            Err(error) => return Arc::new(Err(vec![error])),
        };
        let checked = Arc::new(self.read(text, &Work::of(tokens)));
        self.known.insert(Self::hash(text), Arc::clone(&checked));
        checked
    }

    fn hash(text: &str) -> Hash {
        Sha256::digest(text).into()
    }

    /// The subgraph, if the service is one.
    pub fn subgraph(&self) -> Option<&Subgraph> {
        self.subgraph.as_ref()
    }

    /// The schema that documents are checked against.
    pub fn schema(&self) -> &Valid<Schema> {
        &self.schema
    }

    fn read(&self, text: &str, work: &Work) -> Checked {
        let text = &*descriptions::without(text);
        let ast = parse(text)?;
        let found = limits::check(&ast, text, &self.limits, work)?;
        work.check()?;
        inputs::check(&ast, text)?;
        let executable = ast
            .to_executable(&self.schema)
            .map_err(|failed| invalid(&failed.errors))?;
        introspection::check(&executable, work)?;
        let costs = cost::of_operations(&executable, &self.schema, work);
        work.check()?;
        for cost in &costs {
            cost.check_fixed(self.limits.max_cost)?;
        }
        let executable = executable
            .validate(&self.schema)
            .map_err(|failed| invalid(&failed.errors))?;
        variables::check(&executable, &self.schema, text, work)?;
        merging::check(&executable, &self.schema, text, work)?;
        work.check()?;
        scalars::check(&executable, &self.schema, text)?;
        let operations = operation::of_document(&ast, &executable, &found, costs, text)?;
        Ok(Document { operations })
    }
}

impl Document {
    /// The operation that a request means: the named one, or the only one.
    ///
    /// # Errors
    /// OPERATION_RESOLUTION_FAILURE when there is no such operation, or more than one to choose from.
    pub fn operation(&self, name: Option<&str>) -> Result<&Operation, ServerError> {
        let found = match (name, &self.operations[..]) {
            (None, [only]) => Some(only),
            (None, _) => {
                let message = "The document has several operations: name one in operationName.";
                return Err(coded(Code::OperationResolutionFailure, message, None));
            }
            (Some(name), all) => all.iter().find(|operation| operation.name() == Some(name)),
        };
        found.ok_or_else(|| {
            let message = "The document has no operation with that name.";
            coded(Code::OperationResolutionFailure, message, None)
        })
    }
}

fn parse(text: &str) -> Result<ast::Document, Vec<ServerError>> {
    let mut parser = Parser::new().recursion_limit(MOST_NESTING);
    let parsed = parser.parse_ast(text, "document.graphql");
    if parser.recursion_reached() > MOST_NESTING {
        let message = format!("The document nests deeper than {MOST_NESTING} levels.");
        return Err(vec![coded(Code::GraphqlValidationFailed, message, None)]);
    }
    parsed.map_err(|failed| reported(&failed.errors, Code::GraphqlParseFailed))
}

fn invalid(errors: &DiagnosticList) -> Vec<ServerError> {
    reported(errors, Code::GraphqlValidationFailed)
}

fn reported(errors: &DiagnosticList, code: Code) -> Vec<ServerError> {
    errors
        .iter()
        .take(MOST_ERRORS)
        .map(|diagnostic| {
            let error = diagnostic.to_json();
            let at = error.locations.first().map(|at| Pos {
                line: at.line,
                column: at.column,
            });
            coded(code, short(&error.message), at)
        })
        .collect()
}

fn weight(checked: &Checked) -> u32 {
    const LEAST: u32 = 1024;
    match checked {
        Ok(document) => {
            let bytes: usize = document.operations.iter().map(Operation::text_bytes).sum();
            u32::try_from(bytes)
                .unwrap_or(u32::MAX)
                .saturating_mul(WEIGHT_PER_BYTE)
                .max(LEAST)
        }
        Err(errors) => {
            let bytes: usize = errors.iter().map(|error| error.message.len() + 256).sum();
            u32::try_from(bytes).unwrap_or(u32::MAX).max(LEAST)
        }
    }
}
