//! Security groups that let the world in, and the machines behind them.

use std::collections::BTreeSet;

use crate::graph_runs::pipeline::build::Built;
use crate::graph_runs::pipeline::evaluate::Value;

use super::values::{Values, blocks, flag, pointed, text, texts};
use super::{AllInstances, Severity};

/// Everyone, by IPv4 and IPv6.
const WORLD: [&str; 2] = ["0.0.0.0/0", "::/0"];
/// Ports that no stranger should reach: shells, desktops, databases.
const SENSITIVE: [u16; 12] = [
    22, 1433, 1521, 2375, 3306, 3389, 5432, 5439, 6379, 9200, 11211, 27017,
];
const GROUP: &str = "aws_security_group";

/// Looks at all groups first, then at what is behind them.
pub fn look(built: &mut Built, instances: &AllInstances, resources: &[(String, String)]) {
    for (id, type_name) in resources {
        for values in instances.get(id).map_or(&[][..], |found| &found.values) {
            match type_name.as_str() {
                GROUP | "aws_default_security_group" => {
                    for rule in blocks(built, id, values, "ingress") {
                        admit(built, id, id, rule);
                    }
                }
                "aws_security_group_rule" if text(built, id, values, "type") == Some("ingress") => {
                    admit_by(built, id, values);
                }
                "aws_vpc_security_group_ingress_rule" => admit_by(built, id, values),
                _ => {}
            }
        }
    }
    let addressed = addressed(built, instances, resources);
    for (id, type_name) in resources {
        if matches!(
            type_name.as_str(),
            "aws_instance" | "aws_spot_instance_request"
        ) {
            let values = instances.get(id).map_or(&[][..], |found| &found.values);
            for values in values {
                machine(built, id, values, &addressed);
            }
        }
    }
}

/// A rule that is a resource of its own.
fn admit_by(built: &mut Built, id: &str, values: &Values) {
    match pointed(values, "security_group_id", GROUP) {
        Some(group) => admit(built, id, &group, values),
        None => {
            admit(built, id, id, values);
            let message = "Which security group it belongs to is not known.".to_owned();
            built.note(id, message);
        }
    }
}

/// Whom a rule lets into a group.
fn admit(built: &mut Built, id: &str, group: &str, rule: &Values) {
    let mut sources = Vec::new();
    for name in ["cidr_blocks", "ipv6_cidr_blocks", "cidr_ipv4", "cidr_ipv6"] {
        sources.extend(texts(built, id, rule, name));
    }
    if !sources.iter().any(|source| WORLD.contains(source)) {
        return;
    }
    built.expose(group);
    let (severity, ports) = ports(rule);
    let message = format!("It lets in everyone on the internet: {ports}.");
    built.find(severity, "open-security-group", group, message);
}

fn ports(rule: &Values) -> (Severity, String) {
    let protocol = match rule.get("protocol").or_else(|| rule.get("ip_protocol")) {
        Some(Value::Text(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => "an unknown protocol".to_owned(),
    };
    if matches!(protocol.as_str(), "-1" | "all") {
        return (Severity::High, "all ports".to_owned());
    }
    let port = |name: &str| match rule.get(name) {
        Some(Value::Number(number)) => Some(*number as u16),
        Some(Value::Text(text)) => text.parse().ok(),
        _ => None,
    };
    match (port("from_port"), port("to_port")) {
        (Some(from), Some(to)) => {
            let severity = if SENSITIVE.iter().any(|port| (from..=to).contains(port)) {
                Severity::High
            } else if from == to && matches!(from, 80 | 443) {
                Severity::Low
            } else {
                Severity::Medium
            };
            (severity, format!("{protocol} ports {from} to {to}"))
        }
        _ => (
            Severity::Medium,
            format!("{protocol}, ports that are not known"),
        ),
    }
}

/// The machines that an elastic address is tied to.
fn addressed(
    built: &Built,
    instances: &AllInstances,
    resources: &[(String, String)],
) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (id, type_name) in resources {
        let argument = match type_name.as_str() {
            "aws_eip" => "instance",
            "aws_eip_association" => "instance_id",
            _ => continue,
        };
        let values = instances.get(id).map_or(&[][..], |found| &found.values);
        let pointed = values
            .iter()
            .filter_map(|v| pointed(v, argument, "aws_instance"));
        found.extend(pointed.filter(|machine| built.nodes.contains_key(machine)));
    }
    found
}

/// A machine is exposed where it has a public address and a group lets the world in. The address is the
/// machine's own argument, or its subnet's.
fn machine(built: &mut Built, id: &str, values: &Values, addressed: &BTreeSet<String>) {
    let is_open = |(from, to, _): &(String, String, &str)| {
        let group = built.nodes.get(to);
        from == id && group.is_some_and(|n| n.type_name == GROUP && n.classified.internet_exposed)
    };
    let behind_open = built.edges.iter().any(is_open);
    let argument = "associate_public_ip_address";
    let has_address = if addressed.contains(id) {
        Some(true)
    } else if values.contains_key(argument) {
        flag(built, id, values, (argument, Some(false)))
    } else {
        None
    };
    match (has_address, behind_open) {
        (Some(true), true) => built.expose(id),
        (None, true) => {
            let message = "A security group lets the internet in, and whether the machine has a public \
                           address is its subnet's to say.";
            built.note(id, message.to_owned());
        }
        (Some(true), false) if unknown_groups(built, id, values) => {
            let message = "It has a public address, and not all of its security groups are known.";
            built.note(id, message.to_owned());
        }
        _ => {}
    }
}

/// Whether a machine has groups that are no resource of the file.
fn unknown_groups(built: &Built, id: &str, values: &Values) -> bool {
    let named = ["vpc_security_group_ids", "security_groups"];
    let all = named.iter().filter_map(|name| values.get(*name));
    let own = built
        .edges
        .iter()
        .filter(|(from, to, _)| from == id && to.starts_with("aws_security_group."))
        .count();
    let mut count = 0;
    for value in all {
        match value {
            Value::List(list) => count += list.len(),
            _ => return true,
        }
    }
    count == 0 || count > own
}
