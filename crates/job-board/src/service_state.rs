//! What all requests of the service share: events for subscriptions, and the queue of the background runner.

use std::sync::Arc;

use async_graphql::Context;
use tokio::sync::mpsc;

use trestle_api::{ApiError, EventBus, FromRequest, Session, request_data, session};

use trestle_domain::Ulids;

use super::jobs::Job;
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
    /// A job was posted or opened again.
    Posted(Box<Job>),
}

/// What all requests share.
#[derive(Clone, Default)]
pub struct ServiceState {
    /// Events of this process.
    pub live: EventBus<Event>,
    /// Ids of messages, in the order in which this process stores them.
    pub ids: Arc<Ulids>,
    queue: Option<mpsc::Sender<Target>>,
}

impl ServiceState {
    /// State whose runs are done by whoever receives from `queue`; without one, by another process.
    pub fn new(queue: Option<mpsc::Sender<Target>>) -> Self {
        Self {
            live: EventBus::default(),
            ids: Arc::default(),
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
    /// The state of its service.
    pub service: &'c ServiceState,
}

impl<'c> FromRequest<'c> for Request<'c> {
    fn from_request(ctx: &Context<'c>) -> Result<Self, ApiError> {
        Ok(Self {
            session: session(ctx)?,
            service: service_state(ctx)?,
        })
    }
}

/// The state of the request's service.
///
/// # Errors
/// INTERNAL_SERVER_ERROR if the request has none, which is a bug.
pub fn service_state<'c>(ctx: &Context<'c>) -> Result<&'c ServiceState, ApiError> {
    request_data(ctx)
}
