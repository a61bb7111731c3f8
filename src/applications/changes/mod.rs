//! What has changed, for those who watch: announced after the commit, to everyone in this process.
//! Knows no GraphQL, and not who announces: the store's own writes, or the table's stream.

mod stream;

use std::sync::Arc;

use futures_util::stream::{Stream, unfold};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

pub use stream::follow;

use super::model::{Application, ApplicationId, Stage, State};

/// The changes that wait for a watcher who is slow. One is 2 KB in a usual board and about 130 KB with all
/// its texts at their limits, kept once for all watchers.
const KEPT: usize = 256;

/// What happened to an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// It came.
    Created,
    /// Something of it changed.
    Updated,
    /// It went.
    Deleted,
}

/// One change that was made.
#[derive(Clone, Debug)]
pub struct Announced {
    /// What happened.
    pub kind: ChangeKind,
    /// To which application.
    pub id: ApplicationId,
    /// Its version after the change; for one that went, its last.
    pub version: u32,
    /// It as the change left it; nothing for one that went.
    pub application: Option<Application>,
    /// Its stages, where they are known without a read.
    pub stages: Option<Vec<Stage>>,
}

impl Announced {
    /// An application that is there, with its stages.
    pub fn written(kind: ChangeKind, state: &State) -> Self {
        Self {
            stages: Some(state.stages().to_vec()),
            ..Self::seen(kind, state.application.clone())
        }
    }

    /// An application that is there, its stages not read.
    pub fn seen(kind: ChangeKind, application: Application) -> Self {
        Self {
            kind,
            id: application.id,
            version: application.version,
            application: Some(application),
            stages: None,
        }
    }

    /// An application that went.
    pub fn deleted(application: &Application) -> Self {
        Self {
            kind: ChangeKind::Deleted,
            id: application.id,
            version: application.version,
            application: None,
            stages: None,
        }
    }
}

/// Changes were missed: the watcher was slower than the writers, or the table's stream was interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missed;

/// What goes through the channel.
#[derive(Clone, Debug)]
enum Message {
    Change(Arc<Announced>),
    /// Nobody knows what has changed meanwhile.
    Gap,
}

/// Where changes are announced and watched. Clones are the same place.
#[derive(Clone, Debug)]
pub struct Changes(broadcast::Sender<Message>);

impl Default for Changes {
    fn default() -> Self {
        Self(broadcast::Sender::new(KEPT))
    }
}

impl Changes {
    /// Tells everyone who watches. `change` is not made when nobody does.
    pub fn announce(&self, change: impl FnOnce() -> Announced) {
        if self.0.receiver_count() > 0 {
            // Whoever watched may have gone just now, which is no fault.
            let _ = self.0.send(Message::Change(Arc::new(change())));
        }
    }

    /// Ends every watch with [`Missed`]: changes may have been made that were not announced.
    fn interrupt(&self) {
        let _ = self.0.send(Message::Gap);
    }

    /// Every change from now on. The last item may be [`Missed`]: then read anew, and watch again.
    pub fn watch(&self) -> impl Stream<Item = Result<Arc<Announced>, Missed>> + Send + use<> {
        unfold(Some(self.0.subscribe()), |receiver| async move {
            let mut receiver = receiver?;
            match receiver.recv().await {
                Ok(Message::Change(change)) => Some((Ok(change), Some(receiver))),
                Ok(Message::Gap) | Err(RecvError::Lagged(_)) => Some((Err(Missed), None)),
                Err(RecvError::Closed) => None,
            }
        })
    }
}
