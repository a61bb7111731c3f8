//! Places as inputs name them.

use async_graphql::InputObject;

use trestle_domain::{List, Rule, Text};
use trestle_places::{City, Region};

use super::city_name::stored_name;
use super::country::Country;
use super::no_city::must_name_a_city;
use super::place::{Place, Zip, agree};
use super::reach::Located;
use super::written::WrittenPlace;

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
    /// The places that the input names, each with whether its text says that work from home is possible: two of `NYC / SF`.
    ///
    /// # Errors
    /// The first rule that the input breaks.
    pub fn places(&self) -> Result<Vec<(Place, bool)>, Rule> {
        let country = Country::assigned(&self.country)?;
        let read = WrittenPlace::read_all(&self.city, country.is_home())?;
        let read = read.into_iter();
        read.map(|written| self.place(&country, written)).collect()
    }

    fn place(&self, country: &Country, written: WrittenPlace) -> Result<(Place, bool), Rule> {
        // Holland is also a city, in Michigan.
        let is_city = self.region.is_some() && !self.city.contains(',');
        if !is_city && written.country.as_ref() != Some(country) {
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
        must_name_a_city(&self.city, &written, region, country)?;
        let found = match known(given) {
            Some(region) => found_in(&written.name, region),
            None => written.found,
        };
        let zip = self.zip.as_deref().filter(|zip| !zip.trim().is_empty());
        let zip = zip.or(written.zip.as_deref()).unwrap_or_default();
        let place = Place {
            city: Text::parse(&stored_name(&written.name, found))?,
            region: region.map(Text::parse).transpose()?,
            zip: Zip::parse(zip)?,
            country: country.clone(),
            is_worldwide: written.is_worldwide,
        };
        Ok((place, written.is_remote))
    }
}

/// The city with this name in a region.
fn found_in(name: &str, region: Region) -> Option<City> {
    let mut cities = City::named(name).into_iter();
    cities.find(|city| {
        let there = city.region();
        city.country() == region.country() && there.is_some_and(|there| there.agrees(region))
    })
}

/// At least one place, at most `MAX`.
///
/// # Errors
/// The first rule that the input breaks.
pub fn places<const MAX: usize>(given: &[PlaceInput]) -> Result<Places<MAX>, Rule> {
    if given.is_empty() {
        return Err(Rule::Required);
    }
    let mut read = Vec::new();
    for place in given {
        read.extend(match place.places() {
            Ok(places) => places.into_iter().map(Ok).collect(),
            Err(rule) => vec![Err(rule)],
        });
    }
    let is_remote = read.iter().flatten().any(|(_, is_remote)| *is_remote);
    let list: List<Place, MAX> = List::parse(read.into_iter().map(|read| read.map(|(p, _)| p)))?;
    let all: Vec<_> = list.as_slice().iter().map(Located::of).collect();
    if all.iter().any(|one| one.is_split(&all)) {
        Err(Rule::Invalid("places that name each city once"))
    } else {
        Ok(Places { list, is_remote })
    }
}
