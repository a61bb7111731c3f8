//! Jobs: their keys, their copies in further cities, and what may be done with them.

pub mod allowance;
pub mod changes;
pub mod filter;
pub mod graphql;
pub mod input;
pub mod load;
mod posting;

use async_graphql::SimpleObject;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use trestle_api::{ApiError, IdBytes, Listed, Node, Revision, Session};
use trestle_domain::string_enum;
use trestle_domain::{Day, Id, Link, List, RawId as _, Segment, Text, Ulid, UserId};
use trestle_table::{
    Condition, Entity, ForeignItem, IndexKey, Key, KeyedAttributes, Listing, Sk, TableDefinition,
    Versioned,
};

use super::access::Party;
use super::foreign::complete_job;
pub use super::table::day_of;
use super::table::{self, GSI1, TABLE};
use super::values::{CityKey, Currency, Pay, Place, Seniority, Skills, StoredMeaning, Zip};

string_enum! {
    /// How a job is employed.
    EmploymentType {
        /// Full time.
        FullTime = "FULL_TIME",
        /// Part time.
        PartTime = "PART_TIME",
        /// By contract, for freelancers.
        Contract = "CONTRACT",
        /// For a limited time.
        Temporary = "TEMPORARY",
        /// An internship.
        Internship = "INTERNSHIP",
    }

    /// The period of a pay.
    PayPeriod {
        /// A year.
        Year = "YEAR",
        /// An hour. A year has 2,080 of them.
        Hour = "HOUR",
    }
}

/// Hours of work in a year, by which pay of two periods is compared.
pub const HOURS: i64 = 2080;

/// The most places of one job.
pub const MAX_PLACES: usize = 20;

/// A job that an employer offers.
///
/// A job in several cities has one item in each: the job itself in its first city, and copies in the others, which
/// are written and deleted with it. Places and the day of posting never change, because keys contain them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct Job {
    #[graphql(skip)]
    pub job_id: Id<Job>,
    /// The id that another program gave it, as its key has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[graphql(skip)]
    pub foreign_id: Option<String>,
    #[graphql(skip)]
    pub employer_id: UserId,
    /// City of this item.
    #[graphql(skip)]
    pub city: CityKey,
    /// Zip code of this item.
    #[graphql(skip)]
    pub zip: Zip,
    #[graphql(skip)]
    pub company: Text<1, 120>,
    /// Title of the position: 1 to 200 characters.
    pub title: Text<1, 200>,
    /// What the title says about occupations.
    #[serde(default, skip_serializing_if = "StoredMeaning::is_none")]
    #[graphql(skip)]
    pub title_meaning: StoredMeaning,
    /// Description: at most 5000 characters.
    pub description: Option<Text<1, 5000>>,
    /// Required skills: at most 30. As they are written, each once: `js` and `javascript` are one skill.
    pub skills: Skills,
    #[graphql(skip)]
    pub places: List<Place, MAX_PLACES>,
    /// Whether the job can be done from home.
    pub is_remote: bool,
    /// How the job is employed, if the employer says so.
    pub employment_type: Option<EmploymentType>,
    /// Lowest pay for `payPeriod`, in whole units of `payCurrency`.
    pub pay_min: Option<Pay>,
    /// Highest pay for `payPeriod`, in whole units of `payCurrency`.
    pub pay_max: Option<Pay>,
    #[graphql(skip)]
    pub pay_period: Option<PayPeriod>,
    /// The currency, if the employer says it.
    #[graphql(skip)]
    pub pay_currency: Option<Currency>,
    /// The posting on the company's site.
    pub url: Option<Link>,
    /// The last day on which the job is listed; [`NEVER`] if it does not expire.
    #[graphql(skip)]
    pub last_day: Day,
    /// When the job was closed; null while it is open.
    pub closed_at: Option<trestle_domain::Moment>,
    #[serde(flatten, deserialize_with = "crate::stored_revision::read")]
    #[graphql(flatten)]
    pub stamp: Revision,
}

/// What the key of a job is made of. Clients have it as the job's id, so that no look-up is needed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JobRef {
    /// A ULID, whose time is that of posting.
    pub job_id: Id<Job>,
    /// The id that another program gave it, as its key has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreign_id: Option<String>,
    /// The first city.
    #[serde(
        default = "CityKey::unknown",
        skip_serializing_if = "CityKey::is_unknown"
    )]
    pub city: CityKey,
    /// The zip code there.
    #[serde(default)]
    pub zip: Zip,
}

impl JobRef {
    /// The id in keys of the job and of its matches.
    pub fn keyed_id(&self) -> String {
        match &self.foreign_id {
            Some(foreign_id) => foreign_id.clone(),
            None => self.job_id.to_string(),
        }
    }

    /// Appends `<date>#<zip>#<jobId>` to the beginning of a sort key.
    pub fn place(&self, beginning: Sk) -> Sk {
        beginning
            .then(Date(self.job_id.raw()))
            .then(&self.zip)
            .then(self.keyed_id())
    }
}

/// The date in a ULID as a segment; empty for one after the year 9999, which no entity has.
pub struct Date(pub Ulid);

impl Segment for Date {
    fn text(&self) -> std::borrow::Cow<'_, str> {
        let day = day_of(self.0);
        std::borrow::Cow::Owned(day.map(|day| day.to_string()).unwrap_or_default())
    }
}

impl Entity for Job {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "job";
    const KEYED: KeyedAttributes = &[
        ("pk", &["", "city"]),
        ("sk", &["", "", "zip", "jobId"]),
        ("GSI1PK", &["", "employerId"]),
    ];
    type Id = JobRef;

    fn complete(item: &mut ForeignItem<'_>) {
        complete_job(item);
        item.add("lastDay", &NEVER);
    }

    fn key_of(id: &JobRef) -> Key {
        Key::new(table::city(&id.city), id.place(Sk::word("j")))
    }

    fn identity(&self) -> JobRef {
        JobRef {
            job_id: self.job_id,
            foreign_id: self.foreign_id.clone(),
            city: self.city.clone(),
            zip: self.zip.clone(),
        }
    }

    fn index_keys(&self) -> Vec<IndexKey> {
        let key = GSI1.at(
            table::employer(&self.employer_id),
            self.identity().place(Sk::word("j")),
        );
        vec![key.only_if(!self.is_copy())]
    }
}

impl Versioned for Job {
    /// The meaning of a title differs between releases.
    const MOMENTS: &'static [&'static str] = &["createdAt", "updatedAt", "titleMeaning"];

    fn version(&self) -> u32 {
        self.stamp.version
    }

    fn advance(&mut self, now: DateTime<Utc>) {
        self.stamp.advance(now);
    }
}

impl Listed for Job {
    const PAGE: &'static str = "A page of jobs.";
    const EDGE: &'static str = "A job in a list.";
}

impl IdBytes for JobRef {
    fn write(&self, to: &mut Vec<u8>) {
        write_foreign(self.foreign_id.as_deref(), to);
        self.job_id.write(to);
        write_text(self.city.as_str(), to);
        write_text(self.zip.as_str(), to);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        let foreign_id = read_foreign(from)?;
        let job_id = Id::<Job>::read(from)?;
        day_of(job_id.raw())?;
        Some(Self {
            job_id,
            foreign_id,
            city: CityKey::parse(read_text(from)?).ok()?,
            zip: Zip::parse(read_text(from)?).ok()?,
        })
    }
}

/// Before the id of another program. No ULID of a day begins so.
const FOREIGN: [u8; 16] = [0xff; 16];

/// Appends the id that another program gave a job, if it did.
pub fn write_foreign(id: Option<&str>, to: &mut Vec<u8>) {
    if let Some(id) = id {
        to.extend(FOREIGN);
        write_text(id, to);
    }
}

/// Takes the id that another program gave a job from the front, if there is one.
///
/// # Errors
/// `None` if it cannot be read.
pub fn read_foreign(from: &mut &[u8]) -> Option<Option<String>> {
    let Some(rest) = from.strip_prefix(&FOREIGN) else {
        return Some(None);
    };
    *from = rest;
    Some(Some(read_text(from)?.to_owned()))
}

/// Appends text of at most 65,535 bytes with its length.
pub fn write_text(text: &str, to: &mut Vec<u8>) {
    let length = u16::try_from(text.len()).unwrap_or(u16::MAX);
    to.extend(length.to_be_bytes());
    to.extend(text.as_bytes().iter().take(length.into()));
}

/// Takes text with its length from the front.
pub fn read_text<'t>(from: &mut &'t [u8]) -> Option<&'t str> {
    let (length, rest) = from.split_first_chunk::<2>()?;
    let (text, rest) = rest.split_at_checked(u16::from_be_bytes(*length).into())?;
    *from = rest;
    std::str::from_utf8(text).ok()
}

impl Node for Job {
    const TAG: u8 = b'J';

    async fn visible_to(self, session: &Session) -> Result<Option<Self>, ApiError> {
        Ok(self.is_seen_by(session).then_some(self))
    }

    fn write_id(&self, to: &mut Vec<u8>) {
        self.reference().write(to);
    }
}

/// The last day of jobs that do not expire.
pub const NEVER: &str = "9999-12-31";

impl Job {
    /// The id of a job that an employer posts in these places by a request with this ULID: the same for the same
    /// request, and different from every other employer's.
    pub fn id_for(request: Ulid, employer: &UserId, places: &[Place]) -> Option<Id<Job>> {
        let mut digest = Sha256::new();
        digest.update(request.to_bytes());
        digest.update(employer.as_str());
        for place in places {
            digest.update(format!(
                "\n{}\n{}\n{}",
                place.key(),
                place.country,
                place.zip
            ));
        }
        let (chance, _) = digest
            .finalize()
            .split_first_chunk::<16>()
            .map(|(a, b)| (*a, b.len()))?;
        let moment = request.moment()?;
        Some(Ulid::of(moment, u128::from_be_bytes(chance)).into())
    }

    /// The reference to the job itself, of a copy too.
    pub fn reference(&self) -> JobRef {
        let first = self.places.as_slice().first();
        JobRef {
            job_id: self.job_id,
            foreign_id: self.foreign_id.clone(),
            city: first.map_or_else(|| self.city.clone(), Place::key),
            zip: first.map_or_else(|| self.zip.clone(), |place| place.zip.clone()),
        }
    }

    /// Whether this item is a copy in a further city.
    pub fn is_copy(&self) -> bool {
        self.city != self.reference().city
    }

    /// The copies in further cities, one in each; of a job that can be done from home, one among the jobs without an
    /// office.
    pub fn copies(&self) -> Vec<Job> {
        let mut cities = vec![self.reference().city];
        let mut copies = Vec::new();
        let places = self.places.as_slice().iter();
        let places = places.map(|place| (place.key(), place.zip.clone()));
        let from_home = self.is_remote.then(|| (CityKey::remote(), Zip::default()));
        for (city, zip) in places.chain(from_home) {
            if !cities.contains(&city) {
                cities.push(city.clone());
                copies.push(Job {
                    city,
                    zip,
                    ..self.clone()
                });
            }
        }
        copies
    }

    /// The seniority that the title names.
    pub fn seniority(&self) -> Option<Seniority> {
        Seniority::of(self.title.as_str())
    }

    /// How it is employed: as the employer says, or as an internship that its title names.
    pub fn employed(&self) -> Option<EmploymentType> {
        let is_internship = self.seniority() == Some(Seniority::Intern);
        let named = is_internship.then_some(EmploymentType::Internship);
        self.employment_type.or(named)
    }

    /// The most that it pays a year, if that is known.
    pub fn yearly_pay(&self) -> Option<i64> {
        let pays = i64::from(self.pay_max.or(self.pay_min)?.get());
        Some(match self.pay_period {
            Some(PayPeriod::Hour) => pays * HOURS,
            Some(PayPeriod::Year) | None => pays,
        })
    }

    /// The currency of the pay: the one that the employer says, or that of the countries of the places.
    pub fn currency(&self) -> Option<Currency> {
        let countries = self.places.as_slice().iter().map(|place| &place.country);
        self.pay_currency.or_else(|| Currency::shared(countries))
    }

    /// Whether the job is neither closed nor expired on this day.
    pub fn is_open(&self, today: Day) -> bool {
        self.closed_at.is_none() && self.last_day >= today
    }

    /// The last day on which the job is listed; `None` if it does not expire.
    pub fn expires_on(&self) -> Option<Day> {
        Some(self.last_day).filter(|day| day.to_string() != NEVER)
    }

    /// Whether the job is the viewer's, as an employer.
    pub fn is_own(&self, session: &Session) -> bool {
        Party::Employer.is(session) && self.employer_id == session.user()
    }

    /// Whether the viewer may see the job: seekers see open jobs, employers their own.
    pub fn is_seen_by(&self, session: &Session) -> bool {
        let open = Party::Seeker.is(session) && self.is_open(Day::of(session.tables.now()));
        open || self.is_own(session)
    }
}

/// The stored job is open now, and this employer's.
pub fn is_open_of(employer: &UserId, now: DateTime<Utc>) -> Condition {
    Condition::All(vec![
        Condition::is("employerId", employer),
        Condition::Lacks("closedAt".into()),
        Condition::at_least("lastDay", &Day::of(now)),
    ])
}

/// Jobs of cities, the newest first. A job in two of them occurs twice. `job#<city>#` / `j#`, one Query for each city.
pub fn in_cities(cities: &[&CityKey]) -> Listing<Job> {
    let mut keys: Vec<_> = cities.to_vec();
    keys.sort_unstable();
    keys.dedup();
    let partitions: Vec<_> = keys.into_iter().map(table::city).collect();
    let first = partitions
        .first()
        .cloned()
        .unwrap_or_else(|| table::city(&CityKey::remote()));
    Listing::of("jobs/city", first)
        .begins_with(Sk::word("j").below())
        .newest_first()
        .merging(partitions)
}

/// Jobs of an employer, the newest first; closed ones too. GSI1 `employer#<employerId>` / `j#`, one Query.
pub fn of_employer(employer: &UserId) -> Listing<Job> {
    Listing::on("jobs/employer", &GSI1, table::employer(employer))
        .begins_with(Sk::word("j").below())
        .newest_first()
}
