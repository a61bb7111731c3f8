//! Countries as they are stored.

use trestle_domain::{Rule, is_text};
use trestle_places as places;
use trestle_places::{Home, Region};

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
        let is_code = text.trim().chars().count() <= 3;
        let found = places::Country::written(text).filter(|_| is_code);
        found.map(Self::from).ok_or(NO_CODE)
    }

    /// The country with this name or code.
    pub fn named(text: &str) -> Option<Self> {
        places::Country::written(text).map(Self::from)
    }

    /// The country in the gazetteer.
    pub fn known(&self) -> Option<places::Country> {
        places::Country::of_code(&self.0)
    }

    /// The subdivision with this name or code.
    pub fn region(&self, text: &str) -> Option<Region> {
        self.known()?.region(text)
    }

    /// Whether people write its cities with a subdivision that ISO 3166-2 knows by the name they use.
    pub fn needs_known_regions(&self) -> bool {
        let known = self.known();
        known.is_some_and(places::Country::is_written_with_regions)
    }

    /// What is known of a place that is there.
    pub fn is_home(&self) -> Home {
        self.known().map_or(Home::Unknown, Home::Is)
    }

    /// What is known of a place that is there unless its text says otherwise.
    pub fn is_assumed(&self) -> Home {
        self.known().map_or(Home::Unknown, Home::Assumed)
    }
}

impl From<places::Country> for Country {
    fn from(country: places::Country) -> Self {
        Self(country.code().to_owned())
    }
}

is_text!([] Country);
