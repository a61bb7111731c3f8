//! What the server needs to know of authentication: headers in, a viewer out.

use axum::http::HeaderMap;
use futures_util::future::BoxFuture;

use trestle_api::viewer::Viewer;

/// The credentials are missing or wrong. It holds no reason, because no client may learn it: whoever
/// checks them logs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unauthenticated;

impl Unauthenticated {
    /// What every client is told, whatever is wrong and whatever is set up: where credentials go.
    pub(super) const MESSAGE: &str = "Send valid credentials in the header `Authorization: Bearer ...`, or \
        an API key in `x-api-key`.";
}

/// A way of telling from a request's headers who asks.
pub trait Authenticate: Send + Sync + 'static {
    /// The viewer that the credentials in `headers` stand for.
    fn authenticate<'a>(
        &'a self,
        headers: &'a HeaderMap,
    ) -> BoxFuture<'a, Result<Viewer, Unauthenticated>>;
}

/// Asks for nothing: everyone is [`Viewer::local`].
#[derive(Clone, Copy, Debug)]
pub struct Open;

impl Authenticate for Open {
    fn authenticate<'a>(
        &'a self,
        _headers: &'a HeaderMap,
    ) -> BoxFuture<'a, Result<Viewer, Unauthenticated>> {
        Box::pin(std::future::ready(Ok(Viewer::local())))
    }
}
