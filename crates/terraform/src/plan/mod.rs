//! Plans as `terraform show -json` prints them: modules, counts and values are resolved there.
//! Source: "JSON Output Format", the Terraform documentation.

mod configured;
mod narrow;
mod node;
mod unknown;
mod whole;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value as Json;

use super::address::split;
use super::attributes;
use super::graph::{Built, Values, check_id};
use super::hash_key::HashKey;
use super::quote::{without_literals, without_values};
use super::rules;
use super::rules::types::Completed;
use super::terraform::Kind;
use super::text::{json_instead, text_of_program};
use super::unusable::Unusable;
use super::value::Value;
use configured::Called;
use node::{MAX_MODULES, add, node};
use unknown::Unknowns;

/// What a plan stands for among the files that cannot be read.
const PLAN: &str = "plan";
/// The most resources of a plan.
const MAX_RESOURCES: usize = 200_000;

#[derive(Deserialize)]
struct Plan {
    planned_values: Option<Planned>,
    configuration: Option<Configured>,
    #[serde(default)]
    errored: bool,
    #[serde(default)]
    resource_changes: Vec<ResourceChange>,
    #[serde(default)]
    deferred_changes: Vec<Deferred>,
    complete: Option<bool>,
}

/// A change that Terraform leaves for another plan.
#[derive(Deserialize)]
struct Deferred {
    #[serde(default)]
    reason: String,
    resource_change: DeferredChange,
}

#[derive(Deserialize)]
struct DeferredChange {
    address: String,
    #[serde(default)]
    mode: String,
    #[serde(rename = "type", default)]
    type_name: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    change: DeferredValues,
}

#[derive(Default, Deserialize)]
struct DeferredValues {
    #[serde(default)]
    after: Json,
    #[serde(default)]
    after_sensitive: Json,
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
    #[serde(default)]
    address: String,
    mode: String,
    #[serde(rename = "type")]
    type_name: String,
    name: String,
    /// Such as `registry.terraform.io/hashicorp/aws`.
    #[serde(default)]
    provider_name: String,
    #[serde(default)]
    values: BTreeMap<String, Json>,
    #[serde(default)]
    sensitive_values: Json,
}

#[derive(Deserialize)]
struct Configured {
    #[serde(default)]
    root_module: configured::Module,
}

#[derive(Deserialize)]
struct ResourceChange {
    address: String,
    #[serde(default)]
    change: Change,
}

#[derive(Default, Deserialize)]
struct Change {
    #[serde(default)]
    after_unknown: Json,
    #[serde(default)]
    after_sensitive: Json,
}

fn not_a_plan(reason: &str) -> Unusable {
    Unusable(format!(
        "The file is not a plan as `terraform show -json` prints it: {reason}."
    ))
}

/// Builds the graph of a plan.
///
/// # Errors
/// It is not a plan.
pub fn build(file: &[u8], key: &HashKey) -> Result<Built, Unusable> {
    let text = text_of_program("The plan", file)?;
    let plan: Plan = serde_json::from_str(&text)
        .map_err(|error| not_a_plan(&without_values(&error.to_string())))?;
    if plan.errored {
        let reason =
            "The plan is incomplete, because Terraform had errors. Correct them, and plan again.";
        return Err(Unusable(reason.to_owned()));
    }
    let planned = plan.planned_values;
    // A state is a common mistake, and has another message than a plan without values.
    let planned = planned.ok_or_else(|| match json_instead(&text) {
        Some(reason) if reason.contains("state") => Unusable(format!("The file {reason}.")),
        _ => not_a_plan("it has no `planned_values`"),
    })?;
    let changes = plan.resource_changes.into_iter();
    let changes = changes.map(|one| (one.address, one.change)).collect();
    let mut planned_by = Planner {
        built: Built {
            is_plan: true,
            ..Built::default()
        },
        changes,
        unknowns: Unknowns::new(),
    };
    planned_by.module(planned.root_module, 0)?;
    let Planner {
        mut built,
        mut unknowns,
        ..
    } = planned_by;
    let deferred = not_planned(
        &mut built,
        &mut unknowns,
        plan.deferred_changes,
        plan.complete,
    )?;
    if let Some(configured) = &plan.configuration {
        let steps = Cell::new(0);
        Called::root(&configured.root_module, &steps).add(&mut built, &mut unknowns, 0);
    }
    // What the configuration has filled in is no longer among the unknowns.
    without_configuration(&mut built, unknowns);
    unknown::without_computed(&mut built);
    for node in built.nodes.values_mut() {
        // The values have the defaults of the version; names of an earlier one are others.
        let completed = Completed::default().of(&node.type_name, &node.values, |_| None);
        node.values = completed.values;
        if deferred.contains_key(&node.id) {
            continue;
        }
        let first = node.values.first();
        let shown = first.map(|values| attributes::redact(&node.type_name, values, key));
        let (attributes, redacted) = shown.unwrap_or_default();
        (node.attributes, node.redacted) = (Arc::new(attributes), redacted);
        node.instances_hash = attributes::of_all(&node.type_name, &node.values, key);
    }
    // Rules come first: what they have looked at stays undecided of deferred resources.
    rules::classify(&mut built);
    undecide(&mut built, deferred);
    built.roots = vec![String::new()];
    Ok(built)
}

/// Fills in what is marked of resources that the configuration in the plan does not have.
fn without_configuration(built: &mut Built, unknowns: Unknowns) {
    for (id, marked) in unknowns {
        let Some(node) = built.nodes.get_mut(&id) else {
            continue;
        };
        let type_name = node.type_name.clone();
        for (values, mask) in Arc::make_mut(&mut node.values).iter_mut().zip(&marked) {
            if *mask == Json::Bool(true) {
                whole::fill_all(&type_name, values);
                continue;
            }
            for (name, mask) in mask.as_object().into_iter().flatten() {
                if unknown::marks(mask) {
                    let value = values.entry(name.clone()).or_insert(Value::Null);
                    unknown::fill(value, mask, None);
                }
            }
        }
    }
}

/// Leaves every rule undecided that has looked at what another plan decides.
fn undecide(built: &mut Built, deferred: BTreeMap<String, String>) {
    built
        .findings
        .retain(|finding| !deferred.contains_key(&finding.node));
    for (id, reason) in deferred {
        if let Some(node) = built.nodes.get_mut(&id) {
            node.internet_exposed = false;
        }
        let looked = built.looked.iter().filter(|(_, node)| *node == id);
        let mut rules: BTreeSet<_> = looked.map(|(rule, _)| *rule).collect();
        for note in built.undecided_notes().filter(|note| note.node == id) {
            rules.retain(|rule| note.rule != Some(*rule));
        }
        for rule in rules {
            built.unsure(rule, &id, reason.clone());
        }
    }
}

/// Adds the resources that the plan defers to another one: the reason by node.
fn not_planned(
    built: &mut Built,
    unknowns: &mut Unknowns,
    deferred: Vec<Deferred>,
    is_complete: Option<bool>,
) -> Result<BTreeMap<String, String>, Unusable> {
    let mut reasons = BTreeMap::new();
    let all = deferred.into_iter();
    for (change, reason) in all.map(|one| (one.resource_change, one.reason)) {
        let (block, key) = split(&change.address);
        let id = format!("{block}{key}");
        check_id(&id)?;
        if !built.nodes.contains_key(&id) {
            let kind = match change.mode.as_str() {
                "data" => Kind::Data,
                _ => Kind::Resource,
            };
            let mut deferred = node(kind, id.clone(), change.type_name, change.name);
            deferred.instances = None;
            // Rules look at it, and are undecided.
            deferred.values = Arc::new(vec![values_of(change.change)]);
            add(built, deferred);
        }
        let count = built.nodes.get(&id).map_or(0, |node| node.values.len());
        unknowns.insert(id.clone(), vec![Json::Bool(true); count]);
        let reason = if reason.is_empty() {
            String::new()
        } else {
            format!(" (`{}`)", without_literals(&reason))
        };
        let reason = format!(
            "Its change is deferred{reason}: plan again when what it depends on is applied."
        );
        built.undecided(&id, reason.clone());
        reasons.insert(id, reason);
    }
    if is_complete == Some(false) {
        built.unread.insert(
            PLAN.to_owned(),
            "The plan is not complete: it leaves out what is deferred or not targeted. Apply it, and plan again."
                .to_owned(),
        );
    }
    Ok(reasons)
}

/// The values of a deferred change that are already known.
fn values_of(change: DeferredValues) -> Values {
    let mut values = Value::from(change.after);
    unknown::hide(&mut values, &change.after_sensitive);
    match values {
        Value::Map(values) => values,
        _ => Values::new(),
    }
}

/// Reads the planned values.
struct Planner {
    built: Built,
    changes: BTreeMap<String, Change>,
    unknowns: Unknowns,
}

impl Planner {
    fn module(&mut self, module: PlannedModule, depth: usize) -> Result<(), Unusable> {
        if depth > MAX_MODULES {
            return Err(Unusable(format!(
                "The plan's modules nest more than {MAX_MODULES} levels deep."
            )));
        }
        let mut prefix = module.address;
        if !prefix.is_empty() {
            check_id(&prefix)?;
            let name = split(&prefix).0.rsplit('.').next().unwrap_or_default();
            let called = node(
                Kind::Module,
                prefix.clone(),
                "module".to_owned(),
                name.to_owned(),
            );
            add(&mut self.built, called);
            prefix.push('.');
        }
        for resource in module.resources {
            self.resource(&prefix, resource)?;
        }
        for child in module.child_modules {
            self.module(child, depth + 1)?;
        }
        Ok(())
    }

    fn resource(&mut self, prefix: &str, resource: PlannedResource) -> Result<(), Unusable> {
        let (type_name, name) = (resource.type_name, resource.name);
        let (kind, address) = match resource.mode.as_str() {
            "data" => (Kind::Data, format!("{prefix}data.{type_name}.{name}")),
            _ => (Kind::Resource, format!("{prefix}{type_name}.{name}")),
        };
        let key = split(&resource.address).1;
        let id = format!("{address}{key}");
        check_id(&id)?;
        let values = resource.values.into_iter();
        let values = values.map(|(name, value)| (name, Value::from(value)));
        let mut values = Value::Map(values.collect());
        let change = self.changes.remove(&resource.address).unwrap_or_default();
        for mask in [&resource.sensitive_values, &change.after_sensitive] {
            unknown::hide(&mut values, mask);
        }
        let values = match values {
            Value::Map(values) => values,
            _ => Values::new(),
        };
        let unknowns = self.unknowns.entry(id.clone()).or_default();
        unknowns.push(change.after_unknown);
        if !self.built.nodes.contains_key(&id) {
            add(&mut self.built, node(kind, id.clone(), type_name, name));
        }
        if let Some(node) = self.built.nodes.get_mut(&id) {
            Arc::make_mut(&mut node.values).push(values);
            if let Some((_, name)) = resource.provider_name.rsplit_once('/') {
                node.provider_name = name.to_owned();
            }
        }
        if self.built.nodes.len() > MAX_RESOURCES {
            return Err(Unusable(format!(
                "The plan has more than {MAX_RESOURCES} resources."
            )));
        }
        Ok(())
    }
}
