//! Whether the internet reaches a node, and why: the findings, the arguments and the other resources that decide it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use super::verdict::Verdict;
use crate::difference::is_redacted;
use crate::finding::Severity;
use crate::graph::{Built, EXPOSED, Node};
use crate::rules::types;
use crate::terraform::Kind;

/// The rules about who gets in to a resource.
const PUBLIC: [&str; 5] = [
    EXPOSED,
    "public-bucket",
    "public-datastore",
    "public-policy",
    "public-queue",
];
/// Those by which one resource lets everyone in to another one.
const ABOUT_OTHERS: [&str; 3] = ["public-bucket", "public-policy", "public-queue"];
/// The rule about groups and firewalls, which let the internet in to others.
const GROUP: &str = "open-security-group";

/// What is known of the exposure of all nodes.
pub struct Exposures<'b> {
    built: &'b Built,
    /// What lets someone in to a node, by what is found or undecided of the node itself.
    own: BTreeMap<&'b str, Vec<Said<'b>>>,
    /// The nodes that have an edge to a node or from it.
    neighbours: BTreeMap<&'b str, BTreeSet<&'b str>>,
    /// The nodes of which the rule about exposure itself decides.
    looked: BTreeSet<&'b str>,
}

/// Something that a rule says of a node.
struct Said<'b> {
    rule: &'b str,
    verdict: Verdict,
    message: String,
}

/// Whether the internet reaches a node, and why.
pub struct Exposure {
    pub verdict: Verdict,
    pub reasons: Vec<String>,
}

impl<'b> Exposures<'b> {
    pub fn of(built: &'b Built) -> Self {
        let mut exposures = Self {
            built,
            own: BTreeMap::new(),
            neighbours: BTreeMap::new(),
            looked: BTreeSet::new(),
        };
        for finding in &built.findings {
            // A less severe one says that someone else gets in, or that others may open it.
            let verdict = if finding.severity == Severity::High || finding.rule == EXPOSED {
                Verdict::Yes
            } else {
                Verdict::Unknown
            };
            exposures.say(
                &finding.node,
                finding.rule,
                verdict,
                finding.message.clone(),
            );
        }
        for (finding, reason) in &built.suppressed {
            let message = format!("{} (suppressed: {reason})", finding.message);
            exposures.say(&finding.node, finding.rule, Verdict::Unknown, message);
        }
        for note in built.undecided_notes() {
            // The graph has a group as unresolved whose rules are not known.
            let rule = note
                .rule
                .map_or("", |rule| if rule == GROUP { EXPOSED } else { rule });
            exposures.say(&note.node, rule, Verdict::Unknown, note.message.clone());
        }
        for (from, to, kind) in &built.edges {
            if *kind == "reference" {
                exposures.neighbours.entry(from).or_default().insert(to);
                exposures.neighbours.entry(to).or_default().insert(from);
            }
        }
        let looked = built.looked.iter().filter(|(rule, _)| *rule == EXPOSED);
        exposures.looked = looked.map(|(_, node)| node.as_str()).collect();
        exposures
    }

    fn say(&mut self, node: &'b str, rule: &'b str, verdict: Verdict, message: String) {
        if PUBLIC.contains(&rule) || rule == GROUP {
            self.own.entry(node).or_default().push(Said {
                rule,
                verdict,
                message,
            });
        }
    }

    /// Whether the internet reaches a node, and why.
    pub fn of_node(&self, node: &Node) -> Exposure {
        let mut said: Vec<(Verdict, String)> = Vec::new();
        if node.internet_exposed {
            said.extend(arguments(node).map(|reason| (Verdict::Yes, reason)));
            said.extend(self.groups(&node.id));
        }
        for own in self.own.get(node.id.as_str()).into_iter().flatten() {
            // These two say that it is exposed, and not why.
            let says_why = !matches!(own.rule, EXPOSED | "public-datastore");
            if PUBLIC.contains(&own.rule) && (says_why || own.verdict != Verdict::Yes) {
                said.push((own.verdict, own.message.clone()));
            }
        }
        if !self.looked.contains(node.id.as_str()) {
            said.extend(self.carriers(node));
        }
        let is_looked_at = node.kind == Kind::Resource && types::is_looked_at(&node.type_name);
        if node.kind == Kind::Resource && !is_looked_at {
            let reason = format!("No rule looks at {}.", node.type_name);
            said.push((Verdict::Unknown, reason));
        }
        let has = |verdict| said.iter().any(|(one, _)| *one == verdict);
        let verdict = if node.internet_exposed || has(Verdict::Yes) {
            Verdict::Yes
        } else if has(Verdict::Unknown) || !is_looked_at {
            Verdict::Unknown
        } else {
            Verdict::No
        };
        let reasons = said.into_iter().filter(|(one, _)| *one == verdict);
        let mut reasons: Vec<_> = reasons.map(|(_, reason)| reason).collect();
        reasons.dedup();
        Exposure { verdict, reasons }
    }

    /// The groups and firewalls beside a node that let the internet in.
    fn groups(&self, id: &str) -> Vec<(Verdict, String)> {
        let mut found = Vec::new();
        for other in self.neighbours.get(id).into_iter().flatten() {
            let said = self.own.get(other).into_iter().flatten();
            for said in said.filter(|said| said.rule == GROUP) {
                found.push((said.verdict, format!("{other}: {}", said.message)));
            }
        }
        found
    }

    /// What resources such as `google_storage_bucket_iam_member` say of what they name, if no rule about exposure looks at that.
    fn carriers(&self, node: &Node) -> Vec<(Verdict, String)> {
        let mut found = Vec::new();
        for by in self.neighbours.get(node.id.as_str()).into_iter().flatten() {
            let Some(other) = self.built.nodes.get(*by) else {
                continue;
            };
            let refers = (other.id.clone(), node.id.clone(), "reference");
            if !self.built.edges.contains(&refers) || !is_of_service(other, node) {
                continue;
            }
            let said = self.own.get(by).into_iter().flatten();
            for said in said.filter(|said| ABOUT_OTHERS.contains(&said.rule)) {
                found.push((said.verdict, format!("{by}: {}", said.message)));
            }
        }
        found
    }
}

/// Whether two types are of the same service of a provider: `aws_kms_key` and `aws_kms_key_policy`.
fn is_of_service(one: &Node, other: &Node) -> bool {
    let of = |node: &Node| {
        let parts = node.type_name.splitn(3, '_').take(2).map(str::to_owned);
        parts.collect::<Vec<_>>()
    };
    of(one) == of(other)
}

/// The arguments that decide that a node is exposed.
fn arguments(node: &Node) -> impl Iterator<Item = String> {
    let row = types::of(&node.type_name);
    let tests = row.map_or(&[][..], |row| row.exposed);
    let behind = row.and_then(|row| row.behind).map(|behind| behind.groups);
    let placed = row.and_then(|row| row.placed);
    let groups = placed.map_or(&[][..], |placed| placed.groups);
    let address = placed.map(|placed| placed.address);
    let others = groups.iter().copied().chain(address).chain(behind);
    let paths = tests.iter().flat_map(|test| test.paths());
    let paths: BTreeSet<_> = paths.chain(others.map(str::to_owned)).collect();
    paths.into_iter().map(|path| {
        let values = at(&node.attributes, &path);
        if values.is_empty() {
            return format!("`{path}` is left out.");
        }
        if values.iter().any(|value| is_redacted(value)) {
            return format!("`{path}` is given.");
        }
        let values: Vec<_> = values.iter().map(ToString::to_string).collect();
        format!("`{path}` is {}.", values.join(", "))
    })
}

/// The values at a path through blocks.
fn at<'j>(value: &'j Json, path: &str) -> Vec<&'j Json> {
    let Some((name, rest)) = path.split_once('.') else {
        return value.get(path).into_iter().collect();
    };
    match value.get(name) {
        Some(Json::Array(blocks)) => blocks.iter().flat_map(|block| at(block, rest)).collect(),
        Some(block) => at(block, rest),
        None => Vec::new(),
    }
}
