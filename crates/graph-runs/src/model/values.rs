//! Values that cannot be wrong: each is made by parsing.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use trestle_domain::string_enum;
use trestle_domain::{self as domain, Rule, hex, hex_32, is_text, stored_as_text};
use trestle_terraform::Format;

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
            Err(Rule::Invalid("a run's id, as `createRun` returns it"))
        }
    }
}

is_text!([] RunId);

/// Text of 1 to `MAX` characters without white space at its ends.
pub type Text<const MAX: usize> = domain::Text<1, MAX>;

/// A moment in whole seconds, as it stands in keys: `2026-02-22T19:12:11Z`.
pub type Timestamp = domain::Moment<domain::Seconds>;

/// SHA-256 of a graph's canonical JSON: `sha256:` and 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphHash(String);

impl GraphHash {
    const PREFIX: &str = "sha256:";

    /// The hash with these bytes.
    pub fn new(digest: &[u8]) -> Self {
        Self(format!("{}{}", Self::PREFIX, hex(digest)))
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

    /// A hash as another program may have stored it: also its beginning, followed by three dots.
    ///
    /// # Errors
    /// [`Rule::Invalid`] for anything else.
    pub fn stored(text: &str) -> Result<Self, Rule> {
        let digits = text.strip_prefix(Self::PREFIX);
        let beginning = digits.and_then(|digits| digits.strip_suffix("..."));
        match beginning {
            Some(hex)
                if (1..64).contains(&hex.len()) && hex.bytes().all(|b| b.is_ascii_hexdigit()) =>
            {
                Ok(Self(text.to_owned()))
            }
            _ => Self::parse(text),
        }
    }
}

is_text!([] GraphHash);

/// A SHA-256, stored as 64 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// A digest from outside, in base64 or hexadecimal.
    ///
    /// # Errors
    /// [`Rule::Invalid`] for anything else.
    pub fn parse(text: &str) -> Result<Self, Rule> {
        const FORM: Rule = Rule::Invalid("a SHA-256 in base64 or 64 hexadecimal digits");
        if let Some(bytes) = hex_32(text) {
            return Ok(Self(bytes));
        }
        let bytes = STANDARD.decode(text).map_err(|_| FORM)?;
        bytes.try_into().map(Self).map_err(|_| FORM)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

stored_as_text!([] Digest);

string_enum! {
    /// How far a run is. It moves only down this list, and may fail before it is processed.
    #[graphql(name = "RunStatus")]
    Status {
        /// Created. Its file is uploaded, or about to be.
        Uploaded = "UPLOADED",
        /// The pipeline is processing the file, or about to.
        Processing = "PROCESSING",
        /// The graph is stored and verified. The run does not change any more.
        Complete = "COMPLETE",
        /// The run ended without a graph. It does not change any more.
        Failed = "FAILED",
    }

    /// The environment of the infrastructure.
    Environment {
        /// Development.
        Dev = "dev",
        /// Production.
        Prod = "prod",
    }

    /// The format of an uploaded file.
    IacFormat {
        /// A file in Terraform's JSON syntax: `main.tf.json`.
        Json = "json",
        /// A file in Terraform's own syntax: `main.tf`.
        Hcl = "hcl",
        /// A whole module in a zip archive: `.tf`, `.tf.json` and `.tfvars` files, and local modules in folders.
        Zip = "zip",
        /// A whole module in a gzipped tar archive.
        TarGz = "tar.gz",
        /// A plan, as `terraform show -json` prints it.
        Plan = "plan",
    }
}

impl From<IacFormat> for Format {
    fn from(format: IacFormat) -> Self {
        match format {
            IacFormat::Json => Format::Json,
            IacFormat::Hcl => Format::Hcl,
            IacFormat::Zip => Format::Zip,
            IacFormat::TarGz => Format::TarGz,
            IacFormat::Plan => Format::Plan,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_sort_as_text_and_parse_back() {
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
            Ok(hash.clone())
        );
        assert!(GraphHash::parse("sha256:12").is_err());
        for stored in ["sha256:abc123...", hash.as_str()] {
            assert_eq!(GraphHash::stored(stored).unwrap().as_str(), stored);
        }
        for wrong in ["sha256:...", "sha256:../a...", "sha256:12", "abc123..."] {
            assert!(GraphHash::stored(wrong).is_err(), "{wrong}");
        }
    }
}
