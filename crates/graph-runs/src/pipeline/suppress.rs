//! Findings that do not count: by a comment with a reason, by a baseline, or by the severities of rules.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use super::finding::{Finding, Severity};
use super::graph::{Built, EXPOSED, Note};
use super::rules::catalog::rule;

/// What is chosen for an analysis: the findings that are known, and the severities of rules.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    baseline: BTreeSet<(String, String, String)>,
    severities: BTreeMap<String, Option<Severity>>,
}

impl Choices {
    /// Takes the findings of a report as known.
    ///
    /// # Errors
    /// It is not a report.
    pub fn read_baseline(&mut self, report: &[u8]) -> Result<(), String> {
        let report: Json = serde_json::from_slice(report).map_err(|error| error.to_string())?;
        let findings = report.get("findings").and_then(Json::as_array);
        let findings =
            findings.ok_or("it has no `findings`; expected is a report of --format json")?;
        for finding in findings {
            let text = |name: &str| finding.get(name).and_then(Json::as_str).map(str::to_owned);
            let (Some(rule), Some(node)) = (text("rule"), text("node")) else {
                return Err("a finding has no `rule` or no `node`".to_owned());
            };
            let message = text("message").ok_or("a finding has no `message`")?;
            self.baseline.insert((rule, node, message));
        }
        Ok(())
    }

    /// Reads the severities of rules: an object with `high`, `medium`, `low` or `off` by the rule's id.
    ///
    /// # Errors
    /// It is not such an object, or there is no such rule.
    pub fn read_severities(&mut self, text: &[u8]) -> Result<(), String> {
        let read: BTreeMap<String, String> =
            serde_json::from_slice(text).map_err(|error| error.to_string())?;
        for (id, word) in read {
            if rule(&id).is_none() {
                return Err(format!("there is no rule `{id}`"));
            }
            let severity = match word.to_lowercase().as_str() {
                "off" => None,
                "high" => Some(Severity::High),
                "medium" => Some(Severity::Medium),
                "low" => Some(Severity::Low),
                _ => {
                    return Err(format!(
                        "`{id}` is `{word}`; expected is high, medium, low or off"
                    ));
                }
            };
            self.severities.insert(id, severity);
        }
        Ok(())
    }

    /// Applies what is chosen.
    pub fn apply(&self, built: &mut Built) {
        let is_off = |rule: &str| self.severities.get(rule) == Some(&None);
        for finding in std::mem::take(&mut built.findings) {
            let key = (
                finding.rule.to_owned(),
                finding.node.clone(),
                finding.message.clone(),
            );
            if is_off(finding.rule) {
                let reason = "The rule is off.".to_owned();
                built.suppressed.push((finding, reason));
            } else if self.baseline.contains(&key) {
                let reason = "It is in the baseline.".to_owned();
                built.suppressed.push((finding, reason));
            } else {
                let chosen = self.severities.get(finding.rule).copied().flatten();
                let severity = chosen.unwrap_or(finding.severity);
                built.findings.push(Finding {
                    severity,
                    ..finding
                });
            }
        }
        let counts = |note: &Note| note.rule.is_none_or(|rule| !is_off(rule));
        built.unresolved.retain(counts);
        built.notes.retain(counts);
        built.findings.sort();
    }
}

/// Takes out what a comment in the block of a node ignores with a reason.
pub fn by_comments(built: &mut Built) {
    let mut ignored: BTreeMap<(String, String), String> = BTreeMap::new();
    let mut wrong = Vec::new();
    for node in built.nodes.values() {
        for (id, reason) in &node.ignores {
            if rule(id).is_none() {
                wrong.push((
                    node.id.clone(),
                    format!("`trestle:ignore` names `{id}`, which is not a rule."),
                ));
            } else if reason.is_empty() {
                wrong.push((
                    node.id.clone(),
                    format!("`trestle:ignore {id}` has no reason, and does not count."),
                ));
            } else {
                ignored.insert((node.id.clone(), id.clone()), reason.clone());
            }
        }
    }
    for (node, message) in wrong {
        built.note(&node, message);
    }
    let reason = |node: &str, rule: &str| {
        let own = |rule: &str| ignored.get(&(node.to_owned(), rule.to_owned()));
        // That it stores data adds nothing for whoever lets everyone in on purpose.
        let opened = || ["public-bucket", "public-queue"].into_iter().find_map(own);
        let follows = matches!(rule, "public-datastore" | EXPOSED);
        own(rule).or_else(|| opened().filter(|_| follows))
    };
    for finding in std::mem::take(&mut built.findings) {
        match reason(&finding.node, finding.rule) {
            Some(reason) => built.suppressed.push((finding, reason.clone())),
            None => built.findings.push(finding),
        }
    }
    let mut kept = BTreeSet::new();
    for note in std::mem::take(&mut built.unresolved) {
        match note
            .rule
            .and_then(|rule| Some((rule, reason(&note.node, rule)?)))
        {
            Some((rule, reason)) => {
                let finding = Finding {
                    severity: Severity::Low,
                    node: note.node,
                    rule,
                    message: note.message,
                };
                built.suppressed.push((finding, reason.clone()));
            }
            None => drop(kept.insert(note)),
        }
    }
    built.unresolved = kept;
    built.notes.retain(|note| {
        note.rule
            .is_none_or(|rule| reason(&note.node, rule).is_none())
    });
}
