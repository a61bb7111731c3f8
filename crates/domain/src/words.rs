//! Enums: the stored words, the GraphQL values and their descriptions from one list.

/// Declares enums by their values, each with its description and its stored word.
#[macro_export]
macro_rules! string_enum {
    ($($(#[$doc:meta])* $type:ident { $($(#[$value_doc:meta])* $value:ident = $word:literal,)+ })+) => {$(
        #[derive(async_graphql::Enum, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $(#[$doc])*
        pub enum $type {
            $($(#[$value_doc])* $value,)+
        }

        impl $type {
            /// All values, in order.
            pub const ALL: &'static [Self] = &[$($type::$value,)+];

            /// The stored word.
            pub const fn word(self) -> &'static str {
                match self {
                    $($type::$value => $word,)+
                }
            }

            /// The value of a stored word.
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.word() == word)
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.word())
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let word = String::deserialize(from)?;
                Self::from_word(&word)
                    .ok_or_else(|| serde::de::Error::unknown_variant(&word, &[$($word,)+]))
            }
        }

        impl $crate::Segment for $type {
            fn text(&self) -> std::borrow::Cow<'_, str> {
                std::borrow::Cow::Borrowed(self.word())
            }
        }
    )+};
}
