//! What was done in a search for a job, by day: the record that employment offices ask for.

use chrono::NaiveDate;

use super::{Application, HistoryEntry, Stage, Status, Stay};

/// Something that was done about an application, or happened to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Activity {
    /// When; `None` if that is not known. Of a moment without a time zone of its own it is the day in UTC.
    pub day: Option<NaiveDate>,
    /// What.
    pub event: Event,
}

/// What was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A status began that was no mistake.
    Status(Status),
    /// An interview stage took place, or has a date at which it will.
    Stage {
        /// Its name; `None` if that cannot be read.
        name: Option<String>,
        /// Whether it is completed; `None` if that cannot be read.
        is_completed: Option<bool>,
    },
}

impl Activity {
    /// All about one application, whose history is sorted: first what its statuses tell, then its stages in their order.
    pub(crate) fn all(
        application: &Application,
        stages: &[Stage],
        history: &[HistoryEntry],
    ) -> Vec<Self> {
        let sent = application.details.date_applied.get();
        let mut begun = Stay::all_begun(history);
        let is_recorded = begun.iter().any(|(status, _)| *status == Status::Applied);
        // It came here with an answer.
        if !is_recorded && application.was_sent() {
            begun.insert(0, (Status::Applied, None));
        }
        let mut has_first = false;
        let mut activities = Vec::new();
        for (status, since) in begun {
            let is_first = status == Status::Applied && !has_first;
            has_first |= is_first;
            let noted = since.map(|since| since.date());
            activities.push(Self {
                // Only the person knows when it was sent: that it was noted on some day says nothing.
                day: if is_first { sent } else { noted },
                event: Event::Status(status),
            });
        }
        activities.extend(stages.iter().filter_map(Self::of_stage));
        activities
    }

    /// `None` of a stage that is not completed and has no date: nothing was done yet.
    fn of_stage(stage: &Stage) -> Option<Self> {
        let is_completed = stage.is_completed.get();
        let scheduled = stage.scheduled_at.get();
        let scheduled = scheduled.map(|moment| moment.0.date_naive());
        let day = scheduled.or_else(|| stage.completed_date.get());
        if day.is_none() && is_completed == Some(false) {
            return None;
        }
        Some(Self {
            day,
            event: Event::Stage {
                name: stage.name.get(),
                is_completed,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn of_stage(stage: Value) -> Option<Activity> {
        Activity::of_stage(&serde_json::from_value(stage).unwrap())
    }

    #[test]
    fn only_a_stage_that_is_known_to_be_open_and_undated_is_no_activity() {
        assert_eq!(
            of_stage(json!({ "name": "Task", "isCompleted": false })),
            None
        );
        for unknown in [json!({}), json!({ "name": 7, "isCompleted": "perhaps" })] {
            let event = Event::Stage {
                name: None,
                is_completed: None,
            };
            let expected = Activity { day: None, event };
            assert_eq!(of_stage(unknown), Some(expected));
        }
        let dated = json!({ "isCompleted": false, "completedDate": "2026-01-02" });
        assert_eq!(
            of_stage(dated).unwrap().day.unwrap().to_string(),
            "2026-01-02"
        );
    }
}
