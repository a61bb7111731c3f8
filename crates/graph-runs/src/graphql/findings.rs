//! The findings and warnings of a complete run, and what differs between those of two runs.

use std::collections::BTreeSet;

use async_graphql::{Enum, InputObject, SimpleObject};
use serde_json::json;

use crate::model;
use crate::store::Runs;
use trestle_api::{ApiError, PageArgs};
use trestle_terraform::Severity;
use trestle_terraform::stored::{FindingRow, WarningRow, compare_findings};

use super::numbered::{Matching, numbered};

/// How a finding differs between two runs.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingChangeKind {
    /// Only the second run has it.
    Added,
    /// Only the first run has it.
    Removed,
}

/// How severe a finding is.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "Severity")]
pub enum FindingSeverity {
    /// Correct it now.
    High,
    /// Correct it, or know why not.
    Medium,
    /// Know it.
    Low,
}

/// A risk that a rule found.
// Another program's report may leave out all but the rule and the node.
#[derive(SimpleObject)]
pub struct Finding {
    /// The id of the rule, such as `public-bucket`.
    rule: String,
    /// The node's id in the graph.
    node_id: String,
    /// What was found.
    message: String,
    /// The file that declares the node.
    file: Option<String>,
    /// The line where the node begins.
    line: Option<u32>,
    /// What to do about it.
    remedy: Option<String>,
    /// How severe it is. Null if another program wrote the report and used a word of its own.
    severity: Option<FindingSeverity>,
}

/// Something in the file that its author should correct, such as a comment that suppresses nothing.
#[derive(SimpleObject)]
pub struct RunWarning {
    /// What is wrong, and what to do.
    message: String,
    /// The file.
    file: Option<String>,
    /// The line.
    line: Option<u32>,
}

/// A filter of findings. Only findings that match every given field are listed.
#[derive(InputObject, Default)]
pub struct FindingFilter {
    /// Only findings of these severities. All if omitted or empty.
    severities: Option<Vec<FindingSeverity>>,
    /// Only findings of these rules, such as `public-bucket`. All if omitted or empty.
    rules: Option<BTreeSet<String>>,
    /// Only findings of this node.
    node_id: Option<String>,
}

/// A finding that only one of two runs has.
#[derive(SimpleObject)]
pub struct FindingChange {
    /// How it differs.
    kind: FindingChangeKind,
    /// The finding.
    finding: Finding,
}

numbered!(
    /// A page of findings.
    FindingConnection
    /// A finding in a list.
    FindingEdge of Finding
);

numbered!(
    /// A page of findings that differ.
    FindingChangeConnection
    /// A finding that differs, in a list.
    FindingChangeEdge of FindingChange
);

numbered!(
    /// A page of warnings.
    RunWarningConnection
    /// A warning in a list.
    RunWarningEdge of RunWarning
);

impl From<&FindingRow> for Finding {
    fn from(row: &FindingRow) -> Self {
        let row = row.clone();
        Self {
            rule: row.rule,
            node_id: row.node,
            message: row.message,
            file: row.file,
            line: row.line,
            remedy: row.remediation,
            severity: Severity::from_word(&row.severity).map(Into::into),
        }
    }
}

impl From<&WarningRow> for RunWarning {
    fn from(row: &WarningRow) -> Self {
        let WarningRow {
            message,
            file,
            line,
        } = row.clone();
        Self {
            message,
            file,
            line,
        }
    }
}

impl FindingFilter {
    /// As cursors are bound to it.
    fn text(&self) -> String {
        let severities = self.severities.iter().flatten();
        let severities: Vec<_> = severities
            .map(|severity| Severity::from(*severity).word())
            .collect();
        json!([severities, self.rules, self.node_id]).to_string()
    }

    fn matches(&self, row: &FindingRow) -> bool {
        let severities = self.severities.as_ref().filter(|list| !list.is_empty());
        let rules = self.rules.as_ref().filter(|rules| !rules.is_empty());
        severities.is_none_or(|list| {
            Severity::from_word(&row.severity).is_some_and(|one| list.contains(&one.into()))
        }) && rules.is_none_or(|rules| rules.contains(&row.rule))
            && (self.node_id.as_ref()).is_none_or(|node| *node == row.node)
    }
}

/// A run's report, for cursors: its key has its checksum in it.
fn report(run: &model::Run) -> String {
    format!(
        "{} {}",
        run.id,
        run.report_key.as_deref().unwrap_or_default()
    )
}

impl FindingConnection {
    /// A page of a run's findings; `None` unless it is complete and has a report.
    ///
    /// # Errors
    /// BAD_USER_INPUT, or that the object store fails.
    pub async fn page(
        store: &Runs,
        run: &model::Run,
        filter: FindingFilter,
        args: PageArgs,
    ) -> Result<Option<Self>, ApiError> {
        let Some(report_rows) = store.report(run).await? else {
            return Ok(None);
        };
        let rows = &report_rows.findings;
        let list = format!("findings {} {}", report(run), filter.text());
        let matches = |place: usize| rows.get(place).is_some_and(|row| filter.matches(row));
        let matching = Matching::of(&args, &list, 0..rows.len(), matches)?;
        let node = |place: usize| rows.get(place).map(Finding::from);
        Ok(Some(Self::of(&args, &list, matching, node)))
    }
}

impl RunWarningConnection {
    /// A page of what a run warns of; `None` unless it is complete and has a report that lists warnings.
    ///
    /// # Errors
    /// As [`FindingConnection::page`].
    pub async fn page(
        store: &Runs,
        run: &model::Run,
        args: PageArgs,
    ) -> Result<Option<Self>, ApiError> {
        let Some(rows) = store.report(run).await? else {
            return Ok(None);
        };
        let Some(warnings) = &rows.warnings else {
            return Ok(None);
        };
        let list = format!("warnings {}", report(run));
        let matching = Matching::of(&args, &list, 0..warnings.len(), |_| true)?;
        let node = |place: usize| warnings.get(place).map(RunWarning::from);
        Ok(Some(Self::of(&args, &list, matching, node)))
    }
}

impl FindingChangeConnection {
    /// A page of what differs between two runs' findings; `None` if one of them has no report.
    ///
    /// # Errors
    /// As [`FindingConnection::page`].
    pub async fn page(
        store: &Runs,
        from: &model::Run,
        to: &model::Run,
        filter: FindingFilter,
        args: PageArgs,
    ) -> Result<Option<Self>, ApiError> {
        let found = futures_util::try_join!(store.report(from), store.report(to))?;
        let (Some(before), Some(after)) = found else {
            return Ok(None);
        };
        let changes = compare_findings(&before.findings, &after.findings);
        let list = [report(from), report(to), filter.text()].join(" ");
        let list = format!("finding changes {list}");
        let change = |place: usize| changes.get(place);
        let matches = |place| change(place).is_some_and(|change| filter.matches(change.finding));
        let matching = Matching::of(&args, &list, 0..changes.len(), matches)?;
        let node = |place| {
            let change = change(place)?;
            Some(FindingChange {
                kind: if change.is_added {
                    FindingChangeKind::Added
                } else {
                    FindingChangeKind::Removed
                },
                finding: change.finding.into(),
            })
        };
        Ok(Some(Self::of(&args, &list, matching, node)))
    }
}
