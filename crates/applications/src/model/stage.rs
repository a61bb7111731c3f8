//! Interview stages.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use trestle_domain::Check;

use super::check::{optional, patch, required};
use super::values::{date, integer, rating, text};
use super::{ApplicationId, Change, Exact, Field, Moment, StageId, Violations};

/// The most characters of a stage's name.
const NAME: usize = 100;
/// The most characters of a stage's notes.
const NOTE: usize = 2000;

/// The most minutes of a stage: a week.
const MAX_MINUTES: i64 = 7 * 24 * 60;

/// The highest position that a stage can be given, so that others have room after it.
const MAX_ORDER: i64 = 2_000_000_000;

/// The most stages that an application holds, so that a snapshot of them all fits into one item.
pub const MAX_STAGES: usize = 30;

/// One interview stage, as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Stage {
    /// Its application, by its key.
    #[serde(skip, default = "ApplicationId::unset")]
    pub application: ApplicationId,
    /// Its id, by its key or, in a snapshot, by its attribute.
    #[serde(skip, default = "StageId::unset")]
    pub key: StageId,
    /// The stored id.
    #[serde(default)]
    pub id: Field<String>,
    /// The stored id of its application, which other programs leave out of snapshots.
    #[serde(default)]
    pub application_id: Field<String>,
    /// The name.
    #[serde(default)]
    pub name: Field<String>,
    /// Its position among the stages, lowest first.
    #[serde(default)]
    pub order: Field<i32>,
    /// Whether it is completed.
    #[serde(default)]
    pub is_completed: Field<bool>,
    /// When it was completed.
    #[serde(default)]
    pub completed_date: Field<NaiveDate>,
    /// The person's notes.
    #[serde(default)]
    pub notes: Field<String>,
    /// How it went, from 1 to 5.
    #[serde(default)]
    pub performance_rating: Field<i32>,
    /// When it takes place. Stored only if set.
    #[serde(default, skip_serializing_if = "Field::is_empty")]
    pub scheduled_at: Field<Moment>,
    /// How many minutes it takes. Stored only if set.
    #[serde(default, skip_serializing_if = "Field::is_empty")]
    pub duration_minutes: Field<i32>,
    /// What JSON cannot represent of its item, and what other programs added to it.
    #[serde(skip)]
    pub exact: Exact,
}

patch! {
    /// A patch to a stage, not yet checked.
    StageChange of Stage {
        name "name": String = |raw| text(&raw, NAME),
        order "order": i64 = |order| integer(order, 0, MAX_ORDER),
        is_completed "isCompleted": bool = Ok,
    } optional {
        completed_date "completedDate": String = |raw| date(&raw),
        notes "notes": String = |raw| text(&raw, NOTE),
        performance_rating "performanceRating": i64 = rating,
        scheduled_at "scheduledAt": String = |raw| Moment::parse(&raw),
        duration_minutes "durationMinutes": i64 = |minutes| integer(minutes, 1, MAX_MINUTES),
    }
}

/// A stage to add, after all others unless it has an `order`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewStage {
    /// The id, which may be made by the client.
    pub id: StageId,
    /// Its fields.
    pub fields: StageChange,
}

impl Stage {
    /// Its fields.
    pub const FIELDS: [&'static str; 8] = [
        "name",
        "order",
        "isCompleted",
        "completedDate",
        "notes",
        "performanceRating",
        "scheduledAt",
        "durationMinutes",
    ];

    /// Whether it is this new stage, and perhaps has attributes of other programs.
    pub(super) fn is_as_created(&self, new: &Self) -> bool {
        let exact = self.exact.clone();
        *self
            == Self {
                exact,
                ..new.clone()
            }
    }

    /// The new stage that `fields` describe.
    ///
    /// # Errors
    /// Every rule that they break.
    pub(super) fn create(
        application: &ApplicationId,
        new: NewStage,
        last_order: Option<i32>,
        today: NaiveDate,
    ) -> Result<Self, Violations> {
        let empty = Self {
            id: Field::of(&new.id.to_string()),
            key: new.id,
            application: application.clone(),
            application_id: Field::of(&application.to_string()),
            name: Field::default(),
            order: Field::of(&last_order.map_or(0, |last| last.saturating_add(1).max(0))),
            is_completed: Field::of(&false),
            completed_date: Field::default(),
            notes: Field::default(),
            performance_rating: Field::default(),
            scheduled_at: Field::default(),
            duration_minutes: Field::default(),
            exact: Exact::default(),
        };
        empty.update(new.fields.creating(&empty), today)
    }

    /// This stage with a patch applied. Fields that the patch does not set stay as they are stored.
    ///
    /// # Errors
    /// Every rule that the patch breaks.
    pub(super) fn update(&self, change: StageChange, today: NaiveDate) -> Result<Self, Violations> {
        let mut check = Check::default();
        let stage = self.apply(change, today, &mut check);
        check.finish(|| Some(stage))
    }

    /// Completing a stage without a date dates it on the day that it was scheduled for, or today if that is not over;
    /// reopening one removes its date.
    fn apply(&self, change: StageChange, today: NaiveDate, check: &mut Check) -> Self {
        let sets_date = change.completed_date.is_set();
        let touches_completion =
            change.is_completed != Change::Unchanged || change.completed_date != Change::Unchanged;
        let was_completed = self.is_completed.get() == Some(true);
        let mut next = self.clone();
        change.patch(&mut next, check);
        match next.is_completed.get() {
            Some(true) if touches_completion && next.completed_date.is_empty() => {
                let scheduled = next.scheduled_at.get().map(|at| at.0.date_naive());
                let day = scheduled.filter(|day| *day < today).unwrap_or(today);
                next.completed_date = Field::of(&day);
            }
            Some(false) if was_completed && !sets_date => next.completed_date = Field::default(),
            _ => {}
        }
        next
    }
}
