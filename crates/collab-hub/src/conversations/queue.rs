//! The writers of one conversation, one after another: each message changes the items of all participants, so that two
//! at once would only make each other try again. Writers in other processes still meet, and try again.

use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

use tokio::sync::{Mutex, MutexGuard};

use trestle_api::Session;
use trestle_domain::Id;

use super::Conversation;

/// Number of queues. Conversations that share one wait for each other without need.
const QUEUES: usize = 256;

/// The queues of this process. Clones share them.
#[derive(Clone, Debug)]
pub struct Queues(Arc<[Mutex<()>]>);

impl Default for Queues {
    fn default() -> Self {
        Self((0..QUEUES).map(|_| Mutex::default()).collect())
    }
}

impl Queues {
    /// Those of the server of a session. Without any, writers try again more often.
    pub fn of(session: &Session) -> Arc<Self> {
        session.given::<Self>().unwrap_or_default()
    }

    /// Waits for a conversation's turn, which ends when the guard is dropped.
    pub async fn turn(&self, conversation: Id<Conversation>) -> Option<MutexGuard<'_, ()>> {
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(conversation);
        let place = usize::try_from(hash % QUEUES as u64).ok()?;
        Some(self.0.get(place)?.lock().await)
    }
}
