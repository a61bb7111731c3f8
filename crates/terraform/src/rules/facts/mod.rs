//! Rules that one resource decides by its own arguments.

mod fact;
mod guards;

use super::bindings::any_binding;
use super::documents::policy;
use super::look::{Answer, at, each_way, holds, not};
use super::named::Names;
use super::table::Test;
use super::types::{self, GRANTED, MEMBER, MEMBERS, ResourceType};
use crate::finding::Severity::{self, High, Medium};
use crate::graph::{Built, Values};
pub use fact::{Fact, fact};
use guards::{Firewalls, shut};

/// The rule about policies of resources.
pub const POLICY: &str = "public-policy";
/// The rule about buckets.
pub const BUCKET: &str = "public-bucket";
/// The rule about groups and firewalls.
pub const GROUP: &str = "open-security-group";

/// Types that give a role of Google to members, by how their names end.
const MEMBERSHIPS: [(&str, &[Test]); 2] = [("_iam_binding", MEMBERS), (OF_MEMBER, MEMBER)];
const OF_MEMBER: &str = "_iam_member";
/// The ending of types that give roles of Google by a whole policy.
const OF_POLICY: &str = "_iam_policy";
/// APIs, which anyone may call by default: a policy that lets everyone in is less severe.
const APIS: [&str; 2] = [
    "aws_api_gateway_rest_api",
    "aws_api_gateway_rest_api_policy",
];

/// The members that a type gives a role to, if it has no fact of its own.
fn membership(kind: &str) -> Option<&'static [Test]> {
    let mut ends = MEMBERSHIPS.iter().filter(|_| kind.starts_with("google_"));
    let (_, tests) = ends.find(|(end, _)| kind.ends_with(end))?;
    facts_of(kind).is_empty().then_some(tests)
}

/// The rule about a policy of Google and its severity, which are those of a single member.
fn of_policy(kind: &str) -> Option<(&'static str, Severity)> {
    let of = kind.strip_prefix("google_")?.strip_suffix(OF_POLICY)?;
    let member = format!("google_{of}{OF_MEMBER}");
    let fact = facts_of(&member).first();
    Some(fact.map_or((POLICY, High), |fact| (fact.rule, fact.severity)))
}

/// Whether a type gives a role of Google to members.
pub fn is_membership(kind: &str) -> bool {
    membership(kind).is_some() || of_policy(kind).is_some()
}

/// Whether a type is looked at here.
fn is_about(kind: &str) -> bool {
    is_membership(kind) || !facts_of(kind).is_empty() || policy_of(kind).is_some()
}

/// The argument of a type with its resource policy.
fn policy_of(kind: &str) -> Option<&'static str> {
    types::of(kind)?.policy
}

fn facts_of(kind: &str) -> &'static [Fact] {
    types::of(kind).map_or(&[], |row: &ResourceType| row.facts)
}

/// Looks at every resource that has facts.
pub fn classify(built: &mut Built, names: &Names, resources: &[(String, String)]) {
    let firewalls = Firewalls::of(built, names, resources);
    for (id, kind) in resources.iter().filter(|(_, kind)| is_about(kind)) {
        for values in built.instances(id).iter() {
            for fact in facts_of(kind) {
                let answer = holds(values, fact.tests)
                    .and(not(shut(built, names, &firewalls, id, values, kind)));
                decide(built, fact.rule, fact.severity, id, answer, fact.message);
            }
            if let Some(tests) = membership(kind) {
                decide(built, POLICY, High, id, holds(values, tests), GRANTED);
            }
            if let Some((rule, severity)) = of_policy(kind) {
                let has_everyone = any_binding(built, values, |of| holds(of, MEMBERS));
                let answer =
                    has_everyone.and(not(shut(built, names, &firewalls, id, values, kind)));
                decide(built, rule, severity, id, answer, GRANTED);
            }
            if let Some(path) = policy_of(kind) {
                by_policy(built, id, kind, values, path);
            }
        }
    }
}

fn by_policy(built: &mut Built, id: &str, kind: &str, values: &Values, path: &str) {
    let severity = if APIS.contains(&kind) { Medium } else { High };
    let answer = each_way(values, path, &|values| {
        let policies = at(values, path).into_iter();
        let answers = policies.map(|value| policy(built, value));
        answers.fold(Answer::No, Answer::or)
    });
    if let Answer::Unknown(reason) = &answer {
        for of in about(built, id) {
            let reason = format!("`{id}` is not known: {reason}");
            built.undecided_by(POLICY, &of, reason);
        }
    }
    let message = "Its policy lets everyone in.";
    decide(built, POLICY, severity, id, answer, message);
}

/// The resources with a policy that a resource such as `aws_kms_key_policy` is about.
fn about(built: &Built, id: &str) -> Vec<String> {
    if !type_of(built, id).is_some_and(|kind| kind.ends_with("_policy")) {
        return Vec::new();
    }
    let start = (id.to_owned(), String::new(), "");
    let edges = built
        .edges
        .range(start..)
        .take_while(|(from, ..)| from == id);
    let edges = edges.filter(|(_, to, edge)| {
        *edge == "reference" && type_of(built, to).is_some_and(|kind| policy_of(kind).is_some())
    });
    edges.map(|(_, to, _)| to.clone()).collect()
}

fn decide(
    built: &mut Built,
    rule: &'static str,
    severity: Severity,
    id: &str,
    answer: Answer,
    message: &str,
) {
    built.looked(rule, id);
    match answer {
        Answer::Yes => built.find(severity, rule, id, message.to_owned()),
        Answer::No => {}
        Answer::Unknown(reason) => built.undecided_by(rule, id, reason),
    }
}

fn type_of<'b>(built: &'b Built, id: &str) -> Option<&'b str> {
    let node = built.nodes.get(id)?;
    Some(&node.type_name)
}
