//! What an expression refers to.

use std::sync::Arc;

use hcl::expr::{Expression, ObjectKey, Operation, Traversal, TraversalOperator};
use hcl::template::{Directive, Element, Template};

use super::terraform::Body;

/// Something with an address, or a local value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// `aws_instance.web`.
    Resource(String, String),
    /// `data.aws_ami.ubuntu`.
    Data(String, String),
    /// `module.vpc`.
    Module(String),
    /// `local.name`.
    Local(String),
    /// `var.name`.
    Variable(String),
}

/// Arguments whose names are no references: they name providers, or attributes of the resource itself.
const NOT_REFERENCES: [&str; 3] = ["provider", "providers", "iterator"];
/// What is known to Terraform and declared nowhere.
const BUILT_IN: [&str; 6] = ["each", "count", "self", "path", "terraform", "ephemeral"];

/// What an argument refers to.
#[derive(Clone, Debug)]
pub struct Reference {
    pub target: Target,
    /// The key of the instance, if one is named: `aws_instance.web[count.index]`.
    pub index: Option<Expression>,
    /// The argument that refers to it, after the blocks around it: `origin.domain_name`. Empty outside of a block.
    pub argument: Arc<str>,
}

/// Collects the references of a block's inside: those of `depends_on`, `count` and `for_each` apart.
#[derive(Debug, Default)]
pub struct References {
    /// In arguments and blocks.
    pub used: Vec<Reference>,
    /// In `depends_on`.
    pub depends_on: Vec<Reference>,
    /// In `count`, `for_each` and `enabled`.
    pub repeated: Vec<Reference>,
    bound: Vec<String>,
    argument: Arc<str>,
}

impl References {
    /// What the inside of a block refers to.
    pub fn of(body: &Body) -> Self {
        let mut found = Self::default();
        for argument in ["count", "for_each"] {
            body.attribute(argument)
                .into_iter()
                .for_each(|expression| found.expression(expression));
        }
        if let Some(enabled) = body.enabled() {
            found.expression(enabled);
        }
        found.repeated = std::mem::take(&mut found.used);
        found.body("", body, &["count", "for_each"]);
        found
    }

    /// What an expression refers to.
    pub fn of_expression(expression: &Expression) -> Self {
        let mut found = Self::default();
        found.expression(expression);
        found
    }

    fn body(&mut self, around: &str, body: &Body, without: &[&str]) {
        for (name, expression) in &body.attributes {
            self.argument = format!("{around}{name}").into();
            match name.as_str() {
                name if without.contains(&name) => {}
                "depends_on" => {
                    let before = std::mem::take(&mut self.used);
                    self.expression(&unquoted(expression));
                    let found = std::mem::replace(&mut self.used, before);
                    self.depends_on.extend(found);
                }
                "lifecycle" => {}
                name if NOT_REFERENCES.contains(&name) => {}
                _ => self.expression(expression),
            }
        }
        for (kind, body) in &body.blocks {
            if kind != "lifecycle" {
                self.body(&format!("{around}{kind}."), body, &[]);
            }
        }
        for dynamic in &body.dynamics {
            self.argument = format!("{around}{}", dynamic.kind).into();
            self.expression(&dynamic.for_each);
            // Inside, the name of the iterator is not a reference.
            self.bound.push(dynamic.iterator.clone());
            self.body(&format!("{around}{}.", dynamic.kind), &dynamic.content, &[]);
            self.bound.pop();
        }
    }

    fn expression(&mut self, expression: &Expression) {
        match expression {
            Expression::Array(list) => list.iter().for_each(|item| self.expression(item)),
            Expression::Object(object) => {
                for (key, value) in object.iter() {
                    if let ObjectKey::Expression(key) = key {
                        self.expression(key);
                    }
                    self.expression(value);
                }
            }
            Expression::TemplateExpr(template) => {
                if let Ok(template) = Template::from_expr(template) {
                    self.template(&template);
                }
            }
            Expression::Traversal(traversal) => self.traversal(traversal),
            Expression::FuncCall(call) => call.args.iter().for_each(|arg| self.expression(arg)),
            Expression::Parenthesis(inner) => self.expression(inner),
            Expression::Conditional(choice) => {
                self.expression(&choice.cond_expr);
                self.expression(&choice.true_expr);
                self.expression(&choice.false_expr);
            }
            Expression::Operation(operation) => match operation.as_ref() {
                Operation::Unary(unary) => self.expression(&unary.expr),
                Operation::Binary(binary) => {
                    self.expression(&binary.lhs_expr);
                    self.expression(&binary.rhs_expr);
                }
            },
            Expression::ForExpr(each) => {
                self.expression(&each.collection_expr);
                let before = self.bound.len();
                self.bound
                    .extend(each.key_var.iter().map(|name| name.as_str().to_owned()));
                self.bound.push(each.value_var.as_str().to_owned());
                let inside = [&each.key_expr, &each.cond_expr];
                inside
                    .into_iter()
                    .flatten()
                    .for_each(|inside| self.expression(inside));
                self.expression(&each.value_expr);
                self.bound.truncate(before);
            }
            _ => {}
        }
    }

    fn template(&mut self, template: &Template) {
        for element in template.elements() {
            match element {
                Element::Literal(_) => {}
                Element::Interpolation(inner) => self.expression(&inner.expr),
                Element::Directive(directive) => self.directive(directive),
            }
        }
    }

    fn directive(&mut self, directive: &Directive) {
        match directive {
            Directive::If(choice) => {
                self.expression(&choice.cond_expr);
                self.template(&choice.true_template);
                choice
                    .false_template
                    .iter()
                    .for_each(|template| self.template(template));
            }
            Directive::For(each) => {
                self.expression(&each.collection_expr);
                let before = self.bound.len();
                self.bound
                    .extend(each.key_var.iter().map(|name| name.as_str().to_owned()));
                self.bound.push(each.value_var.as_str().to_owned());
                self.template(&each.template);
                self.bound.truncate(before);
            }
        }
    }

    fn traversal(&mut self, traversal: &Traversal) {
        for operator in &traversal.operators {
            // A key may refer to something, too: `local.ids[var.name]`.
            if let TraversalOperator::Index(index) = operator {
                self.expression(index);
            }
        }
        let Expression::Variable(root) = &traversal.expr else {
            return self.expression(&traversal.expr);
        };
        let root = root.as_str();
        if BUILT_IN.contains(&root) || self.bound.iter().any(|bound| bound == root) {
            return;
        }
        // `resource.aws_instance.web` is the long form of `aws_instance.web`.
        let (root, first) = match (root, attribute(traversal, 0)) {
            ("resource", Some(type_name)) => (type_name, 1),
            (root, _) => (root.to_owned(), 0),
        };
        let (target, next) = match (
            root.as_str(),
            attribute(traversal, first),
            attribute(traversal, first + 1),
        ) {
            ("var", Some(name), _) => (Target::Variable(name), None),
            ("local", Some(name), _) => (Target::Local(name), None),
            ("module", Some(name), _) => (Target::Module(name), Some(first + 1)),
            ("data", Some(type_name), Some(name)) => {
                (Target::Data(type_name, name), Some(first + 2))
            }
            (type_name, Some(name), _) => {
                let target = Target::Resource(type_name.to_owned(), name);
                (target, Some(first + 1))
            }
            _ => return,
        };
        let index = match next.and_then(|next| traversal.operators.get(next)) {
            Some(TraversalOperator::Index(index)) => Some(index.clone()),
            Some(TraversalOperator::LegacyIndex(at)) => Some(Expression::from(*at)),
            _ => None,
        };
        self.used.push(Reference {
            target,
            index,
            argument: Arc::clone(&self.argument),
        });
    }
}

/// `depends_on` as older configurations write it: `["aws_instance.web"]`.
fn unquoted(expression: &Expression) -> Expression {
    match expression {
        Expression::Array(list) => Expression::Array(list.iter().map(unquoted).collect()),
        Expression::String(text) => text.parse().unwrap_or(Expression::Null),
        other => other.clone(),
    }
}

/// The name at a place of a path; `None` for an index.
fn attribute(traversal: &Traversal, place: usize) -> Option<String> {
    match traversal.operators.get(place) {
        Some(TraversalOperator::GetAttr(name)) => Some(name.as_str().to_owned()),
        _ => None,
    }
}
