//! Files of settings that are read again while the server runs: when their contents change, and on SIGHUP. A file that cannot
//! be used leaves what was read before in use, and the log and a metric say so.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use sha2::{Digest as _, Sha256};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use super::load::Reloads;
use super::settings_file::{MAX_FILE, read_file};
use super::state::App;

/// How long a file may take to be written: editors and container platforms change it in several steps.
const SETTLE: Duration = Duration::from_millis(100);
/// How often the contents are compared without a notification. None arrives if the file is changed through another mount or
/// link, or if a folder or link of its path is replaced.
const LOOK: Duration = Duration::from_secs(2);

/// How long a look at a file may take before the others are looked at. A network mount may not answer for minutes.
const PATIENCE: Duration = Duration::from_secs(5);

/// A file that is read again.
pub struct Reloaded {
    /// Where it is.
    pub path: PathBuf,
    /// Reads it. Answers whether something has changed, or why the file cannot be used.
    pub read: Box<dyn Fn() -> Result<bool, String> + Send + Sync>,
}

/// The digest of a file's contents, none if it is no regular file, or why they cannot be read.
type Contents = Result<Option<[u8; 32]>, io::ErrorKind>;

struct Watched {
    file: Arc<Reloaded>,
    /// `None` before the first look, so that a change right after the start is read.
    contents: Option<Contents>,
    refused: Option<String>,
    /// A look that has not ended yet.
    look: Option<JoinHandle<Look>>,
}

/// What a look at a file found.
struct Look {
    contents: Contents,
    /// What reading it answered. `None` if there was no reason to.
    read: Option<Result<bool, String>>,
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
                has_changed |= file.look(&app.reloads).await;
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
            file: Arc::new(file),
            contents: None,
            refused: None,
            look: None,
        }
    }

    /// Lets the file be read whatever it contains, and a refusal be reported again.
    fn forget(&mut self) {
        self.contents = None;
        self.refused = None;
    }

    /// Looks at the file, and reads it if its contents differ from those that were read last. A refused file is always read:
    /// the reason may be gone. Answers whether something has changed.
    async fn look(&mut self, reloads: &Reloads) -> bool {
        let mut look = self.look.take().unwrap_or_else(|| {
            let file = Arc::clone(&self.file);
            let before = self.contents;
            let is_refused = self.refused.is_some();
            // A file system that does not answer must not hold a thread that answers requests.
            spawn_blocking(move || Look::at(&file, before, is_refused))
        });
        let Ok(found) = timeout(PATIENCE, &mut look).await else {
            self.look = Some(look);
            let reason = "The file system does not answer. What it answers is used then.";
            return self.outcome(Err(reason.to_owned()), reloads);
        };
        let Ok(found) = found else {
            return false;
        };
        self.contents = Some(found.contents);
        match found.read {
            Some(outcome) => self.outcome(outcome, reloads),
            None => false,
        }
    }

    /// Answers whether something has changed. A reason for which the file cannot be used is reported once.
    fn outcome(&mut self, outcome: Result<bool, String>, reloads: &Reloads) -> bool {
        let path = self.file.path.display();
        match outcome {
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

impl Look {
    fn at(file: &Reloaded, before: Option<Contents>, is_refused: bool) -> Self {
        let contents = contents(&file.path);
        let was_pipe = !is_refused && before.is_none_or(|before| before == Ok(None));
        let read = if contents != Ok(None) {
            let differs = is_refused || before != Some(contents);
            differs.then(|| (file.read)())
        } else if was_pipe {
            // It was read once, at the start: what comes out of a pipe later is not the file.
            None
        } else {
            Some(Err("It is no regular file any more.".to_owned()))
        };
        Self { contents, read }
    }
}

fn contents(path: &Path) -> Contents {
    let metadata = fs::metadata(path).map_err(|error| error.kind())?;
    if !metadata.is_file() {
        return Ok(None);
    }
    let read = read_file(path, MAX_FILE).map_err(|error| error.kind())?;
    Ok(Some(Sha256::digest(read).into()))
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
