//! What people write for a place that is no city: regions, countries, several cities, anything.

use std::collections::HashSet;
use std::sync::LazyLock;

use trestle_domain::Rule;

use super::city::{CityKey, plain};
use super::forms::SEVERAL;
use super::region::{Country, Region};
use super::remote::is_rest_of_remote;
use super::skill::split_at;
use super::synonyms::lines;
use super::written::WrittenPlace;

static NO_CITY: LazyLock<HashSet<&str>> =
    LazyLock::new(|| lines(include_str!("no_city.txt")).collect());

const A_CITY: Rule = Rule::Invalid(
    "a city, such as \"Austin, TX\" or \"Toronto, ON, Canada\", or else \"Remote\" or \"Remote in Canada\"",
);
const WHICH_WASHINGTON: Rule =
    Rule::Invalid("\"Washington, DC\", or a city of the state, such as \"Seattle, WA\"");

/// Countries that are cities, or have a city of their name.
const CITIES: [&str; 13] = [
    "DJ", "GI", "GT", "HK", "KW", "LU", "MC", "MO", "MX", "PA", "SG", "SM", "VA",
];

/// Refuses what can only be a misunderstanding, of a place that someone writes: its text, and how it was read. Places of
/// earlier versions stay.
///
/// # Errors
/// It names no city, or several.
pub fn must_name_a_city(
    text: &str,
    (written, region): (&WrittenPlace, Option<&str>),
    country: &Country,
) -> Result<(), Rule> {
    let city = written.city.as_str();
    let key = CityKey::parse(city)?;
    let name = plain(city);
    if written.is_remote && key == CityKey::remote() {
        return Ok(());
    }
    let has_marks = |c: char| ":@<>{}[]=_\\\"*?!#%|~^".contains(c);
    let is_none = NO_CITY.contains(name.as_str()) || is_rest_of_remote(city);
    if text.contains("://") || city.contains(has_marks) || is_none {
        return Err(A_CITY);
    }
    if names_several(city) {
        return Err(SEVERAL);
    }
    let known = Region::of_city(&key);
    let is_known_here = known.as_ref().is_some_and(|(_, there)| there == country);
    let has_region = region.is_some_and(|region| !region.trim().is_empty());
    if key.as_str() == "washington" && country.as_str() == "US" && !has_region {
        return Err(WHICH_WASHINGTON);
    }
    if is_known_here || has_region {
        return Ok(());
    }
    // "ZZ" is neither a city nor a short name of one.
    let is_code = city.len() <= 3 && city.bytes().all(|b| b.is_ascii_uppercase());
    if is_code || is_region_or_country(city, country) {
        Err(A_CITY)
    } else {
        Ok(())
    }
}

/// Refuses a search for a region or a country, which finds nothing.
///
/// # Errors
/// The text names no city. `Washington` is found under both of its kinds.
pub fn must_be_searched(written: &WrittenPlace, country: Option<&Country>) -> Result<(), Rule> {
    let key = CityKey::parse(&written.city)?;
    let is_city = written.region.is_some()
        || written.is_remote
        || key.as_str() == "washington"
        || Region::of_city(&key).is_some();
    let home = match country.or(written.country.as_ref()) {
        Some(country) => country.clone(),
        None => Country::parse("US")?,
    };
    if !is_city && is_region_or_country(&written.city, &home) {
        Err(A_CITY)
    } else {
        Ok(())
    }
}

fn is_region_or_country(city: &str, country: &Country) -> bool {
    let name = plain(city);
    let of_state = name.strip_suffix(" state").unwrap_or(&name);
    let is_region = country.needs_known_regions() && country.region(of_state).is_some();
    let named = Country::by_name(city);
    is_region || named.is_some_and(|named| !CITIES.contains(&named.as_str()))
}

/// `San Francisco and Toronto`: of what is joined, one is a well-known city.
fn names_several(text: &str) -> bool {
    let joints = [" and ", " & ", " / ", "/", " + "];
    let parts = split_at(text, &joints);
    let is_known =
        |part: &&str| CityKey::parse(part).is_ok_and(|key| Region::of_city(&key).is_some());
    parts.len() > 1 && parts.iter().any(is_known)
}
