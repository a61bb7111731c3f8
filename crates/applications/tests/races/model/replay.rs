//! After a run: the histories are told by the calls, and every call is in them as it was answered.
//!
//! Each entry is what the model makes, of the snapshot before, of one call that may have made it: of one
//! that was acknowledged with its version, or else of one whose outcome nobody knows, each used once.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::client::Call;
use super::domain::{Application, DETAILS, There, apply};
use super::seen::{Floor, Seen, domain_of};
use crate::invariants::Stored;
use crate::world::Outcome;

/// One life of an application: its states by version, and what its entries say.
pub struct Told {
    pub created: String,
    pub states: BTreeMap<u64, Application>,
    pub descriptions: BTreeMap<u64, String>,
}

/// A stored snapshot, as the API answers it.
fn answered(snapshot: &Value) -> Application {
    let mut snapshot = snapshot.clone();
    for name in ["status", "companyCategory", "jobSource"] {
        if let Some(word) = snapshot[name].as_str() {
            snapshot[name] = json!(word.to_uppercase().replace([' ', '-'], "_"));
        }
    }
    for stage in snapshot["interviewStages"].as_array_mut().unwrap() {
        let stage = stage.as_object_mut().unwrap();
        let id = stage.remove("id").unwrap();
        stage.insert("stageId".to_owned(), id);
        stage.remove("applicationId");
    }
    let mut state = domain_of(&snapshot);
    state.retain(|name, _| {
        let name = name.as_str();
        DETAILS.contains(&name) || ["isArchived", "interviewStages"].contains(&name)
    });
    state
}

impl Told {
    /// What is stored of an application.
    pub fn stored(stored: &Stored) -> Self {
        let mut told = Self {
            created: String::new(),
            states: BTreeMap::new(),
            descriptions: BTreeMap::new(),
        };
        for (sequence, entry) in &stored.history {
            let snapshot = &entry["snapshot"];
            told.created = snapshot["createdAt"].as_str().unwrap().to_owned();
            told.states.insert(*sequence, answered(snapshot));
            let description = entry["description"].as_str().unwrap().to_owned();
            told.descriptions.insert(*sequence, description);
        }
        told
    }

    fn newest(&self) -> u64 {
        self.states
            .last_key_value()
            .map_or(0, |(version, _)| *version)
    }

    /// What the model says that a call does at `version`; `None` where that is not known.
    fn at(&self, call: &Call, version: u64) -> Option<Result<Application, Vec<&'static str>>> {
        let earlier = |version: u64| self.states.get(&version);
        let there = match version {
            0 => None,
            _ => Some(There {
                version,
                now: self.states.get(&version)?,
                earlier: &earlier,
            }),
        };
        apply(&call.asked, there)
    }

    /// Whether a call makes the entry `version` of the one before; `None` where that is not known.
    fn makes(&self, call: &Call, version: u64) -> Option<bool> {
        let before = self.at(call, version - 1)?;
        let restored = match call.asked.input["sequence"].as_u64() {
            Some(sequence) => format!("Restored to entry {sequence}: "),
            None => String::new(),
        };
        let description = self.descriptions.get(&version);
        let told = description.is_none_or(|told| {
            told.starts_with(&restored) && restored.is_empty() != told.starts_with("Restored to")
        });
        Some(told && before.ok().as_ref() == self.states.get(&version))
    }

    /// Whether a call changes nothing at `version`; `None` where that is not known.
    fn keeps(&self, call: &Call, version: u64) -> Option<bool> {
        let after = self.at(call, version)?;
        Some(after.ok().as_ref() == self.states.get(&version))
    }

    /// Asserts that what the acknowledged calls were answered is what they did here.
    pub fn check_acknowledged(&self, calls: &[&Call]) {
        for call in calls {
            let Some(answered) = call.answered().filter(|a| a["createdAt"] == self.created) else {
                continue;
            };
            let version = answered["version"].as_u64().unwrap();
            assert_eq!(
                self.states.get(&version),
                Some(&domain_of(answered)),
                "{:?}",
                call.asked
            );
            let possible = [self.makes(call, version), self.keeps(call, version)];
            assert!(
                possible.contains(&None) || possible.contains(&Some(true)),
                "{:?} does not make entry {version} of {:?}: {:?}",
                call.asked,
                self.states.get(&(version - 1)),
                self.states.get(&version)
            );
        }
    }

    /// Asserts that each entry was made by one call, and no call made two.
    pub fn check_entries(&self, calls: &[&Call]) {
        let mut unexplained = Vec::new();
        for version in 1..=self.newest() {
            let here = |call: &&&Call| {
                let answered = call.answered().filter(|a| a["createdAt"] == self.created);
                // A create that was answered late made the first entry all the same.
                let first = version == 1 && call.asked.name == "createApplication";
                let imported = version == 1
                    && call.asked.name == "import"
                    && matches!(call.outcome, Outcome::Done(_));
                answered.is_some_and(|a| first || a["version"] == version) || imported
            };
            let here: Vec<_> = calls.iter().filter(here).collect();
            let must: Vec<_> = here
                .iter()
                .filter(|call| version > 1 && self.keeps(call, version) == Some(false))
                .collect();
            assert!(must.len() <= 1, "entry {version} was made twice");
            if !here
                .iter()
                .any(|call| self.makes(call, version) == Some(true))
            {
                unexplained.push(version);
            }
        }
        let unknown: Vec<_> = calls
            .iter()
            .filter(|call| matches!(call.outcome, Outcome::Failed(_)))
            .collect();
        let mut made = vec![None; unknown.len()];
        for version in unexplained {
            let makes =
                |version: u64, call: usize| self.makes(unknown[call], version) == Some(true);
            let found = assign(version, &makes, &mut made, &mut vec![false; unknown.len()]);
            assert!(
                found,
                "nobody made entry {version}: {:?} after {:?}",
                self.states.get(&version),
                self.states.get(&(version - 1))
            );
        }
    }

    /// Asserts that each refusal was right at some moment while its call was on its way.
    pub fn check_refusals(&self, calls: &[&Call]) {
        for call in calls {
            let Outcome::Refused(codes, errors) = &call.outcome else {
                continue;
            };
            // Too many others wrote at the same time.
            if codes == &["CONFLICT"] && errors[0]["field"].is_null() {
                continue;
            }
            let least = match &call.floor {
                Some(Floor::At { version, .. }) => *version,
                _ => 0,
            };
            let right = |version: u64| {
                let current = errors[0]["currentVersion"].as_u64();
                let Some(Err(mut refusal)) = self.at(call, version) else {
                    return false;
                };
                let mut codes = codes.clone();
                refusal.sort_unstable();
                codes.sort_unstable();
                refusal == codes && current.is_none_or(|current| current == version)
            };
            let ever = (least..=self.newest()).any(right);
            assert!(
                ever,
                "{:?} was refused at {:?}: {errors}",
                call.asked, call.floor
            );
        }
    }
}

/// Finds a call for an entry, taking one from another entry where that has a second choice.
fn assign(
    version: u64,
    makes: &impl Fn(u64, usize) -> bool,
    made: &mut [Option<u64>],
    tried: &mut [bool],
) -> bool {
    for call in 0..made.len() {
        if tried[call] || !makes(version, call) {
            continue;
        }
        tried[call] = true;
        if made[call].is_none_or(|other| assign(other, makes, made, tried)) {
            made[call] = Some(version);
            return true;
        }
    }
    false
}

/// Asserts of a life that is over what was seen of it.
pub fn check_over(seen: &Seen, id: &str, created: &str, calls: &[&Call]) {
    let states = seen.states(&(id.to_owned(), created.to_owned()));
    let told = Told {
        created: created.to_owned(),
        states: states.cloned().unwrap_or_default(),
        descriptions: BTreeMap::new(),
    };
    told.check_acknowledged(calls);
}
