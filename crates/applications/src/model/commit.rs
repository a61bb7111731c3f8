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
            status_noted_at: Field::default(),
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
        let begins = is_new && after.status_since == before.status_since;
        if begins {
            after.with_status_since(moment);
        }
        date_interviews(&mut snapshot, begins.then_some(before));
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

/// Lets the interviews of an application have begun with the first completed stage, if that says that this was earlier than it was
/// noted. Once a stage has said so, a corrected date moves the beginning, and without one it is when the status was noted. `left`
/// is what the application was, if the status begins with this change.
fn date_interviews(after: &mut State, left: Option<&Application>) {
    let application = &after.application;
    if application.details.status.get() != Some(Status::Interviewing) {
        return;
    }
    let Some(since) = application.stay_since() else {
        return;
    };
    let noted = application.status_noted_at.get().unwrap_or(since);
    let first = first_interview(after, left, noted);
    let application = &mut after.application;
    if first.is_some() || !application.status_noted_at.is_empty() {
        application.with_status_since(first.unwrap_or(noted));
        application.status_noted_at = Field::of(&noted);
    }
}

/// When the first completed stage was, if the interviews can have begun with it before they were noted.
fn first_interview(
    after: &State,
    left: Option<&Application>,
    noted: Timestamp,
) -> Option<Timestamp> {
    let application = &after.application;
    let dates = after.stages().iter();
    let dates = dates.filter_map(|stage| stage.completed_date.get());
    let first = dates.min()?;
    // A date has no time of day, so one of the same day says less than what was noted.
    if noted.date() <= first {
        return None;
    }
    let first_moment = start_of(first)?;
    let past = application.past_statuses.get().unwrap_or_default();
    let is_possible = if let Some(left) = left {
        left.stay_since().is_none_or(|since| since <= first_moment)
    } else if past.other_than(Some(Status::Interviewing)).next().is_none() {
        // It came with this status.
        true
    } else {
        // Otherwise it is known when it got it, unless a stage has said so.
        let sent = application.details.date_applied.get();
        !application.status_noted_at.is_empty() && sent.is_none_or(|sent| sent <= first)
    };
    is_possible.then_some(first_moment)
}
