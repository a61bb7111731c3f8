//! Names of cities: abbreviations, short names, misspellings.

use std::sync::LazyLock;

use super::city::{ABBREVIATIONS, CityKey, plain, with_inner_words};
use super::region::{Country, Region};
use super::synonyms::Synonyms;

static NICKNAMES: LazyLock<Synonyms> =
    LazyLock::new(|| Synonyms::read(include_str!("nicknames.txt")));

/// The name of a city without abbreviations.
pub fn city_name(text: &str) -> String {
    let text = text.trim();
    if let Some(name) = NICKNAMES.name(&plain(text)) {
        return name.to_owned();
    }
    if let Some(core) = core_of_area(text) {
        return core.to_owned();
    }
    let Some((first, rest)) = text.split_once([' ', '-', '.']) else {
        return text.to_owned();
    };
    let rest = rest.trim_start_matches(['.', ' ', '-']);
    if let (Some(long), false) = (written_out(first), rest.is_empty()) {
        return format!("{long} {rest}");
    }
    // "Port St. Lucie"
    with_inner_words(text, |word| written_out(word.trim_end_matches('.')))
}

/// The word of which this is the abbreviation.
fn written_out(word: &str) -> Option<&'static str> {
    let mut all = ABBREVIATIONS.into_iter();
    let found = all.find(|(short, _)| short.eq_ignore_ascii_case(word));
    found.map(|(_, long)| long)
}

/// The well-known city of an area: `Greater Denver Area`, `Seattle Metropolitan Area`.
fn core_of_area(text: &str) -> Option<&str> {
    let lower = text.to_lowercase();
    // Lower case can be longer.
    let text = Some(text).filter(|text| text.len() == lower.len())?;
    let start = if lower.starts_with("greater ") { 8 } else { 0 };
    let ends = [" metropolitan area", " metro area", " area", " metro"];
    let end = ends.iter().find(|end| lower.ends_with(*end));
    let end = text.len() - end.map_or(0, |end| end.len());
    let core = text.get(start..end).filter(|core| *core != text)?;
    let key = CityKey::parse(core).ok()?;
    Region::of_city(&key).map(|_| core)
}

/// The name of a well-known city if this is a misspelling of it, and can be there.
pub fn corrected(name: String, region: Option<&str>, country: Option<&Country>) -> String {
    let written = region.zip(country);
    let written = written.and_then(|(region, country)| country.region(region));
    let like = CityKey::parse(&name).ok();
    let Some((known, at)) = like.and_then(|key| Region::like(&key, written)) else {
        return name;
    };
    let (there, of) = at;
    let region = region
        .and_then(|region| of.region(region))
        .or_else(|| region.is_none().then_some(there));
    if country.is_none_or(|country| *country == of) && region == Some(there) {
        known
    } else {
        name
    }
}
