//! The text of a file, and what a file is instead of what it should be.

use std::borrow::Cow;
use std::io;

use serde::de::IgnoredAny;

use super::unusable::Unusable;

/// Why there is nothing to read where a file should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// A link out of an archive, or to another kind of file of it.
    LinkOut,
    /// A link to nothing.
    Dangling,
    /// A pipe, a device or a folder.
    NotAFile,
    Denied,
    TooLarge,
    /// The file system says that it cannot be read.
    Failed,
}

impl Gap {
    const ALL: [Self; 6] = [
        Self::LinkOut,
        Self::Dangling,
        Self::NotAFile,
        Self::Denied,
        Self::TooLarge,
        Self::Failed,
    ];

    /// What stands in the place of the file. No text has its first byte.
    pub fn mark(self) -> Vec<u8> {
        [&[0xFF], self.reason().as_bytes()].concat()
    }

    /// That of a mark. Only what we write is one, so that no reason shows what a file has.
    fn of(bytes: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|gap| gap.mark() == bytes)
    }

    pub fn of_error(error: &io::Error) -> Self {
        match error.kind() {
            // It was listed just now.
            io::ErrorKind::NotFound => Self::Dangling,
            io::ErrorKind::PermissionDenied => Self::Denied,
            _ => Self::Failed,
        }
    }

    fn reason(self) -> &'static str {
        match self {
            Self::LinkOut => {
                "is a link to what is not a Terraform file of the archive. Put the file in its place"
            }
            Self::Dangling => "is a link to a file that does not exist",
            Self::NotAFile => "is not a regular file",
            Self::Denied => "cannot be read: permission denied",
            Self::TooLarge => "has more than 32 MB",
            Self::Failed => "cannot be read",
        }
    }
}

/// The text that a program has printed into a file, which PowerShell writes as UTF-16.
///
/// # Errors
/// As [`text`].
pub fn text_of_program<'b>(what: &str, bytes: &'b [u8]) -> Result<Cow<'b, str>, Unusable> {
    let unit: fn([u8; 2]) -> u16 = match bytes {
        [0xFF, 0xFE, ..] => u16::from_le_bytes,
        [0xFE, 0xFF, ..] => u16::from_be_bytes,
        _ => return text(what, bytes).map(Cow::Borrowed),
    };
    let pairs = bytes.get(2..).unwrap_or_default().chunks(2);
    let units = pairs.map(|pair| match pair {
        [first, second] => unit([*first, *second]),
        _ => 0xFFFD,
    });
    let read: Result<String, _> = char::decode_utf16(units).collect();
    read.map(Cow::Owned)
        .map_err(|_| Unusable(format!("{what} is not text in UTF-16. Save it as UTF-8.")))
}

/// The text of a file, without a byte order mark.
///
/// # Errors
/// It is not text in UTF-8, and what to do about it.
pub fn text<'b>(file: &str, bytes: &'b [u8]) -> Result<&'b str, Unusable> {
    if let Some(gap) = Gap::of(bytes) {
        return Err(Unusable(format!("{file} {}.", gap.reason())));
    }
    let reason = match bytes {
        // Without a byte order mark, letters of ASCII with a zero byte each show it.
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] | [_, 0, _, 0, ..] | [0, _, 0, _, ..] => {
            "is text in UTF-16. Save it as UTF-8"
        }
        [b'P', b'K', 3, 4, ..] => {
            "is a zip archive. If it is a module, use the format ZIP. If it is a plan as `terraform plan -out` saves it, \
             use what `terraform show -json` prints of it, and the format PLAN"
        }
        [0x1F, 0x8B, ..] => "is a gzip archive. Use the format TAR_GZ",
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => return Ok(text.strip_prefix('\u{feff}').unwrap_or(text)),
            Err(_) => "is not text in UTF-8",
        },
    };
    Err(Unusable(format!("{file} {reason}.")))
}

/// What a JSON document is, if it is not a configuration, and what to do about it.
pub fn other_json(has: impl Fn(&str) -> bool) -> Option<&'static str> {
    if has("planned_values") || has("resource_changes") {
        Some("is a plan. Create the run with the format PLAN")
    } else if has("terraform_version") && (has("lineage") || has("values") || has("resources")) {
        Some("is a state file. Upload the configuration, or a plan with the format PLAN")
    } else {
        None
    }
}

/// What a file with JSON is that should have Terraform's own syntax, which begins with no brace.
pub fn json_instead(text: &str) -> Option<&'static str> {
    if !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    type Members = std::collections::BTreeMap<String, IgnoredAny>;
    match serde_json::from_str::<Members>(text) {
        Ok(members) => other_json(|name| members.contains_key(name))
            .or(Some("is JSON. Create the run with the format JSON")),
        Err(_) => None,
    }
}
