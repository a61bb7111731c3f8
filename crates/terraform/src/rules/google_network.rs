//! Machines of Google with a public address: the firewalls of their networks decide whether the internet gets in.
//! Source: "VPC firewall rules", the documentation of Google Cloud.

use std::collections::BTreeMap;

use super::firewalls::{firewall, unless_blocked};
use super::google_denied::{Denials, FIREWALL};
use super::look::{Answer, at, look, unfit, unknown};
use super::named::{NETWORK_OF_GOOGLE, Names, SUBNET_OF_GOOGLE};
use super::protects::{may_be_missing, unless};
use super::strays::Strays;
use super::table::Test;
use crate::graph::{Built, Values};
use crate::value::Value;

const TYPE: &str = "google_compute_instance";
const NETWORK: &str = "network";
/// A public address of an interface.
const PUBLIC: Test = Test::Any(&[Test::Has("access_config"), Test::Has("ipv6_access_config")]);
/// The ending of types that apply policies of firewalls, which are not read.
const POLICIES: &str = "_firewall_policy_association";
const UNKNOWN: &str = "The firewalls of its network decide whether the internet gets in.";
/// What limits the machines that a firewall is about, with the argument of a machine that it is compared with.
const TARGETS: [(&str, &str); 2] = [
    ("target_tags", "tags"),
    ("target_service_accounts", ACCOUNT),
];
const ACCOUNT: &str = "service_account.email";

/// A firewall that may let the internet in.
#[derive(Debug)]
struct Rule {
    id: String,
    values: Values,
    lets_in: Answer,
}

/// Firewalls that may let the internet in.
#[derive(Debug, Default)]
pub struct Firewalls {
    /// By network.
    of: BTreeMap<String, Vec<Rule>>,
    /// By the name of a network that is not in the files.
    elsewhere: BTreeMap<String, Vec<Rule>>,
    /// Why one that may let the internet in may be of any network.
    stray: Strays,
    /// Why something else may decide.
    policies: Strays,
}

impl Firewalls {
    /// Those of all networks.
    pub fn of(built: &Built, names: &Names, resources: &[(String, String)]) -> Self {
        let mut firewalls = Self::default();
        if !resources.iter().any(|(_, kind)| kind == TYPE) {
            return firewalls;
        }
        let denials = Denials::of(built, resources);
        for (id, kind) in resources {
            if kind.starts_with("google_") && kind.ends_with(POLICIES) {
                let reason = format!("The policies of firewalls that `{id}` applies are not read.");
                firewalls.policies.add(built, id, reason);
            }
            if kind != FIREWALL {
                continue;
            }
            for values in built.instances(id).iter() {
                let lets_in = firewall(values);
                let lets_in = unless_blocked(lets_in, || denials.block(built, id, values));
                if lets_in != Answer::No {
                    firewalls.add(built, names, id, values, lets_in);
                }
            }
        }
        firewalls
    }

    fn add(&mut self, built: &Built, names: &Names, id: &str, values: &Values, lets_in: Answer) {
        let rule = Rule {
            id: id.to_owned(),
            values: values.clone(),
            lets_in,
        };
        let named = names.at(built, id, values, NETWORK, NETWORK_OF_GOOGLE);
        if let Some(network) = named.only() {
            self.of.entry(network.to_owned()).or_default().push(rule);
            return;
        }
        match values.get(NETWORK) {
            // The names of networks in the files were compared with it, if these are literals.
            Some(Value::Text(name)) if named.nodes.is_empty() && !name.contains('/') => {
                self.elsewhere.entry(name.clone()).or_default().push(rule);
            }
            _ if named.is_absent => {}
            _ => {
                let reason = format!("The network of the firewall `{id}` is not known.");
                self.stray.add(built, id, reason);
            }
        }
    }

    /// Whether the firewalls of a machine let the internet in; `None` for other types.
    pub fn let_in(
        &self,
        built: &Built,
        names: &Names,
        id: &str,
        kind: &str,
        values: &Values,
    ) -> Option<Answer> {
        if kind != TYPE {
            return None;
        }
        let mut answer = Answer::No;
        for interface in at(values, "network_interface") {
            answer = answer.or(match interface {
                Value::Map(interface) => {
                    let lets_in = self.of_interface(built, names, id, interface, values);
                    look(interface, PUBLIC).and(lets_in)
                }
                other => unfit("network_interface", other, "a block"),
            });
        }
        Some(answer)
    }

    fn of_interface(
        &self,
        built: &Built,
        names: &Names,
        id: &str,
        interface: &Values,
        machine: &Values,
    ) -> Answer {
        if let Some(reason) = self.policies.about(built, id) {
            return Answer::Unknown(reason.clone());
        }
        let Some(network) = network(built, names, id, interface) else {
            let rules = match interface.get(NETWORK) {
                Some(Value::Text(name)) => self.elsewhere.get(name),
                _ => None,
            };
            // Others may be elsewhere as well.
            return open(built, rules, id, machine).or(Answer::Unknown(UNKNOWN.to_owned()));
        };
        let mut answer = open(built, self.of.get(&network), id, machine);
        if let Some(reason) = self.stray.about(built, id) {
            answer = answer.or(Answer::Unknown(reason.clone()));
        }
        let instances = built.instances(&network);
        let mut instances = instances.iter();
        let has_name = instances.all(|one| matches!(one.get("name"), Some(Value::Text(_))));
        if !has_name && !self.elsewhere.is_empty() {
            let reason = "The name of its network is not known, and a firewall may name it.";
            answer = answer.or(Answer::Unknown(reason.to_owned()));
        }
        answer
    }
}

/// The network of an interface, if it is in the files.
fn network(built: &Built, names: &Names, id: &str, interface: &Values) -> Option<String> {
    if !at(interface, NETWORK).is_empty() {
        let named = names.at(built, id, interface, NETWORK, NETWORK_OF_GOOGLE);
        return named.only().map(str::to_owned);
    }
    let subnets = names.at(built, id, interface, "subnetwork", SUBNET_OF_GOOGLE);
    let subnet = subnets.only()?;
    let instances = built.instances(subnet);
    let values = instances.first()?;
    let named = names.at(built, subnet, values, NETWORK, NETWORK_OF_GOOGLE);
    named.only().map(str::to_owned)
}

/// Whether one of these firewalls lets the internet in to a machine.
fn open(built: &Built, rules: Option<&Vec<Rule>>, id: &str, machine: &Values) -> Answer {
    let rules = rules.into_iter().flatten().map(|rule| {
        let is_there = unless(Answer::Yes, may_be_missing(built, &rule.id, id));
        let is_about = is_about(&rule.values, machine);
        rule.lets_in.clone().and(is_about).and(is_there)
    });
    rules.fold(Answer::No, Answer::or)
}

/// Whether a firewall is about a machine: it is about all of them if it has no targets.
fn is_about(rule: &Values, machine: &Values) -> Answer {
    let mut answer = None;
    for (path, own) in TARGETS {
        let targets = at(rule, path);
        if targets.is_empty() {
            continue;
        }
        let mut found = Answer::No;
        for target in targets {
            for value in at(machine, own) {
                found = found.or(are_same(path, target, own, value));
            }
        }
        if own == ACCOUNT
            && at(machine, own).is_empty()
            && !at(machine, "service_account").is_empty()
        {
            // It runs with the default account of its project.
            found = Answer::Unknown(format!("`{own}` is left out."));
        }
        answer = Some(answer.unwrap_or(Answer::No).or(found));
    }
    answer.unwrap_or(Answer::Yes)
}

/// Whether two tags or accounts are the same one.
fn are_same(path: &str, target: &Value, own: &str, value: &Value) -> Answer {
    match (target, value) {
        (Value::Text(_), Value::Text(_)) => (target == value).into(),
        // The same attribute of the same resource.
        (Value::Of { .. }, Value::Of { .. }) if target == value => Answer::Yes,
        (target, value) => match (target.unknown(), value.unknown()) {
            (Some(text), _) => unknown(path, text),
            (None, Some(text)) => unknown(own, text),
            (None, None) => unfit(own, value, "a text"),
        },
    }
}
