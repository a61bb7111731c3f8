//! The configuration in a plan: modules, and what arguments refer to whose values are known after the apply.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value as Json;

use super::node::{MAX_MODULES, node, plain};
use super::unknown::{self, Unknowns};
use crate::services::graph_runs::pipeline::graph::Built;
use crate::services::graph_runs::pipeline::terraform::Kind;
use crate::services::graph_runs::pipeline::value::Value;

#[derive(Default, Deserialize)]
pub struct Module {
    #[serde(default)]
    resources: Vec<Resource>,
    #[serde(default)]
    module_calls: BTreeMap<String, Call>,
    #[serde(default)]
    outputs: BTreeMap<String, Output>,
}

#[derive(Deserialize)]
struct Resource {
    address: String,
    #[serde(default)]
    expressions: BTreeMap<String, Json>,
    for_each_expression: Option<Json>,
    #[serde(default)]
    depends_on: Vec<String>,
}

#[derive(Deserialize)]
struct Call {
    #[serde(default)]
    expressions: BTreeMap<String, Json>,
    #[serde(default)]
    module: Module,
    #[serde(default)]
    depends_on: Vec<String>,
}

#[derive(Deserialize)]
struct Output {
    #[serde(default)]
    expression: Json,
}

/// How many references are followed for the arguments of one block: modules may refer to each other.
const MAX_STEPS: usize = 2_000;

/// A call of a module.
pub struct Called<'p> {
    module: &'p Module,
    prefix: String,
    /// Who calls it, with what.
    by: Option<(&'p Called<'p>, &'p Call)>,
    /// What `each` is of.
    each: Option<Value>,
    steps: &'p Cell<usize>,
}

impl<'p> Called<'p> {
    /// The root module, and how many references may still be followed.
    pub fn root(module: &'p Module, steps: &'p Cell<usize>) -> Self {
        Self {
            module,
            prefix: String::new(),
            by: None,
            each: None,
            steps,
        }
    }

    fn child<'c>(&'c self, name: &str, call: &'c Call) -> Called<'c> {
        Called {
            module: &call.module,
            prefix: format!("{}module.{name}.", self.prefix),
            by: Some((self, call)),
            each: None,
            steps: self.steps,
        }
    }

    /// What a reference to a variable or to `each` is given.
    fn given(&self, text: &str) -> Option<Value> {
        let mut parts = text.split(['.', '[']);
        match (parts.next()?, parts.next()?) {
            ("each", "value") => self.each.clone(),
            ("var", name) => {
                let (by, call) = self.by?;
                by.value(call.expressions.get(name)?)
            }
            _ => None,
        }
    }

    /// Adds modules, edges, and the values that only references tell.
    pub fn add(&self, built: &mut Built, unknowns: &Unknowns, depth: usize) {
        if depth > MAX_MODULES {
            return;
        }
        for (name, call) in &self.module.module_calls {
            let id = format!("{}module.{name}", self.prefix);
            let mut called = node(Kind::Module, id.clone(), "module".to_owned(), name.clone());
            called.instances = None;
            built.nodes.insert(id, called);
            self.child(name, call).add(built, unknowns, depth + 1);
        }
        for (name, call) in &self.module.module_calls {
            let id = format!("{}module.{name}", self.prefix);
            self.steps.set(MAX_STEPS);
            self.connect(built, &id, &call.expressions, &call.depends_on);
        }
        for resource in &self.module.resources {
            let id = format!("{}{}", self.prefix, resource.address);
            self.steps.set(MAX_STEPS);
            self.connect(built, &id, &resource.expressions, &resource.depends_on);
            self.fill(built, unknowns, &id, resource);
        }
    }

    fn fill(&self, built: &mut Built, unknowns: &Unknowns, id: &str, resource: &Resource) {
        let each = resource.for_each_expression.as_ref();
        let inside = Called {
            module: self.module,
            prefix: self.prefix.clone(),
            by: self.by,
            each: each.and_then(|each| self.value(each)),
            steps: self.steps,
        };
        let referred = resource.expressions.iter();
        let referred = referred.filter_map(|(name, e)| Some((name.clone(), inside.value(e)?)));
        let referred: BTreeMap<_, _> = referred.collect();
        let Some(node) = built.nodes.get_mut(id) else {
            return;
        };
        let marked = unknowns.get(id).map(Vec::as_slice).unwrap_or_default();
        for (place, values) in Arc::make_mut(&mut node.values).iter_mut().enumerate() {
            let of = marked.get(place).and_then(Json::as_object);
            for (name, mask) in of.into_iter().flatten() {
                // What is not configured is computed: as if it were left out.
                if let Some(expression) = resource.expressions.get(name) {
                    let value = values.entry(name.clone()).or_insert(Value::Null);
                    let known = referred.get(name).cloned();
                    let known = known.or_else(|| inside.value(expression));
                    unknown::fill(value, mask, known.as_ref());
                }
            }
            for (name, value) in &referred {
                let value = || value.clone();
                values.entry(name.clone()).or_insert_with(value);
            }
        }
    }

    fn connect(
        &self,
        built: &mut Built,
        from: &str,
        expressions: &BTreeMap<String, Json>,
        depends_on: &[String],
    ) {
        let mut used = BTreeSet::new();
        for expression in expressions.values() {
            self.nodes(expression, &mut used);
        }
        let used = used.into_iter().map(|to| (to, "reference"));
        let after = depends_on.iter().filter_map(|target| address(target));
        let after = after.map(|to| (format!("{}{to}", self.prefix), "depends_on"));
        for (to, kind) in used.chain(after) {
            if from != to && built.nodes.contains_key(from) && built.nodes.contains_key(&to) {
                built.edges.insert((from.to_owned(), to, kind));
            }
        }
    }

    /// The nodes that an expression refers to, through variables and outputs as well.
    fn nodes(&self, expression: &Json, found: &mut BTreeSet<String>) {
        match expression {
            Json::Object(object) => match references(expression) {
                Some(texts) => {
                    let direct = texts.iter().filter_map(|text| address(text));
                    found.extend(direct.map(|to| format!("{}{to}", self.prefix)));
                    let given = texts.iter().filter_map(|text| self.given(text));
                    given.for_each(|value| of(&value, found));
                }
                None => object.values().for_each(|value| self.nodes(value, found)),
            },
            Json::Array(list) => list.iter().for_each(|value| self.nodes(value, found)),
            _ => {}
        }
    }

    /// The value of an argument that is known after the apply; blocks by their arguments.
    fn value(&self, expression: &Json) -> Option<Value> {
        match expression {
            Json::Object(object) => match references(expression) {
                Some(texts) => self.referred(&texts),
                None if object.contains_key("constant_value") => None,
                None => {
                    let inside = object.iter();
                    let inside =
                        inside.filter_map(|(name, e)| Some((name.clone(), self.value(e)?)));
                    Some(Value::Map(inside.collect()))
                }
            },
            Json::Array(list) => {
                let values = list.iter().filter_map(|value| self.value(value));
                Some(Value::List(values.collect()))
            }
            _ => None,
        }
    }

    fn referred(&self, texts: &[&str]) -> Option<Value> {
        let first = (*texts.first()?).to_owned();
        let Some(left) = self.steps.get().checked_sub(1) else {
            return Some(Value::Unknown(first));
        };
        self.steps.set(left);
        let mut values = BTreeMap::new();
        let mut add = |value: Value| match value {
            Value::Of { node, text } => drop(values.insert(node, text)),
            Value::List(list) => values.extend(list.into_iter().filter_map(|one| match one {
                Value::Of { node, text } => Some((node, text)),
                _ => None,
            })),
            _ => {}
        };
        // The longest text of each reference comes first; `module.a` after `module.a.id` adds nothing.
        let mut outputs = Vec::new();
        for text in texts {
            if let Some(value) = self.given(text) {
                add(value);
            } else if let Some(value) = self.output(text) {
                outputs.push(*text);
                add(value);
            } else if let Some(to) = address(text)
                && !outputs.iter().any(|of: &&str| of.starts_with(text))
            {
                add(Value::Of {
                    node: format!("{}{to}", self.prefix),
                    text: first.clone(),
                });
            }
        }
        let list = values.into_iter();
        let mut list: Vec<_> = list.map(|(node, text)| Value::Of { node, text }).collect();
        Some(match list.len() {
            0 => Value::Unknown(first),
            1 => list.remove(0),
            _ => Value::List(list),
        })
    }

    /// What a module's output refers to: `module.network.group_id`.
    fn output(&self, text: &str) -> Option<Value> {
        let text = plain(text);
        let mut parts = text.strip_prefix("module.")?.split('.');
        let (name, output) = (parts.next()?, parts.next()?);
        let call = self.module.module_calls.get(name)?;
        let expression = &call.module.outputs.get(output)?.expression;
        let value = self.child(name, call).value(expression)?;
        matches!(value, Value::Of { .. } | Value::List(_)).then_some(value)
    }
}

fn of(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Of { node, .. } => drop(found.insert(node.clone())),
        Value::List(list) => list.iter().for_each(|one| of(one, found)),
        _ => {}
    }
}

/// The references in an expression of the configuration.
fn references(expression: &Json) -> Option<Vec<&str>> {
    let list = expression.get("references")?.as_array()?;
    Some(list.iter().filter_map(Json::as_str).collect())
}

/// The address of the node that a reference names: `aws_subnet.a` for `aws_subnet.a.id`.
fn address(reference: &str) -> Option<String> {
    let plain = plain(reference);
    let mut parts = plain.split('.').filter(|part| !part.is_empty());
    let (first, second) = (parts.next()?, parts.next()?);
    match first {
        "var" | "local" | "each" | "count" | "path" | "terraform" | "self" => None,
        "data" => Some(format!("data.{second}.{}", parts.next()?)),
        first => Some(format!("{first}.{second}")),
    }
}
