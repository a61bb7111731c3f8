//! One operation of a checked document, ready to run as often as it is asked for.

use apollo_compiler::ast::{self, Definition, OperationType};
use apollo_compiler::executable::{self, SelectionSet};
use apollo_compiler::request::coerce_variable_values;
use apollo_compiler::response::JsonMap;
use apollo_compiler::validation::Valid;
use apollo_compiler::{ExecutableDocument, Schema};
use async_graphql::parser::types::ExecutableDocument as Parsed;
use async_graphql::{Request, ServerError, Value, Variables};

use super::cost::{Cost, Estimated, too_dear};
use super::limits::Found;
use super::places::Places;
use super::scalars::WrongValue;
use super::{convert, counted, described, scalars};
use crate::errors::{coded, short};
use trestle_api::{Allowance, Code};

/// An operation's variables as they are executed, and what it may cost with them.
#[derive(Debug)]
pub struct Prepared {
    variables: Variables,
    /// The estimated cost.
    pub estimated: Estimated,
}

/// An operation with everything that its checks found.
#[derive(Debug)]
pub struct Operation {
    kind: OperationType,
    introspects: bool,
    cost: Cost,
    /// The name, variables and types of the operation, without its selection.
    signature: executable::Operation,
    /// The operation and the fragments it uses.
    parsed: Parsed,
    text_bytes: usize,
    /// The places of its variables.
    places: Places,
}

impl Operation {
    /// The operation's name in its document.
    pub fn name(&self) -> Option<&str> {
        self.signature.name.as_deref()
    }

    /// What the operation does.
    pub fn kind(&self) -> OperationType {
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
    /// What a scalar's text says is judged when the operation runs.
    ///
    /// # Errors
    /// BAD_USER_INPUT when one is missing or has the wrong type.
    fn variables(
        &self,
        schema: &Valid<Schema>,
        mut given: JsonMap,
    ) -> Result<JsonMap, ServerError> {
        given.values_mut().for_each(scalars::make_whole);
        match coerce_variable_values(schema, &self.signature, &given) {
            Ok(variables) => {
                let mut variables = variables.into_inner();
                // Defaults among them.
                variables.values_mut().for_each(scalars::make_whole);
                match scalars::wrong_value(schema, &self.signature, &variables) {
                    Some(wrong) => Err(self.refuse(wrong)),
                    None => Ok(variables),
                }
            }
            Err(error) => {
                // The validator names neither the place of a value nor the values of an enum.
                if let Some(wrong) = scalars::wrong_value(schema, &self.signature, &given) {
                    return Err(self.refuse(wrong));
                }
                let message = without_value(&error.message().to_string());
                let at = self.places.named_in(&message);
                Err(coded(Code::BadUserInput, short(&message), at))
            }
        }
    }

    fn refuse(&self, wrong: WrongValue<'_>) -> ServerError {
        let at = self.places.of_variable(wrong.variable);
        let mut error = coded(Code::BadUserInput, wrong.message, at);
        let path = wrong.path.into_iter().map(Value::from).collect();
        let extensions = error.extensions.get_or_insert_default();
        extensions.set("path", Value::List(path));
        error
    }

    /// Reads the variables and estimates the cost with them.
    ///
    /// # Errors
    /// As [`Self::variables`]; GRAPHQL_VALIDATION_FAILED when the cost is more than `most_cost`.
    pub fn prepare(
        &self,
        schema: &Valid<Schema>,
        given: JsonMap,
        most_cost: u64,
    ) -> Result<Prepared, ServerError> {
        let variables = self.variables(schema, given)?;
        let estimated = self.cost(&variables, most_cost)?;
        let values = async_graphql::to_value(&variables)
            .map_err(|error| coded(Code::BadUserInput, error.to_string(), None))?;
        Ok(Prepared {
            variables: Variables::from_value(values),
            estimated,
        })
    }

    /// The estimated cost with these variables.
    ///
    /// # Errors
    /// GRAPHQL_VALIDATION_FAILED when it is more than `most`.
    pub(super) fn cost(&self, variables: &JsonMap, most: u64) -> Result<Estimated, ServerError> {
        let estimated = self.cost.evaluate(variables);
        if estimated.cost > most {
            Err(too_dear(estimated.cost, most))
        } else {
            Ok(estimated)
        }
    }

    /// The request that runs the operation, with an answer that `allowance` bounds. Bytes are counted while it runs only
    /// if the estimate is larger than `uncounted`.
    ///
    pub fn request(&self, prepared: Prepared, uncounted: usize, allowance: &Allowance) -> Request {
        let mut request = Request::new(String::new()).variables(prepared.variables);
        request.operation_name = self.name().map(str::to_owned);
        let mut parsed = self.parsed.clone();
        if prepared.estimated.bytes > uncounted as u64 {
            counted::mark(&mut parsed);
            request = request.data(allowance.clone());
        }
        request.set_parsed_query(parsed);
        request
    }
}

/// The validator's message without the value that it quotes, which may be a secret.
fn without_value(message: &str) -> String {
    let quoted = message.strip_prefix("could not coerce ");
    let parts =
        quoted.and_then(|rest| Some((rest.split_once(": ")?.0, rest.rsplit_once(" to type ")?.1)));
    match parts {
        Some((what, ty)) => format!("The value of {what} is not of the type {ty}."),
        None => message.to_owned(),
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
    for ((((definition, checked), found), cost), mut parsed) in definitions
        .zip(executable.operations.iter())
        .zip(found)
        .zip(costs)
        .zip(convert::operations(ast, text)?)
    {
        if found.introspects {
            described::mark(&mut parsed);
        }
        operations.push(Operation {
            kind: definition.operation_type,
            introspects: found.introspects,
            cost,
            signature: executable::Operation {
                operation_type: checked.operation_type,
                name: checked.name.clone(),
                variables: checked.variables.clone(),
                directives: checked.directives.clone(),
                selection_set: SelectionSet::new(checked.selection_set.ty.clone()),
            },
            parsed,
            text_bytes,
            places: Places::of(definition, text),
        });
    }
    Ok(operations)
}
