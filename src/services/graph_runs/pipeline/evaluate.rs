//! The values of expressions, as far as the files tell them: literals, variables, local values, and what `for_each` and
//! `count` make of them. Everything else is unknown, with its expression.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use hcl::expr::{
    BinaryOperator, Expression, FuncCall, ObjectKey, Operation, Traversal, TraversalOperator,
    UnaryOperator,
};
use hcl::template::{Element, Template};

use super::attributes::is_secret;
use super::elements::elements;
use super::functions;
use super::quote::quote;
use super::terraform::{Body, Configuration};
use super::value::{Budget, Value};

/// The names inside a block that is repeated, with their values.
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

/// Evaluates the expressions of one call of a module.
pub struct Evaluator<'c> {
    configuration: &'c Configuration,
    /// What the ids of its nodes begin with: `module.network.`.
    pub prefix: String,
    budget: &'c Budget,
    variables: BTreeMap<String, Value>,
    /// The modules that it calls, by name.
    pub children: RefCell<BTreeMap<String, Rc<Evaluator<'c>>>>,
    /// The local values that are being evaluated: one that needs itself is unknown.
    under_way: RefCell<BTreeSet<String>>,
    locals: RefCell<BTreeMap<String, Value>>,
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
            has_used_instance: Cell::new(false),
        };
        let mut given = given;
        let mut values = BTreeMap::new();
        for (name, variable) in &configuration.variables {
            let value = match (given.remove(name), &variable.default) {
                _ if variable.is_sensitive || is_secret(name) => None,
                (Some(value), _) => Some(value),
                (None, Some(default)) => Some(evaluator.value(default, &Scope::default())),
                (None, None) => None,
            };
            values.extend(value.map(|value| (name.clone(), value)));
        }
        evaluator.variables = values;
        evaluator
    }

    /// The arguments and blocks of a block; blocks as lists.
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
            match elements(self.value(&dynamic.for_each, scope), false) {
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

    /// The value of an expression.
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
                self.template(&Template::from_expr(template).ok()?, scope)
            }
            Expression::Conditional(choice) => match self.value(&choice.cond_expr, scope) {
                Value::Bool(true) => Some(self.value(&choice.true_expr, scope)),
                Value::Bool(false) => Some(self.value(&choice.false_expr, scope)),
                _ => None,
            },
            Expression::Operation(operation) => self.operation(operation, scope),
            Expression::FuncCall(call) => self.call(call, scope),
            Expression::ForExpr(each) => self.each(each, scope),
            Expression::Traversal(traversal) => self.traversal(traversal, scope),
            Expression::Variable(name) => self.in_scope(name.as_str(), scope).cloned(),
            _ => None,
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
                ObjectKey::Identifier(name) => name.as_str().to_owned(),
                ObjectKey::Expression(key) => self.value(key, scope).as_text()?,
                _ => return None,
            };
            // Of equal keys the last one counts.
            values.insert(key, self.value(value, scope));
        }
        Some(Value::Map(values))
    }

    fn operation(&self, operation: &Operation, scope: &Scope) -> Option<Value> {
        let binary = match operation {
            Operation::Unary(unary) => {
                return match (unary.operator, self.value(&unary.expr, scope)) {
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
        if let (Op::And, Value::Bool(false), _) | (Op::And, _, Value::Bool(false)) =
            (binary.operator, &left, &right)
        {
            return Some(Value::Bool(false));
        }
        if left.unknown().is_some() || right.unknown().is_some() {
            return None;
        }
        Some(match (binary.operator, left, right) {
            (Op::Eq, left, right) => Value::Bool(left == right),
            (Op::NotEq, left, right) => Value::Bool(left != right),
            (Op::And, Value::Bool(left), Value::Bool(right)) => Value::Bool(left && right),
            (Op::Or, Value::Bool(left), Value::Bool(right)) => Value::Bool(left || right),
            (operator, Value::Number(left), Value::Number(right)) => match operator {
                Op::Plus => Value::Number(left + right),
                Op::Minus => Value::Number(left - right),
                Op::Mul => Value::Number(left * right),
                Op::Less => Value::Bool(left < right),
                Op::LessEq => Value::Bool(left <= right),
                Op::Greater => Value::Bool(left > right),
                Op::GreaterEq => Value::Bool(left >= right),
                _ => return None,
            },
            _ => return None,
        })
    }

    /// A template; one that is nothing but an interpolation has the value in it.
    fn template(&self, template: &Template, scope: &Scope) -> Option<Value> {
        let elements = template.elements();
        if let (Some(Element::Interpolation(only)), 1) = (elements.first(), elements.len()) {
            return Some(self.value(&only.expr, scope));
        }
        let mut whole = String::new();
        for element in elements {
            let text = match element {
                Element::Literal(text) => text.clone(),
                Element::Interpolation(inner) => self.value(&inner.expr, scope).as_text()?,
                Element::Directive(_) => return None,
            };
            self.budget.take(text.len())?;
            whole.push_str(&text);
        }
        Some(Value::Text(whole))
    }

    fn call(&self, call: &FuncCall, scope: &Scope) -> Option<Value> {
        if call.expand_final || !call.name.namespace.is_empty() {
            return None;
        }
        let arguments = call.args.iter().map(|argument| self.value(argument, scope));
        let value = functions::call(call.name.name.as_str(), arguments.collect())?;
        self.budget.take(value.size())?;
        Some(value)
    }

    fn each(&self, each: &hcl::expr::ForExpr, scope: &Scope) -> Option<Value> {
        let elements = elements(self.value(&each.collection_expr, scope), true).ok()?;
        let (mut list, mut map) = (Vec::new(), BTreeMap::new());
        for (key, value) in elements {
            self.budget.take(256)?;
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
                Some(_) if each.grouping => return None,
                Some(key) => drop(map.insert(self.value(key, &scope).as_text()?, value)),
            }
        }
        Some(match each.key_expr {
            Some(_) => Value::Map(map),
            None => Value::List(list),
        })
    }

    fn traversal(&self, traversal: &Traversal, scope: &Scope) -> Option<Value> {
        let mut operators = traversal.operators.as_slice();
        let Expression::Variable(root) = &traversal.expr else {
            let root = self.value(&traversal.expr, scope);
            return self.walk(root, operators, scope);
        };
        let mut root = root.as_str().to_owned();
        if let Some(value) = self.in_scope(&root, scope) {
            return self.walk(value.clone(), operators, scope);
        }
        let mut next = || match operators.split_first() {
            Some((TraversalOperator::GetAttr(name), rest)) => {
                operators = rest;
                Some(name.as_str().to_owned())
            }
            _ => None,
        };
        if root == "resource" {
            root = next()?;
        }
        let name = next()?;
        let of = |node: String| Value::Of {
            node: format!("{}{node}", self.prefix),
            text: quote(&Expression::Traversal(Box::new(traversal.clone()))),
        };
        match root.as_str() {
            "local" => {
                let value = self.local(&name)?;
                self.walk(value, operators, scope)
            }
            "var" => {
                let value = self.variables.get(&name)?;
                self.walk(value.clone(), operators, scope)
            }
            "module" => {
                let child = self.children.borrow().get(&name).cloned();
                let output = next();
                match (child, output) {
                    (Some(child), Some(output)) => {
                        let value = child.output(&output)?;
                        self.walk(value, operators, scope)
                    }
                    _ => Some(of(format!("module.{name}"))),
                }
            }
            "data" => Some(of(format!("data.{name}.{}", next()?))),
            "each" | "count" | "self" | "path" | "terraform" | "ephemeral" => None,
            type_name => Some(of(format!("{type_name}.{name}"))),
        }
    }

    fn in_scope<'s>(&self, name: &str, scope: &'s Scope) -> Option<&'s Value> {
        let value = scope.0.get(name)?;
        if matches!(name, "count" | "each") {
            self.has_used_instance.set(true);
        }
        Some(value)
    }

    /// The value of an output.
    fn output(&self, name: &str) -> Option<Value> {
        let expression = self.configuration.outputs.get(name)?;
        Some(self.value(expression, &Scope::default()))
    }

    fn local(&self, name: &str) -> Option<Value> {
        if is_secret(name) {
            return None;
        }
        if let Some(known) = self.locals.borrow().get(name) {
            // A copy costs what evaluating it did: locals that repeat each other use up the budget, too.
            self.budget.take(known.size())?;
            return Some(known.clone());
        }
        let expression = self.configuration.locals.get(name)?;
        if !self.under_way.borrow_mut().insert(name.to_owned()) {
            return None;
        }
        let value = self.value(expression, &Scope::default());
        self.under_way.borrow_mut().remove(name);
        self.budget.take(value.size())?;
        self.locals
            .borrow_mut()
            .insert(name.to_owned(), value.clone());
        Some(value)
    }

    fn walk(&self, value: Value, rest: &[TraversalOperator], scope: &Scope) -> Option<Value> {
        self.budget.take(value.size())?;
        let mut value = value;
        for operator in rest {
            if value.unknown().is_some() {
                return Some(value);
            }
            let key = match operator {
                TraversalOperator::GetAttr(name) => Value::Text(name.as_str().to_owned()),
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
