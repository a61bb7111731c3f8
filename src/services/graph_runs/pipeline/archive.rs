//! The Terraform files in an archive. What does not belong to a configuration is passed over without being unpacked; what
//! is unpacked is bounded.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read};

use super::unusable::Unusable;

/// The most entries of an archive, and the most Terraform files among them.
const MAX_ENTRIES: usize = 20_000;
const MAX_FILES: usize = 2_000;
/// The most bytes of all Terraform files, unpacked.
pub const MAX_BYTES: u64 = 32 * 1024 * 1024;
/// The most bytes of a tar archive, unpacked: it has to be read through.
const MAX_STREAM: u64 = 256 * 1024 * 1024;
/// How many times larger the files may be than the archive: text packs about tenfold.
const MAX_RATIO: u64 = 200;

/// Files by their paths: `modules/network/main.tf`.
pub type Files = BTreeMap<String, Vec<u8>>;

/// The files in a zip archive.
///
/// # Errors
/// It is not one, or exceeds a limit, or leaves its folder.
pub fn unzip(archive: &[u8]) -> Result<Files, Unusable> {
    let broken =
        |error: zip::result::ZipError| Unusable(format!("The file is not a zip archive: {error}."));
    let mut opened = zip::ZipArchive::new(Cursor::new(archive)).map_err(broken)?;
    if opened.len() > MAX_ENTRIES {
        return Err(too_many_entries());
    }
    if let Some(name) = repeated(archive, opened.central_directory_start()) {
        return Err(twice(&name));
    }
    let mut files = Collected::of(archive);
    for place in 0..opened.len() {
        let entry = opened.by_index(place).map_err(broken)?;
        let name = entry.name().map_err(broken)?.into_owned();
        if entry.is_symlink() && files.wants(&name)? {
            return Err(link(&name));
        }
        if entry.is_file() && files.wants(&name)? {
            files.add(&name, entry)?;
        }
    }
    Ok(files.files)
}

/// The files in a gzipped tar archive.
///
/// # Errors
/// As [`unzip`].
pub fn untar(archive: &[u8]) -> Result<Files, Unusable> {
    let broken =
        |error: io::Error| Unusable(format!("The file is not a gzipped tar archive: {error}."));
    let stream = flate2::read::MultiGzDecoder::new(archive).take(MAX_STREAM);
    let mut opened = tar::Archive::new(stream);
    let mut files = Collected::of(archive);
    for (place, entry) in opened.entries().map_err(broken)?.enumerate() {
        if place >= MAX_ENTRIES {
            return Err(too_many_entries());
        }
        let entry = entry.map_err(broken)?;
        let name = entry.path().map_err(broken)?.to_string_lossy().into_owned();
        let kind = entry.header().entry_type();
        if (kind.is_symlink() || kind.is_hard_link()) && files.wants(&name)? {
            return Err(link(&name));
        }
        if kind.is_file() && files.wants(&name)? {
            files.add(&name, entry)?;
        }
    }
    Ok(files.files)
}

/// A name that two entries of a zip archive have. Its reader would keep one of them.
/// Source: "4.3.12 Central directory structure", APPNOTE.TXT of PKWARE.
fn repeated(archive: &[u8], start: u64) -> Option<String> {
    let mut rest = archive.get(usize::try_from(start).ok()?..)?;
    let mut seen = std::collections::HashSet::new();
    while rest.starts_with(b"PK\x01\x02") {
        let length = |at: usize| {
            let bytes = rest.get(at..at + 2)?;
            Some(usize::from(u16::from_le_bytes(bytes.try_into().ok()?)))
        };
        let (name, extra, comment) = (length(28)?, length(30)?, length(32)?);
        let bytes = rest.get(46..46 + name)?;
        if !seen.insert(bytes) {
            return Some(String::from_utf8_lossy(bytes).into_owned());
        }
        rest = rest.get(46 + name + extra + comment..)?;
    }
    None
}

fn twice(name: &str) -> Unusable {
    let name: String = name.chars().take(200).collect();
    Unusable(format!("The archive has {name:?} twice."))
}

fn link(name: &str) -> Unusable {
    let name: String = name.chars().take(200).collect();
    Unusable(format!(
        "In the archive, {name:?} is a link, which is not followed. Put the file in its place."
    ))
}

fn too_many_entries() -> Unusable {
    Unusable(format!("The archive has more than {MAX_ENTRIES} entries."))
}

struct Collected {
    files: Files,
    left: u64,
}

impl Collected {
    fn of(archive: &[u8]) -> Self {
        let packed = (archive.len() as u64).max(1024);
        Self {
            files: Files::new(),
            left: MAX_BYTES.min(packed.saturating_mul(MAX_RATIO)),
        }
    }

    /// Whether a file belongs to a configuration.
    fn wants(&self, name: &str) -> Result<bool, Unusable> {
        let leaves = name.split(['/', '\\']).any(|part| part == "..");
        if leaves || name.starts_with(['/', '\\']) || name.contains([':', '\0']) {
            let name: String = name.chars().take(200).collect();
            return Err(Unusable(format!(
                "The archive has a path outside of its folder: {name:?}."
            )));
        }
        let name = plain(name);
        let is_hidden = name.split('/').any(|part| part.starts_with('.'));
        Ok(!is_hidden && is_terraform(&name))
    }

    fn add(&mut self, name: &str, mut entry: impl Read) -> Result<(), Unusable> {
        let name = plain(name);
        let mut bytes = Vec::new();
        let read = entry.by_ref().take(self.left + 1).read_to_end(&mut bytes);
        read.map_err(|error| Unusable(format!("The archive is damaged at {name:?}: {error}.")))?;
        let read = bytes.len() as u64;
        if read > self.left {
            return Err(Unusable(format!(
                "The archive's Terraform files have more than {MAX_BYTES} bytes, or are more than {MAX_RATIO} times as large \
                 as the archive."
            )));
        }
        self.left -= read;
        if self.files.len() >= MAX_FILES {
            return Err(Unusable(format!(
                "The archive has more than {MAX_FILES} Terraform files."
            )));
        }
        if self.files.insert(name.clone(), bytes).is_some() {
            return Err(twice(&name));
        }
        Ok(())
    }
}

/// A path without `./` at its start.
fn plain(name: &str) -> String {
    let parts = name
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".");
    parts.collect::<Vec<_>>().join("/")
}

/// Whether a file is a part of a Terraform configuration by its name.
pub fn is_terraform(name: &str) -> bool {
    [".tf", ".tf.json", ".tfvars", ".tfvars.json"]
        .iter()
        .any(|ending| name.ends_with(ending))
}
