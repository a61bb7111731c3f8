//! Where an export goes: the standard output, or a file that is there only when it is whole.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Stdout, Write};
use std::path::{Path, PathBuf};

use uuid::Uuid;

/// The ending of a file that is being written.
const ENDING: &str = "partial";

/// An export's output.
pub enum Target {
    Stdout(Stdout),
    /// A pipe or a device, which cannot be replaced.
    Direct(File),
    Replacement(Replacement),
}

/// A new file beside the one that it takes the place of. It goes away unless it is completed.
pub struct Replacement {
    file: File,
    partial: PathBuf,
    path: PathBuf,
}

/// A failure of the output. Of what kind it was is kept, as it is of JSON's errors.
pub(super) fn output_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

impl Target {
    /// Begins to write; what stands at `path` stays as it is. None, and `-`, are the standard output.
    ///
    /// # Errors
    /// The file cannot be made beside `path`, or `path` is a folder.
    pub fn open(path: Option<&Path>) -> io::Result<Self> {
        match path {
            None => Ok(Target::Stdout(io::stdout())),
            Some(path) if path == Path::new("-") => Ok(Target::Stdout(io::stdout())),
            Some(path) => match path.metadata() {
                Ok(there) if !there.is_file() => Ok(Target::Direct(File::create(path)?)),
                // Of a link, what it leads to is replaced.
                Ok(there) => {
                    let replacement = Replacement::of(path.canonicalize()?)?;
                    replacement.file.set_permissions(there.permissions())?;
                    Ok(Target::Replacement(replacement))
                }
                Err(_) => Replacement::of(path.to_owned()).map(Target::Replacement),
            },
        }
    }

    /// Whether there is a file to take away again, should the export end early.
    pub fn leaves_a_file(&self) -> bool {
        matches!(self, Target::Replacement(_))
    }

    /// Puts what was written in its place.
    ///
    /// # Errors
    /// It could not be written to the end, or put there.
    pub fn complete(mut self) -> io::Result<()> {
        self.flush()?;
        match self {
            Target::Stdout(_) | Target::Direct(_) => Ok(()),
            Target::Replacement(replacement) => {
                replacement.file.sync_all()?;
                std::fs::rename(&replacement.partial, &replacement.path)
            }
        }
    }
}

impl Replacement {
    fn of(path: PathBuf) -> io::Result<Self> {
        let name = path
            .file_name()
            .ok_or_else(|| io::Error::other("it is no file"))?;
        let mut begin = OsString::from(".");
        begin.push(name);
        begin.push(".");
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        remove_left_over(folder, &begin)?;
        let mut partial = begin;
        partial.push(format!("{}.{ENDING}", Uuid::new_v4().simple()));
        let partial = path.with_file_name(partial);
        let file = File::create_new(&partial)?;
        // As long as this export runs, another one leaves the file alone.
        file.lock()?;
        Ok(Self {
            file,
            partial,
            path,
        })
    }
}

/// Removes what exports to the same file left that were killed.
fn remove_left_over(folder: &Path, begin: &OsStr) -> io::Result<()> {
    for entry in folder.read_dir()? {
        let entry = entry?;
        let (name, path) = (entry.file_name(), entry.path());
        let is_partial = name
            .as_encoded_bytes()
            .starts_with(begin.as_encoded_bytes())
            && path.extension() == Some(OsStr::new(ENDING));
        if is_partial && File::open(&path).is_ok_and(|file| file.try_lock().is_ok()) {
            // Another export may have been quicker.
            std::fs::remove_file(&path).ok();
        }
    }
    Ok(())
}

impl Drop for Replacement {
    fn drop(&mut self) {
        // Once it was put in its place, there is nothing of this name.
        std::fs::remove_file(&self.partial).ok();
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Target::Stdout(output) => output.write(bytes),
            Target::Direct(file) => file.write(bytes),
            Target::Replacement(replacement) => replacement.file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Target::Stdout(output) => output.flush(),
            Target::Direct(file) => file.flush(),
            Target::Replacement(replacement) => replacement.file.flush(),
        }
    }
}
