//! Findings, and what could not be decided, in SARIF 2.1.0, as code hosts read it.
//! Source: "Static Analysis Results Interchange Format (SARIF) Version 2.1.0", OASIS.

use std::collections::BTreeMap;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use url::Url;

use super::finding::{Finding, Severity};
use super::graph::{Built, Note};
use super::imported::Imported;
use super::rules::catalog;
use super::suppress::{IN_BASELINE, IS_OFF};
use super::warning::Warning;

/// The rule of what could not be decided.
const UNRESOLVED: &str = "unresolved";
/// What helps with it.
const VARIABLES: &str = "https://developer.hashicorp.com/terraform/language/values/variables";
/// What paths are relative to.
const ROOT: &str = "%SRCROOT%";
/// The kind of fingerprint: of the rule, the node and the message. The line is not in it.
const FINGERPRINT: &str = "trestle/v1";

/// The findings and what could not be decided; `root` is the URI of the folder that was analyzed.
pub fn sarif(built: &Built, root: Option<&str>) -> Value {
    let log = Log {
        built,
        root: root.and_then(|root| Url::parse(root).ok()),
    };
    let suppressed = built.suppressed.iter().map(|(finding, reason)| {
        let mut one = log.finding(finding);
        // A comment is in the source; a baseline and an option are not.
        let kind = if reason == IN_BASELINE || reason == IS_OFF {
            "external"
        } else {
            "inSource"
        };
        one["suppressions"] = json!([{ "kind": kind, "justification": reason }]);
        one
    });
    let findings = built.findings.iter().map(|finding| log.finding(finding));
    let unresolved = built.undecided_notes().map(|note| log.note(note));
    let unread = built.unread.iter().map(|(file, why)| log.unread(file, why));
    let results = findings.chain(unresolved).chain(unread).chain(suppressed);
    let warnings = built.warnings.iter().map(|warning| log.warning(warning));
    let mut base = json!({ "description": { "text": "The folder that was analyzed." } });
    if let Some(root) = &log.root {
        base["uri"] = json!(root.as_str());
    }
    let own = json!({
            "tool": { "driver": {
                "name": "trestle",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules(built),
            } },
            "invocations": [{
                "executionSuccessful": true,
                "toolConfigurationNotifications": warnings.collect::<Vec<_>>(),
            }],
            "originalUriBaseIds": { (ROOT): base.clone() },
            "results": results.collect::<Vec<_>>(),
    });
    let mut by_tool: BTreeMap<&str, Vec<&Imported>> = BTreeMap::new();
    for one in &built.imported {
        by_tool.entry(&one.tool).or_default().push(one);
    }
    let others = by_tool
        .iter()
        .map(|(tool, all)| log.run_of(tool, all, &base));
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": std::iter::once(own).chain(others).collect::<Vec<_>>(),
    })
}

/// The rules that the results are of.
fn rules(built: &Built) -> Vec<Value> {
    let suppressed = built.suppressed.iter().map(|(finding, _)| finding);
    let all = built.findings.iter().chain(suppressed);
    let mut ids: Vec<_> = all.map(|finding| finding.rule).collect();
    ids.sort_unstable();
    ids.dedup();
    let described = ids.into_iter().filter_map(catalog::rule).map(|rule| {
        let weakness = rule.weakness;
        json!({
            "id": rule.id,
            "shortDescription": { "text": rule.title },
            "fullDescription": { "text": rule.details },
            "help": { "text": rule.remediation },
            "helpUri": format!("https://cwe.mitre.org/data/definitions/{weakness}.html"),
            "defaultConfiguration": { "level": rule.severity.level() },
            "properties": { "tags": ["security", format!("external/cwe/cwe-{weakness}")] },
        })
    });
    let mut described: Vec<_> = described.collect();
    if built.undecided_notes().next().is_some() || !built.unread.is_empty() {
        described.push(json!({
            "id": UNRESOLVED,
            "shortDescription": { "text": "The files do not decide a rule for it" },
            "help": { "text": "Analyze a plan, or give the values of variables and the modules that are missing." },
            "helpUri": VARIABLES,
            "defaultConfiguration": { "level": "note" },
        }));
    }
    described
}

/// What places and results are made of.
struct Log<'b> {
    built: &'b Built,
    root: Option<Url>,
}

impl Log<'_> {
    fn finding(&self, finding: &Finding) -> Value {
        let Finding { node, message, .. } = finding;
        let print = fingerprint(&[finding.rule, node, message]);
        let level = finding.severity.level();
        self.result(finding.rule, level, node, message, &print)
    }

    /// The run of another program, with its findings.
    fn run_of(&self, tool: &str, all: &[&Imported], base: &Value) -> Value {
        let mut rules: BTreeMap<&str, Value> = BTreeMap::new();
        for one in all {
            let mut rule = json!({ "id": one.rule });
            if let Some(help) = &one.help {
                rule["helpUri"] = json!(help);
            }
            rules.entry(&one.rule).or_insert(rule);
        }
        let results = all.iter().map(|one| self.imported(one));
        json!({
            "tool": { "driver": { "name": tool, "rules": rules.into_values().collect::<Vec<_>>() } },
            "originalUriBaseIds": { (ROOT): base },
            "results": results.collect::<Vec<_>>(),
        })
    }

    fn imported(&self, one: &Imported) -> Value {
        let place = one.place();
        let print = fingerprint(&[&one.rule, place, &one.message]);
        let level = one.severity.map_or("none", Severity::level);
        let mut result = self.result(&one.rule, level, place, &one.message, &print);
        if one.severity.is_none() {
            // Without a level, readers take one by themselves; `none` would say that nothing is wrong.
            if let Some(members) = result.as_object_mut() {
                members.remove("level");
            }
            result["properties"] = json!({ "severity": one.severity_word() });
        }
        if let (None, Some(file)) = (&one.node, &one.file) {
            let file = file.trim_start_matches('/');
            let mut physical = json!({ "artifactLocation": self.artifact(file) });
            if let Some(line) = one.line.filter(|line| *line > 0) {
                physical["region"] = json!({ "startLine": line });
            }
            result["locations"][0]["physicalLocation"] = physical;
        }
        if let Some(reason) = &one.suppressed {
            result["suppressions"] = json!([{ "kind": "external", "justification": reason }]);
        }
        result
    }

    fn note(&self, note: &Note) -> Value {
        let Note { node, message, .. } = note;
        let rule = note.rule.unwrap_or_default();
        let print = fingerprint(&[UNRESOLVED, rule, node, message]);
        self.result(UNRESOLVED, "note", node, message, &print)
    }

    fn unread(&self, file: &str, reason: &str) -> Value {
        json!({
            "ruleId": UNRESOLVED,
            "level": "warning",
            "message": { "text": format!("The file is not read: {reason}") },
            "locations": [{ "physicalLocation": { "artifactLocation": self.artifact(file) } }],
            "partialFingerprints": { (FINGERPRINT): fingerprint(&[UNRESOLVED, "unread", file]) },
        })
    }

    fn warning(&self, warning: &Warning) -> Value {
        let place = json!({
            "artifactLocation": self.artifact(&warning.file),
            "region": { "startLine": warning.line },
        });
        json!({
            "level": "warning",
            "message": { "text": warning.message },
            "locations": [{ "physicalLocation": place }],
        })
    }

    fn result(&self, rule: &str, level: &str, id: &str, message: &str, fingerprint: &str) -> Value {
        let node = self.built.nodes.get(id);
        let mut place = json!({ "logicalLocations": [{ "fullyQualifiedName": id }] });
        if let Some(file) = node.and_then(|node| node.file.as_deref()) {
            place["physicalLocation"] = json!({ "artifactLocation": self.artifact(file) });
            if let Some(line) = node.and_then(|node| node.line) {
                place["physicalLocation"]["region"] = json!({ "startLine": line });
            }
        }
        json!({
            "ruleId": rule,
            "level": level,
            "message": { "text": format!("{id}: {message}") },
            "locations": [place],
            "partialFingerprints": { (FINGERPRINT): fingerprint },
        })
    }

    /// Where a file is: below the root by a reference; elsewhere by its own URI, because readers may refuse references that
    /// lead out of the root.
    fn artifact(&self, file: &str) -> Value {
        let uri = uri(file);
        let outside = file.split('/').any(|part| part == "..");
        match self
            .root
            .as_ref()
            .filter(|_| outside)
            .map(|root| root.join(&uri))
        {
            Some(Ok(whole)) => json!({ "uri": whole.as_str() }),
            _ => json!({ "uri": uri, "uriBaseId": ROOT }),
        }
    }
}

/// What stays the same of a result when its lines move.
fn fingerprint(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.as_bytes());
        // Keeps the parts apart: no text has this byte.
        hash.update([0]);
    }
    hex::encode(hash.finalize())
}

/// What is escaped in a path.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');

/// A path as a relative reference: everything but unreserved characters is percent-encoded.
/// Source: RFC 3986, "2.3. Unreserved Characters".
fn uri(path: &str) -> String {
    utf8_percent_encode(path, ESCAPED).to_string()
}
