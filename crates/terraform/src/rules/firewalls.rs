//! Rules of network security groups of Azure and firewalls of Google. Both clouds take words in any case.

use super::azure::{GROUP, OF_GROUP, plain_word, range, ranges_of_azure, word};
use super::cidr;
use super::denied::{self, Denials};
use super::google_denied::{self, FIREWALL};
use super::look::{Answer, at, closed, each_way, is_range_of_internet, look, not, unfit};
use super::named::{NETWORK_GROUP, Names};
use super::ports::{Ports, open};
use super::table::Test;
use crate::finding::Severity;
use crate::graph::{Built, Values};
use crate::value::Value;

const RULE: &str = "open-security-group";
/// What the sources of Azure call everyone.
const ANYWHERE: [&str; 3] = ["*", "any", "internet"];
/// What they call the addresses of Azure.
const OF_AZURE: &str = "azurecloud";
const SOURCES: [&str; 2] = ["source_address_prefix", "source_address_prefixes"];

/// Whether a type is looked at here.
pub fn is_about(kind: &str) -> bool {
    [GROUP, OF_GROUP, FIREWALL].contains(&kind)
}

/// Looks at every rule.
pub fn classify(built: &mut Built, names: &Names, resources: &[(String, String)]) {
    let denials = Denials::of(built, names, resources);
    let google = google_denied::Denials::of(built, resources);
    for (id, kind) in resources.iter().filter(|(_, kind)| is_about(kind)) {
        built.looked(RULE, id);
        for values in built.instances(id).iter() {
            match kind.as_str() {
                FIREWALL => {
                    let lets_in = firewall(values);
                    let answer = unless_blocked(lets_in, || google.block(built, id, values));
                    decide(built, id, answer, || ports_of_google(values));
                }
                OF_GROUP => {
                    let groups = names.at(built, id, values, denied::GROUP_NAME, NETWORK_GROUP);
                    of_azure(built, id, values, |built| {
                        denials.block(built, groups.only(), id, values)
                    });
                }
                _ => {
                    for rule in at(values, "security_rule") {
                        match rule {
                            Value::Map(rule) => {
                                of_azure(built, id, rule, |built| {
                                    denials.block(built, Some(id.as_str()), id, rule)
                                });
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

/// Looks at a rule of Azure that others may block.
fn of_azure(built: &mut Built, id: &str, rule: &Values, is_blocked: impl Fn(&Built) -> Answer) {
    let answer = unless_blocked(inbound(rule), || is_blocked(built));
    decide(built, id, answer, || ports_of_azure(rule));
    if unless_blocked(from_azure(rule), || is_blocked(built)) == Answer::Yes {
        let (_, ports) = ports_of_azure(rule);
        let message = format!(
            "It lets in every service and machine of Azure, also those of other customers: {ports}."
        );
        built.find(Severity::Medium, RULE, id, message);
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
pub fn unless_blocked(lets_in: Answer, is_blocked: impl FnOnce() -> Answer) -> Answer {
    match lets_in {
        Answer::No => Answer::No,
        lets_in => lets_in.and(not(is_blocked())),
    }
}

/// Whether a rule of Azure lets in all of Azure, everywhere or in a region. An unknown source is undecided already.
fn from_azure(rule: &Values) -> Answer {
    let mut sources = SOURCES.iter().flat_map(|path| at(rule, path));
    let is_azure = sources.any(|value| match value {
        Value::Text(text) => text.to_lowercase().split('.').next() == Some(OF_AZURE),
        _ => false,
    });
    Answer::from(is_azure).and(allows(rule))
}

fn allows(rule: &Values) -> Answer {
    word(rule, "direction", &["inbound"], false).and(word(rule, "access", &["allow"], false))
}

/// Whether a rule of Azure lets the internet in.
pub fn inbound(rule: &Values) -> Answer {
    let mut answer = Answer::No;
    for path in SOURCES {
        answer = answer.or(each_way(rule, path, &|rule| {
            plain_word(rule, path, &ANYWHERE, false).or(has_wide_range(rule, path))
        }));
    }
    answer.and(allows(rule))
}

/// Whether one of the ranges at a path is of the internet.
fn has_wide_range(rule: &Values, path: &str) -> Answer {
    let mut answer = Answer::No;
    for value in at(rule, path) {
        answer = answer.or(match value {
            // The names of services and the addresses are known.
            Value::Text(text) => cidr::is_internet(text).unwrap_or(false).into(),
            Value::Partial { known, .. } if known.contains('/') => {
                is_range_of_internet(path, value)
            }
            _ => Answer::No,
        });
    }
    answer
}

/// Whether a firewall of Google lets the internet in.
pub fn firewall(values: &Values) -> Answer {
    let others = ["source_tags", "source_service_accounts"];
    let others = others.map(|path| look(values, Test::Has(path)));
    let [tags, accounts] = others;
    let sources = if !at(values, "source_ranges").is_empty() {
        look(values, Test::Internet("source_ranges", false))
    } else {
        match tags.or(accounts) {
            Answer::Yes => Answer::No,
            Answer::No => Answer::Unknown(
                "It names no source, and what Google makes of that is not known.".to_owned(),
            ),
            unknown => unknown,
        }
    };
    sources
        .and(word(values, "direction", &["ingress"], true))
        .and(look(values, Test::Is("disabled", false, Some(false))))
        .and(look(values, Test::Has("allow")))
}

fn ports_of_azure(rule: &Values) -> Ports {
    let ranges = ranges_of_azure(rule);
    let protocol = at(rule, "protocol").first().and_then(|one| one.as_text());
    if ranges.is_empty() {
        open(protocol, &[None])
    } else {
        open(protocol, &ranges)
    }
}

fn ports_of_google(values: &Values) -> Ports {
    let all = at(values, "allow").into_iter().map(|allow| match allow {
        Value::Map(allow) => {
            let ranges: Vec<_> = at(allow, "ports").into_iter().map(range).collect();
            let protocol = at(allow, "protocol").first().and_then(|one| one.as_text());
            if ranges.is_empty() {
                // Without ports, the block is about all of them.
                open(protocol, &[Some((0, u16::MAX))])
            } else {
                open(protocol, &ranges)
            }
        }
        _ => open(None, &[None]),
    });
    let all: Vec<_> = all.collect();
    let severity = all.iter().map(|(severity, _)| *severity).min();
    let texts: Vec<_> = all.into_iter().map(|(_, text)| text).collect();
    (severity.unwrap_or(Severity::High), texts.join(", "))
}
