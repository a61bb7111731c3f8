//! Places of jobs and seekers.

use async_graphql::SimpleObject;
use serde::{Deserialize, Serialize};

use trestle_domain::{Rule, Text, is_text};
use trestle_places::{City, Region};

use super::city::CityKey;
use super::city_name::stored_name;
use super::country::Country;
use super::remote::is_rest_of_remote;
use super::written::{REMOTE, WrittenPlace};

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
    /// Whether work from home is possible in every country.
    #[serde(default, rename = "isWorldwide", skip_serializing_if = "is_false")]
    pub is_worldwide: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_false(value: &bool) -> bool {
    !value
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

    /// The city that is meant, in the gazetteer, with its region and country: "Portland, Oregon, US". By its name alone it is the largest
    /// city of that name in the country. Null if the gazetteer does not have it.
    async fn known_city(&self) -> Option<String> {
        let city = self.found()?;
        let region = city.region().map(Region::name);
        let parts = [Some(city.name()), region, Some(city.country().code())];
        Some(parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

impl Place {
    /// A place in a city of the gazetteer.
    pub fn of_city(city: City, zip: &str) -> Option<Self> {
        let region = city.region().map(Region::name);
        Some(Self {
            city: Text::cut(&stored_name(city.name(), Some(city)))?,
            region: region.and_then(Text::cut),
            country: city.country().into(),
            zip: Zip::parse(zip).ok()?,
            is_worldwide: false,
        })
    }

    /// The city as keys name it.
    pub fn key(&self) -> CityKey {
        // A place whose city has no key does not parse.
        CityKey::parse(self.city.as_str()).unwrap_or_else(|_| CityKey::remote())
    }

    /// Whether it stands for jobs without an office.
    pub fn is_remote(&self) -> bool {
        self.key() == CityKey::remote()
    }

    /// The region by its code; of Washington without one, as its zip code says.
    pub fn written_region(&self) -> Option<Region> {
        let written = self.region.as_ref();
        let written = written.and_then(|region| self.country.region(region.as_str()));
        if written.is_none() && self.is_any_washington() {
            return self.country.region(self.washington_by_zip()?);
        }
        written
    }

    /// The city of the gazetteer that it means: the largest one of its name in its country, in its region if that is written.
    pub fn found(&self) -> Option<City> {
        let region = self.written_region();
        if self.is_remote() || (region.is_none() && self.is_any_washington()) {
            return None;
        }
        let country = self.country.known()?;
        let mut cities = City::named(self.city.as_str()).into_iter();
        cities.find(|city| city.country() == country && agree(region, city.region()))
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
        let read = WrittenPlace::read(self.city.as_str(), self.country.is_home());
        let read = read
            .ok()
            .filter(|read| read.country.as_ref() == Some(&self.country));
        let city = read.as_ref().and_then(|read| Text::parse(&read.name).ok());
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

/// Whether two regions can be the same: a place without one can be in any.
pub fn agree(one: Option<Region>, other: Option<Region>) -> bool {
    one.zip(other).is_none_or(|(one, other)| one.agrees(other))
}
