//! Files of settings that are read again while the server runs: when their contents change, and on SIGHUP. A file that cannot
//! be used leaves what was read before in use, and the log and a metric say so.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use sha2::{Digest as _, Sha256};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::load::Reloads;
use super::state::App;

/// How long a file may take to be written: editors and container platforms change it in several steps.
const SETTLE: Duration = Duration::from_millis(100);
/// How often the contents are compared without a notification. None arrives if the file is changed through another mount or
/// link, or if a folder or link of its path is replaced.
const LOOK: Duration = Duration::from_secs(2);

/// A file that is read again.
pub struct Reloaded {
    /// Where it is.
    pub path: PathBuf,
    /// Reads it. Answers whether something has changed, or why the file cannot be used.
    pub read: Box<dyn Fn() -> Result<bool, String> + Send + Sync>,
}

/// The digest of a file's contents, or why they cannot be read.
type Contents = Result<[u8; 32], io::ErrorKind>;

struct Watched {
    file: Reloaded,
    /// `None` before the first look, so that a change right after the start is read.
    contents: Option<Contents>,
    refused: Option<String>,
}

/// Reads the files again whenever they change, and on SIGHUP.
pub(super) fn keep_current(app: Arc<App>, files: Vec<Reloaded>) -> io::Result<()> {
    let mut hangup = signal(SignalKind::hangup())?;
    let (changed, mut changes) = mpsc::channel(1);
    let watcher = watch(&files, changed.clone()).unwrap_or_else(|error| {
        tracing::warn!(%error, "no notifications of changed files: they are compared every 2 seconds");
        None
    });
    let mut files: Vec<_> = files.into_iter().map(Watched::new).collect();
    let mut looks = interval(LOOK);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    tokio::spawn(async move {
        // Both live as long as the task.
        let (_watcher, _changed) = (watcher, changed);
        loop {
            tokio::select! {
                _ = hangup.recv() => files.iter_mut().for_each(Watched::forget),
                _ = changes.recv() => {
                    sleep(SETTLE).await;
                    // What came meanwhile is read with the rest.
                    let _ = changes.try_recv();
                }
                _ = looks.tick() => {}
            }
            let mut has_changed = false;
            for file in &mut files {
                if file.differs().await {
                    has_changed |= file.read_again(&app.reloads);
                }
            }
            let unusable = files.iter().filter(|file| file.refused.is_some()).count();
            app.reloads.unusable.store(unusable, Relaxed);
            if has_changed {
                app.subscriptions.recheck();
            }
        }
    });
    Ok(())
}

impl Watched {
    fn new(file: Reloaded) -> Self {
        Self {
            file,
            contents: None,
            refused: None,
        }
    }

    /// Lets the file be read whatever it contains, and a refusal be reported again.
    fn forget(&mut self) {
        self.contents = None;
        self.refused = None;
    }

    /// Whether the contents differ from those that were read last. A refused file always does: the reason may be gone.
    async fn differs(&mut self) -> bool {
        let path = self.file.path.clone();
        // A file system that does not answer must not hold a thread that answers requests.
        let Ok(contents) = spawn_blocking(move || contents(&path)).await else {
            return false;
        };
        let differs = self.refused.is_some() || self.contents != Some(contents);
        self.contents = Some(contents);
        differs
    }

    /// Reads the file. A reason for which it cannot be used is reported once.
    fn read_again(&mut self, reloads: &Reloads) -> bool {
        let path = self.file.path.display();
        match (self.file.read)() {
            Ok(has_changed) => {
                if has_changed {
                    tracing::info!(%path, "a file was read again");
                    reloads.changed.fetch_add(1, Relaxed);
                } else if self.refused.is_some() {
                    tracing::info!(%path, "a file can be used again, without changes");
                }
                self.refused = None;
                has_changed
            }
            Err(reason) => {
                if self.refused.as_ref() != Some(&reason) {
                    tracing::error!(%path, reason, "a file cannot be used: what was read before stays in use");
                    reloads.refused.fetch_add(1, Relaxed);
                    self.refused = Some(reason);
                }
                false
            }
        }
    }
}

/// A pipe is read once, at the start: what comes out of it later is not the file.
fn contents(path: &Path) -> Contents {
    let metadata = fs::metadata(path).map_err(|error| error.kind())?;
    let mut digest = Sha256::new();
    if metadata.is_file() {
        let file = File::open(path).map_err(|error| error.kind())?;
        let mut file = BufReader::new(file);
        loop {
            let read = file.fill_buf().map_err(|error| error.kind())?;
            if read.is_empty() {
                break;
            }
            digest.update(read);
            let length = read.len();
            file.consume(length);
        }
    }
    Ok(digest.finalize().into())
}

/// Watches the folders of the files: a file that is replaced is another one.
fn watch(
    files: &[Reloaded],
    changed: mpsc::Sender<()>,
) -> Result<Option<RecommendedWatcher>, notify::Error> {
    if files.is_empty() {
        return Ok(None);
    }
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // Reading a file is an event, too. If a change is noted already, it will be read.
        if event.is_ok_and(|event| !event.kind.is_access()) {
            let _ = changed.try_send(());
        }
    })?;
    let folders: BTreeSet<_> = files.iter().map(|file| folder(&file.path)).collect();
    for folder in folders {
        watcher.watch(folder, RecursiveMode::NonRecursive)?;
    }
    Ok(Some(watcher))
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}
