//! Which applications a list has.

use std::collections::BTreeSet;
use std::fmt;

use aws_sdk_dynamodb::types::AttributeValue;
use chrono::{DateTime, NaiveDate};

use crate::keys::Partition;
use crate::model::{Application, CompanyCategory, JobSource, Status, Timestamp, canonical};
use trestle_table::Condition;

use super::added::AddedFilters;
use super::fold::fold;
use super::range::Range;
use super::texts::{TEXTS, texts};

/// Which applications a list has. The empty filter matches all that are not archived.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListFilter {
    /// Only these statuses; empty for all.
    pub only_statuses: BTreeSet<Status>,
    /// Archived or not.
    pub archived: ArchivedFilter,
    /// Only these categories; empty for all.
    pub company_categories: BTreeSet<CompanyCategory>,
    /// Only these sources; empty for all.
    pub job_sources: BTreeSet<JobSource>,
    /// At least this rating.
    pub min_skills_match: Option<i32>,
    /// Every word of this in one of [`TEXTS`].
    pub text: Option<String>,
    /// The fields that the first release did not have. Cursors of lists without them stay valid.
    pub more: MoreFilters,
    /// The fields that came after those.
    pub added: AddedFilters,
    /// Which applications are left out.
    pub not: Option<Box<ListFilter>>,
}

/// Further fields of a filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoreFilters {
    /// Only these job postings; empty for all.
    pub job_posting_urls: BTreeSet<String>,
    /// Dates of application.
    pub date_applied: Range<NaiveDate>,
    /// Dates by which an offer must be answered.
    pub offer_due_date: Range<NaiveDate>,
    /// Last changes.
    pub updated_at: Range<Timestamp>,
    /// Salaries: those of applications whose own range overlaps this one.
    pub salary: Range<i64>,
}

/// Whether a list has archived applications.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ArchivedFilter {
    /// Only applications that are not archived.
    #[default]
    Exclude,
    /// Only archived applications.
    Only,
    /// Both.
    Include,
}

impl ListFilter {
    /// The statuses in the list.
    pub fn statuses(&self) -> impl Iterator<Item = Status> {
        let all = self.only_statuses.is_empty();
        Status::ALL
            .iter()
            .copied()
            .filter(move |status| all || self.only_statuses.contains(status))
    }

    /// Whether attributes decide which applications match, beyond their index partitions.
    pub fn looks_into_items(&self) -> bool {
        let by_partition = Self {
            only_statuses: self.only_statuses.clone(),
            archived: self.archived,
            ..Self::default()
        };
        *self != by_partition
    }

    /// The filter in the name of its list, for cursors: different filters have different names.
    pub(super) fn name(&self) -> String {
        let Self {
            only_statuses,
            archived,
            company_categories,
            job_sources,
            min_skills_match,
            text,
            more,
            added,
            not,
        } = self;
        let rating = min_skills_match.map(Rating);
        let mut name = format!(
            "ListFilter {{ only_statuses: {only_statuses:?}, archived: {archived:?}, \
             company_categories: {company_categories:?}, job_sources: {job_sources:?}, \
             min_skills_match: {rating:?}, text: {text:?} }}"
        );
        if *more != MoreFilters::default() {
            let MoreFilters {
                job_posting_urls,
                date_applied,
                offer_due_date,
                updated_at,
                salary,
            } = more;
            let updated_at = Range {
                from: updated_at.from.map(moment),
                to: updated_at.to.map(moment),
            };
            name.push_str(&format!(
                " MoreFilters {{ job_posting_urls: {job_posting_urls:?}, date_applied: {date_applied:?}, \
                 offer_due_date: {offer_due_date:?}, updated_at: {updated_at:?}, salary: {salary:?} }}"
            ));
        }
        added.name(&mut name);
        if let Some(not) = not {
            name.push_str(&format!(" not: {{ {} }}", not.name()));
        }
        name
    }

    /// The partitions whose merge the list is: one if the index allows.
    pub fn partitions(&self) -> Vec<Partition> {
        let archived = self.statuses().map(Partition::Archived);
        let mut active = if self.statuses().count() == Status::ALL.len() {
            vec![Partition::Active]
        } else {
            self.statuses().map(Partition::Status).collect()
        };
        match self.archived {
            ArchivedFilter::Exclude => active,
            ArchivedFilter::Only => archived.collect(),
            ArchivedFilter::Include => {
                active.extend(archived);
                active
            }
        }
    }

    /// What DynamoDB filters by.
    pub(super) fn condition(&self) -> Condition {
        let mut all = Vec::new();
        let categories = self.company_categories.iter().map(|c| c.word());
        all.extend(one_of("companyCategory", categories));
        let sources = self.job_sources.iter().map(|s| s.word());
        all.extend(one_of("jobSource", sources));
        if let Some(rating) = self.min_skills_match {
            let number = AttributeValue::N(rating.to_string());
            all.push(Condition::AtLeast("skillsMatch", number));
        }
        all.extend(self.added.conditions());
        Condition::All(all)
    }

    /// The attributes that [`Matcher::matches`] looks at, beyond those that every application has.
    pub(super) fn attributes(&self) -> Vec<&'static str> {
        let more = &self.more;
        let texts = if self.text.is_some() {
            TEXTS.as_slice()
        } else {
            &[]
        };
        let not = self.not.as_ref();
        let excluded = not.map(|not| not.attributes()).unwrap_or_default();
        let used = [
            (not.is_some(), "companyCategory"),
            (not.is_some(), "jobSource"),
            (not.is_some(), "skillsMatch"),
            (!more.job_posting_urls.is_empty(), "jobPostingUrl"),
            (more.date_applied.is_set(), "dateApplied"),
            (more.offer_due_date.is_set(), "offerDueDate"),
            (more.salary.is_set(), "salaryMin"),
            (more.salary.is_set(), "salaryMax"),
        ];
        let used = used.into_iter().filter(|(is_used, _)| *is_used);
        let used = used.map(|(_, attribute)| attribute);
        used.chain(texts.iter().copied())
            .chain(self.added.attributes())
            .chain(excluded)
            .collect()
    }

    /// Whether an application belongs into the list by its own status and archived flag. Another program may have left
    /// it at other keys of the indexes. One whose status cannot be read is where its keys are.
    pub(super) fn fits(&self, status: Option<Status>, is_archived: bool) -> bool {
        let is_archived_here = match self.archived {
            ArchivedFilter::Exclude => !is_archived,
            ArchivedFilter::Only => is_archived,
            ArchivedFilter::Include => true,
        };
        let is_status =
            |status| self.only_statuses.is_empty() || self.only_statuses.contains(&status);
        is_archived_here && status.is_none_or(is_status)
    }

    /// What is filtered by here, because DynamoDB compares text by bytes and has no dates.
    pub(super) fn matcher(&self) -> Matcher<'_> {
        let words = self.text.iter().flat_map(|text| text.split_whitespace());
        let postings = self.more.job_posting_urls.iter();
        Matcher {
            filter: self,
            postings: postings.map(|posting| canonical(posting)).collect(),
            words: words.map(fold).collect(),
            not: self.not.as_ref().map(|not| Box::new(not.matcher())),
        }
    }
}

/// The condition that an attribute is one of these words; `None` if there are none.
fn one_of<'w>(attribute: &'static str, words: impl Iterator<Item = &'w str>) -> Option<Condition> {
    let words: Vec<_> = words
        .map(|word| AttributeValue::S(word.to_owned()))
        .collect();
    // An operand list holds at most 100 values; more are compared here alone.
    (1..=100)
        .contains(&words.len())
        .then_some(Condition::OneOf(attribute, words))
}

/// Whether a value is one of those that are wanted; if none is, each value is.
fn is_one_of<T>(wanted: &BTreeSet<T>, is: impl Fn(&T) -> bool) -> bool {
    wanted.is_empty() || wanted.iter().any(is)
}

/// A rating as the first release named it in lists.
#[derive(Debug)]
struct Rating(#[expect(dead_code, reason = "part of the name")] i32);

/// A moment as the names of lists have it.
fn moment(at: Timestamp) -> impl fmt::Debug {
    let at = DateTime::from_timestamp_millis(at.millis()).unwrap_or_default();
    fmt::from_fn(move |f| write!(f, "Timestamp({at:?})"))
}

/// A filter that is prepared for many applications.
pub(super) struct Matcher<'f> {
    filter: &'f ListFilter,
    /// The wanted job postings, in the form by which they are compared.
    postings: BTreeSet<String>,
    words: Vec<String>,
    /// Those that are left out.
    not: Option<Box<Matcher<'f>>>,
}

impl Matcher<'_> {
    /// Whether an application matches all of the filter, also what indexes and DynamoDB decide: by its stored values, as
    /// DynamoDB compares them.
    fn matches_alone(&self, application: &Application) -> bool {
        let details = &application.details;
        let category = details.company_category.stored().as_str();
        let source = details.job_source.stored().as_str();
        let rating = details.skills_match.stored().as_f64();
        let least = self.filter.min_skills_match.map(f64::from);
        is_one_of(&self.filter.only_statuses, |status| {
            details.status.get() == Some(*status)
        }) && is_one_of(&self.filter.company_categories, |wanted| {
            category == Some(wanted.word())
        }) && is_one_of(&self.filter.job_sources, |wanted| {
            source == Some(wanted.word())
        }) && least.is_none_or(|least| rating.is_some_and(|rating| rating >= least))
            && self.matches(application)
    }

    /// Whether an application that DynamoDB did not filter out is in the list.
    pub(super) fn matches(&self, application: &Application) -> bool {
        let (details, more) = (&application.details, &self.filter.more);
        let posting = details.job_posting_url.stored().as_str();
        let (min, max) = (details.salary_min.get(), details.salary_max.get());
        (self.postings.is_empty()
            || posting.is_some_and(|url| self.postings.contains(&canonical(url))))
            && more.date_applied.has(details.date_applied.get().as_ref())
            && more
                .offer_due_date
                .has(details.offer_due_date.get().as_ref())
            && more.updated_at.has(Some(&application.last_update()))
            && more.salary.overlaps(min.as_ref(), max.as_ref())
            && self.filter.added.matches(application)
            && self.has_words(application)
            && !self
                .not
                .as_ref()
                .is_some_and(|not| not.matches_alone(application))
    }

    fn has_words(&self, application: &Application) -> bool {
        if self.words.is_empty() {
            return true;
        }
        let texts: Vec<_> = texts(application).map(|(_, text)| fold(&text)).collect();
        let mut words = self.words.iter();
        words.all(|word| texts.iter().any(|text| text.contains(word.as_str())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_the_first_release_stay() {
        let filter = ListFilter {
            min_skills_match: Some(3),
            only_statuses: [Status::Applied].into(),
            ..ListFilter::default()
        };
        let expected = "ListFilter { only_statuses: {Applied}, archived: Exclude, company_categories: {}, \
                        job_sources: {}, min_skills_match: Some(Rating(3)), text: None }";
        assert_eq!(filter.name(), expected);
        let since = MoreFilters {
            updated_at: Range {
                from: Timestamp::from_millis(1_795_000_000_500),
                to: None,
            },
            ..MoreFilters::default()
        };
        let filter = ListFilter {
            more: since,
            ..filter
        };
        let more = " MoreFilters { job_posting_urls: {}, date_applied: Range { from: None, to: None }, \
                    offer_due_date: Range { from: None, to: None }, \
                    updated_at: Range { from: Some(Timestamp(2026-11-18T11:06:40.500Z)), to: None }, \
                    salary: Range { from: None, to: None } }";
        assert_eq!(filter.name(), [expected, more].concat());
    }
}
