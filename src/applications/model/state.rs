//! An application with its stages, and every way in which it may change.
//!
//! A change makes a new [`State`] and touches no version; [`State::commit`] compares the two, and where
//! they differ makes the next version and the history entry that tells of it.

use uuid::Uuid;

use super::change::describe;
use super::{
    ApplicationId, Details, DetailsChange, HistoryEntry, MAX_STAGES, NewStage, Rule, Stage,
    StageChange, StageId, Timestamp, Violation, Violations,
};

/// One application, without its stages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Application {
    /// Its id.
    pub id: ApplicationId,
    /// What a person edits.
    pub details: Details,
    /// Whether it was put away.
    pub is_archived: bool,
    /// The sequence of its newest history entry; 0 where another program wrote it without history.
    pub version: u32,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When it came to its present status; `None` where nobody noted it, as another program that gave it that.
    pub status_since: Option<Timestamp>,
}

/// One application with its stages, by their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The application.
    pub application: Application,
    /// Its stages; see [`State::new`].
    stages: Vec<Stage>,
}

impl State {
    /// An application and its stages, which are put in order.
    pub fn new(application: Application, mut stages: Vec<Stage>) -> Self {
        stages.sort_by_key(|stage| (stage.order, stage.id));
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
    pub fn stage(&self, id: StageId) -> Option<&Stage> {
        self.stages.iter().find(|stage| stage.id == id)
    }

    /// A new application, and its first history entry.
    ///
    /// # Errors
    /// Every rule that the input breaks.
    pub fn create(
        id: ApplicationId,
        change: DetailsChange,
        entry_id: Uuid,
        now: Timestamp,
    ) -> Result<HistoryEntry, Violations> {
        let details = Details::create(change, now.date())?;
        let application = Application {
            id,
            details,
            is_archived: false,
            version: 1,
            created_at: now,
            updated_at: now,
            status_since: Some(now),
        };
        Ok(HistoryEntry {
            id: entry_id,
            description: "Application created".to_owned(),
            snapshot: State::new(application, Vec::new()),
        })
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

    /// Put away.
    pub fn archive(&self) -> Self {
        let mut next = self.clone();
        next.application.is_archived = true;
        next
    }

    /// Taken out again.
    pub fn unarchive(&self) -> Self {
        let mut next = self.clone();
        next.application.is_archived = false;
        next
    }

    /// With one stage more. The same stage once more changes nothing.
    ///
    /// # Errors
    /// Every rule that the stage breaks; [`Rule::LimitReached`]; [`Rule::IdTaken`].
    pub fn add_stage(&self, new: NewStage, now: Timestamp) -> Result<Self, Violations> {
        let id = new.id;
        // Sent twice, what was filled in the first time is filled in again: its place behind the others,
        // and the day, which may be another one by now.
        let (last_order, today) = match self.stage(id) {
            Some(there) => (there.order.checked_sub(1), there.completed_date),
            None => (self.stages.iter().map(|stage| stage.order).max(), None),
        };
        let stage = Stage::create(new, last_order, today.unwrap_or(now.date()))?;
        match self.stage(id) {
            Some(there) if *there == stage => return Ok(self.clone()),
            Some(_) => return Err(one("stageId", Rule::IdTaken)),
            None if self.stages.len() >= MAX_STAGES => {
                let rule = Rule::LimitReached("an application holds at most 30 interview stages");
                return Err(one("applicationId", rule));
            }
            None => {}
        }
        let stages = self.stages.iter().cloned().chain([stage]).collect();
        Ok(Self::new(self.application.clone(), stages))
    }

    /// With one stage patched.
    ///
    /// # Errors
    /// Every rule that the patch breaks; [`Rule::NotFound`].
    pub fn update_stage(
        &self,
        id: StageId,
        change: StageChange,
        now: Timestamp,
    ) -> Result<Self, Violations> {
        let stage = self
            .stage(id)
            .ok_or_else(|| one("id", NO_STAGE))?
            .update(change, now.date())?;
        let others = self.stages.iter().filter(|stage| stage.id != id).cloned();
        Ok(Self::new(
            self.application.clone(),
            others.chain([stage]).collect(),
        ))
    }

    /// With one stage less.
    ///
    /// # Errors
    /// [`Rule::NotFound`].
    pub fn remove_stage(&self, id: StageId) -> Result<Self, Violations> {
        self.stage(id).ok_or_else(|| one("id", NO_STAGE))?;
        let others = self.stages.iter().filter(|stage| stage.id != id).cloned();
        Ok(Self::new(self.application.clone(), others.collect()))
    }

    /// With its stages in the order of `ids`, counted from 0.
    ///
    /// # Errors
    /// [`Rule::Invalid`] unless `ids` names every stage once.
    pub fn reorder_stages(&self, ids: &[StageId]) -> Result<Self, Violations> {
        let complete = ids.len() == self.stages.len();
        let stages = self.stages.iter().map(|stage| {
            let place = ids.iter().position(|id| *id == stage.id)?;
            Some(Stage {
                order: u32::try_from(place).ok()?,
                ..stage.clone()
            })
        });
        let stages: Option<Vec<_>> = stages.collect();
        match stages {
            Some(stages) if complete => Ok(Self::new(self.application.clone(), stages)),
            _ => Err(one("stageIds", EVERY_STAGE_ONCE)),
        }
    }

    /// As it was in `earlier`: fields, archiving and stages. It keeps when it was made; another status comes
    /// to it with this change.
    pub fn restore(&self, earlier: &State) -> Self {
        let application = Application {
            details: earlier.application.details.clone(),
            is_archived: earlier.application.is_archived,
            ..self.application.clone()
        };
        Self {
            application,
            stages: earlier.stages.clone(),
        }
    }

    /// The history entry that takes `self` to `next`, with the next version and a later `updated_at`;
    /// `None` where nothing changes. `because` opens the description.
    pub fn commit(
        &self,
        next: State,
        because: Option<String>,
        entry_id: Uuid,
        now: Timestamp,
    ) -> Option<HistoryEntry> {
        if *self == next {
            return None;
        }
        let changes = describe(self, &next);
        let description = match because {
            Some(because) => format!("{because}: {changes}"),
            None => changes,
        };
        let mut snapshot = next;
        snapshot.application.version = self.application.version + 1;
        snapshot.application.updated_at = now.after(self.application.updated_at);
        if snapshot.application.details.status != self.application.details.status {
            snapshot.application.status_since = Some(snapshot.application.updated_at);
        }
        Some(HistoryEntry {
            id: entry_id,
            description,
            snapshot,
        })
    }
}

/// What a list of stages to put in order has to be.
const EVERY_STAGE_ONCE: Rule = Rule::Invalid("every stage of the application, each once");

const NO_STAGE: Rule = Rule::NotFound("interview stage");

fn one(field: &'static str, rule: Rule) -> Violations {
    vec![Violation { field, rule }]
}
