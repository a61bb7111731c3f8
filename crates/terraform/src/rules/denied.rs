//! Rules of network security groups of Azure that deny before another one allows: of those that fit a connection, the rule
//! with the lowest `priority` decides.
//! Source: "Network security groups", the documentation of Azure.

use std::collections::{BTreeMap, HashSet};
use std::net::Ipv4Addr;

use super::azure::{GROUP, OF_GROUP, ranges_of_azure, word};
use super::look::{Answer, at, unfit};
use super::named::{NETWORK_GROUP, Names};
use super::protects::{may_be_missing, unless};
use crate::graph::{Built, Values};
use crate::value::Value;

/// The argument of a rule that names its group.
pub const GROUP_NAME: &str = "network_security_group_name";
/// The most rules of a group that are compared with each other one. Whether more of them deny is not known.
const MAX_DENIALS: usize = 100;
/// Words of sources and destinations for every address that a connection from the internet may have.
const SOURCES: [&str; 3] = ["*", "any", "internet"];
const DESTINATIONS: [&str; 3] = ["*", "any", "virtualnetwork"];
/// All addresses of IPv4.
const FOUR: &str = "0.0.0.0/0";
const SOURCE: Argument = Argument {
    one: "source_address_prefix",
    several: "source_address_prefixes",
    groups: Some("source_application_security_group_ids"),
};
const DESTINATION: Argument = Argument {
    one: "destination_address_prefix",
    several: "destination_address_prefixes",
    groups: Some("destination_application_security_group_ids"),
};
const SOURCE_PORT: Argument = Argument {
    one: "source_port_range",
    several: "source_port_ranges",
    groups: None,
};

/// An argument of a rule in its forms. Left out in all of them, it does not restrict the rule.
#[derive(Clone, Copy)]
struct Argument {
    /// With one text.
    one: &'static str,
    /// With several.
    several: &'static str,
    /// With groups of applications.
    groups: Option<&'static str>,
}

impl Argument {
    /// Its values in a rule.
    fn values(self, rule: &Values) -> Vec<&Value> {
        let paths = [self.one, self.several].into_iter();
        paths.flat_map(|path| at(rule, path)).collect()
    }

    /// Whether it has one of these words, or does not restrict a rule.
    fn has(self, rule: &Values, words: &[&str]) -> Answer {
        let mut paths = [self.one, self.several].into_iter().chain(self.groups);
        let is_left_out = paths.all(|path| at(rule, path).is_empty());
        word(rule, self.one, words, false)
            .or(word(rule, self.several, words, false))
            .or(is_left_out.into())
    }
}

/// A rule that keeps the whole internet out. What does not depend on the rule that it is compared with is looked at once.
#[derive(Debug)]
struct Denial {
    /// The node that has it.
    by: String,
    rule: Values,
    /// Whether only some of the instances of the node may have it.
    is_of_some: bool,
    /// Whether it denies from every port.
    denies: Answer,
    /// Whether it denies every address of IPv4, and every address.
    four: Answer,
    every: Answer,
    priority: Result<u32, Answer>,
    ports: Vec<Option<(u16, u16)>>,
}

/// By group, the rules that keep the whole internet out.
#[derive(Debug, Default)]
pub struct Denials(BTreeMap<String, Vec<Denial>>);

impl Denials {
    /// Those of all groups.
    pub fn of(built: &Built, names: &Names, resources: &[(String, String)]) -> Self {
        let mut denials = Self::default();
        for (id, kind) in resources {
            let instances = built.instances(id);
            if kind == GROUP {
                // A group may have very many rules: each is looked up by its text.
                let all: Vec<_> = match instances.len() {
                    0 | 1 => Vec::new(),
                    _ => instances.iter().map(rule_texts).collect(),
                };
                for one in instances.iter().flat_map(|of| at(of, "security_rule")) {
                    if let Value::Map(rule) = one {
                        let text = format!("{one:?}");
                        let is_of_all = all.iter().all(|texts| texts.contains(&text));
                        denials.add(id, id, rule, !is_of_all);
                    }
                }
            } else if kind == OF_GROUP {
                for values in instances.iter() {
                    let groups = names.at(built, id, values, GROUP_NAME, NETWORK_GROUP);
                    if let Some(group) = groups.only() {
                        denials.add(group, id, values, instances.len() > 1);
                    }
                }
            }
        }
        denials
    }

    fn add(&mut self, group: &str, by: &str, rule: &Values, is_of_some: bool) {
        let of_group = self.0.entry(group.to_owned()).or_default();
        // One more than is compared stays: it shows that there are more.
        if of_group.len() > MAX_DENIALS {
            return;
        }
        let denies = word(rule, "access", &["deny"], false).and(word(
            rule,
            "direction",
            &["inbound"],
            false,
        ));
        let four = covers_addresses(rule, SOURCE, &SOURCES, true);
        if denies.clone().and(four.clone()) == Answer::No {
            return;
        }
        of_group.push(Denial {
            by: by.to_owned(),
            is_of_some,
            denies: denies.and(SOURCE_PORT.has(rule, &["*", "0-65535"])),
            four,
            every: covers_addresses(rule, SOURCE, &SOURCES, false),
            priority: priority(rule),
            ports: ranges_of_azure(rule),
            rule: rule.clone(),
        });
    }

    /// Whether others of its group decide before a rule that lets the internet in.
    pub fn block(&self, built: &Built, group: Option<&str>, by: &str, rule: &Values) -> Answer {
        let denials = group.and_then(|group| self.0.get(group));
        let Some(denials) = denials.filter(|denials| !denials.is_empty()) else {
            return Answer::No;
        };
        let mut ranges = ranges_of_azure(rule);
        if ranges.is_empty() {
            // Ports that are not known are denied only by a rule that denies all of them.
            ranges.push(None);
        }
        let others = if denials.len() > MAX_DENIALS {
            Answer::Unknown("A group has more rules that deny than are compared.".to_owned())
        } else {
            Answer::No
        };
        let first: Vec<_> = denials.iter().take(MAX_DENIALS).collect();
        let own = priority(rule);
        let first = first.into_iter().map(|denial| {
            let before = comes_before(&denial.priority, &own);
            (denial, before.and(denial.denies.clone()))
        });
        // What comes after the rule does not block it.
        let first: Vec<_> = first.filter(|(_, before)| *before != Answer::No).collect();
        let mut all_denied = Answer::Yes;
        for range in ranges {
            let mut denied = others.clone();
            for (denial, before) in &first {
                let ports = covers_ports(&denial.ports, range).and(before.clone());
                if ports == Answer::No {
                    continue;
                }
                let denies = match ports.and(denial.covers(rule)) {
                    Answer::Yes => unless(Answer::Yes, denial.doubt(built, by)),
                    denies => denies,
                };
                denied = denied.or(denies);
            }
            all_denied = all_denied.and(denied);
        }
        all_denied
    }
}

impl Denial {
    /// Whether it is about every address, protocol and destination that a rule lets in.
    fn covers(&self, rule: &Values) -> Answer {
        let source = if is_of_four(rule) {
            &self.four
        } else {
            &self.every
        };
        source
            .clone()
            .and(covers_protocol(&self.rule, rule))
            .and(covers_destination(&self.rule, rule))
    }

    /// Why it may not be there where a rule is.
    fn doubt(&self, built: &Built, by: &str) -> Option<String> {
        if self.is_of_some {
            return Some(format!("The instances of `{}` differ.", self.by));
        }
        may_be_missing(built, &self.by, by)
    }
}

/// The priority of a rule; the answer to every comparison if there is none that is known.
fn priority(rule: &Values) -> Result<u32, Answer> {
    let path = "priority";
    match at(rule, path).first() {
        Some(value) => match value.as_text().and_then(|text| text.parse::<u32>().ok()) {
            Some(number) => Ok(number),
            None => Err(unfit(path, value, "a number")),
        },
        None => Err(Answer::No),
    }
}

fn comes_before(first: &Result<u32, Answer>, second: &Result<u32, Answer>) -> Answer {
    match (first, second) {
        (Ok(first), Ok(second)) => (first < second).into(),
        (Err(answer), _) | (_, Err(answer)) => answer.clone(),
    }
}

fn covers_protocol(denial: &Values, rule: &Values) -> Answer {
    let path = "protocol";
    covers(rule, path, &["*", "any"], |words| {
        word(denial, path, words, true)
    })
}

fn covers_destination(denial: &Values, rule: &Values) -> Answer {
    covers(rule, DESTINATION.one, &DESTINATIONS, |words| {
        covers_addresses(denial, DESTINATION, words, is_of_four(rule))
    })
}

/// Whether a denial has one of these words, or that of the rule itself, which may be unknown.
fn covers(rule: &Values, path: &str, words: &[&str], has: impl Fn(&[&str]) -> Answer) -> Answer {
    let own = at(rule, path).first().copied();
    match own.map(|value| value.as_text().ok_or(value)) {
        Some(Ok(text)) => {
            let text = text.to_lowercase();
            has(&[words, &[text.as_str()]].concat())
        }
        Some(Err(value)) => match has(words) {
            Answer::No => unfit(path, value, "a text"),
            answer => answer,
        },
        None => has(words),
    }
}

/// Whether the addresses of a denial are all that these words stand for. Those of IPv4 are all of them only for a rule that is
/// about IPv4 alone.
fn covers_addresses(
    denial: &Values,
    argument: Argument,
    words: &[&str],
    is_of_four: bool,
) -> Answer {
    let whole = argument.has(denial, words);
    match argument.has(denial, &[words, &[FOUR]].concat()) {
        Answer::Yes if whole != Answer::Yes && !is_of_four => Answer::Unknown(format!(
            "`{}` of a rule that denies is of IPv4 alone, and the internet may come by IPv6.",
            argument.one
        )),
        answer => answer,
    }
}

/// Whether a rule lets in by IPv4 alone: a connection has the same version of the protocol at both ends.
fn is_of_four(rule: &Values) -> bool {
    [SOURCE, DESTINATION].into_iter().any(|argument| {
        let all = argument.values(rule);
        !all.is_empty() && all.iter().all(|value| is_four(value))
    })
}

fn covers_ports(ranges: &[Option<(u16, u16)>], range: Option<(u16, u16)>) -> Answer {
    if ranges.is_empty() {
        return Answer::Yes;
    }
    let mut answer = Answer::No;
    for of in ranges.iter() {
        answer = answer.or(match (of, range) {
            (Some((0, u16::MAX)), _) => Answer::Yes,
            (Some((from, to)), Some((first, last))) => (*from <= first && last <= *to).into(),
            (Some(_), None) => Answer::Unknown(
                "The ports of a rule that others may deny are not known.".to_owned(),
            ),
            (None, _) => {
                Answer::Unknown("The ports of a rule that denies are not known.".to_owned())
            }
        });
    }
    answer
}

/// Whether a value is an address of IPv4, or a range of them.
fn is_four(value: &Value) -> bool {
    let Value::Text(text) = value else {
        return false;
    };
    let address = text.split('/').next().unwrap_or_default();
    address.trim().parse::<Ipv4Addr>().is_ok()
}

/// The rules of an instance of a group as texts.
fn rule_texts(values: &Values) -> HashSet<String> {
    let rules = at(values, "security_rule").into_iter();
    rules.map(|rule| format!("{rule:?}")).collect()
}
