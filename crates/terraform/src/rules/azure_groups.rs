//! Network interfaces of Azure with a public address: their network security groups, and those of their subnets, decide
//! whether the internet gets in.

use std::collections::BTreeMap;

use super::answers::Answers;
use super::azure::{GROUP, OF_GROUP};
use super::denied::{Denials, GROUP_NAME};
use super::firewalls::{inbound, unless_blocked};
use super::look::{Answer, at, closed, unfit};
use super::named::{AZURE_SUBNET, INTERFACE, NETWORK_GROUP, Named, Names, Subject, not_named};
use super::protects::{for_named, may_be_missing};
use super::strays::Strays;
use super::types::GROUPS;
use crate::graph::{Built, Values};
use crate::value::Value;

const TYPE: &str = "azurerm_network_interface";
/// The argument of an association that names the group.
const OF: &str = "network_security_group_id";
/// Associations of groups, with the argument that names what they are for.
const ASSOCIATIONS: [(&str, &str, Subject); 2] = [
    (
        "azurerm_network_interface_security_group_association",
        "network_interface_id",
        INTERFACE,
    ),
    (
        "azurerm_subnet_network_security_group_association",
        "subnet_id",
        AZURE_SUBNET,
    ),
];
const SUBNET: &str = "ip_configuration.subnet_id";

/// What the groups let in.
#[derive(Debug, Default)]
pub struct Groups {
    /// By group, whether one of its rules lets the internet in.
    open: Answers,
    /// The same of rules whose group is not known.
    stray: Strays,
    /// By interface or subnet, whether its group lets the internet in.
    of: BTreeMap<String, Answer>,
}

impl Groups {
    /// All groups with their associations.
    pub fn of(built: &Built, names: &Names, resources: &[(String, String)]) -> Self {
        let mut groups = Self::default();
        if !resources.iter().any(|(_, kind)| kind == TYPE) {
            return groups;
        }
        let denials = Denials::of(built, names, resources);
        for (id, kind) in resources {
            for values in built.instances(id).iter() {
                match kind.as_str() {
                    GROUP => groups.open.add(id, of_blocks(built, &denials, id, values)),
                    OF_GROUP => groups.rule(built, names, &denials, id, values),
                    _ => {}
                }
            }
        }
        for (id, kind) in resources {
            let association = ASSOCIATIONS.iter().find(|(of, ..)| of == kind);
            let Some((_, path, subject)) = association else {
                continue;
            };
            for values in built.instances(id).iter() {
                let to = names.at(built, id, values, path, *subject);
                let group = names.at(built, id, values, OF, NETWORK_GROUP);
                groups.associate(built, id, &to, &group);
            }
        }
        groups
    }

    fn rule(&mut self, built: &Built, names: &Names, denials: &Denials, id: &str, values: &Values) {
        let named = names.at(built, id, values, GROUP_NAME, NETWORK_GROUP);
        let lets_in = inbound(values);
        let lets_in = unless_blocked(lets_in, || denials.block(built, named.only(), id, values));
        if lets_in == Answer::No {
            return;
        }
        for group in &named.nodes {
            let lets_in = for_named(built, id, "group", &named, group, lets_in.clone());
            self.open.add(group, lets_in);
        }
        if !named.is_absent && (named.nodes.is_empty() || named.other.is_some()) {
            let reason = format!("The group of the rule `{}` is not known.", id);
            self.stray.add(built, id, reason);
        }
    }

    fn associate(&mut self, built: &Built, id: &str, to: &Named, group: &Named) {
        for node in &to.nodes {
            let open = match (to.only(), group.only(), may_be_missing(built, id, node)) {
                (Some(_), Some(group), None) => self.open_of(built, group),
                (_, _, Some(reason)) => Answer::Unknown(reason),
                (_, None, _) => not_named(OF, group.other.as_deref().unwrap_or("is not one")),
                (None, ..) => Answer::Unknown(format!("What `{id}` is about is not known.")),
            };
            self.of.insert(node.clone(), open);
        }
    }

    fn open_of(&self, built: &Built, group: &str) -> Answer {
        match (self.open.of(group), self.stray.about(built, group)) {
            (Answer::No, Some(reason)) => Answer::Unknown(reason.clone()),
            (open, _) => open,
        }
    }

    /// Whether the groups of an interface let the internet in; `None` for other types.
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
        let subnets = names.at(built, id, values, SUBNET, AZURE_SUBNET);
        let of_subnet = subnets.only().and_then(|subnet| self.of.get(subnet));
        let all = [self.of.get(id), of_subnet];
        let known: Vec<_> = all.into_iter().flatten().cloned().collect();
        Some(if known.is_empty() {
            Answer::Unknown(GROUPS.to_owned())
        } else {
            known.into_iter().fold(Answer::Yes, Answer::and)
        })
    }
}

/// Whether one of the blocks of a group lets the internet in.
fn of_blocks(built: &Built, denials: &Denials, id: &str, values: &Values) -> Answer {
    let path = "security_rule";
    let mut answer = Answer::No;
    for rule in at(values, path) {
        answer = answer.or(match rule {
            Value::Map(rule) => {
                unless_blocked(inbound(rule), || denials.block(built, Some(id), id, rule))
            }
            Value::Choice { of, .. } if closed(of, &inbound) => Answer::No,
            other => unfit(path, other, "a block"),
        });
    }
    answer
}
