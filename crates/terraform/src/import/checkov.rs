//! Reports of checkov in JSON: `checkov -o json`. Source: `checkov/common/output/record.py`, `report.py`.

use serde::Deserialize;

use super::report::{Report, rule, severity, shortened, some};
use crate::imported::Imported;

const TOOL: &str = "checkov";

#[derive(Deserialize)]
pub struct Results {
    #[serde(default)]
    passed_checks: Vec<serde::de::IgnoredAny>,
    #[serde(default)]
    failed_checks: Vec<Record>,
    #[serde(default)]
    skipped_checks: Vec<Record>,
    #[serde(default)]
    parsing_errors: Vec<String>,
}

#[derive(Deserialize)]
struct Record {
    check_id: String,
    check_name: Option<String>,
    #[serde(default)]
    check_result: CheckResult,
    /// Only for those who have a key of the platform.
    severity: Option<String>,
    file_path: Option<String>,
    file_line_range: Option<Vec<i64>>,
    resource: Option<String>,
    /// In reports about plans.
    resource_address: Option<String>,
    guideline: Option<String>,
}

#[derive(Default, Deserialize)]
struct CheckResult {
    suppress_comment: Option<String>,
}

impl Results {
    /// Adds what failed and what is skipped.
    pub fn add(self, report: &mut Report) -> Result<(), String> {
        report.others += self.passed_checks.len();
        for record in self.failed_checks {
            report.add(record.finding())?;
        }
        for mut record in self.skipped_checks {
            let reason = some(record.check_result.suppress_comment.take());
            let mut finding = record.finding();
            finding.suppressed = Some(reason.unwrap_or_else(|| "Skipped in checkov.".to_owned()));
            report.add(finding)?;
        }
        for file in self.parsing_errors {
            let reason = format!("{file} is not read by checkov.");
            report.unread.push((file, reason));
        }
        Ok(())
    }
}

impl Record {
    fn finding(self) -> Imported {
        let line = self
            .file_line_range
            .and_then(|range| range.first().copied());
        Imported {
            tool: TOOL.to_owned(),
            rule: rule(TOOL, &self.check_id),
            severity: self.severity.as_deref().and_then(severity),
            message: shortened(&self.check_name.unwrap_or(self.check_id)),
            address: some(self.resource_address).or(some(self.resource)),
            file: some(self.file_path),
            line: line.and_then(|line| usize::try_from(line).ok()),
            help: some(self.guideline),
            ..Imported::default()
        }
    }
}
