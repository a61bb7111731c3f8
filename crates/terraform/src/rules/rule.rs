//! What a rule is.

use crate::finding::Severity;

/// A rule that makes findings.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    pub id: &'static str,
    /// The highest severity of its findings.
    pub severity: Severity,
    /// The number of its kind of weakness in the Common Weakness Enumeration.
    pub weakness: u16,
    /// What it finds.
    pub title: &'static str,
    /// What to do about it.
    pub remediation: &'static str,
    /// What it looks at and how it decides, for its page.
    pub details: &'static str,
    /// A configuration in which it finds something.
    pub bad: &'static str,
    /// The same, corrected: nothing is found, and everything is decided.
    pub good: &'static str,
}
