//! What a service is to the server that hosts it.

use std::sync::Arc;

use async_graphql::{Error, Pos, Request, Response};
use futures_util::future::{BoxFuture, ready};
use futures_util::stream::{BoxStream, StreamExt as _, once};

use super::{ApiError, Authentication, Code, HttpRoute, Viewers};
use crate::viewer::Viewer;
use trestle_table::Meter;

/// Why a delete that was interrupted cannot be finished.
pub type UnfinishedError = Box<dyn std::error::Error + Send + Sync>;

/// The result of finishing interrupted deletes. If one fails, the others are finished nevertheless.
#[derive(Debug)]
pub struct FinishedDeletes<E> {
    count: usize,
    failed: Option<E>,
}

impl<E> Default for FinishedDeletes<E> {
    fn default() -> Self {
        Self {
            count: 0,
            failed: None,
        }
    }
}

impl<E> FinishedDeletes<E> {
    /// Adds how many were finished, or why one was not.
    pub fn add(&mut self, finished: Result<usize, E>) {
        match finished {
            Ok(count) => self.count += count,
            Err(error) => self.failed = Some(error),
        }
    }

    /// How many are finished.
    ///
    /// # Errors
    /// The last failure.
    pub fn count(self) -> Result<usize, E> {
        self.failed.map_or(Ok(self.count), Err)
    }
}

/// One GraphQL API on its own tables.
pub trait Service: Send + Sync + 'static {
    /// The name on the command line and in the path: `job-board`.
    fn name(&self) -> &'static str;

    /// The schema in SDL: sorted, described, ending in a newline.
    fn sdl(&self) -> &str;

    /// Documents that work on this service's data, shown when its playground opens.
    fn examples(&self) -> &'static [&'static str];

    /// Who authenticates its requests. The server, by default.
    fn authentication(&self) -> Authentication {
        Authentication::ByServer
    }

    /// Runs one operation for `viewer`, counting its DynamoDB calls into `meter`. Never fails: errors
    /// are in the response, each with `extensions.code`.
    fn execute(&self, request: Request, viewer: Viewer, meter: Meter) -> BoxFuture<'_, Response>;

    /// Runs a subscription for `viewer`, counting its DynamoDB calls into `meter`: one response for each
    /// event until it ends or is dropped. A response without data is the last one.
    ///
    /// A service without subscriptions refuses.
    fn subscribe(
        &self,
        _request: Request,
        _viewer: Viewer,
        _meter: Meter,
    ) -> BoxStream<'static, Response> {
        let message = "There is nothing to subscribe to.";
        let refusal = Error::from(ApiError::new(Code::OperationResolutionFailure, message));
        let refusal = refusal.into_server_error(Pos::default());
        once(ready(Response::from_errors(vec![refusal]))).boxed()
    }

    /// One cheap read, to learn whether DynamoDB answers.
    fn ready(&self) -> BoxFuture<'_, bool>;

    /// Plain HTTP handlers below `/<service>/`.
    fn mounts(&self) -> Vec<HttpRoute> {
        Vec::new()
    }

    /// Who may ask the plain HTTP handlers that need a viewer. Called once, before the first request.
    fn set_authenticator(&self, _viewers: Arc<dyn Viewers>) {}

    /// Finishes deletes that a process which was killed has begun: how many. Called once, when the server starts.
    fn finish_deletes(&self) -> BoxFuture<'_, Result<usize, UnfinishedError>> {
        Box::pin(ready(Ok(0)))
    }

    /// The server stops: work in the background ends or is handed back. The server waits for it, within its
    /// `--drain-timeout`.
    fn stopping(&self) -> BoxFuture<'_, ()> {
        Box::pin(ready(()))
    }

    /// The server has begun to listen, and answers at `origin`: for services that make URLs.
    fn on_listening(&self, _origin: &url::Url) {}
}
