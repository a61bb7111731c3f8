//! Fields of a filter that came later. The name of a list has only those that are set, so that further ones do not change
//! the cursors of lists without them.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use aws_sdk_dynamodb::types::AttributeValue;
use chrono::{Days, NaiveDate};

use crate::model::{Application, Details, Status, Timestamp};
use trestle_domain::Currency;
use trestle_table::Condition;

use super::fold::fold;
use super::range::Range;

/// Fields of a filter that came later.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddedFilters {
    /// One of these tags, without case and accents; empty for all.
    pub tags: BTreeSet<String>,
    /// Every one of these words in the location, without case and accents.
    pub location: BTreeSet<String>,
    /// Whether the job can be done remotely.
    pub is_remote: Option<bool>,
    /// The currency of the salary.
    pub salary_currency: Option<Currency>,
    /// Since when applications have their status.
    pub status_since: Range<Timestamp>,
    /// When the person acts next.
    pub next_action_date: Range<NaiveDate>,
    /// Those that wait for an answer.
    pub stale: Option<Stale>,
}

/// Applications whose status has not changed for so many days, and for which nothing is planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stale {
    /// How many days, at least.
    pub days: u32,
    /// The present day.
    pub today: NaiveDate,
}

impl Stale {
    /// The statuses in which the person waits for the company.
    pub const STATUSES: [Status; 2] = [Status::Applied, Status::Interviewing];

    fn has(self, application: &Application) -> bool {
        // After another program's change of the status, only the last change is known to be no earlier.
        let since = application.status_since();
        let since = since.unwrap_or_else(|| application.last_update());
        let last = self.today.checked_sub_days(Days::new(self.days.into()));
        let is_old = last.is_some_and(|last| since.date() <= last);
        let acts = application.details.next_action_date.get();
        let schedule = application.scheduled_stages.get().unwrap_or_default();
        let mut stages = schedule.stages().map(|(_, moment)| moment.0.date_naive());
        is_old && acts.is_none_or(|day| day < self.today) && stages.all(|day| day < self.today)
    }
}

impl AddedFilters {
    /// One of these tags.
    pub fn tags<'t>(tags: impl IntoIterator<Item = &'t str>) -> BTreeSet<String> {
        let tags = tags.into_iter().map(|tag| fold(tag.trim()));
        tags.filter(|tag| !tag.is_empty()).collect()
    }

    /// The words of a text.
    pub fn words(text: &str) -> BTreeSet<String> {
        text.split_whitespace().map(fold).collect()
    }

    /// The fields in the name of a list.
    pub(super) fn name(&self, to: &mut String) {
        let Self {
            tags,
            location,
            is_remote,
            salary_currency,
            status_since,
            next_action_date,
            stale,
        } = self;
        let mut set = |name: &str, is_set: bool, value: &dyn std::fmt::Debug| {
            if is_set {
                // Text takes everything.
                write!(to, " {name}: {value:?}").unwrap_or_default();
            }
        };
        set("tags", !tags.is_empty(), tags);
        set("location", !location.is_empty(), location);
        set("isRemote", is_remote.is_some(), is_remote);
        let currency = salary_currency.map(|currency| currency.to_string());
        set("salaryCurrency", currency.is_some(), &currency);
        let since = [status_since.from, status_since.to];
        let since = since.map(|end| end.map(|end| end.to_string()));
        set("statusSince", status_since.is_set(), &since);
        set(
            "nextActionDate",
            next_action_date.is_set(),
            next_action_date,
        );
        // The day is not part of the name: a page may be requested after midnight.
        let days = stale.map(|stale| stale.days);
        set("stale", days.is_some(), &days);
    }

    /// What DynamoDB filters by.
    pub(super) fn conditions(&self) -> impl Iterator<Item = Condition> {
        let is_remote = self.is_remote.map(AttributeValue::Bool);
        let is_remote = is_remote.map(|is| Condition::Equals("isRemote".into(), is));
        is_remote.into_iter()
    }

    /// The attributes that [`AddedFilters::matches`] looks at.
    pub(super) fn attributes(&self) -> impl Iterator<Item = &'static str> {
        let (since, is_stale) = (self.status_since.is_set(), self.stale.is_some());
        let acts = self.next_action_date.is_set();
        let used = [
            (!self.tags.is_empty(), "tags"),
            (!self.location.is_empty(), "location"),
            (self.is_remote.is_some(), "isRemote"),
            (self.salary_currency.is_some(), "salaryCurrency"),
            (acts || is_stale, "nextActionDate"),
            (is_stale, "scheduledStages"),
        ];
        let since = if since || is_stale {
            &Application::STATUS_SINCE[..]
        } else {
            &[]
        };
        let used = used.into_iter().filter(|(is_used, _)| *is_used);
        used.map(|(_, attribute)| attribute)
            .chain(since.iter().copied())
    }

    /// Whether an application is in the list, as far as these fields say it.
    pub(super) fn matches(&self, application: &Application) -> bool {
        let details = &application.details;
        (self.tags.is_empty() || self.has_tag_of(details))
            && (self.location.is_empty() || self.has_location_of(details))
            && (self.is_remote.is_none() || details.is_remote.get() == self.is_remote)
            && (self.salary_currency.is_none()
                || details.salary_currency.get() == self.salary_currency)
            && self.status_since.has(application.status_since().as_ref())
            && self
                .next_action_date
                .has(details.next_action_date.get().as_ref())
            && self.stale.is_none_or(|stale| stale.has(application))
    }

    fn has_tag_of(&self, details: &Details) -> bool {
        let tags = details.tags.get();
        tags.is_some_and(|tags| tags.iter().any(|tag| self.tags.contains(&fold(tag))))
    }

    fn has_location_of(&self, details: &Details) -> bool {
        let Some(location) = details.location.stored().as_str().map(fold) else {
            return false;
        };
        self.location.iter().all(|word| location.contains(word))
    }
}
