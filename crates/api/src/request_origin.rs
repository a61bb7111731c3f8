//! Where the client of the running request reaches the server, if that is known by nothing but the request. URLs that are handed
//! out then begin with it.

use tokio::task::futures::TaskLocalFuture;
use url::Url;

tokio::task_local! {
    static ORIGIN: Option<Url>;
}

/// The origin that the running request names.
pub fn request_origin() -> Option<Url> {
    ORIGIN.try_with(Clone::clone).ok().flatten()
}

/// Work for a request that names this origin.
pub fn named_by_request<F: Future>(
    origin: Option<Url>,
    work: F,
) -> TaskLocalFuture<Option<Url>, F> {
    ORIGIN.scope(origin, work)
}
