//! The Terraform files in an archive. What does not belong to a configuration is passed over without being unpacked; what
//! is unpacked is bounded.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Cursor, Read};

use super::names::{is_hidden, is_terraform};
use super::text::Gap;
use super::texts::{Texts, is_text};
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
/// The longest path that a link leads to.
const MAX_LINK: u64 = 4096;
/// How many links may lead to each other.
const MAX_LINKS: usize = 16;

/// The files in a zip archive.
///
/// # Errors
/// It is not one, or exceeds a limit, or leaves its folder.
pub fn unzip(archive: &[u8]) -> Result<Files, Unusable> {
    let mut opened = zip::ZipArchive::new(Cursor::new(archive)).map_err(not_zip)?;
    if opened.len() > MAX_ENTRIES {
        return Err(too_many_entries());
    }
    if let Some(name) = repeated(archive, opened.central_directory_start()) {
        return Err(twice(&name));
    }
    let mut files = Collected::of(archive);
    for place in 0..opened.len() {
        let mut entry = opened.by_index(place).map_err(not_zip)?;
        let name = entry.name().map_err(not_zip)?.into_owned();
        if entry.is_symlink() && files.wants(&name)? {
            let mut to = String::new();
            // One that is not text leads nowhere.
            let _ = entry.by_ref().take(MAX_LINK).read_to_string(&mut to);
            files.link(&name, to)?;
            continue;
        }
        let is_text = !entry.is_dir() && files.names_text(&name);
        if entry.is_file() && files.wants(&name)? {
            files.add(&name, entry)?;
        } else if entry.is_file() && is_text {
            files.add_text(&name, entry)?;
        }
    }
    files.followed()
}

/// The files in a gzipped tar archive.
///
/// # Errors
/// As [`unzip`].
pub fn untar(archive: &[u8]) -> Result<Files, Unusable> {
    // A small archive may unpack to any size.
    let stream = flate2::read::MultiGzDecoder::new(archive).take(MAX_STREAM);
    let mut opened = tar::Archive::new(stream);
    let mut files = Collected::of(archive);
    for (place, entry) in opened.entries().map_err(not_tar)?.enumerate() {
        if place >= MAX_ENTRIES {
            return Err(too_many_entries());
        }
        let entry = entry.map_err(not_tar)?;
        let name = entry
            .path()
            .map_err(not_tar)?
            .to_string_lossy()
            .into_owned();
        let kind = entry.header().entry_type();
        if (kind.is_symlink() || kind.is_hard_link()) && files.wants(&name)? {
            let to = entry.link_name().map_err(not_tar)?.unwrap_or_default();
            let to = to.to_string_lossy().into_owned();
            // A hard link names its file from the top.
            let to = if kind.is_hard_link() {
                format!("/{to}")
            } else {
                to
            };
            files.link(&name, to)?;
            continue;
        }
        let is_text = !kind.is_dir() && files.names_text(&name);
        if kind.is_file() && files.wants(&name)? {
            files.add(&name, entry)?;
        } else if kind.is_file() && is_text {
            files.add_text(&name, entry)?;
        }
    }
    files.followed()
}

fn not_zip(error: zip::result::ZipError) -> Unusable {
    Unusable(format!("The file is not a zip archive: {error}."))
}

fn not_tar(error: io::Error) -> Unusable {
    Unusable(format!("The file is not a gzipped tar archive: {error}."))
}

/// The length at a place of a header, which has two bytes, the low one first.
fn length_at(header: &[u8], place: usize) -> Option<usize> {
    let bytes = header.get(place..place + 2)?;
    Some(usize::from(u16::from_le_bytes(bytes.try_into().ok()?)))
}

/// A name that two entries of a zip archive have. Its reader would keep one of them.
/// Source: "4.3.12 Central directory structure", APPNOTE.TXT of PKWARE.
fn repeated(archive: &[u8], start: u64) -> Option<String> {
    let mut rest = archive.get(usize::try_from(start).ok()?..)?;
    let mut seen = std::collections::HashSet::new();
    while rest.starts_with(b"PK\x01\x02") {
        let name = length_at(rest, 28)?;
        let extra = length_at(rest, 30)?;
        let comment = length_at(rest, 32)?;
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

fn too_many_entries() -> Unusable {
    Unusable(format!("The archive has more than {MAX_ENTRIES} entries."))
}

fn too_many_files() -> Unusable {
    Unusable(format!(
        "The archive has more than {MAX_FILES} Terraform files."
    ))
}

fn too_large() -> Unusable {
    Unusable(format!(
        "The archive's Terraform files have more than {MAX_BYTES} bytes, or are more than {MAX_RATIO} times as large as \
         the archive."
    ))
}

/// A path without `.` and `..`.
fn resolved(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty()) {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

struct Collected {
    files: Files,
    texts: Texts,
    /// The names of entries that `file` and `templatefile` may read.
    named: BTreeSet<String>,
    links: BTreeMap<String, String>,
    left: u64,
}

impl Collected {
    fn of(archive: &[u8]) -> Self {
        let packed = (archive.len() as u64).max(1024);
        Self {
            files: Files::new(),
            texts: Texts::default(),
            named: BTreeSet::new(),
            links: BTreeMap::new(),
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
        Ok(!is_hidden(&name) && is_terraform(&name))
    }

    /// Notes a link; `to` begins with `/` if it is from the top of the archive.
    fn link(&mut self, name: &str, to: String) -> Result<(), Unusable> {
        let name = plain(name);
        if self.links.len() >= MAX_FILES {
            return Err(too_many_files());
        }
        if self.links.insert(name.clone(), to).is_some() || self.files.contains_key(&name) {
            Err(twice(&name))
        } else {
            Ok(())
        }
    }

    /// The files, with what links lead to in their places. A link out of the archive is left as one.
    fn followed(mut self) -> Result<Files, Unusable> {
        for name in self.links.keys() {
            let mut at = name.clone();
            for _ in 0..MAX_LINKS {
                let Some(to) = self.links.get(&at) else { break };
                let folder = at.rsplit_once('/').map_or("", |(folder, _)| folder);
                let whole = match to.strip_prefix('/') {
                    Some(to) => to.to_owned(),
                    None => format!("{folder}/{to}"),
                };
                at = resolved(&whole);
            }
            let bytes = match self.files.get(&at) {
                Some(bytes) => bytes.clone(),
                None => Gap::LinkOut.mark(),
            };
            let bytes_left = self.left.checked_sub(bytes.len() as u64);
            self.left = bytes_left.ok_or_else(too_large)?;
            if self.files.insert(name.clone(), bytes).is_some() {
                return Err(twice(name));
            }
        }
        self.files.extend(self.texts.take());
        Ok(self.files)
    }

    /// Whether an entry is to be read for `file` and `templatefile`. The text of a name that two entries have is not known.
    fn names_text(&mut self, name: &str) -> bool {
        let name = plain(name);
        if !is_text(&name) {
            return false;
        }
        let is_new = self.named.insert(name.clone());
        if !is_new {
            self.texts.forget(&name);
        }
        is_new && self.texts.has_room()
    }

    fn add_text(&mut self, name: &str, entry: impl Read) -> Result<(), Unusable> {
        let name = plain(name);
        let read = self.texts.add(&name, entry);
        read.map_err(|error| Unusable(format!("The archive is damaged at {name:?}: {error}.")))
    }

    fn add(&mut self, name: &str, mut entry: impl Read) -> Result<(), Unusable> {
        let name = plain(name);
        let mut bytes = Vec::new();
        let read = entry.by_ref().take(self.left + 1).read_to_end(&mut bytes);
        read.map_err(|error| Unusable(format!("The archive is damaged at {name:?}: {error}.")))?;
        let read = bytes.len() as u64;
        if read > self.left {
            return Err(too_large());
        }
        self.left -= read;
        if self.files.len() >= MAX_FILES {
            return Err(too_many_files());
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
