//! One of several clients that change and ask at the same time. What it is answered is held against what
//! everyone was answered before.

use std::sync::Mutex;

use serde_json::{Value, json};
use trestle_applications::{
    ApplicationId, Change, ChangeError, DetailsChange, Import, Imported, NewRow,
};

use super::domain::Asked;
use super::inputs;
use super::questions::Walk;
use super::seen::{Floor, Seen};
use crate::world::{Outcome, World};
use trestle_testing::faults::Seeded;

/// Every field of an application, its stages with their ids.
pub const WHOLE: &str = "id companyName positionTitle status dateApplied offerDueDate companyUrl
  jobPostingUrl companyCareerUrl companyCategory jobSource skillsMatch coverLetterRequired
  specialRequirements notes salaryMin salaryMax isArchived version createdAt updatedAt
  interviewStages { id stageId name order isCompleted completedDate notes performanceRating }";

/// So many of the first applications take half of the calls.
const HOT: usize = 4;

/// One mutation, and what became of it.
pub struct Call {
    pub application: String,
    pub asked: Asked,
    /// What was known of the application before.
    pub floor: Option<Floor>,
    pub outcome: Outcome,
}

impl Call {
    /// The application that it was answered.
    pub fn answered(&self) -> Option<&Value> {
        match &self.outcome {
            Outcome::Done(payload) => payload.get("application"),
            _ => None,
        }
    }
}

/// What the clients know of.
#[derive(Default)]
pub struct Known {
    pub seen: Seen,
    /// Every application that was ever to be made, with how.
    pub applications: Vec<(String, Asked)>,
    /// Stages that were sent once.
    pub stages: Vec<(String, Asked)>,
}

pub struct Client<'w> {
    pub world: &'w World,
    pub known: &'w Mutex<Known>,
    pub random: Seeded,
    pub number: u64,
    pub walk: Option<Walk>,
}

impl Client<'_> {
    /// Does one thing; `None` where that was a question.
    pub async fn step(&mut self, step: u64) -> Option<Call> {
        let marker = format!("client {} step {step}", self.number);
        let die = self.random.below(100);
        let Some((id, made)) = self.pick() else {
            return Some(self.create(die, &marker).await);
        };
        let asked = match die {
            0..4 => return Some(self.create(die, &marker).await),
            4..6 => made,
            6..8 => inputs::asked("deleteApplication", json!({ "id": id })),
            8..28 => inputs::update(&mut self.random, &id, &marker),
            28..33 => inputs::asked("archiveApplication", json!({ "id": id })),
            33..38 => inputs::asked("unarchiveApplication", json!({ "id": id })),
            38..48 => inputs::add_stage(&mut self.random, &id, &marker),
            48..72 => self.change_known(die, &id, &marker),
            _ => {
                self.ask(die, &id).await;
                return None;
            }
        };
        Some(self.send(id, asked).await)
    }

    /// One of those that are there, as far as is known; now and then one that is not.
    fn pick(&mut self) -> Option<(String, Asked)> {
        let known = self.known.lock().unwrap();
        let any = self.random.below(8) == 0;
        let there = |(id, _): &&(String, Asked)| any || known.seen.known(id).is_some();
        let all: Vec<_> = known.applications.iter().filter(there).collect();
        let among = match self.random.below(2) {
            0 => all.len().min(HOT),
            _ => all.len(),
        };
        (among > 0).then(|| all[self.random.below(among as u64) as usize].clone())
    }

    async fn create(&mut self, die: u64, marker: &str) -> Call {
        let (id, asked) = match die % 4 {
            0 => inputs::import(&mut self.random, marker),
            _ => inputs::create(&mut self.random, marker),
        };
        let made = (id.clone(), asked.clone());
        self.known.lock().unwrap().applications.push(made);
        self.send(id, asked).await
    }

    /// A change that names what is known of an application: one of its stages, all of them, an entry.
    fn change_known(&mut self, die: u64, id: &str, marker: &str) -> Asked {
        let known = self.known.lock().unwrap();
        let random = &mut self.random;
        let stages = known.seen.stages(id);
        let stage = (!stages.is_empty())
            .then(|| stages[random.below(stages.len() as u64) as usize].clone());
        match (die, stage, known.seen.known(id)) {
            (48..50, ..) => {
                let sent: Vec<_> = known.stages.iter().filter(|(of, _)| of == id).collect();
                match sent.len() as u64 {
                    0 => inputs::add_stage(random, id, marker),
                    count => sent[random.below(count) as usize].1.clone(),
                }
            }
            (50..56, Some(stage), _) => {
                inputs::of_stage(random, "updateInterviewStage", stage, marker)
            }
            (56..59, Some(stage), _) => {
                inputs::of_stage(random, "completeInterviewStage", stage, marker)
            }
            (59..63, Some(stage), _) => {
                inputs::of_stage(random, "removeInterviewStage", stage, marker)
            }
            (63..67, _, Some((_, state))) => inputs::reorder(random, id, state, &stages),
            (67..72, _, Some((version, _))) => {
                // One too many, now and then.
                let sequence = 1 + random.below(version + 1);
                inputs::asked(
                    "restoreApplication",
                    json!({ "id": id, "sequence": sequence }),
                )
            }
            _ => inputs::update(random, id, marker),
        }
    }

    async fn send(&mut self, id: String, mut asked: Asked) -> Call {
        let floor = {
            let mut known = self.known.lock().unwrap();
            match asked.name {
                "deleteApplication" => known.seen.deleting(&id),
                "addInterviewStage" => known.stages.push((id.clone(), asked.clone())),
                _ => {}
            }
            let made = matches!(asked.name, "createApplication" | "import");
            if !made && self.random.below(4) == 0 {
                let version = known.seen.known(&id).map(|(version, _)| version);
                asked.input["expectedVersion"] = json!(version);
            }
            known.seen.floor(&id)
        };
        let outcome = match asked.name {
            "import" => self.import(&asked.input).await,
            "deleteApplication" => self.world.mutate(asked.name, asked.input.clone()).await,
            name => {
                let selection = format!("application {{ {WHOLE} }}");
                self.world
                    .mutate_for(name, asked.input.clone(), &selection)
                    .await
            }
        };
        let call = Call {
            application: id,
            asked,
            floor,
            outcome,
        };
        let mut known = self.known.lock().unwrap();
        if let Some(answered) = call.answered() {
            known.seen.newest(call.floor.as_ref(), answered);
        } else if let ("deleteApplication", Outcome::Done(_)) = (call.asked.name, &call.outcome) {
            known.seen.gone(call.floor.as_ref(), &call.application);
        }
        call
    }

    async fn import(&self, input: &Value) -> Outcome {
        let text = |name: &str| input[name].as_str().unwrap().to_owned();
        let row = NewRow {
            id: ApplicationId::stored(&text("id")).unwrap(),
            fields: DetailsChange {
                company_name: Change::Set(text("companyName")),
                position_title: Change::Set(text("positionTitle")),
                notes: Change::Set(text("notes")),
                ..DetailsChange::default()
            },
            is_archived: input["isArchived"] == true,
        };
        let store = self.world.applications();
        let made = store
            .import_rows(vec![row], Import::Write, None, &mut None)
            .await;
        match made.as_deref() {
            Ok([Imported::Created]) => Outcome::Done(json!({})),
            Ok([Imported::AlreadyThere | Imported::BeingDeleted]) => {
                Outcome::Refused(vec!["CONFLICT".to_owned()], json!([]))
            }
            Err(ChangeError::Store(_) | ChangeError::Contended) => {
                Outcome::Failed("SERVICE_UNAVAILABLE".to_owned())
            }
            other => panic!("{input} was {other:?}"),
        }
    }
}
