//! Fields of a filter that came later. The name of a list has only those that are set, so that further ones do not change
//! the cursors of lists without them.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use aws_sdk_dynamodb::types::AttributeValue;

use crate::model::Application;
use trestle_table::Condition;

use super::filter::fold;

/// Fields of a filter that came later.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddedFilters {
    /// One of these tags, without case and accents; empty for all.
    pub tags: BTreeSet<String>,
    /// Every one of these words in the location, without case and accents.
    pub location: BTreeSet<String>,
    /// Whether the job can be done remotely.
    pub is_remote: Option<bool>,
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
    }

    /// What DynamoDB filters by.
    pub(super) fn conditions(&self) -> impl Iterator<Item = Condition> {
        let is_remote = self.is_remote.map(AttributeValue::Bool);
        let is_remote = is_remote.map(|is| Condition::Equals("isRemote".into(), is));
        is_remote.into_iter()
    }

    /// The attributes that [`AddedFilters::matches`] looks at.
    pub(super) fn attributes(&self) -> impl Iterator<Item = &'static str> {
        let used = [
            (!self.tags.is_empty(), "tags"),
            (!self.location.is_empty(), "location"),
            (self.is_remote.is_some(), "isRemote"),
        ];
        let used = used.into_iter().filter(|(is_used, _)| *is_used);
        used.map(|(_, attribute)| attribute)
    }

    /// Whether an application is in the list, as far as these fields say it.
    pub(super) fn matches(&self, application: &Application) -> bool {
        let details = &application.details;
        let is_tagged = || {
            let tags = details.tags.get();
            tags.is_some_and(|tags| tags.iter().any(|tag| self.tags.contains(&fold(tag))))
        };
        let is_there = || {
            let location = details.location.stored().as_str().map(fold);
            let has = |location: String| self.location.iter().all(|word| location.contains(word));
            location.is_some_and(has)
        };
        (self.tags.is_empty() || is_tagged())
            && (self.location.is_empty() || is_there())
            && (self.is_remote.is_none() || details.is_remote.get() == self.is_remote)
    }
}
