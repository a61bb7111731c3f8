//! Interview stages: one step between an application and its end.

use chrono::NaiveDate;

use super::details::Check;
use super::values::date;
use super::{Change, Rating, Rule, StageId, StageName, StageNote, Violations};

/// The most stages that an application holds, so that a snapshot of them all fits into one item.
pub const MAX_STAGES: usize = 30;

/// One interview stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Its id.
    pub id: StageId,
    /// What it is called.
    pub name: StageName,
    /// Its place among the stages, smallest first.
    pub order: u32,
    /// Whether it is done.
    pub is_completed: bool,
    /// When it was done.
    pub completed_date: Option<NaiveDate>,
    /// The person's notes.
    pub notes: Option<StageNote>,
    /// How it went.
    pub performance_rating: Option<Rating>,
}

/// A patch to a stage, not yet checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StageChange {
    pub name: Change<String>,
    pub order: Change<i64>,
    pub is_completed: Change<bool>,
    pub completed_date: Change<String>,
    pub notes: Change<String>,
    pub performance_rating: Change<i64>,
}

/// A stage to add: without an `order` it goes behind all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewStage {
    /// The id, which the client may have made.
    pub id: StageId,
    /// What it is.
    pub fields: StageChange,
}

impl Stage {
    /// The new stage that `fields` describe.
    ///
    /// # Errors
    /// Every rule that they break.
    pub(super) fn create(
        new: NewStage,
        last_order: Option<u32>,
        today: NaiveDate,
    ) -> Result<Self, Violations> {
        let order = last_order.map_or(0, |last| last.saturating_add(1).min(MAX_ORDER));
        Self::apply(new.id, None, order, new.fields, today)
    }

    /// This stage with a patch applied. Completing it dates it today unless it has a date; taking that
    /// back takes the date back.
    ///
    /// # Errors
    /// Every rule that the patch breaks.
    pub(super) fn update(&self, change: StageChange, today: NaiveDate) -> Result<Self, Violations> {
        Self::apply(self.id, Some(self), self.order, change, today)
    }

    fn apply(
        id: StageId,
        now: Option<&Self>,
        order: u32,
        change: StageChange,
        today: NaiveDate,
    ) -> Result<Self, Violations> {
        let mut check = Check::default();
        let date_was_set = change.completed_date.is_set();
        let was_completed = now.is_some_and(|s| s.is_completed);
        let name = check.required("name", now.map(|s| s.name.clone()), change.name, |text| {
            StageName::parse(&text)
        });
        let order = check.required("order", Some(order), change.order, parse_order);
        let is_completed =
            check.required("isCompleted", Some(was_completed), change.is_completed, Ok);
        let completed_date = check.optional(
            "completedDate",
            now.and_then(|s| s.completed_date),
            change.completed_date,
            |text| date(&text),
        );
        let notes = check.optional(
            "notes",
            now.and_then(|s| s.notes.clone()),
            change.notes,
            |text| StageNote::parse(&text),
        );
        let performance_rating = check.optional(
            "performanceRating",
            now.and_then(|s| s.performance_rating),
            change.performance_rating,
            Rating::parse,
        );
        let completed_date = match is_completed {
            Some(true) => completed_date.or(Some(today)),
            Some(false) if was_completed && !date_was_set => None,
            _ => completed_date,
        };
        match (name, order, is_completed) {
            (Some(name), Some(order), Some(is_completed)) if check.violations.is_empty() => {
                Ok(Self {
                    id,
                    name,
                    order,
                    is_completed,
                    completed_date,
                    notes,
                    performance_rating,
                })
            }
            _ => Err(check.violations),
        }
    }
}

const MAX_ORDER: u32 = i32::MAX.unsigned_abs();

fn parse_order(order: i64) -> Result<u32, Rule> {
    u32::try_from(order)
        .ok()
        .filter(|order| *order <= MAX_ORDER)
        .ok_or(Rule::OutOfRange(0, i64::from(MAX_ORDER)))
}
