//! The signals that tell the process to end or to stop.

use std::time::Duration;
use std::{io, process, thread};

use nix::sys::signal::{Signal, raise};
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::sleep;

/// How much longer than it may take to stop the process is given, for what it writes last.
const MARGIN: Duration = Duration::from_secs(10);

/// Ends when the process receives SIGTERM, or SIGINT from a terminal.
///
/// # Errors
/// When the system does not let signals be watched.
pub fn told_to_stop() -> io::Result<impl Future<Output = ()> + Send> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// Lets a terminal stop the process (Ctrl-Z) only where `between` calls what it is given: a process that is stopped while it
/// writes keeps all others from writing.
///
/// # Errors
/// When the system does not let signals be watched.
pub fn stop_between(between: fn(&dyn Fn())) -> io::Result<()> {
    let mut stops = signal(SignalKind::from_raw(Signal::SIGTSTP as i32))?;
    tokio::spawn(async move {
        while stops.recv().await.is_some() {
            let stopped = tokio::task::spawn_blocking(move || between(&stop));
            if let Err(error) = stopped.await {
                tracing::warn!(%error, "the process cannot be stopped for a while");
            }
        }
    });
    Ok(())
}

/// Stops the process until it is continued.
fn stop() {
    // Of this thread: a signal of the process may be taken by another one, and this one would go on meanwhile.
    if let Err(error) = raise(Signal::SIGSTOP) {
        tracing::warn!(%error, "the process cannot be stopped for a while");
    }
}

/// Ends the process if it has not stopped by itself in `time` after it was told to, whatever its other threads do.
///
/// # Errors
/// When the system has no thread for it, or does not let signals be watched.
pub fn end_in(time: Duration) -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let thread = thread::Builder::new().name("signals".to_owned());
    thread.spawn(move || {
        let over = async {
            told_to_stop()?.await;
            sleep(time.saturating_add(MARGIN)).await;
            io::Result::Ok(())
        };
        match runtime.block_on(over) {
            Ok(()) => {
                tracing::error!("the process did not stop in time and is ended");
                process::exit(1);
            }
            Err(error) => tracing::error!(%error, "signals cannot be watched"),
        }
    })?;
    Ok(())
}
