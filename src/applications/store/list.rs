//! Lists of applications by their last update: one partition of an index, or several merged.

use std::collections::{BTreeSet, HashSet};

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::future::try_join_all;

use crate::applications::error::StoreError;
use crate::applications::keys::{self, Partition, Place};
use crate::applications::model::{Application, CompanyCategory, JobSource, Rating, Status};
use crate::table::{Condition, Direction, IndexDefinition, Item, Order, Projection, TableError};

use super::detail::read_application;
use super::{Applications, Wanted};

/// Which applications a list has. The empty filter has all that are not archived.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListFilter {
    /// Only these; empty for all.
    pub only_statuses: BTreeSet<Status>,
    /// Archived or not.
    pub archived: ArchivedFilter,
    /// Only these; empty for all.
    pub company_categories: BTreeSet<CompanyCategory>,
    /// Only these; empty for all.
    pub job_sources: BTreeSet<JobSource>,
    /// Only those with this rating or a better one.
    pub min_skills_match: Option<Rating>,
    /// Only those whose company or position has every word of this, whatever the case.
    pub text: Option<String>,
}

/// Whether a list has the archived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ArchivedFilter {
    /// Only what is not archived.
    #[default]
    Exclude,
    /// Only what is archived.
    Only,
    /// Both.
    Include,
}

/// The order of a list, by the last update.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListOrder {
    /// The newest update first.
    #[default]
    NewestFirst,
    /// The oldest update first.
    OldestFirst,
}

/// A page of a list, in the list's order.
#[derive(Clone, Debug)]
pub struct ListPage {
    /// The applications.
    pub items: Vec<Listed>,
    /// Whether the list goes on in the page's direction.
    pub more: bool,
}

/// One application of a list.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Where it stands.
    pub place: Place,
    /// The application, attributes that were not asked for empty; or what is wrong with its item.
    pub application: Result<Application, StoreError>,
}

impl ListFilter {
    /// The statuses that the list has.
    pub fn statuses(&self) -> impl Iterator<Item = Status> {
        let all = self.only_statuses.is_empty();
        Status::ALL
            .iter()
            .copied()
            .filter(move |status| all || self.only_statuses.contains(status))
    }

    /// Whether an application's being in the list is not told by its index partition alone.
    pub fn looks_into_items(&self) -> bool {
        !self.company_categories.is_empty()
            || !self.job_sources.is_empty()
            || self.min_skills_match.is_some()
            || self.text.is_some()
    }

    /// The list's name, for its cursors: two filters have the same one only if they are the same.
    pub fn name(&self, order: ListOrder) -> String {
        format!("{self:?} {order:?}")
    }

    /// The partitions whose merge the list is: one where the index allows.
    pub fn partitions(&self) -> Vec<Partition> {
        let active = || match self.statuses().count() == Status::ALL.len() {
            true => vec![Partition::Active],
            false => self.statuses().map(Partition::Status).collect(),
        };
        let archived = || self.statuses().map(Partition::Archived);
        match self.archived {
            ArchivedFilter::Exclude => active(),
            ArchivedFilter::Only => archived().collect(),
            ArchivedFilter::Include => active().into_iter().chain(archived()).collect(),
        }
    }

    /// What DynamoDB itself filters by.
    fn condition(&self) -> Condition {
        let text = |word: &str| AttributeValue::S(word.to_owned());
        let mut all = Vec::new();
        if !self.company_categories.is_empty() {
            let words = self
                .company_categories
                .iter()
                .map(|c| text(c.word()))
                .collect();
            all.push(Condition::OneOf("companyCategory", words));
        }
        if !self.job_sources.is_empty() {
            let words = self.job_sources.iter().map(|s| text(s.word())).collect();
            all.push(Condition::OneOf("jobSource", words));
        }
        if let Some(rating) = self.min_skills_match {
            let number = AttributeValue::N(rating.get().to_string());
            all.push(Condition::AtLeast("skillsMatch", number));
        }
        Condition::All(all)
    }

    /// What only we can filter by: DynamoDB compares text to the letter.
    fn keeps(&self, item: &Item, words: &[String]) -> bool {
        if words.is_empty() {
            return true;
        }
        let lower = |name: &str| {
            item.get(name)
                .and_then(|value| value.as_s().ok())
                .map(|text| text.to_lowercase())
        };
        let texts = [lower("companyName"), lower("positionTitle")];
        words
            .iter()
            .all(|word| texts.iter().flatten().any(|text| text.contains(word)))
    }
}

impl Applications {
    /// A page of a list: `size` applications from `from` on, that way. GSI2 ACTIVE, or GSI1
    /// STATUS#status#ARCHIVED#flag, by UPDATED#updatedAt#id: one Query for each partition, sent together.
    ///
    /// With filters beyond status and archiving, further Queries of growing size follow until the page is
    /// full or the list at its end; each partition reads at most [`crate::table::MAX_CHUNK`] items past
    /// the last one it answers.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn list(
        &self,
        filter: &ListFilter,
        order: ListOrder,
        (size, direction, from): (usize, Direction, Option<&Place>),
        wanted: &Wanted,
    ) -> Result<ListPage, StoreError> {
        let reading = match (order, direction) {
            (ListOrder::NewestFirst, Direction::Forward)
            | (ListOrder::OldestFirst, Direction::Backward) => Order::Descending,
            _ => Order::Ascending,
        };
        let parts = filter.partitions().into_iter().map(|partition| {
            self.list_partition(filter, partition, reading, (size + 1, from), wanted)
        });
        let mut parts = try_join_all(parts).await?;
        let (mut items, more) = match parts.pop() {
            Some(only) if parts.is_empty() => {
                let more = only.len() > size;
                (only, more)
            }
            last => merge(parts.into_iter().chain(last), reading, size),
        };
        items.truncate(size);
        if direction == Direction::Backward {
            items.reverse();
        }
        Ok(ListPage { items, more })
    }

    async fn list_partition(
        &self,
        filter: &ListFilter,
        partition: Partition,
        order: Order,
        (size, from): (usize, Option<&Place>),
        wanted: &Wanted,
    ) -> Result<Vec<Listed>, TableError> {
        let index = partition.index();
        let mut attributes = wanted.projection();
        attributes.push(index.sort_key);
        let mut query = self
            .table
            .query_index(index, partition.key())
            .order(order)
            .project(Projection::Only(attributes))
            .filter(filter.condition());
        if let Some(place) = from {
            query = query.after_in_index(&place.primary_key(), place.sort_key());
        }
        let words: Vec<_> = filter
            .text
            .iter()
            .flat_map(|t| t.split_whitespace())
            .map(str::to_lowercase)
            .collect();
        // What is updated while we read moves ahead of us, where the oldest comes first: once is enough.
        let mut seen = HashSet::new();
        let keep = |item: &Item| {
            filter.keeps(item, &words)
                && seen.insert(keys::last_segment(sort_key(item, index)).to_owned())
        };
        let items = query.fill(size, keep, &self.meter).await?;
        let listed = items.into_iter().map(|item| Listed {
            place: Place::stored(sort_key(&item, index)),
            application: read_application(item),
        });
        Ok(listed.collect())
    }
}

fn sort_key<'i>(item: &'i Item, index: &IndexDefinition) -> &'i str {
    let sort_key = item.get(index.sort_key).and_then(|sk| sk.as_s().ok());
    sort_key.map(String::as_str).unwrap_or_default()
}

/// The parts of a list as one, in `order`, and whether they have more than `size`.
fn merge(
    parts: impl Iterator<Item = Vec<Listed>>,
    order: Order,
    size: usize,
) -> (Vec<Listed>, bool) {
    let mut items: Vec<Listed> = parts.flatten().collect();
    items.sort_by(|a, b| b.place.cmp(&a.place));
    let more = items.len() > size;
    // While the indexes catch up with a change of status, an application can stand in two partitions:
    // where it stands newest is right.
    let mut seen = HashSet::new();
    items.retain(|item| seen.insert(keys::last_segment(item.place.sort_key().as_str()).to_owned()));
    if order == Order::Ascending {
        items.reverse();
    }
    (items, more)
}
