//! Which jobs of a city a list has.

use async_graphql::InputObject;

use crate::api::{ApiError, Given};
use crate::domain::{Check, Day, Text};
use crate::services::job_board::table::READ_FOR_A_PAGE;
use crate::services::job_board::values::{CityKey, Country, Pay, Skills, Zip, canonical, words};
use crate::table::{Listing, Sk};

use super::{Job, in_city};

/// Filters jobs. Jobs must match all of the filters that are given.
#[derive(InputObject, Clone, Default)]
pub struct JobFilter {
    /// Posted on this day (UTC) or later.
    posted_from: Option<Given<Day>>,
    /// Posted on this day (UTC) or earlier.
    posted_to: Option<Given<Day>>,
    /// Zip code is this or greater, compared as text.
    zip_from: Option<String>,
    /// Zip code is this or less, compared as text.
    zip_to: Option<String>,
    /// Country code in ISO 3166-1: tells cities with the same name apart.
    country: Option<String>,
    /// Whether the job can be done from home.
    remote: Option<bool>,
    /// Pays at least this much a year. Jobs without a pay are left out.
    min_pay: Option<Given<Pay>>,
    /// Requires all of these skills. Synonyms count: `js` is `javascript`.
    skills: Option<Given<Skills>>,
    /// Every word of the text occurs in the title, the company or the description, at the start of a word and
    /// without regard to case.
    text: Option<Given<Text<1, 200>>>,
}

/// The filters of attributes, parsed.
#[derive(Debug, Default)]
struct Wanted {
    zips: Option<(Zip, Option<Zip>)>,
    country: Option<Country>,
    remote: Option<bool>,
    min_pay: Option<Pay>,
    skills: Skills,
    words: Vec<String>,
}

/// The jobs of a city that are open today and match a filter. A range of days is a range of keys; so is a range of
/// zip codes on one day.
///
/// # Errors
/// BAD_USER_INPUT names the first field of the filter that is not valid.
pub fn filtered(city: &str, filter: JobFilter, today: Day) -> Result<Listing<Job>, ApiError> {
    let mut check = Check::default();
    let city = check.need("city", CityKey::parse(city));
    let from = check.if_given("postedFrom", filter.posted_from);
    let to = check.if_given("postedTo", filter.posted_to);
    let zip_from = check.if_given("zipFrom", filter.zip_from.as_deref().map(Zip::parse));
    let zip_to = check.if_given("zipTo", filter.zip_to.as_deref().map(Zip::parse));
    let mut wanted = Wanted {
        zips: None,
        country: check.if_given("country", filter.country.as_deref().map(Country::parse)),
        remote: filter.remote,
        min_pay: check.if_given("minPay", filter.min_pay),
        skills: check
            .if_given("skills", filter.skills)
            .map(|skills| canonical(&skills))
            .unwrap_or_default(),
        words: check
            .if_given("text", filter.text)
            .map(|text| words(text.as_str()))
            .unwrap_or_default(),
    };
    let city = check.finish(|| city).map_err(|violations| {
        let first = violations.first();
        let message = first.map(|broken| format!("`{}` {}.", broken.field, broken.rule));
        ApiError::bad_input(message.unwrap_or_default())
    })?;
    let listing = in_city(&city);
    let day = |day: Day| Sk::of("j", day);
    let listing = match (from, to, zip_from, zip_to) {
        (Some(from), Some(to), Some(first), Some(last)) if from == to => {
            listing.between(day(from).then(first), day(to).then(last))
        }
        (from, to, first, last) => {
            if first.is_some() || last.is_some() {
                wanted.zips = Some((first.unwrap_or_default(), last));
            }
            match (from, to) {
                (None, None) => listing,
                (from, to) => listing.between(
                    from.map_or(Sk::word("j"), day),
                    to.map_or(Sk::of("j", super::NEVER), day),
                ),
            }
        }
    };
    let listing = listing.keeping(format!("{wanted:?}"), move |job| {
        job.is_open(today) && wanted.admits(job)
    });
    Ok(listing.reading_at_most(READ_FOR_A_PAGE))
}

impl Wanted {
    fn admits(&self, job: &Job) -> bool {
        let zips = self.zips.as_ref().is_none_or(|(first, last)| {
            !job.zip.is_empty() && job.zip >= *first && last.as_ref().is_none_or(|l| job.zip <= *l)
        });
        let country = self.country.as_ref().is_none_or(|country| {
            let mut places = job.places.as_slice().iter();
            places.any(|place| place.country == *country && place.key() == job.city)
        });
        let remote = self.remote.is_none_or(|remote| job.is_remote == remote);
        let pay = self.min_pay.is_none_or(|least| {
            let most = job.pay_max.or(job.pay_min);
            most.is_some_and(|most| most >= least)
        });
        let mut skills = self.skills.as_slice().iter();
        let skills = skills.all(|skill| job.skills.as_slice().contains(skill));
        zips && country && remote && pay && skills && self.mentioned_in(job)
    }

    fn mentioned_in(&self, job: &Job) -> bool {
        if self.words.is_empty() {
            return true;
        }
        let description = job.description.as_ref().map_or("", Text::as_str);
        let text = [job.title.as_str(), job.company.as_str(), description].join(" ");
        let text = words(&text);
        let mut wanted = self.words.iter();
        wanted.all(|word| text.iter().any(|other| other.starts_with(word.as_str())))
    }
}
