//! Rules: which services the internet reaches, what stores data, and what is risky about it. What a rule looks
//! at is data, in tables; a rule decides only if the files tell, and is undecided otherwise.
//! Source of arguments and their defaults: the documentation of the Terraform providers `hashicorp/aws`,
//! `hashicorp/azurerm` and `hashicorp/google`.

mod access;
mod answer;
mod answers;
mod azure;
mod azure_groups;
mod bindings;
pub mod catalog;
mod cidr;
pub mod conditions;
mod custom_roles;
mod datastores;
#[cfg(test)]
mod deciding;
mod denied;
mod documents;
mod encryption;
#[cfg(test)]
mod examples;
pub mod facts;
mod federated;
mod firewalls;
mod google_denied;
mod google_network;
mod guarded;
mod iam;
mod ingress;
mod look;
mod named;
mod network;
#[cfg(test)]
mod page;
mod paths;
mod policies;
mod ports;
mod protects;
mod refused;
mod roles;
mod routes;
mod rule;
mod servers;
mod sources;
mod strays;
mod table;
pub mod types;
mod uncertain;
mod wildcard;

use std::collections::BTreeSet;

pub use paths::{reached, walk};

use super::finding::Severity;
use super::graph::{Built, EXPOSED};
use super::terraform::Kind;
use azure_groups::Groups;
use look::{Answer, at, look};
use named::Names;
use network::Network;
use servers::Servers;

/// Marks every node, and finds what is risky and what is not decided.
pub fn classify(built: &mut Built) {
    let resources: Vec<_> = built
        .nodes
        .values()
        .filter(|node| node.kind == Kind::Resource && node.instances != Some(0))
        .map(|node| (node.id.clone(), node.type_name.clone()))
        .collect();
    for (id, type_name) in &resources {
        if let Some(node) = built.nodes.get_mut(id) {
            node.datastore = types::of(type_name).is_some_and(|row| row.stores);
        }
    }
    let names = Names::of(built);
    let network = Network::of(built, &names, &resources);
    let servers = Servers::of(built, &names, &resources);
    let groups = Groups::of(built, &names, &resources);
    let firewalls = google_network::Firewalls::of(built, &names, &resources);
    let companions = Companions {
        network,
        servers,
        groups,
        firewalls,
    };
    for (id, type_name) in &resources {
        by_table(built, &companions, id, type_name);
        companions.network.classify(built, id, type_name);
    }
    policies::classify(built, &names, &resources);
    access::connect(built, &names, &resources);
    encryption::classify(built, &resources);
    facts::classify(built, &names, &resources);
    firewalls::classify(built, &names, &resources);
    roles::classify(built, &resources);
    routes::classify(built, &names, &resources);
    iam::classify(built, &resources);
    uncertain::classify(built);
    combine(built);
    for (_, type_name) in &resources {
        if !types::is_looked_at(type_name) {
            *built.not_looked_at.entry(type_name.clone()).or_default() += 1;
        }
    }
}

/// Other resources that decide whether the internet reaches one.
struct Companions<'n> {
    network: Network<'n>,
    servers: Servers,
    groups: Groups,
    firewalls: google_network::Firewalls,
}

/// What the tables tell of one resource.
fn by_table(built: &mut Built, companions: &Companions<'_>, id: &str, type_name: &str) {
    let exposure = types::of(type_name).map_or(&[][..], |row| row.exposed);
    if exposure.is_empty() {
        return;
    }
    built.looked(EXPOSED, id);
    if type_name == "aws_lambda_function_url" {
        built.looked("unauthenticated-endpoint", id);
    }
    for values in built.instances(id).iter() {
        // Every rule of a type has to hold.
        let mut answers: Vec<_> = exposure.iter().map(|when| look(values, *when)).collect();
        if type_name == "aws_elastic_beanstalk_environment" {
            answers.push(beanstalk(values));
        }
        if !answers.is_empty() && !answers.contains(&Answer::No) {
            let names = companions.network.names;
            let (groups, firewalls) = (&companions.groups, &companions.firewalls);
            answers.extend(companions.network.guarded(built, id, type_name, values));
            answers.extend(companions.servers.open(built, id, type_name));
            answers.extend(groups.let_in(built, names, id, type_name, values));
            answers.extend(firewalls.let_in(built, names, id, type_name, values));
        }
        let unknown = answers.iter().find_map(|answer| match answer {
            Answer::Unknown(reason) => Some(reason.clone()),
            _ => None,
        });
        if answers.contains(&Answer::No) || answers.is_empty() {
            // Decided: not exposed.
        } else if let Some(reason) = unknown {
            if type_name == "aws_lambda_function_url" {
                built.undecided_by("unauthenticated-endpoint", id, reason.clone());
            }
            built.undecided(id, reason);
        } else {
            built.expose(id);
            if type_name == "aws_lambda_function_url" {
                let message = "Anyone can call the function.".to_owned();
                built.find(Severity::Medium, "unauthenticated-endpoint", id, message);
            }
        }
    }
}

/// Whether a type is a part of a datastore that gives it an address.
fn opens_cluster(type_name: &str) -> bool {
    let behind = types::of(type_name).and_then(|row| row.behind);
    behind.is_some_and(|behind| behind.cluster.is_some())
}

/// Whether an environment of Elastic Beanstalk is for the internet: one of web servers, without an internal load balancer.
fn beanstalk(values: &super::graph::Values) -> Answer {
    let mut answer = look(values, table::Test::IsNot("tier", "Worker"));
    for setting in at(values, "setting") {
        let one = match setting {
            super::value::Value::Map(setting) => {
                let is_scheme = look(setting, table::Test::Equals("name", "ELBScheme"));
                is_scheme.and(look(setting, table::Test::Equals("value", "internal")))
            }
            other => look::unfit("setting", other, "a block"),
        };
        answer = answer.and(look::not(one));
    }
    answer
}

/// Risks of several facts together.
fn combine(built: &mut Built) {
    let (mut found, mut decided) = (BTreeSet::new(), BTreeSet::new());
    for (id, node) in &built.nodes {
        let stores = node.datastore || opens_cluster(&node.type_name);
        if stores {
            decided.insert(id.clone());
        }
        if !node.internet_exposed {
            continue;
        }
        let message = if stores {
            "It stores data, and the internet reaches it."
        } else {
            "The internet reaches it."
        };
        let rule = if stores {
            (Severity::High, "public-datastore")
        } else {
            (Severity::Low, EXPOSED)
        };
        found.insert((rule, id.clone(), message.to_owned()));
    }
    let open: Vec<_> = built
        .unresolved
        .iter()
        .filter(|note| decided.contains(&note.node))
        .cloned()
        .collect();
    for note in open {
        built.undecided_by("public-datastore", &note.node, note.message);
    }
    for id in decided {
        built.looked("public-datastore", &id);
    }
    for ((severity, rule), node, message) in found {
        built.find(severity, rule, &node, message);
    }
    paths::classify(built);
    paths::note_unknown(built);
    built.findings.sort();
    built.findings.dedup();
}
