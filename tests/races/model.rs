//! Random changes by several clients at once, while much fails: what was acknowledged is there once, what
//! was refused is not, and what is not known is there once or not at all.
//!
//! `TRESTLE_STEPS` says how many calls (400 unless given), `TRESTLE_SEED` which ones.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use futures_util::future::join_all;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::faults::{Seeded, Tokens};
use crate::invariants::{Stored, check_table, stored};
use crate::world::{ATTEMPTS, Outcome, World, text};

const CLIENTS: u64 = 4;
const PERCENT: u64 = 12;
const STATUSES: [(&str, &str); 4] = [
    ("APPLIED", "applied"),
    ("INTERVIEWING", "interviewing"),
    ("GIVEN_OFFER", "given offer"),
    ("ACCEPTED_OFFER", "accepted offer"),
];

/// One call, and what became of it.
struct Call {
    application: String,
    name: &'static str,
    input: Value,
    outcome: Outcome,
}

/// What the clients know of.
#[derive(Default)]
struct Known {
    applications: Vec<(String, Value)>,
    stages: Vec<(String, Value)>,
}

struct Client<'w> {
    world: &'w World,
    known: &'w Mutex<Known>,
    random: Seeded,
    number: u64,
}

impl Client<'_> {
    fn pick<T: Clone>(&mut self, from: impl Fn(&Known) -> Vec<T>) -> Option<T> {
        let all = from(&self.known.lock().unwrap());
        (!all.is_empty()).then(|| all[self.random.below(all.len() as u64) as usize].clone())
    }

    async fn step(&mut self, step: u64) -> Call {
        let marker = format!("client {} step {step}", self.number);
        let die = self.random.below(100);
        let application = self.pick(|known| known.applications.clone());
        let (name, application, input) = match (die, application) {
            (0..8, _) | (_, None) => self.create(),
            (8..12, Some((id, created))) => ("createApplication", id, created),
            (12..16, Some((id, _))) => ("deleteApplication", id.clone(), json!({ "id": id })),
            (_, Some((id, _))) => self.change(die, &id, &marker).await,
        };
        let outcome = self.world.mutate(name, input.clone()).await;
        self.learn(name, &application, &outcome);
        Call {
            application,
            name,
            input,
            outcome,
        }
    }

    fn create(&mut self) -> (&'static str, String, Value) {
        let id = Uuid::new_v4().to_string();
        let status = STATUSES[self.random.below(4) as usize].0;
        let input = json!({ "id": id, "companyName": "Visa", "positionTitle": "Engineer", "status": status });
        let mut known = self.known.lock().unwrap();
        known.applications.push((id.clone(), input.clone()));
        ("createApplication", id, input)
    }

    async fn change(&mut self, die: u64, id: &str, marker: &str) -> (&'static str, String, Value) {
        let mut input = json!({ "id": id });
        let read = match die {
            80..100 => self.look(id).await,
            _ => None,
        };
        if self.random.below(4) == 0
            && let Some(read) = self.look(id).await
        {
            input["expectedVersion"] = read["version"].clone();
        }
        let name = match die {
            16..40 => {
                input["notes"] = json!(marker);
                if self.random.below(2) == 0 {
                    input["status"] = json!(STATUSES[self.random.below(4) as usize].0);
                }
                "updateApplication"
            }
            40..46 => "archiveApplication",
            46..52 => "unarchiveApplication",
            52..66 => {
                input = json!({ "applicationId": id, "stageId": Uuid::new_v4(), "name": marker });
                "addInterviewStage"
            }
            66..80 => return self.change_stage(die, input, marker),
            _ => match read {
                None => "archiveApplication",
                Some(read) if die < 90 => {
                    let version = read["version"].as_u64().unwrap().max(1);
                    input["sequence"] = json!(1 + self.random.below(version));
                    "restoreApplication"
                }
                Some(read) => {
                    let stages = read["interviewStages"].as_array().unwrap();
                    let mut ids: Vec<_> = stages.iter().map(|stage| stage["id"].clone()).collect();
                    if !ids.is_empty() {
                        let by = self.random.below(ids.len() as u64) as usize;
                        ids.rotate_left(by);
                    }
                    input = json!({ "applicationId": id, "stageIds": ids });
                    "reorderInterviewStages"
                }
            },
        };
        (name, id.to_owned(), input)
    }

    fn change_stage(
        &mut self,
        die: u64,
        mut input: Value,
        marker: &str,
    ) -> (&'static str, String, Value) {
        let Some((application, stage)) = self.pick(|known| known.stages.clone()) else {
            let id = text(&input["id"]);
            return ("unarchiveApplication", id, input);
        };
        input["id"] = stage["id"].clone();
        let name = match die {
            66..71 => {
                input["notes"] = json!(marker);
                "updateInterviewStage"
            }
            71..76 => "completeInterviewStage",
            _ => "removeInterviewStage",
        };
        (name, application, input)
    }

    /// The application, unless it is gone or cannot be had just now.
    async fn look(&self, id: &str) -> Option<Value> {
        const QUERY: &str =
            "query($id: ID!) { application(id: $id) { version interviewStages { id } } }";
        let answer = self.world.api.run(QUERY, json!({ "id": id })).await;
        if answer.body.get("errors").is_some() {
            assert_eq!(answer.code(), "SERVICE_UNAVAILABLE", "{:#}", answer.body);
            return None;
        }
        Some(answer.body["data"]["application"].clone()).filter(|found| !found.is_null())
    }

    fn learn(&self, name: &str, id: &str, outcome: &Outcome) {
        let mut known = self.known.lock().unwrap();
        match outcome {
            Outcome::Done(payload) if name == "addInterviewStage" => {
                let stages = payload["application"]["interviewStages"]
                    .as_array()
                    .unwrap();
                let stages = stages.iter().map(|stage| (id.to_owned(), stage.clone()));
                known.stages.extend(stages);
            }
            Outcome::Done(_) if name == "deleteApplication" => {
                known.applications.retain(|(other, _)| other != id);
                known.stages.retain(|(other, _)| other != id);
            }
            _ => {}
        }
    }
}

/// What a snapshot says, without what every change moves and what the rules add by themselves.
fn said(snapshot: &Value) -> Map<String, Value> {
    let mut said = snapshot.as_object().unwrap().clone();
    for name in ["updatedAt", "historySequence", "dateApplied"] {
        said.remove(name);
    }
    said
}

fn stage<'a>(snapshot: &'a Value, id: &str) -> Option<&'a Value> {
    let stages = snapshot["interviewStages"].as_array().unwrap();
    stages.iter().find(|stage| stage["id"] == id)
}

/// The stored id of the stage that a call names by its global id.
fn stored_id(known: &BTreeMap<String, String>, input: &Value) -> String {
    known[input["id"].as_str().unwrap()].clone()
}

/// What the model says that a call, answered at `version`, did to the snapshot before.
fn check_effect(
    call: &Call,
    snapshots: &[&Value],
    version: usize,
    stages: &BTreeMap<String, String>,
) {
    let (name, input) = (call.name, &call.input);
    let after = snapshots[version - 1];
    let before = version.checked_sub(2).map(|i| snapshots[i]);
    match name {
        "updateApplication" => {
            let mut expected = said(before.unwrap());
            expected["notes"] = input["notes"].clone();
            let status = STATUSES.iter().find(|(name, _)| input["status"] == *name);
            if let Some((_, word)) = status {
                expected["status"] = json!(word);
            }
            assert_eq!(said(after), expected, "{input}");
        }
        "archiveApplication" => assert_eq!(after["isArchived"], true, "{input}"),
        "unarchiveApplication" => assert_eq!(after["isArchived"], false, "{input}"),
        "addInterviewStage" => {
            let id = input["stageId"].as_str().unwrap();
            assert!(stage(before.unwrap(), id).is_none(), "{input}");
            assert_eq!(stage(after, id).unwrap()["name"], input["name"]);
            let mut without = said(after);
            let list = without["interviewStages"].as_array_mut().unwrap();
            list.retain(|stage| stage["id"] != id);
            assert_eq!(without, said(before.unwrap()), "{input}");
        }
        "removeInterviewStage" => {
            let id = stored_id(stages, input);
            assert!(stage(before.unwrap(), &id).is_some() && stage(after, &id).is_none());
        }
        "completeInterviewStage" => {
            let id = stored_id(stages, input);
            assert_eq!(stage(after, &id).unwrap()["isCompleted"], true, "{input}");
        }
        "updateInterviewStage" => {
            let id = stored_id(stages, input);
            assert_eq!(stage(after, &id).unwrap()["notes"], input["notes"]);
        }
        "restoreApplication" => {
            let sequence = input["sequence"].as_u64().unwrap() as usize;
            assert_eq!(said(after), said(snapshots[sequence - 1]), "{input}");
        }
        "reorderInterviewStages" => {
            let ids = input["stageIds"].as_array().unwrap().iter();
            for (place, id) in ids.enumerate() {
                let id = &stages[id.as_str().unwrap()];
                assert_eq!(stage(after, id).unwrap()["order"], place, "{input}");
            }
        }
        _ => {}
    }
}

/// How many entries, other than those that restore, brought a text that one call alone has.
fn brought(stored: &Stored, marker: &str) -> usize {
    let mut before = false;
    let mut count = 0;
    for entry in stored.history.values() {
        let now = entry["snapshot"]
            .to_string()
            .contains(&format!("\"{marker}\""));
        let restored = entry["description"]
            .as_str()
            .unwrap()
            .starts_with("Restored");
        count += usize::from(now && !before && !restored);
        before = now;
    }
    count
}

async fn check_calls(world: &World, calls: &[Call], ids: &[String]) {
    let mut stages = BTreeMap::new();
    for call in calls {
        if let Outcome::Done(payload) = &call.outcome
            && let Some(list) = payload["application"]["interviewStages"].as_array()
        {
            stages.extend(list.iter().map(|s| (text(&s["id"]), text(&s["stageId"]))));
        }
    }
    let sent = |id: &str, name: &str| {
        let refused = |call: &&Call| matches!(call.outcome, Outcome::Refused(..));
        let named = calls
            .iter()
            .filter(|call| call.application == id && call.name == name);
        named.filter(|call| !refused(call)).count()
    };
    // What was deleted and then made anew with the same id has a history of its own.
    let remade = |id: &str| sent(id, "deleteApplication") > 0 && sent(id, "createApplication") > 1;
    let mut kept = BTreeMap::new();
    for id in ids.iter().filter(|id| !remade(id)) {
        kept.insert(id.as_str(), stored(world, id).await);
    }
    for call in calls {
        let Some(stored) = kept.get(call.application.as_str()) else {
            continue;
        };
        let snapshots: Vec<_> = stored
            .history
            .values()
            .map(|entry| &entry["snapshot"])
            .collect();
        let marker = call.input["notes"].as_str().or(match call.name {
            "addInterviewStage" => call.input["name"].as_str(),
            _ => None,
        });
        let times = marker.map(|marker| brought(stored, marker));
        match &call.outcome {
            Outcome::Done(payload) if call.name != "deleteApplication" => {
                assert!(
                    times.is_none_or(|times| times == 1),
                    "{}: {times:?}",
                    call.input
                );
                let version = payload["application"]["version"].as_u64().unwrap() as usize;
                assert!(version <= snapshots.len(), "{} at {version}", call.input);
                check_effect(call, &snapshots, version, &stages);
            }
            Outcome::Done(_) => panic!("{} was deleted and is there", call.application),
            Outcome::Refused(codes, errors) => {
                const TYPED: [&str; 4] = ["CONFLICT", "NOT_FOUND", "INVALID", "LIMIT_REACHED"];
                assert!(
                    codes.iter().all(|code| TYPED.contains(&code.as_str())),
                    "{errors}"
                );
                assert!(
                    times.is_none_or(|times| times == 0),
                    "{}: {errors}",
                    call.input
                );
            }
            Outcome::Failed(code) => {
                assert_eq!(code, "SERVICE_UNAVAILABLE", "{}", call.input);
                assert!(
                    times.is_none_or(|times| times <= 1),
                    "{}: {times:?}",
                    call.input
                );
            }
        }
    }
}

async fn run(mut random: Seeded, tokens: Tokens) {
    let steps = std::env::var("TRESTLE_STEPS")
        .ok()
        .and_then(|steps| steps.parse().ok());
    let steps: u64 = steps.unwrap_or(400);
    let world = World::start(ATTEMPTS).await;
    world.faults.tokens(tokens);
    let known = Mutex::new(Known::default());
    world.faults.draw(random.split(), PERCENT);
    let clients = (0..CLIENTS).map(|number| {
        let mut client = Client {
            world: &world,
            known: &known,
            random: random.split(),
            number,
        };
        async move {
            let mut calls = Vec::new();
            for step in 0..steps / CLIENTS {
                calls.push(client.step(step).await);
            }
            calls
        }
    });
    let calls: Vec<_> = join_all(clients).await.into_iter().flatten().collect();
    assert!(
        world.faults.injected() > steps / 20,
        "hardly anything failed"
    );
    world.faults.stop();
    let ids = check_table(&world).await;
    check_calls(&world, &calls, &ids).await;
    check_gone(&world, &calls, &ids).await;
}

/// What was made is there unless someone deleted it, and what is deleted leaves nothing once it is finished.
async fn check_gone(world: &World, calls: &[Call], ids: &[String]) {
    let of = |name: &str| -> BTreeSet<&str> {
        let named = calls.iter().filter(|call| call.name == name);
        named.map(|call| call.application.as_str()).collect()
    };
    let deleted = of("deleteApplication");
    for call in calls.iter().filter(|call| call.name == "createApplication") {
        let there = ids.contains(&call.application);
        let acknowledged = matches!(call.outcome, Outcome::Done(_));
        assert!(
            there || !acknowledged || deleted.contains(call.application.as_str()),
            "{} was made and is not there",
            call.application
        );
    }
    for id in deleted
        .into_iter()
        .filter(|id| !ids.iter().any(|there| there == id))
    {
        world.mutate("deleteApplication", json!({ "id": id })).await;
        let left = stored(world, id).await;
        assert!(left.application.is_none() && left.history.is_empty() && left.stages.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn random_changes_under_faults_keep_every_promise() {
    run(Seeded::printed(0x7265_7374), Tokens::Kept).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn random_changes_under_faults_keep_every_promise_on_a_store_that_forgets() {
    run(Seeded::printed(0x6c65_2031), Tokens::Stripped).await;
}
