//! An inventory as JSON.

use serde_json::{Value as Json, json};

use super::reach::EntryPoints;
use super::{Entry, Inventory};

impl Inventory<'_> {
    /// The inventory as JSON.
    pub fn json(&self) -> Json {
        let unread = self.unread.iter();
        let unread = unread.map(|(file, reason)| json!({ "file": file, "reason": reason }));
        json!({
            "version": 1,
            "resources": self.entries.iter().map(entry).collect::<Vec<_>>(),
            "unread": unread.collect::<Vec<_>>(),
        })
    }
}

fn entry(entry: &Entry<'_>) -> Json {
    let mut text = json!({
        "node": entry.node.id,
        "root": entry.root,
        "address": entry.address,
        "type": entry.node.type_name,
        "provider": entry.node.provider_name,
        "file": entry.node.file,
        "line": entry.node.line,
        "instances": entry.node.instances,
        "exposed": entry.exposed.word(),
        "exposedBy": entry.reasons,
        "datastore": entry.datastore.word(),
    });
    add(&mut text, "reachedFrom", &entry.reached_from);
    add(&mut text, "mayBeReachedFrom", &entry.may_be_reached_from);
    text
}

/// Adds entry points, and their number if not all are named.
fn add(text: &mut Json, name: &str, points: &EntryPoints<'_>) {
    text[name] = json!(points.named);
    if points.count > points.named.len() {
        text[format!("{name}Count")] = json!(points.count);
    }
}
