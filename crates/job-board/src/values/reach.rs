//! Where places are: which are one city, and which are near each other.

use std::fmt;

use trestle_domain::Rule;
use trestle_places::{City, Home, Region};

use super::city::CityKey;
use super::city_name::key_of;
use super::country::Country;
use super::no_city::must_be_searched;
use super::place::{Place, agree};
use super::written::WrittenPlace;

/// The most cities whose jobs a list with a radius or a run asks for.
const MAX_CITIES: usize = 20;

/// The kilometres between a seeker's city and that of a job that is suggested, unless the seeker says it.
pub const SUGGESTED_WITHIN: i32 = 50;

/// Places as they would be stored today, with the cities that they mean.
pub fn located(places: &[Place]) -> Vec<Located> {
    let places = places.iter().map(Place::read_again);
    places.map(|place| Located::of(&place)).collect()
}

/// People of a city that is meant by its name alone, whatever smaller ones there are in other countries.
const LARGE: f64 = 500_000.0;

/// A place with the city that it means.
#[derive(Clone, Debug)]
pub struct Located {
    /// The place.
    pub place: Place,
    /// The city in the gazetteer: the largest one of its name in its country, in its region if that is written.
    pub city: Option<City>,
    /// The key of the city, whichever of its names is written.
    key: CityKey,
    /// The region that is written, or that of the city.
    region: Option<Region>,
}

impl Located {
    /// Of a place.
    pub fn of(place: &Place) -> Self {
        let written = place.written_region();
        let city = place.found();
        let is_written = place.region.is_some();
        Self {
            place: place.clone(),
            city,
            key: city.and_then(key_of).unwrap_or_else(|| place.key()),
            region: written.or_else(|| city.filter(|_| !is_written)?.region()),
        }
    }

    /// Whether both are the same city, or one is a part of the other: in one country, and not in two regions of it.
    pub fn is_in_city_of(&self, other: &Self) -> bool {
        self.place.country == other.place.country
            && self.is_at(&other.key)
            && other.is_at(&self.key)
            && agree(self.region, other.region)
    }

    /// Whether both are cities of one country with at most so many kilometres between them.
    pub fn is_near(&self, other: &Self, radius: i32) -> bool {
        let cities = self.city.zip(other.city).filter(|_| radius > 0);
        self.place.country == other.place.country
            && cities.is_some_and(|(one, other)| one.distance(other) <= f64::from(radius))
    }

    /// Whether one of the places names the same city with another zip code.
    pub fn is_split(&self, all: &[Self]) -> bool {
        let mut others = all.iter();
        others.any(|other| self.is_in_city_of(other) && self.place.zip != other.place.zip)
    }

    /// Whether it is in this city, in a part of it, or in the city of which it is a part.
    fn is_at(&self, city: &CityKey) -> bool {
        self.key == *city
            || city.earlier().as_ref() == Some(&self.key)
            || city.parts_or_whole().contains(&self.key)
                && can_be_well_known(city, self.region, Some(&self.place.country))
    }

    /// The cities by which jobs and seekers of this place are found: this one, also by the keys of earlier versions, and its parts or
    /// the city of which it is a part.
    fn own_cities(&self) -> Vec<CityKey> {
        let country = Some(&self.place.country);
        related(&self.key, &self.place.key(), self.region, country)
    }
}

/// The cities of places, and the largest cities around them as long as there are not more than 20.
pub fn reached(places: &[Located], radius: i32) -> Vec<CityKey> {
    let own = places.iter().flat_map(Located::own_cities).collect();
    let centers = places.iter().filter_map(|place| place.city);
    let is_there = |one: City, other: City| one.country() == other.country();
    with_near(own, centers, radius, is_there)
}

/// The keys, each once, with those of the largest cities around some cities.
fn with_near(
    own: Vec<CityKey>,
    centers: impl Iterator<Item = City>,
    radius: i32,
    is_meant: impl Fn(City, City) -> bool,
) -> Vec<CityKey> {
    let mut keys: Vec<CityKey> = Vec::new();
    for key in own {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    if radius <= 0 {
        return keys;
    }
    let mut near: Vec<City> = Vec::new();
    for center in centers {
        let around = center.within(f64::from(radius)).into_iter();
        near.extend(around.filter(|city| is_meant(center, *city)));
    }
    near.sort_by(|a, b| b.population().total_cmp(&a.population()));
    for key in near.into_iter().filter_map(key_of) {
        if keys.len() >= MAX_CITIES {
            break;
        }
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

/// Whether a city of this name in a region and a country can be the largest one of that name.
fn can_be_well_known(key: &CityKey, region: Option<Region>, country: Option<&Country>) -> bool {
    let known = City::named(key.as_str()).first().copied();
    known.is_some_and(|known| {
        let is_there = country.is_none_or(|country| country.known() == Some(known.country()));
        is_there && agree(region, known.region())
    })
}

/// A city, its keys in earlier versions, and its parts or the city of which it is a part.
fn related(
    key: &CityKey,
    written: &CityKey,
    region: Option<Region>,
    country: Option<&Country>,
) -> Vec<CityKey> {
    let mut keys = vec![key.clone()];
    keys.extend(Some(written.clone()).filter(|written| written != key));
    keys.extend(key.earlier());
    let parts = key.parts_or_whole();
    if !parts.is_empty() && can_be_well_known(key, region, country) {
        keys.extend(parts);
    }
    keys
}

/// A city that someone looks for; its region and country as far as they are written.
#[derive(Clone, PartialEq)]
pub struct Sought {
    /// The key of the city.
    key: CityKey,
    /// The key of the name that is written, under which earlier versions stored the city.
    written: CityKey,
    city: Option<City>,
    region: Option<Region>,
    country: Option<Country>,
    /// The country: the one that is written, or that of a large city.
    pub likely_country: Option<Country>,
    /// How far from the city a job can be, in kilometres.
    radius: i32,
}

/// Cursors are bound to this text: it must not change with the gazetteer.
impl fmt::Debug for Sought {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("Sought");
        let text = text.field("written", &self.written);
        let text = text.field("region", &self.region.map(Region::code));
        let text = text.field("country", &self.country);
        text.field("radius", &self.radius).finish()
    }
}

impl Sought {
    /// Reads a city in any spelling, with or without its region and country; in `country` if that is given. Refuses names of regions
    /// and countries, where no job is.
    ///
    /// # Errors
    /// The text cannot be read as a place, or names no city.
    pub fn read_city(text: &str, country: Option<&Country>, radius: i32) -> Result<Self, Rule> {
        let home = country.map_or(Home::Unknown, Country::is_home);
        let written = WrittenPlace::read(text, home)?;
        must_be_searched(&written, country)?;
        let own = CityKey::parse(&written.name)?;
        let country = written.country.or_else(|| country.cloned());
        let region = written.region.as_deref().zip(country.as_ref());
        let region = region.and_then(|(region, country)| country.region(region));
        let large = written.found.filter(|city| city.population() >= LARGE);
        let known = || large.map(|city| Country::from(city.country()));
        Ok(Self {
            likely_country: country.clone().or_else(known),
            key: written
                .found
                .and_then(key_of)
                .unwrap_or_else(|| own.clone()),
            written: own,
            city: written.found,
            region,
            country,
            radius,
        })
    }

    /// The cities by which jobs are found: those that are looked for, also by their keys in earlier versions, their parts or the
    /// cities of which they are parts, and the largest cities within the radius as long as there are not more than 20.
    pub fn cities_of(all: &[Self]) -> Vec<CityKey> {
        let own = all.iter().flat_map(|sought| {
            let country = sought.country.as_ref();
            related(&sought.key, &sought.written, sought.region, country)
        });
        let centers = all.iter().filter_map(|sought| sought.city);
        let radius = all.iter().map(|sought| sought.radius).max();
        with_near(own.collect(), centers, radius.unwrap_or(0), |_, _| true)
    }

    /// Whether jobs without an office are looked for.
    pub fn is_remote(&self) -> bool {
        self.key == CityKey::remote()
    }

    /// The city under which a job of these places is found here: that of the first of them that is here, and in one of the cities that
    /// are asked for.
    pub fn city_of(&self, places: &[Place], asked: &[CityKey]) -> Option<CityKey> {
        let mut places = places.iter().filter(|place| self.admits(place));
        if self.is_remote() {
            return places.next().map(|_| CityKey::remote());
        }
        let mut keys = places.map(Place::key);
        keys.find(|key| asked.contains(key))
    }

    /// Whether a place of a job is here.
    fn admits(&self, place: &Place) -> bool {
        let is_in_country = self
            .country
            .as_ref()
            .is_none_or(|country| *country == place.country);
        if self.is_remote() {
            let is_there = is_in_country && agree(self.region, place.written_region());
            return place.is_worldwide || is_there;
        }
        let located = Located::of(place);
        let is_at = located.is_at(&self.key) || located.is_at(&self.written);
        let is_there = is_at && is_in_country && agree(self.region, located.region);
        let cities = self.city.zip(located.city).filter(|_| self.radius > 0);
        is_there || cities.is_some_and(|(one, other)| one.distance(other) <= f64::from(self.radius))
    }
}

#[cfg(test)]
mod tests {
    use trestle_domain::Text;

    use super::*;
    use crate::values::Zip;

    #[test]
    fn washington_without_a_region_is_in_any_unless_its_zip_code_says_where() {
        let place = |region: Option<&str>, zip: &str| Place {
            city: Text::parse("Washington").unwrap(),
            region: region.map(|region| Text::parse(region).unwrap()),
            country: Country::parse("US").unwrap(),
            zip: Zip::parse(zip).unwrap(),
            is_worldwide: false,
        };
        let (capital, state) = (place(Some("DC"), ""), place(Some("WA"), ""));
        for (zip, in_capital, in_state) in [
            ("", true, true),
            ("20001", true, false),
            ("98101", false, true),
            ("15301", true, true),
        ] {
            let stored = place(None, zip);
            let is_in = |place: &Place| Located::of(&stored).is_in_city_of(&Located::of(place));
            assert_eq!(is_in(&capital), in_capital, "{zip}");
            assert_eq!(is_in(&state), in_state, "{zip}");
        }
        assert!(!Located::of(&capital).is_in_city_of(&Located::of(&state)));
    }
}
