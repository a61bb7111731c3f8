//! A difference in Markdown, for a comment on a pull request.

use std::collections::BTreeSet;

use super::{AttributeChange, Difference, FindingChange, How, Way};
use crate::finding::Finding;
use crate::graph::{Built, Note};
use crate::rules::types;
use crate::summary::{counted, escaped};

/// The most lines of a list, and the most characters of a value: a comment of a code host is bounded.
const MAX_LINES: usize = 100;
const MAX_VALUE: usize = 160;

impl Difference<'_> {
    /// The difference in Markdown.
    pub fn markdown(&self) -> String {
        let mut text = "## What the internet reaches\n\n".to_owned();
        text.push_str(&self.counts());
        text.push_str(".\n");
        let of_unread = self
            .unread
            .iter()
            .map(|(file, reason)| format!("- {}: {}", code(file), plain(reason)));
        section(&mut text, "New findings", findings(&self.new, self.head));
        section(
            &mut text,
            "New ways from the internet",
            self.new_ways.iter().map(way).collect(),
        );
        section(
            &mut text,
            "Not decided any more",
            notes(&self.undecided, self.base),
        );
        let of_new = self.undecided.iter().filter(|note| !has(self.base, note));
        section(
            &mut text,
            "Not decided for new resources",
            of_new.map(|one| note(one)).collect(),
        );
        section(
            &mut text,
            "Files and root modules that cannot be read",
            of_unread.collect(),
        );
        section(
            &mut text,
            "Findings that are not known any more",
            lines(&self.not_known, self.base),
        );
        section(
            &mut text,
            "Findings of modules that are read now",
            lines(&self.now_read, self.head),
        );
        section(
            &mut text,
            "Findings that are gone",
            findings(&self.gone, self.base),
        );
        section(
            &mut text,
            "Ways that are gone",
            self.gone_ways.iter().map(way).collect(),
        );
        section(&mut text, "Decided now", notes(&self.decided, self.head));
        section(
            &mut text,
            "New resources that rules look at",
            self.unnamed(&self.added),
        );
        section(
            &mut text,
            "Resources that are gone",
            self.unnamed(&self.removed),
        );
        section(
            &mut text,
            "Other changes of attributes that rules look at",
            self.others(),
        );
        text
    }

    /// `1 new finding, 2 gone; 1 new way from the internet, 0 gone; 0 newly undecided`.
    pub fn counts(&self) -> String {
        format!(
            "{}, {} gone; {} from the internet, {} gone; {} newly undecided",
            counted(self.new.len(), "new finding"),
            self.gone.len(),
            counted(self.new_ways.len(), "new way"),
            self.gone_ways.len(),
            self.undecided.len() + self.unread.len(),
        )
    }

    /// The nodes that a finding shows already.
    fn causes(&self) -> BTreeSet<&str> {
        let findings = self.new.iter().chain(&self.gone);
        let causes = findings.flat_map(|change| &change.causes);
        causes.map(|cause| cause.node).collect()
    }

    /// Those of some nodes that no finding shows already.
    fn unnamed(&self, nodes: &[&str]) -> Vec<String> {
        let shown = self.causes();
        let nodes = nodes.iter().filter(|node| !shown.contains(*node));
        nodes.map(|node| format!("- {}", code(node))).collect()
    }

    /// Attributes that no finding shows already.
    fn others(&self) -> Vec<String> {
        let shown = self.causes();
        let mut lines = Vec::new();
        for (node, changes) in &self.changed {
            if shown.contains(node) {
                continue;
            }
            let type_name = self
                .head
                .nodes
                .get(*node)
                .map(|node| node.type_name.as_str());
            let kept = types::kept(type_name.unwrap_or_default());
            for change in changes.iter().filter(|change| kept.decides(&change.path)) {
                lines.push(format!("- {} {}", code(node), attribute(change)));
            }
        }
        lines
    }
}

fn section(text: &mut String, title: &str, lines: Vec<String>) {
    if lines.is_empty() {
        return;
    }
    text.push_str(&format!("\n### {title}\n\n"));
    let more = lines.len().saturating_sub(MAX_LINES);
    for line in lines.into_iter().take(MAX_LINES) {
        text.push_str(&line);
        text.push('\n');
    }
    if more > 0 {
        text.push_str(&format!("- and {more} more\n"));
    }
}

/// A finding, and where its resource is.
fn line(finding: &Finding, built: &Built) -> String {
    let node = built.nodes.get(&finding.node);
    let place = node.and_then(|node| Some(format!(" ({}:{})", node.file.as_ref()?, node.line?)));
    format!(
        "- **{}** {} {}{}: {}",
        finding.severity.word(),
        code(finding.rule),
        code(&finding.node),
        plain(&place.unwrap_or_default()),
        plain(&finding.message),
    )
}

fn finding(change: &FindingChange<'_>, built: &Built) -> String {
    let mut text = line(change.finding, built);
    for cause in &change.causes {
        let node = code(cause.node);
        match &cause.how {
            How::Added => text.push_str(&format!("\n  - {node} is new")),
            How::Removed => text.push_str(&format!("\n  - {node} is gone")),
            How::Changed(changes) => {
                for change in changes {
                    text.push_str(&format!("\n  - {node} {}", attribute(change)));
                }
            }
        }
    }
    text
}

fn way(way: &Way) -> String {
    let nodes: Vec<_> = way.0.iter().map(|node| code(node)).collect();
    format!("- internet → {}", nodes.join(" → "))
}

fn note(note: &Note) -> String {
    let rule = code(note.rule.unwrap_or_default());
    format!("- {rule} {}: {}", code(&note.node), plain(&note.message))
}

fn attribute(change: &AttributeChange) -> String {
    format!(
        "{}: {} → {}",
        code(&change.path),
        value(change.before.as_ref()),
        value(change.after.as_ref())
    )
}

fn value(value: Option<&serde_json::Value>) -> String {
    match value {
        Some(value) => code(&value.to_string()),
        None => "left out".to_owned(),
    }
}

/// A text in a span of code, on one line.
fn code(text: &str) -> String {
    let mut shown: String = escaped(text).chars().take(MAX_VALUE).collect();
    if escaped(text).chars().count() > MAX_VALUE {
        shown.push('…');
    }
    // A span of code ends at the first backtick.
    format!("`{}`", shown.replace('`', "'"))
}

/// A text without marks of Markdown or HTML, except its spans of code.
fn plain(text: &str) -> String {
    let mut shown = String::new();
    let mut is_code = false;
    for c in escaped(text).chars() {
        match c {
            '`' => is_code = !is_code,
            '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '\\' if !is_code => shown.push('\\'),
            _ => {}
        }
        shown.push(c);
    }
    // A span that is not closed would take in the rest of the comment.
    if is_code {
        shown.push('`');
    }
    shown
}

fn findings(changes: &[FindingChange<'_>], built: &Built) -> Vec<String> {
    let lines = changes.iter().map(|change| finding(change, built));
    lines.collect()
}

fn lines(findings: &[&Finding], built: &Built) -> Vec<String> {
    findings.iter().map(|one| line(one, built)).collect()
}

/// The notes about nodes that the other analysis has as well.
fn notes(notes: &[&Note], other: &Built) -> Vec<String> {
    let notes = notes.iter().filter(|one| has(other, one));
    notes.map(|one| note(one)).collect()
}

fn has(built: &Built, note: &Note) -> bool {
    built.nodes.contains_key(&note.node)
}
