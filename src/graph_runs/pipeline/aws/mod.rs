//! Rules for AWS: what faces the internet, what stores data, and what is risky about it. Each rule says yes or
//! no only where the file tells; otherwise it leaves a note.
//! Source of arguments and their defaults: the documentation of the Terraform provider `hashicorp/aws`.

mod buckets;
mod network;
mod services;
mod values;

use std::collections::BTreeMap;

use super::build::{Built, Instances};
use super::terraform::Kind;

/// What the rules say of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Classified {
    /// Whether the internet reaches it by itself.
    pub internet_exposed: bool,
    /// Whether it stores data.
    pub datastore: bool,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Mend it now.
    High,
    /// Mend it, or know why not.
    Medium,
    /// Know it.
    Low,
}

impl Severity {
    /// As it stands in the report.
    pub fn word(self) -> &'static str {
        match self {
            Severity::High => "HIGH",
            Severity::Medium => "MEDIUM",
            Severity::Low => "LOW",
        }
    }
}

/// Something risky.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// How bad.
    pub severity: Severity,
    /// By which rule.
    pub rule: &'static str,
    /// Of which node.
    pub node: String,
    /// What, for a person to read.
    pub message: String,
}

/// The instances of each block by its id.
pub type AllInstances = BTreeMap<String, Instances>;

/// Resources of these providers are nothing in a network.
const HARMLESS: [&str; 7] = [
    "random",
    "null",
    "time",
    "tls",
    "local",
    "template",
    "terraform",
];

/// Marks every node, finds what is risky, and notes what is not known.
pub fn classify(built: &mut Built, instances: &AllInstances) {
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
                let message = format!(
                    "There are no rules for `{type_name}`: whether it faces the internet or stores data is not known."
                );
                built.note(id, message);
            }
            continue;
        }
        let datastore = services::DATASTORES.contains(&type_name.as_str());
        if let Some(node) = built.nodes.get_mut(id) {
            node.classified.datastore = datastore;
        }
        for values in instances.get(id).map_or(&[][..], |found| &found.values) {
            services::look(built, id, type_name, values);
        }
    }
    network::look(built, instances, &resources);
    buckets::look(built, instances, &resources);
    combine(built);
}

/// What two facts together are risky for.
fn combine(built: &mut Built) {
    let is = |id: &str, of: fn(Classified) -> bool| {
        built.nodes.get(id).is_some_and(|node| of(node.classified))
    };
    let mut found = Vec::new();
    for (id, node) in &built.nodes {
        if node.classified.internet_exposed && node.classified.datastore {
            found.push(Finding {
                severity: Severity::High,
                rule: "public-datastore",
                node: id.clone(),
                message: "It stores data, and the internet reaches it.".to_owned(),
            });
        }
    }
    for (from, to, _) in &built.edges {
        if is(from, |node| node.internet_exposed) && is(to, |node| node.datastore) {
            found.push(Finding {
                severity: Severity::Medium,
                rule: "exposed-uses-datastore",
                node: from.clone(),
                message: format!("The internet reaches it, and it uses `{to}`, which stores data."),
            });
        }
    }
    built.findings.extend(found);
    built.findings.sort();
    built.findings.dedup();
}

impl Built {
    fn expose(&mut self, id: &str) {
        if let Some(node) = self.nodes.get_mut(id) {
            node.classified.internet_exposed = true;
        }
    }

    fn find(&mut self, severity: Severity, rule: &'static str, node: &str, message: String) {
        self.findings.push(Finding {
            severity,
            rule,
            node: node.to_owned(),
            message,
        });
    }
}
