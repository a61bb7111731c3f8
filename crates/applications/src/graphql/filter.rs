//! The filter of a list of applications.

use async_graphql::InputObject;
use chrono::NaiveDate;

use crate::model::{self, CompanyCategory, JobSource, Rule, Status, Timestamp, pasted, rating};
use crate::store::{AddedFilters, ListFilter, MoreFilters, Range};
use trestle_api::{ApiError, Date, DateTime, SafeInt};
use trestle_domain::Currency;

use super::enums::ArchivedFilter;

/// The longest text to search for, in characters.
const MAX_TEXT: usize = 200;
/// The most job postings to search for.
const MAX_POSTINGS: usize = 100;
/// The most tags to search for.
const MAX_TAGS: usize = 20;

/// Which applications to list: those that match every field that is given.
#[derive(InputObject, Default)]
pub struct ApplicationFilter {
    /// Only applications with one of these statuses. Omitted or empty: all.
    statuses: Option<Vec<Status>>,
    /// Whether to list archived applications. Defaults to EXCLUDE.
    archived: Option<ArchivedFilter>,
    /// Only applications to companies with one of these fields of business.
    company_categories: Option<Vec<CompanyCategory>>,
    /// Only applications with one of these sources.
    job_sources: Option<Vec<JobSource>>,
    /// Only applications with at least this skills match: 1 to 5.
    min_skills_match: Option<i32>,
    /// Only applications with every word of this text in the company, the position, the requirements, the notes, the next
    /// action, the links, the tags, the location or the text of the posting, ignoring case and accents: at most 200
    /// characters. `searchApplications` looks into interview stages, too.
    text: Option<String>,
    /// Only applications to one of these job postings: at most 100.
    job_posting_urls: Option<Vec<String>>,
    /// Only applications of these dates.
    date_applied: Option<DateRange>,
    /// Only applications with an offer that must be answered on these dates.
    offer_due_date: Option<DateRange>,
    /// Only applications that were last changed in this time.
    updated_at: Option<DateTimeRange>,
    /// Only applications whose salary range overlaps this one.
    salary: Option<SalaryRange>,
    /// Only applications with at least one of these tags, ignoring case and accents: at most 20.
    tags: Option<Vec<String>>,
    /// Only applications with every word of this text in the location, ignoring case and accents: at most 200 characters.
    location: Option<String>,
    /// Only applications for jobs that can be done remotely, or, with false, only those that are known not to be.
    is_remote: Option<bool>,
    /// Only applications that have had their status since this time. Those without `statusSince` are in no range.
    status_since: Option<DateTimeRange>,
    /// Only applications with a next action on these dates.
    next_action_date: Option<DateRange>,
    /// Only applications that do not match this filter. It cannot have `archived` and `not`. Without any field, it leaves out
    /// none.
    not: Option<Box<ApplicationFilter>>,
}

/// A range of dates. Both ends are included.
#[derive(InputObject)]
pub struct DateRange {
    /// The first date.
    from: Option<Date>,
    /// The last date.
    to: Option<Date>,
}

/// A range of time. Both ends are included.
#[derive(InputObject)]
pub struct DateTimeRange {
    /// The earliest moment.
    from: Option<DateTime>,
    /// The latest moment.
    to: Option<DateTime>,
}

/// A range of salaries, in whole units of their currencies, which are not converted. Both ends are included.
#[derive(InputObject)]
pub struct SalaryRange {
    /// The lowest salary.
    from: Option<SafeInt>,
    /// The highest salary.
    to: Option<SafeInt>,
    /// Only salaries in this currency: a code of ISO 4217 such as EUR. Omitted: in any or none.
    currency: Option<String>,
}

impl ApplicationFilter {
    /// The filter.
    ///
    /// # Errors
    /// BAD_USER_INPUT names the field that is invalid.
    pub fn parse(mut self) -> Result<ListFilter, ApiError> {
        let not = match self.not.take() {
            Some(not) => Some(not.parse_excluded()?),
            None => None,
        };
        let mut filter = self.parse_fields("filter")?;
        // A client may send the object with all of its fields omitted.
        filter.not = not
            .filter(|not| *not != ListFilter::default())
            .map(Box::new);
        Ok(filter)
    }

    /// The filter of the applications that are left out.
    fn parse_excluded(self) -> Result<ListFilter, ApiError> {
        if self.archived.is_some() || self.not.is_some() {
            let message = "`filter.not` cannot have `archived` and `not`. Use `filter.archived`.";
            return Err(ApiError::bad_input(message));
        }
        self.parse_fields("filter.not")
    }

    /// The filter at this path, without what it leaves out.
    fn parse_fields(self, path: &str) -> Result<ListFilter, ApiError> {
        let rating = self.min_skills_match.map(|given| rating(given.into()));
        let rating = rating.transpose();
        let text = self.text.map(|text| text.trim().to_lowercase());
        let text = text.filter(|text| !text.is_empty());
        let characters = text.as_ref().map_or(0, |text| text.chars().count());
        at_most(path, "text", characters, MAX_TEXT, "characters")?;
        let postings = self.job_posting_urls.unwrap_or_default();
        at_most(path, "jobPostingUrls", postings.len(), MAX_POSTINGS, "URLs")?;
        let tags = self.tags.unwrap_or_default();
        at_most(path, "tags", tags.len(), MAX_TAGS, "tags")?;
        let location = self.location.unwrap_or_default();
        let characters = location.chars().count();
        at_most(path, "location", characters, MAX_TEXT, "characters")?;
        let updated = self.updated_at.map(|range| (range.from, range.to));
        let since = self.status_since.map(|range| (range.from, range.to));
        let currency = self
            .salary
            .as_ref()
            .and_then(|range| range.currency.as_deref());
        let salary_currency = currency
            .map(Currency::parse)
            .transpose()
            .map_err(|rule| ApiError::bad_input(format!("`{path}.salary.currency` {rule}.")))?;
        let salary = self.salary.map(|range| (range.from, range.to));
        let added = AddedFilters {
            tags: AddedFilters::tags(tags.iter().map(String::as_str)),
            location: AddedFilters::words(&location),
            is_remote: self.is_remote,
            salary_currency,
            status_since: range(path, "statusSince", since, moment)?,
            next_action_date: days(path, "nextActionDate", self.next_action_date)?,
            stale: None,
        };
        Ok(ListFilter {
            only_statuses: set(self.statuses),
            archived: self.archived.map(Into::into).unwrap_or_default(),
            company_categories: set(self.company_categories),
            job_sources: set(self.job_sources),
            min_skills_match: rating.map_err(|_| {
                ApiError::bad_input(format!("`{path}.minSkillsMatch` must be from 1 to 5."))
            })?,
            text,
            more: MoreFilters {
                job_posting_urls: postings.into_iter().flat_map(spelled).collect(),
                date_applied: days(path, "dateApplied", self.date_applied)?,
                offer_due_date: days(path, "offerDueDate", self.offer_due_date)?,
                updated_at: range(path, "updatedAt", updated, moment)?,
                salary: range(path, "salary", salary, |salary| Ok(salary.0))?,
            },
            added,
            not: None,
        })
    }
}

fn at_most(path: &str, field: &str, count: usize, most: usize, unit: &str) -> Result<(), ApiError> {
    if count > most {
        let message = format!("`{path}.{field}` must have at most {most} {unit}.");
        return Err(ApiError::bad_input(message));
    }
    Ok(())
}

/// A job posting as it is given, and as a new application would store it.
fn spelled(posting: String) -> impl Iterator<Item = String> {
    let stored = pasted(&posting).ok().map(|link| link.to_string());
    std::iter::once(posting).chain(stored)
}

fn set<T: Ord>(given: Option<Vec<T>>) -> std::collections::BTreeSet<T> {
    given.into_iter().flatten().collect()
}

fn range<G, T>(
    path: &str,
    name: &str,
    given: Option<(Option<G>, Option<G>)>,
    parse: impl Fn(G) -> Result<T, Rule>,
) -> Result<Range<T>, ApiError> {
    let (from, to) = given.unwrap_or((None, None));
    Ok(Range {
        from: end(format!("{path}.{name}.from"), from, &parse)?,
        to: end(format!("{path}.{name}.to"), to, &parse)?,
    })
}

fn end<G, T>(
    path: String,
    given: Option<G>,
    parse: impl Fn(G) -> Result<T, Rule>,
) -> Result<Option<T>, ApiError> {
    given.map(parse).transpose().map_err(|rule| {
        let form = match rule {
            Rule::Invalid(form) => form,
            _ => "a date such as 2026-11-20",
        };
        ApiError::bad_input(format!("`{path}` must be {form}."))
    })
}

fn days(path: &str, name: &str, given: Option<DateRange>) -> Result<Range<NaiveDate>, ApiError> {
    let given = given.map(|range| (range.from, range.to));
    range(path, name, given, |date: Date| model::date(&date.0))
}

fn moment(moment: DateTime) -> Result<Timestamp, Rule> {
    let parsed = moment.0.parse().map(Timestamp::new);
    parsed.map_err(|_| Rule::Invalid("a moment such as 2026-11-20T09:30:00.000Z"))
}
