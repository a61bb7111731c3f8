//! What people write for a place that is no city: regions, countries, several cities, anything.

use std::collections::HashSet;
use std::sync::LazyLock;

use trestle_domain::Rule;
use trestle_places as places;

use super::city::{CityKey, plain};
use super::country::Country;
use super::remote::is_rest_of_remote;
use super::synonyms::lines;
use super::written::{JOINTS, SEVERAL, WrittenPlace, named_together};

static WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| lines(include_str!("no_city.txt")).collect());

const A_CITY: Rule = Rule::Invalid(
    "a city, such as \"Austin, TX\" or \"Toronto, ON, Canada\", or else \"Remote\" or \"Remote in Canada\"",
);
const WHICH_WASHINGTON: Rule =
    Rule::Invalid("\"Washington, DC\", or a city of the state, such as \"Seattle, WA\"");

/// Refuses what can only be a misunderstanding, of a place that someone writes: its text, how it was read, and its region. Places of
/// earlier versions stay.
///
/// # Errors
/// It names no city, or several.
pub fn must_name_a_city(
    text: &str,
    written: &WrittenPlace,
    region: Option<&str>,
    country: &Country,
) -> Result<(), Rule> {
    let city = written.city.as_str();
    let key = CityKey::parse(city)?;
    if written.is_remote && key == CityKey::remote() {
        return Ok(());
    }
    let has_marks = |c: char| ":@<>{}[]=_\\\"*?!#%|~^".contains(c);
    if text.contains("://") || city.contains(has_marks) || is_rest_of_remote(city) {
        return Err(A_CITY);
    }
    let has_region = region.is_some_and(|region| !region.trim().is_empty());
    if key.as_str() == "washington" && country.as_str() == "US" && !has_region {
        return Err(WHICH_WASHINGTON);
    }
    if written.found.is_some() {
        return Ok(());
    }
    if is_made_of_other_words(city) {
        return Err(A_CITY);
    }
    if named_together(city, &JOINTS).len() > 1 {
        return Err(SEVERAL);
    }
    if has_region {
        return Ok(());
    }
    // "ZZ" is neither a city nor a short name of one.
    let is_code = city.len() <= 4 && city.bytes().all(|b| b.is_ascii_uppercase());
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
    let is_city = written.region.is_some() || written.is_remote || written.found.is_some();
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

/// `Statewide`, `Multiple sites`.
fn is_made_of_other_words(city: &str) -> bool {
    let name = plain(city);
    let mut says_more = false;
    for word in name.split(' ') {
        if WORDS.contains(word) || word.ends_with("wide") {
            says_more = true;
        } else if !WORDS.contains(format!("~{word}").as_str()) {
            return false;
        }
    }
    says_more
}

fn is_region_or_country(city: &str, country: &Country) -> bool {
    country.region(city).is_some() || places::Country::named(city).is_some()
}
