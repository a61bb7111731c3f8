//! Which jobs of some places a list has.

use std::fmt;

use async_graphql::{InputObject, SimpleObject};

use crate::table::READ_FOR_A_PAGE;
use crate::values::{
    CityKey, Country, Currency, LIST_MARKS, Pay, Radius, Seniority, Skills, Sought, Zip,
    compared_skills, general_skills, mentioned, named_together, searched_phrases, searched_skill,
    skills_named_in, stem, unaccented, words,
};
use trestle_api::{ApiError, Input};
use trestle_domain::{Check, Day, List, Moment, Rule, Text, Violations};
use trestle_table::{Listing, Sk};

use super::{EmploymentType, HOURS, Job, day_of, in_cities};

/// Filters jobs. Jobs must match all of the filters that are given.
#[derive(InputObject, SimpleObject, Clone, Default)]
#[graphql(input_name = "JobFilter", name = "SavedJobFilter")]
pub struct JobFilter {
    /// Posted on this day (UTC) or later.
    posted_from: Option<Input<Day>>,
    /// Posted on this day (UTC) or earlier.
    posted_to: Option<Input<Day>>,
    /// Added to the board after this moment, whenever it was posted.
    added_after: Option<Input<Moment>>,
    /// Zip code is this or greater, compared as text.
    zip_from: Option<String>,
    /// Zip code is this or less, compared as text.
    zip_to: Option<String>,
    /// Country code in ISO 3166-1: tells cities with the same name apart.
    country: Option<String>,
    /// Jobs in cities at most so many kilometres from the places as well, 0 to 200. Defaults to 0: the places alone. The 20 largest cities
    /// within the distance are searched.
    within_km: Option<Input<Radius>>,
    /// Whether the job can be done from home.
    remote: Option<bool>,
    /// Pays at least this much a year, in `payCurrency`; an hour counts as 2,080th of a year. Jobs without a pay, and jobs that
    /// pay in another currency, are left out.
    min_pay: Option<Input<Pay>>,
    /// Pays at least this much an hour, as `minPay`.
    min_hourly_pay: Option<Input<Pay>>,
    /// The currency of `minPay` and `minHourlyPay` in ISO 4217. Defaults to that of the places' countries.
    pay_currency: Option<Input<Currency>>,
    /// Every word of the text occurs in the company, at the start of a word and without regard to case and accents.
    company: Option<Input<Text<1, 120>>>,
    /// Employed in one of these ways. Titles that name an internship count as INTERNSHIP if the employer says nothing.
    employment_types: Option<Vec<EmploymentType>>,
    /// The title names one of these seniorities.
    seniorities: Option<Vec<Seniority>>,
    /// Requires all of these skills. Every spelling counts: `js` is `javascript`, and `Go` is `golang`. `C/C++` is either.
    skills: Option<Input<Skills>>,
    /// Every word of the text occurs in the title, the company, the description or the skills, at the start of a word or in
    /// another form (`drivers`) and without regard to case and accents, or names a skill that they mention: `k8s` finds
    /// Kubernetes.
    text: Option<Input<Text<1, 200>>>,
}

/// The filters of attributes, parsed.
#[derive(Clone, Debug, Default)]
struct Wanted {
    country: Option<Country>,
    added_after: Option<Moment>,
    remote: Option<bool>,
    /// A year.
    min_pay: Option<(i64, Currency)>,
    company: Vec<String>,
    employment: Option<Vec<EmploymentType>>,
    seniorities: Option<Vec<Seniority>>,
    skills: Skills,
    words: Vec<String>,
}

impl JobFilter {
    /// Only jobs that were added after this moment as well.
    pub fn add_after(&mut self, moment: Moment) {
        let given = self.added_after.take().map(Result::from);
        let later = match given {
            Some(Ok(given)) if given > moment => given,
            _ => moment,
        };
        self.added_after = Some(Input::new(later));
    }
}

/// The most places of one list.
pub const MAX_PLACES: usize = 5;

/// A search for jobs: its places and its filter, parsed.
#[derive(Clone)]
pub struct Search {
    sought: Vec<Sought>,
    /// The cities of which jobs are read.
    asked: Vec<CityKey>,
    days: (Option<Day>, Option<Day>),
    zips: (Option<Zip>, Option<Zip>),
    wanted: Wanted,
    names: Names,
}

/// Cursors are bound to this text, so it must not change if the vocabulary of skills does: `names` is left out.
impl fmt::Debug for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("Search");
        let text = text.field("sought", &self.sought).field("days", &self.days);
        let text = text.field("zips", &self.zips);
        text.field("wanted", &self.wanted).finish()
    }
}

/// What the vocabulary of skills says about a filter, looked up once for all jobs.
#[derive(Clone)]
struct Names {
    /// For each skill of the filter, the names of which a job requires at least one: two for `C/C++`.
    skills: Vec<Vec<String>>,
    /// The text of the filter.
    phrases: Vec<Phrase>,
}

/// Adjacent words of a text that name one skill together, or a single word.
#[derive(Clone)]
struct Phrase {
    skill: Option<&'static str>,
    words: Vec<SoughtWord>,
}

/// A word of a text that is looked for.
#[derive(Clone)]
struct SoughtWord {
    plain: String,
    /// The stem, which other forms of the word have: `drivers` and `driver`.
    stem: String,
    /// The skill that it names alone.
    skill: Option<&'static str>,
}

impl Names {
    fn of(wanted: &Wanted) -> Self {
        let word = |word: &String| {
            let plain = unaccented(word);
            SoughtWord {
                stem: stem(&plain),
                plain,
                skill: searched_skill(word),
            }
        };
        let skills = wanted.skills.as_slice().iter();
        Self {
            skills: skills
                .map(|skill| skills_named_in(skill.as_str()))
                .collect(),
            phrases: searched_phrases(&wanted.words)
                .into_iter()
                .map(|words| Phrase {
                    skill: searched_skill(&words.join(" ")),
                    words: words.iter().map(word).collect(),
                })
                .collect(),
        }
    }

    /// Whether the job requires each of the skills.
    fn are_required_by(&self, job: &Job) -> bool {
        if self.skills.is_empty() {
            return true;
        }
        let required = compared_skills(&job.skills);
        let mut skills = self.skills.iter();
        skills.all(|names| names.iter().any(|name| required.contains(name)))
    }

    /// Whether the job mentions every word of the text, or the skill that it names.
    fn are_mentioned_by(&self, job: &Job) -> bool {
        if self.phrases.is_empty() {
            return true;
        }
        let description = job.description.as_ref().map_or("", Text::as_str);
        let listed = job.skills.as_slice().iter().map(Text::as_str);
        let texts = [job.title.as_str(), job.company.as_str(), description];
        let text = texts
            .into_iter()
            .chain(listed)
            .collect::<Vec<_>>()
            .join(" ");
        let (skills, required) = (mentioned(&text), compared_skills(&job.skills));
        let text = words(&unaccented(&text));
        let has = |skill: Option<&str>| {
            skill.is_some_and(|skill| skills.contains(skill) || required.contains(skill))
        };
        let is_in_text = |word: &SoughtWord| {
            let begins = |other: &String| other.starts_with(&word.plain);
            // Few words begin so: stems take long.
            let near = word.stem.get(..3).unwrap_or(&word.stem);
            let mut others = text.iter().filter(|other| other.starts_with(near));
            text.iter().any(begins) || others.any(|other| stem(other) == word.stem)
        };
        let mut phrases = self.phrases.iter();
        phrases.all(|phrase| {
            let mut words = phrase.words.iter();
            has(phrase.skill) || words.all(|word| has(word.skill) || is_in_text(word))
        })
    }
}

impl Search {
    /// Parses places and a filter.
    ///
    /// # Errors
    /// Every rule that they break, at `places` and at the fields of the filter.
    pub fn parse(places: &[String], filter: JobFilter) -> Result<Self, Violations> {
        let mut check = Check::default();
        let country = filter.country.as_deref().map(Country::assigned);
        let country = check.if_given("country", country);
        let radius = check.if_given("withinKm", filter.within_km);
        let radius = radius.map_or(0, Radius::get);
        let sought = check.need("places", sought(places, country.as_ref(), radius));
        let from = check.if_given("postedFrom", filter.posted_from);
        let to = check.if_given("postedTo", filter.posted_to);
        let zip_from = check.if_given("zipFrom", filter.zip_from.as_deref().map(Zip::parse));
        let zip_to = check.if_given("zipTo", filter.zip_to.as_deref().map(Zip::parse));
        let yearly = check.if_given("minPay", filter.min_pay);
        let yearly = yearly.map(|pay| i64::from(pay.get()));
        let hourly = check.if_given("minHourlyPay", filter.min_hourly_pay);
        let min_pay = yearly.max(hourly.map(|pay| i64::from(pay.get()) * HOURS));
        let likely = sought
            .iter()
            .flatten()
            .map(|place| place.likely_country.as_ref());
        let countries: Option<Vec<_>> = likely.collect();
        let currency = check.if_given("payCurrency", filter.pay_currency);
        let currency = currency.or_else(|| Currency::shared(countries?));
        let rule = Rule::Invalid(
            "given with `payCurrency`, or with places of one currency: \"Portland, OR\", or `country`",
        );
        check.that(min_pay.is_none() || currency.is_some(), "minPay", rule);
        let of_text = |text: Option<&str>| text.map(words).unwrap_or_default();
        let company = check.if_given("company", filter.company);
        let skills = check.if_given("skills", filter.skills);
        let text = check.if_given("text", filter.text);
        let wanted = Wanted {
            country,
            added_after: check.if_given("addedAfter", filter.added_after),
            remote: filter.remote,
            min_pay: min_pay.zip(currency),
            company: of_text(company.as_ref().map(Text::as_str)),
            employment: filter.employment_types,
            seniorities: filter.seniorities,
            skills: skills
                .map(|skills| general_skills(&skills))
                .unwrap_or_default(),
            words: of_text(text.as_ref().map(Text::as_str)),
        };
        check.finish(|| {
            let sought = sought?;
            Some(Self {
                asked: Sought::cities_of(&sought),
                sought,
                days: (from, to),
                zips: (zip_from, zip_to),
                names: Names::of(&wanted),
                wanted,
            })
        })
    }

    /// The jobs that are open today. A range of days is a range of keys; so is a range of zip codes on one day. One Query for
    /// each of [`Sought::cities_of`]: one for most places, six for New York and two for a borough, at most 20 with a radius.
    pub fn jobs(self, today: Day) -> Listing<Job> {
        // The cities of a place share what is read of one.
        let parts = self.asked.len().div_ceil(self.sought.len().max(1));
        let listing = in_cities(&self.asked.iter().collect::<Vec<_>>());
        let day = |day: Day| Sk::of("j", day);
        let listing = match (self.days, self.zips.clone()) {
            ((Some(from), Some(to)), (Some(first), Some(last))) if from == to => {
                listing.between(day(from).then(first), day(to).then(last))
            }
            ((None, None), _) => listing,
            ((from, to), _) => listing.between(
                from.map_or(Sk::word("j"), day),
                to.map_or(Sk::of("j", super::NEVER), day),
            ),
        };
        let listing = listing.keeping(format!("{self:?}"), move |job| {
            job.is_open(today) && self.is_in(job) && self.admits_item(job)
        });
        listing.reading_at_most(READ_FOR_A_PAGE / parts.max(1))
    }

    /// Whether a job that was just posted is found, in whichever of its cities.
    pub fn admits(&self, job: &Job) -> bool {
        let posted = day_of(job.job_id.raw());
        let (from, to) = self.days;
        let is_in_time = from.is_none_or(|from| posted >= Some(from))
            && to.is_none_or(|to| posted.is_some_and(|posted| posted <= to));
        let mut items = std::iter::once(job.clone()).chain(job.copies());
        is_in_time && items.any(|item| self.is_in(&item) && self.admits_item(&item))
    }

    /// Whether this item of a job is the one of its items that the list has: the one in the first of the places that the job is in.
    fn is_in(&self, job: &Job) -> bool {
        let places = job.places.as_slice();
        let mut sought = self
            .sought
            .iter()
            .filter(|sought| job.is_remote || !sought.is_remote());
        let city = sought.find_map(|sought| sought.city_of(places, &self.asked));
        city.as_ref() == Some(&job.city)
    }

    fn admits_item(&self, job: &Job) -> bool {
        let (first, last) = &self.zips;
        let is_there = first.is_none() && last.is_none()
            || !job.zip.is_empty()
                && first.as_ref().is_none_or(|first| job.zip >= *first)
                && last.as_ref().is_none_or(|last| job.zip <= *last);
        is_there
            && self.wanted.admits(job)
            && self.names.are_required_by(job)
            && self.names.are_mentioned_by(job)
    }
}

/// The jobs of some places that are open today and match a filter.
///
/// # Errors
/// BAD_USER_INPUT names the first field that is not valid.
pub fn filtered(
    places: &[String],
    filter: JobFilter,
    today: Day,
) -> Result<Listing<Job>, ApiError> {
    searched(places, filter).map(|search| search.jobs(today))
}

/// A search of a query.
///
/// # Errors
/// BAD_USER_INPUT names the first field that is not valid.
pub fn searched(places: &[String], filter: JobFilter) -> Result<Search, ApiError> {
    if places.is_empty() {
        return Err(ApiError::bad_input("Give `city` or `places`."));
    }
    Search::parse(places, filter).map_err(|violations| {
        let mut broken = violations.iter().flat_map(|violation| violation.flat());
        let message = broken.next().map(|(path, rule)| match path.as_slice() {
            [field, at] if field == "places" => {
                let text = at.parse().ok().and_then(|at: usize| places.get(at));
                format!("The place {:?} {rule}.", text.map_or("", String::as_str))
            }
            path => format!("`{}` {rule}.", path.join(".")),
        });
        ApiError::bad_input(message.unwrap_or_default())
    })
}

fn sought(places: &[String], country: Option<&Country>, radius: i32) -> Result<Vec<Sought>, Rule> {
    if places.is_empty() {
        return Err(Rule::Required);
    }
    let texts = places
        .iter()
        .flat_map(|text| named_together(text, &LIST_MARKS));
    let read = texts.map(|text| Sought::read_city(text, country, radius));
    let read: List<Sought, MAX_PLACES> = List::parse(read)?;
    let mut sought: Vec<Sought> = Vec::new();
    for place in read.as_slice() {
        if !sought.contains(place) {
            sought.push(place.clone());
        }
    }
    Ok(sought)
}

impl Wanted {
    fn admits(&self, job: &Job) -> bool {
        let is_new = self
            .added_after
            .is_none_or(|after| job.stamp.created_at > after);
        let country = self.country.as_ref().is_none_or(|country| {
            let mut places = job.places.as_slice().iter();
            places.any(|place| place.country == *country || place.is_worldwide)
        });
        let remote = self.remote.is_none_or(|remote| job.is_remote == remote);
        let pay = self.min_pay.is_none_or(|(least, currency)| {
            job.currency() == Some(currency) && job.yearly_pay().is_some_and(|most| most >= least)
        });
        let employment = self.employment.as_ref().is_none_or(|types| {
            job.employed()
                .is_some_and(|employed| types.contains(&employed))
        });
        let seniority = self.seniorities.as_ref().is_none_or(|wanted| {
            job.seniority()
                .is_some_and(|seniority| wanted.contains(&seniority))
        });
        let company = is_mentioned(&self.company, job.company.as_str());
        let kind = employment && seniority && company;
        is_new && country && remote && pay && kind
    }
}

/// Whether each word begins a word of the text.
fn is_mentioned(wanted: &[String], text: &str) -> bool {
    if wanted.is_empty() {
        return true;
    }
    let text = words(&unaccented(text));
    let mut wanted = wanted.iter().map(|word| unaccented(word));
    wanted.all(|word| text.iter().any(|other| other.starts_with(&word)))
}
