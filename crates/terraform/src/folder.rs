//! The modules in a folder of this machine.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use super::archive::{Files, MAX_BYTES};
use super::format::is_configuration;
use super::module::Modules;
use super::names::{self, is_hidden, is_terraform, join};
use super::options::Options;
use super::text::Gap;
use super::texts::{Texts, folders_outside, is_text};
use super::unusable::Unusable;

/// The most Terraform files that are read.
pub const MAX_FILES: usize = 10_000;

/// The modules below a folder, and those outside of it that they call: `../modules/network`.
///
/// # Errors
/// The folder cannot be read or has no Terraform, or there are too many or too large files.
pub fn in_folder(root: &Path, options: &Options) -> Result<Modules, Unusable> {
    let mut files = Files::new();
    let mut texts = Texts::default();
    let mut found = Vec::new();
    let mut left = MAX_BYTES;
    let mut folders = vec![String::new()];
    let mut seen = BTreeSet::new();
    let mut named = BTreeSet::new();
    loop {
        while let Some(folder) = folders.pop() {
            // Below the root every folder may be a module; elsewhere only what is called.
            let is_below = !folder.starts_with("..");
            // Only Terraform files count.
            let most = MAX_FILES + texts.count;
            let inner = read(root, &folder, &mut files, &mut found, &mut left, most)?;
            folders.extend(inner.into_iter().filter(|_| is_below));
        }
        for folder in named_outside(&files) {
            if named.insert(folder.clone()) {
                found.extend(texts_in(root, &folder));
            }
        }
        found.retain(|path| !files.contains_key(path));
        sort_by_distance(&files, &mut found);
        found.dedup();
        for key in found.drain(..) {
            if !texts.has_room() {
                break;
            }
            // The text of a file that cannot be read is not known.
            let _ = File::open(root.join(&key)).and_then(|file| texts.add(&key, file));
        }
        files.extend(texts.take());
        let mut modules = Modules::declared(&files, options);
        let missing = modules.missing().into_iter();
        // Each folder outside of the root is tried once: what has no files stays missing.
        folders.extend(missing.filter(|folder| {
            seen.insert(folder.clone()) && folder.starts_with("..") && root.join(folder).is_dir()
        }));
        if folders.is_empty() {
            modules.decide(&files, options)?;
            return Ok(modules);
        }
    }
}

/// The paths of a folder elsewhere that [`in_folder`] would read.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ReadablePaths {
    /// Files of a configuration.
    pub configuration: Vec<String>,
    /// Files that `file` and `templatefile` may read.
    pub texts: Vec<String>,
    /// Folders that may have such files.
    pub folders: Vec<String>,
}

/// Selects from the paths of a folder elsewhere. Those of folders end with `/`.
pub fn readable(paths: Vec<String>) -> ReadablePaths {
    let mut readable = ReadablePaths::default();
    for path in paths {
        let folder = path.strip_suffix('/');
        if is_hidden(folder.unwrap_or(&path)) {
            continue;
        }
        if folder.is_some() {
            readable.folders.push(path);
        } else if is_terraform(&path) {
            readable.configuration.push(path);
        } else if is_text(&path) {
            readable.texts.push(path);
        }
    }
    readable
}

/// Sorts files by their distance from the nearest configuration above them, then by name: not all of them may be read, and the
/// file system lists them in any order.
fn sort_by_distance(files: &Files, texts: &mut [String]) {
    let configurations = files.keys().filter(|path| is_terraform(path));
    let configurations: BTreeSet<_> = configurations.map(|path| names::folder(path)).collect();
    texts.sort_by_cached_key(|path| {
        let mut at = names::folder(path);
        let mut distance = 0;
        while !configurations.contains(at) {
            if at.is_empty() {
                distance = usize::MAX;
                break;
            }
            at = names::folder(at);
            distance += 1;
        }
        (distance, path.clone())
    });
}

fn unreadable(path: &Path, error: &std::io::Error) -> Unusable {
    Unusable(format!("{} cannot be read: {error}.", path.display()))
}

/// Reads the Terraform files of a folder, finds those that `file` and `templatefile` may read, and lists the folders in it.
/// What cannot be read is noted in its place: it is of one module.
fn read(
    root: &Path,
    folder: &str,
    files: &mut Files,
    found: &mut Vec<String>,
    left: &mut u64,
    most: usize,
) -> Result<Vec<String>, Unusable> {
    let whole = root.join(folder);
    let mut inner = Vec::new();
    let entries = std::fs::read_dir(&whole).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let entries = match entries {
        Ok(entries) => entries,
        Err(error) if folder.is_empty() => return Err(unreadable(&whole, &error)),
        Err(error) => {
            files.insert(format!("{folder}/"), Gap::of_error(&error).mark());
            return Ok(inner);
        }
    };
    for entry in entries {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        let key = join(folder, &name);
        if is_hidden(&key) {
            continue;
        }
        // A link has a kind of its own here, so that no folder is read twice.
        let kind = entry.file_type().ok();
        if kind.is_some_and(|kind| kind.is_dir()) {
            inner.push(key);
        } else if is_terraform(&key) {
            let bytes = content(&path, *left).unwrap_or_else(Gap::mark);
            *left = left.checked_sub(bytes.len() as u64).ok_or_else(|| {
                Unusable(format!(
                    "The folder's Terraform files have more than {MAX_BYTES} bytes, the last one of them {}.",
                    path.display()
                ))
            })?;
            files.insert(key, bytes);
        } else if kind.is_some_and(|kind| kind.is_file()) && is_text(&key) {
            found.push(key);
        }
        if files.len() > most {
            return Err(Unusable(format!(
                "The folder has more than {MAX_FILES} Terraform files."
            )));
        }
    }
    Ok(inner)
}

/// The folders elsewhere that texts of these files may be in.
pub fn named_outside(files: &Files) -> BTreeSet<String> {
    let configurations = files.iter().filter(|(path, _)| is_configuration(path));
    let named = configurations.flat_map(|(path, bytes)| {
        let source = std::str::from_utf8(bytes).unwrap_or_default();
        folders_outside(path, source)
    });
    named.collect()
}

/// The texts in a folder elsewhere, which `file` and `templatefile` may name. Its other files are not read.
fn texts_in(root: &Path, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(root.join(folder)).into_iter().flatten();
    let files = entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let paths = files.map(|entry| join(folder, &entry.file_name().to_string_lossy()));
    paths.filter(|path| is_text(path)).collect()
}

/// What a file has, up to one byte more than is left, which shows that it is too large; or why it cannot be read.
fn content(path: &Path, left: u64) -> Result<Vec<u8>, Gap> {
    // What a link leads to counts. A pipe or a device may never end.
    let found = std::fs::metadata(path).map_err(|error| Gap::of_error(&error))?;
    if !found.is_file() {
        return Err(Gap::NotAFile);
    }
    if found.len() > MAX_BYTES {
        return Err(Gap::TooLarge);
    }
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(left + 1).read_to_end(&mut bytes));
    read.map_err(|error| Gap::of_error(&error))?;
    Ok(bytes)
}
