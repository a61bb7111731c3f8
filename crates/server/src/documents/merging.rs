//! Fields of one name whose arguments are lists of different lengths, which the validator takes for equal and merges.
//! Source: the GraphQL specification, "Field Selection Merging".

use std::collections::HashMap;

use apollo_compiler::ast::{Argument, Value};
use apollo_compiler::executable::{Field, Selection, SelectionSet};
use apollo_compiler::{ExecutableDocument, Node, Schema};
use async_graphql::ServerError;

use super::places::pos;
use super::work::Work;
use crate::errors::coded;
use trestle_api::Code;

/// Refuses a document in which two fields merge that differ in the length of a list.
pub(super) fn check(
    document: &ExecutableDocument,
    schema: &Schema,
    text: &str,
    work: &Work,
) -> Result<(), Vec<ServerError>> {
    // No list, no difference.
    if !text.contains('[') {
        return Ok(());
    }
    let mut merging = Merging {
        document,
        schema,
        work,
    };
    let mut operations = document.operations.iter();
    let found = operations.find_map(|operation| merging.sets(&[&operation.selection_set]).err());
    match found {
        None => Ok(()),
        Some(Differ { key, offset }) => {
            let message = format!(
                "The fields `{key}` have different arguments and cannot be merged. Give one of them an alias."
            );
            let at = offset.map(|offset| pos(text, offset));
            Err(vec![coded(Code::GraphqlValidationFailed, message, at)])
        }
    }
}

/// A field that differs from another one of its name, and where it stands.
struct Differ {
    key: String,
    offset: Option<usize>,
}

/// A field, and the type on which it is selected.
type Selected<'a> = (&'a str, &'a Node<Field>);

struct Merging<'a> {
    document: &'a ExecutableDocument,
    schema: &'a Schema,
    work: &'a Work,
}

impl<'a> Merging<'a> {
    /// Selections of the same object.
    fn sets(&mut self, sets: &[&'a SelectionSet]) -> Result<(), Differ> {
        let mut by_key: HashMap<&str, Vec<Selected<'a>>> = HashMap::new();
        for set in sets {
            self.collect(set, &mut by_key);
        }
        for fields in by_key.values() {
            for met in self.meeting(fields) {
                let mut met = met.into_iter();
                let Some(first) = met.next() else { continue };
                let mut below = vec![&first.selection_set];
                for other in met {
                    if !same_lengths(&first.arguments, &other.arguments) {
                        return Err(Differ {
                            key: first.response_key().to_string(),
                            offset: other.location().map(|span| span.offset()),
                        });
                    }
                    below.push(&other.selection_set);
                }
                self.sets(&below)?;
            }
        }
        Ok(())
    }

    /// The fields that one object can have together: those of each type of object, with those of all other types.
    fn meeting(&self, fields: &[Selected<'a>]) -> Vec<Vec<&'a Node<Field>>> {
        let is_object = |name: &str| self.schema.get_object(name).is_some();
        let mut objects: Vec<&str> = fields
            .iter()
            .map(|(ty, _)| *ty)
            .filter(|ty| is_object(ty))
            .collect();
        objects.sort_unstable();
        objects.dedup();
        if objects.len() < 2 {
            return vec![fields.iter().map(|(_, field)| *field).collect()];
        }
        let objects = objects.iter().map(|object| {
            let met = fields
                .iter()
                .filter(|(ty, _)| ty == object || !is_object(ty));
            met.map(|(_, field)| *field).collect()
        });
        objects.collect()
    }

    fn collect(&mut self, set: &'a SelectionSet, by_key: &mut HashMap<&'a str, Vec<Selected<'a>>>) {
        for selection in &set.selections {
            if !self.work.step() {
                return;
            }
            match selection {
                Selection::Field(field) => {
                    let fields = by_key.entry(field.response_key().as_str()).or_default();
                    fields.push((set.ty.as_str(), field));
                }
                Selection::InlineFragment(inline) => self.collect(&inline.selection_set, by_key),
                Selection::FragmentSpread(spread) => {
                    if let Some(fragment) = self.document.fragments.get(&spread.fragment_name) {
                        self.collect(&fragment.selection_set, by_key);
                    }
                }
            }
        }
    }
}

/// Whether the lists in two fields' arguments have the same lengths. The validator compares everything else.
fn same_lengths(one: &[Node<Argument>], other: &[Node<Argument>]) -> bool {
    one.iter().all(|argument| {
        let mut others = other.iter();
        let same = others.find(|other| other.name == argument.name);
        same.is_none_or(|same| agree(&argument.value, &same.value))
    })
}

/// Values nest no deeper than the parser lets them.
fn agree(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::List(one), Value::List(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| agree(one, other))
        }
        (Value::Object(one), Value::Object(other)) => one.iter().all(|(name, value)| {
            let mut others = other.iter();
            let same = others.find(|(other, _)| other == name);
            same.is_none_or(|(_, other)| agree(value, other))
        }),
        _ => true,
    }
}
