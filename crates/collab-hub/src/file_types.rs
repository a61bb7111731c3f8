//! The types of files that can be uploaded, and what files are called when they are saved.

/// The types of files, with their extensions. Each purpose of an upload allows some of them.
pub const TYPES: [(&str, &str); 5] = [
    ("image/png", ".png"),
    ("image/jpeg", ".jpg"),
    ("image/webp", ".webp"),
    ("application/pdf", ".pdf"),
    // Exports.
    ("application/json", ".json"),
];

/// The media type of the file with a key, and the name that it is saved under.
pub fn described(key: &str) -> Option<(&'static str, String)> {
    let (content_type, extension) = TYPES
        .iter()
        .find(|(_, extension)| key.ends_with(extension))?;
    let folder = key.split('/').next()?;
    let name = match folder {
        "avatars" => "avatar",
        "logos" => "logo",
        "pitch-decks" => "pitch-deck",
        "resumes" => "resume",
        "attachments" => "attachment",
        _ => "file",
    };
    Some((content_type, format!("{name}{extension}")))
}
