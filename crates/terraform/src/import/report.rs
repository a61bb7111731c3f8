//! A report of another program, and its texts in bounds.

use crate::finding::Severity;
use crate::imported::Imported;
use crate::secret::without_secrets;

/// The most findings in a report.
const MAX_ENTRIES: usize = 50_000;
/// The most characters of a text that a report gives.
const MAX_TEXT: usize = 500;

/// A report as it is read, before its findings are joined.
#[derive(Debug, Default)]
pub struct Report {
    pub findings: Vec<Imported>,
    pub others: usize,
    /// The files that the program could not read.
    pub unread: Vec<(String, String)>,
}

impl Report {
    /// Adds a finding.
    pub fn add(&mut self, finding: Imported) -> Result<(), String> {
        if self.findings.len() >= MAX_ENTRIES {
            return Err(format!("it has more than {MAX_ENTRIES} findings"));
        }
        self.findings.push(finding);
        Ok(())
    }
}

/// The id of a rule with the program that it is of.
pub fn rule(tool: &str, id: &str) -> String {
    format!("{tool}/{}", shortened(id))
}

/// The name of a program as rules have it.
pub fn tool_name(name: &str) -> String {
    let name = name.trim().to_lowercase();
    let kept = |c: char| {
        if c.is_alphanumeric() || "-_.".contains(c) {
            c
        } else {
            '-'
        }
    };
    let name: String = name.chars().take(60).map(kept).collect();
    if name.is_empty() {
        "unnamed".to_owned()
    } else {
        name
    }
}

/// The severity of a word that a program publishes. What is worse than high is high.
pub fn severity(word: &str) -> Option<Severity> {
    match word.to_uppercase().as_str() {
        "CRITICAL" | "HIGH" => Some(Severity::High),
        "MEDIUM" => Some(Severity::Medium),
        "LOW" | "INFO" => Some(Severity::Low),
        _ => None,
    }
}

/// A text of a report in bounds, without the logins of URLs.
pub fn shortened(text: &str) -> String {
    let text = without_secrets(text.trim());
    let mut shown: String = text.chars().take(MAX_TEXT).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// A text that is there.
pub fn some(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
        .map(|text| shortened(&text))
}
