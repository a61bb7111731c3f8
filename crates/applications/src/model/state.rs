//! An application with its stages, and every way in which it may change.
//!
//! A change makes a new [`State`] with the same version. [`State::commit`] compares the two, and if they differ
//! makes the next version with its history entry.

use std::collections::BTreeSet;

use chrono::{NaiveDate, NaiveTime};
use serde::{Deserialize, Serialize};

use trestle_domain::Check;

use super::{
    ApplicationId, Details, DetailsChange, Exact, Field, Listed, MAX_STAGES, MAX_VERSION, NewStage,
    PastStatuses, Rule, Schedule, Stage, StageChange, StageId, Status, Timestamp, Violation,
    Violations,
};

/// One application without its stages, as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Application {
    /// Its id, by its key.
    #[serde(skip, default = "ApplicationId::unset")]
    pub id: ApplicationId,
    /// The stored id.
    #[serde(rename = "id", default)]
    pub stored_id: Field<String>,
    /// What a person edits.
    #[serde(flatten)]
    pub details: Details,
    /// Whether it is archived, as it is stored; see [`Application::is_archived`].
    #[serde(default)]
    pub is_archived: Field<bool>,
    /// Where its keys in the indexes list it, if its attributes do not say so; see [`Listed`].
    #[serde(skip)]
    pub listed: Listed,
    /// The sequence of its newest history entry; empty if another program wrote it without history.
    #[serde(default)]
    pub history_sequence: Field<u32>,
    /// When it was created.
    #[serde(default)]
    pub created_at: Field<Timestamp>,
    /// When it was last changed.
    #[serde(default)]
    pub updated_at: Field<Timestamp>,
    /// When it got a status; see [`Application::status_since`].
    #[serde(default)]
    pub status_since: Field<Timestamp>,
    /// The status that `status_since` belongs to. Stored only if set.
    #[serde(default, skip_serializing_if = "Field::is_empty")]
    pub status_since_status: Field<Status>,
    /// When the status was noted, once a stage has said that it began earlier. Stored only if set.
    #[serde(default, skip_serializing_if = "Field::is_empty")]
    pub status_noted_at: Field<Timestamp>,
    /// The statuses that it had before. Stored only if there are any.
    #[serde(default, skip_serializing_if = "Field::is_empty")]
    pub past_statuses: Field<PastStatuses>,
    /// When its scheduled stages take place, by their ids, so that an agenda need not read every stage. Stored only
    /// if there are any.
    #[serde(default, skip_serializing_if = "Field::is_empty")]
    pub scheduled_stages: Field<Schedule>,
    /// What JSON cannot represent of its item.
    #[serde(skip)]
    pub exact: Exact,
}

impl Application {
    /// The sequence of the newest history entry; 0 without one.
    pub fn version(&self) -> u32 {
        self.history_sequence.get().unwrap_or(0)
    }

    /// The fields whose stored values cannot be read, or are missing although there must be one. Not the version: if it cannot
    /// be read, the history says it.
    pub fn all_unreadable(&self) -> Vec<&'static str> {
        let mut unreadable = self.details.unreadable();
        for (name, is_readable) in [
            ("isArchived", self.is_archived.get().is_some()),
            ("createdAt", self.created_at.get().is_some()),
            ("updatedAt", self.updated_at.get().is_some()),
            ("statusSince", self.status_since.read().is_ok()),
            ("statusSinceStatus", self.status_since_status.read().is_ok()),
            ("statusNotedAt", self.status_noted_at.read().is_ok()),
            ("pastStatuses", self.past_statuses.read().is_ok()),
            ("scheduledStages", self.scheduled_stages.read().is_ok()),
        ] {
            if !is_readable {
                unreadable.push(name);
            }
        }
        unreadable
    }

    /// Whether no version can follow.
    pub fn is_at_the_last_version(&self) -> bool {
        self.version() >= MAX_VERSION
    }

    /// Whether it is archived. If another program stored something else than yes or no, its keys in the indexes say it.
    pub fn is_archived(&self) -> bool {
        self.is_archived.get().unwrap_or(self.listed.is_archived)
    }

    /// The attributes that [`Application::status_since`] looks at.
    pub const STATUS_SINCE: [&'static str; 3] = ["statusSince", "statusSinceStatus", "dateApplied"];

    /// Since when it has its status. For APPLIED that is the date applied, unless the status was noted before; for others it is what
    /// was noted. `None` if another program set the status and no date says it.
    pub fn status_since(&self) -> Option<Timestamp> {
        self.since(self.sent())
    }

    /// When its present stay in its status began. An application that is APPLIED again after an answer began a new stay then, whatever
    /// its date applied is; otherwise as [`Application::status_since`].
    pub fn stay_since(&self) -> Option<Timestamp> {
        let past = self.past_statuses.get().unwrap_or_default();
        let had_answer = past
            .other_than(Some(Status::Applied))
            .any(|status| status != Status::Unsubmitted);
        self.since(self.sent().filter(|_| !had_answer))
    }

    fn since(&self, sent: Option<Timestamp>) -> Option<Timestamp> {
        let noted = self.noted_since();
        let limit = noted.unwrap_or_else(|| self.last_update());
        // A date has no time of day, so one of the same day says less than what was noted.
        let sent = sent.filter(|sent| sent.date() < limit.date());
        sent.or(noted)
    }

    /// The date applied, if the status is APPLIED.
    fn sent(&self) -> Option<Timestamp> {
        if self.details.status.get() != Some(Status::Applied) {
            return None;
        }
        start_of(self.details.date_applied.get()?)
    }

    fn noted_since(&self) -> Option<Timestamp> {
        let status = self.details.status.get();
        // The first release stored no status beside the moment.
        let belongs =
            self.status_since_status.is_empty() || self.status_since_status.get() == status;
        self.status_since
            .get()
            .filter(|_| belongs && status.is_some())
    }

    /// The statuses other than its present one that it had: those of stays that count, and those without which nobody gets
    /// to these or to its present one.
    pub fn past(&self) -> Vec<Status> {
        let present = self.details.status.get();
        let past = self.past_statuses.get().unwrap_or_default();
        past.reached(present).other_than(present).collect()
    }

    /// Whether it was sent, as far as that is known: its statuses say so, or its date if its status cannot be read.
    pub fn was_sent(&self) -> bool {
        let present = self.details.status.get();
        let past = self.past_statuses.get().unwrap_or_default();
        let is_unknown = present.is_none() && self.details.date_applied.get().is_some();
        is_unknown || past.reached(present).has(Status::Applied)
    }

    pub(super) fn with_status_since(&mut self, at: Timestamp) {
        self.status_since = Field::of(&at);
        self.status_since_status = self.details.status.clone();
        self.status_noted_at = Field::default();
    }
}

/// The start of a day; `None` outside the years 0000 to 9999.
pub(crate) fn start_of(day: NaiveDate) -> Option<Timestamp> {
    let midnight = day.and_time(NaiveTime::MIN).and_utc();
    Timestamp::from_millis(midnight.timestamp_millis())
}

/// The input's list of stages to complete.
const COMPLETE: &str = "completeInterviewStages";
/// The input's list of stages to add.
const ADD: &str = "addInterviewStages";

/// A change of an application and of its stages, as one version.
#[derive(Clone, Debug, Default)]
pub struct ApplicationChange {
    /// The fields.
    pub details: DetailsChange,
    /// The stages to complete, or the rules that an entry of the input breaks.
    pub completed: Vec<Result<StagePatch, Violations>>,
    /// The stages to add after that, or the rules that an entry of the input breaks.
    pub added: Vec<Result<NewStage, Violations>>,
}

/// A patch of one stage.
#[derive(Clone, Debug)]
pub struct StagePatch {
    /// The stage.
    pub id: StageId,
    /// Its patch.
    pub change: StageChange,
}

impl ApplicationChange {
    /// Whether it changes stages.
    pub fn has_stages(&self) -> bool {
        !self.completed.is_empty() || !self.added.is_empty()
    }
}

/// One application with its stages, by their order.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The application.
    pub application: Application,
    /// Its stages; see [`State::new`].
    stages: Vec<Stage>,
}

impl State {
    /// An application and its stages, which are put in order.
    pub fn new(application: Application, mut stages: Vec<Stage>) -> Self {
        stages.sort_by_cached_key(|stage| (stage.order.get(), stage.key.clone()));
        Self {
            application,
            stages,
        }
    }

    /// The stages, by their order; stages of the same order by their ids.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// The stage with this id.
    pub fn stage(&self, id: &StageId) -> Option<&Stage> {
        self.stages.iter().find(|stage| stage.key == *id)
    }

    /// The stage with this id or, if there is none, with the same UUID as we write it.
    pub fn named_stage(&self, id: &StageId) -> Option<&Stage> {
        self.stage(id).or_else(|| self.stage(&id.respelled()?))
    }

    /// With its fields patched.
    ///
    /// # Errors
    /// Every rule that the patch breaks.
    pub fn update(&self, change: DetailsChange, now: Timestamp) -> Result<Self, Violations> {
        let mut next = self.clone();
        next.application.details = self.application.details.update(change, now.date())?;
        Ok(next)
    }

    /// With its fields patched, stages completed and stages added.
    ///
    /// # Errors
    /// Every rule that the change breaks.
    pub fn change(&self, change: ApplicationChange, now: Timestamp) -> Result<Self, Violations> {
        let mut check = Check::default();
        check.that(
            change.completed.len() <= MAX_STAGES,
            COMPLETE,
            Rule::TooMany(MAX_STAGES),
        );
        check.that(
            change.added.len() <= MAX_STAGES,
            ADD,
            Rule::TooMany(MAX_STAGES),
        );
        check.finish(|| Some(()))?;
        let mut broken = Violations::new();
        let mut next = self.clone();
        match self.update(change.details, now) {
            Ok(updated) => next = updated,
            Err(violations) => broken.extend(violations),
        }
        let mut refused = Vec::new();
        for (at, patch) in change.completed.into_iter().enumerate() {
            match patch.and_then(|patch| next.complete_stage(patch, now)) {
                Ok(completed) => next = completed,
                Err(violations) => refused.push((at, Rule::Within(violations))),
            }
        }
        broken.extend(at_entries(COMPLETE, refused));
        let mut refused = Vec::new();
        for (at, new) in change.added.into_iter().enumerate() {
            match new.and_then(|new| next.add_stage(new, now)) {
                Ok(added) => next = added,
                Err(violations) => refused.push((at, within_new(violations))),
            }
        }
        broken.extend(at_entries(ADD, refused));
        if broken.is_empty() {
            Ok(next)
        } else {
            Err(broken)
        }
    }

    /// Archived or not.
    pub fn archived(&self, is_archived: bool) -> Self {
        let mut next = self.clone();
        next.application.is_archived.set(&is_archived);
        next
    }

    /// With one more stage. At the order of another one it comes before that, which moves on by one, and so do those that
    /// follow without a gap. Adding the same stage again changes nothing.
    ///
    /// # Errors
    /// Every rule that the stage breaks; [`Rule::LimitReached`]; [`Rule::Conflict`].
    pub fn add_stage(&self, new: NewStage, now: Timestamp) -> Result<Self, Violations> {
        let id = new.id.clone();
        // Sent again, it gets the same defaults as the first time: its order and, perhaps on another day, its date.
        let existing = self.stage(&id);
        let (last_order, today) = match existing {
            Some(there) => (
                there.order.get().and_then(|order| order.checked_sub(1)),
                there.completed_date.get(),
            ),
            None => (
                self.stages
                    .iter()
                    .filter_map(|stage| stage.order.get())
                    .max(),
                None,
            ),
        };
        let stage = Stage::create(
            &self.application.id,
            new,
            last_order,
            today.unwrap_or(now.date()),
        )?;
        match existing {
            Some(there) if there.is_as_created(&stage) => return Ok(self.clone()),
            Some(_) => return Err(TAKEN.at("stageId")),
            None if self.stages.len() >= MAX_STAGES => {
                let rule = Rule::LimitReached(
                    "names an application with 30 interview stages, which is the limit",
                );
                return Err(rule.at("applicationId"));
            }
            None => {}
        }
        let mut stages = self.stages.clone();
        make_room(&mut stages, stage.order.get());
        stages.push(stage);
        Ok(Self::new(self.application.clone(), stages))
    }

    /// With one stage patched.
    ///
    /// # Errors
    /// Every rule that the patch breaks; [`Rule::NotFound`].
    pub fn update_stage(
        &self,
        id: &StageId,
        change: StageChange,
        now: Timestamp,
    ) -> Result<Self, Violations> {
        let stage = self.named_stage(id).ok_or_else(|| NO_STAGE.at("id"))?;
        let id = &stage.key;
        let stage = stage.update(change, now.date())?;
        let others = self.stages.iter().filter(|stage| stage.key != *id).cloned();
        Ok(Self::new(
            self.application.clone(),
            others.chain([stage]).collect(),
        ))
    }

    /// With one stage of a change of its application patched.
    fn complete_stage(&self, patch: StagePatch, now: Timestamp) -> Result<Self, Violations> {
        if self.named_stage(&patch.id).is_none() {
            return Err(NOT_ITS_STAGE.at("id"));
        }
        self.update_stage(&patch.id, patch.change, now)
    }

    /// With one stage less.
    ///
    /// # Errors
    /// [`Rule::NotFound`].
    pub fn remove_stage(&self, id: &StageId) -> Result<Self, Violations> {
        let id = &self.named_stage(id).ok_or_else(|| NO_STAGE.at("id"))?.key;
        let others = self.stages.iter().filter(|stage| stage.key != *id).cloned();
        Ok(Self::new(self.application.clone(), others.collect()))
    }

    /// With its stages in the order of `ids`, counted from 0.
    ///
    /// # Errors
    /// [`Rule::NotFound`] if one of `ids` names no stage; [`Rule::Invalid`] unless they name every stage once.
    pub fn reorder_stages(&self, ids: &[StageId]) -> Result<Self, Violations> {
        let ids: Option<Vec<_>> = ids
            .iter()
            .map(|id| self.named_stage(id).map(|stage| &stage.key))
            .collect();
        let ids = ids.ok_or_else(|| NOT_ITS_STAGES.at("stageIds"))?;
        let distinct: BTreeSet<_> = ids.iter().collect();
        let is_complete = ids.len() == self.stages.len() && distinct.len() == ids.len();
        let stages = self.stages.iter().map(|stage| {
            let place = ids.iter().position(|id| **id == stage.key)?;
            let mut stage = stage.clone();
            stage.order.set(&i32::try_from(place).ok()?);
            Some(stage)
        });
        let stages: Option<Vec<_>> = stages.collect();
        match stages {
            Some(stages) if is_complete => Ok(Self::new(self.application.clone(), stages)),
            _ => Err(EVERY_STAGE_ONCE.at("stageIds")),
        }
    }

    /// With times after `limit` set to now: a wrong clock wrote them.
    pub fn with_time_corrected(&self, limit: Timestamp, now: Timestamp) -> Self {
        let mut next = self.clone();
        let application = &mut next.application;
        if application.moment().is_some_and(|at| at > limit) {
            application.updated_at = Field::of(&now);
        }
        if application.status_since().is_some_and(|at| at > limit) {
            application.with_status_since(now);
        }
        next
    }
}

/// The rules that entries of a list break.
fn at_entries(field: &'static str, refused: Vec<(usize, Rule)>) -> Option<Violation> {
    let rule = Rule::Entries(refused);
    (rule != Rule::Entries(Vec::new())).then_some(Violation { field, rule })
}

/// The rules that a stage of a list of new ones breaks. It has no field for the application that has too many.
fn within_new(violations: Violations) -> Rule {
    let is_full = violations
        .iter()
        .any(|violation| matches!(violation.rule, Rule::LimitReached(_)));
    if is_full {
        Rule::LimitReached("is more than the 30 interview stages that an application can have")
    } else {
        Rule::Within(violations)
    }
}

/// Moves the stages at `order`, and those that follow without a gap, on by one. `stages` are sorted by their orders.
fn make_room(stages: &mut [Stage], order: Option<i32>) {
    let Some(order) = order else { return };
    let mut taken = order;
    for stage in stages {
        let Some(at) = stage.order.get().filter(|at| *at >= order) else {
            continue;
        };
        let next = taken.checked_add(1);
        let Some(next) = next.filter(|_| at <= taken) else {
            return;
        };
        stage.order.set(&next);
        taken = next;
    }
}

/// The rule for a list of stages to reorder.
const EVERY_STAGE_ONCE: Rule =
    Rule::Invalid("the ids of all interview stages of the application, each once");

/// The rule for a list of stages, some of which are not the application's.
pub const NOT_ITS_STAGES: Rule =
    Rule::NotFound("has an id that is not of an interview stage of the application");

/// The rule for a stage of an application that is not its own.
pub const NOT_ITS_STAGE: Rule =
    Rule::NotFound("is not the id of an interview stage of the application");

/// The rule for the id of a stage that belongs to something else.
const TAKEN: Rule = Rule::Conflict(
    "belongs to another interview stage of the application. Use a new one, or omit it",
);

/// The rule for the id of a stage that does not exist.
pub const NO_STAGE: Rule = Rule::NotFound(
    "is not the id of an interview stage. With a UUID, give its `applicationId`, too",
);
