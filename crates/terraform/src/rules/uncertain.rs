//! Findings about what a resource does to another one, if it may be missing where the other one is.

use super::protects::may_be_missing;
use crate::graph::{Built, Node};
use crate::terraform::Kind;

/// How the names of types end whose resources are nothing by themselves: they open another one, or give rights to it.
const COMPANIONS: [&str; 12] = [
    "_access",
    "_access_control",
    "_acl",
    "_bucket_policy",
    "_firewall_rule",
    "_group_policy",
    "_permission",
    "_policy_attachment",
    "_role_assignment",
    "_role_policy",
    "_user_policy",
    "_key_policy",
];
/// The same of types of Google.
const OF_GOOGLE: [&str; 3] = ["_iam_binding", "_iam_member", "_iam_policy"];
/// How the names of rules about identities begin, which decide nothing about exposure.
const OF_IDENTITIES: &str = "iam-";

/// Leaves findings undecided about companions that are not known to be there.
pub fn classify(built: &mut Built) {
    for finding in std::mem::take(&mut built.findings) {
        match doubt(built, &finding.node) {
            None => built.findings.push(finding),
            Some(reason) if finding.rule.starts_with(OF_IDENTITIES) => {
                built.unsure(finding.rule, &finding.node, reason);
            }
            Some(reason) => built.undecided_by(finding.rule, &finding.node, reason),
        }
    }
}

/// Why a companion may be missing; `None` for other resources, and for one that is there whenever what it names is.
fn doubt(built: &Built, id: &str) -> Option<String> {
    let own = built.nodes.get(id)?;
    if !is_companion(own) {
        return None;
    }
    let start = (id.to_owned(), String::new(), "");
    let edges = built.edges.range(start..);
    let named = edges
        .take_while(|(from, ..)| from == id)
        .filter_map(|(_, to, _)| built.nodes.get(to))
        .filter(|node| node.kind == Kind::Resource && !is_companion(node));
    let mut doubt = None;
    let mut names_something = false;
    for node in named {
        names_something = true;
        doubt = Some(may_be_missing(built, id, &node.id)?);
    }
    if names_something {
        doubt
    } else {
        // What it is about is elsewhere, and there.
        may_be_missing(built, id, "")
    }
}

fn is_companion(node: &Node) -> bool {
    let name = &node.type_name;
    let of_google = OF_GOOGLE.iter().filter(|_| name.starts_with("google_"));
    let mut ends = COMPANIONS.iter().chain(of_google);
    ends.any(|end| name.ends_with(end))
}
