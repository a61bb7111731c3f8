//! Inputs of jobs, parsed into jobs and their changes.

use async_graphql::{ID, InputObject, MaybeUndefined};
use chrono::TimeDelta;

use crate::api::{Given, Session, Stamp, Version};
use crate::domain::{Check, Day, Link, RawId as _, Rule, Text, Ulid, UserId, Violations};
use crate::services::job_board::values::{Pay, PlaceInput, Skills, canonical, places};

use super::{Job, NEVER};

/// A job to post.
#[derive(InputObject, Clone)]
pub struct CreateJobInput {
    /// A ULID that you make up for this request, so that the same request sent again posts one job. Its time is when
    /// the job was posted and must not be in the future. Defaults to a new one.
    pub request_id: Option<String>,
    /// Name of the company: 1 to 120 characters.
    pub company: Given<Text<1, 120>>,
    /// Title of the position: 1 to 200 characters.
    pub title: Given<Text<1, 200>>,
    /// Description: at most 5000 characters.
    pub description: Option<Given<Text<1, 5000>>>,
    /// Required skills: at most 30.
    pub skills: Option<Given<Skills>>,
    /// Where the job is: 1 to 20 places. They cannot be changed later.
    pub places: Vec<PlaceInput>,
    /// Whether the job can be done from home. Defaults to false.
    pub is_remote: Option<bool>,
    /// Lowest yearly pay, in whole units of the country's currency.
    pub pay_min: Option<Given<Pay>>,
    /// Highest yearly pay, in whole units of the country's currency.
    pub pay_max: Option<Given<Pay>>,
    /// The posting on the company's site.
    pub url: Option<Given<Link>>,
    /// The last day (UTC) on which the job is listed. Defaults to no end.
    pub expires_on: Option<Given<Day>>,
}

/// Changes to a job. Fields that are left out stay; fields that are null become empty.
#[derive(InputObject, Clone)]
pub struct UpdateJobInput {
    /// Id of the job.
    pub id: ID,
    /// Change the job only if this is still its version.
    pub expected_version: Option<Version>,
    /// Name of the company: 1 to 120 characters. Cannot become empty.
    pub company: MaybeUndefined<Given<Text<1, 120>>>,
    /// Title of the position: 1 to 200 characters. Cannot become empty.
    pub title: MaybeUndefined<Given<Text<1, 200>>>,
    /// Description: at most 5000 characters.
    pub description: MaybeUndefined<Given<Text<1, 5000>>>,
    /// Required skills: at most 30.
    pub skills: MaybeUndefined<Given<Skills>>,
    /// Whether the job can be done from home. Cannot become empty.
    pub is_remote: MaybeUndefined<bool>,
    /// Lowest yearly pay, in whole units of the country's currency.
    pub pay_min: MaybeUndefined<Given<Pay>>,
    /// Highest yearly pay, in whole units of the country's currency.
    pub pay_max: MaybeUndefined<Given<Pay>>,
    /// The posting on the company's site.
    pub url: MaybeUndefined<Given<Link>>,
    /// The last day (UTC) on which the job is listed.
    pub expires_on: MaybeUndefined<Given<Day>>,
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
    match ulid.moment().is_some_and(|moment| moment <= now + AHEAD) {
        true => Ok(ulid),
        false => Err(Rule::Invalid("a ULID that is not of the future")),
    }
}

/// The last day that is stored.
fn last_day(expires_on: Option<Day>) -> Option<Day> {
    expires_on.map_or_else(|| Day::parse(NEVER).ok(), Some)
}

fn check_pay(check: &mut Check, least: Option<Pay>, most: Option<Pay>) {
    let ordered = least.zip(most).is_none_or(|(least, most)| least <= most);
    let rule = Rule::Invalid("not greater than `payMax`");
    check.that(ordered, "payMin", rule);
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
        let places = check.need("places", places(&self.places));
        let pay_min = check.may("payMin", self.pay_min);
        let pay_max = check.may("payMax", self.pay_max);
        let url = check.may("url", self.url);
        let expires_on = check.may("expiresOn", self.expires_on);
        check_pay(&mut check, pay_min, pay_max);
        check.finish(|| {
            let (places, request) = (places?, request?);
            let first = places.as_slice().first()?;
            Some(Job {
                job_id: Job::id_for(request, &employer, places.as_slice())?,
                employer_id: employer,
                city: first.key(),
                zip: first.zip.clone(),
                company: company?,
                title: title?,
                description,
                skills: canonical(&skills),
                places,
                is_remote: self.is_remote.unwrap_or(false),
                pay_min,
                pay_max,
                url,
                last_day: last_day(expires_on)?,
                closed_at: None,
                stamp: Stamp::new(session.now()),
            })
        })
    }
}

impl UpdateJobInput {
    /// The job after the changes.
    ///
    /// # Errors
    /// Every rule that the input breaks.
    pub fn change(self, job: &Job) -> Result<Job, Violations> {
        let (mut next, mut check) = (job.clone(), Check::default());
        check.set("company", &mut next.company, self.company);
        check.set("title", &mut next.title, self.title);
        check.set_opt("description", &mut next.description, self.description);
        let mut skills = Some(job.skills.clone());
        check.set_opt("skills", &mut skills, self.skills);
        next.skills = canonical(&skills.unwrap_or_default());
        check.set("isRemote", &mut next.is_remote, self.is_remote);
        check.set_opt("payMin", &mut next.pay_min, self.pay_min);
        check.set_opt("payMax", &mut next.pay_max, self.pay_max);
        check.set_opt("url", &mut next.url, self.url);
        let mut expires_on = job.expires_on();
        check.set_opt("expiresOn", &mut expires_on, self.expires_on);
        check_pay(&mut check, next.pay_min, next.pay_max);
        check.finish(|| {
            next.last_day = last_day(expires_on)?;
            Some(next)
        })
    }
}
