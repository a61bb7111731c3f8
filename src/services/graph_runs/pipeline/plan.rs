//! Plans as `terraform show -json` prints them: modules, counts and values are resolved there.
//! Source: "JSON Output Format", the Terraform documentation.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value as Json;

use super::attributes;
use super::graph::{Built, Node, Values};
use super::rules;
use super::terraform::Kind;
use super::unusable::Unusable;
use super::value::Value;

/// The most resources of a plan.
const MAX_RESOURCES: usize = 200_000;
/// How deep modules call each other.
const MAX_MODULES: usize = 64;

#[derive(Deserialize)]
struct Plan {
    planned_values: Option<Planned>,
    configuration: Option<Configured>,
}

#[derive(Deserialize)]
struct Planned {
    #[serde(default)]
    root_module: PlannedModule,
}

#[derive(Default, Deserialize)]
struct PlannedModule {
    #[serde(default)]
    address: String,
    #[serde(default)]
    resources: Vec<PlannedResource>,
    #[serde(default)]
    child_modules: Vec<PlannedModule>,
}

#[derive(Deserialize)]
struct PlannedResource {
    mode: String,
    #[serde(rename = "type")]
    type_name: String,
    name: String,
    #[serde(default)]
    values: BTreeMap<String, Json>,
}

#[derive(Deserialize)]
struct Configured {
    #[serde(default)]
    root_module: ConfiguredModule,
}

#[derive(Default, Deserialize)]
struct ConfiguredModule {
    #[serde(default)]
    resources: Vec<ConfiguredResource>,
    #[serde(default)]
    module_calls: BTreeMap<String, ModuleCall>,
}

#[derive(Deserialize)]
struct ConfiguredResource {
    address: String,
    #[serde(default)]
    expressions: BTreeMap<String, Json>,
    #[serde(default)]
    depends_on: Vec<String>,
}

#[derive(Deserialize)]
struct ModuleCall {
    #[serde(default)]
    expressions: BTreeMap<String, Json>,
    #[serde(default)]
    module: ConfiguredModule,
    #[serde(default)]
    depends_on: Vec<String>,
}

/// Builds the graph of a plan.
///
/// # Errors
/// It is not a plan.
pub fn build(file: &[u8]) -> Result<Built, Unusable> {
    let unusable = |reason: String| {
        Unusable(format!(
            "The file is not a plan as `terraform show -json` prints it: {reason}."
        ))
    };
    let plan: Plan = serde_json::from_slice(file).map_err(|error| unusable(error.to_string()))?;
    let planned = plan.planned_values;
    let planned = planned.ok_or_else(|| unusable("it has no `planned_values`".to_owned()))?;
    let mut built = Built::default();
    planned_module(&mut built, planned.root_module, 0)?;
    if let Some(configured) = &plan.configuration {
        configured_module(&mut built, &configured.root_module, "", 0);
    }
    for node in built.nodes.values_mut() {
        node.attributes = node.values.first().map_or(Json::Null, attributes::shown);
        node.instances_hash = attributes::of_all(&node.values);
    }
    rules::classify(&mut built);
    Ok(built)
}

fn planned_module(built: &mut Built, module: PlannedModule, depth: usize) -> Result<(), Unusable> {
    if depth > MAX_MODULES {
        return Err(Unusable(format!(
            "The plan's modules nest more than {MAX_MODULES} levels deep."
        )));
    }
    let prefix = prefix(&module.address);
    for resource in module.resources {
        let (kind, id) = match resource.mode.as_str() {
            "data" => (
                Kind::Data,
                format!("{prefix}data.{}.{}", resource.type_name, resource.name),
            ),
            _ => (
                Kind::Resource,
                format!("{prefix}{}.{}", resource.type_name, resource.name),
            ),
        };
        let values = resource.values.into_iter();
        let values: Values = values
            .map(|(name, value)| (name, Value::from(value)))
            .collect();
        let node = built
            .nodes
            .entry(id.clone())
            .or_insert_with(|| node(kind, id, resource.type_name, resource.name));
        node.instances = node.instances.map(|count| count + 1);
        Arc::make_mut(&mut node.values).push(values);
        if built.nodes.len() > MAX_RESOURCES {
            return Err(Unusable(format!(
                "The plan has more than {MAX_RESOURCES} resources."
            )));
        }
    }
    for child in module.child_modules {
        planned_module(built, child, depth + 1)?;
    }
    Ok(())
}

fn node(kind: Kind, id: String, type_name: String, name: String) -> Node {
    Node {
        id,
        kind,
        type_name,
        name,
        file: None,
        line: None,
        instances: Some(0),
        instances_hash: None,
        values: Arc::default(),
        attributes: Json::Null,
        internet_exposed: false,
        datastore: false,
    }
}

/// What the ids of a module's nodes begin with, without the numbers of its instances.
fn prefix(address: &str) -> String {
    let mut plain = String::with_capacity(address.len() + 1);
    let mut depth = 0_usize;
    for c in address.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            c if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    if !plain.is_empty() {
        plain.push('.');
    }
    plain
}

/// Adds modules, edges, and what arguments refer to whose values are known after the apply.
fn configured_module(built: &mut Built, module: &ConfiguredModule, prefix: &str, depth: usize) {
    if depth > MAX_MODULES {
        return;
    }
    for (name, call) in &module.module_calls {
        let id = format!("{prefix}module.{name}");
        let mut called = node(Kind::Module, id.clone(), "module".to_owned(), name.clone());
        called.instances = None;
        built.nodes.insert(id.clone(), called);
        configured_module(built, &call.module, &format!("{id}."), depth + 1);
    }
    for (name, call) in &module.module_calls {
        let id = format!("{prefix}module.{name}");
        connect(built, &id, prefix, &call.expressions, &call.depends_on);
    }
    for resource in &module.resources {
        let id = format!("{prefix}{}", resource.address);
        connect(
            built,
            &id,
            prefix,
            &resource.expressions,
            &resource.depends_on,
        );
        let unknown = resource.expressions.iter();
        let unknown = unknown.filter_map(|(name, e)| Some((name, value_from(e, prefix)?)));
        let unknown: Vec<_> = unknown.collect();
        if let Some(node) = built.nodes.get_mut(&id) {
            for values in Arc::make_mut(&mut node.values) {
                for (name, value) in &unknown {
                    values
                        .entry((*name).clone())
                        .or_insert_with(|| value.clone());
                }
            }
        }
    }
}

fn connect(
    built: &mut Built,
    from: &str,
    prefix: &str,
    expressions: &BTreeMap<String, Json>,
    depends_on: &[String],
) {
    let mut used = Vec::new();
    expressions
        .values()
        .for_each(|expression| references(expression, &mut used));
    let kinds = [(used.as_slice(), "reference"), (depends_on, "depends_on")];
    for (targets, kind) in kinds {
        for target in targets {
            let Some(to) = address(target).map(|to| format!("{prefix}{to}")) else {
                continue;
            };
            if from != to && built.nodes.contains_key(from) && built.nodes.contains_key(&to) {
                built.edges.insert((from.to_owned(), to, kind));
            }
        }
    }
}

/// Every reference in an expression of the configuration.
fn references(expression: &Json, found: &mut Vec<String>) {
    match expression {
        Json::Object(object) => match object.get("references").and_then(Json::as_array) {
            Some(list) => found.extend(list.iter().filter_map(Json::as_str).map(str::to_owned)),
            None => object.values().for_each(|value| references(value, found)),
        },
        Json::Array(list) => list.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

/// The value of an argument that is known after the apply; blocks by their arguments.
fn value_from(expression: &Json, prefix: &str) -> Option<Value> {
    match expression {
        Json::Object(object) => match object.get("references").and_then(Json::as_array) {
            Some(list) => {
                let texts: Vec<_> = list.iter().filter_map(Json::as_str).collect();
                let text = texts.first()?.to_string();
                let nodes = texts.iter().filter_map(|text| address(text));
                let nodes: std::collections::BTreeSet<_> = nodes.collect();
                let of = |node: &String| Value::Of {
                    node: format!("{prefix}{node}"),
                    text: text.clone(),
                };
                Some(match nodes.len() {
                    0 => Value::Unknown(text),
                    1 => of(nodes.first()?),
                    _ => Value::List(nodes.iter().map(of).collect()),
                })
            }
            None if object.contains_key("constant_value") => None,
            None => {
                let inside = object.iter();
                let inside =
                    inside.filter_map(|(name, e)| Some((name.clone(), value_from(e, prefix)?)));
                Some(Value::Map(inside.collect()))
            }
        },
        Json::Array(list) => {
            let values = list.iter().filter_map(|value| value_from(value, prefix));
            Some(Value::List(values.collect()))
        }
        _ => None,
    }
}

/// The address of the node that a reference names: `aws_subnet.a` for `aws_subnet.a.id`.
fn address(reference: &str) -> Option<String> {
    let plain = prefix(reference);
    let mut parts = plain.split('.').filter(|part| !part.is_empty());
    let (first, second) = (parts.next()?, parts.next()?);
    match first {
        "var" | "local" | "each" | "count" | "path" | "terraform" | "self" => None,
        "data" => Some(format!("data.{second}.{}", parts.next()?)),
        first => Some(format!("{first}.{second}")),
    }
}
