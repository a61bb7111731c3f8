//! The values of expressions, as far as the files tell them: literals, variables, local values, and what `for_each` and
//! `count` make of them. Everything else is unknown, with its expression.

mod calls;
mod collections;
mod equal;
mod reads;
mod repeat;
mod templates;
mod traversal;
mod types;

pub use reads::Reads;
pub use repeat::Repeat;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use hcl::expr::{BinaryOperator, Expression, Operation, UnaryOperator};
use hcl::template::Template;

use super::attributes::is_secret;
use super::choices;
use super::elements::elements;
use super::quote::quote;
use super::terraform::{Body, Configuration, Dynamic};
use super::value::{Budget, Value};

/// Arguments of every block that say how Terraform treats it, and nothing of the resource.
const META: [&str; 4] = ["count", "depends_on", "for_each", "providers"];

/// The names inside a block that is repeated, with their values.
#[derive(Clone, Debug, Default)]
pub struct Scope(BTreeMap<String, Rc<Value>>);

impl Scope {
    /// The scope with one more name.
    pub fn with(&self, name: &str, value: Value) -> Self {
        let mut scope = self.clone();
        scope.0.insert(name.to_owned(), Rc::new(value));
        scope
    }

    /// The scope inside of a `for_each` or a dynamic block: `name.key` and `name.value`.
    pub fn each(&self, name: &str, key: Value, value: Value) -> Self {
        let each = BTreeMap::from([("key".to_owned(), key), ("value".to_owned(), value)]);
        self.with(name, Value::Map(each))
    }
}

/// Evaluates the expressions of one call of a module.
pub struct Evaluator<'c> {
    configuration: &'c Configuration,
    /// What the ids of its nodes begin with: `module.network.`.
    pub prefix: String,
    budget: &'c Budget,
    variables: BTreeMap<String, Value>,
    /// The instances of modules that it calls, by their addresses in it.
    pub children: RefCell<BTreeMap<String, Rc<Evaluator<'c>>>>,
    /// The local values and the blocks that are being evaluated: one that needs itself is unknown.
    under_way: RefCell<BTreeSet<String>>,
    locals: RefCell<BTreeMap<String, Rc<Value>>>,
    /// How often blocks are repeated, by address.
    repeats: RefCell<BTreeMap<String, Rc<Repeat>>>,
    /// Whole resources with their instances, by address.
    wholes: RefCell<BTreeMap<String, Rc<Value>>>,
    /// The outputs that were asked for.
    results: RefCell<BTreeMap<String, Rc<Value>>>,
    /// The files that `file` and `templatefile` may read.
    reads: Reads<'c>,
    /// Whether a value was of one instance: `count.index`, `each.key`.
    pub has_used_instance: Cell<bool>,
}

impl<'c> Evaluator<'c> {
    /// For a module that is called with these values.
    pub fn new(
        configuration: &'c Configuration,
        prefix: String,
        given: BTreeMap<String, Value>,
        budget: &'c Budget,
    ) -> Self {
        let mut evaluator = Self {
            configuration,
            prefix,
            budget,
            variables: BTreeMap::new(),
            children: RefCell::default(),
            under_way: RefCell::default(),
            locals: RefCell::default(),
            repeats: RefCell::default(),
            wholes: RefCell::default(),
            results: RefCell::default(),
            reads: Reads::default(),
            has_used_instance: Cell::new(false),
        };
        let mut given = given;
        let mut values = BTreeMap::new();
        for (name, variable) in &configuration.variables {
            let given = given.remove(name);
            let is_left_out = variable.is_never_null
                && variable.default.is_some()
                && given.as_ref() == Some(&Value::Null);
            let value = match (given.filter(|_| !is_left_out), &variable.default) {
                _ if variable.is_sensitive || is_secret(name) => None,
                (Some(value), _) => Some(value),
                (None, Some(default)) => Some(evaluator.value(default, &Scope::default())),
                (None, None) => None,
            };
            let value = value.map(|value| match &variable.kind {
                Some(kind) => evaluator.converted(value, kind),
                None => value,
            });
            values.extend(value.map(|value| (name.clone(), value)));
        }
        evaluator.variables = values;
        evaluator
    }

    /// The same evaluator with the files that `file` and `templatefile` may read.
    pub fn reading(self, reads: Reads<'c>) -> Self {
        Self { reads, ..self }
    }

    /// What one instance of a block has: its arguments without those of Terraform itself, and its blocks.
    pub fn instance(&self, body: &Body, scope: &Scope) -> BTreeMap<String, Value> {
        self.members(body, scope, &META)
    }

    /// The arguments and blocks of a block; blocks as lists.
    fn body(&self, body: &Body, scope: &Scope) -> BTreeMap<String, Value> {
        self.members(body, scope, &[])
    }

    fn members(&self, body: &Body, scope: &Scope, without: &[&str]) -> BTreeMap<String, Value> {
        let mut values: BTreeMap<String, Value> = BTreeMap::new();
        for (name, expression) in &body.attributes {
            if without.contains(&name.as_str()) {
                continue;
            }
            values.insert(name.clone(), self.value(expression, scope));
        }
        for (kind, body) in &body.blocks {
            push(&mut values, kind, Value::Map(self.body(body, scope)));
        }
        for dynamic in &body.dynamics {
            for block in self.dynamic(dynamic, self.value(&dynamic.for_each, scope), scope) {
                push(&mut values, &dynamic.kind, block);
            }
        }
        values
    }

    /// The block that a dynamic block makes of one element.
    fn content(&self, dynamic: &Dynamic, key: Value, value: Value, scope: &Scope) -> Value {
        let scope = scope.each(&dynamic.iterator, key, value);
        Value::Map(self.body(&dynamic.content, &scope))
    }

    /// The blocks that a dynamic block makes of its elements.
    fn dynamic(&self, dynamic: &Dynamic, of: Value, scope: &Scope) -> Vec<Value> {
        match of {
            Value::List(list) => {
                let blocks = list.into_iter().map(|item| match item {
                    Value::Several(text) => Value::Unknown(text),
                    item => self.content(dynamic, item.clone(), item, scope),
                });
                blocks.collect()
            }
            Value::Choice { text, of } => {
                let blocks = of.into_iter().map(|of| self.dynamic(dynamic, of, scope));
                let of = blocks.map(Value::List).collect();
                vec![Value::Choice { text, of }]
            }
            of => match elements(of, false) {
                Ok(elements) => {
                    let elements = elements.into_iter();
                    let blocks = elements.map(|(key, of)| self.content(dynamic, key, of, scope));
                    blocks.collect()
                }
                Err(unknown) => vec![Value::Unknown(unknown)],
            },
        }
    }

    pub fn value(&self, expression: &Expression, scope: &Scope) -> Value {
        let known = self
            .budget
            .nested(|| self.known(expression, scope))
            .flatten();
        match known {
            Some(value) => value,
            None => Value::Unknown(quote(expression)),
        }
    }

    /// The value; `None` if only Terraform knows it.
    fn known(&self, expression: &Expression, scope: &Scope) -> Option<Value> {
        self.budget.take(64)?;
        match expression {
            Expression::Null => Some(Value::Null),
            Expression::Bool(flag) => Some(Value::Bool(*flag)),
            Expression::Number(number) => number.as_f64().map(Value::Number),
            Expression::String(text) => {
                self.budget.take(text.len())?;
                Some(Value::Text(text.clone()))
            }
            Expression::Array(list) => {
                let list = list.iter().map(|item| self.value(item, scope));
                Some(Value::List(list.collect()))
            }
            Expression::Object(object) => self.object(object, scope),
            Expression::Parenthesis(inner) => Some(self.value(inner, scope)),
            Expression::TemplateExpr(template) => {
                let parsed = Template::from_expr(template).ok()?;
                self.template(&parsed, expression, scope)
            }
            Expression::Conditional(choice) => match flag(self.value(&choice.cond_expr, scope)) {
                Value::Bool(true) => Some(self.value(&choice.true_expr, scope)),
                Value::Bool(false) => Some(self.value(&choice.false_expr, scope)),
                _ => {
                    let branches = [&choice.true_expr, &choice.false_expr];
                    let chosen = choices::choice(
                        &quote(expression),
                        branches.map(|branch| Some(self.value(branch, scope))),
                    )?;
                    self.budget.take(chosen.size())?;
                    Some(chosen)
                }
            },
            Expression::Operation(operation) => self.operation(operation, scope),
            Expression::FuncCall(call) => self.call(call, scope),
            Expression::ForExpr(each) => self.each_of(each, scope),
            Expression::Traversal(traversal) => self.traversal(traversal, scope),
            Expression::Variable(name) => self.in_scope(name.as_str(), scope).cloned(),
            _ => None,
        }
    }

    fn operation(&self, operation: &Operation, scope: &Scope) -> Option<Value> {
        let binary = match operation {
            Operation::Unary(unary) => {
                return match (unary.operator, flag(self.value(&unary.expr, scope))) {
                    (UnaryOperator::Not, Value::Bool(flag)) => Some(Value::Bool(!flag)),
                    (UnaryOperator::Neg, Value::Number(number)) => Some(Value::Number(-number)),
                    _ => None,
                };
            }
            Operation::Binary(binary) => binary,
        };
        let (left, right) = (
            self.value(&binary.lhs_expr, scope),
            self.value(&binary.rhs_expr, scope),
        );
        use BinaryOperator as Op;
        let (left, right) = match binary.operator {
            Op::And | Op::Or => (flag(left), flag(right)),
            _ => (left, right),
        };
        if let (Op::And, Value::Bool(false), _) | (Op::And, _, Value::Bool(false)) =
            (binary.operator, &left, &right)
        {
            return Some(Value::Bool(false));
        }
        if let (Op::Or, Value::Bool(true), _) | (Op::Or, _, Value::Bool(true)) =
            (binary.operator, &left, &right)
        {
            return Some(Value::Bool(true));
        }
        if left.unknown().is_some() || right.unknown().is_some() {
            return None;
        }
        Some(match (binary.operator, left, right) {
            (Op::Eq, left, right) => Value::Bool(equal::are_equal(&left, &right)?),
            (Op::NotEq, left, right) => Value::Bool(!equal::are_equal(&left, &right)?),
            (Op::And, Value::Bool(left), Value::Bool(right)) => Value::Bool(left && right),
            (Op::Or, Value::Bool(left), Value::Bool(right)) => Value::Bool(left || right),
            (operator, Value::Number(left), Value::Number(right)) => match operator {
                Op::Plus => Value::Number(left + right),
                Op::Minus => Value::Number(left - right),
                Op::Mul => Value::Number(left * right),
                Op::Div if right != 0.0 => Value::Number(left / right),
                Op::Mod if right != 0.0 => Value::Number(left % right),
                Op::Less => Value::Bool(left < right),
                Op::LessEq => Value::Bool(left <= right),
                Op::Greater => Value::Bool(left > right),
                Op::GreaterEq => Value::Bool(left >= right),
                _ => return None,
            },
            _ => return None,
        })
    }
}

/// A flag, which may be written as a text.
fn flag(value: Value) -> Value {
    match value {
        Value::Text(text) if text == "true" => Value::Bool(true),
        Value::Text(text) if text == "false" => Value::Bool(false),
        value => value,
    }
}

/// Adds a block to those of its kind.
fn push(values: &mut BTreeMap<String, Value>, kind: &str, block: Value) {
    let list = values
        .entry(kind.to_owned())
        .or_insert_with(|| Value::List(Vec::new()));
    match list {
        Value::List(list) => list.push(block),
        other => *other = Value::List(vec![other.clone(), block]),
    }
}
