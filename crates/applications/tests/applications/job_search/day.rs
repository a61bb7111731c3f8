//! What a person does on a day of a search: each change through the API, and in the model.

use chrono::{DateTime, FixedOffset, NaiveDate};
use serde_json::{Value, json};
use uuid::Uuid;

use super::Search;
use super::lists::company;
use super::model::{Facts, Job, Stage, is_closed};

/// The offsets in which invitations are written.
const OFFSETS: [i32; 4] = [0, 3600, -5 * 3600, 19800];

/// The API's words for facts of an application that changed.
fn patch(before: &Facts, after: &Facts, today: NaiveDate) -> Value {
    let mut patch = json!({});
    let mut set = |name: &str, before: Value, after: Value| {
        if before != after {
            patch[name] = after;
        }
    };
    set(
        "nextAction",
        json!(before.next_action),
        json!(after.next_action),
    );
    set(
        "nextActionDate",
        json!(before.next_action_on),
        json!(after.next_action_on),
    );
    set(
        "offerDueDate",
        json!(before.offer_due),
        json!(after.offer_due),
    );
    // What the status alone does to the date need not be said.
    let mut by_status = before.clone();
    by_status.set_status(after.status, today);
    set(
        "dateApplied",
        json!(by_status.applied),
        json!(after.applied),
    );
    set("notes", json!(before.notes), json!(after.notes));
    set("status", json!(before.status), json!(after.status));
    patch
}

/// A stage as the API takes it.
fn stage_input(stage: &Stage, has_date: bool) -> Value {
    let mut input =
        json!({ "stageId": stage.id, "name": stage.name, "isCompleted": stage.is_completed });
    if let Some(at) = stage.scheduled {
        input["scheduledAt"] = json!(at.to_rfc3339());
    }
    if let Some(minutes) = stage.minutes {
        input["durationMinutes"] = json!(minutes);
    }
    if has_date {
        input["completedDate"] = json!(stage.completed_on);
    }
    input
}

impl Search {
    fn chance(&mut self, percent: u64) -> bool {
        self.random.below(100) < percent
    }

    fn one(&mut self, of: &[&'static str]) -> &'static str {
        of[self.random.below(of.len() as u64) as usize]
    }

    /// A day from so many before today to so many after.
    fn near(&mut self, before: u64, after: u64) -> NaiveDate {
        let days = self.random.below(before + after + 1) as i64 - before as i64;
        self.today() + chrono::TimeDelta::days(days)
    }

    /// A time on a day, as an invitation writes it.
    fn time_on(&mut self, day: NaiveDate) -> DateTime<FixedOffset> {
        let offset = FixedOffset::east_opt(OFFSETS[self.random.below(4) as usize]).unwrap();
        let (hour, half) = (
            self.random.below(24) as u32,
            30 * self.random.below(2) as u32,
        );
        let time = day.and_hms_opt(hour, half, 0).unwrap();
        time.and_local_timezone(offset).unwrap()
    }

    /// What comes after a status, mostly.
    fn next_status(&mut self, status: &str) -> &'static str {
        match status {
            "UNSUBMITTED" => "APPLIED",
            "APPLIED" => self.one(&["INTERVIEWING", "INTERVIEWING", "REJECTED", "NO_OFFER"]),
            "INTERVIEWING" => self.one(&["GIVEN_OFFER", "REJECTED", "NO_OFFER"]),
            "GIVEN_OFFER" => self.one(&["ACCEPTED_OFFER", "DECLINED_OFFER"]),
            // They have thought better of it.
            _ => self.one(&["APPLIED", "INTERVIEWING", "GIVEN_OFFER"]),
        }
    }

    /// One thing that happens to an application.
    pub async fn act(&mut self, at: usize) {
        let job = &self.jobs[at];
        let has_stages = !job.facts.stages.is_empty();
        match self.random.below(22) {
            0..=3 => self.advance(at).await,
            4 | 5 => self.slip(at).await,
            6..=8 => self.invite(at).await,
            9 | 10 => self.remember_stage(at).await,
            11 | 12 if has_stages => self.complete(at).await,
            13 if has_stages => self.correct_stage(at).await,
            14 if has_stages => self.remove_stage(at).await,
            15 if has_stages => self.reorder(at).await,
            16 => self.called(at).await,
            17 => self.correct_date(at).await,
            18 => self.archive(at).await,
            _ => self.plan(at).await,
        }
    }

    /// Changes an application to these facts, by one mutation.
    async fn change(&mut self, at: usize, mutation: &str, input: Value, facts: Facts) {
        self.mutate(mutation, input).await;
        let now = self.now();
        self.jobs[at].change(facts, now);
    }

    /// `updateApplication`, with what differs.
    async fn update(&mut self, at: usize, facts: Facts) {
        let mut input = patch(&self.jobs[at].facts, &facts, self.today());
        input["id"] = json!(self.jobs[at].id);
        self.change(at, "updateApplication", input, facts).await;
    }

    async fn advance(&mut self, at: usize) {
        let mut facts = self.jobs[at].facts.clone();
        let to = self.next_status(facts.status);
        let today = self.today();
        facts.set_status(to, today);
        if to == "APPLIED" && self.chance(40) {
            facts.applied = Some(self.near(5, 0));
        }
        if to == "GIVEN_OFFER" {
            facts.offer_due = Some(self.near(0, 12));
        }
        self.update(at, facts).await;
    }

    /// A wrong status, and the right one some minutes later.
    async fn slip(&mut self, at: usize) {
        let before = self.jobs[at].facts.clone();
        let version = self.jobs[at].versions.len();
        let wrong = self.one(&[
            "REJECTED",
            "NO_OFFER",
            "GIVEN_OFFER",
            "INTERVIEWING",
            "APPLIED",
        ]);
        if wrong == before.status || self.is_answered_by(at, wrong) {
            return;
        }
        let mut facts = before.clone();
        let today = self.today();
        facts.set_status(wrong, today);
        self.update(at, facts).await;
        self.pass(600);
        let id = self.jobs[at].id.clone();
        match self.random.below(4) {
            0 => self.update(at, before).await,
            1 => {
                let mut input = patch(&self.jobs[at].facts, &before, today);
                input["id"] = json!(id);
                let input = json!({ "applications": [input] });
                self.change(at, "updateApplications", input, before).await;
            }
            2 => {
                let input = json!({ "id": id, "sequence": version });
                self.change(at, "restoreApplication", input, before).await;
            }
            _ => {
                let mut facts = self.jobs[at].facts.clone();
                let right = self.next_status(before.status);
                facts.set_status(right, today);
                self.update(at, facts).await;
            }
        }
    }

    /// Whether a status of an application would have begun before today, so that it is no slip.
    fn is_answered_by(&self, at: usize, status: &'static str) -> bool {
        let mut job = self.jobs[at].clone();
        let mut facts = job.facts.clone();
        facts.set_status(status, self.today());
        job.change(facts, self.now());
        job.stay_since() != self.now()
    }

    /// A stage that is to come, or that was.
    fn new_stage(&mut self, facts: &Facts) -> Stage {
        let orders = facts.stages.iter().map(|stage| stage.order);
        self.number += 1;
        Stage {
            id: Uuid::new_v4().to_string(),
            name: format!("Round {}", self.number),
            order: orders.max().map_or(0, |last| last + 1),
            scheduled: None,
            minutes: None,
            is_completed: false,
            completed_on: None,
        }
    }

    async fn add_stage(&mut self, at: usize, stage: Stage, has_date: bool) {
        let mut facts = self.jobs[at].facts.clone();
        let mut input = stage_input(&stage, has_date);
        input["applicationId"] = json!(self.jobs[at].id);
        facts.stages.push(stage);
        self.change(at, "addInterviewStage", input.clone(), facts.clone())
            .await;
        if self.chance(30) {
            // Sent again, as by a client that has lost the answer.
            self.pass(5);
            self.change(at, "addInterviewStage", input, facts).await;
        }
    }

    async fn invite(&mut self, at: usize) {
        let facts = self.jobs[at].facts.clone();
        let mut stage = self.new_stage(&facts);
        if self.chance(85) {
            let day = self.near(2, 12);
            stage.scheduled = Some(self.time_on(day));
            stage.minutes = self.chance(40).then_some(45);
        }
        self.add_stage(at, stage, false).await;
    }

    async fn remember_stage(&mut self, at: usize) {
        let facts = self.jobs[at].facts.clone();
        let mut stage = self.new_stage(&facts);
        let has_date = self.chance(70);
        let on = self.near(20, 0);
        let today = self.today();
        stage.complete(has_date.then_some(on), today);
        self.add_stage(at, stage, has_date).await;
    }

    /// The id of one of an application's stages.
    fn some_stage(&mut self, at: usize) -> Stage {
        let stages = &self.jobs[at].facts.stages;
        stages[self.random.below(stages.len() as u64) as usize].clone()
    }

    async fn complete(&mut self, at: usize) {
        let stage = self.some_stage(at);
        let on = self.near(4, 0);
        let on = self.chance(50).then_some(on);
        let mut facts = self.jobs[at].facts.clone();
        let today = self.today();
        facts.stage(&stage.id).complete(on, today);
        let mut input = json!({ "id": stage.id, "applicationId": self.jobs[at].id });
        if let Some(on) = on {
            input["completedDate"] = json!(on);
            facts.stage(&stage.id).completed_on = Some(on);
        }
        self.change(at, "completeInterviewStage", input, facts)
            .await;
    }

    /// Another time of a stage, another day on which it was completed, or it was not completed at all.
    async fn correct_stage(&mut self, at: usize) {
        let stage = self.some_stage(at);
        let mut facts = self.jobs[at].facts.clone();
        let mut input = json!({ "id": stage.id, "applicationId": self.jobs[at].id });
        let changed = facts.stage(&stage.id);
        if stage.is_completed && self.random.below(3) == 0 {
            changed.is_completed = false;
            changed.completed_on = None;
            input["isCompleted"] = json!(false);
        } else if stage.is_completed {
            let day = self.near(20, 0);
            changed.completed_on = Some(day);
            input["completedDate"] = json!(day);
        } else {
            let day = self.near(1, 10);
            let time = self.time_on(day);
            changed.scheduled = Some(time);
            input["scheduledAt"] = json!(time.to_rfc3339());
        }
        self.change(at, "updateInterviewStage", input, facts).await;
    }

    async fn remove_stage(&mut self, at: usize) {
        let stage = self.some_stage(at);
        let mut facts = self.jobs[at].facts.clone();
        facts.stages.retain(|one| one.id != stage.id);
        let input = json!({ "id": stage.id, "applicationId": self.jobs[at].id });
        self.change(at, "removeInterviewStage", input, facts).await;
    }

    async fn reorder(&mut self, at: usize) {
        let mut facts = self.jobs[at].facts.clone();
        facts.stages.reverse();
        for (order, stage) in facts.stages.iter_mut().enumerate() {
            stage.order = order as i64;
        }
        let ids: Vec<_> = facts.stages.iter().map(|stage| stage.id.clone()).collect();
        let input = json!({ "applicationId": self.jobs[at].id, "stageIds": ids });
        self.change(at, "reorderInterviewStages", input, facts)
            .await;
    }

    /// The recruiter called: status, stage and next step in one change.
    async fn called(&mut self, at: usize) {
        let mut facts = self.jobs[at].facts.clone();
        if is_closed(facts.status) {
            return;
        }
        let today = self.today();
        let before = facts.clone();
        facts.set_status("INTERVIEWING", today);
        let open = facts
            .stages
            .iter()
            .find(|stage| !stage.is_completed)
            .cloned();
        let completed: Vec<_> = open.iter().map(|stage| json!({ "id": stage.id })).collect();
        if let Some(stage) = open {
            facts.stage(&stage.id).complete(None, today);
        }
        let mut stage = self.new_stage(&facts);
        let day = self.near(0, 9);
        stage.scheduled = Some(self.time_on(day));
        let mut input = patch(&before, &facts, today);
        input["id"] = json!(self.jobs[at].id);
        input["completeInterviewStages"] = json!(completed);
        input["addInterviewStages"] = json!([stage_input(&stage, false)]);
        facts.stages.push(stage);
        self.change(at, "updateApplication", input, facts).await;
    }

    async fn correct_date(&mut self, at: usize) {
        let mut facts = self.jobs[at].facts.clone();
        if facts.status == "UNSUBMITTED" {
            return;
        }
        let day = self.near(45, 0);
        facts.applied = self.chance(90).then_some(day);
        self.update(at, facts).await;
    }

    async fn archive(&mut self, at: usize) {
        let mut facts = self.jobs[at].facts.clone();
        facts.is_archived = !facts.is_archived;
        let mutation = if facts.is_archived {
            "archiveApplication"
        } else {
            "unarchiveApplication"
        };
        let input = json!({ "id": self.jobs[at].id });
        self.change(at, mutation, input, facts).await;
    }

    async fn plan(&mut self, at: usize) {
        let mut facts = self.jobs[at].facts.clone();
        self.number += 1;
        if facts.next_action_on.is_some() && self.chance(40) {
            facts.next_action = None;
            facts.next_action_on = None;
        } else {
            let day = self.near(1, 10);
            facts.next_action = self
                .chance(80)
                .then(|| format!("write, again: {}", self.number));
            facts.next_action_on = Some(day);
        }
        facts.notes = Some(format!("note {}", self.number));
        self.update(at, facts).await;
    }

    /// An application that is noted when it is sent, or later, or with its answer.
    pub async fn apply(&mut self) {
        self.number += 1;
        let number = self.number;
        let company = company(&mut self.random, number);
        let position = format!("Designer {number}");
        let status = self.one(&[
            "UNSUBMITTED",
            "APPLIED",
            "APPLIED",
            "INTERVIEWING",
            "REJECTED",
        ]);
        let day = self.near(30, 0);
        let mut facts = Facts::new(status, None);
        let mut input =
            json!({ "companyName": company, "positionTitle": position, "status": status });
        if status != "UNSUBMITTED" {
            facts.applied = Some(self.today());
            match self.random.below(4) {
                0 => {}
                1 => {
                    facts.applied = None;
                    input["dateApplied"] = Value::Null;
                }
                _ => {
                    facts.applied = Some(day);
                    input["dateApplied"] = json!(day);
                }
            }
        }
        let made = self.mutate("createApplication", input).await;
        let id = made["application"]["id"].as_str().unwrap().to_owned();
        let job = Job::new(id, company, position, facts, self.now());
        self.jobs.push(job);
    }

    pub async fn delete(&mut self, at: usize) {
        let job = self.jobs.remove(at);
        self.gone.extend(job.stays());
        self.mutate("deleteApplication", json!({ "id": job.id }))
            .await;
    }
}
