//! The files of an application: what they may be, and what is stored of them. Their bytes are in an object store.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use trestle_domain::Text;

use super::Timestamp;

trestle_domain::string_enum! {
    /// What a file of an application is.
    ApplicationFileKind {
        /// A resume.
        Resume = "resume",
        /// A cover letter.
        CoverLetter = "cover-letter",
        /// An offer.
        Offer = "offer",
        /// Anything else.
        Other = "other",
    }
}

/// The most bytes of a file: 10 MB.
pub const MAX_FILE: i32 = 10 * 1024 * 1024;

/// The media types of files, each with the extension of its objects.
const TYPES: [(&str, &str); 10] = [
    ("application/pdf", "pdf"),
    ("application/msword", "doc"),
    (
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "docx",
    ),
    ("application/vnd.oasis.opendocument.text", "odt"),
    ("application/rtf", "rtf"),
    ("text/plain", "txt"),
    ("text/markdown", "md"),
    ("image/png", "png"),
    ("image/jpeg", "jpg"),
    ("image/webp", "webp"),
];

/// A media type that a file may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileType(&'static (&'static str, &'static str));

impl FileType {
    /// The type with this name, if files may have it.
    pub fn named(name: &str) -> Option<Self> {
        let mut types = TYPES.iter();
        types.find(|(known, _)| *known == name).map(Self)
    }

    /// Its name: `application/pdf`.
    pub fn name(self) -> &'static str {
        self.0.0
    }
}

/// A file on its way, as clients name it: `<uuid>.pdf`. The file gets its UUID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UploadName {
    /// The UUID.
    pub id: Uuid,
    /// The type of the file.
    pub of: FileType,
}

impl UploadName {
    /// The name in a text, if it is one.
    pub fn parse(text: &str) -> Option<Self> {
        let (id, extension) = text.split_once('.')?;
        let mut types = TYPES.iter();
        let of = types.find(|(_, known)| *known == extension).map(FileType)?;
        let id = Uuid::try_parse(id).ok()?;
        let name = Self { id, of };
        (name.to_string() == text).then_some(name)
    }
}

impl std::fmt::Display for UploadName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.id.hyphenated(), self.of.0.1)
    }
}

/// What a file is called.
pub type FileName = Text<1, 200>;

/// A file of an application.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttachedFile {
    /// The id, unique within the application.
    pub id: Uuid,
    /// What it is called.
    pub name: FileName,
    /// What it is.
    pub kind: ApplicationFileKind,
    /// Its media type.
    pub content_type: String,
    /// Its number of bytes.
    pub bytes: i32,
    /// When it was added.
    pub added_at: Timestamp,
    /// The key of its object.
    pub key: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upload_has_one_name() {
        let id = Uuid::nil();
        for (content_type, extension) in TYPES {
            let name = UploadName {
                id,
                of: FileType::named(content_type).unwrap(),
            };
            let text = format!("00000000-0000-0000-0000-000000000000.{extension}");
            assert_eq!(name.to_string(), text);
            assert_eq!(UploadName::parse(&text), Some(name));
        }
        for odd in [
            "",
            "x.pdf",
            "00000000-0000-0000-0000-000000000000",
            "00000000-0000-0000-0000-000000000000.exe",
            "00000000000000000000000000000000.pdf",
            "00000000-0000-0000-0000-000000000000.pdf/..",
        ] {
            assert_eq!(UploadName::parse(odd), None, "{odd}");
        }
    }
}
