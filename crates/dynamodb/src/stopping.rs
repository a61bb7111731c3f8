//! When this process may be stopped (Ctrl-Z): not while it holds what other processes wait for to write to a store.

use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

static PROCESS: Holding = Holding::new();

/// Does something while this process holds nothing that others wait for to write to a store.
pub fn between_writes(act: impl FnOnce()) {
    PROCESS.act_between(act);
}

/// A time in which this process is not stopped: it opens a store, or closes one, and SQLite holds what others wait for.
pub(super) struct Unstopped;

impl Unstopped {
    pub(super) fn begin() -> Self {
        PROCESS.begin();
        Self
    }

    /// Lets it last until the process ends.
    pub(super) fn for_good() {
        std::mem::forget(Self::begin());
    }
}

impl Drop for Unstopped {
    fn drop(&mut self) {
        PROCESS.end();
    }
}

/// Takes what others wait for, until [`give_back`] is called.
///
/// # Errors
/// Those of `take`: it was not taken.
pub(super) fn take<E>(take: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
    PROCESS.take(take)
}

/// Gives back what others wait for.
///
/// # Errors
/// Those of `give`: the process may be stopped then, too.
pub(super) fn give_back(give: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    let given = give();
    PROCESS.end();
    given
}

/// What a process holds, and who waits for the moment in which it holds nothing.
struct Holding {
    now: Mutex<Now>,
    changed: Condvar,
}

#[derive(Clone, Copy)]
struct Now {
    held: usize,
    stops: usize,
}

impl Holding {
    const fn new() -> Self {
        Self {
            now: Mutex::new(Now { held: 0, stops: 0 }),
            changed: Condvar::new(),
        }
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who takes the first thing lets those go first who wait for nothing to be held: a writer without a pause would keep
    /// them waiting. Who holds something already would wait for itself.
    fn after_stops(&self) -> MutexGuard<'_, Now> {
        let waited = self
            .changed
            .wait_while(self.now(), |now| now.held == 0 && now.stops > 0);
        waited.unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self) {
        self.after_stops().held += 1;
    }

    fn take<E>(&self, take: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
        let mut now = self.after_stops();
        // The process is not stopped between this and the count.
        take()?;
        now.held += 1;
        Ok(())
    }

    fn end(&self) {
        self.now().held -= 1;
        self.changed.notify_all();
    }

    fn act_between(&self, act: impl FnOnce()) {
        let mut now = self.now();
        now.stops += 1;
        let waited = self.changed.wait_while(now, |now| now.held > 0);
        let mut now = waited.unwrap_or_else(PoisonError::into_inner);
        act();
        now.stops -= 1;
        drop(now);
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
    use std::thread;

    use super::*;

    #[test]
    fn who_holds_without_a_pause_lets_a_stop_go_first() {
        for _ in 0..100 {
            let (holding, is_stopped) = (Holding::new(), AtomicBool::new(false));
            holding.begin();
            thread::scope(|scope| {
                scope.spawn(|| holding.act_between(|| is_stopped.store(true, SeqCst)));
                while holding.now().stops == 0 {
                    thread::yield_now();
                }
                // Whoever holds something already goes on.
                holding.begin();
                holding.end();
                assert!(!is_stopped.load(SeqCst));
                holding.end();
                holding.begin();
                assert!(is_stopped.load(SeqCst));
                holding.end();
            });
        }
    }
}
