//! Rules for AWS: which services the internet reaches, what stores data, and what is risky about it. What a rule looks
//! at is data, in `table`; a rule decides only if the files tell, and is undecided otherwise.
//! Source of arguments and their defaults: the documentation of the Terraform provider `hashicorp/aws`.

mod access;
mod cidr;
mod documents;
mod finding;
mod look;
mod named;
mod network;
mod placed;
mod policies;
mod ports;
mod sources;
mod table;

use std::collections::BTreeSet;

pub use finding::{Finding, Severity, rule_text};

use super::graph::{Built, Node};
use super::terraform::Kind;
use look::{Answer, look};
use named::Names;
use network::Network;
use table::{DATASTORES, ENCRYPTION, EXPOSURE, GUARDED, HARMLESS, INHERITS};

/// Marks every node, and finds what is risky and what is not decided.
pub fn classify(built: &mut Built) {
    let resources: Vec<_> = built
        .nodes
        .values()
        .filter(|node| node.kind == Kind::Resource && node.instances != Some(0))
        .map(|node| (node.id.clone(), node.type_name.clone()))
        .collect();
    for (id, type_name) in &resources {
        let provider = type_name.split('_').next().unwrap_or_default();
        if provider != "aws" {
            if !HARMLESS.contains(&provider) {
                let message = format!("There are no rules for `{type_name}`.");
                built.undecided(id, message);
            }
            continue;
        }
        if let Some(node) = built.nodes.get_mut(id) {
            node.datastore = DATASTORES.contains(&type_name.as_str());
        }
    }
    let names = Names::of(built);
    let network = Network::of(built, &names, &resources);
    for (id, type_name) in &resources {
        by_table(built, &network, id, type_name);
        network.classify(built, id, type_name);
    }
    policies::classify(built, &names, &resources);
    access::connect(built, &names, &resources);
    combine(built);
}

/// What the tables tell of one resource.
fn by_table(built: &mut Built, network: &Network<'_>, id: &str, type_name: &str) {
    let exposure: Vec<_> = EXPOSURE
        .iter()
        .filter(|rule| rule.kind == type_name)
        .collect();
    let encryption: Vec<_> = ENCRYPTION
        .iter()
        .filter(|rule| rule.0 == type_name)
        .collect();
    if exposure.is_empty() && encryption.is_empty() {
        return;
    }
    for values in built.instances(id).iter() {
        // Every rule of a type has to hold.
        let mut answers: Vec<_> = exposure
            .iter()
            .map(|rule| look(values, rule.when))
            .collect();
        if !answers.is_empty() && !answers.contains(&Answer::No) {
            answers.extend(network.guarded(built, (id, type_name), values));
        }
        let unknown = answers.iter().find_map(|answer| match answer {
            Answer::Unknown(reason) => Some(reason.clone()),
            _ => None,
        });
        if answers.contains(&Answer::No) || answers.is_empty() {
            // Decided: not exposed.
        } else if let Some(reason) = unknown {
            built.undecided(id, reason);
        } else {
            built.expose(id);
            if type_name == "aws_lambda_function_url" {
                let message = "Anyone can call the function.".to_owned();
                built.find(Severity::Medium, "unauthenticated-endpoint", id, message);
            }
        }
        for (_, path) in &encryption {
            let is_inherited = INHERITS.iter().any(|source| values.contains_key(*source));
            match look(values, table::Test::Is(path, true, Some(false))) {
                Answer::Yes => {}
                Answer::No if is_inherited && !values.contains_key(*path) => {
                    let message = format!("`{path}` is inherited from a source that is not known.");
                    built.note(id, message);
                }
                Answer::No => {
                    let message = format!("Its data is not encrypted: `{path}` is not true.");
                    built.find(Severity::Medium, "unencrypted-datastore", id, message);
                }
                Answer::Unknown(reason) => built.note(id, reason),
            }
        }
    }
}

/// Whether a type is a part of a datastore that gives it an address.
fn opens_cluster(type_name: &str) -> bool {
    let mut guarded = GUARDED.iter();
    guarded.any(|guarded| guarded.kind == type_name && guarded.cluster.is_some())
}

/// Risks of two facts together.
fn combine(built: &mut Built) {
    let mut found = BTreeSet::new();
    for (id, node) in &built.nodes {
        if node.internet_exposed && (node.datastore || opens_cluster(&node.type_name)) {
            let message = "It stores data, and the internet reaches it.".to_owned();
            found.insert((Severity::High, "public-datastore", id.clone(), message));
        }
    }
    let is = |id: &str, of: fn(&Node) -> bool| built.nodes.get(id).is_some_and(of);
    for (from, to, _) in &built.edges {
        let uses = |node: &Node| node.internet_exposed && !opens_cluster(&node.type_name);
        if is(from, uses) && is(to, |node| node.datastore) {
            let message = format!("The internet reaches it, and it uses the datastore `{to}`.");
            found.insert((
                Severity::Medium,
                "exposed-uses-datastore",
                from.clone(),
                message,
            ));
        }
    }
    for (severity, rule, node, message) in found {
        built.find(severity, rule, &node, message);
    }
    built.findings.sort();
    built.findings.dedup();
}

impl Built {
    fn expose(&mut self, id: &str) {
        if let Some(node) = self.nodes.get_mut(id) {
            node.internet_exposed = true;
        }
    }

    fn find(&mut self, severity: Severity, rule: &'static str, node: &str, message: String) {
        self.findings.push(Finding {
            severity,
            node: node.to_owned(),
            rule,
            message,
        });
    }
}
