//! What names and paths stand for: `var.name`, `local.name`, `module.name.output`, and what is inside of their values.

use std::rc::Rc;

use hcl::expr::{Expression, Traversal, TraversalOperator};

use super::{Evaluator, Repeat, Scope};
use crate::address::split;
use crate::attributes::is_secret;
use crate::choices;
use crate::quote::quote;
use crate::terraform::{Block, Kind};
use crate::value::Value;

/// The most instances of a block that are one value.
const MAX_WHOLE: usize = 20_001;

/// Arguments that name their resource: what has them refers to it.
const NAMES: [&str; 14] = [
    "arn",
    "bucket",
    "cluster_identifier",
    "domain_name",
    "function_name",
    "id",
    "identifier",
    "invoke_arn",
    "key_id",
    "name",
    "queue_url",
    "role",
    "security_group_id",
    "url",
];

/// Why a path has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lack {
    /// Only Terraform knows it.
    Unknown,
    /// It names an element that is not there.
    Missing,
}

type Found = Result<Value, Lack>;
type Operators<'t> = &'t [TraversalOperator];

impl Evaluator<'_> {
    pub(super) fn traversal(&self, path: &Traversal, scope: &Scope) -> Option<Value> {
        self.resolve(path, scope).ok()
    }

    /// What a path stands for, or why it stands for nothing.
    pub(super) fn resolve(&self, path: &Traversal, scope: &Scope) -> Found {
        let mut operators = path.operators.as_slice();
        let Expression::Variable(root) = &path.expr else {
            let root = self.value(&path.expr, scope);
            return self.walk(&root, operators, scope);
        };
        let mut root = root.as_str().to_owned();
        // Names of the scope, such as those of a `for` expression, hide others.
        if let Some(value) = self.in_scope(&root, scope) {
            return self.walk(value, operators, scope);
        }
        // `resource.aws_instance.web` is the long form of `aws_instance.web`.
        if root == "resource" {
            root = next_name(&mut operators)?;
        }
        let name = next_name(&mut operators)?;
        match root.as_str() {
            "local" => {
                let value = self.local(&name).ok_or(Lack::Unknown)?;
                self.walk(&value, operators, scope)
            }
            "var" => {
                let value = self.variables.get(&name).ok_or(Lack::Unknown)?;
                self.walk(value, operators, scope)
            }
            "data" => {
                let address = format!("data.{name}.{}", next_name(&mut operators)?);
                self.block(&address, path, operators, scope)
            }
            "terraform" if name == "workspace" => {
                let workspace = self.reads.workspace.ok_or(Lack::Unknown)?;
                self.walk(&Value::Text(workspace.to_owned()), operators, scope)
            }
            "each" | "count" | "self" | "path" | "terraform" | "ephemeral" => Err(Lack::Unknown),
            root => self.block(&format!("{root}.{name}"), path, operators, scope),
        }
    }

    pub(super) fn in_scope<'s>(&self, name: &str, scope: &'s Scope) -> Option<&'s Value> {
        let value = scope.0.get(name)?;
        if matches!(name, "count" | "each") {
            self.has_used_instance.set(true);
        }
        Some(value)
    }

    /// What a path into a block of this module stands for: something of one of its instances, or of all of them.
    fn block(
        &self,
        address: &str,
        path: &Traversal,
        operators: Operators<'_>,
        scope: &Scope,
    ) -> Found {
        let node = format!("{}{address}", self.prefix);
        let Some(block) = self.configuration.block(address) else {
            return self.of_node(node, path, operators, scope);
        };
        let repeat = self.repeat(block);
        if matches!(*repeat, Repeat::Disabled) {
            return self.walk(&Value::Null, operators, scope);
        }
        let is_repeated = matches!(*repeat, Repeat::Count(_) | Repeat::Each(_));
        use TraversalOperator::{AttrSplat, FullSplat, Index, LegacyIndex};
        match operators.split_first() {
            Some((operator @ (Index(_) | LegacyIndex(_)), rest)) => {
                let key = self.key(operator, scope);
                if is_repeated && key.unknown().is_none() {
                    let end = repeat.end(&key).ok_or(Lack::Missing)?;
                    let inside = repeat.scope(Some(&key));
                    let instance = format!("{address}{end}");
                    let written = self.written(block, instance, inside, rest, scope);
                    match written {
                        Some(written) => Ok(written),
                        None => self.of_node(format!("{node}{end}"), path, rest, scope),
                    }
                } else {
                    self.of_node(node, path, rest, scope)
                }
            }
            Some((AttrSplat | FullSplat, rest)) => match &*repeat {
                Repeat::Once | Repeat::Count(_) => {
                    let whole = self.whole(address, &repeat).ok_or(Lack::Unknown)?;
                    self.walk(&whole, operators, scope)
                }
                Repeat::Disabled | Repeat::Each(_) | Repeat::Unknown { .. } => {
                    self.of_node(node, path, rest, scope)
                }
            },
            None if is_repeated => match self.whole(address, &repeat) {
                Some(whole) => self.walk(&whole, operators, scope),
                None => self.of_node(node, path, operators, scope),
            },
            _ => {
                let inside = repeat.scope(None);
                let instance = address.to_owned();
                let written = self.written(block, instance, inside, operators, scope);
                match written {
                    Some(written) => Ok(written),
                    None => self.of_node(node, path, operators, scope),
                }
            }
        }
    }

    /// The output that a path into a node leads to, or else the node.
    fn of_node(&self, node: String, path: &Traversal, rest: Operators<'_>, scope: &Scope) -> Found {
        if let Some(output) = self.output_at(&node, rest, scope) {
            return output;
        }
        let text = quote(&Expression::Traversal(Box::new(path.clone())));
        Ok(Value::Of { node, text })
    }

    /// The value of an argument of an instance, if it is written there, and not what names the resource.
    fn written(
        &self,
        block: &Block,
        address: String,
        inside: Option<Scope>,
        rest: Operators<'_>,
        scope: &Scope,
    ) -> Option<Value> {
        let (TraversalOperator::GetAttr(name), rest) = rest.split_first()? else {
            return None;
        };
        let name = name.as_str();
        // This data source has no other effect than its text.
        if (block.type_name.as_str(), name) == ("template_file", "rendered") {
            return self.rendered(block, &inside?);
        }
        if block.kind != Kind::Resource || NAMES.contains(&name) || is_secret(name) {
            return None;
        }
        let (expression, inside) = (block.body.attribute(name)?, inside?);
        let path = format!("{address}.{name}");
        let known = self.results.borrow().get(&path).cloned();
        let value = match known {
            Some(known) => known,
            // An argument that leads back to itself, which Terraform refuses.
            None if !self.under_way.borrow_mut().insert(path.clone()) => return None,
            None => {
                // What differs between instances there does not differ here.
                let had_used = self.has_used_instance.get();
                let value = Rc::new(self.value(expression, &inside));
                self.has_used_instance.set(had_used);
                self.under_way.borrow_mut().remove(&path);
                self.results.borrow_mut().insert(path, Rc::clone(&value));
                value
            }
        };
        let found = self.walk(&value, rest, scope).ok()?;
        found.is_known().then_some(found)
    }

    /// The value of a module's output, if the node is an instance of a module that is there.
    fn output_at(&self, node: &str, rest: Operators<'_>, scope: &Scope) -> Option<Found> {
        let address = node.strip_prefix(&self.prefix)?;
        let child = {
            let children = self.children.borrow();
            children
                .get(address)
                .or_else(|| children.get(split(address).0))
                .cloned()?
        };
        let (TraversalOperator::GetAttr(name), rest) = rest.split_first()? else {
            return None;
        };
        let output = child.output(name.as_str()).ok_or(Lack::Unknown);
        Some(output.and_then(|value| self.walk(&value, rest, scope)))
    }

    /// Something of a value that only Terraform knows.
    fn beyond(&self, node: &str, text: &str, rest: Operators<'_>, scope: &Scope) -> Found {
        if let Some(output) = self.output_at(node, rest, scope) {
            return output;
        }
        let mut text = text.to_owned();
        for operator in rest {
            let TraversalOperator::GetAttr(name) = operator else {
                break;
            };
            text.push('.');
            text.push_str(name.as_str());
        }
        let node = node.to_owned();
        Ok(Value::Of { node, text })
    }

    fn instance_of(&self, address: &str, end: &str) -> Value {
        Value::Of {
            node: format!("{}{address}{end}", self.prefix),
            text: format!("{address}{end}"),
        }
    }

    /// All instances of a block as one value: a list for `count`, a map for `for_each`.
    fn whole(&self, address: &str, repeat: &Repeat) -> Option<Rc<Value>> {
        // Many blocks may refer to all instances of one: the value is made once.
        if let Some(known) = self.wholes.borrow().get(address) {
            return Some(Rc::clone(known));
        }
        if repeat.count().is_none_or(|count| count > MAX_WHOLE) {
            return None;
        }
        let whole = match repeat {
            Repeat::Once => Value::List(vec![self.instance_of(address, "")]),
            Repeat::Count(_) => Value::List(
                repeat
                    .scopes()
                    .map(|(end, _)| self.instance_of(address, &end))
                    .collect(),
            ),
            Repeat::Each(values) => {
                let named = values.keys().zip(repeat.scopes());
                Value::Map(
                    named
                        .map(|(key, (end, _))| (key.clone(), self.instance_of(address, &end)))
                        .collect(),
                )
            }
            Repeat::Disabled | Repeat::Unknown { .. } => return None,
        };
        let whole = Rc::new(whole);
        self.budget.take(whole.size())?;
        let mut wholes = self.wholes.borrow_mut();
        wholes.insert(address.to_owned(), Rc::clone(&whole));
        Some(whole)
    }

    fn output(&self, name: &str) -> Option<Rc<Value>> {
        if let Some(known) = self.results.borrow().get(name) {
            return Some(Rc::clone(known));
        }
        let expression = self.configuration.outputs.get(name)?;
        let value = Rc::new(self.value(expression, &Scope::default()));
        self.budget.take(value.size())?;
        let mut results = self.results.borrow_mut();
        results.insert(name.to_owned(), Rc::clone(&value));
        Some(value)
    }

    fn local(&self, name: &str) -> Option<Rc<Value>> {
        if is_secret(name) {
            return None;
        }
        if let Some(known) = self.locals.borrow().get(name) {
            return Some(Rc::clone(known));
        }
        let expression = self.configuration.locals.get(name)?;
        // It refers to itself, which Terraform refuses.
        if !self.under_way.borrow_mut().insert(name.to_owned()) {
            return None;
        }
        let value = Rc::new(self.value(expression, &Scope::default()));
        self.under_way.borrow_mut().remove(name);
        self.budget.take(value.size())?;
        self.locals
            .borrow_mut()
            .insert(name.to_owned(), Rc::clone(&value));
        Some(value)
    }

    fn key(&self, operator: &TraversalOperator, scope: &Scope) -> Value {
        match operator {
            TraversalOperator::GetAttr(name) => Value::Text(name.as_str().to_owned()),
            TraversalOperator::Index(index) => self.value(index, scope),
            TraversalOperator::LegacyIndex(place) => Value::Number(*place as f64),
            TraversalOperator::AttrSplat | TraversalOperator::FullSplat => Value::Null,
        }
    }

    /// What is at the end of a path: only that is copied, not what it is a part of.
    fn walk(&self, value: &Value, rest: Operators<'_>, scope: &Scope) -> Found {
        let (mut value, mut rest) = (value, rest);
        while let Some((operator, after)) = rest.split_first() {
            match (value, operator) {
                (Value::Of { node, text }, _) => return self.beyond(node, text, rest, scope),
                (Value::Choice { text, of }, _) => return self.chosen(text, of, rest, scope),
                // What is inside of a value that is not known is not known either.
                (value, _) if value.unknown().is_some() => break,
                (value, TraversalOperator::AttrSplat | TraversalOperator::FullSplat) => {
                    return self.splat(value, operator, after, scope);
                }
                _ => {}
            }
            value = match (value, self.key(operator, scope)) {
                (Value::Map(map), Value::Text(key)) => map.get(&key).ok_or(Lack::Missing)?,
                (Value::Map(map), key @ (Value::Number(_) | Value::Bool(_))) => map
                    .get(&key.as_text().unwrap_or_default())
                    .ok_or(Lack::Missing)?,
                (Value::List(list), key @ (Value::Number(_) | Value::Text(_))) => {
                    let at = key.as_text().and_then(|text| text.parse::<usize>().ok());
                    let at = at.ok_or(Lack::Unknown)?;
                    // An element that is not known may stand for several.
                    if list.iter().take(at + 1).any(Value::is_several) {
                        return Err(Lack::Unknown);
                    }
                    let is_whole = list.iter().all(|one| one.unknown().is_none());
                    let lack = if is_whole {
                        Lack::Missing
                    } else {
                        Lack::Unknown
                    };
                    list.get(at).ok_or(lack)?
                }
                (Value::Null, _) => return Err(Lack::Missing),
                _ => return Err(Lack::Unknown),
            };
            rest = after;
        }
        self.budget.take(value.size()).ok_or(Lack::Unknown)?;
        Ok(value.clone())
    }

    /// What is at the end of a path in one of several values.
    fn chosen(&self, text: &str, of: &[Value], rest: Operators<'_>, scope: &Scope) -> Found {
        let values = of.iter().map(|value| self.walk(value, rest, scope).ok());
        choices::choice(text, values).ok_or(Lack::Unknown)
    }

    /// The rest of a path for each element: `[*]`. After `.*`, an index is of the result.
    fn splat(
        &self,
        value: &Value,
        operator: &TraversalOperator,
        rest: Operators<'_>,
        scope: &Scope,
    ) -> Found {
        let inner = match operator {
            TraversalOperator::AttrSplat => {
                let attributes = rest
                    .iter()
                    .take_while(|operator| matches!(operator, TraversalOperator::GetAttr(_)));
                attributes.count()
            }
            _ => rest.len(),
        };
        let (inner, outer) = rest.split_at(inner);
        let each = match value {
            Value::List(list) => list.as_slice(),
            Value::Null => &[],
            one => std::slice::from_ref(one),
        };
        let each = each.iter().map(|one| match self.walk(one, inner, scope) {
            _ if one.is_several() => Ok(one.clone()),
            Err(Lack::Unknown) => Ok(Value::Unknown("an element".to_owned())),
            found => found,
        });
        let list = Value::List(each.collect::<Result<_, _>>()?);
        self.walk(&list, outer, scope)
    }
}

/// Takes the next name of a path.
fn next_name(operators: &mut Operators<'_>) -> Result<String, Lack> {
    match operators.split_first() {
        Some((TraversalOperator::GetAttr(name), rest)) => {
            *operators = rest;
            Ok(name.as_str().to_owned())
        }
        _ => Err(Lack::Unknown),
    }
}
