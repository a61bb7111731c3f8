//! Inputs of jobs, parsed into jobs and their changes.

use async_graphql::{ID, InputObject, MaybeUndefined};
use chrono::TimeDelta;

use crate::values::{
    Currency, Pay, Place, PlaceInput, Places, Skills, StoredMeaning, check_link, each_once,
    one_line, places,
};
use trestle_api::{Input, Revision, Session, Version};
use trestle_domain::{Check, Day, Link, RawId as _, Rule, Text, Ulid, UserId, Violations};

use super::{EmploymentType, Job, MAX_PLACES, NEVER, PayPeriod};

/// A job to post.
#[derive(InputObject, Clone)]
pub struct CreateJobInput {
    /// A ULID that you make up for this request, so that the same request sent again posts one job. Its time is when
    /// the job was posted and must not be in the future. Defaults to a new one.
    pub request_id: Option<String>,
    /// Name of the company: 1 to 120 characters.
    pub company: Input<Text<1, 120>>,
    /// Title of the position: 1 to 200 characters.
    pub title: Input<Text<1, 200>>,
    /// Description: at most 5000 characters.
    pub description: Option<Input<Text<1, 5000>>>,
    /// Required skills: at most 30.
    pub skills: Option<Input<Skills>>,
    /// Where the job is: 1 to 20 places. They cannot be changed later.
    pub places: Vec<PlaceInput>,
    /// Whether the job can be done from home. Defaults to whether one of the places says so: "Remote", "Austin, TX
    /// (Remote)".
    pub is_remote: Option<bool>,
    /// How the job is employed.
    pub employment_type: Option<EmploymentType>,
    /// Lowest pay for `payPeriod`, in whole units of `payCurrency`.
    pub pay_min: Option<Input<Pay>>,
    /// Highest pay for `payPeriod`, in whole units of `payCurrency`.
    pub pay_max: Option<Input<Pay>>,
    /// The period of `payMin` and `payMax`. Defaults to YEAR.
    pub pay_period: Option<PayPeriod>,
    /// The currency of `payMin` and `payMax` in ISO 4217. Defaults to that of the places' countries; required if these have
    /// several.
    pub pay_currency: Option<Input<Currency>>,
    /// The posting on the company's site.
    pub url: Option<Input<Link>>,
    /// The last day (UTC) on which the job is listed: today or later. Defaults to no end.
    pub expires_on: Option<Input<Day>>,
}

/// Changes to a job. Fields that are left out stay; fields that are null become empty.
#[derive(InputObject, Clone)]
pub struct UpdateJobInput {
    /// Id of the job.
    pub id: ID,
    /// Change the job only if this is still its version.
    pub expected_version: Option<Version>,
    /// Name of the company: 1 to 120 characters. Cannot become empty.
    pub company: MaybeUndefined<Input<Text<1, 120>>>,
    /// Title of the position: 1 to 200 characters. Cannot become empty.
    pub title: MaybeUndefined<Input<Text<1, 200>>>,
    /// Description: at most 5000 characters.
    pub description: MaybeUndefined<Input<Text<1, 5000>>>,
    /// Required skills: at most 30.
    pub skills: MaybeUndefined<Input<Skills>>,
    /// Whether the job can be done from home. Cannot become empty.
    pub is_remote: MaybeUndefined<bool>,
    /// How the job is employed.
    pub employment_type: MaybeUndefined<EmploymentType>,
    /// Lowest pay for `payPeriod`, in whole units of `payCurrency`.
    pub pay_min: MaybeUndefined<Input<Pay>>,
    /// Highest pay for `payPeriod`, in whole units of `payCurrency`.
    pub pay_max: MaybeUndefined<Input<Pay>>,
    /// The period of `payMin` and `payMax`.
    pub pay_period: MaybeUndefined<PayPeriod>,
    /// The currency of `payMin` and `payMax` in ISO 4217. If empty, that of the places' countries.
    pub pay_currency: MaybeUndefined<Input<Currency>>,
    /// The posting on the company's site.
    pub url: MaybeUndefined<Input<Link>>,
    /// The last day (UTC) on which the job is listed: today or later.
    pub expires_on: MaybeUndefined<Input<Day>>,
}

/// A closed or expired job to open again.
#[derive(InputObject, Clone)]
pub struct ReopenJobInput {
    /// Id of the job.
    pub id: ID,
    /// Change the job only if this is still its version.
    pub expected_version: Option<Version>,
    /// The last day (UTC) on which the job is listed: today or later. Defaults to the one that the job has.
    pub expires_on: Option<Input<Day>>,
}

impl ReopenJobInput {
    /// The new last day.
    ///
    /// # Errors
    /// It is not a day, or in the past.
    pub fn last_day(&self, today: Day) -> Result<Option<Day>, Violations> {
        let mut check = Check::default();
        let day = check.may("expiresOn", self.expires_on.clone());
        check_last_day(&mut check, day, today);
        check.finish(|| Some(day))
    }
}

/// How far a client's clock may be ahead.
const AHEAD: TimeDelta = TimeDelta::minutes(5);

/// A ULID that a client made up, not of the future; a new one if there is none.
///
/// # Errors
/// It is not a ULID, or lies in the future.
pub fn request(given: Option<&str>, session: &Session) -> Result<Ulid, Rule> {
    let now = session.tables.now();
    let Some(given) = given else {
        return Ok(Ulid::new(now));
    };
    let ulid = Ulid::parse(given)?;
    if ulid.moment().is_some_and(|moment| moment <= now + AHEAD) {
        Ok(ulid)
    } else {
        Err(Rule::Invalid("a ULID that is not of the future"))
    }
}

/// The last day that is stored.
fn last_day(expires_on: Option<Day>) -> Option<Day> {
    expires_on.map_or_else(|| Day::parse(NEVER).ok(), Some)
}

fn check_last_day(check: &mut Check, expires_on: Option<Day>, today: Day) {
    let is_ahead = expires_on.is_none_or(|day| day >= today);
    check.that(is_ahead, "expiresOn", Rule::Invalid("today or a later day"));
}

fn check_pay(check: &mut Check, least: Option<Pay>, most: Option<Pay>) {
    let ordered = least.zip(most).is_none_or(|(least, most)| least <= most);
    let rule = Rule::Invalid("not greater than `payMax`");
    check.that(ordered, "payMin", rule);
}

/// Refuses pay for an hour that is said to be for a year, and the other way round. Generously, because currencies differ.
fn check_period(check: &mut Check, job: &Job) {
    const LEAST_A_YEAR: i32 = 300;
    const MOST_AN_HOUR: i32 = 5_000;
    /// Those of which one is worth about as much as a dollar.
    const LARGE_UNITS: [&str; 7] = ["AUD", "CAD", "CHF", "EUR", "GBP", "NZD", "USD"];
    let pay = job.pay_max.or(job.pay_min).map_or(0, Pay::get);
    let currency = job.currency().map(|currency| currency.to_string());
    let is_large = currency.is_some_and(|code| LARGE_UNITS.contains(&code.as_str()));
    match job.pay_period {
        Some(PayPeriod::Hour) if is_large && pay > MOST_AN_HOUR => check.that(
            false,
            "payPeriod",
            Rule::Invalid("YEAR, because no hour is paid so much"),
        ),
        None | Some(PayPeriod::Year) if (1..LEAST_A_YEAR).contains(&pay) => check.that(
            false,
            "payPeriod",
            Rule::Invalid("HOUR, because no year is paid so little"),
        ),
        _ => {}
    }
}

fn check_currency(check: &mut Check, is_paid: bool, currency: Option<Currency>) {
    let rule = Rule::Invalid("given, because the places have several currencies: such as EUR");
    check.that(!is_paid || currency.is_some(), "payCurrency", rule);
}

impl CreateJobInput {
    /// The job, posted by an employer.
    ///
    /// # Errors
    /// Every rule that the input breaks.
    pub fn job(self, employer: UserId, session: &Session) -> Result<Job, Violations> {
        let mut check = Check::default();
        let request = check.need("requestId", request(self.request_id.as_deref(), session));
        let company = check.need("company", self.company);
        let title = check.need("title", self.title);
        let description = check.may("description", self.description);
        let skills = check.may_or("skills", self.skills, Skills::default());
        let places: Option<Places<MAX_PLACES>> = check.need("places", places(&self.places));
        let pay_min = check.may("payMin", self.pay_min);
        let pay_max = check.may("payMax", self.pay_max);
        let pay_currency = check.may("payCurrency", self.pay_currency);
        let url = check.may("url", self.url);
        let expires_on = check.may("expiresOn", self.expires_on);
        check_last_day(&mut check, expires_on, Day::of(session.tables.now()));
        check_link(&mut check, "url", url.as_ref());
        check_pay(&mut check, pay_min, pay_max);
        if let Some(read) = &places {
            let countries = read.list.as_slice().iter().map(|place| &place.country);
            let currency = pay_currency.or_else(|| Currency::shared(countries));
            check_currency(&mut check, pay_min.or(pay_max).is_some(), currency);
        }
        let job = check.finish(|| {
            let (read, request) = (places?, request?);
            let places = read.list;
            let first = places.as_slice().first()?;
            let title = one_line(&title?);
            Some(Job {
                job_id: Job::id_for(request, &employer, places.as_slice())?,
                foreign_id: None,
                employer_id: employer,
                city: first.key(),
                zip: first.zip.clone(),
                company: one_line(&company?),
                title_meaning: StoredMeaning::of(title.as_str()),
                title,
                description,
                skills: each_once(&skills),
                places,
                is_remote: self.is_remote.unwrap_or(false) || read.is_remote,
                employment_type: self.employment_type,
                pay_min,
                pay_max,
                pay_period: self.pay_period.filter(|period| *period != PayPeriod::Year),
                pay_currency,
                url,
                last_day: last_day(expires_on)?,
                closed_at: None,
                stamp: Revision::new(session.now()),
            })
        })?;
        let mut check = Check::default();
        check_period(&mut check, &job);
        check.finish(|| Some(job))
    }
}

impl UpdateJobInput {
    /// The job after the changes.
    ///
    /// # Errors
    /// Every rule that the input breaks.
    pub fn change(self, job: &Job, today: Day) -> Result<Job, Violations> {
        let (mut next, mut check) = (job.clone(), Check::default());
        check.set("company", &mut next.company, self.company);
        check.set("title", &mut next.title, self.title);
        (next.company, next.title) = (one_line(&next.company), one_line(&next.title));
        if next.title != job.title {
            next.title_meaning = StoredMeaning::of(next.title.as_str());
        }
        check.set_opt("description", &mut next.description, self.description);
        let mut skills = Some(job.skills.clone());
        check.set_opt("skills", &mut skills, self.skills);
        next.skills = each_once(&skills.unwrap_or_default());
        check.set("isRemote", &mut next.is_remote, self.is_remote);
        // A job without an office is done from home.
        next.is_remote |= job.places.as_slice().iter().any(Place::is_remote);
        match self.employment_type {
            MaybeUndefined::Value(value) => next.employment_type = Some(value),
            MaybeUndefined::Null => next.employment_type = None,
            MaybeUndefined::Undefined => {}
        }
        match self.pay_period {
            MaybeUndefined::Value(PayPeriod::Hour) => next.pay_period = Some(PayPeriod::Hour),
            MaybeUndefined::Value(PayPeriod::Year) | MaybeUndefined::Null => next.pay_period = None,
            MaybeUndefined::Undefined => {}
        }
        check.set_opt("payMin", &mut next.pay_min, self.pay_min);
        check.set_opt("payMax", &mut next.pay_max, self.pay_max);
        check.set_opt("payCurrency", &mut next.pay_currency, self.pay_currency);
        check.set_opt("url", &mut next.url, self.url);
        let mut expires_on = job.expires_on();
        let says_when = !matches!(self.expires_on, MaybeUndefined::Undefined);
        check.set_opt("expiresOn", &mut expires_on, self.expires_on);
        if says_when {
            check_last_day(&mut check, expires_on, today);
        }
        if next.url != job.url {
            check_link(&mut check, "url", next.url.as_ref());
        }
        check_pay(&mut check, next.pay_min, next.pay_max);
        let pay = |job: &Job| (job.pay_min, job.pay_max, job.currency());
        if pay(&next) != pay(job) {
            let is_paid = next.pay_min.or(next.pay_max).is_some();
            check_currency(&mut check, is_paid, next.currency());
        }
        let for_period = |job: &Job| (job.pay_min, job.pay_max, job.pay_period);
        if for_period(&next) != for_period(job) {
            check_period(&mut check, &next);
        }
        check.finish(|| {
            next.last_day = last_day(expires_on)?;
            Some(next)
        })
    }
}
