//! Countries and their subdivisions: ISO 3166, with the other names that people write.

use std::collections::HashMap;
use std::sync::LazyLock;

use rust_iso3166::iso3166_2::{SUBDIVISION_COUNTRY_MAP, Subdivision};

use trestle_domain::{Rule, is_text};

use super::city::{CityKey, plain};
use super::synonyms::Synonyms;

static OTHER_NAMES: LazyLock<Synonyms> =
    LazyLock::new(|| Synonyms::read(include_str!("countries.txt")));
static WELL_KNOWN: LazyLock<Synonyms> =
    LazyLock::new(|| Synonyms::read(include_str!("well_known.txt")));
static STATES: LazyLock<Synonyms> = LazyLock::new(|| Synonyms::read(include_str!("states.txt")));

/// Codes of countries by their names without case and accents, and by their codes of three letters.
static COUNTRIES: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    let named = rust_iso3166::ALL.iter().flat_map(|country| {
        // The short form of `Netherlands (Kingdom of the)`.
        let short = country.name.split(" (").next().unwrap_or(country.name);
        [country.name, short, country.alpha3].map(|name| (plain(name), country.alpha2))
    });
    named.collect()
});

type Regions = HashMap<String, &'static Subdivision>;

/// Subdivisions by their country, and by their codes and names there.
static REGIONS: LazyLock<HashMap<&'static str, Regions>> = LazyLock::new(|| {
    let codes = rust_iso3166::ALL_ALPHA2.iter().copied();
    let countries = codes.filter_map(|country| {
        let regions: &'static [Subdivision] = SUBDIVISION_COUNTRY_MAP.get(country).copied()?;
        let named = regions
            .iter()
            .flat_map(|region| [region.name, region.region_code].map(|name| (plain(name), region)));
        Some((country, named.collect()))
    });
    countries.collect()
});

const NO_CODE: Rule = Rule::Invalid("a country code of ISO 3166-1, two letters such as CA");

/// A country's code in ISO 3166-1: `CA`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Country(String);

impl AsRef<str> for Country {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Country {
    /// Parses a code of two letters. Stored codes are read so; those of an input must be [`Country::assigned`].
    pub fn parse(text: &str) -> Result<Self, Rule> {
        let code = text.trim().to_ascii_uppercase();
        if code.len() == 2 && code.bytes().all(|b| b.is_ascii_uppercase()) {
            Ok(Self(code))
        } else {
            Err(NO_CODE)
        }
    }

    /// Parses a code that ISO 3166-1 assigns, or `UK` and `USA`, which people write for codes.
    pub fn assigned(text: &str) -> Result<Self, Rule> {
        let code = match text.trim().to_ascii_uppercase().as_str() {
            "UK" => Self::parse("GB")?,
            "USA" => Self::parse("US")?,
            _ => Self::parse(text)?,
        };
        let found = rust_iso3166::from_alpha2(code.as_str());
        found.map(|_| code).ok_or(NO_CODE)
    }

    /// The country with this name or code.
    pub fn named(text: &str) -> Option<Self> {
        Self::by_name(text).or_else(|| Self::assigned(text).ok())
    }

    /// The country with this name, or this code of three letters.
    pub fn by_name(text: &str) -> Option<Self> {
        let name = plain(text);
        let code = OTHER_NAMES
            .name(&name)
            .or_else(|| COUNTRIES.get(&name).copied());
        code.map(|code| Self(code.to_owned()))
    }

    /// The subdivision with this name or code.
    pub fn region(&self, text: &str) -> Option<Region> {
        let name = plain(text);
        let regions = REGIONS.get(self.0.as_str())?;
        let other = || STATES.name(&name).filter(|_| self.needs_known_regions());
        let region = regions.get(&name).or_else(|| regions.get(other()?))?;
        Some(Region(region))
    }

    /// Whether people write its cities with a subdivision that ISO 3166-2 knows by the name they use.
    pub fn needs_known_regions(&self) -> bool {
        matches!(self.0.as_str(), "US" | "CA")
    }
}

is_text!([] Country);

/// A subdivision of a country in ISO 3166-2: `US-NY`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region(&'static Subdivision);

impl Region {
    /// The only subdivision of any country with this name.
    pub fn unique(name: &str) -> Option<(Self, Country)> {
        let name = plain(name);
        let mut found = REGIONS.values().filter_map(|regions| regions.get(&name));
        match (found.next(), found.next()) {
            (Some(region), None) if name.chars().count() > 3 => {
                Some((Self(region), Country(region.country_code.to_owned())))
            }
            _ => None,
        }
    }

    /// Its code in its country: `NY`.
    pub fn region_code(self) -> &'static str {
        self.0.region_code
    }

    /// Where a well-known city is, by its key.
    pub fn of_city(city: &CityKey) -> Option<(Self, Country)> {
        let code = WELL_KNOWN.name(city.as_str())?;
        let (country, region) = code.split_once('-')?;
        let country = Country(country.to_owned());
        Some((country.region(region)?, country))
    }

    /// The well-known city of which this key is most likely a misspelling: its name, and where it is. One letter of a long
    /// name, not the first one, differs, is missing, too much or in the wrong place. With its region, names can be shorter.
    pub fn like(city: &CityKey, region: Option<Self>) -> Option<(String, (Self, Country))> {
        let shortest = if region.is_some() { 6 } else { 9 };
        let misspelled = city.as_str();
        if misspelled.len() < shortest || Self::of_city(city).is_some() {
            return None;
        }
        let is_there = |known: &str| {
            let there = CityKey::parse(known)
                .ok()
                .and_then(|key| Self::of_city(&key));
            region.is_none_or(|region| there.is_some_and(|(there, _)| there == region))
        };
        let mut found = WELL_KNOWN.synonyms().filter(|known| {
            known.len() >= shortest
                && known.as_bytes().first() == misspelled.as_bytes().first()
                && strsim::osa_distance(known, misspelled) == 1
                && is_there(known)
        });
        let (known, None) = (found.next()?, found.next()) else {
            return None;
        };
        let place = Self::of_city(&CityKey::parse(known).ok()?)?;
        let words = known.split(' ').map(|word| {
            let (first, rest) = word.split_at_checked(1).unwrap_or((word, ""));
            first.to_uppercase() + rest
        });
        Some((words.collect::<Vec<_>>().join(" "), place))
    }

    /// Whether a city can be in both. Subdivisions of two kinds, such as a country of the United Kingdom and a county,
    /// can contain each other.
    pub fn agrees(self, other: Self) -> bool {
        let is_strict = matches!(self.0.country_code, "US" | "CA");
        self.0.code == other.0.code
            || (!is_strict && self.0.subdivision_type != other.0.subdivision_type)
    }
}
