//! Findings, and what could not be decided, in SARIF 2.1.0, as code hosts read it.
//! Source: "Static Analysis Results Interchange Format (SARIF) Version 2.1.0", OASIS.

use serde_json::{Value, json};

use super::graph::Built;
use super::rules::catalog;
use trestle_domain::escaped;

/// The rule of what could not be decided.
const UNRESOLVED: &str = "unresolved";
/// What paths are relative to.
const ROOT: &str = "%SRCROOT%";

/// The findings and what could not be decided; `root` is the URI of the folder that was analyzed.
pub fn sarif(built: &Built, root: Option<&str>) -> Value {
    let all = built
        .findings
        .iter()
        .chain(built.suppressed.iter().map(|(one, _)| one));
    let mut rules: Vec<_> = all.map(|finding| finding.rule).collect();
    rules.sort_unstable();
    rules.dedup();
    let rule = |id: &str, title: &str, help: &str| json!({ "id": id, "shortDescription": { "text": title }, "help": { "text": help } });
    let described = rules.iter().filter_map(|id| catalog::rule(id));
    let mut described: Vec<_> = described
        .map(|text| rule(text.id, text.title, text.remediation))
        .collect();
    if built.undecided_notes().next().is_some() || !built.unread.is_empty() {
        described.push(rule(
            UNRESOLVED,
            "The files do not decide a rule for it",
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
        .undecided_notes()
        .map(|note| result(built, UNRESOLVED, "note", (&note.node, &note.message)));
    let unread = built.unread.iter().map(|(file, reason)| {
        let artifact = json!({ "uri": uri(file), "uriBaseId": ROOT });
        json!({
            "ruleId": UNRESOLVED,
            "level": "warning",
            "message": { "text": format!("The file is not read: {reason}") },
            "locations": [{ "physicalLocation": { "artifactLocation": artifact } }],
        })
    });
    let suppressed = built.suppressed.iter().map(|(finding, reason)| {
        let about = (finding.node.as_str(), finding.message.as_str());
        let mut one = result(built, finding.rule, finding.severity.level(), about);
        let kind = if reason.ends_with("baseline.") {
            "external"
        } else {
            "inSource"
        };
        one["suppressions"] = json!([{ "kind": kind, "justification": reason }]);
        one
    });
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
            "results": findings.chain(unresolved).chain(unread).chain(suppressed).collect::<Vec<_>>(),
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
