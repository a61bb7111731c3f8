//! Marks the fields of an operation whose bytes are counted while it runs.

use async_graphql::parser::types::{
    Directive, DocumentOperations, ExecutableDocument, Selection, SelectionSet,
};
use async_graphql::{Name, Positioned};

use trestle_api::Counted;

/// A field that holds others counts for its own key if that is longer than this.
const LONG_KEY: usize = 32;

/// Marks every leaf of the operation and its fragments.
pub(super) fn mark(document: &mut ExecutableDocument) {
    for fragment in document.fragments.values_mut() {
        selections(&mut fragment.node.selection_set.node);
    }
    match &mut document.operations {
        DocumentOperations::Single(operation) => {
            selections(&mut operation.node.selection_set.node);
        }
        DocumentOperations::Multiple(operations) => {
            for operation in operations.values_mut() {
                selections(&mut operation.node.selection_set.node);
            }
        }
    }
}

fn selections(set: &mut SelectionSet) {
    for selection in &mut set.items {
        match &mut selection.node {
            Selection::Field(field) => {
                let pos = field.pos;
                let field = &mut field.node;
                let is_leaf = field.selection_set.node.items.is_empty();
                let is_typename = field.name.node == "__typename";
                let is_long = field.response_key().node.len() > LONG_KEY;
                if (is_leaf && !is_typename) || is_long {
                    let directive = Directive {
                        name: Positioned::new(Name::new(Counted::NAME), pos),
                        arguments: Vec::new(),
                    };
                    field.directives.push(Positioned::new(directive, pos));
                }
                selections(&mut field.selection_set.node);
            }
            Selection::InlineFragment(inline) => selections(&mut inline.node.selection_set.node),
            Selection::FragmentSpread(_) => {}
        }
    }
}
