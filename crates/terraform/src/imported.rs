//! Findings of other programs.

use std::fmt;

use super::finding::Severity;

/// The severity of a finding whose program does not say how severe it is.
const UNKNOWN: &str = "UNKNOWN";

/// A finding of another program.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Imported {
    /// How severe it is; `None` if the program does not say so.
    pub severity: Option<Severity>,
    /// The resource that it is about; `None` if it is not known.
    pub node: Option<String>,
    /// The program and its rule: `checkov/CKV_AWS_20`.
    pub rule: String,
    /// What was found.
    pub message: String,
    /// The name of the program.
    pub tool: String,
    /// The address that the program gives.
    pub address: Option<String>,
    /// The file, as the program names it.
    pub file: Option<String>,
    /// Its first line.
    pub line: Option<usize>,
    /// A page about the rule.
    pub help: Option<String>,
    /// Why it does not count.
    pub suppressed: Option<String>,
    /// Why it is about no resource, if so.
    pub not_joined: Option<String>,
}

impl Imported {
    /// What it is about: the resource, or what the program names.
    pub fn place(&self) -> &str {
        let named = self.node.as_ref().or(self.address.as_ref());
        named.or(self.file.as_ref()).map_or("", String::as_str)
    }

    /// Its severity in a report.
    pub fn severity_word(&self) -> &'static str {
        self.severity.map_or(UNKNOWN, Severity::word)
    }
}

/// What was read of a report of another program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Import {
    /// The name of the file.
    pub file: String,
    /// The programs that it is of.
    pub tools: Vec<String>,
    /// The findings in it, with those that are suppressed.
    pub findings: usize,
    /// Those of them that are about resources of the analysis.
    pub joined: usize,
    /// Those of them that are suppressed in it.
    pub suppressed: usize,
    /// Entries that are no findings: what has passed, and what is no longer there.
    pub others: usize,
}

impl fmt::Display for Import {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            findings,
            joined,
            ..
        } = self;
        let tools = if self.tools.is_empty() {
            String::new()
        } else {
            format!(" of {}", self.tools.join(", "))
        };
        write!(
            f,
            "Imported {file}{tools}: {findings} findings, {joined} joined, {} not joined, {} suppressed",
            findings - joined,
            self.suppressed
        )
    }
}
