//! What a change of the files changes: findings, the attributes that decide them, and the ways from the internet.

mod attributes;
mod json;
mod markdown;
mod moved;
mod readable;
mod sarif;

use std::collections::{BTreeMap, BTreeSet};

pub use attributes::{AttributeChange, changed_attributes};
pub use moved::follow;

use serde_json::Value as Json;

use super::finding::Finding;
use super::graph::{Built, Node, Note};
use super::rules::types;
use super::terraform::Kind;
use super::value::SENSITIVE;
use readable::Unreadable;

/// What differs between two analyses with the same key of hashes.
#[derive(Debug)]
pub struct Difference<'b> {
    /// The analysis before.
    pub base: &'b Built,
    /// The analysis after.
    pub head: &'b Built,
    /// Findings that only the second one has.
    pub new: Vec<FindingChange<'b>>,
    /// Findings that only the first one has.
    pub gone: Vec<FindingChange<'b>>,
    /// Findings of modules that only the second one can read.
    pub now_read: Vec<&'b Finding>,
    /// Findings that only the first one has, of what the second one cannot read or decide.
    pub not_known: Vec<&'b Finding>,
    /// What only the second one leaves undecided.
    pub undecided: Vec<&'b Note>,
    /// What only the first one leaves undecided.
    pub decided: Vec<&'b Note>,
    /// Ways from the internet that only the second one has.
    pub new_ways: Vec<Way>,
    /// Ways from the internet that only the first one has.
    pub gone_ways: Vec<Way>,
    /// Resources that are in both, with the attributes that differ and whose values are kept.
    pub changed: BTreeMap<&'b str, Vec<AttributeChange>>,
    /// Resources that rules look at and that only the second one has.
    pub added: Vec<&'b str>,
    /// Resources that rules look at and that only the first one has.
    pub removed: Vec<&'b str>,
    /// Files that only the second one cannot read, and its root modules that cannot be analyzed, each with the reason.
    pub unread: Vec<(&'b str, &'b str)>,
}

/// A finding that only one of two analyses has, and what it may come from.
#[derive(Debug)]
pub struct FindingChange<'b> {
    /// The finding.
    pub finding: &'b Finding,
    /// What has changed of its resource, and of those that name it or that it names.
    pub causes: Vec<Cause<'b>>,
}

/// What has changed of one resource.
#[derive(Debug)]
pub struct Cause<'b> {
    /// The resource.
    pub node: &'b str,
    /// How.
    pub how: How,
}

/// How a resource has changed.
#[derive(Debug)]
pub enum How {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// Attributes of it that decide findings.
    Changed(Vec<AttributeChange>),
}

/// The shortest way from the internet to a node: the nodes, beginning with the one that the internet reaches.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Way(pub Vec<String>);

/// What differs from one analysis to another.
pub fn difference<'b>(base: &'b Built, head: &'b Built) -> Difference<'b> {
    let changed = changed(base, head);
    let unread = Unreadable::only_in(head, base);
    let read = Unreadable::absent_only_in(base, head);
    let (now_read, new): (Vec<_>, Vec<_>) = only_in(head, base)
        .into_iter()
        .partition(|finding| read.explains(finding));
    let left_open = decisions(head);
    let (not_known, gone): (Vec<_>, Vec<_>) =
        only_in(base, head).into_iter().partition(|finding| {
            unread.explains(finding)
                || unread.touches(&finding.node)
                || left_open.contains(&(Some(finding.rule), finding.node.as_str()))
        });
    let mut decided = notes_only_in(base, head);
    decided.retain(|note| !unread.has(&note.node));
    let mut undecided = notes_only_in(head, base);
    undecided.retain(|note| !read.has(&note.node));
    let (base_ways, head_ways) = (ways(base), ways(head));
    let mut new_ways = ways_only_in(&head_ways, &base_ways);
    new_ways.retain(|way| !way.0.iter().any(|node| read.has(node)));
    let mut gone_ways = ways_only_in(&base_ways, &head_ways);
    gone_ways.retain(|way| {
        let mut nodes = way.0.iter();
        !nodes.any(|node| unread.has(node) || unread.touches(node))
    });
    let mut added = nodes_only_in(head, base);
    added.retain(|node| !read.has(node));
    let mut removed = nodes_only_in(base, head);
    removed.retain(|node| !unread.has(node));
    Difference {
        base,
        head,
        new: with_causes(base, head, &changed, new),
        gone: with_causes(base, head, &changed, gone),
        now_read,
        not_known,
        undecided,
        decided,
        new_ways,
        gone_ways,
        added,
        removed,
        unread: unread.files,
        changed,
    }
}

fn only_in<'b>(built: &'b Built, other: &Built) -> Vec<&'b Finding> {
    let others: BTreeSet<&Finding> = other.findings.iter().collect();
    let all = built.findings.iter();
    all.filter(|finding| !others.contains(finding)).collect()
}

/// Findings with what may have caused that only one analysis has them.
fn with_causes<'b>(
    base: &'b Built,
    head: &'b Built,
    changed: &BTreeMap<&'b str, Vec<AttributeChange>>,
    findings: Vec<&'b Finding>,
) -> Vec<FindingChange<'b>> {
    let all = findings.into_iter().map(|finding| FindingChange {
        finding,
        causes: causes(base, head, changed, &finding.node),
    });
    all.collect()
}

/// Which rule is undecided for which node.
fn decisions(built: &Built) -> BTreeSet<(Option<&str>, &str)> {
    let notes = built.undecided_notes();
    let decisions = notes.map(|note| (note.rule, note.node.as_str()));
    decisions.collect()
}

/// What one analysis leaves undecided and the other one does not: the same rule of the same node, whatever the reason.
fn notes_only_in<'b>(built: &'b Built, other: &Built) -> Vec<&'b Note> {
    let others = decisions(other);
    let mut seen = BTreeSet::new();
    let mut only = Vec::new();
    for note in built.undecided_notes() {
        let which = (note.rule, note.node.as_str());
        if !others.contains(&which) && seen.insert(which) {
            only.push(note);
        }
    }
    only
}

/// The resources that rules look at, or that decide about others, and that only one analysis has.
fn nodes_only_in<'b>(built: &'b Built, other: &Built) -> Vec<&'b str> {
    let looked: BTreeSet<&str> = built.looked.iter().map(|(_, node)| node.as_str()).collect();
    let all = built.nodes.values().filter(|node| {
        let decides = types::kept(&node.type_name).names().next().is_some();
        node.kind == Kind::Resource
            && node.instances != Some(0)
            && !other.nodes.contains_key(&node.id)
            && (decides || looked.contains(node.id.as_str()))
    });
    all.map(|node| node.id.as_str()).collect()
}

/// By resource that is in both, the attributes that differ and whose values are kept.
fn changed<'b>(base: &'b Built, head: &Built) -> BTreeMap<&'b str, Vec<AttributeChange>> {
    let mut found = BTreeMap::new();
    for (id, before) in &base.nodes {
        let Some(after) = head.nodes.get(id) else {
            continue;
        };
        let changes = readable(before, after);
        if !changes.is_empty() {
            found.insert(id.as_str(), changes);
        }
    }
    found
}

/// The attributes of a node that differ and whose values are kept, which those are that decide findings.
fn readable(before: &Node, after: &Node) -> Vec<AttributeChange> {
    let mut changes = changed_attributes(&before.attributes, &after.attributes);
    changes.retain(|change| {
        let mut sides = [&change.before, &change.after].into_iter().flatten();
        !sides.any(is_redacted)
    });
    for change in &mut changes {
        change.before = change.before.take().map(shown);
        change.after = change.after.take().map(shown);
    }
    // Of what is shown, nothing may differ.
    changes.retain(|change| change.before != change.after);
    changes
}

/// What stands for a value that is not kept, in a block of which others are.
const REDACTED: &str = "(redacted)";

/// A block or a list with the values in it that are kept.
fn shown(value: Json) -> Json {
    match value {
        Json::Object(members) => {
            let members = members.into_iter();
            Json::Object(members.map(|(name, value)| (name, shown(value))).collect())
        }
        Json::Array(list) => Json::Array(list.into_iter().map(shown).collect()),
        text if is_redacted_text(&text) => Json::String(REDACTED.to_owned()),
        value => value,
    }
}

/// Whether nothing of a value is kept but its hash.
pub fn is_redacted(value: &Json) -> bool {
    match value {
        Json::Object(members) => !members.is_empty() && members.values().all(is_redacted),
        Json::Array(list) => !list.is_empty() && list.iter().all(is_redacted),
        text => is_redacted_text(text),
    }
}

/// Whether a text is the hash of one, or says that it is secret.
fn is_redacted_text(value: &Json) -> bool {
    let text = value.as_str();
    text.is_some_and(|text| text.contains("sha256:") || text.contains(SENSITIVE))
}

/// What has changed of a node and of its neighbours.
fn causes<'b>(
    base: &'b Built,
    head: &'b Built,
    changed: &BTreeMap<&'b str, Vec<AttributeChange>>,
    node: &str,
) -> Vec<Cause<'b>> {
    let mut near = BTreeSet::new();
    // What is gone has edges in the first analysis only.
    for built in [base, head] {
        if let Some((id, _)) = built.nodes.get_key_value(node) {
            near.insert(id.as_str());
        }
        for (from, to, _) in &built.edges {
            if from == node {
                near.insert(to);
            } else if to == node {
                near.insert(from);
            }
        }
    }
    let mut causes = Vec::new();
    for id in near {
        let how = match (base.nodes.contains_key(id), head.nodes.contains_key(id)) {
            (false, true) => How::Added,
            (true, false) => How::Removed,
            _ => match changed.get(id) {
                Some(changes) => How::Changed(changes.clone()),
                None => continue,
            },
        };
        causes.push(Cause { node: id, how });
    }
    // The resource itself first.
    causes.sort_by_key(|cause| cause.node != node);
    causes
}

/// The shortest way from the internet to each node that it reaches: to services directly, and through them to what stores data.
pub fn ways(built: &Built) -> BTreeMap<(String, String), Way> {
    let mut found = BTreeMap::new();
    for node in built.nodes.values().filter(|node| node.internet_exposed) {
        let own = (node.id.clone(), node.id.clone());
        found.insert(own, Way(vec![node.id.clone()]));
        if node.datastore {
            continue;
        }
        for path in super::rules::reached(built, &node.id) {
            if let Some(last) = path.last() {
                found.insert((node.id.clone(), last.clone()), Way(path));
            }
        }
    }
    found
}

fn ways_only_in(
    ways: &BTreeMap<(String, String), Way>,
    others: &BTreeMap<(String, String), Way>,
) -> Vec<Way> {
    let only = ways.iter().filter(|(ends, _)| !others.contains_key(*ends));
    only.map(|(_, way)| way.clone()).collect()
}
