//! Findings that do not count: by a baseline, or by the severities of rules.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use super::finding::{Finding, Severity};
use super::graph::{Built, Note};
use super::rules::catalog::rule;

/// Why a finding of the baseline does not count.
pub const IN_BASELINE: &str = "It is in the baseline.";
/// Why a finding of a rule that is off does not count.
pub const IS_OFF: &str = "The rule is off.";

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
        let others = report.get("notJoined").and_then(Json::as_array);
        for finding in findings.iter().chain(others.into_iter().flatten()) {
            let node = text(finding, "node").or_else(|| text(finding, "place"));
            let (Some(rule), Some(node)) = (text(finding, "rule"), node) else {
                return Err("a finding has no `rule` or no `node`".to_owned());
            };
            let message = text(finding, "message").ok_or("a finding has no `message`")?;
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
            // A rule of another program has its name before a slash, and the reports decide which there are.
            if rule(&id).is_none() && !id.contains('/') {
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

    fn is_off(&self, rule: &str) -> bool {
        self.severities.get(rule) == Some(&None)
    }

    /// Whether a note is reported: it is about no rule, or about one that is on.
    fn counts(&self, note: &Note) -> bool {
        note.rule.is_none_or(|rule| !self.is_off(rule))
    }

    /// Applies what is chosen.
    pub fn apply(&self, built: &mut Built) {
        for finding in std::mem::take(&mut built.findings) {
            let key = (
                finding.rule.to_owned(),
                finding.node.clone(),
                finding.message.clone(),
            );
            if self.is_off(finding.rule) {
                built.suppressed.push((finding, IS_OFF.to_owned()));
            } else if self.baseline.contains(&key) {
                built.suppressed.push((finding, IN_BASELINE.to_owned()));
            } else {
                let chosen = self.severities.get(finding.rule).copied().flatten();
                let severity = chosen.unwrap_or(finding.severity);
                built.findings.push(Finding {
                    severity,
                    ..finding
                });
            }
        }
        for imported in &mut built.imported {
            let key = (
                imported.rule.clone(),
                imported.place().to_owned(),
                imported.message.clone(),
            );
            if self.is_off(&imported.rule) {
                imported.suppressed = Some(IS_OFF.to_owned());
            } else if self.baseline.contains(&key) {
                imported.suppressed = Some(IN_BASELINE.to_owned());
            } else if let Some(Some(severity)) = self.severities.get(&imported.rule) {
                imported.severity = Some(*severity);
            }
        }
        built.imported.sort();
        built.unresolved.retain(|note| self.counts(note));
        built.notes.retain(|note| self.counts(note));
        // Other severities change the order.
        built.findings.sort();
    }
}

fn text(finding: &Json, name: &str) -> Option<String> {
    let text = finding.get(name)?.as_str()?;
    Some(text.to_owned())
}
