//! Rules of network security groups of Azure and firewalls of Google. Both clouds take words in any case.

use super::cidr;
use super::look::{Answer, at, look, may_be, unknown};
use super::ports::{Ports, open};
use super::table::Test;
use crate::pipeline::finding::Severity;
use crate::pipeline::graph::{Built, Values};
use crate::pipeline::value::{HOLE, Value};

const RULE: &str = "open-security-group";
const GROUP: &str = "azurerm_network_security_group";
const OF_GROUP: &str = "azurerm_network_security_rule";
const FIREWALL: &str = "google_compute_firewall";
/// What the sources of Azure call everyone.
const ANYWHERE: [&str; 3] = ["*", "any", "internet"];

/// Whether a type is looked at here.
pub fn is_about(kind: &str) -> bool {
    [GROUP, OF_GROUP, FIREWALL].contains(&kind)
}

/// Looks at every rule.
pub fn classify(built: &mut Built, resources: &[(String, String)]) {
    for (id, kind) in resources.iter().filter(|(_, kind)| is_about(kind)) {
        built.looked(RULE, id);
        for values in built.instances(id).iter() {
            match kind.as_str() {
                FIREWALL => decide(built, id, firewall(values), || ports_of_google(values)),
                OF_GROUP => decide(built, id, inbound(values), || ports_of_azure(values)),
                _ => {
                    for rule in at(values, "security_rule") {
                        match rule {
                            Value::Map(rule) => {
                                decide(built, id, inbound(rule), || ports_of_azure(rule));
                            }
                            other => {
                                let text = other.unknown().unwrap_or("not a block");
                                decide(built, id, unknown("security_rule", text), || {
                                    (Severity::High, String::new())
                                });
                            }
                        }
                    }
                }
            }
        }
    }
}

fn decide(built: &mut Built, id: &str, answer: Answer, ports: impl FnOnce() -> Ports) {
    match answer {
        Answer::Yes => {
            let (severity, ports) = ports();
            let message = format!("It lets in everyone on the internet: {ports}.");
            built.find(severity, RULE, id, message);
        }
        Answer::No => {}
        Answer::Unknown(reason) => built.undecided_by(RULE, id, reason),
    }
}

/// Whether one of the texts at a path is one of these words, in any case; the default if there is none.
fn word(values: &Values, path: &str, words: &[&str], default: bool) -> Answer {
    let found = at(values, path);
    if found.is_empty() {
        return default.into();
    }
    let one = |value: &Value| match value {
        Value::Text(text) => words.contains(&text.to_lowercase().as_str()).into(),
        Value::Partial { known, .. }
            if !words.iter().any(|word| may_be(&known.to_lowercase(), word)) =>
        {
            Answer::No
        }
        value => unknown(path, value.unknown().unwrap_or("not a text")),
    };
    found.into_iter().map(one).fold(Answer::No, Answer::or)
}

/// Whether a rule of Azure lets the internet in.
fn inbound(rule: &Values) -> Answer {
    let sources = ["source_address_prefix", "source_address_prefixes"];
    let everyone = |path: &'static str| {
        let range = |value: &Value| match value {
            // The names of services and the addresses are known.
            Value::Text(text) => cidr::is_internet(text).unwrap_or(false).into(),
            _ => Answer::No,
        };
        let ranges = at(rule, path).into_iter().map(range);
        ranges.fold(word(rule, path, &ANYWHERE, false), Answer::or)
    };
    let everyone = sources.map(everyone).into_iter();
    everyone
        .fold(Answer::No, Answer::or)
        .and(word(rule, "direction", &["inbound"], false))
        .and(word(rule, "access", &["allow"], false))
}

/// Whether a firewall of Google lets the internet in.
fn firewall(values: &Values) -> Answer {
    let others = ["source_tags", "source_service_accounts"];
    let others = others.map(|path| look(values, Test::Has(path)));
    let [tags, accounts] = others;
    let sources = match at(values, "source_ranges").is_empty() {
        false => look(values, Test::Internet("source_ranges", false)),
        true => match tags.or(accounts) {
            Answer::Yes => Answer::No,
            Answer::No => Answer::Unknown(
                "It names no source, and what Google makes of that is not known.".to_owned(),
            ),
            unknown => unknown,
        },
    };
    sources
        .and(word(values, "direction", &["ingress"], true))
        .and(look(values, Test::Is("disabled", false, Some(false))))
        .and(look(values, Test::Has("allow")))
}

fn ports_of_azure(rule: &Values) -> Ports {
    let paths = ["destination_port_range", "destination_port_ranges"];
    let ranges = paths.iter().flat_map(|path| at(rule, path)).map(range);
    let protocol = at(rule, "protocol").first().and_then(|one| one.as_text());
    let ranges: Vec<_> = ranges.collect();
    match ranges.is_empty() {
        true => open(protocol, &[None]),
        false => open(protocol, &ranges),
    }
}

fn ports_of_google(values: &Values) -> Ports {
    let all = at(values, "allow").into_iter().map(|allow| match allow {
        Value::Map(allow) => {
            let ranges: Vec<_> = at(allow, "ports").into_iter().map(range).collect();
            let protocol = at(allow, "protocol").first().and_then(|one| one.as_text());
            match ranges.is_empty() {
                // Without ports it is about all of them.
                true => open(protocol, &[Some((0, u16::MAX))]),
                false => open(protocol, &ranges),
            }
        }
        _ => open(None, &[None]),
    });
    let all: Vec<_> = all.collect();
    let severity = all.iter().map(|(severity, _)| *severity).min();
    let texts: Vec<_> = all.into_iter().map(|(_, text)| text).collect();
    (severity.unwrap_or(Severity::High), texts.join(", "))
}

/// The ports of `22`, `8000-9000` or `*`; `None` if they are not known.
fn range(value: &Value) -> Option<(u16, u16)> {
    let text = value.as_text().filter(|text| !text.contains(HOLE))?;
    if text == "*" {
        return Some((0, u16::MAX));
    }
    let (from, to) = text.split_once('-').unwrap_or((&text, &text));
    Some((from.trim().parse().ok()?, to.trim().parse().ok()?))
}
