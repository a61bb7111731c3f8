//! Requests of one connection, from head to the last byte of the answer.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use http_body::{Body as HttpBody, Frame, SizeHint};
use tower::{Service, ServiceExt as _};

use super::permit::{ConnectionPermit, InUse};
use crate::allowed_hosts::AllowedHosts;
use crate::response_budget::{PART, ResponsePermit};
use crate::unsent::Compressed;

/// Answers the requests of one connection.
#[derive(Clone)]
pub(super) struct TrackedConnection {
    pub(super) router: Router,
    /// Answers requests beyond those that connections may have at once.
    pub(super) crowded: Router,
    pub(super) allowed_hosts: Arc<AllowedHosts>,
    /// `None` for a connection beyond the limit.
    pub(super) place: Option<Arc<ConnectionPermit>>,
}

impl<B> Service<Request<B>> for TrackedConnection
where
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<axum::BoxError>,
{
    type Response = Response<TrackedBody>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        let has_room = self.place.as_ref().is_some_and(|place| place.has_room());
        let in_use = self.place.as_ref().map(ConnectionPermit::in_use);
        let checked = self
            .allowed_hosts
            .check(request.version(), request.uri(), request.headers());
        // Answered where all answers get the headers that pages of other origins need.
        if let Err(refusal) = checked {
            request.extensions_mut().insert(refusal);
        }
        if let Some(in_use) = &in_use {
            request.extensions_mut().insert(in_use.clone());
        }
        let router = if has_room {
            &self.router
        } else {
            &self.crowded
        };
        let answering = router.clone().oneshot(request);
        Box::pin(async move {
            let response = answering.await?;
            Ok(TrackedBody::new(response, in_use))
        })
    }
}

/// A body that keeps its connection from being idle until it has been sent. It is handed over in parts, so that what
/// the client has taken of it is known.
pub(super) struct TrackedBody {
    body: Body,
    /// What is left of the body's last frame.
    left: Bytes,
    /// Whether the client may not have taken the last part yet.
    is_handed: bool,
    room: Option<Arc<ResponsePermit>>,
    _compressed: Option<Compressed>,
    in_use: Option<InUse>,
}

impl TrackedBody {
    fn new(mut response: Response<Body>, in_use: Option<InUse>) -> Response<Self> {
        let room = response.extensions_mut().remove::<Arc<ResponsePermit>>();
        let compressed = response.extensions_mut().remove::<Compressed>();
        response.map(|body| Self {
            body,
            left: Bytes::new(),
            is_handed: false,
            room,
            _compressed: compressed,
            in_use,
        })
    }

    /// Hands over a part.
    fn hand(&mut self, part: Bytes) -> Frame<Bytes> {
        self.is_handed = true;
        if let Some(in_use) = &self.in_use {
            in_use.handed();
        }
        if let Some(room) = &self.room {
            room.taken(part.len());
        }
        Frame::data(part)
    }

    /// The client has taken the last part, or never will.
    fn taken(&mut self) {
        if std::mem::take(&mut self.is_handed)
            && let Some(in_use) = &self.in_use
        {
            in_use.taken();
        }
    }
}

impl HttpBody for TrackedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        self.taken();
        if self.left.is_empty() {
            match ready!(Pin::new(&mut self.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) if data.len() <= PART => {
                        return Poll::Ready(Some(Ok(self.hand(data))));
                    }
                    Ok(data) => self.left = data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                end => return Poll::Ready(end),
            }
        }
        let length = PART.min(self.left.len());
        // A part must not keep all of a large frame.
        let part = Bytes::copy_from_slice(&self.left.split_to(length));
        Poll::Ready(Some(Ok(self.hand(part))))
    }

    fn is_end_stream(&self) -> bool {
        self.left.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let left = self.left.len() as u64;
        let body = self.body.size_hint();
        let mut hint = SizeHint::new();
        hint.set_lower(body.lower() + left);
        if let Some(upper) = body.upper() {
            hint.set_upper(upper + left);
        }
        hint
    }
}

impl Drop for TrackedBody {
    fn drop(&mut self) {
        self.taken();
    }
}
