//! The modules in a folder of this machine.

use std::io::Read as _;
use std::path::Path;

use super::archive::{Files, MAX_BYTES, is_hidden, is_terraform};
use super::module::Modules;
use super::options::Options;
use super::texts::Texts;
use super::unusable::Unusable;

/// The most Terraform files that are read.
const MAX_FILES: usize = 10_000;

/// The modules below a folder, and those outside of it that they call: `../modules/network`.
///
/// # Errors
/// A file cannot be read or is not Terraform, or there are too many or too large ones.
pub fn in_folder(root: &Path, options: &Options) -> Result<Modules, Unusable> {
    let mut files = Files::new();
    let mut texts = Texts::default();
    let mut left = MAX_BYTES;
    let mut folders = vec![String::new()];
    let mut seen = std::collections::BTreeSet::new();
    loop {
        while let Some(folder) = folders.pop() {
            // Below the root every folder may be a module; elsewhere only what is called.
            let is_below = !folder.starts_with("..");
            let inner = read(root, &folder, (&mut files, &mut texts, &mut left))?;
            folders.extend(inner.into_iter().filter(|_| is_below));
        }
        files.extend(texts.take());
        let modules = Modules::read(&files, options)?;
        let missing = modules.missing().into_iter();
        folders.extend(missing.filter(|folder| {
            seen.insert(folder.clone()) && folder.starts_with("..") && root.join(folder).is_dir()
        }));
        if folders.is_empty() {
            return Ok(modules);
        }
    }
}

/// Reads the Terraform files of a folder, and lists the folders in it.
fn read(
    root: &Path,
    folder: &str,
    (files, texts, left): (&mut Files, &mut Texts, &mut u64),
) -> Result<Vec<String>, Unusable> {
    let unreadable = |path: &Path, error: std::io::Error| {
        Unusable(format!("{} cannot be read: {error}.", path.display()))
    };
    let whole = root.join(folder);
    let mut inner = Vec::new();
    for entry in std::fs::read_dir(&whole).map_err(|error| unreadable(&whole, error))? {
        let entry = entry.map_err(|error| unreadable(&whole, error))?;
        let path = entry.path();
        let kind = entry
            .file_type()
            .map_err(|error| unreadable(&path, error))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let key = match folder {
            "" => name,
            folder => format!("{folder}/{name}"),
        };
        if is_hidden(&key) {
            continue;
        }
        if kind.is_dir() {
            inner.push(key);
        } else if is_terraform(&key) {
            // What a link leads to counts. A pipe or a device may never end.
            let kind = std::fs::metadata(&path).map_err(|error| unreadable(&path, error))?;
            if !kind.is_file() {
                return Err(Unusable(format!(
                    "{} is not a regular file.",
                    path.display()
                )));
            }
            let mut bytes = Vec::new();
            let read = std::fs::File::open(&path)
                .and_then(|file| file.take(*left + 1).read_to_end(&mut bytes));
            read.map_err(|error| unreadable(&path, error))?;
            *left = left.checked_sub(bytes.len() as u64).ok_or_else(|| {
                Unusable(format!(
                    "The folder's Terraform files have more than {MAX_BYTES} bytes, the last one of them {}.",
                    path.display()
                ))
            })?;
            files.insert(key, bytes);
        } else if kind.is_file() && texts.wants(&key) {
            // One that cannot be read is left out.
            let _ = std::fs::File::open(&path).and_then(|file| texts.add(&key, file));
        }
        if files.len() > MAX_FILES + texts.count {
            return Err(Unusable(format!(
                "The folder has more than {MAX_FILES} Terraform files."
            )));
        }
    }
    Ok(inner)
}
