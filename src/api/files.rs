//! Files that a service serves beside its GraphQL: requests and answers of plain HTTP, whatever the server is
//! made of.

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::{Request, Response};
use http_body_util::combinators::UnsyncBoxBody;

/// The bytes of a file on their way.
pub type FileBody = UnsyncBoxBody<Bytes, Box<dyn std::error::Error + Send + Sync>>;

/// Answers requests for files. No viewer is known: the URL says what is allowed.
pub trait Files: Send + Sync + 'static {
    /// Answers one request. Never fails: errors are in the response.
    fn answer(&self, request: Request<FileBody>) -> BoxFuture<'_, Response<FileBody>>;
}
