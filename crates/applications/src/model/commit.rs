//! From one state to the next: the history entry that a change writes.

use uuid::Uuid;

use super::change::describe;
use super::{
    Application, ApplicationId, Details, DetailsChange, Exact, Field, HistoryEntry, Listed,
    Schedule, State, Status, Stay, Timestamp, Violations, is_mistake, start_of,
};

impl State {
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
        let mut application = Application {
            stored_id: Field::of(&id.to_string()),
            id,
            details,
            is_archived: Field::of(&false),
            history_sequence: Field::of(&1),
            created_at: Field::of(&now),
            updated_at: Field::of(&now),
            listed: Listed::default(),
            status_since: Field::default(),
            status_since_status: Field::default(),
            past_statuses: Field::default(),
            scheduled_stages: Field::default(),
            exact: Exact::default(),
        };
        application.with_status_since(now);
        Ok(HistoryEntry {
            id: entry_id,
            description: "Application created".to_owned(),
            snapshot: State::new(application, Vec::new()),
            actor: None,
        })
    }

    /// The history entry that leads from `self` to `next`, with the next version and a later `updated_at`;
    /// `None` if nothing changes. `because` precedes the description.
    pub fn commit(
        &self,
        next: State,
        because: Option<String>,
        entry_id: Uuid,
        now: Timestamp,
    ) -> Option<HistoryEntry> {
        (*self != next).then(|| self.follow(next, because, entry_id, now))
    }

    /// The history entry that records this state, as another program left it.
    pub fn recorded(&self, because: &str, entry_id: Uuid, now: Timestamp) -> HistoryEntry {
        self.follow(self.clone(), Some(because.to_owned()), entry_id, now)
    }

    fn follow(
        &self,
        next: State,
        because: Option<String>,
        entry_id: Uuid,
        now: Timestamp,
    ) -> HistoryEntry {
        let changes = describe(self, &next);
        let description = match because {
            Some(because) if changes.is_empty() => because,
            Some(because) => format!("{because}: {changes}"),
            None => changes,
        };
        let mut snapshot = next;
        let (before, after) = (&self.application, &mut snapshot.application);
        // Unless the time itself is corrected, a change is later than the one before.
        let moment = match before.moment() {
            Some(earlier) if after.updated_at == before.updated_at => now.after(earlier),
            _ => now,
        };
        after.history_sequence = Field::of(&before.version().saturating_add(1));
        after.updated_at = Field::of(&moment);
        let is_new = after.details.status != before.details.status;
        // Undoing a mistake brings back when the status began.
        if is_new && after.status_since == before.status_since {
            after.with_status_since(moment);
        }
        if let Some(first) = first_interview(before, &snapshot) {
            snapshot.application.with_status_since(first);
        }
        let after = &mut snapshot.application;
        if let Some(left) = before.details.status.get().filter(|_| is_new) {
            // When the status began depends on the answers before, and whether the one that is left counts on when this began.
            let since = before.stay_since();
            if !since.is_some_and(|since| is_mistake(since, moment)) {
                let past = before.past_statuses.get().unwrap_or_default();
                after.past_statuses.set(&past.with(left));
            }
            if Stay::left(before, after).is_none() {
                after.past_statuses = before.past_statuses.clone();
            }
        }
        let schedule = Schedule::of(snapshot.stages());
        let after = &mut snapshot.application;
        if schedule.is_empty() {
            after.scheduled_stages = Field::default()
        } else {
            after.scheduled_stages.set(&schedule)
        }
        HistoryEntry {
            id: entry_id,
            description,
            snapshot,
            actor: None,
        }
    }
}

/// When the interviews of an application began, if a completed stage says that this was earlier than it was noted.
fn first_interview(before: &Application, after: &State) -> Option<Timestamp> {
    let application = &after.application;
    if application.details.status.get() != Some(Status::Interviewing) {
        return None;
    }
    let dates = after.stages().iter();
    let dates = dates.filter_map(|stage| stage.completed_date.get());
    let first = start_of(dates.min()?)?;
    // A date has no time of day, so one of the same day says less than what was noted.
    if application.stay_since()?.date() <= first.date() {
        return None;
    }
    let is_possible = if before.details.status == application.details.status {
        // It came with this status. Otherwise it is known when it got it.
        application.past_statuses.is_empty()
    } else {
        before.stay_since().is_none_or(|since| since <= first)
    };
    is_possible.then_some(first)
}
