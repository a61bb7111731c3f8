//! Turns to hash, given to addresses in rotation: one that asks for many waits for its own.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// Requests of one address that wait for a turn: about two seconds of one core.
const MOST_OF_ADDRESS: usize = 128;
/// Requests that wait for a turn.
const MOST_WAITING: usize = 1024;

/// Turns, at most so many at once.
pub struct Turns(Mutex<State>);

struct State {
    free: usize,
    waiting: usize,
    /// Who waits, by address: the first address is the next one. None of them is empty.
    queues: VecDeque<(Option<IpAddr>, VecDeque<oneshot::Sender<Turn>>)>,
}

/// A turn. The next one begins when it is dropped.
pub struct Turn(Arc<Turns>);

impl Turns {
    /// So many turns at once.
    pub fn new(count: usize) -> Arc<Self> {
        Arc::new(Self(Mutex::new(State {
            free: count,
            waiting: 0,
            queues: VecDeque::new(),
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a turn; `None` if too many do, of this address or in total.
    pub async fn take(self: &Arc<Self>, address: Option<IpAddr>) -> Option<Turn> {
        let waiting = {
            let mut state = self.state();
            if state.free > 0 {
                state.free -= 1;
                return Some(Turn(Arc::clone(self)));
            }
            state.enqueue(address)?
        };
        waiting.await.ok()
    }
}

impl State {
    fn enqueue(&mut self, address: Option<IpAddr>) -> Option<oneshot::Receiver<Turn>> {
        let (turn, waiting) = oneshot::channel();
        let found = self.queues.iter_mut().find(|(of, _)| *of == address);
        match found {
            Some((_, queue)) => {
                // Who does not wait any more needs no place.
                let before = queue.len();
                queue.retain(|turn| !turn.is_closed());
                self.waiting -= before - queue.len();
                if queue.len() >= MOST_OF_ADDRESS || self.waiting >= MOST_WAITING {
                    return None;
                }
                queue.push_back(turn);
            }
            None if self.waiting >= MOST_WAITING => return None,
            None => self.queues.push_back((address, VecDeque::from([turn]))),
        }
        self.waiting += 1;
        Some(waiting)
    }

    /// The next who waits: the first one of the next address.
    fn next(&mut self) -> Option<oneshot::Sender<Turn>> {
        while let Some((address, mut queue)) = self.queues.pop_front() {
            let next = queue.pop_front();
            if !queue.is_empty() {
                self.queues.push_back((address, queue));
            }
            if let Some(next) = next {
                self.waiting -= 1;
                if !next.is_closed() {
                    return Some(next);
                }
            }
        }
        self.free += 1;
        None
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let next = self.0.state().next();
        if let Some(next) = next {
            // If nobody waits for it any more, it is dropped, and the next one gets it.
            drop(next.send(Turn(Arc::clone(&self.0))));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;

    fn address(last: u8) -> Option<IpAddr> {
        Some(IpAddr::from([203, 0, 113, last]))
    }

    #[tokio::test]
    async fn an_address_with_many_requests_does_not_keep_others_waiting() {
        let turns = Turns::new(1);
        let first = turns.take(address(1)).await.unwrap();
        let mut many: Vec<_> = (0..MOST_OF_ADDRESS)
            .map(|_| Box::pin(turns.take(address(1))))
            .collect();
        assert!(many.iter_mut().all(|turn| turn.now_or_never().is_none()));
        assert!(turns.take(address(1)).await.is_none());
        let mut other = Box::pin(turns.take(address(2)));
        assert!((&mut other).now_or_never().is_none());
        drop(first);
        let second = many.remove(0).await.unwrap();
        assert!((&mut other).now_or_never().is_none());
        drop(second);
        assert!(other.await.is_some());
    }

    #[tokio::test]
    async fn a_turn_of_someone_who_left_goes_to_the_next() {
        let turns = Turns::new(1);
        let first = turns.take(None).await.unwrap();
        let mut left = Box::pin(turns.take(None));
        let mut stays = Box::pin(turns.take(address(1)));
        assert!((&mut left).now_or_never().is_none() && (&mut stays).now_or_never().is_none());
        drop(left);
        drop(first);
        drop(stays.await.unwrap());
        // A turn that was given and not taken up is not lost.
        let held = turns.take(None).await.unwrap();
        let mut late = Box::pin(turns.take(None));
        assert!((&mut late).now_or_never().is_none());
        drop(held);
        drop(late);
        assert!(turns.take(None).now_or_never().flatten().is_some());
    }
}
