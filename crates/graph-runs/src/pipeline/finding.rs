//! Findings: risks of nodes.

pub use crate::model::Severity;

impl Severity {
    /// As SARIF has it.
    pub fn level(self) -> &'static str {
        match self {
            Severity::High => "error",
            Severity::Medium => "warning",
            Severity::Low => "note",
        }
    }
}

/// A risk.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// How severe it is.
    pub severity: Severity,
    /// The node.
    pub node: String,
    /// The rule.
    pub rule: &'static str,
    /// What was found, for people.
    pub message: String,
}
