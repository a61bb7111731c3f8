//! Items of other programs: they have the attributes of the original design alone, and ids of any form in their keys.
//! A job whose id is not a ULID gets one of its day and its id, so that it is listed and named as every other job.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::table::day_of;
use crate::values::{CityKey, Place};
use trestle_domain::{Day, RawId as _, Ulid, UserId};
use trestle_places::City;
use trestle_table::ForeignItem;

/// What the company of a job is called that does not name one.
pub const UNKNOWN_COMPANY: &str = "Unknown company";

/// The primary key under which another program has stored an item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredKey {
    pub pk: String,
    pub sk: String,
}

/// What the keys of an item say about a job.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NamedJob {
    job_id: Ulid,
    #[serde(skip_serializing_if = "Option::is_none")]
    foreign_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    zip: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    city: Option<String>,
}

impl NamedJob {
    /// The job with this id that was posted on a day; `None` if the day is before 1970.
    fn posted_on(id: &str, day: Day) -> Option<Self> {
        Self::of(id, own_id(id).filter(|own| day_of(*own) == Some(day)), day)
    }

    /// The job with this id, on whatever day it was posted.
    fn matched_on(id: &str, day: Day) -> Option<Self> {
        Self::of(id, own_id(id), day)
    }

    fn of(id: &str, own: Option<Ulid>, day: Day) -> Option<Self> {
        Some(Self {
            job_id: own.or_else(|| ulid_of(day, id))?,
            foreign_id: own.is_none().then(|| id.to_owned()),
            zip: None,
            city: None,
        })
    }
}

/// The ULID that this text is, in the form in which keys have it.
fn own_id(text: &str) -> Option<Ulid> {
    let ulid = Ulid::parse(text).ok()?;
    (ulid.to_string() == text && day_of(ulid).is_some()).then_some(ulid)
}

/// The ULID that stands for a text on a day.
fn ulid_of(day: Day, text: &str) -> Option<Ulid> {
    let start = day.start();
    let is_in_a_ulid = start.timestamp_millis() >= 0;
    let digest = Sha256::digest(text);
    let chance = digest.first_chunk::<16>().filter(|_| is_in_a_ulid)?;
    Some(Ulid::of(start, u128::from_be_bytes(*chance)))
}

/// Nobody: the employer of an item that names none.
pub fn nobody() -> UserId {
    UserId::new("")
}

/// Whether an item names no employer.
pub fn is_nobody(user: &UserId) -> bool {
    user.as_str().is_empty()
}

/// Adds to a job its id, and what the design does not have.
pub fn complete_job(item: &mut ForeignItem<'_>) {
    name_job(item);
    item.add("zip", &"");
    if item.lacks("places") || item.lacks("isRemote") {
        let city = item.text("city").and_then(|city| CityKey::parse(city).ok());
        let zip = item.text("zip").unwrap_or_default();
        let place = city.as_ref().and_then(|city| place_of(city, zip));
        item.add("places", &place.into_iter().collect::<Vec<_>>());
        item.add("isRemote", &(city == Some(CityKey::remote())));
    }
    item.add("company", &UNKNOWN_COMPANY);
    item.add("skills", &Vec::<String>::new());
}

/// Names a job whose id is not a ULID of its day by its key.
fn name_job(item: &mut ForeignItem<'_>) -> Option<()> {
    let [_, day, _, id] = item.segments("sk")?;
    if item.text("jobId") != Some(&id) {
        return None;
    }
    let named = NamedJob::posted_on(&id, Day::parse(&day).ok()?)?;
    let foreign_id = named.foreign_id?;
    item.read_as("jobId", &named.job_id);
    item.add("foreignId", &foreign_id);
    Some(())
}

/// The place of a city of which only the name is known: that of the largest one.
fn place_of(key: &CityKey, zip: &str) -> Option<Place> {
    let city = City::named(key.as_str()).into_iter().next()?;
    let place = Place::of_city(city, zip)?;
    // A name of another partition would make the job a copy.
    (place.key() == *key).then_some(place)
}

/// Adds to a match its id, and the job as far as the key names it.
pub fn complete_match(item: &mut ForeignItem<'_>) -> Option<()> {
    let [_, day, id] = item.segments("sk")?;
    let on = Day::parse(&day).ok()?;
    let seeker = item.text("pk")?;
    let match_id = ulid_of(on, &format!("{seeker} {id}"))?;
    item.add("job", &NamedJob::matched_on(&id, on)?);
    item.add("matchId", &match_id);
    Some(())
}

/// Adds to a suggestion its job, as far as the keys name it. One that does not name its job is known by its key alone.
pub fn complete_suggestion(item: &mut ForeignItem<'_>) -> Option<()> {
    item.add("score", &0);
    item.add("reasons", &Vec::<String>::new());
    let [_, _, day, zip, id] = item.segments("GSI1SK")?;
    if !item.lacks("job") {
        return None;
    }
    let at = StoredKey {
        pk: item.text("pk")?.to_owned(),
        sk: item.text("sk")?.to_owned(),
    };
    let named = NamedJob::posted_on(&id, Day::parse(&day).ok()?)?;
    // `suggestion#montreal#` names the city of the job.
    let city = item
        .segments("pk")
        .filter(|[_, _, end]: &[String; 3]| end.is_empty());
    let city = city.map(|[_, city, _]| city);
    let zip = Some(zip);
    item.add("job", &NamedJob { zip, city, ..named });
    item.read_as("at", &at);
    Some(())
}
