//! Files that `file` and `templatefile` may read: a few, and small. One that is left out is not known.

use std::collections::BTreeMap;
use std::io::{self, Read};

/// How the names of files end that configurations read.
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
/// The folder of packages of JavaScript, which has many such files that no configuration reads.
const PACKAGES: &str = "node_modules";
/// The most files, the most bytes of one, and of all.
const MAX_FILES: usize = 1_000;
const MAX_BYTES: u64 = 256 * 1024;
const MAX_ALL: u64 = 4 * 1024 * 1024;

/// Whether a file is one of these by its name. Those of packages of JavaScript are none.
pub fn is_text(name: &str) -> bool {
    let is_passed_over = |part: &str| part.starts_with('.') && part != ".." || part == PACKAGES;
    ENDINGS.iter().any(|ending| name.ends_with(ending)) && !name.split('/').any(is_passed_over)
}

/// The files so far.
#[derive(Debug, Default)]
pub struct Texts {
    files: BTreeMap<String, Vec<u8>>,
    /// How many there were.
    pub count: usize,
    bytes: u64,
}

impl Texts {
    /// Whether another file is read.
    pub fn has_room(&self) -> bool {
        self.count < MAX_FILES && self.bytes < MAX_ALL
    }

    /// Reads a file, and leaves it out if it is too long.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn add(&mut self, name: &str, file: impl Read) -> io::Result<()> {
        let mut bytes = Vec::new();
        let most = MAX_BYTES.min(MAX_ALL - self.bytes);
        file.take(most + 1).read_to_end(&mut bytes)?;
        let length = bytes.len() as u64;
        if length <= most {
            self.bytes += length;
            self.count += 1;
            self.files.insert(name.to_owned(), bytes);
        }
        Ok(())
    }

    /// Leaves out a file that was read: it is not known which of its name counts.
    pub fn forget(&mut self, name: &str) {
        self.files.remove(name);
    }

    /// The files that have been read since the last time, by their paths.
    pub fn take(&mut self) -> BTreeMap<String, Vec<u8>> {
        std::mem::take(&mut self.files)
    }
}
