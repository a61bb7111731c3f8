//! Reports of trivy in JSON: `trivy config -f json`. Source: `pkg/types/report.go`, `misconfiguration.go`.

use serde::Deserialize;

use super::report::{Report, rule, severity, shortened, some};
use crate::imported::Imported;

const TOOL: &str = "trivy";

/// What was found in a file.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Target {
    target: Option<String>,
    misconf_summary: Option<Summary>,
    misconfigurations: Option<Vec<Misconfiguration>>,
    secrets: Option<Vec<Secret>>,
    vulnerabilities: Option<Vec<Vulnerability>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Summary {
    #[serde(default)]
    successes: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Misconfiguration {
    #[serde(rename = "ID")]
    id: String,
    title: Option<String>,
    message: Option<String>,
    severity: Option<String>,
    #[serde(rename = "PrimaryURL")]
    primary_url: Option<String>,
    status: Option<String>,
    #[serde(default)]
    cause_metadata: Cause,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Cause {
    resource: Option<String>,
    start_line: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Secret {
    #[serde(rename = "RuleID")]
    rule_id: String,
    title: Option<String>,
    severity: Option<String>,
    start_line: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Vulnerability {
    #[serde(rename = "VulnerabilityID")]
    id: String,
    pkg_name: Option<String>,
    severity: Option<String>,
    #[serde(rename = "PrimaryURL")]
    primary_url: Option<String>,
}

/// What all findings of trivy have.
struct Found {
    id: String,
    message: Option<String>,
    severity: Option<String>,
    help: Option<String>,
}

impl Target {
    /// Adds what was found.
    pub fn add(self, report: &mut Report) -> Result<(), String> {
        // A dot is the whole folder.
        let file = some(self.target).filter(|file| file != ".");
        let passed = self.misconf_summary.map_or(0, |summary| summary.successes);
        let mut listed = 0;
        for one in self.misconfigurations.into_iter().flatten() {
            if one.status.as_deref().is_some_and(|status| status != "FAIL") {
                listed += 1;
                continue;
            }
            let message = match (one.title, one.message) {
                (Some(title), Some(message)) if title != message => {
                    Some(format!("{title}: {message}"))
                }
                (title, message) => message.or(title),
            };
            let found = Found {
                id: one.id,
                message,
                severity: one.severity,
                help: one.primary_url,
            };
            let mut finding = found.in_file(file.as_ref());
            finding.address = some(one.cause_metadata.resource);
            finding.line = one.cause_metadata.start_line.filter(|line| *line > 0);
            report.add(finding)?;
        }
        // Those that passed are in the summary, and listed if that is asked for.
        report.others += passed.max(listed);
        for one in self.secrets.into_iter().flatten() {
            let found = Found {
                id: one.rule_id,
                message: one.title,
                severity: one.severity,
                help: None,
            };
            let mut finding = found.in_file(file.as_ref());
            finding.line = one.start_line.filter(|line| *line > 0);
            report.add(finding)?;
        }
        for one in self.vulnerabilities.into_iter().flatten() {
            let found = Found {
                id: one.id,
                message: one.pkg_name,
                severity: one.severity,
                help: one.primary_url,
            };
            report.add(found.in_file(file.as_ref()))?;
        }
        Ok(())
    }
}

impl Found {
    fn in_file(self, file: Option<&String>) -> Imported {
        Imported {
            tool: TOOL.to_owned(),
            rule: rule(TOOL, &self.id),
            severity: self.severity.as_deref().and_then(severity),
            message: shortened(&self.message.unwrap_or(self.id)),
            file: file.cloned(),
            help: some(self.help),
            ..Imported::default()
        }
    }
}
