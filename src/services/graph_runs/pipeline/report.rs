//! The risk report: findings, and what could not be decided.

use serde_json::{Value, json};

use super::graph::{Built, Note};
use super::rules::{Finding, rule_text};

/// The report as JSON.
pub fn report(built: &Built) -> Value {
    let count =
        |is: fn(&super::graph::Node) -> bool| built.nodes.values().filter(|n| is(n)).count();
    let finding = |finding: &Finding| {
        let node = built.nodes.get(&finding.node);
        let text = rule_text(finding.rule);
        json!({
            "severity": finding.severity.word(),
            "rule": finding.rule,
            "node": finding.node,
            "file": node.and_then(|node| node.file.as_deref()),
            "line": node.and_then(|node| node.line),
            "message": finding.message,
            "remediation": text.map(|text| text.remediation),
        })
    };
    let note = |note: &Note| json!({ "node": note.node, "message": note.message });
    json!({
        "version": 2,
        "summary": {
            "nodeCount": built.nodes.len(),
            "edgeCount": built.edges.len(),
            "internetExposedCount": count(|node| node.internet_exposed),
            "datastoreCount": count(|node| node.datastore),
            "unresolvedCount": built.unresolved_nodes().len(),
            "findingCount": built.findings.len(),
        },
        "findings": built.findings.iter().map(finding).collect::<Vec<_>>(),
        "unresolved": built.unresolved.iter().map(note).collect::<Vec<_>>(),
        "notes": built.notes.iter().map(note).collect::<Vec<_>>(),
        "valueFiles": { "used": built.value_files.used, "ignored": built.value_files.ignored },
    })
}
