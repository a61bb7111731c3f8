//! Services with an address in a network: exposed if the address is public and a security group lets the internet in.

use std::collections::BTreeMap;

use super::answers::Answers;
use super::ingress::{Ingress, Port, TcpPorts};
use super::look::{Answer, at, closed, each_way, look, unknown, why_unfit};
use super::named::{GROUP, MACHINE, Named, Names, SUBNET, TEMPLATE, not_named, why_not_named};
use super::ports::ports;
use super::protects::{may_be_missing, unless};
use super::sources::{Entries, LetIn};
use super::strays::Strays;
use super::table::Test;
use super::types::{self, Placed};
use crate::graph::{Built, EXPOSED, Values};
use crate::value::Value;

const RULE: &str = "open-security-group";
/// The arguments of a launch template, which has interfaces.
const TEMPLATE_ADDRESS: &str = "network_interfaces.associate_public_ip_address";
const TEMPLATE_GROUPS: [&str; 2] = [
    "vpc_security_group_ids",
    "network_interfaces.security_groups",
];

/// What is known of the network.
pub struct Network<'n> {
    pub(super) names: &'n Names,
    /// By security group, its rules that may let the internet in.
    open: BTreeMap<String, Vec<Ingress>>,
    /// By machine or interface, the groups that resources of their own attach.
    attached: BTreeMap<String, Vec<Named>>,
    /// Entries of prefix lists.
    entries: Entries,
    /// Why a rule that may let the internet in may be of any group.
    stray: Strays,
    /// Machines and interfaces with an elastic address.
    elastic: Answers,
}

impl<'n> Network<'n> {
    /// Looks at all groups.
    pub fn of(built: &mut Built, names: &'n Names, resources: &[(String, String)]) -> Self {
        let mut network = Network {
            names,
            open: BTreeMap::new(),
            attached: BTreeMap::new(),
            entries: Entries::default(),
            stray: Strays::default(),
            elastic: Answers::default(),
        };
        // The rules below name lists, so the entries of these come first.
        for (id, _) in resources
            .iter()
            .filter(|(_, kind)| kind == "aws_ec2_managed_prefix_list_entry")
        {
            for values in built.instances(id).iter() {
                let added = network.entries.add(built, names, id, values);
                if let Answer::Unknown(reason) = added {
                    built.undecided(id, reason.clone());
                    network.stray.add(built, id, reason);
                }
            }
        }
        for (id, type_name) in resources {
            for values in built.instances(id).iter() {
                match type_name.as_str() {
                    "aws_security_group" | "aws_default_security_group" => {
                        network.group(built, id, values);
                    }
                    "aws_security_group_rule" => {
                        let is_ingress = look(values, Test::Equals("type", "ingress"));
                        network.rule_of(built, id, values, is_ingress);
                    }
                    "aws_vpc_security_group_ingress_rule" => {
                        network.rule_of(built, id, values, Answer::Yes);
                    }
                    "aws_eip" => {
                        network.elastic(built, id, values, ["instance", "network_interface"]);
                    }
                    "aws_network_interface_sg_attachment" => {
                        network.attach(built, id, values);
                    }
                    "aws_eip_association" => {
                        let paths = ["instance_id", "network_interface_id"];
                        network.elastic(built, id, values, paths);
                    }
                    _ => {}
                }
            }
        }
        network
    }

    /// Decides whether a service in the network is exposed.
    pub fn classify(&self, built: &mut Built, id: &str, type_name: &str) {
        let placed = types::of(type_name).and_then(|row| row.placed);
        for values in built.instances(id).iter() {
            let answer = match (placed, type_name) {
                (Some(placed), _) => {
                    let address = self.address(built, id, &placed, values);
                    let open = self.groups(built, placed.groups, id, values, &Port::Any);
                    let six = self.address_of_ipv6(built, id, &placed, values);
                    // IPv4 and IPv6 are two ways in, and either is enough.
                    address.and(open.any).or(six.and(open.six))
                }
                (None, types::MACHINES) => self.of_group(built, id, values),
                _ => return,
            };
            match answer {
                Answer::Yes => built.expose(id),
                Answer::No => built.looked(EXPOSED, id),
                Answer::Unknown(reason) => built.undecided(id, reason),
            }
        }
    }

    fn elastic(&mut self, built: &Built, id: &str, values: &Values, paths: [&str; 2]) {
        for path in paths {
            for machine in self.names.at(built, id, values, path, MACHINE).nodes {
                let has = match may_be_missing(built, id, &machine) {
                    Some(reason) => Answer::Unknown(reason),
                    None => Answer::Yes,
                };
                self.elastic.add(&machine, has);
            }
        }
    }

    fn attach(&mut self, built: &mut Built, id: &str, values: &Values) {
        let path = "network_interface_id";
        let machines = self.names.at(built, id, values, path, MACHINE);
        for machine in machines.nodes {
            let groups = self.names.at(built, id, values, "security_group_id", GROUP);
            self.attached.entry(machine).or_default().push(groups);
        }
        if let Some(text) = machines.other {
            built.undecided(id, why_not_named(path, &text));
        }
    }

    fn group(&mut self, built: &mut Built, id: &str, values: &Values) {
        built.looked(RULE, id);
        let rules = match values.get("ingress") {
            Some(Value::List(list)) => list.iter().collect(),
            Some(one) => vec![one],
            None => Vec::new(),
        };
        for rule in rules {
            let ingress = match rule {
                Value::Null => continue,
                Value::Choice { of, .. }
                    if closed(of, &|rule| {
                        self.entries.let_in(built, self.names, id, rule).any
                    }) =>
                {
                    continue;
                }
                Value::Map(rule) => self.lets_in(built, id, rule, id, Answer::Yes),
                other => {
                    let reason = why_unfit("ingress", other, "a block");
                    built.undecided_through(RULE, id, id, reason.clone());
                    Ingress {
                        let_in: LetIn::both(Answer::Unknown(reason)),
                        ports: TcpPorts::All,
                    }
                }
            };
            self.add(id, ingress);
        }
    }

    fn rule_of(&mut self, built: &mut Built, id: &str, values: &Values, is_ingress: Answer) {
        let path = "security_group_id";
        let groups = self.names.at(built, id, values, path, GROUP);
        for group in &groups.nodes {
            let is_there = unless(Answer::Yes, may_be_missing(built, id, group));
            let applies = is_ingress.clone().and(is_there);
            let ingress = self.lets_in(built, group, values, id, applies);
            self.add(group, ingress);
        }
        let other = match groups.other {
            _ if groups.is_absent => return,
            None if groups.nodes.is_empty() => "is left out".to_owned(),
            None => return,
            Some(text) => text,
        };
        let ingress = self.lets_in(built, id, values, id, is_ingress);
        if ingress.let_in.any != Answer::No {
            let reason = format!(
                "The security group of the rule `{id}`, which may let the internet in, is not known: it {other}."
            );
            built.undecided_by(RULE, id, reason.clone());
            self.stray.add(built, id, reason);
        }
    }

    /// Whether a rule lets the internet in; a finding about its group if it does. `by` has the rule.
    fn lets_in(
        &self,
        built: &mut Built,
        id: &str,
        rule: &Values,
        by: &str,
        applies: Answer,
    ) -> Ingress {
        let answer = self.entries.let_in(built, self.names, id, rule);
        let answer = answer.and(&applies);
        built.looked(RULE, id);
        match &answer.any {
            Answer::Yes => {
                let (severity, ports) = ports(rule);
                let message = format!("It lets in everyone on the internet: {ports}.");
                built.find_through(severity, RULE, id, by, message);
            }
            Answer::Unknown(reason) => built.undecided_through(RULE, id, by, reason.clone()),
            Answer::No => {}
        }
        Ingress {
            let_in: answer,
            ports: TcpPorts::of(rule),
        }
    }

    fn add(&mut self, group: &str, ingress: Ingress) {
        if ingress.let_in.any != Answer::No {
            self.open.entry(group.to_owned()).or_default().push(ingress);
        }
    }

    /// Whether a service has a public address.
    fn address(&self, built: &Built, id: &str, placed: &Placed, values: &Values) -> Answer {
        each_way(values, placed.address, &|values| {
            self.plain_address(built, id, placed, values)
        })
    }

    fn plain_address(&self, built: &Built, id: &str, placed: &Placed, values: &Values) -> Answer {
        let path = "network_interface.network_interface_id";
        let interfaces = self.names.at(built, id, values, path, MACHINE);
        let machines = interfaces.nodes.iter().map(String::as_str).chain([id]);
        let has_elastic = machines.map(|machine| self.elastic.of(machine));
        let has_elastic = has_elastic.fold(Answer::No, Answer::or);
        if has_elastic == Answer::Yes {
            return has_elastic;
        }
        let Some(subnet) = placed
            .subnet
            .filter(|_| at(values, placed.address).is_empty())
        else {
            return look(values, Test::Is(placed.address, true, Some(false))).or(has_elastic);
        };
        self.subnet(built, id, values, subnet).or(has_elastic)
    }

    /// Whether a machine has an address of IPv6, all of which are public.
    fn address_of_ipv6(&self, built: &Built, id: &str, placed: &Placed, values: &Values) -> Answer {
        let Some(subnet) = placed.subnet else {
            return Answer::No;
        };
        let mut answer = Answer::No;
        for path in ["ipv6_address_count", "ipv6_addresses"] {
            for value in at(values, path) {
                answer = answer.or(match value {
                    Value::Number(count) => (*count > 0.0).into(),
                    // Left out in a plan: the subnet decides.
                    Value::Unknown(text) if text == "known after apply" => Answer::No,
                    value => match value.unknown() {
                        Some(text) => unknown(path, text),
                        None => Answer::Yes,
                    },
                });
            }
        }
        let subnets = self.names.at(built, id, values, subnet, SUBNET);
        if let Some(text) = subnets.other {
            answer = answer.or(not_named(subnet, &text));
        }
        for subnet in subnets.nodes {
            for values in built.instances(&subnet).iter() {
                let assigns = Test::Is("assign_ipv6_address_on_creation", true, Some(false));
                answer = answer.or(look(values, assigns));
            }
        }
        answer
    }

    /// Whether a subnet gives its machines public addresses.
    fn subnet(&self, built: &Built, id: &str, values: &Values, path: &str) -> Answer {
        let subnets = self.names.at(built, id, values, path, SUBNET);
        let mut answer = match subnets.other {
            Some(text) => not_named(path, &text),
            None if subnets.nodes.is_empty() => Answer::Unknown(format!(
                "`{path}` is left out: the default subnet decides whether it has a public address."
            )),
            None => Answer::No,
        };
        for subnet in subnets.nodes {
            let values = built.instances(&subnet);
            for values in values.iter() {
                let public = Test::Is("map_public_ip_on_launch", true, Some(false));
                answer = answer.or(look(values, public));
            }
        }
        answer
    }

    /// Whether one of the groups that an argument names lets the internet in by a port.
    fn of_named(&self, groups: &Named, path: &str, port: &Port) -> LetIn {
        let open = groups.nodes.iter().map(|group| {
            let rules = self.open.get(group).into_iter().flatten();
            let answers = rules.map(|rule| rule.let_in.clone().and(&rule.ports.reach(port)));
            answers.fold(LetIn::NOBODY, LetIn::or)
        });
        let found = LetIn::of(open.collect(), groups.is_any.then_some(path));
        match &groups.other {
            Some(text) => found.or(LetIn::both(not_named(path, text))),
            None => found,
        }
    }

    /// Whether one of a service's groups lets the internet in by its port.
    pub(super) fn groups(
        &self,
        built: &Built,
        paths: &[&str],
        id: &str,
        values: &Values,
        port: &Port,
    ) -> LetIn {
        let mut answer = LetIn::NOBODY;
        let mut is_empty = true;
        for path in paths {
            let groups = self.names.at(built, id, values, path, GROUP);
            is_empty &= groups.nodes.is_empty() && groups.other.is_none();
            answer = answer.or(self.of_named(&groups, path, port));
        }
        let path = "network_interface.network_interface_id";
        let interfaces = self.names.at(built, id, values, path, MACHINE).nodes;
        // Groups are attached to a machine or to one of its interfaces.
        for id in interfaces.iter().map(String::as_str).chain([id]) {
            for groups in self.attached.get(id).into_iter().flatten() {
                answer = answer.or(self.of_named(groups, "security_group_id", port));
            }
        }
        match (is_empty, self.stray.about(built, id)) {
            (true, _) => answer.or(LetIn::both(Answer::Unknown(
                "It has the network's default security group, which is not known.".to_owned(),
            ))),
            (false, Some(stray)) => answer.or(LetIn::both(Answer::Unknown(stray.clone()))),
            (false, None) => answer,
        }
    }

    /// Machines of an autoscaling group are those of its template, in its subnets.
    fn of_group(&self, built: &Built, id: &str, values: &Values) -> Answer {
        let paths = [
            "launch_template.id",
            "launch_template.name",
            "mixed_instances_policy.launch_template.launch_template_specification.launch_template_id",
            "launch_configuration",
        ];
        let (mut templates, mut others) = (Vec::new(), None);
        for path in paths {
            let found = self.names.at(built, id, values, path, TEMPLATE);
            templates.extend(found.nodes);
            others = others.or(found.other);
        }
        let mut answer = match others {
            Some(text) => not_named("launch_template", &text),
            None => Answer::No,
        };
        for template in templates {
            let is_template = template.contains("aws_launch_template.");
            let template = template.as_str();
            for of in built.instances(template).iter() {
                let (path, groups): (_, &[&str]) = if is_template {
                    (TEMPLATE_ADDRESS, &TEMPLATE_GROUPS)
                } else {
                    ("associate_public_ip_address", &["security_groups"])
                };
                // Without it, the subnets of the group of machines decide.
                let address = if at(of, path).is_empty() {
                    self.subnet(built, id, values, "vpc_zone_identifier")
                } else {
                    look(of, Test::Is(path, true, None))
                };
                let open = self.groups(built, groups, template, of, &Port::Any);
                answer = answer.or(address.and(open.any));
            }
        }
        answer
    }
}
