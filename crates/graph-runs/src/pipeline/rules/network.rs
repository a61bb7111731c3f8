//! Services with an address in a network: exposed if the address is public and a security group lets the internet in.

use std::collections::{BTreeMap, BTreeSet};

use super::look::{Answer, at, look, unknown};
use super::named::{CLUSTER, GROUP, MACHINE, Named, Names, SUBNET, TEMPLATE};
use super::placed::{PLACED, Placed};
use super::ports::ports;
use super::sources::{Entries, LetIn};
use super::table::{GUARDED, Guarded, Test};
use crate::pipeline::graph::{Built, EXPOSED, Values};
use crate::pipeline::value::Value;

const RULE: &str = "open-security-group";
/// The arguments of a launch template, which has interfaces.
const TEMPLATE_ADDRESS: &str = "network_interfaces.associate_public_ip_address";
const TEMPLATE_GROUPS: [&str; 2] = [
    "vpc_security_group_ids",
    "network_interfaces.security_groups",
];

/// What is known of the network.
pub struct Network<'n> {
    names: &'n Names,
    /// By security group, whether it lets the internet in.
    open: BTreeMap<String, LetIn>,
    /// By machine or interface, the groups that resources of their own attach.
    attached: BTreeMap<String, Vec<Named>>,
    /// Entries of prefix lists.
    entries: Entries,
    /// Why a rule that may let the internet in may be of any group.
    stray: Option<String>,
    /// Machines and interfaces with an elastic address.
    elastic: BTreeSet<String>,
}

impl<'n> Network<'n> {
    /// Looks at all groups.
    pub fn of(built: &mut Built, names: &'n Names, resources: &[(String, String)]) -> Self {
        let mut network = Network {
            names,
            open: BTreeMap::new(),
            attached: BTreeMap::new(),
            entries: Entries::default(),
            stray: None,
            elastic: BTreeSet::new(),
        };
        for (id, _) in resources
            .iter()
            .filter(|(_, kind)| kind == "aws_ec2_managed_prefix_list_entry")
        {
            for values in built.instances(id).iter() {
                let added = network.entries.add(built, names, (id, values));
                if let Answer::Unknown(reason) = added {
                    built.undecided(id, reason.clone());
                    network.stray.get_or_insert(reason);
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
                        network.elastic(built, (id, values), ["instance", "network_interface"]);
                    }
                    "aws_network_interface_sg_attachment" => {
                        network.attach(built, (id, values));
                    }
                    "aws_eip_association" => {
                        let paths = ["instance_id", "network_interface_id"];
                        network.elastic(built, (id, values), paths);
                    }
                    _ => {}
                }
            }
        }
        network
    }

    /// Decides whether a service in the network is exposed.
    pub fn classify(&self, built: &mut Built, id: &str, type_name: &str) {
        let placed = PLACED.iter().find(|placed| placed.kind == type_name);
        for values in built.instances(id).iter() {
            let answer = match (placed, type_name) {
                (Some(placed), _) => {
                    let address = self.address(built, id, placed, values);
                    let open = self.groups(built, placed.groups, (id, values));
                    let six = self.address_of_ipv6(built, id, placed, values);
                    address.and(open.any).or(six.and(open.six))
                }
                (None, "aws_autoscaling_group") => self.of_group(built, id, values),
                _ => return,
            };
            match answer {
                Answer::Yes => built.expose(id),
                Answer::No => built.looked(EXPOSED, id),
                Answer::Unknown(reason) => built.undecided(id, reason),
            }
        }
    }

    /// Whether the security groups of a service let the internet in; `None` if the type has none.
    pub fn guarded(
        &self,
        built: &Built,
        (id, type_name): (&str, &str),
        values: &Values,
    ) -> Option<Answer> {
        let guarded = GUARDED.iter().find(|guarded| guarded.kind == type_name)?;
        let Some(path) = guarded.cluster else {
            return Some(self.guard(built, guarded, (id, values)));
        };
        let clusters = self.names.at(built, (id, values), path, CLUSTER);
        let mut answer = match clusters.other {
            Some(text) => unknown(path, &text),
            // Nothing tells of a group that closes it.
            None if clusters.nodes.is_empty() => Answer::Yes,
            None => Answer::No,
        };
        for cluster in clusters.nodes {
            for values in built.instances(&cluster).iter() {
                answer = answer.or(self.guard(built, guarded, (&cluster, values)));
            }
        }
        Some(answer)
    }

    fn guard(&self, built: &Built, guarded: &Guarded, (id, values): (&str, &Values)) -> Answer {
        let path = guarded.groups;
        match values.get(path) {
            // Not managed here: its own arguments decide.
            None | Some(Value::Null) => Answer::Yes,
            // A network load balancer without groups takes everything; all others get the default group.
            Some(Value::List(list)) if list.is_empty() => {
                let takes_all = look(values, Test::Equals("load_balancer_type", "network"));
                takes_all.or(Answer::Unknown(format!(
                    "`{path}` is empty: it has the default security group of its network, which is not known."
                )))
            }
            Some(_) => self.groups(built, &[path], (id, values)).any,
        }
    }

    fn elastic(&mut self, built: &Built, of: (&str, &Values), paths: [&str; 2]) {
        for path in paths {
            let named = self.names.at(built, of, path, MACHINE);
            self.elastic.extend(named.nodes);
        }
    }

    fn attach(&mut self, built: &mut Built, (id, values): (&str, &Values)) {
        let path = "network_interface_id";
        let machines = self.names.at(built, (id, values), path, MACHINE);
        for machine in machines.nodes {
            let groups = self
                .names
                .at(built, (id, values), "security_group_id", GROUP);
            self.attached.entry(machine).or_default().push(groups);
        }
        if let Some(text) = machines.other
            && let Answer::Unknown(reason) = unknown(path, &text)
        {
            built.undecided(id, reason);
        }
    }

    fn group(&mut self, built: &mut Built, id: &str, values: &Values) {
        built.looked(RULE, id);
        let mut answer = LetIn::NOBODY;
        let rules = match values.get("ingress") {
            Some(Value::List(list)) => list.iter().collect(),
            Some(one) => vec![one],
            None => Vec::new(),
        };
        for rule in rules {
            let let_in = match rule {
                Value::Map(rule) => self.lets_in(built, (id, rule), id, Answer::Yes),
                Value::Null => LetIn::NOBODY,
                other => {
                    let text = other.unknown().unwrap_or("not a block");
                    let answer = unknown("ingress", text);
                    if let Answer::Unknown(reason) = &answer {
                        built.undecided_through(RULE, (id, id), reason.clone());
                    }
                    LetIn::both(answer)
                }
            };
            answer = answer.or(let_in);
        }
        self.add(id, answer);
    }

    fn rule_of(&mut self, built: &mut Built, id: &str, values: &Values, is_ingress: Answer) {
        let path = "security_group_id";
        let groups = self.names.at(built, (id, values), path, GROUP);
        for group in &groups.nodes {
            let answer = self.lets_in(built, (group, values), id, is_ingress.clone());
            self.add(group, answer);
        }
        let other = match groups.other {
            None if groups.nodes.is_empty() => "left out".to_owned(),
            None => return,
            Some(text) => text,
        };
        if self.lets_in(built, (id, values), id, is_ingress).any != Answer::No {
            let reason = format!(
                "The security group of the rule `{id}`, which may let the internet in, is not known: it is `{other}`."
            );
            built.undecided_by(RULE, id, reason.clone());
            self.stray.get_or_insert(reason);
        }
    }

    /// Whether a rule lets the internet in; a finding about its group if it does. `by` has the rule.
    fn lets_in(
        &self,
        built: &mut Built,
        (id, rule): (&str, &Values),
        by: &str,
        applies: Answer,
    ) -> LetIn {
        let answer = self.entries.let_in(built, self.names, (id, rule));
        let answer = answer.and(&applies);
        built.looked(RULE, id);
        match &answer.any {
            Answer::Yes => {
                let (severity, ports) = ports(rule);
                let message = format!("It lets in everyone on the internet: {ports}.");
                built.find_through((severity, RULE), (id, by), message);
            }
            Answer::Unknown(reason) => built.undecided_through(RULE, (id, by), reason.clone()),
            Answer::No => {}
        }
        answer
    }

    fn add(&mut self, group: &str, answer: LetIn) {
        let before = self.open.remove(group).unwrap_or(LetIn::NOBODY);
        self.open.insert(group.to_owned(), before.or(answer));
    }

    /// Whether a service has a public address.
    fn address(&self, built: &Built, id: &str, placed: &Placed, values: &Values) -> Answer {
        if self.elastic.contains(id) {
            return Answer::Yes;
        }
        let path = "network_interface.network_interface_id";
        let interfaces = self.names.at(built, (id, values), path, MACHINE);
        if interfaces
            .nodes
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
        self.subnet(built, (id, values), subnet)
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
        let subnets = self.names.at(built, (id, values), subnet, SUBNET);
        if let Some(text) = subnets.other {
            answer = answer.or(unknown(subnet, &text));
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
    fn subnet(&self, built: &Built, of: (&str, &Values), path: &str) -> Answer {
        let subnets = self.names.at(built, of, path, SUBNET);
        let mut answer = match subnets.other {
            Some(text) => unknown(path, &text),
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

    /// Whether one of a service's groups lets the internet in.
    fn groups(&self, built: &Built, paths: &[&str], of: (&str, &Values)) -> LetIn {
        let mut answer = LetIn::NOBODY;
        let mut is_empty = true;
        let mut add = |path: &str, groups: &Named| {
            let open = groups
                .nodes
                .iter()
                .map(|group| self.open.get(group).cloned());
            let open = open.map(|open| open.unwrap_or(LetIn::NOBODY)).collect();
            let mut found = LetIn::of(open, groups.is_any.then_some(path));
            if let Some(text) = &groups.other {
                found = found.or(LetIn::both(unknown(path, text)));
            }
            answer = std::mem::replace(&mut answer, LetIn::NOBODY).or(found);
        };
        for path in paths {
            let groups = self.names.at(built, of, path, GROUP);
            is_empty &= groups.nodes.is_empty() && groups.other.is_none();
            add(path, &groups);
        }
        let path = "network_interface.network_interface_id";
        let interfaces = self.names.at(built, of, path, MACHINE).nodes;
        for id in interfaces.iter().map(String::as_str).chain([of.0]) {
            for groups in self.attached.get(id).into_iter().flatten() {
                add("security_group_id", groups);
            }
        }
        match (is_empty, &self.stray) {
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
            let found = self.names.at(built, (id, values), path, TEMPLATE);
            templates.extend(found.nodes);
            others = others.or(found.other);
        }
        let mut answer = match others {
            Some(text) => unknown("launch_template", &text),
            None => Answer::No,
        };
        for template in templates {
            let is_template = template.contains("aws_launch_template.");
            let template = template.as_str();
            for of in built.instances(template).iter() {
                let (path, groups): (_, &[&str]) = match is_template {
                    true => (TEMPLATE_ADDRESS, &TEMPLATE_GROUPS),
                    false => ("associate_public_ip_address", &["security_groups"]),
                };
                let address = match at(of, path).is_empty() {
                    true => self.subnet(built, (id, values), "vpc_zone_identifier"),
                    false => look(of, Test::Is(path, true, None)),
                };
                answer = answer.or(address.and(self.groups(built, groups, (template, of)).any));
            }
        }
        answer
    }
}
