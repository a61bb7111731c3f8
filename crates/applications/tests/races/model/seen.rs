//! What the clients saw while they worked, and what it says of what may be seen later.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::domain::Application;

/// An application's life, from a create to a delete: its id, and when it was made.
pub type Life = (String, String);

/// The newest of an application that someone was answered.
#[derive(Clone, Debug, PartialEq)]
pub enum Floor {
    /// It was there.
    At { created: String, version: u64 },
    /// This life of it was over.
    Gone { created: String },
}

/// What was answered so far, by all clients.
#[derive(Default)]
pub struct Seen {
    floors: BTreeMap<String, Floor>,
    states: BTreeMap<Life, BTreeMap<u64, Application>>,
    /// Global ids of stages, with the stages' own, by application.
    stages: BTreeMap<String, BTreeMap<String, String>>,
    deletes: BTreeSet<String>,
}

/// An application as it was answered, without what is not of the domain: its version, moments and ids.
pub fn domain_of(answered: &Value) -> Application {
    let mut state = answered.as_object().unwrap().clone();
    for name in [
        "__typename",
        "id",
        "version",
        "createdAt",
        "updatedAt",
        "history",
    ] {
        state.remove(name);
    }
    for stage in state["interviewStages"].as_array_mut().unwrap() {
        stage.as_object_mut().unwrap().remove("id");
    }
    state
}

fn text(answered: &Value, name: &str) -> String {
    answered[name].as_str().unwrap().to_owned()
}

impl Seen {
    /// What must be true of the application for whoever asks from now on.
    pub fn floor(&self, id: &str) -> Option<Floor> {
        self.floors.get(id).cloned()
    }

    /// That someone is about to ask for a delete.
    pub fn deleting(&mut self, id: &str) {
        self.deletes.insert(id.to_owned());
    }

    pub fn was_deleted(&self, id: &str) -> bool {
        self.deletes.contains(id)
    }

    /// Remembers an application that was answered, with all its fields, at its version. Everyone is
    /// answered the same of a version.
    pub fn state(&mut self, answered: &Value) {
        let id = text(answered, "id");
        let version = answered["version"].as_u64().unwrap();
        for stage in answered["interviewStages"].as_array().unwrap() {
            if stage.get("id").is_some() {
                let known = self.stages.entry(id.clone()).or_default();
                known.insert(text(stage, "id"), text(stage, "stageId"));
            }
        }
        let state = domain_of(answered);
        let life = (id, text(answered, "createdAt"));
        let known = self.states.entry(life).or_default();
        let first = known.entry(version).or_insert_with(|| state.clone());
        assert_eq!(*first, state, "one version, two answers: {answered}");
    }

    /// Remembers an application of a list, whose stages are read after it. Where it is deleted in between,
    /// they are gone.
    pub fn listed(&mut self, answered: &Value) {
        let id = text(answered, "id");
        let none = answered["interviewStages"] == json!([]);
        if !(none && self.was_deleted(&id)) {
            self.state(answered);
        }
    }

    /// An application that a consistent read or a mutation, begun at `floor`, answered.
    pub fn newest(&mut self, floor: Option<&Floor>, answered: &Value) {
        self.state(answered);
        let (id, created) = (text(answered, "id"), text(answered, "createdAt"));
        let version = answered["version"].as_u64().unwrap();
        match floor {
            Some(Floor::At {
                created: life,
                version: least,
            }) if *life == created => {
                assert!(version >= *least, "{id} went back from {least}: {answered}");
            }
            Some(Floor::At { .. }) => assert!(self.was_deleted(&id), "{id} has another life"),
            Some(Floor::Gone { created: life }) => {
                assert_ne!(*life, created, "{id} was deleted: {answered}");
            }
            None => {}
        }
        let next = Floor::At {
            created: created.clone(),
            version,
        };
        match self.floors.get(&id) {
            Some(Floor::At {
                created: life,
                version: known,
            }) if *life == created => {
                if version > *known {
                    self.floors.insert(id, next);
                }
            }
            // Answers of two lives, or of a life and its end, may come in either order.
            Some(Floor::Gone { created: life }) if *life == created => {}
            Some(Floor::At { created: life, .. } | Floor::Gone { created: life })
                if *life > created => {}
            _ => drop(self.floors.insert(id, next)),
        }
    }

    /// That a consistent read, begun at `floor`, did not find it.
    pub fn missing(&self, floor: Option<&Floor>, id: &str) {
        if let Some(Floor::At { .. }) = floor {
            assert!(self.was_deleted(id), "{id} is not found, at {floor:?}");
        }
    }

    /// That a delete, begun at `floor`, was acknowledged.
    pub fn gone(&mut self, floor: Option<&Floor>, id: &str) {
        let (Some(Floor::At { created, .. }), Some(Floor::At { created: life, .. })) =
            (floor, self.floors.get(id))
        else {
            return;
        };
        if created == life {
            let created = created.clone();
            self.floors.insert(id.to_owned(), Floor::Gone { created });
        }
    }

    /// The newest state that is known, with its version.
    pub fn known(&self, id: &str) -> Option<(u64, &Application)> {
        let Some(Floor::At { created, version }) = self.floors.get(id) else {
            return None;
        };
        let states = self.states.get(&(id.to_owned(), created.clone()))?;
        Some((*version, states.get(version)?))
    }

    /// Every stage that the application is known to have had: its global id, and its own.
    pub fn stages(&self, id: &str) -> Vec<(String, String)> {
        let known = self.stages.get(id).into_iter().flatten();
        known
            .map(|(global, own)| (global.clone(), own.clone()))
            .collect()
    }

    /// The states of one life that were answered, by their versions.
    pub fn states(&self, life: &Life) -> Option<&BTreeMap<u64, Application>> {
        self.states.get(life)
    }
}
