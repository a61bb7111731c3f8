//! Keys as types. Only this file writes the separator, so text from outside cannot forge a segment.

use trestle_domain::Segment;

const SEPARATOR: char = '#';

fn push(key: &mut String, segment: &impl Segment) {
    if !key.is_empty() {
        key.push(SEPARATOR);
    }
    for c in segment.text().chars() {
        match c {
            SEPARATOR => key.push_str("%23"),
            '%' => key.push_str("%25"),
            c => key.push(c),
        }
    }
}

/// The segments of a stored key, decoded: what its builder was given.
pub fn segments(key: &str) -> Vec<String> {
    key.split(SEPARATOR)
        .map(|s| s.replace("%23", "#").replace("%25", "%"))
        .collect()
}

/// The first segment of a stored key, and all that follows its separator, as they are stored.
pub fn split_first(key: &str) -> Option<(&str, &str)> {
    key.split_once(SEPARATOR)
}

/// The segments of a stored key, as they are stored.
pub(super) fn split(key: &str) -> impl Iterator<Item = &str> {
    key.split(SEPARATOR)
}

/// The stored key of these segments, as they are stored.
pub(super) fn joined(segments: &[String]) -> String {
    segments.join("#")
}

macro_rules! key_part {
    ($(#[$doc:meta])* $type:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $type(String);

        impl $type {
            /// A key of one fixed word: `META`.
            pub fn word(word: &'static str) -> Self {
                let mut key = String::with_capacity(word.len());
                push(&mut key, &word);
                Self(key)
            }

            /// A fixed word and a value: `APP#<id>`.
            pub fn of(word: &'static str, value: impl Segment) -> Self {
                Self::word(word).then(value)
            }

            /// A value without a word before it: `<createdAt>#<roleId>` begins so.
            pub fn value(value: impl Segment) -> Self {
                Self(String::new()).then(value)
            }

            /// One more value.
            pub fn then(mut self, value: impl Segment) -> Self {
                push(&mut self.0, &value);
                self
            }

            /// A last value exactly as it is stored. Another program may have written separators into it, so nothing
            /// may follow it.
            pub fn ending(mut self, text: &str) -> Self {
                self.0.push(SEPARATOR);
                self.0.push_str(text);
                self
            }

            /// What `key` has after this key and a separator, as it is stored: the opposite of `ending`.
            pub fn ending_of<'k>(&self, key: &'k str) -> Option<&'k str> {
                key.strip_prefix(self.as_str())?.strip_prefix(SEPARATOR)
            }

            /// The same with a separator at its end, as some tables write their keys: `01#`.
            pub fn closed(mut self) -> Self {
                self.0.push(SEPARATOR);
                self
            }

            /// The key as it is stored.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// A key as it was read from an item.
            pub fn stored(text: impl Into<String>) -> Self {
                Self(text.into())
            }
        }
    };
}

key_part!(
    /// A partition key's value.
    Pk
);
key_part!(
    /// A sort key's value.
    Sk
);

/// What a range of sort keys begins with, the separator included: `HIST#` does not match `HISTORY#1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkPrefix(String);

impl SkPrefix {
    /// Every sort key that [`Sk::of`] makes with `word`.
    pub fn of(word: &'static str) -> Self {
        Sk::word(word).below()
    }

    /// The prefix as `begins_with` takes it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Sk {
    /// Every sort key that continues this one with another segment: `STATUS#PENDING#`.
    pub fn below(self) -> SkPrefix {
        SkPrefix(self.closed().0)
    }

    /// Every sort key whose next value begins so: `j#2023`.
    pub fn beginning(self, text: impl Segment) -> SkPrefix {
        SkPrefix(self.then(text).0)
    }

    /// The last sort key that begins with this one: the upper end of a range that has all of them.
    pub fn to_the_last(self) -> Self {
        // No value begins with a character as high as this.
        self.then("\u{10FFFF}")
    }
}

/// A primary key, or an index's.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// The partition key's value.
    pub pk: Pk,
    /// The sort key's value.
    pub sk: Sk,
}

impl Key {
    /// A key of its two parts.
    pub fn new(pk: Pk, sk: Sk) -> Self {
        Self { pk, sk }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn keys_read_like_the_contract() {
        let id = uuid::Uuid::nil();
        assert_eq!(
            Pk::of("APP", id).as_str(),
            "APP#00000000-0000-0000-0000-000000000000"
        );
        assert_eq!(
            Pk::of("STATUS", "given offer")
                .then("ARCHIVED")
                .then("0")
                .as_str(),
            "STATUS#given offer#ARCHIVED#0"
        );
        assert_eq!(SkPrefix::of("HIST").as_str(), "HIST#");
    }

    proptest! {
        #[test]
        fn no_text_forges_a_segment(texts in prop::collection::vec(".*", 1..5)) {
            let key = texts.iter().fold(Pk::word("W"), |key, text| key.then(text.as_str()));
            let read = segments(key.as_str());
            prop_assert_eq!(&read[0], "W");
            prop_assert_eq!(&read[1..], texts.as_slice());
        }

        #[test]
        fn an_ending_is_read_as_it_was_written(text in "[a#%0-9]{0,6}", other in "[a#%0-9]{0,6}") {
            let key = Pk::of("W", other.as_str()).ending(&text);
            prop_assert_eq!(Pk::of("W", other.as_str()).ending_of(key.as_str()), Some(text.as_str()));
        }

        #[test]
        fn different_texts_make_different_keys(a in "[a#%0-9]{0,6}", b in "[a#%0-9]{0,6}") {
            let (x, y) = (Sk::of("W", a.as_str()), Sk::of("W", b.as_str()));
            prop_assert_eq!(a == b, x == y);
        }
    }
}
