//! What an expression comes to, as far as the file alone tells: literals, local values, and what `for_each` and
//! `count` make of them. Everything else is unknown, and says what it is instead.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use hcl::expr::{
    Expression, FuncCall, ObjectKey, Operation, Traversal, TraversalOperator, UnaryOperator,
};
use hcl::template::{Element, Template};

use super::terraform::{Body, Configuration, name_of};

/// How many values are worked out for one file: local values can multiply each other without end.
const BUDGET: usize = 500_000;
/// The longest text that an unknown value is quoted with, in characters.
const QUOTED: usize = 120;

/// What an expression comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing: as if it were left out.
    Null,
    /// True or false.
    Bool(bool),
    /// A number.
    Number(f64),
    /// Text.
    Text(String),
    /// A list, a set, or a repeated block.
    List(Vec<Value>),
    /// An object, a map, or the inside of a block.
    Map(BTreeMap<String, Value>),
    /// Known only to Terraform: the expression.
    Unknown(String),
}

/// What names stand for inside a block that is repeated.
#[derive(Clone, Debug, Default)]
pub struct Scope(BTreeMap<String, Value>);

impl Scope {
    /// The scope with one more name.
    pub fn with(&self, name: &str, value: Value) -> Self {
        let mut scope = self.clone();
        scope.0.insert(name.to_owned(), value);
        scope
    }

    /// The scope inside of a `for_each` or a dynamic block: `name.key` and `name.value`.
    pub fn each(&self, name: &str, (key, value): (Value, Value)) -> Self {
        let each = BTreeMap::from([("key".to_owned(), key), ("value".to_owned(), value)]);
        self.with(name, Value::Map(each))
    }
}

/// Works out the values of one file.
pub struct Evaluator<'c> {
    configuration: &'c Configuration,
    left: Cell<usize>,
    /// The local values that are being worked out: one that needs itself is unknown.
    under_way: RefCell<Vec<String>>,
    locals: RefCell<BTreeMap<String, Value>>,
}

impl<'c> Evaluator<'c> {
    /// For what a file declares.
    pub fn new(configuration: &'c Configuration) -> Self {
        Self {
            configuration,
            left: Cell::new(BUDGET),
            under_way: RefCell::default(),
            locals: RefCell::default(),
        }
    }

    /// The inside of a block: its arguments, and its blocks as lists.
    pub fn body(&self, body: &Body, scope: &Scope) -> BTreeMap<String, Value> {
        let mut values: BTreeMap<String, Value> = BTreeMap::new();
        for (name, expression) in &body.attributes {
            values.insert(name.clone(), self.value(expression, scope));
        }
        let mut push = |kind: &str, value: Value| {
            let list = values
                .entry(kind.to_owned())
                .or_insert_with(|| Value::List(Vec::new()));
            match list {
                Value::List(list) => list.push(value),
                other => *other = Value::List(vec![other.clone(), value]),
            }
        };
        for (kind, body) in &body.blocks {
            push(kind, Value::Map(self.body(body, scope)));
        }
        for dynamic in &body.dynamics {
            match elements(self.value(&dynamic.for_each, scope)) {
                Ok(elements) => {
                    for element in elements {
                        let scope = scope.each(&dynamic.iterator, element);
                        push(
                            &dynamic.kind,
                            Value::Map(self.body(&dynamic.content, &scope)),
                        );
                    }
                }
                Err(unknown) => push(&dynamic.kind, Value::Unknown(unknown)),
            }
        }
        values
    }

    /// What an expression comes to.
    pub fn value(&self, expression: &Expression, scope: &Scope) -> Value {
        let unknown = || Value::Unknown(quote(expression));
        match self.left.get().checked_sub(1) {
            Some(left) => self.left.set(left),
            None => return Value::Unknown("a value too large to work out".to_owned()),
        }
        match expression {
            Expression::Null => Value::Null,
            Expression::Bool(flag) => Value::Bool(*flag),
            Expression::Number(number) => number.as_f64().map_or_else(unknown, Value::Number),
            Expression::String(text) => Value::Text(text.clone()),
            Expression::Array(list) => {
                Value::List(list.iter().map(|item| self.value(item, scope)).collect())
            }
            Expression::Object(object) => self.object(object, scope).unwrap_or_else(unknown),
            Expression::Parenthesis(inner) => self.value(inner, scope),
            Expression::TemplateExpr(template) => match Template::from_expr(template) {
                Ok(template) => self.template(&template, scope).unwrap_or_else(unknown),
                Err(_) => unknown(),
            },
            Expression::Conditional(choice) => match self.value(&choice.cond_expr, scope) {
                Value::Bool(true) => self.value(&choice.true_expr, scope),
                Value::Bool(false) => self.value(&choice.false_expr, scope),
                _ => unknown(),
            },
            Expression::Operation(operation) => match operation.as_ref() {
                Operation::Unary(unary) => match (unary.operator, self.value(&unary.expr, scope)) {
                    (UnaryOperator::Not, Value::Bool(flag)) => Value::Bool(!flag),
                    (UnaryOperator::Neg, Value::Number(number)) => Value::Number(-number),
                    _ => unknown(),
                },
                Operation::Binary(_) => unknown(),
            },
            Expression::FuncCall(call) => self.call(call, scope).unwrap_or_else(unknown),
            Expression::Traversal(traversal) => {
                self.traversal(traversal, scope).unwrap_or_else(unknown)
            }
            _ => unknown(),
        }
    }

    fn object(
        &self,
        object: &hcl::expr::Object<ObjectKey, Expression>,
        scope: &Scope,
    ) -> Option<Value> {
        let mut values = BTreeMap::new();
        for (key, value) in object.iter() {
            let key = match key {
                ObjectKey::Identifier(name) => name_of(name).to_owned(),
                ObjectKey::Expression(key) => match self.value(key, scope) {
                    Value::Text(text) => text,
                    Value::Number(number) => number.to_string(),
                    _ => return None,
                },
                _ => return None,
            };
            values.insert(key, self.value(value, scope));
        }
        Some(Value::Map(values))
    }

    fn template(&self, template: &Template, scope: &Scope) -> Option<Value> {
        let mut whole = String::new();
        for element in template.elements() {
            match element {
                Element::Literal(text) => whole.push_str(text),
                Element::Interpolation(inner) => match self.value(&inner.expr, scope) {
                    Value::Text(text) => whole.push_str(&text),
                    Value::Number(number) => whole.push_str(&number.to_string()),
                    Value::Bool(flag) => whole.push_str(&flag.to_string()),
                    _ => return None,
                },
                Element::Directive(_) => return None,
            }
        }
        Some(Value::Text(whole))
    }

    /// The functions that only put lists and maps together; `None` for all others.
    fn call(&self, call: &FuncCall, scope: &Scope) -> Option<Value> {
        if call.expand_final {
            return None;
        }
        let mut arguments = call.args.iter().map(|argument| self.value(argument, scope));
        match call.name.name.as_str() {
            "toset" | "tolist" | "tomap" | "compact" | "distinct" => arguments.next(),
            "concat" => {
                let mut whole = Vec::new();
                for argument in arguments {
                    match argument {
                        Value::List(list) => whole.extend(list),
                        _ => return None,
                    }
                }
                Some(Value::List(whole))
            }
            "merge" => {
                let mut whole = BTreeMap::new();
                for argument in arguments {
                    match argument {
                        Value::Map(map) => whole.extend(map),
                        _ => return None,
                    }
                }
                Some(Value::Map(whole))
            }
            _ => None,
        }
    }

    fn traversal(&self, traversal: &Traversal, scope: &Scope) -> Option<Value> {
        let Expression::Variable(root) = &traversal.expr else {
            let root = self.value(&traversal.expr, scope);
            return self.walk(root, &traversal.operators, scope);
        };
        match (root.as_str(), traversal.operators.split_first()) {
            ("local", Some((TraversalOperator::GetAttr(name), rest))) => {
                let value = self.local(name_of(name))?;
                self.walk(value, rest, scope)
            }
            (name, _) => {
                let value = scope.0.get(name)?.clone();
                self.walk(value, &traversal.operators, scope)
            }
        }
    }

    fn local(&self, name: &str) -> Option<Value> {
        if let Some(known) = self.locals.borrow().get(name) {
            return Some(known.clone());
        }
        let expression = self.configuration.locals.get(name)?;
        if self.under_way.borrow().iter().any(|other| other == name) {
            return None;
        }
        self.under_way.borrow_mut().push(name.to_owned());
        let value = self.value(expression, &Scope::default());
        self.under_way.borrow_mut().pop();
        // A copy costs what working it out did: locals that repeat each other run out of budget, too.
        let size = size_of(&value);
        self.left.set(self.left.get().saturating_sub(size));
        self.locals
            .borrow_mut()
            .insert(name.to_owned(), value.clone());
        Some(value)
    }

    fn walk(&self, value: Value, rest: &[TraversalOperator], scope: &Scope) -> Option<Value> {
        let size = size_of(&value);
        self.left.set(self.left.get().checked_sub(size)?);
        let mut value = value;
        for operator in rest {
            let key = match operator {
                TraversalOperator::GetAttr(name) => Value::Text(name_of(name).to_owned()),
                TraversalOperator::Index(index) => self.value(index, scope),
                TraversalOperator::LegacyIndex(place) => Value::Number(*place as f64),
                TraversalOperator::AttrSplat | TraversalOperator::FullSplat => return None,
            };
            value = match (value, key) {
                (Value::Map(mut map), Value::Text(key)) => map.remove(&key)?,
                (Value::List(list), Value::Number(place)) if place >= 0.0 => {
                    list.into_iter().nth(place as usize)?
                }
                _ => return None,
            };
        }
        Some(value)
    }
}

fn size_of(value: &Value) -> usize {
    match value {
        Value::List(list) => 1 + list.iter().map(size_of).sum::<usize>(),
        Value::Map(map) => 1 + map.values().map(size_of).sum::<usize>(),
        _ => 1,
    }
}

/// The keys and values that a `for_each` goes over.
///
/// # Errors
/// The expression, where they are not known.
pub fn elements(value: Value) -> Result<Vec<(Value, Value)>, String> {
    match value {
        // A set's elements are their own keys; a list's, which only dynamic blocks take, are numbered.
        Value::List(list) => {
            let unknown = list.iter().find_map(|item| match item {
                Value::Unknown(unknown) => Some(unknown.clone()),
                _ => None,
            });
            match unknown {
                Some(unknown) => Err(unknown),
                None => Ok(list.into_iter().map(|item| (item.clone(), item)).collect()),
            }
        }
        Value::Map(map) => Ok(map
            .into_iter()
            .map(|(key, value)| (Value::Text(key), value))
            .collect()),
        Value::Null => Ok(Vec::new()),
        Value::Unknown(unknown) => Err(unknown),
        other => Err(format!("{other:?}")),
    }
}

fn quote(expression: &Expression) -> String {
    let whole = expression.to_string();
    let whole = whole.split_whitespace().collect::<Vec<_>>().join(" ");
    match whole.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", &whole[..end]),
        None => whole,
    }
}
