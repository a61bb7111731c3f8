//! Findings that comments in the files suppress, and what is wrong with such comments.

use std::collections::{BTreeMap, BTreeSet};

use super::finding::{Finding, Severity};
use super::graph::{Built, EXPOSED, Note, Said};
use super::rules::catalog::rule;
use super::terraform::Ignore;
use super::warning::Warning;

/// How a comment has to be.
const FORM: &str = "Write `trestle:ignore RULE REASON`.";

/// The comments of all nodes.
#[derive(Default)]
struct Comments {
    /// Those that count, by node and rule.
    by_rule: BTreeMap<(String, String), Ignore>,
    /// Those that count, and whether they have suppressed something.
    used: BTreeMap<Ignore, bool>,
}

/// Takes out what a comment in the block of a node, or of what a finding is about it through, ignores with a reason.
/// `elsewhere` has the comments that are about no resource.
pub fn by_comments(built: &mut Built, elsewhere: &[&Ignore]) {
    for ignore in elsewhere {
        let message = match wrong(ignore) {
            Some(message) => message,
            None => format!(
                "`trestle:ignore {}` suppresses nothing, because it is not in or right above a resource.",
                ignore.rule
            ),
        };
        warn(built, ignore, message);
    }
    let mut comments = Comments::of(built);
    // Most configurations have none: their findings stay as they are.
    if comments.used.is_empty() {
        return;
    }
    for finding in std::mem::take(&mut built.findings) {
        let said = (finding.rule, finding.node.clone(), finding.message.clone());
        match comments.reason(built, &said) {
            Some(reason) => built.suppressed.push((finding, reason)),
            None => built.findings.push(finding),
        }
    }
    let undecided = std::mem::take(&mut built.unresolved);
    built.unresolved = comments.kept(built, undecided);
    let undecided = std::mem::take(&mut built.notes);
    built.notes = comments.kept(built, undecided);
    for (ignore, _) in comments.used.iter().filter(|(_, is_used)| !**is_used) {
        let message = format!(
            "`trestle:ignore {}` suppresses nothing. Remove it.",
            ignore.rule
        );
        warn(built, ignore, message);
    }
}

impl Comments {
    /// Those that are right; the others become warnings.
    fn of(built: &mut Built) -> Self {
        let mut comments = Self::default();
        let mut refused = Vec::new();
        for node in built.nodes.values() {
            for ignore in node.ignores.iter() {
                match wrong(ignore) {
                    Some(message) => refused.push((node.id.clone(), ignore.clone(), message)),
                    None => {
                        let key = (node.id.clone(), ignore.rule.clone());
                        comments.by_rule.insert(key, ignore.clone());
                        comments.used.insert(ignore.clone(), false);
                    }
                }
            }
        }
        for (node, ignore, message) in refused {
            built.note(&node, message.clone());
            warn(built, &ignore, message);
        }
        comments
    }

    /// The reason of a comment in or above a node.
    fn own(&mut self, node: &str, rule: &str) -> Option<String> {
        let ignore = self.by_rule.get(&(node.to_owned(), rule.to_owned()))?;
        self.used.insert(ignore.clone(), true);
        Some(ignore.reason.clone())
    }

    /// Why something that is said of a node does not count.
    fn reason(&mut self, built: &Built, said: &Said) -> Option<String> {
        let (rule, node, _) = said;
        let through = built.through.get(said).into_iter().flatten();
        // Each one that it is said through has to be ignored.
        let through: Vec<_> = through.map(|by| self.own(by, rule)).collect();
        let through: Option<Vec<_>> = through.into_iter().collect();
        let through = through.and_then(|reasons| reasons.into_iter().next());
        // That it stores data adds nothing for whoever lets everyone in on purpose.
        let follows = matches!(*rule, "public-datastore" | EXPOSED);
        let opened = ["public-bucket", "public-queue"].into_iter();
        let opened = opened.filter(|_| follows);
        let own = self.own(node, rule);
        own.or(through)
            .or_else(|| opened.into_iter().find_map(|rule| self.own(node, rule)))
    }

    /// The notes that are not ignored. The others are counted as suppressed.
    fn kept(&mut self, built: &mut Built, notes: BTreeSet<Note>) -> BTreeSet<Note> {
        let mut kept = BTreeSet::new();
        for note in notes {
            let reason = note.rule.and_then(|rule| {
                let finding = (rule, note.node.clone(), note.message.clone());
                self.reason(built, &finding)
            });
            match (reason, note.rule) {
                (Some(reason), Some(rule)) => {
                    let finding = Finding {
                        severity: Severity::Low,
                        node: note.node,
                        rule,
                        message: note.message,
                    };
                    built.suppressed.push((finding, reason));
                }
                _ => drop(kept.insert(note)),
            }
        }
        kept
    }
}

/// What is wrong with a comment whatever it is about.
fn wrong(ignore: &Ignore) -> Option<String> {
    let Ignore {
        word,
        rule: id,
        reason,
        ..
    } = ignore;
    if !ignore.has_word() {
        Some(format!("`trestle:{word}` does not count. {FORM}"))
    } else if id.is_empty() {
        Some(format!(
            "`trestle:ignore` names no rule, and does not count. {FORM}"
        ))
    } else if rule(id).is_none() {
        Some(format!(
            "`trestle:ignore` names `{id}`, which is not a rule, and does not count."
        ))
    } else if reason.is_empty() {
        Some(format!(
            "`trestle:ignore {id}` has no reason, and does not count."
        ))
    } else {
        None
    }
}

fn warn(built: &mut Built, ignore: &Ignore, message: String) {
    built.warnings.insert(Warning {
        file: std::sync::Arc::clone(&ignore.file),
        line: ignore.line,
        message: super::secret::without_secrets(&message),
    });
}
