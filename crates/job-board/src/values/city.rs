//! Cities as keys name them.

use std::sync::LazyLock;

use icu_normalizer::DecomposingNormalizerBorrowed;

use trestle_domain::{Rule, is_text};

use super::synonyms::Synonyms;

static CITIES: LazyLock<Synonyms> = LazyLock::new(|| Synonyms::read(include_str!("cities.txt")));
static PARTS: LazyLock<Synonyms> = LazyLock::new(|| Synonyms::read(include_str!("parts.txt")));

/// A city's name without differences of case, accents, blanks and marks: `Montréal` is `montreal`. Names of the same
/// city have the same key. Cities with the same name share a key; their country tells them apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CityKey(String);

impl CityKey {
    const MAX: usize = 80;

    /// The key of a city's name.
    pub fn parse(name: &str) -> Result<Self, Rule> {
        let plain = plain(name);
        match plain.chars().count() {
            0 => Err(Rule::Required),
            length if length > Self::MAX => Err(Rule::TooLong(Self::MAX)),
            _ => Ok(Self(
                CITIES.name(&plain).map_or(plain.clone(), str::to_owned),
            )),
        }
    }

    /// The city of a job that is named without it. No job is there.
    pub fn unknown() -> Self {
        Self(String::new())
    }

    /// Whether it is not known.
    pub fn is_unknown(&self) -> bool {
        self.0.is_empty()
    }

    /// The place of jobs without an office.
    pub fn remote() -> Self {
        Self("remote".to_owned())
    }

    /// The city of which this is a part, if it is one: New York of Brooklyn.
    pub fn whole(&self) -> Option<Self> {
        let whole = PARTS.name(&self.0).filter(|whole| *whole != self.0);
        whole.map(|whole| Self(whole.to_owned()))
    }

    /// The parts of the city, or the city of which it is a part.
    pub fn parts_or_whole(&self) -> Vec<Self> {
        if let Some(whole) = self.whole() {
            return vec![whole];
        }
        let is_part = |part: &&str| PARTS.name(part) == Some(&self.0) && *part != self.0;
        let parts = PARTS.synonyms().filter(is_part);
        let mut parts: Vec<_> = parts.map(|part| Self(part.to_owned())).collect();
        parts.sort_unstable();
        parts
    }

    /// The key that earlier versions gave the city: `port st lucie` of Port Saint Lucie.
    pub fn earlier(&self) -> Option<Self> {
        let earlier = with_inner_words(&self.0, |word| {
            let mut all = ABBREVIATIONS.into_iter();
            let found = all.find(|(_, long)| long.eq_ignore_ascii_case(word));
            found.map(|(short, _)| short)
        });
        (earlier != self.0).then_some(Self(earlier))
    }
}

is_text!([] CityKey);

/// Abbreviations in names of cities.
pub const ABBREVIATIONS: [(&str, &str); 4] = [
    ("ft", "Fort"),
    ("mt", "Mount"),
    ("st", "Saint"),
    ("ste", "Sainte"),
];

/// A name with other words for those between the first and the last one.
pub fn with_inner_words(name: &str, other: impl Fn(&str) -> Option<&'static str>) -> String {
    let words: Vec<_> = name.split(' ').collect();
    let replaced = words.iter().enumerate().map(|(at, word)| {
        let is_inner = at > 0 && at + 1 < words.len();
        other(word).filter(|_| is_inner).unwrap_or(word)
    });
    replaced.collect::<Vec<_>>().join(" ")
}

/// Text without accents.
pub fn unaccented(text: &str) -> String {
    let decomposed = DecomposingNormalizerBorrowed::new_nfkd().normalize(text);
    let is_mark = |c: &char| ('\u{300}'..='\u{36f}').contains(c);
    decomposed.chars().filter(|c| !is_mark(c)).collect()
}

/// Text in lower case without accents; anything but letters and digits separates words.
pub fn plain(text: &str) -> String {
    let decomposed = DecomposingNormalizerBorrowed::new_nfkd().normalize(text);
    let letters = decomposed
        .chars()
        .filter(|c| !('\u{300}'..='\u{36f}').contains(c) && !matches!(c, '.' | '\'' | '’'))
        .flat_map(char::to_lowercase)
        .map(|c| if c.is_alphanumeric() { c } else { ' ' });
    let spaced: String = letters.collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_city_has_parts_and_earlier_keys() {
        let key = |name: &str| CityKey::parse(name).unwrap();
        assert_eq!(key("Brooklyn").whole(), Some(key("NYC")));
        assert_eq!(key("NYC").whole(), None);
        assert_eq!(key("New York").parts_or_whole().len(), 5);
        assert_eq!(key("Queens").parts_or_whole(), [key("New York")]);
        assert!(key("Austin").parts_or_whole().is_empty());
        assert_eq!(
            key("Port Saint Lucie").earlier(),
            Some(key("port st lucie"))
        );
        for name in ["Saint Louis", "Austin", "West Mount"] {
            assert_eq!(key(name).earlier(), None, "{name}");
        }
    }

    #[test]
    fn names_of_a_city_have_one_key() {
        for (names, key) in [
            (
                &["Montréal", " MONTREAL ", "montre\u{301}al"][..],
                "montreal",
            ),
            (
                &["Saint-Laurent", "saint  laurent", "Saint Laurent."],
                "saint laurent",
            ),
            (
                &["St. Louis", "Saint Louis", "SAINT\u{a0}LOUIS"],
                "saint louis",
            ),
            (&["NYC", "New York", "new york city"], "new york"),
            (&["München", "Munich"], "munich"),
            (&["Kraków"], "krakow"),
            (&["東京"], "東京"),
        ] {
            for name in names {
                assert_eq!(CityKey::parse(name).unwrap().as_str(), key, "{name}");
            }
            assert_eq!(CityKey::parse(key).unwrap().as_str(), key);
        }
        for name in ["", " ", "#", "--", "\u{301}"] {
            assert_eq!(CityKey::parse(name), Err(Rule::Required), "{name:?}");
        }
    }
}
