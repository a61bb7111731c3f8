//! How much an operation asks for by its shape alone: counted on the syntax tree, through fragments,
//! each fragment once. A spread of a fragment that does not exist or that is within itself is refused here, so that no
//! later pass meets one.

use std::collections::HashMap;

use apollo_compiler::Node;
use apollo_compiler::ast::{Definition, Document, FragmentDefinition, FragmentSpread, Selection};
use async_graphql::ServerError;

use super::places::pos;
use super::work::Work;
use crate::config::DocumentArgs;
use crate::errors::coded;
use trestle_api::{Code, federation};

/// Selections within selections, fragments included, that async-graphql executes: its own limit is 32.
const MOST_SELECTIONS_DEEP: u32 = 30;

/// What a selection asks for. Numbers saturate: a few hundred bytes of fragments reach any number.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    depth: u64,
    nesting: u64,
    fields: u64,
    aliases: u64,
    directives: u64,
    root_fields: u64,
    introspects: bool,
}

/// What the counting found about each operation, in the document's order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// Whether it asks for the schema.
    pub(super) introspects: bool,
}

/// Refuses a document with an operation or a fragment beyond a limit. Fragments count even when nothing
/// spreads them, because validation follows them all the same.
pub(super) fn check(
    document: &Document,
    text: &str,
    limits: &DocumentArgs,
    work: &Work,
) -> Result<Vec<Found>, Vec<ServerError>> {
    let mut counter = Counter::new(document, work);
    let mut found = Vec::new();
    for definition in &document.definitions {
        let (count, most_root_fields) = match definition {
            Definition::OperationDefinition(operation) => {
                let count = counter.selections(&operation.selection_set);
                found.push(Found {
                    introspects: count.introspects,
                });
                (
                    count.with_directives(operation.directives.len()),
                    limits.max_root_fields,
                )
            }
            Definition::FragmentDefinition(fragment) => {
                (counter.fragment(&fragment.name), limits.max_fields)
            }
            _ => continue,
        };
        // First, because a spread of nothing has no fields, however often it is there.
        if let Some((message, offset)) = counter.refused {
            let at = offset.map(|offset| pos(text, offset));
            return Err(vec![coded(Code::GraphqlValidationFailed, message, at)]);
        }
        let rows = [
            (count.depth, limits.max_depth, "levels of fields"),
            (count.nesting, MOST_SELECTIONS_DEEP, "levels of selections"),
            (count.fields, limits.max_fields, "fields"),
            (count.aliases, limits.max_aliases, "aliases"),
            (count.root_fields, most_root_fields, "fields at its root"),
            (count.directives, limits.max_directives, "directives"),
            (found.len() as u64, limits.max_operations, "operations"),
        ];
        for (counted, most, what) in rows {
            if counted > u64::from(most) {
                return Err(refused(format!(
                    "The document has more than {most} {what}."
                )));
            }
        }
    }
    Ok(found)
}

fn refused(message: String) -> Vec<ServerError> {
    vec![coded(Code::GraphqlValidationFailed, message, None)]
}

struct Counter<'a> {
    fragments: HashMap<&'a str, &'a FragmentDefinition>,
    /// `None` while a fragment is being counted.
    counted: HashMap<&'a str, Option<Count>>,
    /// Fragments that are being counted, each within the one before.
    entered: u32,
    /// Why the first spread that nothing can follow is refused, and where it stands.
    refused: Option<(String, Option<usize>)>,
    work: &'a Work,
}

impl<'a> Counter<'a> {
    fn new(document: &'a Document, work: &'a Work) -> Self {
        let fragments = document
            .definitions
            .iter()
            .filter_map(|definition| match definition {
                Definition::FragmentDefinition(fragment) => {
                    Some((fragment.name.as_str(), &**fragment))
                }
                _ => None,
            })
            .collect();
        Self {
            fragments,
            counted: HashMap::new(),
            entered: 0,
            refused: None,
            work,
        }
    }

    fn selections(&mut self, selections: &'a [Selection]) -> Count {
        let mut sum = Count::default();
        for selection in selections {
            sum.add(self.selection(selection));
        }
        sum.nesting = sum.nesting.saturating_add(1);
        sum
    }

    fn selection(&mut self, selection: &'a Selection) -> Count {
        if !self.work.step() {
            return Count::default();
        }
        match selection {
            Selection::Field(field) => {
                let within = if field.selection_set.is_empty() {
                    Count::default()
                } else {
                    self.selections(&field.selection_set)
                };
                Count {
                    depth: within.depth.saturating_add(1),
                    nesting: within.nesting,
                    fields: within.fields.saturating_add(1),
                    aliases: within
                        .aliases
                        .saturating_add(u64::from(field.alias.is_some())),
                    directives: within
                        .directives
                        .saturating_add(field.directives.len() as u64),
                    root_fields: 1,
                    introspects: within.introspects
                        || matches!(
                            field.name.as_str(),
                            "__schema" | "__type" | federation::SERVICE
                        ),
                }
            }
            Selection::InlineFragment(inline) => self
                .selections(&inline.selection_set)
                .with_directives(inline.directives.len()),
            Selection::FragmentSpread(spread) => {
                let count = self.spread(spread);
                count.with_directives(spread.directives.len())
            }
        }
    }

    fn spread(&mut self, spread: &Node<FragmentSpread>) -> Count {
        let name = spread.fragment_name.as_str();
        let message = if !self.fragments.contains_key(name) {
            format!("The document has no fragment `{name}`.")
        } else if let Some(None) = self.counted.get(name) {
            format!("The fragment `{name}` spreads itself.")
        } else {
            return self.fragment(name);
        };
        let offset = spread.location().map(|span| span.offset());
        self.refused.get_or_insert((message, offset));
        Count::default()
    }

    /// A chain of fragments that is too long to run is not followed to its end.
    fn fragment(&mut self, name: &str) -> Count {
        let Some((&name, &fragment)) = self.fragments.get_key_value(name) else {
            return Count::default();
        };
        if let Some(Some(counted)) = self.counted.get(name) {
            return *counted;
        }
        if self.entered > MOST_SELECTIONS_DEEP {
            return Count {
                nesting: u64::MAX,
                ..Count::default()
            };
        }
        self.counted.insert(name, None);
        self.entered += 1;
        let count = self
            .selections(&fragment.selection_set)
            .with_directives(fragment.directives.len());
        self.entered -= 1;
        self.counted.insert(name, Some(count));
        count
    }
}

impl Count {
    fn add(&mut self, other: Count) {
        self.depth = self.depth.max(other.depth);
        self.nesting = self.nesting.max(other.nesting);
        self.fields = self.fields.saturating_add(other.fields);
        self.aliases = self.aliases.saturating_add(other.aliases);
        self.directives = self.directives.saturating_add(other.directives);
        self.root_fields = self.root_fields.saturating_add(other.root_fields);
        self.introspects |= other.introspects;
    }

    fn with_directives(mut self, directives: usize) -> Self {
        self.directives = self.directives.saturating_add(directives as u64);
        self
    }
}
