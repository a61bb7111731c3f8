//! The configuration in a plan: modules, and what arguments refer to whose values are known after the apply.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value as Json;

use super::narrow::{ALL, Instances, narrow, narrowed, same_key};
use super::node::{MAX_MODULES, add, node};
use super::unknown::{self, Unknowns};
use super::whole;
use crate::address::{parts, plain, split};
use crate::graph::Built;
use crate::terraform::Kind;
use crate::value::Value;

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
    /// The configuration of its provider. Configurations with different keys are not compared, because a plan leaves out their
    /// dynamic blocks and the values of their references.
    provider_config_key: Option<String>,
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
    for_each_expression: Option<Json>,
    count_expression: Option<Json>,
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

/// Nodes that are referred to, each with the arguments that do.
type Used = BTreeMap<String, BTreeSet<Arc<str>>>;

/// How many references are followed for the arguments of one block: modules may refer to each other.
const MAX_STEPS: usize = 2_000;

/// The most edges between all instances of two blocks. Beyond it, those to the first instance stand for the others.
const MAX_BETWEEN: usize = 100_000;

/// A call of a module, or a block in it.
#[derive(Clone)]
pub struct Called<'p> {
    module: &'p Module,
    prefix: String,
    /// Who calls it, with what, by which name.
    by: Option<(&'p Called<'p>, &'p Call, &'p str)>,
    /// What `each` is of.
    each: Option<Value>,
    /// The address whose key `each` and `count` are of.
    repeated: String,
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
            repeated: String::new(),
            steps,
        }
    }

    /// The module of a call; with a key if one is named.
    fn child<'c>(&'c self, name: &'c str, key: &str, call: &'c Call) -> Called<'c> {
        Called {
            module: &call.module,
            prefix: format!("{}module.{name}{key}.", self.prefix),
            by: Some((self, call, name)),
            each: None,
            repeated: String::new(),
            steps: self.steps,
        }
    }

    /// The same inside of a block, whose instances have keys.
    fn inside(&self, address: &str, each: Option<&Json>) -> Called<'p> {
        let repeated = format!("{}{address}", self.prefix);
        let each = match each.and_then(|each| self.value(each)) {
            Some(Value::Of { node, text }) => Some(Value::Of {
                node: format!("{}{}", split(&node).0, same_key(&repeated)),
                text,
            }),
            other => other,
        };
        Called {
            each,
            repeated,
            ..self.clone()
        }
    }

    /// What a reference to a variable or to `each` is given.
    fn given(&self, text: &str) -> Option<Value> {
        let mut parts = text.split(['.', '[']);
        match (parts.next()?, parts.next()?) {
            ("each", "value") => self.each.clone(),
            ("var", name) => {
                let (by, call, of) = self.by?;
                let address = format!("module.{of}");
                let inside = by.inside(&address, call.for_each_expression.as_ref());
                inside.value(call.expressions.get(name)?)
            }
            _ => None,
        }
    }

    /// Adds modules, edges, and the values that only references tell.
    pub fn add(&self, built: &mut Built, unknowns: &mut Unknowns, depth: usize) {
        if depth > MAX_MODULES {
            return;
        }
        for (name, call) in &self.module.module_calls {
            let id = format!("{}module.{name}", self.prefix);
            let is_repeated = call.for_each_expression.is_some() || call.count_expression.is_some();
            // One that is planned is there already; of one that is repeated there may be none.
            if !built.blocks.contains_key(&id) && !is_repeated {
                let mut called = node(Kind::Module, id.clone(), "module".to_owned(), name.clone());
                called.instances = None;
                add(built, called);
            }
            self.child(name, "", call).add(built, unknowns, depth + 1);
        }
        for (name, call) in &self.module.module_calls {
            let address = format!("module.{name}");
            self.steps.set(MAX_STEPS);
            let inside = self.inside(&address, call.for_each_expression.as_ref());
            inside.connect(built, &call.expressions, &call.depends_on);
        }
        for resource in &self.module.resources {
            self.steps.set(MAX_STEPS);
            let each = resource.for_each_expression.as_ref();
            let inside = self.inside(&resource.address, each);
            inside.connect(built, &resource.expressions, &resource.depends_on);
            inside.fill(built, unknowns, resource);
        }
    }

    fn fill(&self, built: &mut Built, unknowns: &mut Unknowns, resource: &Resource) {
        let referred = resource.expressions.iter();
        let referred = referred.filter_map(|(name, e)| Some((name.clone(), self.value(e)?)));
        let referred = Value::Map(referred.collect());
        for id in built
            .blocks
            .get(&self.repeated)
            .cloned()
            .unwrap_or_default()
        {
            let Value::Map(referred) = narrowed(built, &referred, &id) else {
                continue;
            };
            let Some(node) = built.nodes.get_mut(&id) else {
                continue;
            };
            // Planned values have no provider; only the configuration names it.
            node.provider.clone_from(&resource.provider_config_key);
            let marked = unknowns.remove(&id).unwrap_or_default();
            for (place, values) in Arc::make_mut(&mut node.values).iter_mut().enumerate() {
                // The mask is `true` for the whole resource: nothing of it is planned.
                if marked.get(place) == Some(&Json::Bool(true)) {
                    whole::fill(values, &resource.expressions, &referred);
                    continue;
                }
                let of = marked.get(place).and_then(Json::as_object);
                for (name, mask) in of.into_iter().flatten().filter(|one| unknown::marks(one.1)) {
                    let start = if resource.expressions.contains_key(name) {
                        Some(Value::Null)
                    } else {
                        unknown::not_configured(&node.type_name, values, name, mask)
                    };
                    match start {
                        Some(Value::Null) => {
                            let value = values.entry(name.clone()).or_insert(Value::Null);
                            unknown::fill(value, mask, referred.get(name));
                        }
                        Some(whole) => drop(values.insert(name.clone(), whole)),
                        None => {}
                    }
                }
                unknown::without_defaults(&node.type_name, values, &resource.expressions);
                for (name, value) in &referred {
                    values.entry(name.clone()).or_insert_with(|| value.clone());
                }
            }
        }
    }

    fn connect(
        &self,
        built: &mut Built,
        expressions: &BTreeMap<String, Json>,
        depends_on: &[String],
    ) {
        let mut used = Used::new();
        for (name, expression) in expressions {
            self.nodes(name, expression, &mut used);
        }
        let used = used
            .into_iter()
            .map(|(to, arguments)| (to, arguments, "reference"));
        let after = depends_on.iter().filter_map(|target| address(target));
        let after = after.map(|to| {
            let pattern = format!("{}{to}{ALL}", self.prefix);
            (pattern, BTreeSet::new(), "depends_on")
        });
        let ids = built
            .blocks
            .get(&self.repeated)
            .cloned()
            .unwrap_or_default();
        for (pattern, arguments, kind) in used.chain(after) {
            for from in &ids {
                let list = match narrow(built, &pattern, from) {
                    Instances::All(list) | Instances::Any(_, list) => list,
                };
                // All pairs of two large blocks would be too many edges: the first one stands for them.
                let is_many = list.len().saturating_mul(ids.len()) > MAX_BETWEEN;
                let limit = if is_many { 1 } else { list.len() };
                for to in list.into_iter().take(limit).filter(|to| to != from) {
                    built.refers_by(from, &to, &arguments);
                    built.edges.insert((from.clone(), to, kind));
                }
            }
        }
    }

    /// The nodes that an expression refers to, through variables and outputs as well.
    fn nodes(&self, path: &str, expression: &Json, found: &mut Used) {
        match expression {
            Json::Object(object) => match references(expression) {
                Some(texts) => {
                    let mut nodes = BTreeSet::new();
                    if let Some(value) = self.referred(&texts) {
                        of(&value, &mut nodes);
                    }
                    // A module stands for what its outputs are made of.
                    let direct = texts.iter().filter(|text| text.starts_with("module."));
                    let direct = direct.filter_map(|text| address(text));
                    nodes.extend(direct.map(|to| format!("{}{to}", self.prefix)));
                    for node in nodes {
                        found.entry(node).or_default().insert(path.into());
                    }
                }
                None => {
                    for (name, value) in object {
                        self.nodes(&format!("{path}.{name}"), value, found);
                    }
                }
            },
            Json::Array(list) => {
                for value in list {
                    self.nodes(path, value, found);
                }
            }
            _ => {}
        }
    }

    /// The value of an argument that is known after the apply; blocks by their arguments.
    fn value(&self, expression: &Json) -> Option<Value> {
        match expression {
            Json::Object(object) => match references(expression) {
                Some(texts) => self.referred(&texts),
                // The planned values have every constant already.
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
        // Keys that are no literals are those of the block itself, all, or not known.
        let end = if texts
            .iter()
            .any(|text| matches!(*text, "each.key" | "count.index"))
        {
            same_key(&self.repeated)
        } else if texts.iter().all(|text| address(text).is_some()) {
            ALL.to_owned()
        } else {
            String::new()
        };
        let mut values = BTreeMap::new();
        // The longest text of each reference comes first; `module.a` after `module.a.id` adds nothing.
        let mut outputs = Vec::new();
        for text in texts {
            if let Some(value) = self.given(text) {
                insert(&mut values, value);
            } else if let Some(value) = self.output(text) {
                outputs.push(*text);
                insert(&mut values, value);
            } else if let Some(to) = address(text)
                && !outputs.iter().any(|of: &&str| of.starts_with(text))
                && !has_key(&values, &format!("{}{to}", self.prefix))
            {
                let end = if split(&to).1.is_empty() {
                    end.as_str()
                } else {
                    ""
                };
                values.insert(format!("{}{to}{end}", self.prefix), first.clone());
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
        let parts = parts(text.strip_prefix("module.")?);
        let (name, key) = split(parts.first()?);
        let call = self.module.module_calls.get(name)?;
        let output = split(parts.get(1)?).0;
        let expression = &call.module.outputs.get(output)?.expression;
        let value = self.child(name, key, call).value(expression)?;
        matches!(value, Value::Of { .. } | Value::List(_)).then_some(value)
    }
}

/// Adds the nodes that a value is of, each with its expression.
fn insert(into: &mut BTreeMap<String, String>, value: Value) {
    match value {
        Value::Of { node, text } => drop(into.insert(node, text)),
        Value::List(list) => list.into_iter().for_each(|one| insert(into, one)),
        _ => {}
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

/// The address that a reference names, with its key if that is a literal: `aws_subnet.a[0]` for `aws_subnet.a[0].id`.
fn address(reference: &str) -> Option<String> {
    let parts = parts(reference);
    let (first, second) = (*parts.first()?, *parts.get(1)?);
    match first {
        "var" | "local" | "each" | "count" | "path" | "terraform" | "self" => None,
        "data" => Some(format!("data.{second}.{}", parts.get(2)?)),
        first => Some(format!("{first}.{second}")),
    }
}

/// Whether an instance of a block is named already: after `aws_subnet.a[0].id` comes `aws_subnet.a`.
fn has_key(values: &BTreeMap<String, String>, block: &str) -> bool {
    let mut names = values.keys();
    names.any(|name| name != block && plain(name) == plain(block) && split(block).1.is_empty())
}
