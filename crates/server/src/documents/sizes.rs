//! How many elements a list is expected to have: the page that a field is asked for, the list that it is given, or what
//! the schema says of it.

use apollo_compiler::ast::{Type, Value};
use apollo_compiler::executable::Field;
use apollo_compiler::response::{JsonMap, JsonValue};

/// The size of a page when neither `first` nor `last` is given.
const DEFAULT_PAGE: u64 = 20;
/// The length of a list of which nothing is known.
const DEFAULT_LIST: u64 = 10;
/// The directive that says more.
const LIST_SIZE: &str = "listSize";

/// How many elements a list has.
#[derive(Clone, Debug)]
pub(super) enum Size {
    Fixed(u64),
    /// The larger of `first` and `last`.
    Page(Vec<Length>),
}

#[derive(Clone, Debug)]
pub(super) enum Length {
    Fixed(u64),
    /// A number, or a list and its length.
    Variable(String),
}

impl Size {
    /// With the variables of a request.
    pub(super) fn of(&self, variables: &JsonMap) -> u64 {
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

/// The length of a field's list by the schema, or else the usual one.
pub(super) fn assumed_size(field: &Field) -> u64 {
    let listed = field.definition.directives.get(LIST_SIZE);
    let size = listed.and_then(|listed| listed.specified_argument_by_name("assumedSize"));
    let size = size.and_then(|size| size.to_i32()?.try_into().ok());
    size.unwrap_or(DEFAULT_LIST)
}

/// The page that a field takes arguments for, if it does.
pub(super) fn page_of(field: &Field) -> Option<Size> {
    const ARGUMENTS: [&str; 2] = ["first", "last"];
    let definition = &field.definition;
    if ARGUMENTS
        .iter()
        .all(|name| definition.argument_by_name(name).is_none())
    {
        return None;
    }
    let given = ARGUMENTS.iter().filter_map(|name| length(field, name));
    Some(fixed_or_page(given.collect()))
}

/// The longest list among a field's arguments: `nodes(ids:)` answers one element for each.
pub(super) fn list_argument(field: &Field) -> Option<Size> {
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
    let given = match field.specified_argument_by_name(argument) {
        Some(given) => given,
        None => {
            let definition = field.definition.argument_by_name(argument)?;
            definition.default_value.as_ref()?
        }
    };
    match &**given {
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
