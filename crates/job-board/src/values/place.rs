//! Places of jobs and seekers.

use async_graphql::{InputObject, SimpleObject};
use serde::{Deserialize, Serialize};

use trestle_domain::{List, Rule, Text, is_text};

use super::city::CityKey;
use super::no_city::{must_be_searched, must_name_a_city};
use super::region::{Country, Region};
use super::remote::is_rest_of_remote;
use super::written::{Home, REMOTE, WrittenPlace};

/// A zip code without blanks and marks, in upper case: `H2X1Y4`; empty if a place has none.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Zip(String);

impl Zip {
    const MAX: usize = 12;

    /// Parses a zip code; blanks and hyphens in it are dropped.
    pub fn parse(text: &str) -> Result<Self, Rule> {
        let zip: String = text.chars().filter(|c| !matches!(c, ' ' | '-')).collect();
        if zip.len() <= Self::MAX && zip.bytes().all(|b| b.is_ascii_alphanumeric()) {
            Ok(Self(zip.to_ascii_uppercase()))
        } else {
            Err(Rule::Invalid("a zip code of at most 12 letters and digits"))
        }
    }

    /// Whether the place has no zip code.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

is_text!([] Zip);

/// A place in a city.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SimpleObject)]
#[graphql(complex)]
pub struct Place {
    #[graphql(skip)]
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
    /// City, as written by whoever entered it. A job without an office is in the city "Remote".
    #[graphql(name = "city")]
    async fn displayed_city(&self) -> &str {
        if self.is_rest_of_remote() {
            REMOTE
        } else {
            self.city.as_str()
        }
    }

    /// Country code in ISO 3166-1: two letters.
    async fn country(&self) -> &str {
        self.country.as_str()
    }

    /// Zip code without blanks, in upper case.
    async fn zip(&self) -> Option<&str> {
        Some(self.zip.as_str()).filter(|zip| !zip.is_empty())
    }

    /// The city in the form in which cities are compared: without case, accents and marks.
    async fn city_key(&self) -> String {
        let key = if self.is_rest_of_remote() {
            CityKey::remote()
        } else {
            self.key()
        };
        key.to_string()
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

    /// The region by its code; of a well-known city that is written without one, the region where it is.
    fn known_region(&self) -> Option<Region> {
        let written = self.region.as_ref();
        let written = written.and_then(|region| self.country.region(region.as_str()));
        if written.is_none() && self.is_any_washington() {
            return self.country.region(self.washington_by_zip()?);
        }
        written.or_else(|| {
            let (region, country) = Region::of_city(&self.key())?;
            (self.region.is_none() && country == self.country).then_some(region)
        })
    }

    /// Whether it is Washington in the United States and nothing else, which is the capital or a state.
    fn is_any_washington(&self) -> bool {
        self.key().as_str() == "washington" && self.country.as_str() == "US"
    }

    /// Which of the two it is by its zip code.
    fn washington_by_zip(&self) -> Option<&'static str> {
        match self.zip.as_str().get(..3)? {
            "200" | "202" | "203" | "204" | "205" => Some("DC"),
            zip if ("980".."995").contains(&zip) => Some("WA"),
            _ => None,
        }
    }

    /// Whether both are the same city, or one is a part of the other: in one country, and not in two regions of it.
    pub fn is_in_city_of(&self, other: &Self) -> bool {
        self.country == other.country
            && self.is_at(&other.key())
            && other.is_at(&self.key())
            && agree(self.known_region(), other.known_region())
    }

    /// Whether it is in this city, in a part of it, or in the city of which it is a part.
    fn is_at(&self, city: &CityKey) -> bool {
        let key = self.key();
        key == *city
            || city.earlier().as_ref() == Some(&key)
            || city.parts_or_whole().contains(&key)
                && can_be_well_known(city, self.known_region(), Some(&self.country))
    }

    /// The cities by which jobs and seekers of this place are found, as of [`Sought::cities`].
    pub fn cities(&self) -> Vec<CityKey> {
        related(&self.key(), self.known_region(), Some(&self.country))
    }

    /// Whether an earlier version stored a part of a text such as `Anywhere in the US` as its city.
    fn is_rest_of_remote(&self) -> bool {
        is_rest_of_remote(self.city.as_str())
    }

    /// The place as it would be stored if it were written today. Places that were stored before people's ways of writing
    /// were read may have a region in the name of their city, or a part of `Anywhere in the US` for a city.
    pub fn read_again(&self) -> Self {
        if self.is_rest_of_remote() {
            let remote = Text::parse(REMOTE).unwrap_or_else(|_| self.city.clone());
            return Self {
                city: remote,
                ..self.clone()
            };
        }
        let read = WrittenPlace::read(self.city.as_str(), Home::Is(&self.country));
        let read = read
            .ok()
            .filter(|read| read.country.as_ref() == Some(&self.country));
        let city = read.as_ref().and_then(|read| Text::parse(&read.city).ok());
        match (read, city) {
            (Some(read), Some(city)) => {
                let region = read.region.as_deref().and_then(Text::cut);
                Self {
                    city,
                    region: self.region.clone().or(region),
                    ..self.clone()
                }
            }
            _ => self.clone(),
        }
    }
}

/// Whether a city of this name in a region and a country can be the well-known one.
fn can_be_well_known(key: &CityKey, region: Option<Region>, country: Option<&Country>) -> bool {
    Region::of_city(key).is_some_and(|(known, there)| {
        agree(region, Some(known)) && country.is_none_or(|country| *country == there)
    })
}

/// A city, its earlier key, and its parts or the city of which it is a part.
fn related(key: &CityKey, region: Option<Region>, country: Option<&Country>) -> Vec<CityKey> {
    let mut keys = vec![key.clone()];
    keys.extend(key.earlier());
    if can_be_well_known(key, region, country) {
        keys.extend(key.parts_or_whole());
    }
    keys
}

/// Whether two regions can be the same: a place without one can be in any.
fn agree(one: Option<Region>, other: Option<Region>) -> bool {
    one.zip(other).is_none_or(|(one, other)| one.agrees(other))
}

/// A city that someone looks for; its region and country as far as they are written.
#[derive(Clone, Debug, PartialEq)]
pub struct Sought {
    /// The key of the city.
    key: CityKey,
    region: Option<Region>,
    country: Option<Country>,
    /// The country: the one that is written, or that of a well-known city.
    pub likely_country: Option<Country>,
}

impl Sought {
    /// Reads a city in any spelling, with or without its region and country; in `country` if that is given.
    ///
    /// # Errors
    /// The text cannot be read as a place.
    pub fn read(text: &str, country: Option<&Country>) -> Result<Self, Rule> {
        let home = country.map_or(Home::Unknown, Home::Is);
        let written = WrittenPlace::read(text, home)?;
        let key = CityKey::parse(&written.city)?;
        let country = written.country.or_else(|| country.cloned());
        let region = written.region.as_deref().zip(country.as_ref());
        let region = region.and_then(|(region, country)| country.region(region));
        let known = || Region::of_city(&key).map(|(_, country)| country);
        Ok(Self {
            likely_country: country.clone().or_else(known),
            key,
            region,
            country,
        })
    }

    /// As [`Sought::read`], of a city that someone writes: refuses names of regions and countries, where no job is.
    ///
    /// # Errors
    /// The text cannot be read as a place, or names no city.
    pub fn read_city(text: &str, country: Option<&Country>) -> Result<Self, Rule> {
        let home = country.map_or(Home::Unknown, Home::Is);
        let written = WrittenPlace::read(text, home)?;
        must_be_searched(&written, country)?;
        Self::read(text, country)
    }

    /// The cities by which jobs here are found: this one, also by its earlier key, and its parts or the city of which it is a
    /// part.
    pub fn cities(&self) -> Vec<CityKey> {
        related(&self.key, self.region, self.country.as_ref())
    }

    /// Whether jobs without an office are looked for.
    pub fn is_remote(&self) -> bool {
        self.key == CityKey::remote()
    }

    /// The city under which a job of these places is found here: that of the first of them that is here.
    pub fn city_of(&self, places: &[Place]) -> Option<CityKey> {
        let place = places.iter().find(|place| self.admits(place))?;
        Some(if self.is_remote() {
            CityKey::remote()
        } else {
            place.key()
        })
    }

    /// Whether a place of a job is here.
    fn admits(&self, place: &Place) -> bool {
        let is_there = self.is_remote() || place.is_at(&self.key);
        is_there
            && self
                .country
                .as_ref()
                .is_none_or(|country| *country == place.country)
            && agree(self.region, place.known_region())
    }
}

/// A place in a city.
#[derive(InputObject, Clone, Debug)]
pub struct PlaceInput {
    /// City: 1 to 80 characters, also with its region: "Austin", "Austin, TX", "NYC". A job without an office is in the
    /// city "Remote".
    pub city: String,
    /// State, province or region, by its name or code: at most 80 characters.
    pub region: Option<String>,
    /// Country code in ISO 3166-1: two letters.
    pub country: String,
    /// Zip code: at most 12 letters and digits.
    pub zip: Option<String>,
}

/// Places, and whether one of them says that work from home is possible.
#[derive(Clone, Debug)]
pub struct Places<const MAX: usize> {
    /// The places.
    pub list: List<Place, MAX>,
    /// Whether one of them is remote.
    pub is_remote: bool,
}

const OTHER_COUNTRY: Rule = Rule::Invalid("a city of the country that `country` names");
const NO_REGION: Rule =
    Rule::Invalid("a city with a state or province of its country, such as TX or Texas");

impl PlaceInput {
    /// The place, and whether its text says that work from home is possible.
    ///
    /// # Errors
    /// The first rule that the input breaks.
    pub fn place(&self) -> Result<(Place, bool), Rule> {
        let country = Country::assigned(&self.country)?;
        let written = WrittenPlace::read(&self.city, Home::Is(&country))?;
        // Holland is also a city, in Michigan.
        let is_city = self.region.is_some() && !self.city.contains(',');
        if !is_city && written.country.as_ref() != Some(&country) {
            return Err(OTHER_COUNTRY);
        }
        let given = self.region.as_deref().map(str::trim);
        let given = given.filter(|region| !region.is_empty());
        let known = |region: Option<&str>| region.and_then(|region| country.region(region));
        let region = given.or(written.region.as_deref());
        if country.needs_known_regions() && region.is_some() && known(region).is_none() {
            return Err(NO_REGION);
        }
        if !agree(known(given), known(written.region.as_deref())) {
            return Err(Rule::Invalid("a city of the region that `region` names"));
        }
        must_name_a_city(&self.city, (&written, region), &country)?;
        let zip = self.zip.as_deref().filter(|zip| !zip.trim().is_empty());
        let zip = zip.or(written.zip.as_deref()).unwrap_or_default();
        let place = Place {
            city: Text::parse(&written.city)?,
            region: region.map(Text::parse).transpose()?,
            zip: Zip::parse(zip)?,
            country,
        };
        Ok((place, written.is_remote))
    }
}

/// At least one place, at most `MAX`.
///
/// # Errors
/// The first rule that the input breaks.
pub fn places<const MAX: usize>(given: &[PlaceInput]) -> Result<Places<MAX>, Rule> {
    if given.is_empty() {
        return Err(Rule::Required);
    }
    let read: Vec<_> = given.iter().map(PlaceInput::place).collect();
    let is_remote = read.iter().flatten().any(|(_, is_remote)| *is_remote);
    let list: List<Place, MAX> = List::parse(read.into_iter().map(|read| read.map(|(p, _)| p)))?;
    let all = list.as_slice();
    let is_split = |one: &Place| {
        let mut others = all.iter();
        others.any(|other| one.is_in_city_of(other) && one.zip != other.zip)
    };
    if all.iter().any(is_split) {
        Err(Rule::Invalid("places that name each city once"))
    } else {
        Ok(Places { list, is_remote })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn washington_without_a_region_is_in_any_unless_its_zip_code_says_where() {
        let place = |region: Option<&str>, zip: &str| Place {
            city: Text::parse("Washington").unwrap(),
            region: region.map(|region| Text::parse(region).unwrap()),
            country: Country::parse("US").unwrap(),
            zip: Zip::parse(zip).unwrap(),
        };
        let (capital, state) = (place(Some("DC"), ""), place(Some("WA"), ""));
        for (zip, in_capital, in_state) in [
            ("", true, true),
            ("20001", true, false),
            ("98101", false, true),
            ("15301", true, true),
        ] {
            let stored = place(None, zip);
            assert_eq!(stored.is_in_city_of(&capital), in_capital, "{zip}");
            assert_eq!(stored.is_in_city_of(&state), in_state, "{zip}");
        }
        assert!(!capital.is_in_city_of(&state));
    }
}
