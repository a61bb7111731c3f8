//! The risk report: findings, and what could not be decided.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::finding::Finding;
use super::graph::{Built, Note};
use super::imported::Imported;
use super::rules::catalog::{RULES, rule};
use super::value_files::ValueFiles;

/// The report as JSON.
pub fn report(built: &Built) -> Value {
    let redacted: usize = built.nodes.values().map(|node| node.redacted).sum();
    let own = built.findings.iter().map(|one| finding(built, one));
    let joined = built.imported_findings().filter(|one| one.node.is_some());
    let findings: Vec<_> = own.chain(joined.map(|one| imported(built, one))).collect();
    let not_looked_at: usize = built.not_looked_at.values().sum();
    let mut report = json!({
        "version": 2,
        "summary": {
            "nodeCount": built.nodes.len(),
            "edgeCount": built.edges.len(),
            "internetExposedCount": built.nodes.values().filter(|node| node.internet_exposed).count(),
            "datastoreCount": built.nodes.values().filter(|node| node.datastore).count(),
            "unresolvedCount": built.unresolved_nodes().len(),
            "findingCount": built.findings.len(),
            "undecidedCount": built.undecided_notes().map(|note| (note.rule, &note.node)).collect::<BTreeSet<_>>().len(),
            "notLookedAtCount": not_looked_at,
        },
        "roots": built.roots,
        "redacted": redacted,
        "rules": RULES.iter().map(|rule| counted(built, rule.id)).collect::<Vec<_>>(),
        "notLookedAt": built.not_looked_at.iter().map(|(kind, count)| json!({ "type": kind, "count": count })).collect::<Vec<_>>(),
        "suppressed": built.suppressed.iter().map(|(one, reason)| {
            let mut text = finding(built, one);
            text["reason"] = json!(reason);
            text
        }).collect::<Vec<_>>(),
        "findings": findings,
        "unresolved": built.unresolved.iter().map(note).collect::<Vec<_>>(),
        "notes": built.notes.iter().map(note).collect::<Vec<_>>(),
        "warnings": built.warnings.iter().map(|warning| json!({ "file": &*warning.file, "line": warning.line, "message": warning.message })).collect::<Vec<_>>(),
        "unread": built.unread.iter().map(|(file, reason)| json!({ "file": file, "reason": reason })).collect::<Vec<_>>(),
        "valueFiles": value_files(&built.value_files),
    });
    if !built.imports.is_empty() {
        add_imports(&mut report, built);
    }
    report
}

/// Adds what was read of reports of other programs, and which of their findings are about no resource.
fn add_imports(report: &mut Value, built: &Built) {
    let imports = built.imports.iter().map(|import| {
        json!({
            "file": import.file,
            "tools": import.tools,
            "findingCount": import.findings,
            "joinedCount": import.joined,
            "notJoinedCount": import.findings - import.joined,
            "suppressedCount": import.suppressed,
            "otherCount": import.others,
        })
    });
    report["imports"] = imports.collect();
    let not_joined = built.imported_findings().filter(|one| one.node.is_none());
    report["notJoined"] = not_joined.map(|one| imported(built, one)).collect();
    if let Some(suppressed) = report["suppressed"].as_array_mut() {
        for one in built.imported.iter().filter(|one| one.suppressed.is_some()) {
            let mut text = imported(built, one);
            text["reason"] = json!(one.suppressed);
            suppressed.push(text);
        }
    }
}

/// A finding of another program as JSON.
fn imported(built: &Built, one: &Imported) -> Value {
    let node = one.node.as_ref().and_then(|node| built.nodes.get(node));
    let of_node = node.and_then(|node| node.file.as_ref());
    let mut text = json!({
        "severity": one.severity_word(),
        "rule": one.rule,
        "tool": one.tool,
        "node": one.node,
        "file": of_node.or(one.file.as_ref()),
        "line": one.line.or(node.and_then(|node| node.line)),
        "message": one.message,
        "help": one.help,
    });
    if let Some(reason) = &one.not_joined {
        text["place"] = json!(one.place());
        text["address"] = json!(one.address);
        text["notJoined"] = json!(reason);
    }
    text
}

/// A finding as JSON.
pub fn finding(built: &Built, finding: &Finding) -> Value {
    let node = built.nodes.get(&finding.node);
    let text = rule(finding.rule);
    json!({
        "severity": finding.severity.word(),
        "rule": finding.rule,
        "node": finding.node,
        "file": node.and_then(|node| node.file.as_deref()),
        "line": node.and_then(|node| node.line),
        "message": finding.message,
        "remediation": text.map(|text| text.remediation),
    })
}

/// The sources of values. `environment` is left out if it is empty.
fn value_files(files: &ValueFiles) -> Value {
    let mut text = json!({ "used": files.used, "ignored": files.ignored });
    if !files.environment.is_empty() {
        text["environment"] = json!(files.environment);
    }
    text
}

/// How many nodes a rule has looked at, and with which answers.
fn counted(built: &Built, rule: &'static str) -> Value {
    let looked = built.looked.iter().filter(|(of, _)| *of == rule);
    let looked: BTreeSet<&str> = looked.map(|(_, node)| node.as_str()).collect();
    let found = built.findings.iter().filter(|finding| finding.rule == rule);
    let found: BTreeSet<&str> = found.map(|finding| finding.node.as_str()).collect();
    let suppressed = built.suppressed.iter().filter(|(one, _)| one.rule == rule);
    let suppressed: BTreeSet<&str> = suppressed.map(|(one, _)| one.node.as_str()).collect();
    let undecided = built
        .undecided_notes()
        .filter(|note| note.rule == Some(rule));
    let undecided: BTreeSet<&str> = undecided.map(|note| note.node.as_str()).collect();
    let is_answered =
        |node: &&str| found.contains(node) || undecided.contains(node) || suppressed.contains(node);
    json!({
        "rule": rule,
        "found": found.len(),
        "suppressed": suppressed.difference(&found).count(),
        "undecided": undecided.iter().filter(|node| !found.contains(*node) && !suppressed.contains(*node)).count(),
        "clear": looked.iter().filter(|node| !is_answered(node)).count(),
    })
}

fn note(note: &Note) -> Value {
    let mut text = json!({ "node": note.node, "message": note.message });
    if let Some(rule) = note.rule {
        text["rule"] = json!(rule);
    }
    text
}
