//! Countries, and their regions in ISO 3166-2.

use crate::data::{RegionRow, data};
use crate::plain::plain;

/// A country of ISO 3166-1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Country(pub(crate) usize);

impl Country {
    /// The country with this code of two letters, in upper case.
    pub fn of_code(code: &str) -> Option<Self> {
        data().country_of_code(code).map(Self)
    }

    /// The country with this name, in its own languages or some others, or this code of three letters: `Deutschland`, `UK`.
    pub fn named(text: &str) -> Option<Self> {
        data().country_named(&plain(text)).map(Self)
    }

    /// The country with this name or code, of two letters also.
    pub fn written(text: &str) -> Option<Self> {
        Self::named(text).or_else(|| Self::of_code(&text.trim().to_ascii_uppercase()))
    }

    /// Its code of two letters.
    pub fn code(self) -> &'static str {
        data().countries.get(self.0).map_or("", |row| &row.code)
    }

    /// Its name in English.
    pub fn name(self) -> &'static str {
        data().countries.get(self.0).map_or("", |row| &row.name)
    }

    /// The region with this name or code.
    pub fn region(self, text: &str) -> Option<Region> {
        let name = plain(text);
        let name = name.strip_suffix(" state").unwrap_or(&name);
        data().region_named(self.0, name).map(Region)
    }

    /// Whether people write cities with the state or province: then regions that are not known are mistakes.
    pub fn is_written_with_regions(self) -> bool {
        matches!(self.code(), "US" | "CA")
    }
}

/// A state, province or other region of a country.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Region(pub(crate) usize);

impl Region {
    fn row(self) -> Option<&'static RegionRow> {
        data().regions.get(self.0)
    }

    /// The only region of any country with this name of more than three letters.
    pub fn unique(text: &str) -> Option<Self> {
        let name = plain(text);
        if name.chars().count() <= 3 {
            return None;
        }
        let countries = 0..data().countries.len();
        let mut found = countries.filter_map(|country| data().region_named(country, &name));
        let (only, None) = (found.next()?, found.next()) else {
            return None;
        };
        Some(Self(only))
    }

    /// Its code in ISO 3166-2 without the country: `NY`. Empty if the standard does not have it.
    pub fn code(self) -> &'static str {
        self.row().map_or("", |row| &row.code)
    }

    /// Its name, as ISO 3166-2 has it.
    pub fn name(self) -> &'static str {
        self.row().map_or("", |row| &row.name)
    }

    /// Its country.
    pub fn country(self) -> Country {
        Country(self.row().map_or(usize::MAX, |row| row.country))
    }

    /// Whether a city can be in both: they are the same, or one is a part of the other, such as a county of England. Of regions whose
    /// whole is not known, only those of one level have cities in the gazetteer.
    pub fn agrees(self, other: Self) -> bool {
        let (Some(one), Some(two)) = (self.row(), other.row()) else {
            return false;
        };
        if self == other || one.country != two.country {
            return self == other;
        }
        if !one.parent.is_empty() || !two.parent.is_empty() {
            return one.parent == two.code || two.parent == one.code;
        }
        !self.country().is_written_with_regions() && one.has_cities != two.has_cities
    }
}
