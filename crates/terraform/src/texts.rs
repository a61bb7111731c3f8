//! Files that `file` and `templatefile` may read: a limited number of small ones. The text of any other file is not known.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};

use super::names::{folder, path};

/// Endings of the names of these files.
const ENDINGS: [&str; 8] = [
    ".json",
    ".template",
    ".tftpl",
    ".tmpl",
    ".tpl",
    ".txt",
    ".yaml",
    ".yml",
];
/// The folder of JavaScript packages. It has many such files, and no configuration reads them.
const PACKAGES: &str = "node_modules";
/// What ends the known part of a path in a configuration.
const ENDS: [char; 5] = ['"', '$', '%', '\\', '\n'];
/// The most bytes of one file.
pub const MAX_BYTES: u64 = 256 * 1024;
/// The most files, and the most bytes of all files.
const MAX_FILES: usize = 1_000;
const MAX_ALL: u64 = 4 * 1024 * 1024;

/// Whether a file is one of these by its name.
pub fn is_text(name: &str) -> bool {
    ENDINGS.iter().any(|ending| name.ends_with(ending))
        && !name
            .split('/')
            .any(|part| part.starts_with('.') && part != ".." || part == PACKAGES)
}

/// The folders outside of the root that texts of a configuration may be in, by the paths that it names: those of files, and of
/// folders. Where the path of a root module counts, this takes that of the file.
pub fn folders_outside(file: &str, source: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let by_module = source.match_indices("${path.").filter_map(|(at, _)| {
        let (_, rest) = source.get(at..)?.split_once('}')?;
        rest.strip_prefix('/')
    });
    let by_quote = source.split('"').filter(|named| named.starts_with('.'));
    for named in by_module.chain(by_quote) {
        let end = named.find(ENDS).unwrap_or(named.len());
        let named = named.get(..end).unwrap_or_default();
        let path = path(folder(file), &format!("./{named}")).unwrap_or_default();
        let all = [folder(&path), path.as_str()].into_iter();
        found.extend(all.filter(|path| path.starts_with("..")).map(str::to_owned));
    }
    found
}

/// The files that have been read.
#[derive(Debug, Default)]
pub struct Texts {
    files: BTreeMap<String, Vec<u8>>,
    /// Number of files, with those that [`take`](Self::take) has taken.
    pub count: usize,
    bytes: u64,
}

impl Texts {
    pub fn has_room(&self) -> bool {
        self.count < MAX_FILES && self.bytes < MAX_ALL
    }

    /// Reads a file. One that is too large is left out.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn add(&mut self, name: &str, file: impl Read) -> io::Result<()> {
        let mut bytes = Vec::new();
        let most = MAX_BYTES.min(MAX_ALL - self.bytes);
        // One byte more than is allowed shows that the file is too large.
        file.take(most + 1).read_to_end(&mut bytes)?;
        let length = bytes.len() as u64;
        if length <= most {
            self.bytes += length;
            self.count += 1;
            self.files.insert(name.to_owned(), bytes);
        }
        Ok(())
    }

    /// Leaves out a file because there is another one with its name.
    pub fn forget(&mut self, name: &str) {
        self.files.remove(name);
    }

    /// Takes the files that have been read since the last call, by their paths.
    pub fn take(&mut self) -> BTreeMap<String, Vec<u8>> {
        std::mem::take(&mut self.files)
    }
}
