//! Rules of network security groups of Azure and firewalls of Google. Both clouds take words in any case.

use super::azure::{GROUP, OF_GROUP, plain_word, range, ranges_of_azure, word};
use super::cidr;
use super::denied::{self, Denials};
use super::look::{Answer, at, closed, each_way, is_range_of_internet, look, not, unfit};
use super::named::{NETWORK_GROUP, Names};
use super::ports::{Ports, open};
use super::table::Test;
use crate::pipeline::finding::Severity;
use crate::pipeline::graph::{Built, Values};
use crate::pipeline::value::Value;

const RULE: &str = "open-security-group";
const FIREWALL: &str = "google_compute_firewall";
/// What the sources of Azure call everyone.
const ANYWHERE: [&str; 3] = ["*", "any", "internet"];

/// Whether a type is looked at here.
pub fn is_about(kind: &str) -> bool {
    [GROUP, OF_GROUP, FIREWALL].contains(&kind)
}

/// Looks at every rule.
pub fn classify(built: &mut Built, names: &Names, resources: &[(String, String)]) {
    let denials = Denials::of(built, names, resources);
    for (id, kind) in resources.iter().filter(|(_, kind)| is_about(kind)) {
        built.looked(RULE, id);
        for values in built.instances(id).iter() {
            match kind.as_str() {
                FIREWALL => decide(built, id, firewall(values), || ports_of_google(values)),
                OF_GROUP => {
                    let groups = names.at(built, (id, values), denied::GROUP_NAME, NETWORK_GROUP);
                    let block = || denials.block(built, groups.only(), (id, values));
                    let answer = unless_blocked(inbound(values), block);
                    decide(built, id, answer, || ports_of_azure(values));
                }
                _ => {
                    for rule in at(values, "security_rule") {
                        match rule {
                            Value::Map(rule) => {
                                let block = || denials.block(built, Some(id.as_str()), (id, rule));
                                let answer = unless_blocked(inbound(rule), block);
                                decide(built, id, answer, || ports_of_azure(rule));
                            }
                            Value::Choice { of, .. } if closed(of, &inbound) => {}
                            other => {
                                let answer = unfit("security_rule", other, "a block");
                                decide(built, id, answer, || (Severity::High, String::new()));
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

/// Whether a rule lets the internet in that others may block. Most rules do not, and are not compared.
fn unless_blocked(lets_in: Answer, is_blocked: impl FnOnce() -> Answer) -> Answer {
    match lets_in {
        Answer::No => Answer::No,
        lets_in => lets_in.and(not(is_blocked())),
    }
}

/// Whether a rule of Azure lets the internet in.
fn inbound(rule: &Values) -> Answer {
    let sources = ["source_address_prefix", "source_address_prefixes"];
    let everyone = |path: &'static str| {
        let range = |value: &Value| match value {
            // The names of services and the addresses are known.
            Value::Text(text) => cidr::is_internet(text).unwrap_or(false).into(),
            Value::Partial { known, .. } if known.contains('/') => {
                is_range_of_internet(path, value)
            }
            _ => Answer::No,
        };
        let is_wide = |rule: &Values| {
            let ranges = at(rule, path).into_iter().map(range);
            ranges.fold(Answer::No, Answer::or)
        };
        each_way(rule, path, &|rule| {
            plain_word(rule, path, &ANYWHERE, false).or(is_wide(rule))
        })
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
    let ranges = ranges_of_azure(rule);
    let protocol = at(rule, "protocol").first().and_then(|one| one.as_text());
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
