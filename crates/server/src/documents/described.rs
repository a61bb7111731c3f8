//! Marks `__schema { description }`, which the service answers with the description of its own schema.

use async_graphql::parser::types::{
    Directive, DocumentOperations, ExecutableDocument, Selection, SelectionSet,
};
use async_graphql::{Name, Positioned};

use trestle_api::Described;

const SCHEMA: &str = "__schema";
const SCHEMA_TYPE: &str = "__Schema";

/// Marks the field in the operation and its fragments.
pub(super) fn mark(document: &mut ExecutableDocument) {
    for fragment in document.fragments.values_mut() {
        let is_schema = fragment.node.type_condition.node.on.node == SCHEMA_TYPE;
        selections(&mut fragment.node.selection_set.node, is_schema);
    }
    match &mut document.operations {
        DocumentOperations::Single(operation) => {
            selections(&mut operation.node.selection_set.node, false);
        }
        DocumentOperations::Multiple(operations) => {
            for operation in operations.values_mut() {
                selections(&mut operation.node.selection_set.node, false);
            }
        }
    }
}

fn selections(set: &mut SelectionSet, is_schema: bool) {
    for selection in &mut set.items {
        match &mut selection.node {
            Selection::Field(field) if is_schema && field.node.name.node == "description" => {
                let pos = field.pos;
                let directive = Directive {
                    name: Positioned::new(Name::new(Described::NAME), pos),
                    arguments: Vec::new(),
                };
                field.node.directives.push(Positioned::new(directive, pos));
            }
            Selection::Field(field) => {
                let is_schema = field.node.name.node == SCHEMA;
                selections(&mut field.node.selection_set.node, is_schema);
            }
            Selection::InlineFragment(inline) => {
                selections(&mut inline.node.selection_set.node, is_schema);
            }
            Selection::FragmentSpread(_) => {}
        }
    }
}
