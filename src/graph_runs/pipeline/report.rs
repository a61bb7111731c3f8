//! The risk report: what was found, and what could not be.

use serde_json::{Value, json};

use super::build::Built;

/// The report as JSON.
pub fn report(built: &Built) -> Value {
    let nodes = || built.nodes.values();
    let mut findings: Vec<_> = built.findings.iter().collect();
    findings.sort_by(|a, b| (a.severity, &a.node, a.rule).cmp(&(b.severity, &b.node, b.rule)));
    let findings = findings.iter().map(|finding| {
        json!({
            "severity": finding.severity.word(),
            "rule": finding.rule,
            "node": finding.node,
            "message": finding.message,
        })
    });
    let unresolved = built
        .unresolved
        .iter()
        .map(|note| json!({ "node": note.node, "message": note.message }));
    json!({
        "version": 1,
        "summary": {
            "nodeCount": built.nodes.len(),
            "edgeCount": built.edges.len(),
            "internetExposedCount": nodes().filter(|n| n.classified.internet_exposed).count(),
            "datastoreCount": nodes().filter(|n| n.classified.datastore).count(),
            "findingCount": built.findings.len(),
            "unresolvedCount": built.unresolved.len(),
        },
        "findings": findings.collect::<Vec<_>>(),
        "unresolved": unresolved.collect::<Vec<_>>(),
    })
}
