//! Findings, and what could not be decided, in SARIF 2.1.0, as code hosts read it.
//! Source: "Static Analysis Results Interchange Format (SARIF) Version 2.1.0", OASIS.

use serde_json::{Value, json};

use super::graph::Built;
use super::rules::rule_text;
use crate::domain::escaped;

/// The rule of what could not be decided.
const UNRESOLVED: &str = "unresolved";
/// What paths are relative to.
const ROOT: &str = "%SRCROOT%";

/// The findings and what could not be decided; `root` is the URI of the folder that was analyzed.
pub fn sarif(built: &Built, root: Option<&str>) -> Value {
    let mut rules: Vec<_> = built.findings.iter().map(|finding| finding.rule).collect();
    rules.sort_unstable();
    rules.dedup();
    let rule = |id: &str, title: &str, help: &str| json!({ "id": id, "shortDescription": { "text": title }, "help": { "text": help } });
    let described = rules.iter().filter_map(|id| rule_text(id));
    let mut described: Vec<_> = described
        .map(|text| rule(text.id, text.title, text.remediation))
        .collect();
    if !built.unresolved.is_empty() {
        described.push(rule(
            UNRESOLVED,
            "The files do not tell whether the internet reaches it",
            "Analyze a plan, or give the values of variables and the modules that are missing.",
        ));
    }
    let findings = built.findings.iter().map(|finding| {
        let level = finding.severity.level();
        result(
            built,
            finding.rule,
            level,
            (&finding.node, &finding.message),
        )
    });
    let unresolved = built
        .unresolved
        .iter()
        .map(|note| result(built, UNRESOLVED, "note", (&note.node, &note.message)));
    let mut base = json!({ "description": { "text": "The folder that was analyzed." } });
    if let Some(root) = root {
        base["uri"] = json!(root);
    }
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "trestle",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": described,
            } },
            "originalUriBaseIds": { (ROOT): base },
            "results": findings.chain(unresolved).collect::<Vec<_>>(),
        }],
    })
}

fn result(built: &Built, rule: &str, level: &str, (id, message): (&str, &str)) -> Value {
    let node = built.nodes.get(id);
    let mut place = json!({ "logicalLocations": [{ "fullyQualifiedName": id }] });
    if let Some(file) = node.and_then(|node| node.file.as_deref()) {
        let artifact = json!({ "uri": uri(file), "uriBaseId": ROOT });
        place["physicalLocation"] = json!({ "artifactLocation": artifact });
        if let Some(line) = node.and_then(|node| node.line) {
            place["physicalLocation"]["region"] = json!({ "startLine": line });
        }
    }
    json!({
        "ruleId": rule,
        "level": level,
        "message": { "text": format!("{id}: {message}") },
        "locations": [place],
    })
}

/// A path as a relative reference: everything but unreserved characters is percent-encoded.
/// Source: RFC 3986, "2.3. Unreserved Characters".
fn uri(path: &str) -> String {
    escaped(path, '%', b"-._~/")
}
