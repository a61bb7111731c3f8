//! Rules that one resource decides by its own arguments.

mod fact;
mod guards;

use super::bindings::any_binding;
use super::documents::policy;
use super::look::{Answer, at, each_way, holds, look, not};
use super::named::Names;
use super::protects::together;
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

/// Types that give roles of Google, by how their names end.
const OF_BINDING: &str = "_iam_binding";
const OF_MEMBER: &str = "_iam_member";
const OF_POLICY: &str = "_iam_policy";
/// APIs, which anyone may call by default: a policy that lets everyone in is less severe.
const APIS: [&str; 2] = [
    "aws_api_gateway_rest_api",
    "aws_api_gateway_rest_api_policy",
];

/// How a type gives roles of Google.
enum Grants {
    /// To the members that hold these.
    Members(&'static [Test]),
    /// By a whole policy.
    Policy,
}

/// A type that gives roles of Google on something.
struct Membership {
    grants: Grants,
    /// What everyone as a member is found by: the same in every form, which is that of a single member.
    rule: &'static str,
    severity: Severity,
}

/// How a type gives roles of Google, if it has no fact of its own.
fn membership(kind: &str) -> Option<Membership> {
    let name = kind.strip_prefix("google_")?;
    let forms = [
        (OF_BINDING, Grants::Members(MEMBERS)),
        (OF_MEMBER, Grants::Members(MEMBER)),
        (OF_POLICY, Grants::Policy),
    ];
    let mut forms = forms.into_iter();
    let (of, grants) = forms.find_map(|(end, grants)| Some((name.strip_suffix(end)?, grants)))?;
    if !facts_of(kind).is_empty() {
        return None;
    }
    let member = format!("google_{of}{OF_MEMBER}");
    let fact = facts_of(&member).first();
    let (rule, severity) = fact.map_or((POLICY, High), |fact| (fact.rule, fact.severity));
    Some(Membership {
        grants,
        rule,
        severity,
    })
}

/// Whether a type gives a role of Google to members.
pub fn is_membership(kind: &str) -> bool {
    membership(kind).is_some()
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
            if let Some(of) = membership(kind) {
                let has_everyone = match of.grants {
                    Grants::Members(tests) => holds(values, tests),
                    Grants::Policy => any_binding(built, values, |of| holds(of, MEMBERS)),
                };
                let answer =
                    has_everyone.and(not(shut(built, names, &firewalls, id, values, kind)));
                decide(built, of.rule, of.severity, id, answer, GRANTED);
            }
            if let Some(path) = policy_of(kind) {
                by_policy(built, id, kind, values, path);
            }
        }
    }
}

fn by_policy(built: &mut Built, id: &str, kind: &str, values: &Values, path: &str) {
    let severity = if APIS.contains(&kind) { Medium } else { High };
    let lets_in = each_way(values, path, &|values| {
        let policies = at(values, path).into_iter();
        let answers = policies.map(|value| policy(built, value));
        answers.fold(Answer::No, Answer::or)
    });
    let answer = lets_in.and(not(is_confined(built, id, kind, values)));
    if let Answer::Unknown(reason) = &answer {
        for of in about(built, id) {
            let reason = format!("`{id}` is not known: {reason}");
            built.undecided_by(POLICY, &of, reason);
        }
    }
    let message = "Its policy lets everyone in.";
    decide(built, POLICY, severity, id, answer, message);
}

/// Whether no policy lets everyone in to what a policy is of, whatever the policy says.
fn is_confined(built: &Built, id: &str, kind: &str, values: &Values) -> Answer {
    let own = confined(kind, values);
    let of = about(built, id).into_iter().map(|of| {
        let kind = type_of(built, &of).unwrap_or_default();
        together(built, &of, |values| confined(kind, values))
    });
    // It may be about each of them.
    let all = of.reduce(Answer::and).unwrap_or(Answer::No);
    own.or(all)
}

/// The same of a resource that has a policy, by its own arguments.
fn confined(kind: &str, values: &Values) -> Answer {
    let tests = types::of(kind).map_or(&[][..], |row| row.confined);
    let answers = tests.iter().map(|test| look(values, *test));
    answers.fold(Answer::No, Answer::or)
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
