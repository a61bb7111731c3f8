//! Restoring what a snapshot holds, and keeping the rest: another program may have written a snapshot of some fields. And going
//! back to a status, by that or by hand.

use serde_json::{Map, Value};

use super::{
    Application, Details, ExactSnapshot, IfEmpty, Stage, State, Status, Timestamp, is_mistake,
};

const STAGES: &str = "interviewStages";

/// An application as it was, as far as a snapshot says it.
#[derive(Clone, Debug, PartialEq)]
pub struct Restored {
    /// The application.
    pub state: State,
    /// The fields that keep their values, because the snapshot does not have them or they cannot be read.
    pub kept: Vec<String>,
}

/// A snapshot, and who wrote it.
struct Snapshot<'s> {
    fields: &'s Map<String, Value>,
    exact: &'s ExactSnapshot,
    /// Whether this program wrote it: what it has only if set, was not set.
    is_ours: bool,
}

impl State {
    /// As it was in a snapshot: fields, archiving and stages. What the snapshot does not have stays. `None` if the
    /// snapshot is not a map. If that undoes a mistake, the status began when the snapshot says.
    pub fn restore(
        &self,
        snapshot: &Value,
        exact: &ExactSnapshot,
        now: Timestamp,
    ) -> Option<Restored> {
        let fields = snapshot.as_object()?;
        let snapshot = Snapshot {
            fields,
            exact,
            // Every release stored this attribute, empty or not.
            is_ours: fields.contains_key("statusSince"),
        };
        let mut kept = Vec::new();
        let mut application = self.application.clone();
        let names: Vec<_> = Details::FIELDS.iter().map(|field| field.name).collect();
        let details = snapshot.over(json(&application.details)?, &names, |name| {
            kept.push(name.to_owned());
        });
        application.details = serde_json::from_value::<Details>(details).ok()?;
        application.exact = application.exact.with(&exact.application, &names);
        match fields.get("isArchived").and_then(Value::as_bool) {
            Some(is_archived) => application.is_archived.set(&is_archived),
            None => kept.push("isArchived".to_owned()),
        }
        let then = Application::of_json(&application.id, Value::Object(fields.clone()))?;
        self.resume(&mut application, &then, now);
        let stages = snapshot.stages(self, &mut kept).unwrap_or_else(|| {
            kept.push(STAGES.to_owned());
            self.stages().to_vec()
        });
        let state = State::new(application, stages);
        Some(Restored { state, kept })
    }
}

impl State {
    /// Whether a change may undo a mistake: it goes back to a status that the application had, from one that it has for less than an
    /// hour.
    pub fn may_undo_a_mistake(&self, next: &Self, now: Timestamp) -> bool {
        let to = next.application.details.status.get();
        let past = self.application.past_statuses.get().unwrap_or_default();
        let is_back = to.is_some_and(|to| past.has(to));
        let since = self.application.stay_since();
        is_back
            && self.application.details.status.get() != to
            && since.is_some_and(|since| is_mistake(since, now))
    }

    /// Lets the status of `next` have begun when an earlier version says, if going back to that undoes a mistake. Answers whether it
    /// does.
    pub fn resume(&self, next: &mut Application, then: &Application, now: Timestamp) -> bool {
        let status = next.details.status.get();
        // Whoever says another day has not undone it.
        let is_same = status == then.details.status.get()
            && (status != Some(Status::Applied)
                || next.details.date_applied == then.details.date_applied);
        if !is_same || !self.undoes_a_mistake(then, now) {
            return false;
        }
        next.status_since = then.status_since.clone();
        next.status_since_status = then.status_since_status.clone();
        next.status_noted_at = then.status_noted_at.clone();
        true
    }

    /// Whether the status since an earlier version was set by mistake, and no other one that counts came between.
    fn undoes_a_mistake(&self, then: &Application, now: Timestamp) -> bool {
        let (was, is) = (
            then.details.status.get(),
            self.application.details.status.get(),
        );
        if was == is || was.is_none() || then.status_since_status.get() != was {
            return false;
        }
        let since = self.application.stay_since();
        let left = self.application.past_statuses.get().unwrap_or_default();
        let left_then = then.past_statuses.get().unwrap_or_default();
        since.is_some_and(|since| is_mistake(since, now))
            && left.other_than(was).all(|status| left_then.has(status))
    }
}

/// Whether this program stores a field of an application or a stage only if it is set.
fn is_only_if_set(name: &str) -> bool {
    is_stored(name, IfEmpty::Missing) || ["scheduledAt", "durationMinutes"].contains(&name)
}

fn is_stored(name: &str, if_empty: IfEmpty) -> bool {
    let mut fields = Details::FIELDS.iter();
    fields.any(|field| field.name == name && field.if_empty == if_empty)
}

fn json(of: &impl serde::Serialize) -> Option<Map<String, Value>> {
    match serde_json::to_value(of) {
        Ok(Value::Object(fields)) => Some(fields),
        _ => None,
    }
}

impl Snapshot<'_> {
    /// The fields as they are now, with those of the snapshot instead. Reports the names of those that it does not
    /// have, if they have values.
    fn over(
        &self,
        mut now: Map<String, Value>,
        names: &[&str],
        mut keep: impl FnMut(&str),
    ) -> Value {
        for name in names {
            let is_empty = now.get(*name).is_none_or(Value::is_null);
            match self.fields.get(*name) {
                Some(Value::Null) if is_stored(name, IfEmpty::Never) => keep(name),
                Some(earlier) => drop(now.insert((*name).to_owned(), earlier.clone())),
                None if self.is_ours && is_only_if_set(name) => drop(now.remove(*name)),
                None if is_empty => {}
                None => keep(name),
            }
        }
        Value::Object(now)
    }

    /// The stages; `None` if the snapshot does not say which there were.
    fn stages(&self, now: &State, kept: &mut Vec<String>) -> Option<Vec<Stage>> {
        let stored = self.fields.get(STAGES)?.as_array()?;
        let of = &now.application.id;
        let read = stored
            .iter()
            .map(|stage| Stage::of_json(of, None, stage.clone()));
        let read = State::new(now.application.clone(), read.collect::<Option<_>>()?);
        if !read.has_distinct_stages() {
            return None;
        }
        let stages = stored.iter().enumerate().map(|(at, stored)| {
            let fields = stored.as_object()?;
            let exact = self.exact.stage(at);
            let read = Stage::of_json(of, None, stored.clone())?;
            let Some(now) = now.stage(&read.key) else {
                return Some(Stage { exact, ..read });
            };
            let snapshot = Snapshot {
                fields,
                exact: self.exact,
                is_ours: self.is_ours,
            };
            let merged = snapshot.over(json(now)?, &Stage::FIELDS, |name| {
                kept.push(format!("{STAGES}.{name}"));
            });
            let merged = serde_json::from_value::<Stage>(merged).ok()?;
            Some(Stage {
                application: of.clone(),
                key: now.key.clone(),
                exact: now.exact.with(&exact, &Stage::FIELDS),
                ..merged
            })
        });
        stages.collect()
    }
}

/// Whether two stages say the same, whoever wrote their ids.
pub fn says_the_same(a: &Stage, b: &Stage) -> bool {
    let b = Stage {
        id: a.id.clone(),
        application_id: a.application_id.clone(),
        ..b.clone()
    };
    *a == b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_restored() {
        let fields = Details::FIELDS.iter();
        let full = fields.map(|field| (field.name.to_owned(), Value::from("x")));
        let details: Details =
            serde_json::from_value(Value::Object(full.clone().collect())).unwrap();
        assert_eq!(json(&details), Some(full.collect()));
    }
}
