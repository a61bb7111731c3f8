//! What a signed URL allows.

use http::Method;

use trestle_domain::escaped;

/// What an upload must be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Upload {
    /// The most bytes. S3 does not enforce it: check the size before you read the object.
    pub max_bytes: u64,
    /// The `content-type` that the client must send, if it is fixed.
    pub content_type: Option<String>,
    /// The exact number of bytes, if known. S3 does not enforce it.
    pub bytes: Option<u64>,
    /// SHA-256 of the bytes, if known.
    pub sha256: Option<[u8; 32]>,
}

/// How a download is answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Download {
    /// The name that a browser saves the file under.
    pub name: Option<String>,
    /// The `content-type` of the answer. Defaults to the stored one, or to one by the key's extension.
    pub content_type: Option<String>,
    /// The subject that the URL is signed for. Whoever has the URL can use it; the subject shows whose it was.
    pub reader: Option<String>,
}

/// What a signed URL of this server allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Grant {
    /// The object.
    pub key: String,
    /// Putting it or getting it.
    pub access: Access,
}

/// The method of a signed URL, and its conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Put(Upload),
    Get(Download),
}

impl Access {
    /// The HTTP method.
    pub fn method(&self) -> Method {
        match self {
            Access::Put(_) => Method::PUT,
            Access::Get(_) => Method::GET,
        }
    }
}

/// Media types that a browser may show: they run no scripts of this origin.
const SHOWN: [&str; 4] = ["image/png", "image/jpeg", "image/webp", "application/pdf"];

/// `content-disposition` of a download: only images and PDF, by the type that the service sets, are shown; nothing else
/// is ever shown as a page of this origin.
/// Source: RFC 6266, RFC 8187.
pub(super) fn disposition(name: Option<&str>, content_type: Option<&str>) -> String {
    let is_shown = content_type.is_some_and(|content_type| SHOWN.contains(&content_type));
    let kind = if is_shown { "inline" } else { "attachment" };
    let Some(name) = name else {
        return kind.to_owned();
    };
    let plain: String = name
        .chars()
        .map(|c| match c {
            '"' | '\\' | '/' => '_',
            ' '..='~' => c,
            _ => '_',
        })
        .collect();
    let mut text = format!("{kind}; filename=\"{plain}\"");
    if plain != name {
        text.push_str("; filename*=UTF-8''");
        text.push_str(&escaped(name, '%', b"._-"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_files_name_cannot_forge_a_header() {
        assert_eq!(disposition(None, None), "attachment");
        assert_eq!(
            disposition(Some("a.pdf"), Some("application/pdf")),
            "inline; filename=\"a.pdf\""
        );
        assert_eq!(
            disposition(Some("a.svg"), Some("image/svg+xml")),
            "attachment; filename=\"a.svg\""
        );
        assert_eq!(
            disposition(Some("graph.json"), None),
            "attachment; filename=\"graph.json\""
        );
        assert_eq!(
            disposition(Some("a\"\r\nb: c"), None),
            "attachment; filename=\"a___b: c\"; filename*=UTF-8''a%22%0D%0Ab%3A%20c"
        );
    }
}
