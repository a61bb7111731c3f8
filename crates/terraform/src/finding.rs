//! Findings: risks of nodes.

/// How severe a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Correct it now.
    High,
    /// Correct it, or know why not.
    Medium,
    /// Know it.
    Low,
}

impl Severity {
    /// As reports have it.
    pub fn word(self) -> &'static str {
        match self {
            Severity::High => "HIGH",
            Severity::Medium => "MEDIUM",
            Severity::Low => "LOW",
        }
    }

    /// The severity of a word in a report.
    pub fn from_word(word: &str) -> Option<Self> {
        [Severity::High, Severity::Medium, Severity::Low]
            .into_iter()
            .find(|severity| severity.word() == word)
    }

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
