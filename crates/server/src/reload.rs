//! Files of settings that are read again while the server runs: when they change, and on SIGHUP. A file that cannot be
//! used leaves what was read before in use, and the log says so.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::sleep;

use super::state::App;

/// How long a file may take to be written: editors and container platforms change it in several steps.
const SETTLE: Duration = Duration::from_millis(100);

/// A file that is read again.
pub struct Reloaded {
    /// Where it is.
    pub path: PathBuf,
    /// Reads it. Answers whether something has changed, or why the file cannot be used.
    pub read: Box<dyn Fn() -> Result<bool, String> + Send + Sync>,
}

/// Reads the files again whenever they change, and on SIGHUP.
pub(super) fn keep_current(app: Arc<App>, files: Vec<Reloaded>) -> io::Result<()> {
    let mut hangup = signal(SignalKind::hangup())?;
    let (changed, mut changes) = mpsc::channel(1);
    let watcher = watch(&files, changed.clone()).unwrap_or_else(|error| {
        tracing::warn!(%error, "changes of files are not seen: send SIGHUP after a change");
        None
    });
    tokio::spawn(async move {
        // Both live as long as the task.
        let (_watcher, _changed) = (watcher, changed);
        let mut refused = vec![None; files.len()];
        loop {
            tokio::select! {
                _ = hangup.recv() => refused.fill(None),
                _ = changes.recv() => {
                    sleep(SETTLE).await;
                    // What came meanwhile is read with the rest.
                    let _ = changes.try_recv();
                }
            }
            let read = files.iter().zip(&mut refused);
            let has_changed = read.map(|(file, refused)| again(file, refused));
            if has_changed.fold(false, |any, one| any | one) {
                app.subscriptions.recheck();
            }
        }
    });
    Ok(())
}

/// Reads a file again. A reason for which it cannot be used is logged once.
fn again(file: &Reloaded, refused: &mut Option<String>) -> bool {
    let path = file.path.display();
    match (file.read)() {
        Ok(has_changed) => {
            if has_changed {
                tracing::info!(%path, "a file was read again");
            }
            *refused = None;
            has_changed
        }
        Err(reason) => {
            if refused.as_ref() != Some(&reason) {
                tracing::error!(%path, reason, "a file cannot be used: what was read before stays in use");
                *refused = Some(reason);
            }
            false
        }
    }
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
