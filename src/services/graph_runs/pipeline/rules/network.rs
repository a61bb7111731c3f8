//! Services with an address in a network: exposed if the address is public and a security group lets the internet in.

use std::collections::{BTreeMap, BTreeSet};

use super::finding::Severity;
use super::look::{Answer, at, look, named, unknown};
use super::table::Test;
use crate::services::graph_runs::pipeline::graph::{Built, Values};
use crate::services::graph_runs::pipeline::value::Value;

/// Everyone, by IPv4 and IPv6.
const WORLD: [&str; 2] = ["0.0.0.0/0", "::/0"];
/// Ports that no stranger should reach: shells, desktops, databases.
const SENSITIVE: [u16; 12] = [
    22, 1433, 1521, 2375, 3306, 3389, 5432, 5439, 6379, 9200, 11211, 27017,
];
/// Arguments that list the sources of a rule.
const SOURCES: [&str; 4] = ["cidr_blocks", "ipv6_cidr_blocks", "cidr_ipv4", "cidr_ipv6"];

/// A type of service in a network: where its arguments are.
struct Placed {
    kind: &'static str,
    /// Whether it has a public address.
    address: &'static str,
    /// Its security groups.
    groups: &'static [&'static str],
    /// Its subnet, which decides if the address is left out; without one it has none.
    subnet: Option<&'static str>,
}

const PLACED: [Placed; 3] = [
    Placed {
        kind: "aws_ecs_service",
        address: "network_configuration.assign_public_ip",
        groups: &["network_configuration.security_groups"],
        subnet: None,
    },
    Placed {
        kind: "aws_instance",
        address: "associate_public_ip_address",
        groups: &["vpc_security_group_ids", "security_groups"],
        subnet: Some("subnet_id"),
    },
    Placed {
        kind: "aws_spot_instance_request",
        address: "associate_public_ip_address",
        groups: &["vpc_security_group_ids", "security_groups"],
        subnet: Some("subnet_id"),
    },
];

/// The arguments of a launch template, which has interfaces.
const TEMPLATE_ADDRESS: &str = "network_interfaces.associate_public_ip_address";
const TEMPLATE_GROUPS: [&str; 2] = [
    "vpc_security_group_ids",
    "network_interfaces.security_groups",
];

/// What is known of the network.
#[derive(Default)]
struct Network {
    /// By security group, whether it lets the internet in.
    open: BTreeMap<String, Answer>,
    /// Rules of groups that are not known.
    stray: Option<String>,
    /// Machines and interfaces with an elastic address.
    elastic: BTreeSet<String>,
}

/// Looks at all groups first, then at the services in them.
pub fn classify(built: &mut Built, resources: &[(String, String)]) {
    let network = network(built, resources);
    for (id, type_name) in resources {
        let placed = PLACED.iter().find(|placed| placed.kind == type_name);
        for values in built.instances(id).iter() {
            let answer = match (placed, type_name.as_str()) {
                (Some(placed), _) => {
                    let address = network.address(built, id, placed, values);
                    address.and(network.groups(built, placed.groups, values))
                }
                (None, "aws_autoscaling_group") => network.of_group(built, values),
                _ => continue,
            };
            match answer {
                Answer::Yes => built.expose(id),
                Answer::No => {}
                Answer::Unknown(reason) => built.undecided(id, reason),
            }
        }
    }
}

fn network(built: &mut Built, resources: &[(String, String)]) -> Network {
    let mut network = Network::default();
    for (id, type_name) in resources {
        for values in built.instances(id).iter() {
            match type_name.as_str() {
                "aws_security_group" | "aws_default_security_group" => {
                    network.group(built, id, values);
                }
                "aws_security_group_rule" => {
                    let is_ingress = look(values, Test::Equals("type", "ingress"));
                    if is_ingress != Answer::No {
                        network.rule_of(built, values);
                    }
                }
                "aws_vpc_security_group_ingress_rule" => network.rule_of(built, values),
                "aws_eip" => {
                    let (nodes, _) = named(values, "instance");
                    let (more, _) = named(values, "network_interface");
                    network.elastic.extend(nodes.into_iter().chain(more));
                }
                "aws_eip_association" => {
                    let (nodes, _) = named(values, "instance_id");
                    let (more, _) = named(values, "network_interface_id");
                    network.elastic.extend(nodes.into_iter().chain(more));
                }
                _ => {}
            }
        }
    }
    network
}

impl Network {
    fn group(&mut self, built: &mut Built, id: &str, values: &Values) {
        let mut answer = Answer::No;
        let rules = match values.get("ingress") {
            Some(Value::List(list)) => list.iter().collect(),
            Some(one) => vec![one],
            None => Vec::new(),
        };
        for rule in rules {
            let let_in = match rule {
                Value::Map(rule) => lets_in(built, id, rule),
                Value::Null => Answer::No,
                other => unknown("ingress", other.unknown().unwrap_or("not a block")),
            };
            answer = answer.or(let_in);
        }
        self.add(id, answer);
    }

    fn rule_of(&mut self, built: &mut Built, values: &Values) {
        let (groups, others) = named(values, "security_group_id");
        for group in &groups {
            let answer = lets_in(built, group, values);
            self.add(group, answer);
        }
        if groups.is_empty() {
            self.stray = self.stray.take().or(others);
        }
    }

    fn add(&mut self, group: &str, answer: Answer) {
        let before = self.open.remove(group).unwrap_or(Answer::No);
        self.open.insert(group.to_owned(), before.or(answer));
    }

    /// Whether a service has a public address.
    fn address(&self, built: &Built, id: &str, placed: &Placed, values: &Values) -> Answer {
        if self.elastic.contains(id) {
            return Answer::Yes;
        }
        let (interfaces, _) = named(values, "network_interface.network_interface_id");
        if interfaces
            .iter()
            .any(|interface| self.elastic.contains(interface))
        {
            return Answer::Yes;
        }
        let Some(subnet) = placed
            .subnet
            .filter(|_| at(values, placed.address).is_empty())
        else {
            return look(values, Test::Is(placed.address, true, Some(false)));
        };
        self.subnet(built, values, subnet)
    }

    /// Whether a subnet gives its machines public addresses.
    fn subnet(&self, built: &Built, values: &Values, path: &str) -> Answer {
        let (subnets, others) = named(values, path);
        let mut answer = match others {
            Some(text) => unknown(path, &text),
            None if subnets.is_empty() => Answer::Unknown(format!(
                "`{path}` is left out: the default subnet decides whether it has a public address."
            )),
            None => Answer::No,
        };
        for subnet in subnets {
            let values = built.instances(&subnet);
            if values.is_empty() {
                answer = answer.or(unknown(path, &subnet));
            }
            for values in values.iter() {
                let public = Test::Is("map_public_ip_on_launch", true, Some(false));
                answer = answer.or(look(values, public));
            }
        }
        answer
    }

    /// Whether one of a service's groups lets the internet in.
    fn groups(&self, built: &Built, paths: &[&str], values: &Values) -> Answer {
        let mut answer = Answer::No;
        let mut is_empty = true;
        for path in paths {
            let (groups, others) = named(values, path);
            is_empty &= groups.is_empty() && others.is_none();
            for group in groups {
                let of_group = match self.open.get(&group) {
                    Some(answer) => answer.clone(),
                    None if built.nodes.get(&group).is_some_and(|node| {
                        node.type_name.ends_with("security_group") && node.kind.word() == "resource"
                    }) =>
                    {
                        Answer::No
                    }
                    None => unknown(path, &group),
                };
                let of_group = match (&self.stray, of_group) {
                    (Some(stray), Answer::No) => Answer::Unknown(format!(
                        "A rule's security group is not known: it is `{stray}`."
                    )),
                    (_, of_group) => of_group,
                };
                answer = answer.or(of_group);
            }
            if let Some(text) = others {
                answer = answer.or(unknown(path, &text));
            }
        }
        match is_empty {
            true => Answer::Unknown(
                "It has the network's default security group, which is not known.".to_owned(),
            ),
            false => answer,
        }
    }

    /// Machines of an autoscaling group are those of its template, in its subnets.
    fn of_group(&self, built: &Built, values: &Values) -> Answer {
        let paths = [
            "launch_template.id",
            "launch_template.name",
            "mixed_instances_policy.launch_template.launch_template_specification.launch_template_id",
            "launch_configuration",
        ];
        let (mut templates, mut others) = (Vec::new(), None);
        for path in paths {
            let (found, other) = named(values, path);
            templates.extend(found);
            others = others.or(other);
        }
        let mut answer = match others {
            Some(text) => unknown("launch_template", &text),
            None => Answer::No,
        };
        for template in templates {
            let is_template = template.contains("aws_launch_template.");
            let of = built.instances(&template);
            if of.is_empty() {
                answer = answer.or(unknown("launch_template", &template));
            }
            for template in of.iter() {
                let (path, groups): (_, &[&str]) = match is_template {
                    true => (TEMPLATE_ADDRESS, &TEMPLATE_GROUPS),
                    false => ("associate_public_ip_address", &["security_groups"]),
                };
                let address = match at(template, path).is_empty() {
                    true => self.subnet(built, values, "vpc_zone_identifier"),
                    false => look(template, Test::Is(path, true, None)),
                };
                answer = answer.or(address.and(self.groups(built, groups, template)));
            }
        }
        answer
    }
}

/// Whether a rule lets the internet in; a finding if it does.
fn lets_in(built: &mut Built, group: &str, rule: &Values) -> Answer {
    let mut answer = Answer::No;
    for path in SOURCES {
        for source in at(rule, path) {
            answer = answer.or(match source {
                Value::Text(text) => WORLD.contains(&text.as_str()).into(),
                other => unknown(path, other.unknown().unwrap_or("not a text")),
            });
        }
    }
    if answer == Answer::Yes {
        let (severity, ports) = ports(rule);
        let message = format!("It lets in everyone on the internet: {ports}.");
        built.find(severity, "open-security-group", group, message);
    }
    answer
}

fn ports(rule: &Values) -> (Severity, String) {
    let protocol = rule.get("protocol").or_else(|| rule.get("ip_protocol"));
    let protocol = protocol.and_then(Value::as_text);
    let protocol = protocol.unwrap_or_else(|| "an unknown protocol".to_owned());
    if matches!(protocol.as_str(), "-1" | "all") {
        return (Severity::High, "all ports".to_owned());
    }
    let port = |name: &str| rule.get(name).and_then(Value::as_text)?.parse::<u16>().ok();
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
