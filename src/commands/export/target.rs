//! Where an export goes: the standard output, or a file that is there only when it is whole.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Stdout, Write};
use std::path::{Path, PathBuf};

use uuid::Uuid;

/// An export's output.
pub enum Target {
    Stdout(Stdout),
    /// A pipe or a device, which cannot be replaced.
    Direct(File),
    Beside(Beside),
}

/// A new file beside the one that it takes the place of. It goes away unless it is completed.
pub struct Beside {
    file: File,
    partial: PathBuf,
    path: PathBuf,
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
                    let beside = Beside::of(path.canonicalize()?)?;
                    beside.file.set_permissions(there.permissions())?;
                    Ok(Target::Beside(beside))
                }
                Err(_) => Beside::of(path.to_owned()).map(Target::Beside),
            },
        }
    }

    /// Whether there is a file to take away again, should the export end early.
    pub fn leaves_a_file(&self) -> bool {
        matches!(self, Target::Beside(_))
    }

    /// Puts what was written in its place.
    ///
    /// # Errors
    /// It could not be written to the end, or put there.
    pub fn complete(mut self) -> io::Result<()> {
        self.flush()?;
        match self {
            Target::Stdout(_) | Target::Direct(_) => Ok(()),
            Target::Beside(beside) => {
                beside.file.sync_all()?;
                std::fs::rename(&beside.partial, &beside.path)
            }
        }
    }
}

impl Beside {
    fn of(path: PathBuf) -> io::Result<Self> {
        let name = path
            .file_name()
            .ok_or_else(|| io::Error::other("it is no file"))?;
        let mut partial = OsString::from(".");
        partial.push(name);
        partial.push(format!(".{}.partial", Uuid::new_v4().simple()));
        let partial = path.with_file_name(partial);
        Ok(Self {
            file: File::create_new(&partial)?,
            partial,
            path,
        })
    }
}

impl Drop for Beside {
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
            Target::Beside(beside) => beside.file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Target::Stdout(output) => output.flush(),
            Target::Direct(file) => file.flush(),
            Target::Beside(beside) => beside.file.flush(),
        }
    }
}
