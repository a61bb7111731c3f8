//! Firewalls of Google that deny before another one of the same network allows: the lowest `priority` decides, and of equal
//! ones the one that denies. Source: "VPC firewall rules", the documentation of Google Cloud.

use super::azure::{range, word};
use super::look::{Answer, at, look, unfit};
use super::protects::{may_be_missing, unless};
use super::table::Test;
use crate::graph::{Built, Values};
use crate::value::Value;

/// A firewall of a network of Google.
pub const FIREWALL: &str = "google_compute_firewall";
/// The priority of a firewall that does not have one.
const DEFAULT: u32 = 1000;
/// The most firewalls that deny which are compared with each one that allows. Whether more of them deny is not known.
const MAX_DENIALS: usize = 100;
const SOURCES: &str = "source_ranges";
/// What limits the machines that a firewall is about, and whom it lets in besides addresses.
const LIMITS: [&str; 5] = [
    "destination_ranges",
    "source_service_accounts",
    "source_tags",
    "target_service_accounts",
    "target_tags",
];
/// The arguments that name the network.
const NETWORK: [&str; 2] = ["network", "project"];
const EVERYONE: [&str; 2] = ["0.0.0.0/0", "::/0"];

/// Firewalls that keep the internet out of all machines of a network.
#[derive(Debug, Default)]
pub struct Denials(Vec<(String, Values, bool)>);

impl Denials {
    /// Those of all networks.
    pub fn of(built: &Built, resources: &[(String, String)]) -> Self {
        let mut denials = Self::default();
        for (id, _) in resources.iter().filter(|(_, kind)| kind == FIREWALL) {
            let instances = built.instances(id);
            for values in instances.iter() {
                if denials.0.len() <= MAX_DENIALS && denies(values) != Answer::No {
                    denials
                        .0
                        .push((id.clone(), values.clone(), instances.len() > 1));
                }
            }
        }
        denials
    }

    /// Whether one of them decides before a firewall that lets the internet in.
    pub fn block(&self, built: &Built, id: &str, values: &Values) -> Answer {
        let mut answer = Answer::No;
        for (by, denial, is_of_some) in self.0.iter().take(MAX_DENIALS) {
            let covers = denies(denial)
                .and(same_network(denial, values))
                .and(comes_before(denial, values))
                .and(covers_sources(denial, values))
                .and(covers_ports(denial, values));
            answer = answer.or(match covers {
                Answer::Yes if *is_of_some => {
                    Answer::Unknown(format!("The instances of `{by}` differ."))
                }
                Answer::Yes => unless(covers, may_be_missing(built, by, id)),
                covers => covers,
            });
        }
        if self.0.len() > MAX_DENIALS {
            let reason = "A network has more firewalls that deny than are compared.";
            answer = answer.or(Answer::Unknown(reason.to_owned()));
        }
        answer
    }
}

/// Whether a firewall denies something to addresses, whatever machine it is about.
fn denies(values: &Values) -> Answer {
    let limits = LIMITS.iter().map(|path| look(values, Test::Absent(path)));
    limits
        .fold(Answer::Yes, Answer::and)
        .and(look(values, Test::Has("deny")))
        .and(look(values, Test::Internet(SOURCES, false)))
        .and(word(values, "direction", &["ingress"], true))
        .and(look(values, Test::Is("disabled", false, Some(false))))
}

fn same_network(one: &Values, other: &Values) -> Answer {
    let same = NETWORK.map(|path| match (one.get(path), other.get(path)) {
        (None | Some(Value::Null), None | Some(Value::Null)) => Answer::Yes,
        // Equal expressions have equal values.
        (Some(one), Some(other)) if one == other => Answer::Yes,
        (Some(Value::Text(_)), Some(Value::Text(_))) => Answer::No,
        (one, other) => {
            let unknown = [one, other].into_iter().flatten();
            let mut unknown =
                unknown.filter(|value| !matches!(value, Value::Text(_) | Value::Of { .. }));
            match unknown.next() {
                Some(value) => unfit(path, value, "known"),
                None => Answer::No,
            }
        }
    });
    same.into_iter().fold(Answer::Yes, Answer::and)
}

fn comes_before(denial: &Values, rule: &Values) -> Answer {
    match (priority(denial), priority(rule)) {
        // Of two with the same priority, the one that denies decides.
        (Ok(denial), Ok(rule)) => (denial <= rule).into(),
        (Err(answer), _) | (_, Err(answer)) => answer,
    }
}

/// Whether a denial is about every address of the versions that a rule is about.
fn covers_sources(denial: &Values, rule: &Values) -> Answer {
    let denied = known_sources(denial);
    let allowed = known_sources(rule);
    let [four, six] = EVERYONE.map(|everyone| denied.iter().any(|text| text == everyone));
    // What is not known may be of both versions.
    let is_whole = at(rule, SOURCES).len() == allowed.len();
    (allowed
        .iter()
        .all(|text| if text.contains(':') { six } else { four })
        && (is_whole || four && six))
        .into()
}

/// Whether every protocol and port that a rule allows is one that a denial denies.
fn covers_ports(denial: &Values, rule: &Values) -> Answer {
    let (Some(denied), Some(allowed)) = (blocks(denial, "deny"), blocks(rule, "allow")) else {
        return Answer::Unknown("What a firewall that denies is about is not known.".to_owned());
    };
    let mut answer = Answer::Yes;
    for allow in allowed {
        let denied = denied.iter().map(|deny| covers_block(deny, allow));
        answer = answer.and(denied.fold(Answer::No, Answer::or));
    }
    answer
}

/// The blocks at a path; `None` if one of them is not known.
fn blocks<'v>(values: &'v Values, path: &str) -> Option<Vec<&'v Values>> {
    let blocks = at(values, path).into_iter().map(|block| match block {
        Value::Map(block) => Some(block),
        _ => None,
    });
    blocks.collect()
}

fn covers_block(deny: &Values, allow: &Values) -> Answer {
    let protocol = at(allow, "protocol")
        .first()
        .and_then(|value| value.as_text());
    let protocol = protocol.unwrap_or_default().to_lowercase();
    let own = [protocol.as_str()];
    let is_of_all = word(deny, "protocol", &["all"], false);
    let ports: Vec<_> = at(deny, "ports").into_iter().map(range).collect();
    let ranges: Vec<_> = at(allow, "ports").into_iter().map(range).collect();
    let mut each = ranges.iter();
    let are_inside = each.all(|range| range.is_some_and(|range| is_inside(range, &ports)));
    let has_ports = ports.is_empty() || !ranges.is_empty() && are_inside;
    let is_known = ports.iter().all(Option::is_some);
    let of_ports = match (has_ports, is_known) {
        (false, false) => {
            Answer::Unknown("The ports of a firewall that denies are not known.".to_owned())
        }
        (covers, _) => covers.into(),
    };
    is_of_all
        .or(word(deny, "protocol", &own, false))
        .and(of_ports)
}

/// The priority of a firewall: a lower number comes first.
fn priority(values: &Values) -> Result<u32, Answer> {
    let found = at(values, "priority");
    let Some(value) = found.first() else {
        return Ok(DEFAULT);
    };
    let number = value.as_text().and_then(|text| text.parse().ok());
    number.ok_or_else(|| unfit("priority", value, "a number"))
}

/// The sources of a firewall, as far as they are known.
fn known_sources(values: &Values) -> Vec<String> {
    let all = at(values, SOURCES).into_iter();
    all.filter_map(Value::as_text).collect()
}

/// Whether one of the known ranges has all ports of another one.
fn is_inside(range: (u16, u16), ranges: &[Option<(u16, u16)>]) -> bool {
    let (first, last) = range;
    let mut ranges = ranges.iter().flatten();
    ranges.any(|(from, to)| *from <= first && last <= *to)
}
