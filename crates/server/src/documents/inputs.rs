//! Input objects with a field twice, which the validator accepts. Source: the GraphQL specification, "Input Object
//! Field Uniqueness".

use apollo_compiler::Node;
use apollo_compiler::ast::{Argument, Definition, DirectiveList, Document, Selection, Value};
use async_graphql::ServerError;

use super::places::pos;
use crate::errors::coded;
use trestle_api::Code;

/// Refuses a document in which an input object has a field twice.
pub(super) fn check(document: &Document, text: &str) -> Result<(), Vec<ServerError>> {
    let found = document
        .definitions
        .iter()
        .find_map(|definition| match definition {
            Definition::OperationDefinition(operation) => operation
                .variables
                .iter()
                .find_map(|variable| {
                    let default = variable.default_value.as_ref().and_then(of_value);
                    default.or_else(|| of_directives(&variable.directives))
                })
                .or_else(|| of_directives(&operation.directives))
                .or_else(|| of_selections(&operation.selection_set)),
            Definition::FragmentDefinition(fragment) => of_directives(&fragment.directives)
                .or_else(|| of_selections(&fragment.selection_set)),
            _ => None,
        });
    match found {
        None => Ok(()),
        Some((name, offset)) => {
            let message = format!("There can be only one input field named `{name}`.");
            let at = offset.map(|offset| pos(text, offset));
            Err(vec![coded(Code::GraphqlValidationFailed, message, at)])
        }
    }
}

/// A field's name and where it stands for the second time.
type Twice<'a> = Option<(&'a str, Option<usize>)>;

fn of_selections(selections: &[Selection]) -> Twice<'_> {
    selections.iter().find_map(|selection| match selection {
        Selection::Field(field) => of_arguments(&field.arguments)
            .or_else(|| of_directives(&field.directives))
            .or_else(|| of_selections(&field.selection_set)),
        Selection::InlineFragment(inline) => {
            of_directives(&inline.directives).or_else(|| of_selections(&inline.selection_set))
        }
        Selection::FragmentSpread(spread) => of_directives(&spread.directives),
    })
}

fn of_directives(directives: &DirectiveList) -> Twice<'_> {
    let mut directives = directives.iter();
    directives.find_map(|directive| of_arguments(&directive.arguments))
}

fn of_arguments(arguments: &[Node<Argument>]) -> Twice<'_> {
    arguments
        .iter()
        .find_map(|argument| of_value(&argument.value))
}

/// Values nest no deeper than the parser lets them.
fn of_value(value: &Node<Value>) -> Twice<'_> {
    match &**value {
        Value::List(items) => items.iter().find_map(of_value),
        Value::Object(fields) => fields.iter().enumerate().find_map(|(at, (name, field))| {
            let is_second = fields[..at].iter().any(|(before, _)| before == name);
            if is_second {
                Some((name.as_str(), name.location().map(|span| span.offset())))
            } else {
                of_value(field)
            }
        }),
        _ => None,
    }
}
