//! What an operation may cost and how many bytes it may answer, estimated before it runs: one for each object, and
//! the bounds of the fields' types; page sizes multiply. Sizes that variables decide are evaluated for each request.

use apollo_compiler::ast::{OperationType, Type, Value};
use apollo_compiler::executable::{Field, Selection, SelectionSet};
use apollo_compiler::response::{JsonMap, JsonValue};
use apollo_compiler::validation::Valid;
use apollo_compiler::{ExecutableDocument, Schema};
use async_graphql::ServerError;

use crate::errors::coded;
use trestle_api::{Code, federation};

/// Bytes of JSON around a field: quotes, colon, comma, and the braces of an object.
const AROUND: u64 = 6;
/// Bytes of a string of unknown length. The longest texts that services store have some 10,000 characters.
const TEXT: u64 = 16 * 1024;
/// Bytes of an enum's value.
const WORD: u64 = 64;
/// The size of a page when neither `first` nor `last` is given.
const DEFAULT_PAGE: u64 = 20;
/// The length of a list of which nothing is known.
const DEFAULT_LIST: u64 = 10;
/// The directive that says more.
const LIST_SIZE: &str = "listSize";
/// What a mutation's field costs before what it answers: a write is dearer than a read.
const MUTATION: u64 = 10;
/// What asking for the schema costs: it reads nothing.
const INTROSPECTION: u64 = 10;

/// A sum of numbers and of products with sizes that a request decides.
#[derive(Clone, Debug, Default)]
pub(super) struct Cost {
    fixed: u64,
    bytes: u64,
    products: Vec<(Size, Cost)>,
}

/// What one request may cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimated {
    /// About one for each object.
    pub cost: u64,
    /// Bytes of the answer.
    pub bytes: u64,
}

/// How many elements a list has.
#[derive(Clone, Debug)]
enum Size {
    Fixed(u64),
    /// The larger of `first` and `last`.
    Page(Vec<Length>),
}

#[derive(Clone, Debug)]
enum Length {
    Fixed(u64),
    /// A number, or a list and its length.
    Variable(String),
}

impl Cost {
    /// The cost of a request with these variables.
    pub(super) fn evaluate(&self, variables: &JsonMap) -> Estimated {
        let fixed = Estimated {
            cost: self.fixed,
            bytes: self.bytes,
        };
        self.products.iter().fold(fixed, |sum, (size, each)| {
            let (size, each) = (size.of(variables), each.evaluate(variables));
            Estimated {
                cost: sum.cost.saturating_add(size.saturating_mul(each.cost)),
                bytes: sum.bytes.saturating_add(size.saturating_mul(each.bytes)),
            }
        })
    }

    /// Refuses what is too dear whatever the variables are.
    pub(super) fn check_fixed(&self, most: u64) -> Result<(), Vec<ServerError>> {
        if self.fixed > most {
            return Err(vec![too_dear(self.fixed, most)]);
        }
        Ok(())
    }

    fn add(&mut self, other: Cost) {
        self.fixed = self.fixed.saturating_add(other.fixed);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.products.extend(other.products);
    }

    fn times(self, size: &Size) -> Cost {
        match size {
            Size::Fixed(1) => self,
            Size::Fixed(size) if self.products.is_empty() => Cost {
                fixed: self.fixed.saturating_mul(*size),
                bytes: self.bytes.saturating_mul(*size),
                products: Vec::new(),
            },
            size => Cost {
                fixed: 0,
                bytes: 0,
                products: vec![(size.clone(), self)],
            },
        }
    }
}

/// The error of an operation that costs more than one may.
pub(super) fn too_dear(cost: u64, most: u64) -> ServerError {
    let message = format!(
        "The operation may cost {cost}, more than {most}. Ask for smaller pages or fewer nested lists."
    );
    coded(Code::GraphqlValidationFailed, message, None)
}

impl Size {
    fn of(&self, variables: &JsonMap) -> u64 {
        match self {
            Size::Fixed(size) => *size,
            Size::Page(lengths) => lengths
                .iter()
                .filter_map(|length| match length {
                    Length::Fixed(size) => Some(*size),
                    Length::Variable(name) => variables.get(name.as_str()).and_then(length_of),
                })
                .max()
                .unwrap_or(DEFAULT_PAGE),
        }
    }
}

fn length_of(value: &JsonValue) -> Option<u64> {
    match value {
        JsonValue::Array(items) => Some(items.len() as u64),
        JsonValue::Number(number) => Some(number.as_u64().unwrap_or(0)),
        _ => None,
    }
}

/// The cost of every operation of a document, in its order.
pub(super) fn of_operations(document: &ExecutableDocument, schema: &Valid<Schema>) -> Vec<Cost> {
    let estimate = Estimate { document, schema };
    document
        .operations
        .iter()
        .map(|operation| {
            let root = match operation.operation_type {
                OperationType::Mutation => MUTATION,
                OperationType::Query | OperationType::Subscription => 1,
            };
            estimate.root(&operation.selection_set, root)
        })
        .collect()
}

struct Estimate<'a> {
    document: &'a ExecutableDocument,
    schema: &'a Valid<Schema>,
}

impl<'a> Estimate<'a> {
    fn root(&self, set: &'a SelectionSet, each: u64) -> Cost {
        let mut sum = Cost::default();
        self.walk(set, &mut |field| {
            sum.add(match field.name.as_str() {
                "__schema" | "__type" | federation::SERVICE => Cost {
                    fixed: INTROSPECTION,
                    // Its bytes follow from the schema, not from pages.
                    bytes: u64::MAX,
                    ..Cost::default()
                },
                _ => {
                    let mut cost = self.field(field, None);
                    cost.fixed = cost.fixed.saturating_add(each);
                    cost
                }
            });
        });
        sum
    }

    fn selections(&self, set: &'a SelectionSet, page: Option<&Size>) -> Cost {
        let mut sum = Cost::default();
        self.walk(set, &mut |field| sum.add(self.field(field, page)));
        sum
    }

    /// Calls `visit` for the fields of a selection, those of its fragments included: no more than the
    /// limit on fields allows. Fragments that spread themselves were refused with the limits.
    fn walk(&self, set: &'a SelectionSet, visit: &mut dyn FnMut(&'a Field)) {
        for selection in &set.selections {
            match selection {
                Selection::Field(field) => visit(field),
                Selection::InlineFragment(inline) => self.walk(&inline.selection_set, visit),
                Selection::FragmentSpread(spread) => {
                    if let Some(fragment) = self.document.fragments.get(&spread.fragment_name) {
                        self.walk(&fragment.selection_set, visit);
                    }
                }
            }
        }
    }

    /// A field's cost. `page` is the size that the field around it was asked for, and counts for the
    /// list in it (`edges`).
    fn field(&self, field: &'a Field, page: Option<&Size>) -> Cost {
        let def = field.inner_type_def(self.schema);
        let is_object =
            def.is_some_and(|def| def.is_object() || def.is_interface() || def.is_union());
        let own_page = page_of(field);
        let mut cost = self.selections(&field.selection_set, own_page.as_ref());
        let key = (field.response_key().len() as u64).saturating_add(AROUND);
        cost.bytes = cost.bytes.saturating_add(key);
        let list = assumed_size(field).unwrap_or(DEFAULT_LIST);
        if !is_object {
            let each = match def {
                Some(def) if def.is_enum() => WORD,
                _ => scalar_bytes(field.ty().inner_named_type().as_str()),
            };
            let items = if field.ty().is_list() { list } else { 1 };
            cost.bytes = cost.bytes.saturating_add(each.saturating_mul(items));
            return cost;
        }
        cost.fixed = cost.fixed.saturating_add(1);
        match (field.ty().is_list(), &own_page, page) {
            (false, _, _) => cost,
            (true, Some(size), _) | (true, None, Some(size)) => cost.times(size),
            (true, None, None) => {
                let size = list_argument(field).unwrap_or(Size::Fixed(list));
                cost.times(&size)
            }
        }
    }
}

/// The longest value that a scalar is expected to have, as JSON. A service's own scalar counts as a text.
fn scalar_bytes(name: &str) -> u64 {
    match name {
        "Boolean" => 5,
        "Int" | "Float" => 24,
        "Date" | "DateTime" | "UUID" => 40,
        "ID" => 256,
        "URL" => 2048,
        _ => TEXT,
    }
}

/// What the schema says of the length of a field's list.
fn assumed_size(field: &Field) -> Option<u64> {
    let said = field.definition.directives.get(LIST_SIZE)?;
    let size = said.specified_argument_by_name("assumedSize")?;
    size.to_i32()?.try_into().ok()
}

/// The page that a field takes arguments for, if it does.
fn page_of(field: &Field) -> Option<Size> {
    let takes = |name: &str| field.definition.argument_by_name(name).is_some();
    if !takes("first") && !takes("last") {
        return None;
    }
    let given = ["first", "last"]
        .into_iter()
        .filter_map(|name| length(field, name))
        .collect();
    Some(fixed_or_page(given))
}

/// The longest list among a field's arguments: `nodes(ids:)` answers one element for each.
fn list_argument(field: &Field) -> Option<Size> {
    let lists = field
        .definition
        .arguments
        .iter()
        .filter(|argument| is_list(&argument.ty));
    let given: Vec<Length> = lists
        .filter_map(|argument| length(field, &argument.name))
        .collect();
    (!given.is_empty()).then(|| fixed_or_page(given))
}

fn is_list(ty: &Type) -> bool {
    matches!(ty, Type::List(_) | Type::NonNullList(_))
}

fn length(field: &Field, argument: &str) -> Option<Length> {
    let default = || {
        field
            .definition
            .argument_by_name(argument)?
            .default_value
            .as_ref()
    };
    match &**field
        .specified_argument_by_name(argument)
        .or_else(default)?
    {
        Value::Int(number) => Some(Length::Fixed(number.as_str().parse().unwrap_or(0))),
        Value::List(items) => Some(Length::Fixed(items.len() as u64)),
        Value::Variable(name) => Some(Length::Variable(name.to_string())),
        _ => None,
    }
}

/// Works the size out now if no variable decides it.
fn fixed_or_page(lengths: Vec<Length>) -> Size {
    let fixed: Option<Vec<u64>> = lengths
        .iter()
        .map(|length| match length {
            Length::Fixed(size) => Some(*size),
            Length::Variable(_) => None,
        })
        .collect();
    match fixed {
        Some(sizes) => Size::Fixed(sizes.into_iter().max().unwrap_or(DEFAULT_PAGE)),
        None => Size::Page(lengths),
    }
}
