//! Cities of more than 15,000 people.

use crate::country::{Country, Region};
use crate::data::{CityRow, data};
use crate::plain::{plain, variants};

/// A city.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct City(u32);

impl City {
    /// All cities.
    pub fn all() -> impl Iterator<Item = Self> {
        let numbers = 0..u32::try_from(data().cities.len()).unwrap_or(0);
        numbers.map(Self)
    }

    /// The cities with this name or another one, the largest first. A city that is called so counts before those fifty times as large
    /// of which it is another name.
    pub fn named(text: &str) -> Vec<Self> {
        let name = plain(text);
        let mut found: Vec<_> = data().cities_named(&name).map(Self).collect();
        if found.is_empty() {
            let others = variants(&name).into_iter();
            found = others
                .map(|name| data().cities_named(&name).map(Self).collect::<Vec<_>>())
                .find(|found| !found.is_empty())
                .unwrap_or_default();
        }
        let size = |city: &Self| {
            let share = if city.is_called(&name) { 1.0 } else { 0.02 };
            share * city.population()
        };
        found.sort_by(|a, b| size(b).total_cmp(&size(a)).then_with(|| a.cmp(b)));
        found.dedup();
        found
    }

    /// Whether this is its name, and not another one, as far as both can be abbreviated: `St. Louis` and `Saint Louis`, `New York` and
    /// `New York City`.
    pub fn is_called(self, text: &str) -> bool {
        let (own, given) = (plain(self.name()), plain(text));
        own == given || variants(&given).contains(&own) || variants(&own).contains(&given)
    }

    /// The large city, of a country and a region if these are given, of which this is most likely a misspelling: one letter of a
    /// long name, not the first one, differs, is missing, too much or in the wrong place. With its region, names can be shorter.
    pub fn like(text: &str, country: Option<Country>, region: Option<Region>) -> Option<Self> {
        const LARGE: f64 = 100_000.0;
        let misspelled = plain(text);
        let shortest = if region.is_some() { 6 } else { 9 };
        if misspelled.len() < shortest || !Self::named(text).is_empty() {
            return None;
        }
        let mut found = Self::all().filter(|city| {
            country.is_none_or(|country| city.country() == country)
                && city.population() >= LARGE
                && (region.is_none() || city.region() == region)
                && city.is_like(&misspelled, shortest)
        });
        let (city, None) = (found.next()?, found.next()) else {
            return None;
        };
        Some(city)
    }

    fn is_like(self, misspelled: &str, shortest: usize) -> bool {
        let known = plain(self.name());
        known.len() >= shortest
            && known.as_bytes().first() == misspelled.as_bytes().first()
            && strsim::osa_distance(&known, misspelled) == 1
    }

    fn row(self) -> Option<&'static CityRow> {
        data().cities.get(usize::try_from(self.0).ok()?)
    }

    /// Its name, in English if it has one.
    pub fn name(self) -> &'static str {
        self.row().map_or("", |row| &row.name)
    }

    /// The country where it is.
    pub fn country(self) -> Country {
        Country(self.row().map_or(usize::MAX, |row| row.country))
    }

    /// The region where it is.
    pub fn region(self) -> Option<Region> {
        self.row()?.region.map(Region)
    }

    /// About how many people it has, within 4 %.
    pub fn population(self) -> f64 {
        self.row().map_or(0.0, |row| row.population)
    }

    /// Latitude and longitude in degrees, within a kilometre.
    pub fn coordinates(self) -> (f64, f64) {
        self.row()
            .map_or((0.0, 0.0), |row| (row.latitude, row.longitude))
    }

    /// The distance in kilometres on a sphere.
    pub fn distance(self, other: Self) -> f64 {
        const RADIUS: f64 = 6371.0;
        let (latitude, longitude) = self.coordinates();
        let (other_latitude, other_longitude) = other.coordinates();
        let (a, b) = (latitude.to_radians(), other_latitude.to_radians());
        let north = ((b - a) / 2.0).sin();
        let east = ((other_longitude - longitude).to_radians() / 2.0).sin();
        let chord = north * north + a.cos() * b.cos() * east * east;
        2.0 * RADIUS * chord.sqrt().asin()
    }

    /// The cities within a radius in kilometres, the largest first, with this one.
    pub fn within(self, radius: f64) -> Vec<Self> {
        // A degree of latitude is 111 km.
        let degrees = radius / 111.0 + 0.01;
        let (latitude, _) = self.coordinates();
        let mut found: Vec<_> = Self::all()
            .filter(|city| (city.coordinates().0 - latitude).abs() <= degrees)
            .filter(|city| self.distance(*city) <= radius)
            .collect();
        found.sort_by(|a, b| {
            let size = b.population().total_cmp(&a.population());
            size.then_with(|| a.cmp(b))
        });
        found
    }
}
