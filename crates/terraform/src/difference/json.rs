//! A difference as JSON.

use serde_json::{Value as Json, json};

use super::{AttributeChange, Difference, FindingChange, How, Way};
use crate::finding::Finding;
use crate::graph::{Built, Note};

impl Difference<'_> {
    /// The difference as JSON.
    pub fn json(&self) -> Json {
        let changed = self
            .changed
            .iter()
            .map(|(node, changes)| json!({ "node": node, "attributes": attributes(changes) }));
        let unread = self
            .unread
            .iter()
            .map(|(file, reason)| json!({ "file": file, "reason": reason }));
        json!({
            "version": 1,
            "findings": {
                "new": findings(&self.new, self.head),
                "gone": findings(&self.gone, self.base),
            },
            "nowRead": reported(&self.now_read, self.head),
            "notKnown": reported(&self.not_known, self.base),
            "ways": { "new": ways(&self.new_ways), "gone": ways(&self.gone_ways) },
            "undecided": { "new": notes(&self.undecided), "gone": notes(&self.decided) },
            "resources": { "new": self.added, "gone": self.removed },
            "unread": unread.collect::<Vec<_>>(),
            "changed": changed.collect::<Vec<_>>(),
        })
    }
}

fn finding(change: &FindingChange<'_>, built: &Built) -> Json {
    let mut text = crate::report::finding(built, change.finding);
    let causes = change.causes.iter().map(|cause| match &cause.how {
        How::Added => json!({ "node": cause.node, "change": "added" }),
        How::Removed => json!({ "node": cause.node, "change": "removed" }),
        How::Changed(changes) => {
            json!({ "node": cause.node, "change": "changed", "attributes": attributes(changes) })
        }
    });
    text["causes"] = causes.collect();
    text
}

fn attributes(changes: &[AttributeChange]) -> Json {
    json!(changes)
}

fn note(note: &Note) -> Json {
    json!({ "rule": note.rule, "node": note.node, "message": note.message })
}

fn findings(changes: &[FindingChange<'_>], built: &Built) -> Vec<Json> {
    let all = changes.iter().map(|change| finding(change, built));
    all.collect()
}

fn reported(findings: &[&Finding], built: &Built) -> Vec<Json> {
    let all = findings
        .iter()
        .map(|one| crate::report::finding(built, one));
    all.collect()
}

fn notes(notes: &[&Note]) -> Vec<Json> {
    notes.iter().map(|one| note(one)).collect()
}

fn ways(ways: &[Way]) -> Vec<Json> {
    ways.iter().map(|way| json!(way.0)).collect()
}
