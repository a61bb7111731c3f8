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
    })
}

/// The findings in SARIF 2.1.0, as code hosts read it.
pub fn sarif(built: &Built) -> Value {
    let mut rules: Vec<_> = built.findings.iter().map(|finding| finding.rule).collect();
    rules.sort_unstable();
    rules.dedup();
    let described = rules.iter().filter_map(|id| rule_text(id)).map(|rule| {
        json!({
            "id": rule.id,
            "shortDescription": { "text": rule.title },
            "help": { "text": rule.remediation },
        })
    });
    let result = |finding: &Finding| {
        let node = built.nodes.get(&finding.node);
        let file = node.and_then(|node| node.file.as_deref());
        let region = node
            .and_then(|node| node.line)
            .map(|line| json!({ "startLine": line }));
        let mut place = json!({ "logicalLocations": [{ "fullyQualifiedName": finding.node }] });
        if let Some(file) = file {
            place["physicalLocation"] = json!({ "artifactLocation": { "uri": file } });
            if let Some(region) = region {
                place["physicalLocation"]["region"] = region;
            }
        }
        json!({
            "ruleId": finding.rule,
            "level": finding.severity.level(),
            "message": { "text": format!("{}: {}", finding.node, finding.message) },
            "locations": [place],
        })
    };
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "trestle",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": described.collect::<Vec<_>>(),
            } },
            "results": built.findings.iter().map(result).collect::<Vec<_>>(),
        }],
    })
}
