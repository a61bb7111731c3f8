//! One operation of a checked document, ready to run as often as it is asked for.

use apollo_compiler::ast::{self, Definition, OperationType};
use apollo_compiler::executable::{self, SelectionSet};
use apollo_compiler::request::coerce_variable_values;
use apollo_compiler::response::JsonMap;
use apollo_compiler::validation::Valid;
use apollo_compiler::{ExecutableDocument, Schema};
use async_graphql::parser::types::ExecutableDocument as Parsed;
use async_graphql::{Request, ServerError, Variables};

use super::cost::{Cost, too_dear};
use super::limits::Found;
use super::{MESSAGE_CHARS, convert};
use crate::api::Code;
use crate::server::errors::coded;

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It reads.
    Query,
    /// It may write.
    Mutation,
    /// It answers more than once.
    Subscription,
}

impl Kind {
    /// The word that documents begin the operation with.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Query => "query",
            Kind::Mutation => "mutation",
            Kind::Subscription => "subscription",
        }
    }
}

/// An operation with everything that its checks found.
#[derive(Debug)]
pub struct Operation {
    kind: Kind,
    introspects: bool,
    cost: Cost,
    /// The name, variables and types of the operation, without its selection.
    signature: executable::Operation,
    /// The operation and the fragments it uses.
    parsed: Parsed,
    text_bytes: usize,
}

impl Operation {
    /// The operation's name in its document.
    pub fn name(&self) -> Option<&str> {
        self.signature.name.as_deref()
    }

    /// What the operation does.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Whether it asks for the schema.
    pub fn introspects(&self) -> bool {
        self.introspects
    }

    /// The bytes of text that the operation was read from, shared out among a document's operations.
    pub(super) fn text_bytes(&self) -> usize {
        self.text_bytes
    }

    /// The variables as the operation's types read them, defaults filled in, those left out left out.
    /// What only a scalar or the schema's input types can judge is judged when the operation runs.
    ///
    /// # Errors
    /// BAD_USER_INPUT when one is missing or has the wrong type.
    pub fn variables(
        &self,
        schema: &Valid<Schema>,
        given: &JsonMap,
    ) -> Result<JsonMap, ServerError> {
        match coerce_variable_values(schema, &self.signature, given) {
            Ok(variables) => Ok(variables.into_inner()),
            Err(error) => {
                let message = error.message().to_string();
                let short: String = message.chars().take(MESSAGE_CHARS).collect();
                Err(coded(Code::BadUserInput, short, None))
            }
        }
    }

    /// The estimated cost with these variables.
    ///
    /// # Errors
    /// GRAPHQL_VALIDATION_FAILED when it is more than `most`.
    pub fn cost(&self, variables: &JsonMap, most: u64) -> Result<u64, ServerError> {
        let cost = self.cost.evaluate(variables);
        if cost > most {
            Err(too_dear(cost, most))
        } else {
            Ok(cost)
        }
    }

    /// The request that runs the operation. The document's text is not needed any more.
    ///
    /// # Errors
    /// BAD_USER_INPUT when a variable is nothing that GraphQL can hold.
    pub fn request(&self, variables: &JsonMap) -> Result<Request, ServerError> {
        let values = async_graphql::to_value(variables)
            .map_err(|error| coded(Code::BadUserInput, error.to_string(), None))?;
        let mut request = Request::new(String::new()).variables(Variables::from_value(values));
        request.operation_name = self.name().map(str::to_owned);
        request.set_parsed_query(self.parsed.clone());
        Ok(request)
    }
}

/// The operations of a valid document, in its order.
pub(super) fn of_document(
    ast: &ast::Document,
    executable: &Valid<ExecutableDocument>,
    found: &[Found],
    costs: Vec<Cost>,
    text: &str,
) -> Result<Vec<Operation>, Vec<ServerError>> {
    let definitions = ast
        .definitions
        .iter()
        .filter_map(|definition| match definition {
            Definition::OperationDefinition(operation) => Some(&**operation),
            _ => None,
        });
    let text_bytes = text.len() / found.len().max(1);
    let mut operations = Vec::new();
    for (((definition, checked), found), cost) in definitions
        .zip(executable.operations.iter())
        .zip(found)
        .zip(costs)
    {
        operations.push(Operation {
            kind: match definition.operation_type {
                OperationType::Query => Kind::Query,
                OperationType::Mutation => Kind::Mutation,
                OperationType::Subscription => Kind::Subscription,
            },
            introspects: found.introspects,
            cost,
            signature: executable::Operation {
                operation_type: checked.operation_type,
                name: checked.name.clone(),
                variables: checked.variables.clone(),
                directives: checked.directives.clone(),
                selection_set: SelectionSet::new(checked.selection_set.ty.clone()),
            },
            parsed: convert::operation(ast, definition, text)?,
            text_bytes,
        });
    }
    Ok(operations)
}
