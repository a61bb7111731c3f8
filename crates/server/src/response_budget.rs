//! The memory of answers, from the first item that is read for one until its client has taken it: how many bytes of
//! them there may be, who waits for room, and which connections are closed when there are too many. Knows no HTTP.
//!
//! An answer that is being made counts [`COPIES`] times what was read for it; one that is sent counts its own bytes. A
//! call to DynamoDB waits before it is sent, so that a request which waits for its first call holds nothing. Whoever
//! has the least goes first, and what has begun before what has not: that finds half of the room. So that those who have
//! begun never wait for each other for ever, one answer at a time may be made beyond the bound.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tokio::time::timeout;

use super::config::ServerArgs;
use super::connections::InUse;
use super::overload::RateLimitKey;
use super::sent_response::SentResponse;

/// Bytes that a connection is given at a time. An answer of no more needs no room: the number of connections bounds
/// such answers.
pub(super) const PART: usize = 32 * 1024;
/// Bytes that are read for a request without waiting: the number of requests bounds them.
pub(super) const FREE: usize = 64 * 1024;
/// Bytes of an answer for which nothing is read, and which needs no room.
pub(super) const SMALL: usize = 4 * 1024;
/// How often what was read for an answer is held while it is made: as the store's answer, as items, as the tree of the
/// answer and as its JSON, of which about so many are there at a time.
const COPIES: usize = 4;
/// How long an answer is safe: whether its client reads is known by then.
const SAFE: Duration = Duration::from_secs(2);

/// Room for the bytes of answers until clients have taken them.
pub(super) struct ResponseBudget {
    most: usize,
    most_answer: usize,
    all: Mutex<All>,
}

#[derive(Default)]
struct All {
    /// The most that is counted for one answer: more of it is never held.
    most_answer: usize,
    /// Bytes of answers that are being made, each counted [`COPIES`] times.
    making: usize,
    /// Bytes of answers that are sent.
    sending: usize,
    next: u64,
    makers: HashMap<u64, Maker>,
    answers: BTreeMap<u64, Arc<SentResponse>>,
    /// Bytes by owner.
    held: HashMap<RateLimitKey, usize>,
    waiting: BTreeMap<u64, Waiting>,
    /// The one answer that may be made beyond the bound, and when it last grew.
    exempt: Option<(u64, Instant)>,
}

/// An answer that is being made.
struct Maker {
    owner: RateLimitKey,
    /// What was read for it, or is reserved for a call.
    bytes: usize,
}

/// A call, or an answer that is ready, that waits for room.
struct Waiting {
    maker: u64,
    bytes: usize,
    admit: oneshot::Sender<()>,
}

/// One answer's room, free again when dropped.
pub(super) struct ResponsePermit {
    number: u64,
    answer: Arc<SentResponse>,
    budget: Arc<ResponseBudget>,
}

impl ResponseBudget {
    /// Room as configured.
    pub(super) fn new(args: &ServerArgs) -> Self {
        Self {
            most: args.most_sending_bytes(),
            most_answer: args.max_answer_bytes,
            all: Mutex::new(All {
                most_answer: args.max_answer_bytes,
                ..All::default()
            }),
        }
    }

    /// Begins an answer for someone. Answers its number.
    pub(super) fn begin(&self, owner: RateLimitKey) -> u64 {
        let mut all = self.all();
        all.next += 1;
        let number = all.next;
        all.makers.insert(number, Maker { owner, bytes: 0 });
        number
    }

    /// The most bytes of one answer.
    pub(super) fn most_answer(&self) -> usize {
        self.most_answer
    }

    /// Takes so many bytes for an answer if there is room, or if it has no more than `free`.
    ///
    /// # Errors
    /// What tells that there is room, and the number under which it waits.
    pub(super) fn grow(
        &self,
        maker: u64,
        bytes: usize,
        free: usize,
    ) -> Result<(), (u64, oneshot::Receiver<()>)> {
        let mut all = self.all();
        let Some(made) = all.makers.get(&maker).map(|maker| maker.bytes) else {
            return Ok(());
        };
        let fits = all.waiting.is_empty() && all.has_room(made, bytes, self.most);
        if fits || made + bytes <= free || made >= self.most_answer {
            all.add(maker, bytes);
            return Ok(());
        }
        let (admit, admitted) = oneshot::channel();
        all.next += 1;
        let ticket = all.next;
        let waiting = Waiting {
            maker,
            bytes,
            admit,
        };
        all.waiting.insert(ticket, waiting);
        Err((ticket, admitted))
    }

    /// Waits for room. Connections are closed meanwhile: first those whose clients have taken nothing for the longest
    /// time, then the slowest.
    pub(super) async fn wait(&self, ticket: u64, mut admitted: oneshot::Receiver<()>) {
        // Whoever does not wait to the end must not keep a place in the line.
        let _leaving = Leaving {
            budget: self,
            ticket,
        };
        loop {
            let look = self.all().admit(self.most);
            let again = look.unwrap_or(SAFE);
            // Out of time is no error: more answers can be given up then.
            if timeout(again, &mut admitted).await.is_ok() {
                return;
            }
        }
    }

    /// Takes back what was reserved for an answer beyond what it has.
    pub(super) fn shrink(&self, maker: u64, reserved: usize, bytes: usize) {
        let mut all = self.all();
        if bytes >= reserved {
            all.add(maker, bytes - reserved)
        } else {
            all.remove(maker, reserved - bytes)
        }
        all.admit(self.most);
    }

    /// Bytes of what was read for an answer.
    pub(super) fn made(&self, maker: u64) -> usize {
        self.all().makers.get(&maker).map_or(0, |maker| maker.bytes)
    }

    /// Ends an answer that is not sent.
    pub(super) fn drop_making(&self, maker: u64) {
        let mut all = self.all();
        all.end(maker);
        all.admit(self.most);
    }

    /// Makes an answer one that is sent. Nothing of it is held any more but these bytes. `None` if it has no more than
    /// `small`.
    pub(super) fn send(
        self: &Arc<Self>,
        maker: u64,
        bytes: usize,
        small: usize,
        connection: Option<InUse>,
    ) -> Option<Arc<ResponsePermit>> {
        let mut all = self.all();
        let owner = all.end(maker);
        let room = owner.filter(|_| bytes > small).map(|owner| {
            let answer = Arc::new(SentResponse {
                owner,
                size: bytes,
                began: Instant::now(),
                taken: AtomicUsize::new(0),
                connection,
                is_given_up: AtomicBool::new(false),
            });
            all.sending += bytes;
            *all.held.entry(answer.owner.clone()).or_default() += bytes;
            all.next += 1;
            let number = all.next;
            all.answers.insert(number, Arc::clone(&answer));
            (number, answer)
        });
        all.admit(self.most);
        drop(all);
        room.map(|(number, answer)| {
            Arc::new(ResponsePermit {
                number,
                answer,
                budget: Arc::clone(self),
            })
        })
    }

    fn all(&self) -> MutexGuard<'_, All> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Leaves the line when dropped.
struct Leaving<'a> {
    budget: &'a ResponseBudget,
    ticket: u64,
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        let mut all = self.budget.all();
        if all.waiting.remove(&self.ticket).is_some() {
            all.admit(self.budget.most);
        }
    }
}

impl All {
    fn total(&self) -> usize {
        self.making + self.sending
    }

    /// Whether there is room for so many bytes more of an answer for which so many were read.
    fn has_room(&self, made: usize, bytes: usize, most: usize) -> bool {
        let most = if made == 0 { most / 2 } else { most };
        self.total() + bytes * COPIES <= most
    }

    fn add(&mut self, maker: u64, bytes: usize) {
        if let Some(maker) = self.makers.get_mut(&maker) {
            // What is read and left out is not held: a search reads more than it answers.
            let bytes = bytes.min(self.most_answer.saturating_sub(maker.bytes));
            maker.bytes += bytes;
            self.making += bytes * COPIES;
            *self.held.entry(maker.owner.clone()).or_default() += bytes * COPIES;
        }
    }

    fn remove(&mut self, maker: u64, bytes: usize) {
        if let Some(maker) = self.makers.get_mut(&maker) {
            let bytes = bytes.min(maker.bytes);
            maker.bytes -= bytes;
            self.making -= bytes * COPIES;
            let owner = maker.owner.clone();
            self.release(&owner, bytes * COPIES);
        }
    }

    fn end(&mut self, maker: u64) -> Option<RateLimitKey> {
        let bytes = self.makers.get(&maker)?.bytes;
        self.remove(maker, bytes);
        if self.is_exempt(maker) {
            self.exempt = None;
        }
        self.makers.remove(&maker).map(|maker| maker.owner)
    }

    fn release(&mut self, owner: &RateLimitKey, bytes: usize) {
        if let Some(held) = self.held.get_mut(owner) {
            *held = held.saturating_sub(bytes);
            if *held == 0 {
                self.held.remove(owner);
            }
        }
    }

    /// Lets those who wait take the room that there is. Answers when to look again, if that can help.
    fn admit(&mut self, most: usize) -> Option<Duration> {
        loop {
            let ticket = self.first()?;
            let waiting = self.waiting.get(&ticket)?;
            let (maker, bytes) = (waiting.maker, waiting.bytes);
            let made = self.makers.get(&maker).map_or(0, |maker| maker.bytes);
            if !self.has_room(made, bytes, most) {
                // One that waits for something else does not keep others for long.
                if let Some((exempt, grew)) = self.exempt
                    && exempt != maker
                    && let Some(wait) = SAFE.checked_sub(grew.elapsed())
                {
                    return Some(wait);
                }
                if let Err(wait) = self.fits((made + bytes).min(most), most) {
                    return Some(wait);
                }
                self.exempt = Some((maker, Instant::now()));
            }
            let waiting = self.waiting.remove(&ticket)?;
            // Whoever has gone takes nothing.
            if waiting.admit.send(()).is_ok() {
                self.add(maker, bytes);
            }
        }
    }

    /// Who is next: the answer that may exceed the bound, then whose owner has the least.
    fn first(&self) -> Option<u64> {
        let first = self.waiting.iter().min_by_key(|(ticket, waiting)| {
            let maker = self.makers.get(&waiting.maker);
            let held = maker.and_then(|maker| self.held.get(&maker.owner));
            (
                !self.is_exempt(waiting.maker),
                held.copied().unwrap_or(0),
                maker.is_none_or(|maker| maker.bytes == 0),
                **ticket,
            )
        });
        first.map(|(ticket, _)| *ticket)
    }

    fn is_exempt(&self, maker: u64) -> bool {
        self.exempt.is_some_and(|(exempt, _)| exempt == maker)
    }

    /// Gives up as many answers that are sent as it takes for one more of this size.
    ///
    /// # Errors
    /// How long to wait until more can be given up.
    fn fits(&self, size: usize, most: usize) -> Result<(), Duration> {
        let mut excess = (self.sending + size).saturating_sub(most);
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

impl ResponsePermit {
    /// Notes that the client has taken so many bytes more.
    pub(super) fn taken(&self, bytes: usize) {
        self.answer.taken.fetch_add(bytes, Relaxed);
    }
}

impl Drop for ResponsePermit {
    fn drop(&mut self) {
        let mut all = self.budget.all();
        all.answers.remove(&self.number);
        all.sending -= self.answer.size;
        all.release(&self.answer.owner, self.answer.size);
        all.admit(self.budget.most);
    }
}
