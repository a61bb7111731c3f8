//! Answers on their way to clients: how many bytes of them there may be, and which connections are closed when there
//! are too many. Knows no HTTP.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::timeout;

use super::config::ServerArgs;
use super::connections::InUse;

/// Bytes that a connection is given at a time. An answer of no more needs no room: the number of connections bounds
/// such answers.
pub(super) const PART: usize = 32 * 1024;
/// A client that takes nothing for so long does not read.
const STALLED: Duration = Duration::from_secs(1);
/// How long an answer is safe: whether its client reads is known by then.
const SAFE: Duration = Duration::from_secs(2);

/// Room for the bytes of answers until clients have taken them.
pub(super) struct Sending {
    most: usize,
    all: Mutex<All>,
    /// Who waits for room, first come first served.
    queue: tokio::sync::Mutex<()>,
    freed: Notify,
}

#[derive(Default)]
struct All {
    bytes: usize,
    next: u64,
    answers: BTreeMap<u64, Arc<Answer>>,
}

struct Answer {
    size: usize,
    began: Instant,
    taken: AtomicUsize,
    connection: Option<InUse>,
    is_given_up: AtomicBool,
}

/// One answer's room, free again when dropped.
pub(super) struct Room {
    number: u64,
    answer: Arc<Answer>,
    sending: Arc<Sending>,
}

impl Sending {
    /// Room as configured.
    pub(super) fn new(args: &ServerArgs) -> Self {
        Self {
            most: args
                .connections
                .max_sending_bytes
                .max(args.max_answer_bytes),
            all: Mutex::default(),
            queue: tokio::sync::Mutex::default(),
            freed: Notify::new(),
        }
    }

    /// Waits for room for an answer of so many bytes; `None` for one that needs none. If there is too little,
    /// connections are closed: first those whose clients have taken nothing for the longest time, then the slowest.
    pub(super) async fn room(
        self: &Arc<Self>,
        bytes: usize,
        connection: Option<InUse>,
    ) -> Option<Arc<Room>> {
        if bytes <= PART {
            return None;
        }
        let size = bytes.min(self.most);
        let _turn = self.queue.lock().await;
        loop {
            let fits = self.all().fits(size, self.most);
            let Err(wait) = fits else {
                return Some(self.take(size, connection));
            };
            // Out of time is no error: more answers can be given up then.
            let _ = timeout(wait, self.freed.notified()).await;
        }
    }

    /// Takes room that there is. Only whose turn it is takes any.
    fn take(self: &Arc<Self>, size: usize, connection: Option<InUse>) -> Arc<Room> {
        let answer = Arc::new(Answer {
            size,
            began: Instant::now(),
            taken: AtomicUsize::new(0),
            connection,
            is_given_up: AtomicBool::new(false),
        });
        let mut all = self.all();
        all.bytes += size;
        all.next += 1;
        let number = all.next;
        all.answers.insert(number, Arc::clone(&answer));
        Arc::new(Room {
            number,
            answer,
            sending: Arc::clone(self),
        })
    }

    fn all(&self) -> MutexGuard<'_, All> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl All {
    /// Gives up as many answers as it takes.
    ///
    /// # Errors
    /// How long to wait until more can be given up.
    fn fits(&self, size: usize, most: usize) -> Result<(), Duration> {
        let mut excess = (self.bytes + size).saturating_sub(most);
        if excess == 0 {
            return Ok(());
        }
        let (given_up, kept): (Vec<_>, Vec<_>) = self
            .answers
            .values()
            .partition(|answer| answer.is_given_up.load(Relaxed));
        excess = excess.saturating_sub(given_up.iter().map(|answer| answer.size).sum());
        let (mut old, young): (Vec<_>, Vec<_>) = kept
            .into_iter()
            .partition(|answer| answer.began.elapsed() >= SAFE);
        old.sort_by_cached_key(|answer| (Reverse(answer.stalled()), answer.speed()));
        for answer in old {
            // A client that reads is given up only when it is known of all others that they read, too.
            if excess == 0 || (answer.stalled().is_none() && !young.is_empty()) {
                break;
            }
            answer.give_up();
            excess = excess.saturating_sub(answer.size);
        }
        let oldest = young.iter().map(|answer| answer.began.elapsed()).max();
        Err(SAFE.saturating_sub(oldest.unwrap_or_default()))
    }
}

impl Answer {
    /// How long the client has taken nothing, if that is at least [`STALLED`].
    fn stalled(&self) -> Option<Duration> {
        let age = self.began.elapsed();
        let connection = self.connection.as_ref();
        let idle = connection.map_or(age, |connection| connection.idle().min(age));
        (idle >= STALLED).then_some(idle)
    }

    /// Bytes a second that the client has taken.
    fn speed(&self) -> u128 {
        let milliseconds = self.began.elapsed().as_millis().max(1);
        self.taken.load(Relaxed) as u128 * 1000 / milliseconds
    }

    fn give_up(&self) {
        self.is_given_up.store(true, Relaxed);
        if let Some(connection) = &self.connection {
            tracing::info!(
                bytes = self.size,
                "a connection is closed: its client reads too slowly"
            );
            connection.abandon();
        }
    }
}

impl Room {
    /// Notes that the client has taken so many bytes more.
    pub(super) fn taken(&self, bytes: usize) {
        self.answer.taken.fetch_add(bytes, Relaxed);
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let mut all = self.sending.all();
        all.answers.remove(&self.number);
        all.bytes -= self.answer.size;
        drop(all);
        self.sending.freed.notify_one();
    }
}
