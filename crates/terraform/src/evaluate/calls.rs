//! Calls of functions.

use hcl::expr::{Expression, FuncCall};

use super::{Evaluator, Scope};
use crate::choices;
use crate::functions;
use crate::quote::quote;
use crate::value::Value;

impl Evaluator<'_> {
    pub(super) fn call(&self, call: &FuncCall, scope: &Scope) -> Option<Value> {
        if !call.name.namespace.is_empty() {
            return None;
        }
        if call.expand_final {
            return self.expanded(call, scope);
        }
        let value = match (call.name.name.as_str(), call.args.as_slice()) {
            ("try", arguments) => self.first_of(arguments, scope)?,
            ("can", [argument]) => self.is_there(argument, scope)?,
            ("nonsensitive", [argument]) => self.value(without_mark(argument), scope),
            ("file", [path]) => Value::Text(self.file(path, scope)?.to_owned()),
            ("templatefile", [path, values]) => {
                let whole = Expression::FuncCall(Box::new(call.clone()));
                self.template_file(path, self.value(values, scope), &whole, scope)?
            }
            (name, arguments) => {
                let arguments = arguments.iter().map(|one| self.value(one, scope));
                self.applied(name, arguments.collect(), call)?
            }
        };
        self.budget.take(value.size())?;
        Some(value)
    }

    /// The value of a function. If an argument is a choice, so is the value.
    fn applied(&self, name: &str, arguments: Vec<Value>, call: &FuncCall) -> Option<Value> {
        let mut each = arguments.iter();
        let at = each.position(|one| matches!(one, Value::Choice { .. }));
        let chosen = at.and_then(|at| Some((at, arguments.get(at)?.clone())));
        let Some((at, Value::Choice { of, .. })) = chosen.filter(|_| lifts(name)) else {
            return Some(quoted(functions::call(name, arguments)?, call));
        };
        let text = quote(&Expression::FuncCall(Box::new(call.clone())));
        let values = of.into_iter().map(|value| {
            let mut arguments = arguments.clone();
            *arguments.get_mut(at)? = value;
            let value = self
                .budget
                .nested(|| self.applied(name, arguments, call))??;
            self.budget.take(value.size())?;
            Some(value)
        });
        choices::choice(&text, values)
    }

    /// A call whose last argument is the list of the others: `merge(local.maps...)`.
    fn expanded(&self, call: &FuncCall, scope: &Scope) -> Option<Value> {
        let (last, others) = call.args.split_last()?;
        let others = others.iter().map(|argument| self.value(argument, scope));
        let Value::List(list) = self.value(last, scope) else {
            return None;
        };
        let arguments = others.chain(list).collect();
        let value = quoted(functions::call(call.name.name.as_str(), arguments)?, call);
        self.budget.take(value.size())?;
        Some(value)
    }
}

/// The expression in a call of `sensitive`, whose value is not kept.
fn without_mark(expression: &Expression) -> &Expression {
    match expression {
        Expression::Parenthesis(inner) => without_mark(inner),
        Expression::FuncCall(call) if call.name.name.as_str() == "sensitive" => {
            call.args.first().unwrap_or(expression)
        }
        other => other,
    }
}

/// Whether a function is called for each value of a choice. The others accept arguments that are not known.
fn lifts(name: &str) -> bool {
    !matches!(
        name,
        "coalesce" | "coalescelist" | "jsonencode" | "sensitive" | "nonsensitive"
    )
}

/// A text with holes that a function has made, with the expression; in a list as well.
fn quoted(value: Value, call: &FuncCall) -> Value {
    match value {
        Value::Partial { text, known } if text.is_empty() => Value::Partial {
            text: quote(&Expression::FuncCall(Box::new(call.clone()))),
            known,
        },
        Value::List(list) => {
            let list = list.into_iter().map(|one| match one {
                Value::Partial { .. } => quoted(one, call),
                one => one,
            });
            Value::List(list.collect())
        }
        value => value,
    }
}
