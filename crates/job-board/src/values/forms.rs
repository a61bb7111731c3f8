//! Orders in which people write the parts of a place, brought into `City, Region, Country`.

use trestle_domain::Rule;

use super::city::CityKey;
use super::region::{Country, Region};

/// Several places are written as one.
pub const SEVERAL: Rule = Rule::Invalid("one place, such as \"Austin, TX\"");

/// Words about offices, which say nothing about the place.
const OFFICE: [&str; 3] = ["hybrid", "onsite", "on-site"];
/// Countries that are written after a city or a region without a comma. Other names of countries are also parts of the names
/// of cities: West Jordan.
const TRAILING: [&str; 7] = ["us", "usa", "u.s.", "u.s.a.", "u.s", "uk", "canada"];

/// The parts of a place in order, with commas between them.
///
/// # Errors
/// The text names several places.
pub fn in_order(text: &str) -> Result<String, Rule> {
    if text.contains(';') || text.contains(" or ") {
        return Err(SEVERAL);
    }
    let is_office = |word: &&str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        OFFICE.contains(&word.to_lowercase().as_str())
    };
    let words: Vec<_> = text.split_whitespace().filter(|w| !is_office(w)).collect();
    let text = words.join(" ");
    let text = text.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | ')' | '('));
    let parts: Vec<_> = text.split(',').map(str::trim).collect();
    let mut parts: Vec<&str> = parts.into_iter().filter(|p| !p.is_empty()).collect();
    // "USA, WA, Seattle"
    if let [country, region, _, ..] = parts.as_slice()
        && let Some(named) = Country::named(country)
        && named.region(region).is_some()
        && !is_known(country)
    {
        parts.reverse();
    }
    let country = parts.last().copied().and_then(trailing_country);
    if let Some((before, country)) = country {
        parts.pop();
        parts.extend([before, country]);
    }
    // "Chicago IL", "Austin TX USA"
    let is_country_alone = |rest: &[&str]| match rest {
        [] => true,
        [last] => is_with_regions(last),
        _ => false,
    };
    if let [first, rest @ ..] = parts.as_slice()
        && is_country_alone(rest)
        && let Some((city, region)) = trailing_region(first)
    {
        parts = [&[city, region], rest].concat();
    }
    Ok(parts.join(", "))
}

fn is_known(city: &str) -> bool {
    CityKey::parse(city).is_ok_and(|key| Region::of_city(&key).is_some())
}

/// `Oregon US`: what is before the country, and the country.
fn trailing_country(text: &str) -> Option<(&str, &str)> {
    let (before, last) = text.rsplit_once(' ')?;
    let is_country = TRAILING.contains(&last.to_lowercase().as_str());
    is_country.then(|| (before.trim(), last))
}

/// Whether this is one of the countries of which cities are written with a region.
fn is_with_regions(text: &str) -> bool {
    Country::named(text).is_some_and(|country| country.needs_known_regions())
}

/// `Chicago IL`, `Austin Texas`: the city and its region.
fn trailing_region(text: &str) -> Option<(&str, &str)> {
    let (city, region) = text.rsplit_once(' ')?;
    let countries = ["US", "CA"].map(Country::parse).into_iter().flatten();
    let mut named = countries.filter_map(|country| country.region(region));
    let named = named.next()?;
    let is_code = region.len() == 2 && region.bytes().all(|b| b.is_ascii_uppercase());
    // Port Washington is a city.
    let is_there = || {
        let key = CityKey::parse(city).ok()?;
        Region::of_city(&key).map(|(known, _)| known == named)
    };
    (is_code || is_there() == Some(true)).then(|| (city.trim(), region))
}

/// Whether this is the code of a region with more after it: `IN Chicago`.
pub fn begins_with_region(text: &str, country: &Country) -> bool {
    let first = text.split_once(' ').map(|(first, _)| first);
    first.is_some_and(|first| {
        first.len() == 2
            && first.bytes().all(|b| b.is_ascii_uppercase())
            && country.region(first).is_some()
    })
}
