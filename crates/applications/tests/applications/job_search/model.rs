//! What a person knows of the own search: the rules as the documentation states them, in plain structs.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, FixedOffset, NaiveDate, Utc};

pub const MINUTE: i64 = 60 * 1000;
pub const HOUR: i64 = 60 * MINUTE;
pub const DAY: i64 = 24 * HOUR;

/// One interview, or another step of one application.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    pub id: String,
    pub name: String,
    pub order: i64,
    pub scheduled: Option<DateTime<FixedOffset>>,
    pub minutes: Option<i64>,
    pub is_completed: bool,
    pub completed_on: Option<NaiveDate>,
}

/// What is noted about one application, as one version of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    pub status: &'static str,
    pub applied: Option<NaiveDate>,
    pub next_action: Option<String>,
    pub next_action_on: Option<NaiveDate>,
    pub offer_due: Option<NaiveDate>,
    pub notes: Option<String>,
    pub is_archived: bool,
    pub stages: Vec<Stage>,
}

/// A time in one status.
#[derive(Clone, Debug, PartialEq)]
pub struct Spell {
    pub status: &'static str,
    /// When it was noted.
    noted: i64,
    /// Whether the date of the application can say that it began earlier: no answer came before.
    is_first_try: bool,
    /// When it began, if the date of a stage says so.
    dated: Option<i64>,
    /// Whether the date of a stage has ever said so.
    was_dated: bool,
    /// How long it lasted; `None` of the present one.
    lasted: Option<i64>,
}

/// An application, with all that happened to it.
#[derive(Clone, Debug)]
pub struct Job {
    pub id: String,
    pub company: String,
    pub position: String,
    pub link: Option<String>,
    pub facts: Facts,
    /// The facts of each version, the first one first.
    pub versions: Vec<Facts>,
    /// The statuses that it had for an hour at least, and the present one.
    spells: Vec<Spell>,
    pub created: i64,
    pub changed: i64,
}

/// A line of the record of a search. Without a day, it is not known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    pub day: Option<NaiveDate>,
    pub event: String,
    pub stage: Option<String>,
    pub is_completed: Option<bool>,
}

/// Something to do on a day.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Due {
    pub date: NaiveDate,
    /// `None` if it takes the whole day.
    pub at: Option<DateTime<FixedOffset>>,
    pub kind: &'static str,
    /// As calendars show it.
    pub summary: String,
    /// When it ends; `None` if it takes the whole day.
    pub until: Option<DateTime<FixedOffset>>,
}

pub fn moment(at: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(at).unwrap()
}

pub fn day_of(at: i64) -> NaiveDate {
    moment(at).date_naive()
}

pub fn midnight(day: NaiveDate) -> i64 {
    let midnight = day.and_hms_opt(0, 0, 0).unwrap();
    midnight.and_utc().timestamp_millis()
}

pub fn is_closed(status: &str) -> bool {
    ["REJECTED", "NO_OFFER", "ACCEPTED_OFFER", "DECLINED_OFFER"].contains(&status)
}

impl Facts {
    pub fn new(status: &'static str, applied: Option<NaiveDate>) -> Self {
        Self {
            status,
            applied,
            next_action: None,
            next_action_on: None,
            offer_due: None,
            notes: None,
            is_archived: false,
            stages: Vec::new(),
        }
    }

    /// Sets the status alone: an application that is sent is sent today, unless its date is known.
    pub fn set_status(&mut self, to: &'static str, today: NaiveDate) {
        if to == "UNSUBMITTED" {
            self.applied = None;
        } else if self.status == "UNSUBMITTED" && self.applied.is_none() {
            self.applied = Some(today);
        }
        self.status = to;
    }

    pub fn stage(&mut self, id: &str) -> &mut Stage {
        let mut stages = self.stages.iter_mut();
        stages.find(|stage| stage.id == id).unwrap()
    }

    /// The day of the first stage that is completed.
    fn first_interview(&self) -> Option<NaiveDate> {
        let days = self.stages.iter().filter_map(|stage| stage.completed_on);
        days.min()
    }
}

impl Stage {
    /// A stage that is completed without a date was completed on the day for which it was scheduled, or today if that is not over.
    pub fn complete(&mut self, on: Option<NaiveDate>, today: NaiveDate) {
        self.is_completed = true;
        let scheduled = self.scheduled.map(|at| at.date_naive());
        let default = scheduled.filter(|day| *day < today).unwrap_or(today);
        self.completed_on = on.or(self.completed_on).or(Some(default));
    }
}

impl Job {
    pub fn new(id: String, company: String, position: String, facts: Facts, at: i64) -> Self {
        let mut job = Self {
            id,
            company,
            position,
            link: None,
            facts: facts.clone(),
            versions: vec![facts],
            spells: Vec::new(),
            created: at,
            changed: at,
        };
        job.turn(at, at);
        job
    }

    /// It is like this from now on. Without a difference, nothing happens.
    pub fn change(&mut self, facts: Facts, at: i64) {
        if facts == self.facts {
            return;
        }
        let is_new = facts.status != self.facts.status;
        let since = self.stay_since();
        self.facts = facts.clone();
        self.versions.push(facts);
        self.changed = at;
        if is_new {
            self.leave(since, at);
        } else {
            self.date_interviews();
        }
    }

    fn spell(&self) -> &Spell {
        self.spells.last().unwrap()
    }

    /// When the present stay in the status began.
    pub fn stay_since(&self) -> i64 {
        self.began(self.spell())
    }

    /// The status of before, which began at `since`, is left. What did not last an hour was a mistake, and whoever goes back then has
    /// undone it.
    fn leave(&mut self, since: i64, at: i64) {
        let left = self.spells.last().cloned();
        self.turn(since, at);
        let began = self.stay_since();
        let lasted = began - since;
        let is_mistake = lasted < HOUR;
        let new = self.spells.pop().unwrap();
        if is_mistake {
            self.spells.pop();
        }
        let is_undone = is_mistake
            && self
                .spells
                .last()
                .is_some_and(|earlier| earlier.status == new.status);
        if is_undone {
            self.spells.last_mut().unwrap().lasted = None;
            return;
        }
        if let (Some(left), false) = (left, is_mistake) {
            *self.spells.last_mut().unwrap() = Spell {
                lasted: Some(lasted),
                ..left
            };
        }
        self.spells.push(new);
    }

    /// A new spell in the present status, after one that began at `since`.
    fn turn(&mut self, since: i64, at: i64) {
        let status = self.facts.status;
        let is_mistake = at - since < HOUR;
        let before: Vec<_> = self.spells.iter().collect();
        let counted = if is_mistake {
            &before[..before.len().saturating_sub(1)]
        } else {
            &before[..]
        };
        let mut statuses = counted.iter().map(|spell| spell.status);
        let is_first_try = statuses.all(|status| ["UNSUBMITTED", "APPLIED"].contains(&status));
        let first = self.facts.first_interview().filter(|day| *day < day_of(at));
        let first = first.filter(|_| status == "INTERVIEWING").map(midnight);
        // Not before the status that it had until now, if it had one.
        let dated = first.filter(|first| self.spells.is_empty() || since <= *first);
        let was_dated = dated.is_some();
        self.spells.push(Spell {
            status,
            noted: at,
            is_first_try,
            dated,
            was_dated,
            lasted: None,
        });
    }

    /// When a spell began, by the present date of the application.
    fn began(&self, spell: &Spell) -> i64 {
        let sent = self
            .facts
            .applied
            .filter(|_| spell.status == "APPLIED" && spell.is_first_try);
        let sent = sent.filter(|day| *day < day_of(spell.noted));
        sent.map(midnight).or(spell.dated).unwrap_or(spell.noted)
    }

    /// The dates of stages say when the interviews began, once they have said so, or if it came with them.
    fn date_interviews(&mut self) {
        let came_with_it = self.spells.len() == 1;
        let first = self.facts.first_interview();
        let applied = self.facts.applied;
        let spell = self.spells.last_mut().unwrap();
        if spell.status != "INTERVIEWING" {
            return;
        }
        let first = first.filter(|day| *day < day_of(spell.noted));
        let is_after_sending = |day: &NaiveDate| applied.is_none_or(|applied| applied <= *day);
        let first = first.filter(|day| came_with_it || (spell.was_dated && is_after_sending(day)));
        spell.dated = first.map(midnight);
        spell.was_dated |= first.is_some();
    }

    /// `statusSince`: of an application that waits for an answer, its own date, also if it is back after one.
    pub fn since(&self) -> i64 {
        let began = self.stay_since();
        let sent = self
            .facts
            .applied
            .filter(|_| self.facts.status == "APPLIED");
        sent.filter(|day| *day < day_of(began))
            .map_or(began, midnight)
    }

    /// The statuses that it has or had, with those that come before them.
    pub fn reached(&self) -> BTreeSet<&'static str> {
        let mut reached: BTreeSet<_> = self.spells.iter().map(|spell| spell.status).collect();
        if reached.iter().any(|status| *status != "UNSUBMITTED") {
            reached.insert("APPLIED");
        }
        if reached.contains("ACCEPTED_OFFER") {
            reached.insert("GIVEN_OFFER");
        }
        reached
    }

    /// How long it was in the statuses that it left.
    pub fn stays(&self) -> Vec<(&'static str, i64)> {
        let left = self.spells.iter();
        left.filter_map(|spell| Some((spell.status, spell.lasted?)))
            .collect()
    }

    /// Whether nobody has answered for so many days, and nothing is planned.
    pub fn is_stale(&self, days: i64, today: NaiveDate) -> bool {
        let facts = &self.facts;
        let last = today - chrono::TimeDelta::days(days);
        let mut planned = facts.stages.iter().filter_map(|stage| stage.scheduled);
        !facts.is_archived
            && ["APPLIED", "INTERVIEWING"].contains(&facts.status)
            && day_of(self.since()) <= last
            && facts.next_action_on.is_none_or(|day| day < today)
            && planned.all(|at| at.date_naive() < today)
    }

    /// What is to be done about it.
    pub fn due(&self) -> Vec<Due> {
        let facts = &self.facts;
        let mut due = Vec::new();
        if facts.is_archived || is_closed(facts.status) {
            return due;
        }
        let of = |what: &str| format!("{what}: {}, {}", self.company, self.position);
        if let Some(date) = facts.next_action_on {
            let what = facts.next_action.as_deref().unwrap_or("Next action");
            due.push(Due {
                date,
                at: None,
                kind: "NEXT_ACTION",
                summary: of(what),
                until: None,
            });
        }
        if let Some(date) = facts.offer_due.filter(|_| facts.status == "GIVEN_OFFER") {
            due.push(Due {
                date,
                at: None,
                kind: "OFFER_DUE",
                summary: of("Offer due"),
                until: None,
            });
        }
        for stage in facts.stages.iter().filter(|stage| !stage.is_completed) {
            if let Some(at) = stage.scheduled {
                let until = at + chrono::TimeDelta::minutes(stage.minutes.unwrap_or(60));
                let (date, summary) = (at.date_naive(), of(&stage.name));
                due.push(Due {
                    date,
                    at: Some(at),
                    kind: "INTERVIEW_STAGE",
                    summary,
                    until: Some(until),
                });
            }
        }
        due
    }

    /// What was done about it, for the employment office.
    pub fn record(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut add = |day: Option<NaiveDate>, event: &str, stage: Option<&Stage>| {
            lines.push(Line {
                day,
                event: event.to_owned(),
                stage: stage.map(|stage| stage.name.clone()),
                is_completed: stage.map(|stage| stage.is_completed),
            });
        };
        // It was sent on its own day, also if its first status here was an answer.
        if self.reached().contains("APPLIED") {
            add(self.facts.applied, "applied", None);
        }
        let mut has_applied = false;
        for spell in &self.spells {
            let is_first = spell.status == "APPLIED" && !has_applied;
            has_applied |= spell.status == "APPLIED";
            if is_first || spell.status == "UNSUBMITTED" {
                continue;
            }
            add(
                Some(day_of(self.began(spell))),
                &spell.status.to_lowercase().replace('_', " "),
                None,
            );
        }
        for stage in &self.facts.stages {
            let day = stage
                .scheduled
                .map(|at| at.date_naive())
                .or(stage.completed_on);
            if stage.is_completed || day.is_some() {
                add(day, "interview stage", Some(stage));
            }
        }
        lines
    }
}

/// How many applications there are of each kind.
pub fn counted<K: Ord>(keys: impl Iterator<Item = K>) -> BTreeMap<K, i64> {
    let mut counts = BTreeMap::new();
    for key in keys {
        *counts.entry(key).or_default() += 1;
    }
    counts
}
