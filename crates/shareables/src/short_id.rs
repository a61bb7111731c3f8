//! Short ids: what people type to open a shareable.

use std::borrow::Cow;
use std::{fmt, io};

use serde::{Deserialize, Serialize};

use crate::table::TABLE;
use trestle_api::Scalar;
use trestle_domain::{Rule, Segment};
use trestle_service::random_bytes;
use trestle_table::{Entity, Key, Pk, Sk, TableDefinition};

/// Six letters and five digits, shown as `ABC-DEF-12345`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ShortId(String);

/// Letters that are not mistaken for digits.
const LETTERS: &[u8; 23] = b"ABCDEFGHJKMNPQRSTUVWXYZ";
const LETTER_COUNT: usize = 6;
const DIGIT_COUNT: usize = 5;
/// Sequences of letters that no new short id contains.
const RUDE: &[&str] = &[
    "ANAS", "ANUS", "ARSE", "ASS", "BASTARD", "BUM", "BUTT", "CNT", "CRAP", "CUM", "CUNT", "DAMN",
    "DCK", "DUMB", "FAG", "FART", "FAT", "FCK", "FKU", "FUC", "FUK", "FUX", "GAY", "HTR", "HUR",
    "JAP", "JEW", "KKK", "KMS", "KYS", "MERD", "NAZ", "NGR", "NGA", "PAK", "PEE", "PHUK", "PUS",
    "PUTA", "RAPE", "SEX", "SHT", "SUCK", "SUK", "TARD", "TWAT", "TRD", "WANK", "WTF", "XXX",
];

impl ShortId {
    /// A short id from outside, in any case, with or without its hyphens, and with any dash or invisible character that
    /// copying put there.
    pub fn parse(text: &str) -> Result<Self, Rule> {
        const FORM: Rule = Rule::Invalid("a short id such as ABC-DEF-12345");
        let text: String = bare(text).take(32).collect();
        let text = text.to_ascii_uppercase();
        let has_form = text.len() == LETTER_COUNT + DIGIT_COUNT
            && text.bytes().enumerate().all(|(at, byte)| match at {
                ..LETTER_COUNT => byte.is_ascii_uppercase(),
                _ => byte.is_ascii_digit(),
            });
        has_form.then_some(Self(text)).ok_or(FORM)
    }

    /// A random short id. It is free with near certainty; the guard of its claim makes sure.
    ///
    /// # Errors
    /// The system has no randomness.
    pub fn random() -> io::Result<Self> {
        loop {
            let id = Self::of_number(u128::from_le_bytes(random_bytes()?));
            if !id.is_rude() {
                return Ok(id);
            }
        }
    }

    fn of_number(mut number: u128) -> Self {
        let mut text = String::with_capacity(LETTER_COUNT + DIGIT_COUNT);
        let mut draw = |alphabet: &[u8]| {
            let count = alphabet.len() as u128;
            let drawn = alphabet.get((number % count) as usize).copied();
            number /= count;
            text.push(char::from(drawn.unwrap_or(b'A')));
        };
        (0..LETTER_COUNT).for_each(|_| draw(LETTERS));
        (0..DIGIT_COUNT).for_each(|_| draw(b"0123456789"));
        Self(text)
    }

    fn is_rude(&self) -> bool {
        RUDE.iter().any(|word| self.0.contains(word))
    }
}

/// Whether it is a hyphen, a dash or a minus sign.
/// Source: Dash of the Unicode Character Database, those that keyboards, messengers and word processors write.
fn is_dash(c: char) -> bool {
    matches!(
        c,
        '-' | '_' | '\u{2010}'
            ..='\u{2015}' | '\u{2043}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}'
    )
}

/// Whether it is a character that shows nothing, and that copying puts into texts.
pub fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// The characters of a text without hyphens, blanks and what shows nothing.
pub fn bare(text: &str) -> impl Iterator<Item = char> {
    text.chars()
        .filter(|c| !is_dash(*c) && !c.is_whitespace() && !is_invisible(*c))
}

impl fmt::Display for ShortId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [self.0.get(..3), self.0.get(3..6), self.0.get(6..)];
        let [first, second, digits] = parts.map(Option::unwrap_or_default);
        write!(f, "{first}-{second}-{digits}")
    }
}

impl TryFrom<String> for ShortId {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).map_err(|rule| rule.to_string())
    }
}

impl From<ShortId> for String {
    fn from(id: ShortId) -> Self {
        id.to_string()
    }
}

/// In keys in lower case, without hyphens.
impl Segment for ShortId {
    fn text(&self) -> Cow<'_, str> {
        Cow::Owned(self.0.to_ascii_lowercase())
    }
}

impl Scalar for ShortId {
    type As = String;

    fn read(given: String) -> Result<Self, Rule> {
        Self::parse(&given)
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

/// That a short id was given to a shareable: `short_id#abcdef12345` / `01#`. It stays when the shareable goes, so that
/// the id is never given again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IssuedShortId {
    /// The short id.
    pub short_id: ShortId,
}

impl Entity for IssuedShortId {
    const TABLE: &'static TableDefinition = &TABLE;
    const KIND: &'static str = "short_id";
    type Id = ShortId;

    fn key_of(id: &ShortId) -> Key {
        Key::new(Pk::of("short_id", id), Sk::word("01").closed())
    }

    fn identity(&self) -> ShortId {
        self.short_id.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_id_is_read_in_any_form_and_shown_in_one() {
        for text in [
            "ABC-DEF-12345",
            "abcdef12345",
            " abc def 12345 ",
            "ABC\u{2013}DEF\u{2011}12345\n",
            "\u{202a}ABC-DEF-12345\u{202c}",
        ] {
            let id = ShortId::parse(text).unwrap();
            assert_eq!(id.to_string(), "ABC-DEF-12345");
            assert_eq!(id.text(), "abcdef12345");
        }
        for text in [
            "",
            "ABC-DEF-1234",
            "ABC-DEF-123456",
            "ABC-DE1-12345",
            "ÄBC-DEF-12345",
        ] {
            assert!(ShortId::parse(text).is_err(), "{text}");
        }
        assert!(ShortId::parse(&"A".repeat(1_000_000)).is_err());
    }

    #[test]
    fn random_short_ids_have_no_ambiguous_letters_and_no_rude_words() {
        for _ in 0..2_000 {
            let id = ShortId::random().unwrap();
            assert_eq!(ShortId::parse(&id.to_string()).as_ref(), Ok(&id));
            assert!(!id.0.contains(['I', 'L', 'O']), "{id}");
            assert!(!id.is_rude(), "{id}");
        }
        assert!(ShortId::parse("XFU-KXX-00000").unwrap().is_rude());
        assert_ne!(ShortId::of_number(1), ShortId::of_number(2));
    }
}
