//! Places as people write them: `Austin, TX 78701`, `80331 München`, `Sydney NSW`, `London SW1A 1AA, UK`.

use crate::city::City;
use crate::country::{Country, Region};
use crate::postcode::{begins_with_digit, is_street, take_postcode};

/// What is known of the country of a place before its text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// It is this country.
    Is(Country),
    /// It is this country unless the text says otherwise.
    Assumed(Country),
    /// Nothing is known.
    Unknown,
}

impl Home {
    /// The country, if one is known.
    pub fn country(self) -> Option<Country> {
        match self {
            Home::Is(country) | Home::Assumed(country) => Some(country),
            Home::Unknown => None,
        }
    }
}

/// The parts of a place that someone wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The name of the city, as it is written.
    pub name: String,
    /// The city, if it is known in this region and country; by its name alone the largest one, that of the home country first.
    pub city: Option<City>,
    /// The region, as it is written.
    pub region: Option<String>,
    /// The country that the text names, itself or by a region.
    pub country: Option<Country>,
    /// The postcode.
    pub postcode: Option<String>,
}

impl Written {
    fn of(name: &str, city: Option<City>) -> Self {
        Self {
            name: name.to_owned(),
            city,
            region: None,
            country: None,
            postcode: None,
        }
    }
}

/// Reads a place: a city, with a region, a country and a postcode around it. `None` if what stands with the city is neither, or if
/// there is no city.
pub fn read(text: &str, home: Home) -> Option<Written> {
    let text =
        text.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | ')' | '(' | '\''));
    let words: Vec<_> = text.split_whitespace().collect();
    let mut parts: Vec<_> = separate(&words.join(" "), &[","]);
    // "USA, WA, Seattle"
    if let [first, region, .., last] = parts.as_slice()
        && let Some(country) = Country::written(first)
        && country.region(region).is_some()
        && City::named(last)
            .iter()
            .any(|city| city.country() == country)
    {
        parts.reverse();
    }
    while parts.len() > 1 && is_before_city(&parts) {
        parts.remove(0);
    }
    let postcode = take_postcode(&mut parts);
    if parts.first().is_none_or(|first| is_street(first)) {
        return None;
    }
    let mut written = read_parts(&parts, home)?;
    written.postcode = postcode;
    Some(written)
}

/// Whether the first part is a street or a building, and a city follows.
fn is_before_city(parts: &[String]) -> bool {
    let [first, second, ..] = parts else {
        return false;
    };
    let has_number = first.split(' ').any(begins_with_digit);
    let mut next = vec![second.clone()];
    take_postcode(&mut next);
    let is_city = next
        .first()
        .is_some_and(|next| !City::named(next).is_empty());
    is_street(first)
        || (has_number && is_city && first.contains(' ') && City::named(first).is_empty())
}

fn separate(text: &str, separators: &[&str]) -> Vec<String> {
    let mut text = text.to_owned();
    for separator in separators {
        text = text.replace(separator, ",");
    }
    let parts = text.split(',').map(str::trim);
    let parts = parts.filter(|part| !part.is_empty());
    parts.map(str::to_owned).collect()
}

fn read_parts(parts: &[String], home: Home) -> Option<Written> {
    let (name, around) = parts.split_first()?;
    if let Some(written) = known(name, around, home) {
        return Some(written);
    }
    // "Sydney NSW", "Austin TX, USA", "Lyon France"
    for (name, last) in ends(name) {
        let more: Vec<_> = std::iter::once(last.to_owned())
            .chain(around.iter().cloned())
            .collect();
        if let Some(written) = known(name, &more, home) {
            return Some(written);
        }
    }
    // "Oregon, TX US"
    if let Some((last, before)) = parts.split_last()
        && let Some((rest, country)) = last_country(last)
    {
        let more = [rest, country].map(str::to_owned);
        return read_parts(&[before, &more].concat(), home);
    }
    // "São Paulo - SP", "Milano (MI)"
    let separated = separate(&parts.join(","), &[" - ", " – ", "(", ")", " | "]);
    if separated.len() > parts.len() && City::named(name).is_empty() {
        return read_parts(&separated, home);
    }
    if around.is_empty() {
        if let Some((name, region)) = last_region(name) {
            return unknown(name, &[region.to_owned()], home);
        }
        return Some(Written {
            country: Country::named(name),
            ..Written::of(name, None)
        });
    }
    if let [country] = around
        && Country::written(country).is_some_and(Country::is_written_with_regions)
        && let Some((name, region)) = last_region(name)
    {
        return unknown(name, &[region.to_owned(), country.clone()], home);
    }
    unknown(name, around, home)
}

/// The name before the last one, two or three words, and these.
fn ends(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let blanks = text.rmatch_indices([' ', '-', '(']).take(4);
    let ends = blanks.filter_map(|(at, _)| Some((text.get(..at)?, text.get(at + 1..)?)));
    ends.map(|(name, last)| {
        (
            name.trim_end_matches([' ', '-', '–', '(']),
            last.trim_matches([' ', '(', ')']),
        )
    })
    .filter(|(name, last)| !name.is_empty() && !last.is_empty())
}

/// `TX US`: what is before the short form of a country, and the country. Names of countries are also parts of names of cities: West
/// Jordan.
fn last_country(text: &str) -> Option<(&str, &str)> {
    let (before, last) = text.rsplit_once(' ')?;
    let letters = last.chars().filter(|c| c.is_alphabetic());
    let is_short =
        last.len() <= 6 && letters.clone().count() <= 3 && letters.clone().all(char::is_uppercase);
    let is_named = Country::named(last).is_some() || last == "US";
    let is_canada = last.eq_ignore_ascii_case("canada");
    (is_canada || is_short && is_named).then_some((before.trim(), last))
}

/// `Smallville KS`: the city, and the code of a state or province.
fn last_region(text: &str) -> Option<(&str, &str)> {
    let (name, code) = text.rsplit_once(' ')?;
    let is_code = code.len() == 2 && code.bytes().all(|b| b.is_ascii_uppercase());
    let mut countries = with_regions();
    let is_region = countries.any(|country| country.region(code).is_some());
    (is_code && is_region).then(|| (name.trim(), code))
}

/// The countries of which cities are written with a state or province alone.
fn with_regions() -> impl Iterator<Item = Country> {
    ["US", "CA"].into_iter().filter_map(Country::of_code)
}

/// A known city with this name, of which everything around it is true.
fn known(name: &str, around: &[String], home: Home) -> Option<Written> {
    let mut found = City::named(name);
    let same_name = Country::named(name).filter(|_| around.is_empty());
    found.retain(|city| {
        // Lebanon is a city of Tennessee only at home.
        let is_country = same_name.is_some_and(|country| country != city.country());
        let is_meant = !is_country || home.country() == Some(city.country());
        is_meant && around.iter().all(|text| is_around(*city, text))
    });
    let at_home = home.country().and_then(|home| {
        let mut at_home = found.iter().copied().filter(|city| city.country() == home);
        at_home.next()
    });
    let largest = found.first().copied();
    let city = match home {
        Home::Is(home) if around.iter().any(|text| is_of(home, text)) => at_home?,
        Home::Is(_) if around.is_empty() => at_home?,
        // Another name of a small city at home is no reason to be there: Bombay.
        Home::Assumed(_) if around.is_empty() => {
            at_home.filter(|city| city.is_called(name)).or(largest)?
        }
        _ => at_home.or(largest)?,
    };
    let region = around.iter().rev().find(|text| names_region(city, text));
    let is_part = around.iter().any(|text| is_part_of(city, text));
    let region = match (region, city.region()) {
        (Some(region), _) => Some(region.clone()),
        // "Brooklyn, NYC"
        (None, Some(region)) if is_part => Some(region.code().to_owned()),
        _ => None,
    };
    Some(Written {
        region,
        country: Some(city.country()).filter(|_| !around.is_empty()),
        ..Written::of(name, Some(city))
    })
}

/// Whether a text names the country, or a region of it.
fn is_of(country: Country, text: &str) -> bool {
    country.region(text).is_some() || Country::written(text) == Some(country)
}

/// Whether a text names the country or the region of a city, or a larger city near it.
fn is_around(city: City, text: &str) -> bool {
    Country::written(text) == Some(city.country())
        || names_region(city, text)
        || is_part_of(city, text)
}

fn names_region(city: City, text: &str) -> bool {
    let named = city.country().region(text);
    match (named, city.region()) {
        (Some(named), Some(region)) => named.agrees(region),
        (Some(_), None) => true,
        (None, _) => false,
    }
}

fn is_part_of(city: City, text: &str) -> bool {
    const NEAR: f64 = 50.0;
    let larger = City::named(text).into_iter();
    let mut larger = larger.filter(|other| other.population() > city.population());
    larger.any(|other| other.country() == city.country() && other.distance(city) < NEAR)
}

/// A place with a name that is not known there: in a region, a country, or both.
fn unknown(name: &str, around: &[String], home: Home) -> Option<Written> {
    let (last, before) = around.split_last()?;
    if let Some(region) = before.last() {
        if is_region_and_more(region) {
            // "Indianapolis, IN Chicago, IL"
            return None;
        }
        if let Some(country) = Country::written(last)
            && (country.region(region).is_some() || !country.is_written_with_regions())
        {
            return Some(placed(name, Some(region), country));
        }
    }
    if let Home::Is(home) = home
        && is_of(home, last)
    {
        let region = home.region(last).map(|_| last.as_str());
        return Some(placed(name, region, home));
    }
    let mut countries = home.country().into_iter().chain(with_regions());
    if let Some(country) = countries.find(|country| country.region(last).is_some()) {
        return Some(placed(name, Some(last), country));
    }
    if let Some(country) = Country::written(last) {
        return Some(placed(name, None, country));
    }
    // The standard does not have every name that people write, such as those of counties.
    if let Home::Is(home) = home {
        return (!home.is_written_with_regions()).then(|| placed(name, Some(last), home));
    }
    if let Some(region) = Region::unique(last) {
        return Some(placed(name, Some(last), region.country()));
    }
    let country = City::named(name).first()?.country();
    (!country.is_written_with_regions()).then(|| placed(name, Some(last), country))
}

fn placed(name: &str, region: Option<&str>, country: Country) -> Written {
    let is_strict = region.is_some_and(|region| country.region(region).is_some());
    let mut cities = City::named(name).into_iter().filter(|_| !is_strict);
    Written {
        region: region.map(str::to_owned),
        country: Some(country),
        ..Written::of(name, cities.find(|city| city.country() == country))
    }
}

/// Whether this is the code of a region with more after it: `IN Chicago`.
fn is_region_and_more(text: &str) -> bool {
    let Some((code, _)) = text.split_once(' ') else {
        return false;
    };
    let is_code = code.len() == 2 && code.bytes().all(|b| b.is_ascii_uppercase());
    is_code && with_regions().any(|country| country.region(code).is_some())
}
