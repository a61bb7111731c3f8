//! Archives of an embedded store: the store, the files of services and the manifest that proves both, as one tar file.
//!
//! Format 1: entries `trestle.sqlite` and whatever else the data folder has, such as `artifacts/files/...`, then
//! `manifest.json`, which lists all of them with their sizes and digests. An archive without its end has no manifest. The
//! first entry has the store's id as the name of its owner, and the time of the archive as its own: so one read of its start
//! says whose an archive is.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Write};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tempfile::{NamedTempFile, TempDir};

use trestle_domain::hex;
use trestle_dynamodb::{Damage, Embedded, ExpectedIndex};
use trestle_service::Failure;

/// The format that this release writes, and the newest that it reads.
const FORMAT: u32 = 1;
const MANIFEST: &str = "manifest.json";
/// The store's file in an archive and in a data folder.
pub const STORE: &str = "trestle.sqlite";
/// The folder of services' files in an archive and in a data folder.
pub const ARTIFACTS: &str = "artifacts";
/// How the names of what is unfinished begin.
const UNFINISHED: &str = ".trestle-unfinished-";
/// How the names of all that is in the making begin.
const HIDDEN: &str = ".trestle-";
/// After how long the unfinished of others is what a killed command left.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);
/// The most bytes of a manifest.
const MOST_MANIFEST: u64 = 1 << 30;

/// What an archive holds.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// The format of the archive.
    pub format: u32,
    /// The release that wrote it.
    pub release: String,
    /// When it was written.
    pub created_at: String,
    /// The id of the store that it was made of. Empty in archives of earlier releases.
    #[serde(default)]
    pub store: String,
    /// The files by their paths.
    pub files: BTreeMap<String, Entry>,
}

/// A file of an archive.
#[derive(Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    bytes: u64,
    sha256: String,
}

/// What is archived: the folder of the store, and the folder of services' files if that is another.
pub struct Sources<'s> {
    /// The data folder.
    pub data: &'s Path,
    /// The folder of services' files.
    pub artifacts: Option<&'s Path>,
}

/// Writes an archive of the store as it is at one moment, with every file that an item of that moment can refer to.
/// `target` must not exist; it is whole or not there.
///
/// # Errors
/// A sentence; no archive was made then.
pub async fn write(
    store: &Embedded,
    sources: &Sources<'_>,
    target: &Path,
    now: DateTime<Utc>,
) -> Result<Manifest, Failure> {
    if target.exists() {
        let name = target.display();
        return Err(Failure::new(format!(
            "{name} exists already. No backup was made."
        )));
    }
    let folder = folder_of(target);
    let mut copied = Copied::of(store, sources, folder, now).await?;
    let packed = tokio::task::block_in_place(|| {
        copied.kept.add(sources)?;
        let archive = NamedTempFile::with_prefix_in(UNFINISHED, folder)?;
        let manifest = copied.pack(archive.as_file())?;
        archive.as_file().sync_all()?;
        archive.persist_noclobber(target).map_err(|e| e.error)?;
        File::open(folder)?.sync_all()?;
        Ok(manifest)
    });
    packed.map_err(|error: io::Error| not_written(target, &error))
}

fn not_written(place: &Path, error: &io::Error) -> Failure {
    let place = place.display();
    Failure::new(format!(
        "{place} cannot be written: {error}. No backup was made."
    ))
}

/// Writes an archive as [`write`] does to the standard output, and looks for damage of the store in it. The copy of the store
/// is made in the data folder. Nothing that reads the output knows that it is whole before the command has ended with 0 or 2.
///
/// # Errors
/// A sentence; what was written is not an archive then.
pub async fn stream(
    store: &Embedded,
    sources: &Sources<'_>,
    expected: &[ExpectedIndex],
    now: DateTime<Utc>,
) -> Result<(Manifest, Vec<Damage>), Failure> {
    let mut copied = Copied::of(store, sources, sources.data, now).await?;
    tokio::task::block_in_place(|| {
        let damage = Embedded::check(copied.scratch.path(), expected)?;
        let packed = copied.kept.add(sources);
        let packed = packed.and_then(|()| copied.pack(&mut io::stdout().lock()));
        let manifest = packed.map_err(|error| {
            Failure::new(format!("The standard output cannot be written: {error}."))
        })?;
        Ok((manifest, damage))
    })
}

/// A copy of a store, with links to the files that its items can refer to.
struct Copied {
    scratch: TempDir,
    kept: Kept,
    begun: Begun,
}

impl Copied {
    /// Copies a store into a folder in `folder`, which is removed with this. Files that were there before are kept: what is
    /// written meanwhile is to be added, because the copy may refer to it.
    async fn of(
        store: &Embedded,
        sources: &Sources<'_>,
        folder: &Path,
        now: DateTime<Utc>,
    ) -> Result<Self, Failure> {
        let begun = Begun {
            store: store.id()?,
            created_at: now,
        };
        // Links keep what a service deletes while the store is copied.
        let mut kept = Kept::default();
        kept.add(sources)
            .map_err(|error| not_written(folder, &error))?;
        let scratch = unfinished_in(folder).map_err(|error| not_written(folder, &error))?;
        let copy = store.backup(scratch.path().join(STORE)).await;
        copy.map_err(|error| Failure::new(format!("{error}. No backup was made.")))?;
        Ok(Self {
            scratch,
            kept,
            begun,
        })
    }

    fn pack(self, archive: impl Write) -> io::Result<Manifest> {
        pack(
            archive,
            &self.scratch.path().join(STORE),
            &self.kept,
            self.begun,
        )
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// A folder for what is in the making, removed with what it holds. Removes what killed commands left.
pub fn unfinished_in(folder: &Path) -> io::Result<TempDir> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            continue;
        }
        // Another process may be writing a newer one, and may have removed this one since.
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        let age = modified.ok().and_then(|modified| modified.elapsed().ok());
        if age.is_some_and(|age| age > ABANDONED) {
            remove(&entry.path())?;
        }
    }
    tempfile::Builder::new()
        .prefix(UNFINISHED)
        .tempdir_in(folder)
}

/// Files to be archived, by their paths in the archive: links to them.
#[derive(Default)]
struct Kept {
    files: BTreeMap<String, PathBuf>,
    links: Vec<TempDir>,
}

impl Kept {
    /// Adds the files that are there now.
    fn add(&mut self, sources: &Sources<'_>) -> io::Result<()> {
        self.add_folder(sources.data, "")?;
        if let Some(artifacts) = sources.artifacts {
            self.add_folder(artifacts, ARTIFACTS)?;
        }
        Ok(())
    }

    fn add_folder(&mut self, root: &Path, prefix: &str) -> io::Result<()> {
        let links = unfinished_in(root)?;
        let mut folders = vec![(root.to_owned(), prefix.to_owned())];
        while let Some((folder, prefix)) = folders.pop() {
            let entries = match fs::read_dir(&folder) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                entries => entries?,
            };
            for entry in entries {
                let entry = entry?;
                let name = entry.file_name().into_string();
                let name = name.map_err(|_| io::Error::other("a name is not valid UTF-8"))?;
                let is_of_the_store = prefix.is_empty() && Embedded::is_own(&entry.path());
                if is_of_the_store
                    || name.starts_with(HIDDEN)
                    || name == OF_VOLUMES
                    || is_staged(&name)
                {
                    continue;
                }
                let path = if prefix.is_empty() {
                    name
                } else {
                    format!("{prefix}/{name}")
                };
                let kind = match fs::metadata(entry.path()) {
                    Err(error) if error.kind() == ErrorKind::NotFound => continue,
                    metadata => metadata?,
                };
                if kind.is_dir() {
                    folders.push((entry.path(), path));
                } else if kind.is_file() && !self.files.contains_key(&path) {
                    let link = links.path().join(self.files.len().to_string());
                    match fs::hard_link(entry.path(), &link) {
                        Ok(()) => drop(self.files.insert(path, link)),
                        // Deleted meanwhile.
                        Err(error) if error.kind() == ErrorKind::NotFound => {}
                        Err(error) if error.kind() == ErrorKind::CrossesDevices => {
                            self.files.insert(path, entry.path());
                        }
                        Err(error) => return Err(error),
                    }
                }
            }
        }
        self.links.push(links);
        Ok(())
    }
}

/// Whether a file is an upload that is not complete, as the object store names those.
fn is_staged(name: &str) -> bool {
    let end = name.rsplit_once('#').map(|(_, end)| end);
    end.is_some_and(|end| !end.is_empty() && end.bytes().all(|byte| byte.is_ascii_digit()))
}

fn pack(archive: impl Write, store: &Path, kept: &Kept, begun: Begun) -> io::Result<Manifest> {
    let mut tar = tar::Builder::new(BufWriter::new(archive));
    let mut files = BTreeMap::new();
    let store = (STORE.to_owned(), store.to_owned());
    let kept = kept
        .files
        .iter()
        .map(|(name, path)| (name.clone(), path.clone()));
    for (name, path) in std::iter::once(store).chain(kept) {
        let file = File::open(&path)?;
        let bytes = file.metadata()?.len();
        let mut header = header(bytes);
        if name == STORE {
            header.set_username(&begun.store)?;
            header.set_mtime(u64::try_from(begun.created_at.timestamp()).unwrap_or_default());
        }
        let mut content = Digesting::new(BufReader::new(file).take(bytes));
        tar.append_data(&mut header, &name, &mut content)?;
        let entry = content.entry();
        if entry.bytes != bytes {
            return Err(io::Error::other(format!("{name} became shorter meanwhile")));
        }
        files.insert(name, entry);
    }
    let manifest = Manifest {
        format: FORMAT,
        release: env!("CARGO_PKG_VERSION").to_owned(),
        created_at: begun.created_at.to_rfc3339_opts(SecondsFormat::Secs, true),
        store: begun.store,
        files,
    };
    let text = serde_json::to_vec_pretty(&manifest)?;
    let mut last = header(text.len() as u64);
    tar.append_data(&mut last, MANIFEST, text.as_slice())?;
    tar.into_inner()?.flush()?;
    Ok(manifest)
}

/// Whose an archive is, and when it was made.
#[derive(Debug)]
pub struct Begun {
    pub store: String,
    pub created_at: DateTime<Utc>,
}

/// The bytes at the start and at the end of an archive that say whose it is, and that it is complete.
pub const END: usize = 1024;

/// The places of an archive's ends; `None` if so many bytes are not an archive.
pub fn ends(bytes: u64) -> Option<[Range<u64>; 2]> {
    let end = bytes.checked_sub(END as u64)?;
    bytes
        .is_multiple_of(512)
        .then_some([0..END as u64, end..bytes])
}

/// Reads the ends of an archive. `None` for one that is not complete, or of an earlier release.
pub fn begun(start: &[u8], end: &[u8]) -> Option<Begun> {
    let header = tar::Header::from_byte_slice(start.get(..512)?);
    let sum: u32 = start
        .get(..512)?
        .iter()
        .enumerate()
        .fold(0, |sum, (at, byte)| {
            let is_of_the_sum = (148..156).contains(&at);
            sum + u32::from(if is_of_the_sum { b' ' } else { *byte })
        });
    let is_first = header.path().ok()?.as_os_str() == STORE && header.cksum().ok()? == sum;
    if !is_first || end.iter().any(|byte| *byte != 0) {
        return None;
    }
    let store = header.username().ok()??.to_owned();
    let seconds = i64::try_from(header.mtime().ok()?).ok()?;
    Some(Begun {
        store,
        created_at: DateTime::from_timestamp(seconds, 0)?,
    })
}

fn header(bytes: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_size(bytes);
    header.set_mode(0o600);
    header.set_entry_type(tar::EntryType::Regular);
    header
}

/// Reads, and computes the digest of what was read.
struct Digesting<R> {
    inner: R,
    digest: Sha256,
    bytes: u64,
}

impl<R> Digesting<R> {
    fn new(inner: R) -> Self {
        let (digest, bytes) = (Sha256::new(), 0);
        Self {
            inner,
            digest,
            bytes,
        }
    }

    fn entry(self) -> Entry {
        Entry {
            bytes: self.bytes,
            sha256: hex(&self.digest.finalize()),
        }
    }
}

impl<R: Read> Read for Digesting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.digest.update(buffer.get(..read).unwrap_or_default());
        self.bytes += read as u64;
        Ok(read)
    }
}

/// Reads all of an archive and of the store in it. What is damaged in the store.
///
/// # Errors
/// A sentence, if the archive itself is damaged.
pub fn examine(archive: &Path, expected: &[ExpectedIndex]) -> Result<Vec<Damage>, Failure> {
    let scratch = unfinished_in(folder_of(archive))?;
    unpack(File::open(archive)?, scratch.path(), Unpacked::Store)
        .map_err(|error| Failure::new(format!("The backup cannot be read again: {error}.")))?;
    Ok(Embedded::check(scratch.path(), expected)?)
}

/// Where an archive is read from.
pub enum Source<'s> {
    File(&'s Path),
    Input,
}

impl fmt::Display for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(file) => file.display().fmt(f),
            Self::Input => f.write_str("The standard input"),
        }
    }
}

impl Source<'_> {
    fn open(&self) -> io::Result<Box<dyn Read>> {
        Ok(match self {
            Self::File(file) => Box::new(File::open(file)?),
            Self::Input => Box::new(io::stdin().lock()),
        })
    }
}

/// How the files of every SQLite database begin.
const SQLITE: &[u8] = b"SQLite format 3";

/// Unpacks an archive into a folder that is empty or not there. The folder is whole or as it was; an empty one that is there,
/// such as a mounted volume, is filled, and the store comes last: another restore begins anew after one that was killed.
///
/// # Errors
/// A sentence; the folder is as it was then.
pub fn restore(archive: &Source<'_>, data: &Path) -> Result<Manifest, Failure> {
    let name = archive;
    let failed = |error: io::Error| Failure::new(format!("{name} was not restored: {error}."));
    let place = match Place::of(data).map_err(failed)? {
        Some(place) => place,
        None => {
            return Err(Failure::new(format!(
                "{} is not empty. Name an empty folder, or one that does not exist, with --data.",
                data.display()
            )));
        }
    };
    let mut input = archive.open().map_err(failed)?;
    let mut start = Vec::new();
    let mut beginning = input.by_ref().take(SQLITE.len() as u64);
    beginning.read_to_end(&mut start).map_err(failed)?;
    if start == SQLITE {
        return Err(Failure::new(format!(
            "{name} is the file of a store and not a backup: recent writes may be in another file beside it. Name its folder \
             with --data, or make a backup with `trestle store backup`. A copy that an earlier release made with \
             `trestle store backup` is complete: copy it into an empty folder as {STORE}."
        )));
    }
    let restored = place.begin().map_err(failed)?;
    let input = start.as_slice().chain(input);
    let manifest = unpack(input, restored.path(), Unpacked::All).map_err(failed)?;
    // Refuses what is not a store, or one of a later release.
    drop(
        Embedded::find(restored.path())
            .map_err(|error| Failure::new(format!("{name} was not restored: {error}.")))?,
    );
    sync_folders(restored.path())
        .and_then(|()| place.end(restored))
        .map_err(failed)?;
    Ok(manifest)
}

/// The name of the folder in which a folder that is there is restored.
const RESTORING: &str = ".trestle-restoring";
/// What a file system has in an empty volume.
const OF_VOLUMES: &str = "lost+found";

/// Where a backup is unpacked.
enum Place<'d> {
    /// A folder that does not exist yet.
    New(&'d Path),
    /// An empty folder. A volume that is mounted there cannot be replaced.
    Empty(&'d Path),
}

impl<'d> Place<'d> {
    /// `None` if something is there.
    fn of(data: &'d Path) -> io::Result<Option<Self>> {
        let entries = match fs::read_dir(data) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Some(Self::New(data))),
            entries => entries?,
        };
        let names = entries.map(|entry| Ok(entry?.file_name()));
        let names = names.collect::<io::Result<Vec<_>>>()?;
        // A restore that was killed has begun with this folder and ended with the store: all that is there is of it.
        let is_empty = names.iter().all(|name| name == OF_VOLUMES);
        let is_interrupted =
            names.iter().any(|name| name == RESTORING) && names.iter().all(|name| name != STORE);
        Ok((is_empty || is_interrupted).then_some(Self::Empty(data)))
    }

    fn begin(&self) -> io::Result<TempDir> {
        match self {
            Self::New(data) => {
                let folder = folder_of(data);
                fs::create_dir_all(folder)?;
                unfinished_in(folder)
            }
            Self::Empty(data) => {
                for entry in fs::read_dir(data)? {
                    let entry = entry?;
                    // This one last: it says that the others may go.
                    if entry.file_name() != OF_VOLUMES && entry.file_name() != RESTORING {
                        remove(&entry.path())?;
                    }
                }
                let restoring = data.join(RESTORING);
                if restoring.exists() {
                    remove(&restoring)?;
                }
                tempfile::Builder::new()
                    .prefix(RESTORING)
                    .rand_bytes(0)
                    .tempdir_in(data)
            }
        }
    }

    /// Puts what was unpacked where it belongs.
    fn end(&self, restored: TempDir) -> io::Result<()> {
        let data = match self {
            Self::New(data) => {
                fs::rename(restored.keep(), data)?;
                return File::open(folder_of(data))?.sync_all();
            }
            Self::Empty(data) => data,
        };
        for entry in fs::read_dir(restored.path())? {
            let name = entry?.file_name();
            if name != STORE {
                fs::rename(restored.path().join(&name), data.join(&name))?;
            }
        }
        File::open(data)?.sync_all()?;
        fs::rename(restored.path().join(STORE), data.join(STORE))?;
        restored.close()?;
        File::open(data)?.sync_all()
    }
}

fn remove(path: &Path) -> io::Result<()> {
    fs::remove_dir_all(path).or_else(|_| fs::remove_file(path))
}

fn copy_synced(mut from: impl Read, to: &Path) -> io::Result<()> {
    let mut options = File::options();
    options.write(true).create_new(true);
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(to)?;
    io::copy(&mut from, &mut file)?;
    file.sync_all()
}

fn sync_folders(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_folders(&entry.path())?;
        }
    }
    File::open(folder)?.sync_all()
}

/// What of an archive is written. All of it is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unpacked {
    All,
    Store,
}

fn broken(what: String) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}

fn unpack(archive: impl Read, folder: &Path, unpacked: Unpacked) -> io::Result<Manifest> {
    let mut tar = tar::Archive::new(BufReader::new(archive));
    let (mut files, mut manifest) = (BTreeMap::new(), None);
    for entry in tar.entries()? {
        let entry = entry.map_err(|error| broken(format!("it is cut off or damaged ({error})")))?;
        let path = entry.path()?.into_owned();
        let name = path.to_string_lossy().into_owned();
        if name == MANIFEST {
            let text = io::read_to_string(entry.take(MOST_MANIFEST))?;
            let read: Manifest = serde_json::from_str(&text)
                .map_err(|error| broken(format!("its manifest cannot be read ({error})")))?;
            manifest = Some(read);
            continue;
        }
        // Another path would be written outside of the folder.
        let is_safe = path
            .components()
            .all(|component| matches!(component, Component::Normal(_)));
        if !is_safe || entry.header().entry_type() != tar::EntryType::Regular {
            return Err(broken(format!("{name} is not a plain file in it")));
        }
        let mut content = Digesting::new(entry);
        if unpacked == Unpacked::All || name == STORE {
            let to = folder.join(&path);
            fs::create_dir_all(folder_of(&to))?;
            copy_synced(&mut content, &to)?;
        } else {
            io::copy(&mut content, &mut io::sink())?;
        }
        files.insert(name, content.entry());
    }
    let manifest =
        manifest.ok_or_else(|| broken("it is cut off: it has no manifest".to_owned()))?;
    if manifest.format > FORMAT {
        return Err(broken("a later release of Trestle made it".to_owned()));
    }
    // Whoever writes the archive ends only after all of it was taken.
    io::copy(&mut tar.into_inner(), &mut io::sink())?;
    for (name, entry) in &manifest.files {
        if files.get(name) != Some(entry) {
            return Err(broken(format!("{name} is damaged in it")));
        }
    }
    if manifest.files.len() != files.len() {
        return Err(broken(
            "it has files that its manifest does not list".to_owned(),
        ));
    }
    Ok(manifest)
}
