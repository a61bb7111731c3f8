//! What a service is to the server that hosts it.

use async_graphql::{Request, Response};
use futures_util::future::BoxFuture;

use crate::table::Meter;
use crate::viewer::Viewer;

/// One GraphQL API on its own tables.
pub trait Service: Send + Sync + 'static {
    /// The name on the command line and in the path: `job-board`.
    fn name(&self) -> &'static str;

    /// The schema in SDL: sorted, described, ending in a newline.
    fn sdl(&self) -> &str;

    /// Documents that work on this service's data, shown when its playground opens.
    fn examples(&self) -> &'static [&'static str];

    /// Runs one operation for `viewer`, counting its DynamoDB calls into `meter`. Never fails: errors
    /// are in the response, each with `extensions.code`.
    fn execute(&self, request: Request, viewer: Viewer, meter: Meter) -> BoxFuture<'_, Response>;

    /// One cheap read, to learn whether DynamoDB answers.
    fn ready(&self) -> BoxFuture<'_, bool>;

    /// What answers `/<service>/files`, if the service hands out URLs that lead there.
    fn files(&self) -> Option<std::sync::Arc<dyn super::Files>> {
        None
    }

    /// The server has begun to listen, and answers at `origin`: for services that make URLs.
    fn listening(&self, _origin: &url::Url) {}
}
