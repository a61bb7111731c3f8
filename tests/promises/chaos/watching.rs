//! An owner who watches the applications: each change is told, in order, unless the subscription ends.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::timeout;

use super::world::{World, text};
use crate::live::events_client::Events;

const WATCH: &str = "subscription { applicationChanged { kind applicationId version } }";
/// A change that was not told by then is made again: the subscription may not have been there yet.
const WHILE: Duration = Duration::from_secs(10);

/// What the subscription that goes on has told: the last version of each application.
#[derive(Default)]
pub struct Watcher(watch::Sender<BTreeMap<String, u64>>);

impl Watcher {
    /// Subscribes again and again.
    pub async fn watch(&self, world: &World, token: &str) {
        loop {
            if let Some(events) = world.events("applications", token, WATCH).await {
                self.0.send_replace(BTreeMap::new());
                self.listen(world, events).await;
            }
        }
    }

    /// Listens until the subscription ends.
    async fn listen(&self, world: &World, mut events: Events) {
        while let Some((name, answer)) = events.event().await {
            let change = &answer["data"]["applicationChanged"];
            if name != "next" || change.is_null() {
                return;
            }
            self.tell(world, change);
            world.told.fetch_add(1, Relaxed);
        }
    }

    fn tell(&self, world: &World, change: &Value) {
        let id = text(&change["applicationId"]);
        let before = self.0.borrow().get(&id).copied();
        let expected = match (change["kind"].as_str(), before) {
            (Some("CREATED"), None) => json!(1),
            (Some("UPDATED"), Some(before)) => json!(before + 1),
            (Some("DELETED"), Some(before)) => json!(before),
            // What came before was told to nobody.
            (Some("UPDATED" | "DELETED"), None) => change["version"].clone(),
            _ => Value::Null,
        };
        let what = format!("told of {id} after {before:?}: {change}");
        world.expect(&what, &change["version"], &expected);
        let version = change["version"].as_u64().unwrap_or_default();
        self.0.send_modify(|told| {
            told.insert(id, version);
        });
    }

    /// Whether these versions of applications are told soon.
    pub async fn are_told(&self, wanted: BTreeMap<&str, u64>) -> bool {
        let mut told = self.0.subscribe();
        let are_told = told.wait_for(|told| {
            let mut wanted = wanted.iter();
            wanted.all(|(id, version)| told.get(*id).is_some_and(|told| told >= version))
        });
        timeout(WHILE, are_told).await.is_ok()
    }
}
