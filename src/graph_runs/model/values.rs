//! Values that cannot be wrong: each is made by parsing.

use std::fmt::{self, Write as _};

use chrono::{DateTime, SecondsFormat, Utc};

use super::Rule;

/// A run's id: 1 to 64 letters, digits, hyphens and underscores.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(String);

impl RunId {
    /// An id from outside.
    ///
    /// # Errors
    /// [`Rule::Invalid`] for anything else.
    pub fn parse(text: &str) -> Result<Self, Rule> {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if (1..=64).contains(&text.len()) && text.chars().all(fits) {
            Ok(Self(text.to_owned()))
        } else {
            Err(Rule::Invalid("a run's id, as `createRun` answers it"))
        }
    }

    /// The id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The subject whose runs these are: whatever text the identity provider has made up.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserId(String);

impl UserId {
    /// A user by their subject.
    pub fn new(subject: impl Into<String>) -> Self {
        Self(subject.into())
    }

    /// The subject.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Text of 1 to `MAX` characters without white space at its ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text<const MAX: usize>(String);

impl<const MAX: usize> Text<MAX> {
    /// Text from outside; white space at its ends goes.
    ///
    /// # Errors
    /// [`Rule::Required`] for blank text, [`Rule::TooLong`] for too much of it.
    pub fn parse(text: &str) -> Result<Self, Rule> {
        let text = text.trim();
        if text.is_empty() {
            Err(Rule::Required)
        } else if text.chars().count() > MAX {
            Err(Rule::TooLong(MAX))
        } else {
            Ok(Self(text.to_owned()))
        }
    }

    /// As much of `text` as fits: for what must be kept rather than refused.
    pub fn cut(text: &str) -> Option<Self> {
        let cut: String = text.trim().chars().take(MAX).collect();
        Self::parse(&cut).ok()
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A moment in whole seconds, as it stands in keys: `2026-02-22T19:12:11Z`. Its text sorts as time does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(DateTime<Utc>);

impl Timestamp {
    /// The second that a moment lies in.
    pub fn new(moment: DateTime<Utc>) -> Self {
        Self(DateTime::from_timestamp(moment.timestamp(), 0).unwrap_or(moment))
    }

    /// A moment from outside, with any offset; fractions of a second are dropped.
    ///
    /// # Errors
    /// [`Rule::Invalid`] unless it is RFC 3339, in the years 0 to 9999.
    pub fn parse(text: &str) -> Result<Self, Rule> {
        const FORM: Rule = Rule::Invalid("a moment such as 2026-02-22T19:12:11Z");
        let moment = DateTime::parse_from_rfc3339(text).map_err(|_| FORM)?;
        let moment = Self::new(moment.with_timezone(&Utc));
        // Another year has another length in text, and would not sort.
        (moment.to_string().len() == 20)
            .then_some(moment)
            .ok_or(FORM)
    }

    /// A moment of so many seconds after 1970.
    pub fn from_seconds(seconds: i64) -> Option<Self> {
        let moment = Self(DateTime::from_timestamp(seconds, 0)?);
        (moment.to_string().len() == 20).then_some(moment)
    }

    /// Seconds after 1970.
    pub fn seconds(self) -> i64 {
        self.0.timestamp()
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_rfc3339_opts(SecondsFormat::Secs, true))
    }
}

/// SHA-256 of a graph's canonical JSON: `sha256:` and 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphHash(String);

impl GraphHash {
    const PREFIX: &str = "sha256:";

    /// The hash with these bytes.
    pub fn new(digest: &[u8]) -> Self {
        Self(format!("{}{}", Self::PREFIX, hex_digest(digest)))
    }

    /// A hash from outside.
    ///
    /// # Errors
    /// [`Rule::Invalid`] for anything else.
    pub fn parse(text: &str) -> Result<Self, Rule> {
        let text = text.to_ascii_lowercase();
        match text.strip_prefix(Self::PREFIX) {
            Some(hex) if hex.len() == 64 && hex.bytes().all(|b| b.is_ascii_hexdigit()) => {
                Ok(Self(text))
            }
            _ => Err(Rule::Invalid("`sha256:` and 64 hexadecimal digits")),
        }
    }

    /// The hash.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Bytes in lower-case hexadecimal.
pub fn hex_digest(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
            // Writing to a String cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
}

macro_rules! words {
    ($(#[$doc:meta])* $type:ident { $($(#[$value_doc:meta])* $value:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $type {
            $($(#[$value_doc])* $value,)+
        }

        impl $type {
            /// The word as it is stored.
            pub fn word(self) -> &'static str {
                match self {
                    $($type::$value => $word,)+
                }
            }

            /// The value of a stored word.
            pub fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some($type::$value),)+
                    _ => None,
                }
            }
        }
    };
}

words!(
    /// Where a run stands.
    Status {
        /// Made; its file is uploaded, or about to be.
        Uploaded = "UPLOADED",
        /// The pipeline is at work.
        Processing = "PROCESSING",
        /// The graph is stored and verified.
        Complete = "COMPLETE",
        /// It ended without a graph.
        Failed = "FAILED",
    }
);

words!(
    /// Which environment the infrastructure is of.
    Environment {
        /// Development.
        Dev = "dev",
        /// Production.
        Prod = "prod",
    }
);

words!(
    /// The syntax of a Terraform file.
    IacFormat {
        /// Terraform's JSON syntax: `main.tf.json`.
        Json = "json",
        /// Terraform's own syntax, HCL: `main.tf`.
        Hcl = "hcl",
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_sorts_as_text_and_goes_round() {
        let early = Timestamp::parse("2026-02-22T20:12:11.9+01:00").unwrap();
        assert_eq!(early.to_string(), "2026-02-22T19:12:11Z");
        let late = Timestamp::parse("2026-11-01T00:00:00Z").unwrap();
        assert!(early < late && early.to_string() < late.to_string());
        assert_eq!(Timestamp::from_seconds(early.seconds()), Some(early));
        for wrong in [
            "2026-02-22",
            "2026-02-30T00:00:00Z",
            "",
            "-0001-01-01T00:00:00Z",
        ] {
            assert!(Timestamp::parse(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Timestamp::from_seconds(i64::MAX), None);
        assert_eq!(Timestamp::from_seconds(300_000_000_000), None);
    }

    #[test]
    fn ids_and_hashes_have_a_form() {
        assert!(RunId::parse("c8a91e").is_ok());
        for wrong in ["", "a/b", "a#b", "ä", &"a".repeat(65)] {
            assert!(RunId::parse(wrong).is_err(), "{wrong}");
        }
        let hash = GraphHash::new(&[0xAB; 32]);
        assert_eq!(
            GraphHash::parse(&hash.as_str().to_uppercase().replace("SHA256", "sha256")),
            Ok(hash)
        );
        assert!(GraphHash::parse("sha256:12").is_err());
    }
}
