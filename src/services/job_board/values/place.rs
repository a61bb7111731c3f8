//! Places of jobs and seekers.

use std::sync::LazyLock;

use async_graphql::{InputObject, SimpleObject};
use serde::{Deserialize, Serialize};

use crate::domain::{List, Rule, Text, is_text};

use super::CityKey;
use super::city::plain;
use super::synonyms::Synonyms;

static COUNTRIES: LazyLock<Synonyms> =
    LazyLock::new(|| Synonyms::read(include_str!("countries.txt")));

/// A country's code in ISO 3166-1: `CA`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Country(String);

impl Country {
    /// Parses a code of two letters.
    pub fn parse(text: &str) -> Result<Self, Rule> {
        let code = text.trim().to_ascii_uppercase();
        match code.len() == 2 && code.bytes().all(|b| b.is_ascii_uppercase()) {
            true => Ok(Self(code)),
            false => Err(Rule::Invalid("a country code of two letters such as CA")),
        }
    }

    /// The country with this name or code, if it is in the list of countries.
    pub fn named(text: &str) -> Option<Self> {
        let name = plain(text);
        let code = COUNTRIES.name(&name);
        let code = code.or_else(|| COUNTRIES.name(text.trim()));
        code.map(|code| Self(code.to_owned()))
    }
}

is_text!([] Country);

/// A zip code without blanks and marks, in upper case: `H2X1Y4`; empty if a place has none.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Zip(String);

impl Zip {
    const MAX: usize = 12;

    /// Parses a zip code; blanks and hyphens in it are dropped.
    pub fn parse(text: &str) -> Result<Self, Rule> {
        let zip: String = text.chars().filter(|c| !matches!(c, ' ' | '-')).collect();
        match zip.len() <= Self::MAX && zip.bytes().all(|b| b.is_ascii_alphanumeric()) {
            true => Ok(Self(zip.to_ascii_uppercase())),
            false => Err(Rule::Invalid("a zip code of at most 12 letters and digits")),
        }
    }

    /// Whether the place has no zip code.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether two zip codes name neighbouring areas: their first three characters are the same.
    pub fn is_near(&self, other: &Self) -> bool {
        match (self.0.get(..3), other.0.get(..3)) {
            (Some(area), Some(other)) => area == other,
            _ => false,
        }
    }
}

is_text!([] Zip);

/// A place in a city.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[graphql(complex)]
pub struct Place {
    /// City, as written by whoever entered it. A job without an office is in the city "Remote".
    pub city: Text<1, 80>,
    /// State, province or region.
    pub region: Option<Text<1, 80>>,
    #[graphql(skip)]
    pub country: Country,
    #[graphql(skip)]
    pub zip: Zip,
}

#[async_graphql::ComplexObject]
impl Place {
    /// Country code in ISO 3166-1: two letters.
    async fn country(&self) -> &str {
        &self.country.0
    }

    /// Zip code without blanks, in upper case.
    async fn zip(&self) -> Option<&str> {
        Some(self.zip.as_str()).filter(|zip| !zip.is_empty())
    }

    /// The city in the form in which cities are compared: without case, accents and marks.
    async fn city_key(&self) -> String {
        self.key().to_string()
    }
}

impl Place {
    /// The city as keys name it.
    pub fn key(&self) -> CityKey {
        // A place whose city has no key does not parse.
        CityKey::parse(self.city.as_str()).unwrap_or_else(|_| CityKey::remote())
    }

    /// Whether it stands for jobs without an office.
    pub fn is_remote(&self) -> bool {
        self.key() == CityKey::remote()
    }

    /// Whether both are in the same city of the same country.
    pub fn is_in_city_of(&self, other: &Self) -> bool {
        self.country == other.country && self.key() == other.key()
    }
}

/// A place in a city.
#[derive(InputObject, Clone, Debug)]
pub struct PlaceInput {
    /// City: 1 to 80 characters. A job without an office is in the city "Remote".
    pub city: String,
    /// State, province or region: at most 80 characters.
    pub region: Option<String>,
    /// Country code in ISO 3166-1: two letters.
    pub country: String,
    /// Zip code: at most 12 letters and digits.
    pub zip: Option<String>,
}

impl PlaceInput {
    /// The place.
    ///
    /// # Errors
    /// The first rule that the input breaks.
    pub fn place(&self) -> Result<Place, Rule> {
        CityKey::parse(&self.city)?;
        let region = self.region.as_deref().map(str::trim);
        let region = region.filter(|region| !region.is_empty());
        Ok(Place {
            city: Text::parse(&self.city)?,
            region: region.map(Text::parse).transpose()?,
            country: Country::parse(&self.country)?,
            zip: Zip::parse(self.zip.as_deref().unwrap_or_default())?,
        })
    }
}

/// At least one place, at most `MAX`.
///
/// # Errors
/// The first rule that the input breaks.
pub fn places<const MAX: usize>(given: &[PlaceInput]) -> Result<List<Place, MAX>, Rule> {
    match given.is_empty() {
        true => Err(Rule::Required),
        false => {
            let places: List<Place, MAX> = List::parse(given.iter().map(PlaceInput::place))?;
            let all = places.as_slice();
            let is_split = |one: &Place| {
                let mut others = all.iter();
                others.any(|other| one.is_in_city_of(other) && one.zip != other.zip)
            };
            match all.iter().any(is_split) {
                true => Err(Rule::Invalid("places that name each city once")),
                false => Ok(places),
            }
        }
    }
}
