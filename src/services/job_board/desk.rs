//! What all requests of the service share: events for subscriptions, and the queue of the background runner.

use async_graphql::Context;
use tokio::sync::mpsc;

use crate::api::{ApiError, FromRequest, Live, Session, session};

use super::matches::Match;
use super::messages::Message;
use super::runs::Target;

/// An event that subscriptions deliver.
#[derive(Clone, Debug)]
pub enum Event {
    /// An employer approved an interest.
    Matched(Match),
    /// A message was sent.
    Sent(Message),
}

/// What all requests share.
#[derive(Clone, Default)]
pub struct Desk {
    /// Events of this process.
    pub live: Live<Event>,
    queue: Option<mpsc::Sender<Target>>,
}

impl Desk {
    /// A desk whose runs are done by whoever receives from `queue`; without one, by another process.
    pub fn new(queue: Option<mpsc::Sender<Target>>) -> Self {
        Self {
            live: Live::default(),
            queue,
        }
    }

    /// Reports a run that was just written. If the queue is full, the runner finds it later.
    pub fn run(&self, target: Target) {
        if let Some(queue) = &self.queue {
            let _ = queue.try_send(target);
        }
    }
}

/// A mutation's request.
pub struct Request<'c> {
    /// Its session.
    pub session: &'c Session,
    /// The desk of its service.
    pub desk: &'c Desk,
}

impl<'c> FromRequest<'c> for Request<'c> {
    fn from_request(ctx: &Context<'c>) -> Result<Self, ApiError> {
        Ok(Self {
            session: session(ctx)?,
            desk: desk(ctx)?,
        })
    }
}

/// The desk of the request's service.
///
/// # Errors
/// INTERNAL_SERVER_ERROR if the request has none, which is a bug.
pub fn desk<'c>(ctx: &Context<'c>) -> Result<&'c Desk, ApiError> {
    let missing = || ApiError::internal(std::io::Error::other("the request has no desk"));
    ctx.data_opt::<Desk>().ok_or_else(missing)
}
