//! Arguments and variables of the schema's own scalars, whose kind the validator does not know, and of enums. A value of the
//! wrong kind is refused before any field runs, so that nothing beside it is written.

use apollo_compiler::Schema;
use apollo_compiler::ast::{Argument, FieldDefinition, Type, Value};
use apollo_compiler::executable::{Operation, Selection, SelectionSet};
use apollo_compiler::response::{JsonMap, JsonValue};
use apollo_compiler::schema::ExtendedType;
use apollo_compiler::{ExecutableDocument, Name, Node};
use async_graphql::ServerError;

use super::federation::ANY;
use super::places::pos;
use crate::errors::{coded, short};
use trestle_api::{Code, SafeInt};

/// What a scalar is read from.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    WholeNumber,
}

impl Kind {
    /// Of the type `name`, if it is a scalar of the schema's own.
    fn of(schema: &Schema, name: &Name) -> Option<Self> {
        match schema.types.get(name)? {
            ExtendedType::Scalar(scalar) if scalar.is_built_in() => None,
            ExtendedType::Scalar(_) if name == ANY => None,
            ExtendedType::Scalar(_) if name == SafeInt::NAME => Some(Kind::WholeNumber),
            ExtendedType::Scalar(_) => Some(Kind::Text),
            _ => None,
        }
    }

    fn wanted(self, name: &Name) -> String {
        match self {
            Kind::Text => format!("expected a string for the type `{name}`"),
            Kind::WholeNumber => format!("expected a whole number for the type `{name}`"),
        }
    }
}

/// Refuses a document with an argument of the wrong kind.
pub(super) fn check(
    document: &ExecutableDocument,
    schema: &Schema,
    text: &str,
) -> Result<(), Vec<ServerError>> {
    let operations = document.operations.iter().map(|it| &it.selection_set);
    let fragments = document.fragments.values().map(|it| &it.selection_set);
    let mut sets = operations.chain(fragments);
    match sets.find_map(|set| in_selections(schema, set)) {
        None => Ok(()),
        Some((message, offset)) => {
            let at = offset.map(|offset| pos(text, offset));
            Err(vec![coded(Code::BadUserInput, message, at)])
        }
    }
}

/// A value of a variable that is of the wrong kind.
pub(super) struct WrongValue<'o> {
    /// The variable.
    pub variable: &'o Name,
    /// The variable, and the fields and indexes that lead to the value.
    pub path: Vec<String>,
    /// What the client reads: where the value is, and what it must be.
    pub message: String,
}

/// The first value of a variable that is of the wrong kind.
pub(super) fn wrong_value<'o>(
    schema: &Schema,
    operation: &'o Operation,
    variables: &JsonMap,
) -> Option<WrongValue<'o>> {
    operation.variables.iter().find_map(|variable| {
        let value = variables.get(variable.name.as_str())?;
        let found = in_json(schema, &variable.ty, value)?;
        let mut path = vec![variable.name.to_string()];
        path.extend(found.path.into_iter().rev());
        Some(WrongValue {
            variable: &variable.name,
            message: format!("Variable `${}`: {}.", path.join("."), found.wanted),
            path,
        })
    })
}

/// Makes `-0` and `3.0` whole numbers, as JavaScript takes them.
pub(super) fn make_whole(value: &mut JsonValue) {
    /// Beyond it, not every whole number has a representation of its own.
    const MOST: f64 = 9_007_199_254_740_991.0;
    match value {
        JsonValue::Number(number) => {
            let whole = number
                .as_f64()
                .filter(|it| number.is_f64() && it.fract() == 0.0 && it.abs() <= MOST);
            if let Some(whole) = whole {
                *value = JsonValue::from(whole as i64);
            }
        }
        JsonValue::Array(items) => items.iter_mut().for_each(make_whole),
        JsonValue::Object(fields) => fields.values_mut().for_each(make_whole),
        JsonValue::Null | JsonValue::Bool(_) | JsonValue::String(_) => {}
    }
}

/// Why a literal does not fit, and where it stands.
type Misfit = Option<(String, Option<usize>)>;

fn in_selections(schema: &Schema, set: &SelectionSet) -> Misfit {
    set.selections.iter().find_map(|selection| match selection {
        Selection::Field(field) => in_arguments(schema, &field.definition, &field.arguments)
            .or_else(|| in_selections(schema, &field.selection_set)),
        Selection::InlineFragment(inline) => in_selections(schema, &inline.selection_set),
        Selection::FragmentSpread(_) => None,
    })
}

fn in_arguments(
    schema: &Schema,
    definition: &FieldDefinition,
    arguments: &[Node<Argument>],
) -> Misfit {
    arguments.iter().find_map(|argument| {
        let expected = definition.argument_by_name(&argument.name)?;
        in_literal(schema, &expected.ty, &argument.value)
    })
}

fn in_literal(schema: &Schema, ty: &Type, value: &Node<Value>) -> Misfit {
    let name = ty.inner_named_type();
    match &**value {
        Value::Null | Value::Variable(_) => None,
        Value::List(items) if ty.is_list() => items
            .iter()
            .find_map(|item| in_literal(schema, ty.item_type(), item)),
        Value::Object(fields) if schema.get_input_object(name).is_some() => {
            let object = schema.get_input_object(name)?;
            fields
                .iter()
                .find_map(|(name, field)| in_literal(schema, &object.fields.get(name)?.ty, field))
        }
        leaf => {
            let kind = Kind::of(schema, name)?;
            let fits = match (kind, leaf) {
                (Kind::Text, Value::String(_)) => true,
                (Kind::WholeNumber, Value::Int(number)) => number.as_str().parse::<i64>().is_ok(),
                _ => false,
            };
            let offset = value.location().map(|span| span.offset());
            (!fits).then(|| (kind.wanted(name), offset))
        }
    }
}

/// A value inside another one that is of the wrong kind.
struct WrongPart {
    /// The fields and indexes that lead to it, the last one first.
    path: Vec<String>,
    /// What it must be.
    wanted: String,
}

impl WrongPart {
    fn of(wanted: String) -> Self {
        let path = Vec::new();
        Self { path, wanted }
    }

    fn below(mut self, step: impl ToString) -> Self {
        self.path.push(step.to_string());
        self
    }
}

fn in_json(schema: &Schema, ty: &Type, value: &JsonValue) -> Option<WrongPart> {
    let name = ty.inner_named_type();
    match value {
        JsonValue::Null => ty.is_non_null().then(|| WrongPart::of(missing(ty))),
        JsonValue::Array(items) if ty.is_list() => {
            let mut items = items.iter().enumerate();
            items.find_map(|(at, item)| Some(in_json(schema, ty.item_type(), item)?.below(at)))
        }
        JsonValue::Object(fields) if schema.get_input_object(name).is_some() => {
            let object = schema.get_input_object(name)?;
            let wrong = fields.iter().find_map(|(key, field)| {
                let key = key.as_str();
                let wrong = match object.fields.get(key) {
                    Some(known) => in_json(schema, &known.ty, field)?,
                    None => WrongPart::of(format!("the type `{name}` has no such field")),
                };
                Some(wrong.below(short(key)))
            });
            let mut required = object.fields.values().filter(|field| field.is_required());
            wrong.or_else(|| {
                let absent = required.find(|field| !fields.contains_key(field.name.as_str()))?;
                Some(WrongPart::of(missing(&absent.ty)).below(&absent.name))
            })
        }
        value => Some(WrongPart::of(wanted(schema, name, value)?)),
    }
}

/// What must stand where nothing does.
fn missing(ty: &Type) -> String {
    format!("expected a value of the type `{ty}`")
}

/// What a value of this type must be, unless it is.
fn wanted(schema: &Schema, name: &Name, value: &JsonValue) -> Option<String> {
    if let Some(definition) = schema.get_enum(name) {
        let is_known = value
            .as_str()
            .is_some_and(|text| definition.values.contains_key(text));
        if is_known {
            return None;
        }
        let values: Vec<_> = definition.values.keys().map(Name::as_str).collect();
        return Some(format!("expected one of {}", values.join(", ")));
    }
    if schema.get_input_object(name).is_some() {
        return Some(format!("expected an object of the type `{name}`"));
    }
    if let Some(kind) = Kind::of(schema, name) {
        let fits = match kind {
            Kind::Text => value.is_string(),
            Kind::WholeNumber => value.is_i64(),
        };
        return (!fits).then(|| kind.wanted(name));
    }
    let (fits, kind) = match name.as_str() {
        "Int" => {
            let number = value.as_i64().map(i32::try_from);
            (matches!(number, Some(Ok(_))), "a whole number of 32 bits")
        }
        "Float" => (value.is_number(), "a number"),
        "Boolean" => (value.is_boolean(), "true or false"),
        "String" => (value.is_string(), "a string"),
        "ID" => (value.is_string() || value.is_i64(), "a string"),
        _ => return None,
    };
    (!fits).then(|| format!("expected {kind} for the type `{name}`"))
}
