//! An analysis as lines of text.

use super::graph::Built;

/// A text on one line, which cannot move the cursor or look like another line.
pub fn escaped(text: &str) -> String {
    let mut shown = String::new();
    for c in text.chars() {
        if is_odd(c) {
            shown.extend(c.escape_default())
        } else {
            shown.push(c)
        }
    }
    shown
}

/// `1 node`, `2 nodes`.
pub fn counted(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

/// What is printed of a graph for people: a line for each finding, for what is not decided, and for the files.
pub fn summary(built: &Built) -> String {
    let mut lines = Vec::new();
    for finding in &built.findings {
        let node = built.nodes.get(&finding.node);
        let place = node.and_then(|node| Some(format!("{}:{}: ", node.file.as_ref()?, node.line?)));
        lines.push(format!(
            "{}{} {} {}: {}",
            place.unwrap_or_default(),
            finding.severity.word(),
            finding.rule,
            finding.node,
            finding.message
        ));
    }
    lines.extend(imported(built));
    for note in built.undecided_notes() {
        let rule = note.rule.unwrap_or_default();
        lines.push(format!(
            "UNRESOLVED {}: {} ({rule})",
            note.node, note.message
        ));
    }
    for reason in built.unread.values() {
        lines.push(format!("NOT READ {reason}"));
    }
    for warning in &built.warnings {
        let (file, line) = (&warning.file, warning.line);
        lines.push(format!("{file}:{line}: WARNING {}", warning.message));
    }
    for (finding, reason) in &built.suppressed {
        lines.push(format!(
            "SUPPRESSED {} {}: {reason}",
            finding.rule, finding.node
        ));
    }
    for import in &built.imports {
        lines.push(import.to_string());
    }
    let others = built.not_looked_at.iter();
    let others: Vec<_> = others
        .map(|(kind, count)| format!("{kind} ({count})"))
        .collect();
    if !others.is_empty() {
        lines.push(format!("No rule looks at: {}", others.join(", ")));
    }
    if built.roots.iter().any(|root| !root.is_empty()) {
        lines.push(format!("Root modules: {}", built.roots.join(", ")));
    }
    let files = &built.value_files;
    for (what, files) in [
        ("used", &files.used),
        ("not used", &files.ignored),
        ("of the environment", &files.environment),
    ] {
        if !files.is_empty() {
            lines.push(format!("Values {what}: {}", files.join(", ")));
        }
    }
    lines.push(totals(built));
    let lines: Vec<_> = lines.iter().map(|line| escaped(line)).collect();
    lines.join("\n")
}

/// The last line: how many there are of each.
fn totals(built: &Built) -> String {
    let unresolved = built.undecided_notes().count() + built.unread.len();
    let mut last = format!(
        "{}, {}, {unresolved} unresolved, {} not looked at",
        counted(built.nodes.len(), "node"),
        counted(built.findings.len(), "finding"),
        built.not_looked_at.values().sum::<usize>()
    );
    if !built.imports.is_empty() {
        last = format!("{last}, {} imported", built.imported_findings().count());
    }
    if !built.warnings.is_empty() {
        last = format!("{last}, {}", counted(built.warnings.len(), "warning"));
    }
    last
}

/// A line for each finding of another program.
fn imported(built: &Built) -> Vec<String> {
    let mut lines = Vec::new();
    for one in &built.imported {
        let node = one.node.as_ref().and_then(|node| built.nodes.get(node));
        let file = node
            .and_then(|node| node.file.as_ref())
            .or(one.file.as_ref());
        let line = one.line.or(node.and_then(|node| node.line));
        let place = file.map(|file| match line {
            Some(line) => format!("{file}:{line}: "),
            None => format!("{file}: "),
        });
        let place = place.unwrap_or_default();
        let (rule, about, message) = (&one.rule, one.place(), &one.message);
        lines.push(match (&one.suppressed, &one.not_joined) {
            (Some(reason), _) => format!("SUPPRESSED {rule} {about}: {reason}"),
            (None, Some(reason)) => format!(
                "{place}{} {rule} {about}: {message} (NOT JOINED: {reason})",
                one.severity_word()
            ),
            (None, None) => format!("{place}{} {rule} {about}: {message}", one.severity_word()),
        });
    }
    lines
}

/// Whether a character moves the cursor, ends a line, or turns the direction of what follows.
pub fn is_odd(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
