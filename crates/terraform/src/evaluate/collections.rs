//! Objects, `for` expressions, and what has a value only if its parts are there.

use std::collections::BTreeMap;

use hcl::expr::{Expression, ObjectKey};

use super::traversal::Lack;
use super::{Evaluator, Scope};
use crate::elements::elements;
use crate::functions;
use crate::value::Value;

/// Functions that fail if one of their arguments does. `try` and `can` do not.
const IN_TURN: [&str; 9] = [
    "flatten",
    "jsonencode",
    "length",
    "lower",
    "one",
    "tobool",
    "tolist",
    "toset",
    "tostring",
];

/// How keys of conditions end that begin with the name of a provider of identities.
const CLAIMS: [&str; 2] = [":aud", ":sub"];

impl Evaluator<'_> {
    pub(super) fn object(
        &self,
        object: &hcl::expr::Object<ObjectKey, Expression>,
        scope: &Scope,
    ) -> Option<Value> {
        let mut values = BTreeMap::new();
        for (key, value) in object.iter() {
            let key = match key {
                ObjectKey::Identifier(name) => name.as_str().to_owned(),
                ObjectKey::Expression(key) => match self.value(key, scope) {
                    // The key of a condition about a token, such as `${local.issuer}:sub`.
                    Value::Partial { known, .. }
                        if CLAIMS.iter().any(|end| known.ends_with(end)) =>
                    {
                        known
                    }
                    key => key.as_text()?,
                },
                _ => return None,
            };
            // Of equal keys the last one counts.
            values.insert(key, self.value(value, scope));
        }
        Some(Value::Map(values))
    }

    pub(super) fn each_of(&self, each: &hcl::expr::ForExpr, scope: &Scope) -> Option<Value> {
        let elements = elements(self.value(&each.collection_expr, scope), true).ok()?;
        let (mut list, mut map) = (Vec::new(), BTreeMap::new());
        let mut groups: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for (key, value) in elements {
            self.budget.take(256)?;
            if let Value::Several(text) = value {
                // It is not known what keys they and those after them have.
                if each.key_var.is_some() || each.key_expr.is_some() {
                    return None;
                }
                list.push(Value::Several(text));
                continue;
            }
            let mut scope = scope.with(each.value_var.as_str(), value);
            if let Some(name) = &each.key_var {
                scope = scope.with(name.as_str(), key);
            }
            if let Some(condition) = &each.cond_expr {
                match self.value(condition, &scope) {
                    Value::Bool(true) => {}
                    Value::Bool(false) => continue,
                    _ => return None,
                }
            }
            let value = self.value(&each.value_expr, &scope);
            match &each.key_expr {
                None => list.push(value),
                Some(key) if each.grouping => {
                    let key = self.value(key, &scope).as_text()?;
                    groups.entry(key).or_default().push(value);
                }
                Some(key) => drop(map.insert(self.value(key, &scope).as_text()?, value)),
            }
        }
        Some(match each.key_expr {
            Some(_) if each.grouping => {
                let groups = groups.into_iter();
                Value::Map(groups.map(|(key, list)| (key, Value::List(list))).collect())
            }
            Some(_) => Value::Map(map),
            None => Value::List(list),
        })
    }

    /// The first argument that has a value: `try`. One that may have none leaves it unknown.
    pub(super) fn first_of(&self, arguments: &[Expression], scope: &Scope) -> Option<Value> {
        for argument in arguments {
            if self.is_missing(argument, scope) {
                continue;
            }
            let value = self.value(argument, scope);
            let is_known = value.unknown().is_none() || matches!(value, Value::Of { .. });
            return is_known.then_some(value);
        }
        None
    }

    /// Whether an expression has a value: `can`.
    pub(super) fn is_there(&self, argument: &Expression, scope: &Scope) -> Option<Value> {
        if self.is_missing(argument, scope) {
            return Some(Value::Bool(false));
        }
        let is_known = self.value(argument, scope).unknown().is_none();
        is_known.then_some(Value::Bool(true))
    }

    /// Whether an expression certainly has no value, because it names an element that is not there.
    fn is_missing(&self, expression: &Expression, scope: &Scope) -> bool {
        match expression {
            Expression::Parenthesis(inner) => self.is_missing(inner, scope),
            Expression::Traversal(path) => self.resolve(path, scope) == Err(Lack::Missing),
            Expression::FuncCall(call) if call.name.name.as_str() == "regex" => {
                let arguments = call.args.iter().map(|one| self.value(one, scope));
                functions::never_matches(&arguments.collect::<Vec<_>>())
            }
            Expression::FuncCall(call)
                if call.name.name.as_str() == "coalesce" && !call.expand_final =>
            {
                let mut arguments = call.args.iter().map(|one| self.value(one, scope));
                arguments.all(|value| functions::is_left_out(&value))
            }
            // Its only argument has to be there.
            Expression::FuncCall(call) if IN_TURN.contains(&call.name.name.as_str()) => {
                call.args.iter().any(|one| self.is_missing(one, scope))
            }
            _ => false,
        }
    }
}
