//! The findings in a risk report.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value as Json;

/// A risk that a rule found.
// As it stands in a report. Another program's may leave out all but the rule and the node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub struct FindingRow {
    /// The id of the rule, such as `public-bucket`.
    pub rule: String,
    /// The node's id in the graph.
    pub node: String,
    /// The word of a [`Severity`](crate::Severity), or another program's.
    #[serde(default)]
    pub severity: String,
    /// What was found.
    #[serde(default)]
    pub message: String,
    /// The file that declares the node.
    pub file: Option<String>,
    /// The line where the node begins.
    pub line: Option<u32>,
    /// What to do about it.
    pub remediation: Option<String>,
}

/// Something in the file that its author should correct, such as a comment that suppresses nothing.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct WarningRow {
    /// What is wrong, and what to do.
    #[serde(default)]
    pub message: String,
    /// The file.
    pub file: Option<String>,
    /// The line.
    pub line: Option<u32>,
}

/// What is listed of a report, in its order.
#[derive(Debug, Default)]
pub struct ReportRows {
    /// The findings.
    pub findings: Vec<FindingRow>,
    /// The warnings, if it lists them.
    pub warnings: Option<Vec<WarningRow>>,
    /// How often a rule is not decided for a node, if it says so.
    pub undecided: Option<u64>,
}

/// A report. All but the findings may have another form, if another program wrote it.
#[derive(Deserialize)]
struct Report {
    findings: Vec<FindingRow>,
    #[serde(default)]
    warnings: Json,
    #[serde(default)]
    summary: Json,
}

impl ReportRows {
    /// What is listed of a report.
    ///
    /// # Errors
    /// The text is not a report.
    pub fn of(report: &[u8]) -> Result<Self, serde_json::Error> {
        let report: Report = serde_json::from_slice(report)?;
        let undecided = report.summary.get("undecidedCount");
        Ok(Self {
            findings: report.findings,
            warnings: serde_json::from_value(report.warnings).ok(),
            undecided: undecided.and_then(Json::as_u64),
        })
    }

    /// About how many bytes it takes.
    pub fn bytes(&self) -> usize {
        let findings = self.findings.iter().map(FindingRow::bytes);
        let warnings = self.warnings.iter().flatten().map(WarningRow::bytes);
        findings.chain(warnings).sum()
    }
}

impl WarningRow {
    fn bytes(&self) -> usize {
        let file = self.file.as_ref().map_or(0, String::len);
        size_of::<Self>() + self.message.len() + file
    }
}

/// A finding that only one of two reports has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FindingChange<'r> {
    /// The finding.
    pub finding: &'r FindingRow,
    /// Whether only the second report has it.
    pub is_added: bool,
}

impl FindingRow {
    /// What makes a finding the same in two reports. It may have moved to another line.
    fn identity(&self) -> (&str, &str, &str, &str) {
        (&self.node, &self.rule, &self.severity, &self.message)
    }

    fn bytes(&self) -> usize {
        let texts = [&self.rule, &self.node, &self.severity, &self.message];
        let more = [&self.file, &self.remediation];
        let texts = texts.into_iter().chain(more.into_iter().flatten());
        size_of::<Self>() + texts.map(String::len).sum::<usize>()
    }
}

/// The findings that only one of two reports has, by node, rule, severity and message.
pub fn compare_findings<'r>(
    before: &'r [FindingRow],
    after: &'r [FindingRow],
) -> Vec<FindingChange<'r>> {
    let before: BTreeMap<_, _> = before.iter().map(|row| (row.identity(), row)).collect();
    let after: BTreeMap<_, _> = after.iter().map(|row| (row.identity(), row)).collect();
    let mut changes = Vec::new();
    for (identity, finding) in &after {
        if !before.contains_key(identity) {
            let is_added = true;
            changes.push(FindingChange { finding, is_added });
        }
    }
    for (identity, finding) in &before {
        if !after.contains_key(identity) {
            let is_added = false;
            changes.push(FindingChange { finding, is_added });
        }
    }
    changes.sort_by_key(|change| (change.finding.identity(), change.is_added));
    changes
}
