//! Names of cities: abbreviations and short names.

use std::sync::LazyLock;

use trestle_places::City;

use super::city::{ABBREVIATIONS, CityKey, plain, with_inner_words};
use super::synonyms::Synonyms;

static NICKNAMES: LazyLock<Synonyms> =
    LazyLock::new(|| Synonyms::read(include_str!("nicknames.txt")));

/// A place with the name of a city for a short name of it: `Bay Area, CA` is `San Francisco, CA`.
pub fn with_full_name(text: &str) -> String {
    let (first, rest) = text.split_once(',').unwrap_or((text, ""));
    match NICKNAMES.name(&plain(first)) {
        Some(name) if rest.is_empty() => name.to_owned(),
        Some(name) => format!("{name},{rest}"),
        None => text.to_owned(),
    }
}

/// The name of a city without abbreviations.
pub fn city_name(text: &str) -> String {
    let text = text.trim();
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

/// The key of a city of the gazetteer: that of its name, under which releases before the gazetteer stored it as well.
pub fn key_of(city: City) -> Option<CityKey> {
    CityKey::parse(&own_name(city)).ok()
}

/// Names by which releases before the gazetteer knew a city, so that its key stays.
const KEPT: [(&str, &str); 2] = [("Frankfurt am Main", "Frankfurt"), ("The Bronx", "Bronx")];

fn own_name(city: City) -> String {
    let kept = KEPT.into_iter().find(|(name, _)| *name == city.name());
    kept.map_or_else(|| city_name(city.name()), |(_, name)| name.to_owned())
}

/// The name under which a city is stored: as it is written, or as the gazetteer has it if the key would differ.
pub fn stored_name(written: &str, city: Option<City>) -> String {
    let Some((city, key)) = city.and_then(|city| Some((city, key_of(city)?))) else {
        return written.to_owned();
    };
    if CityKey::parse(written).ok() == Some(key) {
        written.to_owned()
    } else {
        own_name(city)
    }
}
