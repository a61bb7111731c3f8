//! What is left of a body once its request is answered. A connection of HTTP/1 that is closed before the client has sent all of a
//! body is reset, and the answer may be lost with it. So the rest is read and dropped, bounded in bytes, time and number.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Error;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{Version, header};
use axum::middleware::Next;
use axum::response::Response;
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::BodyExt as _;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// The most bytes that are dropped.
const MOST: usize = 32 << 20;
/// How long a rest may take, and how long each part of it.
const WHOLE: Duration = Duration::from_secs(5);
const PART: Duration = Duration::from_secs(1);
/// How many rests are read at once. Connections of further ones are closed.
static PLACES: Semaphore = Semaphore::const_new(64);

/// Reads the rest of a body behind the answer.
pub(super) async fn drop_rest(request: Request, next: Next) -> Response {
    // A client that waits for leave to send its body has none to lose, and HTTP/2 ends a stream alone.
    let has_rest = request.version() <= Version::HTTP_11
        && !request.body().is_end_stream()
        && !request.headers().contains_key(header::EXPECT);
    if !has_rest {
        return next.run(request).await;
    }
    let request = request.map(|body| Body::new(Unread { body: Some(body) }));
    next.run(request).await
}

/// A body whose rest is read when it is dropped.
struct Unread {
    /// `None` once it has ended.
    body: Option<Body>,
}

impl HttpBody for Unread {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let Some(body) = &mut self.body else {
            return Poll::Ready(None);
        };
        let polled = Pin::new(body).poll_frame(context);
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            self.body = None;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body
            .as_ref()
            .map_or_else(|| SizeHint::with_exact(0), HttpBody::size_hint)
    }
}

impl Drop for Unread {
    fn drop(&mut self) {
        let Some(body) = self.body.take().filter(|body| !body.is_end_stream()) else {
            return;
        };
        let Ok(place) = PLACES.try_acquire() else {
            return;
        };
        tokio::spawn(async move {
            // Whatever ends it, the connection is closed then.
            let _ = timeout(WHOLE, read(body)).await;
            drop(place);
        });
    }
}

async fn read(mut body: Body) {
    let mut left = MOST;
    while let Ok(Some(Ok(frame))) = timeout(PART, body.frame()).await {
        let length = frame.data_ref().map_or(0, Bytes::len);
        let Some(rest) = left.checked_sub(length) else {
            return;
        };
        left = rest;
    }
}
