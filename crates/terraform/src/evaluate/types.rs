//! Types of variables, and the defaults that they give to attributes.

use hcl::expr::{Expression, ObjectKey};

use super::{Evaluator, Scope};
use crate::functions;
use crate::value::Value;

impl Evaluator<'_> {
    /// A value with the attributes that its type has by default: `object({ open = optional(bool, true) })`.
    pub(super) fn converted(&self, value: Value, kind: &Expression) -> Value {
        let call = match kind {
            Expression::FuncCall(call) => call,
            Expression::Variable(kind) => return simple(value, kind.as_str()),
            _ => return value,
        };
        let inner = call.args.first();
        match (call.name.name.as_str(), value, inner) {
            ("optional", value, Some(inner)) => self.converted(value, inner),
            ("list" | "set", Value::List(list), Some(inner)) => {
                let list = list.into_iter().map(|one| self.converted(one, inner));
                let list = Value::List(list.collect());
                match call.name.name.as_str() {
                    "set" => functions::call("toset", vec![list.clone()]).unwrap_or(list),
                    _ => list,
                }
            }
            ("map", Value::Map(map), Some(inner)) => {
                let map = map.into_iter();
                Value::Map(
                    map.map(|(key, one)| (key, self.converted(one, inner)))
                        .collect(),
                )
            }
            ("object", Value::Map(mut map), Some(Expression::Object(members))) => {
                for (key, kind) in members.iter() {
                    let name = match key {
                        ObjectKey::Identifier(name) => name.as_str().to_owned(),
                        ObjectKey::Expression(Expression::String(name)) => name.clone(),
                        ObjectKey::Expression(Expression::Variable(name)) => {
                            name.as_str().to_owned()
                        }
                        _ => continue,
                    };
                    let default = match kind {
                        Expression::FuncCall(call) if call.name.name.as_str() == "optional" => {
                            call.args.get(1)
                        }
                        _ => None,
                    };
                    let is_optional = matches!(kind, Expression::FuncCall(call) if call.name.name.as_str() == "optional");
                    let there = map.remove(&name).filter(|value| *value != Value::Null);
                    let value = match (there, default) {
                        (Some(value), _) => value,
                        (None, Some(default)) => self.value(default, &Scope::default()),
                        (None, None) if is_optional => Value::Null,
                        (None, None) => continue,
                    };
                    map.insert(name, self.converted(value, kind));
                }
                Value::Map(map)
            }
            (_, value, _) => value,
        }
    }
}

/// A value of a simple type, as Terraform converts texts, numbers and flags into each other.
fn simple(value: Value, kind: &str) -> Value {
    let function = match kind {
        "string" => "tostring",
        "number" => "tonumber",
        "bool" => "tobool",
        _ => return value,
    };
    match value {
        Value::Text(_) | Value::Number(_) | Value::Bool(_) => {
            functions::call(function, vec![value.clone()]).unwrap_or(value)
        }
        value => value,
    }
}
