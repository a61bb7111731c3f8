//! What a title or a headline says about occupations. It is kept with the text, because reading it takes longest.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use trestle_occupations::{Meaning, Occupations, Title};

use super::skill::written;
use super::synonyms::Synonyms;

static ABBREVIATIONS: LazyLock<Synonyms> =
    LazyLock::new(|| Synonyms::read(include_str!("abbreviations.txt")));

/// Words that say how senior a position is, and nothing else.
const SENIORITY: [&str; 5] = ["senior", "sr", "snr", "junior", "jr"];

/// The most words of an abbreviation: `rad tech`.
const LONGEST: usize = 3;

/// The meaning of a text as it is stored with the text.
#[derive(Clone, Debug, Default)]
pub struct StoredMeaning(Option<Meaning>);

/// What is computed from a text makes no difference beside the text.
impl PartialEq for StoredMeaning {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl StoredMeaning {
    /// Of a text.
    pub fn of(text: &str) -> Self {
        Self(Some(Occupations::built_in().meaning(&spelled_out(text))))
    }

    /// The text for comparison. What is not the meaning of the text, or is of another version of the data, is read again.
    pub fn title(&self, text: &str) -> Title {
        let occupations = Occupations::built_in();
        let text = spelled_out(text);
        let kept = self.0.clone().filter(|meaning| meaning.is_of(&text));
        let meaning = kept.unwrap_or_else(|| occupations.meaning(&text));
        Title::new(occupations, &text, meaning)
    }

    /// Whether nothing is stored.
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }
}

impl Serialize for StoredMeaning {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let bytes = self.0.as_ref().map(Meaning::to_bytes);
        to.serialize_str(&STANDARD.encode(bytes.unwrap_or_default()))
    }
}

/// Anything else that another program stores counts as nothing.
impl<'de> Deserialize<'de> for StoredMeaning {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Stored {
            Text(String),
            Other(IgnoredAny),
        }
        let bytes = match Stored::deserialize(from)? {
            Stored::Text(text) => STANDARD.decode(text).unwrap_or_default(),
            Stored::Other(IgnoredAny) => Vec::new(),
        };
        Ok(Self(Meaning::from_bytes(&bytes)))
    }
}

/// The text with full names for abbreviations, and without words that say nothing but how senior someone is: these are compared
/// for themselves.
fn spelled_out(text: &str) -> String {
    let words = written(text);
    let mut found = String::new();
    let (mut at, mut copied) = (0, 0);
    while let Some((start, word)) = words.get(at) {
        if SENIORITY.contains(&word.to_lowercase().as_str()) {
            found.push_str(text.get(copied..*start).unwrap_or_default());
            (at, copied) = (at + 1, start + word.len());
            continue;
        }
        let lengths = (1..=LONGEST).rev();
        let phrases = lengths.filter_map(|length| {
            let (last, word) = words.get(at + length - 1)?;
            let end = last + word.len();
            let name = ABBREVIATIONS.name(&text.get(*start..end)?.to_lowercase())?;
            Some((length, end, name))
        });
        let Some((length, end, name)) = phrases.into_iter().next() else {
            at += 1;
            continue;
        };
        found.push_str(text.get(copied..*start).unwrap_or_default());
        found.push_str(name);
        (at, copied) = (at + length, end);
    }
    found.push_str(text.get(copied..).unwrap_or_default());
    if found.chars().any(char::is_alphanumeric) {
        found
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_abbreviations_stays_as_it_is() {
        for text in ["", "Nurse, nights (ICU) – x", "Ärztin", "Senior"] {
            assert_eq!(spelled_out(text), text);
        }
    }

    #[test]
    fn seniority_and_abbreviations_are_not_compared_as_they_are_written() {
        assert_eq!(spelled_out("Sr. RN, nights"), ". registered nurse, nights");
        assert_eq!(
            spelled_out("Junior help desk technician"),
            " it support specialist"
        );
    }

    #[test]
    fn what_is_not_a_meaning_counts_as_nothing() {
        for stored in ["\"\"", "\"xyz\"", "7", "{\"a\": [1]}", "null", "\"AAAA\""] {
            let read: StoredMeaning = serde_json::from_str(stored).unwrap();
            assert!(read.is_none(), "{stored}");
        }
        let stored = serde_json::to_string(&StoredMeaning::of("Nurse")).unwrap();
        let read: StoredMeaning = serde_json::from_str(&stored).unwrap();
        assert_eq!(read.0, StoredMeaning::of("Nurse").0);
    }
}
