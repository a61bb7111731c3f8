//! Whole applications, as lines of an export.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::items::{self, HistoryItem, Placed};
use crate::keys::{FIRST_ENTRY, Scope};
use crate::model::{
    Activity, Application, ApplicationId, Details, Field, HistoryEntry, Listed, MAX_STAGES,
    MAX_VERSION, PastStatuses, Stage, StageId, Status, Stay,
};
use trestle_api::viewer::Owner;
use trestle_table::{Item, ToItem as _, check_storable, item_of};

use super::extra::Extra;

/// A whole application, as a line of an export: its attributes as they are stored, its stages, its history
/// with snapshots, and what other programs added.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    #[serde(flatten)]
    pub(super) application: Application,
    pub(super) interview_stages: Vec<Stage>,
    pub(super) history: Vec<HistoryItem>,
    /// Where the indexes list it, if its attributes do not say so.
    #[serde(default, skip_serializing_if = "Listed::is_empty")]
    pub(super) listed_as: Listed,
    /// The number of stored items that it was read from.
    #[serde(skip)]
    pub(super) items_read: u64,
    /// What the above does not hold of the stored items.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) extra: Vec<Extra>,
    /// The paths of the values that cannot be read as they are stored: another program wrote them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) unreadable: Vec<String>,
    /// Whose it is, in an export of all owners.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) owner: Option<String>,
}

impl Record {
    /// The record with the keys that its attributes name.
    ///
    /// # Errors
    /// What is wrong with it, in a sentence.
    pub fn keyed(mut self) -> Result<Self, String> {
        let id = self.application.stored_id.get();
        let id = id.and_then(|id| ApplicationId::stored(&id));
        let id = id.ok_or("`id` must be a text of 1 to 1,000 bytes.")?;
        for stage in &mut self.interview_stages {
            let belongs = stage.application_id.get().as_deref() == Some(id.as_str());
            let key = stage.id.get().filter(|_| belongs);
            let key = key.and_then(|key| StageId::stored(&key));
            stage.application = id.clone();
            stage.key = key.ok_or("A stage has no `id` or another `applicationId`.")?;
        }
        let history = self.history.into_iter().map(HistoryItem::keyed);
        let history: Option<Vec<_>> = history.collect();
        let history = history.filter(|all| all.iter().all(|entry| *entry.identity().0 == id));
        self.application.id = id;
        if !self.application.is_placed() {
            self.application.listed = self.listed_as.clone();
        }
        self.history =
            history.ok_or("A history entry has no sequence or another `applicationId`.")?;
        let (mut stages, mut entries) = (HashSet::new(), HashSet::new());
        let is_distinct = self
            .interview_stages
            .iter()
            .all(|stage| stages.insert(&stage.key))
            && self
                .history
                .iter()
                .all(|entry| entries.insert(entry.sequence()));
        drop(stages);
        if is_distinct {
            Ok(self)
        } else {
            Err("Two stages have the same id, or two history entries the same sequence.".to_owned())
        }
    }

    /// The record of a line.
    ///
    /// # Errors
    /// What is wrong with it, in a sentence.
    pub fn of_line(line: &Value) -> Result<Self, String> {
        let record: Self = serde_json::from_value(line.clone())
            .map_err(|error| format!("not a complete application: {error}"))?;
        let kept = serde_json::to_value(&record).map_err(|error| error.to_string())?;
        let mut unknown = Vec::new();
        unkept(line, &kept, "", &mut unknown);
        if !unknown.is_empty() {
            let fields = unknown.join("`, `");
            return Err(format!(
                "`{fields}`: an application has no such field. Remove it, or correct its name."
            ));
        }
        record.keyed()
    }

    /// Makes sure that each value can be read, except those of which an export says that they are stored so.
    ///
    /// # Errors
    /// A sentence that names the values.
    pub fn check_readable(&self) -> Result<(), String> {
        let mut found = self.all_unreadable();
        found.retain(|path| !self.unreadable.contains(path));
        if found.is_empty() {
            return Ok(());
        }
        let fields = found.join("`, `");
        Err(format!(
            "`{fields}` cannot be read. Correct it, or import it as it is with --keep-unreadable."
        ))
    }

    /// The paths of all values that cannot be read.
    pub(super) fn all_unreadable(&self) -> Vec<String> {
        let names = self.application.all_unreadable().into_iter();
        let mut found: Vec<_> = names.map(str::to_owned).collect();
        for stage in &self.interview_stages {
            let names = stage.unreadable().into_iter();
            found.extend(names.map(|name| format!("interviewStages[{}].{name}", stage.key)));
        }
        for entry in &self.history {
            let paths = entry.unreadable().into_iter();
            found.extend(paths.map(|path| format!("history[{}].{path}", entry.sequence())));
        }
        found
    }

    /// The record with its owner.
    pub fn owned_by(self, owner: Option<&Owner>) -> Self {
        let owner = owner.map(|owner| owner.as_str().to_owned());
        Self { owner, ..self }
    }

    /// The name of its owner, if the record says it.
    pub fn owner(&self) -> Option<&str> {
        self.owner.as_deref()
    }

    /// The number of stored items that it was read from.
    pub fn items_read(&self) -> u64 {
        self.items_read
    }

    /// The application's id.
    pub fn id(&self) -> &ApplicationId {
        &self.application.id
    }

    /// Its items: the application, the first history entry if there is one, and then the others. Their
    /// attributes may be anything that DynamoDB stores.
    ///
    /// # Errors
    /// What is wrong with it, in a sentence.
    pub(super) fn items(&self, scope: &Scope) -> Result<Vec<Item>, String> {
        let mut application = self.application.clone();
        if Placed::new(scope, &application)
            .keys_in_indexes()
            .is_empty()
        {
            // Nothing says under which status it is listed, and it has to be reached by some index.
            application.listed.status = Some(Status::Unsubmitted.word().to_owned());
        }
        let application = Placed::new(scope, &application);
        if application.keys_in_indexes().is_empty() {
            return Err("`id` is too long for the table's indexes.".to_owned());
        }
        let mut history: Vec<_> = self.history.iter().collect();
        history.sort_unstable_by_key(|entry| entry.sequence());
        let history = history.into_iter().map(|entry| Placed::new(scope, entry));
        let stages = self.interview_stages.iter();
        let mut stages = stages.map(|stage| item_of(&Placed::new(scope, stage)));
        let mut items = vec![item_of(&application)];
        items.extend(history.map(|entry| item_of(&entry)));
        items.extend(&mut stages);
        let items: Result<Vec<_>, _> = items.into_iter().collect();
        let items = items.map_err(|error| error.to_string())?;
        let items = Extra::add(&self.extra, items)?;
        for item in &items {
            let key = items::text(item, "SK").unwrap_or_default();
            check_storable(item).map_err(|reason| format!("`{key}` has {reason}."))?;
        }
        Ok(items)
    }

    /// What in it breaks a rule of this program: another program wrote it. It is kept as it is.
    pub fn oddities(&self) -> Vec<String> {
        let mut odd = Vec::new();
        let stages = self.interview_stages.len();
        if stages > MAX_STAGES {
            odd.push(format!(
                "it has {stages} interview stages, more than {MAX_STAGES}"
            ));
        }
        let sequences = self.history.iter().map(HistoryItem::sequence);
        let last = sequences.max().unwrap_or_default();
        if last as usize != self.history.len() {
            odd.push("entries of its history are missing".to_owned());
        }
        match self.application.history_sequence.read() {
            Err(_) => odd.push(format!(
                "its `historySequence` is not a number up to {MAX_VERSION}, so that the history says its version"
            )),
            Ok(Some(version)) if version != last => odd.push(format!(
                "its `historySequence` is {version}, and the newest `sequence` of its history is {last}"
            )),
            Ok(_) => {}
        }
        odd
    }

    /// The same, with the statuses that its history reports, if whoever wrote it did not keep them.
    pub(super) fn with_past(mut self) -> Self {
        let application = &self.application;
        if !application.past_statuses.is_empty() {
            return self;
        }
        let version = application.version();
        let past = PastStatuses::of(Stay::all_left(&self.entries()));
        let newest = self
            .history
            .iter_mut()
            .find(|entry| entry.sequence() == version);
        if let Some(newest) = newest.filter(|_| !past.is_empty()) {
            newest.set_past(&past);
            self.application.past_statuses = Field::of(&past);
        }
        self
    }

    /// The entries that can be read, oldest first.
    fn entries(&self) -> Vec<HistoryEntry> {
        let entries = self.history.iter().filter_map(HistoryItem::entry);
        let mut entries: Vec<_> = entries.collect();
        entries.sort_by_key(HistoryEntry::sequence);
        entries
    }

    /// The stays in a status that its history reports.
    pub(super) fn stays(&self) -> Vec<Stay> {
        Stay::told(&self.entries())
    }

    /// What was done about it, by its statuses and stages.
    pub fn activities(&self) -> Vec<Activity> {
        Activity::all(&self.application, &self.interview_stages, &self.entries())
    }

    /// The fields that the person filled in.
    pub fn details(&self) -> &Details {
        &self.application.details
    }

    /// Whether it has the first history entry.
    pub(super) fn has_first_entry(&self) -> bool {
        let mut history = self.history.iter();
        history.any(|entry| entry.sequence() == FIRST_ENTRY)
    }
}

/// The paths of the fields of `line` that `kept` does not have.
fn unkept(line: &Value, kept: &Value, path: &str, found: &mut Vec<String>) {
    match (line, kept) {
        (Value::Object(line), Value::Object(kept)) => {
            for (name, value) in line {
                let path = match path {
                    "" => name.clone(),
                    path => format!("{path}.{name}"),
                };
                match kept.get(name) {
                    Some(kept) => unkept(value, kept, &path, found),
                    None if value.is_null() => {}
                    None => found.push(path),
                }
            }
        }
        (Value::Array(line), Value::Array(kept)) => {
            for (at, (line, kept)) in line.iter().zip(kept).enumerate() {
                unkept(line, kept, &format!("{path}[{at}]"), found);
            }
        }
        _ => {}
    }
}
